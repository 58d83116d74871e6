"""Visible checks of stage 04: your own tests, tried on your own table and on other correct ones."""

import ast
from pathlib import Path

import pytest

GAMES = Path(__file__).parents[2] / "autograder" / "04-console-game" / "games" / "wheats"
WHEATS = {
    ast.get_docstring(ast.parse(text)).splitlines()[0]: text
    for text in (path.read_text(encoding="utf-8") for path in sorted(GAMES.glob("*/table.py")))
}


def failing(own_tests, names):
    """Those tests that do not pass, each with the line in which it ends."""
    failed = []
    for name in names:
        try:
            getattr(own_tests, name)()
        except Exception as error:
            _, line, text = getattr(error, "where", None) or ("", "", "")
            failed.append(f"{name}, line {line} ({text})" if line else name)
    return failed


@pytest.fixture
def names(own_tests, stdlib):
    """The names of your tests."""
    return [name for name in stdlib("builtins").dir(own_tests) if name.startswith("test_")]


@pytest.fixture
def own_tests_on(program_with):
    """Your tests, with another table in place of yours."""

    def exchange(correct):
        if not WHEATS:
            pytest.skip("only the grader has other tables to try")
        return program_with(table=WHEATS[correct], console="").module("own_tests")

    return exchange


@pytest.mark.task("test-the-table")
def test_there_are_tests_and_they_pass(own_tests, names):
    """Your tests pass on your own table, and there are at least five of them.

    If one fails, either the test is wrong or the table is.
    """
    assert failing(own_tests, names) == []
    assert len(names) >= 5


@pytest.mark.task("test-the-table")
@pytest.mark.parametrize("correct", [*WHEATS] or ["A correct table."])
def test_they_pass_on_every_correct_table(own_tests_on, names, correct):
    """Your tests pass on every table that does what the brief says, however it is written.

    The tests named here fail on the correct table that is described, so they ask for more than the
    brief promises: an order of cards where it promises none, the words of an error, a variable's
    name.
    """
    assert failing(own_tests_on(correct), names) == []
