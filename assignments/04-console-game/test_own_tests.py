"""Visible checks of stage 04: your own tests, tried on your own table and on other correct ones."""

from pathlib import Path

import pytest

GAMES = Path(__file__).parents[2] / "autograder" / "04-console-game" / "games" / "wheats"
WHEATS = sorted(GAMES.glob("*/table.py"))


def failing(own_tests, names):
    """The names of those tests that do not pass."""
    failed = []
    for name in names:
        try:
            getattr(own_tests, name)()
        except Exception:
            failed.append(name)
    return failed


@pytest.fixture
def names(own_tests, stdlib):
    """The names of your tests."""
    return [name for name in stdlib("builtins").dir(own_tests) if name.startswith("test_")]


@pytest.fixture
def own_tests_on(program_with):
    """Your tests, with another table in place of yours."""

    def exchange(game):
        if not WHEATS:
            pytest.skip("only the grader has other tables to try")
        table = WHEATS[game].read_text(encoding="utf-8")
        return program_with(table=table, console="").module("own_tests")

    return exchange


@pytest.mark.task("test-the-table")
def test_there_are_tests_and_they_pass(own_tests, names):
    """Your tests pass on your own table, and there are at least five of them.

    If one fails, either the test is wrong or the table is.
    """
    assert failing(own_tests, names) == []
    assert len(names) >= 5


@pytest.mark.task("test-the-table")
@pytest.mark.parametrize("game", range(len(WHEATS) or 1))
def test_they_pass_on_every_correct_table(own_tests_on, names, game):
    """Your tests pass on every table that does what the brief says, however it is written.

    The tests named here fail on a table that is correct, so they ask for more than the brief
    promises: an order of cards where it promises none, the words of an error, a variable's name.
    """
    assert failing(own_tests_on(game), names) == []
