"""Visible checks of stage 04: your own tests, tried on your own table and on other correct ones."""

import ast
from pathlib import Path

import pytest

GAMES = Path(__file__).parents[2] / "autograder" / "04-console-game" / "games" / "wheats"
CORRECT = {
    ast.get_docstring(ast.parse(text)).splitlines()[0]: text
    for text in (path.read_text(encoding="utf-8") for path in sorted(GAMES.glob("*/table.py")))
}
WIDEST, MOST = 50, 3  # characters of a line, and tests, that are shown


@pytest.fixture
def names(own_tests, stdlib):
    """The names of your tests."""
    return [name for name in stdlib("builtins").dir(own_tests) if name.startswith("test_")]


@pytest.fixture
def failing_on(own_tests, names, program_with, source):
    """Runs your tests on a table, your own or another; those that do not pass come back."""

    def call(table):
        if table == "your own table":
            return failing(own_tests, names, place_and_text)
        if table not in CORRECT:
            pytest.skip("only the grader has other tables to try")
        theirs = program_with(table=CORRECT[table], console="").module("own_tests")
        return failing(theirs, names, lambda error: f"{place(error)}{kind(error)}")

    def place(error):
        """The line of `own_tests` as it was handed in: a program may quote what it has read."""
        file, line, _ = getattr(error, "where", None) or ("", 0, "")
        lines = source["own_tests"].splitlines()
        known = file == "own_tests.py" and 0 < line <= len(lines)
        return f", line {line} ({shortened(lines[line - 1].strip())})" if known else ""

    return call


def failing(own_tests, names, how):
    """Each test that does not pass, and how it failed."""
    failed = []
    for name in names:
        try:
            getattr(own_tests, name)()
        except Exception as error:
            failed.append(f"{name}{how(error)}")
    return [*failed[:MOST], f"and {len(failed) - MOST} more"] if len(failed) > MOST else failed


def kind(error):
    """Of which kind the error is, if it is not that of an assert."""
    return "" if isinstance(error, AssertionError) else f": {type(error).__name__}"


def place_and_text(error):
    """The line of `own_tests` that failed, and what was raised if it was no assert."""
    file, line, text = getattr(error, "where", None) or ("", 0, "")
    where = f", line {line} ({shortened(text)})" if file == "own_tests.py" else ""
    return f"{where}{kind(error)}" + (f": {error}" if kind(error) else "")


def shortened(text):
    """As much of a line as fits in a message."""
    return text if len(text) <= WIDEST else f"{text[:WIDEST]} ..."


@pytest.mark.task("test-the-table")
def test_there_are_tests_and_they_pass(failing_on, names):
    """Your tests pass on your own table, and there are at least five of them.

    If one fails, either the test is wrong or the table is.
    """
    assert failing_on("your own table") == []
    assert len(names) >= 5


@pytest.mark.task("test-the-table")
@pytest.mark.parametrize("table", [*CORRECT] or ["A correct table."])
def test_they_pass_on_every_correct_table(failing_on, names, table):
    """Your tests pass on every table that does what the brief says, however it is written.

    The tests named here fail on the correct table that is described, so they ask for more than the
    brief promises: an order of cards where it promises none, the words of an error, a variable's
    name.
    """
    assert failing_on(table) == []
    assert len(names) >= 5
