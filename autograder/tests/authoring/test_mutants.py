"""Every small change that could matter is made once; changes that cannot matter are not."""

from textwrap import dedent

import pytest
from hearts_course.authoring.mutants import Equivalent, load_equivalents, load_exempt, mutants_of
from hearts_course.errors import StageError
from tiny_course import REFERENCE, write_stage


def changes(source):
    return [(m.number, m.line, m.mutant) for m in mutants_of("m", dedent(source))]


def test_a_mutant_tells_where_it_differs():
    assert (2, "return a < 7", "return a <= 7") in changes("def f(a):\n    return a < 7\n")
    assert (2, "return a < 7", "return a < 8") in changes("def f(a):\n    return a < 7\n")


def test_a_mutant_holds_the_whole_module():
    texts = {mutant.mutant: mutant for mutant in mutants_of("coins", REFERENCE)}
    worth = texts['return 11 if self.face == "dime" else 1']
    assert (worth.module, worth.number) == ("coins", 18)
    assert worth.text == REFERENCE.replace("10 if", "11 if")


def test_a_removed_decorator_is_a_mutant():
    assert (1, "@property", "") in changes("@property\ndef f(self):\n    return 1\n")


def test_no_mutant_comes_twice():
    texts = [mutant.text for mutant in mutants_of("coins", REFERENCE)]
    assert len(texts) == len(set(texts)) == 15


@pytest.mark.parametrize(
    "source",
    [
        "def f(a: int | None) -> int | str: pass",
        "async def f(*a: int | None, **b: 1) -> 1: pass",
        "x: int | None = f()",
        "class A:\n    x: int | None\n",
    ],
)
def test_an_annotation_is_not_mutated(source):
    assert changes(source) == []


def test_what_an_annotation_stands_beside_is_mutated():
    assert (1, "x: int | 1 = 5", "x: int | 1 = 6") in changes("x: int | 1 = 5")


def test_what_does_not_compile_is_no_mutant():
    for mutant in mutants_of("m", "for i in x:\n    if i:\n        break\n"):
        compile(mutant.text, "m", "exec")


def test_the_list_of_equivalents(tmp_path):
    stage = write_stage(tmp_path)
    assert load_equivalents(stage) == ()
    path = stage.autograder / "equivalents.toml"
    path.write_text('[[equivalent]]\nline = "  a  b "\nmutant = ""\nreason = "why"\n')
    assert load_equivalents(stage) == (Equivalent("a b", "", "why"),)


@pytest.mark.parametrize(
    "text",
    [
        '[[equivalent]]\nline = "a"\nmutant = "b"\n',
        '[[equivalent]]\nline = "a"\nmutant = "b"\nreason = " "\n',
        '[[equivalent]]\nline = "a"\nmutant = "b"\nreason = "c"\nmore = 1\n',
        '[[equivalent]]\nline = 1\nmutant = "b"\nreason = "c"\n',
        "equivalent = 3\n",
        "[[equivalent\n",
    ],
)
def test_an_equivalent_without_a_reason_is_a_fault(tmp_path, text):
    stage = write_stage(tmp_path)
    (stage.autograder / "equivalents.toml").write_text(text)
    with pytest.raises(StageError, match=r"equivalents\.toml: "):
        load_equivalents(stage)


def test_a_module_can_be_exempt_with_its_reason(tmp_path):
    stage = write_stage(tmp_path)
    assert load_exempt(stage) == frozenset()
    listed = stage.autograder / "equivalents.toml"
    listed.write_text('[[exempt]]\nmodule = "coins"\nreason = "It is a game."\n')
    assert [load_exempt(stage), load_equivalents(stage)] == [{"coins"}, ()]
    for module, reason, fault in [("bank", "r", "has no module bank"), ("coins", " ", "no reason")]:
        listed.write_text(f'[[exempt]]\nmodule = "{module}"\nreason = "{reason}"\n')
        with pytest.raises(StageError, match=fault):
            load_exempt(stage)
