"""Every small change that could matter is a mutant; a change that cannot matter is not."""

from textwrap import dedent

import pytest
from hearts_grader.authoring.mutants import Exceptions, load_exceptions, mutants_of
from tiny_course import REFERENCE, write_stage


def changes(source):
    return [(m.number, m.line, m.mutant) for m in mutants_of("m", dedent(source))]


@pytest.mark.parametrize(
    ("source", "change"),
    [
        ("def f(a):\n    return a < 7\n", (2, "return a < 7", "return a <= 7")),
        ("def f(a):\n    return a < 7\n", (2, "return a < 7", "return a < 8")),
        ("@property\ndef f(self):\n    return 1\n", (1, "@property", "")),
        ("x: int | 1 = 5", (1, "x: int | 1 = 5", "x: int | 1 = 6")),
    ],
)
def test_a_mutant_says_where_it_differs(source, change):
    assert change in changes(source)


def test_a_mutant_holds_the_whole_module():
    texts = {mutant.mutant: mutant for mutant in mutants_of("coins", REFERENCE)}
    worth = texts['return 11 if self.face == "dime" else 1']
    assert (worth.module, worth.number) == ("coins", 18)
    assert worth.text == REFERENCE.replace("10 if", "11 if")


def test_mutants_come_once_and_by_line():
    mutants = list(mutants_of("coins", REFERENCE))
    assert len({mutant.text for mutant in mutants}) == len(mutants) == 15
    assert [m.number for m in mutants] == sorted(m.number for m in mutants)


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


def test_what_does_not_compile_is_not_a_mutant():
    for mutant in mutants_of("m", "for i in x:\n    if i:\n        break\n"):
        compile(mutant.text, "m", "exec")


def test_equivalents_and_exempt_modules_are_listed_with_their_reasons(tmp_path):
    stage = write_stage(tmp_path)
    assert load_exceptions(stage) == Exceptions()
    (stage.autograder / "equivalents.toml").write_text(
        '[[equivalent]]\nline = "  a  b "\nmutant = ""\nreason = "why"\n'
        '[[exempt]]\nmodule = "coins"\nreason = "It is a game."\n'
    )
    exceptions = load_exceptions(stage)
    assert [entry.change for entry in exceptions.equivalent] == [("a b", "")]
    assert [entry.module for entry in exceptions.exempt] == ["coins"]
