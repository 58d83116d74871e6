"""Any text from a student is parsed or refused within seconds."""

import ast
import time
from contextlib import nullcontext

import pytest
from hearts_course.python_source import (
    MAX_CHARACTERS,
    UNPARSABLE,
    Form,
    code_text,
    form_of,
    functions_that_may_give_none,
    parsed,
    without_docstrings,
)

HONEST = [
    "import os.path, collections.abc as abc\nfrom importlib import machinery\n",
    "größe = naïve = 'ä́'\n",
    f'"""From here on: {"a sentence. " * 500}"""\n',
    "x = '" + "é" * 500 + "'\n",
]
# `ast.parse` needs a minute or more for each of these texts.
SLOW = {
    "an imported name of 50,000 parts": f"import {'a.' * 50_000}a",
    "the same, after another name": f"import os as b, {'a.' * 50_000}a",
    "the same, in as many lines": "import " + "a.\\\n" * 45_000 + "a",
    "the same, in a cell from Windows": "from " + "a.\\\r\n" * 35_000 + "a import b",
    "accents that have to be sorted": "a" + "\u0316\u0301" * 50_000,
    "what only becomes accents": "a" + "\u0301\uff9e" * 50_000,
}


@pytest.mark.parametrize("text", HONEST)
def test_an_honest_text_is_parsed(text):
    assert ast.dump(parsed(text)) == ast.dump(ast.parse(text))


def test_a_warning_of_pythons_reaches_nobody(recwarn):
    assert parsed("'\\d'\n").body
    assert not recwarn


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_what_would_take_minutes_is_refused_at_once(text):
    started = time.process_time()
    with pytest.raises(ValueError, match="more than"):
        parsed(text)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "text", ["x = ", "(" * 500, f"x{'.a' * 60_000}", " " * MAX_CHARACTERS + "x"]
)
def test_what_python_cannot_read_has_one_of_four_errors(text):
    try:
        ast.parse(text)
        can_read = len(text) <= MAX_CHARACTERS  # Python 3.14 can read the long `x.a.a`
    except Exception:
        can_read = False
    with nullcontext() if can_read else pytest.raises(UNPARSABLE):
        parsed(text)


def test_the_form_of_a_definition_is_told_only_when_it_is_written():
    text = "class A:\n    def b(self):\n        return [x for x in self]\n\n    def c(self):\n"
    stub = f"{text}        raise NotImplementedError('Task 1: c')\n"
    assert form_of(stub, "A.b") == Form(frozenset({"comprehension"}), 2)
    for program, name in ((stub, "A.c"), (stub, "A.d"), (text, "A.b")):
        with pytest.raises(AssertionError, match="is not written yet"):
            form_of(program, name)


def test_docstrings_are_left_out():
    text = (
        '"""A module.\n\nOf two lines."""\n\nNAME = "no docstring"\n\n'
        'class Coin:\n    """A coin."""\n\n    def worth(self):\n        """Return it."""\n'
        '        return 1\n\ndef face(): "on its line"\n'
    )
    assert without_docstrings(text) == (
        '\nNAME = "no docstring"\n\nclass Coin:\n\n    def worth(self):\n        return 1\n\n'
        'def face(): "on its line"\n'
    )


@pytest.mark.parametrize(
    "code",
    [
        "total = sum(coin.worth for coin in coins)",
        "text = '♣♦'.join(name for name in sorted(face.name for face in faces))",
        "show((coin for coin in coins), 1)",
        "show((1, 2))",
        "def total(purses):\n    return sum(sum(coin.worth for coin in purse) for purse in purses)",
    ],
)
def test_code_is_shown_with_no_more_brackets_than_a_person_writes(code):
    assert code_text(ast.parse(code).body[0]) == code


def test_functions_that_may_give_none_are_known_by_their_annotations():
    source = """
from typing import Optional

def first(cards: list[int]) -> int | None: ...
def second() -> None | str | int: ...
def third() -> Optional[int]: ...
def nothing() -> None: ...
def all_cards() -> list[int | None]: ...

class Deal:
    def play(self) -> int | None: ...
    def turn(self): ...
"""
    assert functions_that_may_give_none(source) == {"first", "second", "third", "play"}
