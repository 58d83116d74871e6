"""Who gains or loses, and what there was before, as tables in 80 columns."""

import io

import pytest
from hearts_course.grading.changes import Change, TestChange
from hearts_course.grading.history import HistoryEntry
from hearts_course.reports.changes import changes_shown, totals
from hearts_course.reports.history import history_shown
from hearts_course.results import Status
from rich.console import Console


def rows(what):
    console = Console(file=io.StringIO(), width=80)
    console.print(what)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    return [" ".join(line.split()) for line in lines]


def moved(name, gains=False):
    what = "passes now" if gains else "passes no longer"
    return TestChange(f"test_x.py::{name}", f"About {name}.", what, gains)


def change(student, before, after, *tests, why=("suite",)):
    return Change(student, "01-coins", why, before, after, 6, tests)


def test_students_are_shown_with_the_tests_that_moved_them_and_tests_with_their_students():
    shown = rows(
        changes_shown(
            [
                change("ada", 3, 5, moved("a", True), moved("b")),
                change("bob", 4, 3.5, moved("b")),
                change("cyd", 2, 2, moved("c"), moved("d", True)),
            ]
        )
    )
    assert "ada 01-coins 3 → 5 of 6 +2 a" in shown
    assert "bob 01-coins 4 → 3.5 of 6 -0.5 b" in shown
    assert not any(row.startswith("cyd") for row in shown)
    assert "test_x.py::b 2 passes no longer About b." in shown
    assert "test_x.py::a 1 passes now About a." in shown
    assert shown[-1] == "1 gain, 1 lose, 1 keep their score, since the suite changed"


def test_of_many_tests_a_few_are_named_and_none_where_only_points_changed():
    many = [moved(name) for name in "abcde"]
    shown = rows(changes_shown([change("ada", 3, 1, *many), change("bob", 3, 2)]))
    assert "ada 01-coins 3 → 1 of 6 -2 a, b, c and 2 more" in shown
    assert "bob 01-coins 3 → 2 of 6 -1 no test; what tasks are worth" in shown
    assert sum(row.startswith("test_x.py::") for row in shown) == 5


def test_everything_that_changed_is_named_once():
    changes = [change("ada", 1, 1, why=("limits", "tool")), change("bob", 1, 1, why=("tool",))]
    assert totals(changes) == (
        "0 gain, 0 lose, 2 keep their score, since the limits and the tool changed"
    )


def test_what_students_wrote_is_neither_markup_nor_escape():
    topic = TestChange("test_x", "[red]\x1b[2J", "passes now", True)
    shown = "\n".join(rows(changes_shown([change("[b]ada\x1b", 1, 2, topic)])))
    assert "[b]ada\\x1b" in shown
    assert "[red]\\x1b[2J" in shown


@pytest.mark.parametrize(
    ("why", "reason"),
    [
        (("first",), "graded for the first time"),
        (("again",), "graded again, with nothing changed"),
        (("submission", "limits"), "the submission and the limits changed"),
        (("sandbox",), "the sandbox changed"),
    ],
)
def test_a_history_tells_when_how_much_and_why(why, reason):
    when, test = "2026-03-01T12:00:00+00:00", moved("a", True)
    entry = HistoryEntry(when, Status.GRADED, "mind \x1b", 2.5, 6, "bwrap", why, (test,), None)
    shown = rows(history_shown([entry]))
    assert any(row.startswith("2026-03-01") and row.endswith(f"2.5 of 6 {reason}") for row in shown)
    assert "mind \\x1b" in shown
    assert "+ test_x.py::a passes now: About a." in shown


def test_a_history_tells_what_could_not_be_graded():
    when = "2026-03-01T12:00:00+00:00"
    entry = HistoryEntry(when, Status.UNREADABLE, "rename it", 0, 6, "bwrap", ("first",), (), None)
    assert rows(history_shown([entry]))[3].endswith("graded for the first time: unreadable")
