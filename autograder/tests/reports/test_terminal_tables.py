"""Tables on the terminal fit 80 columns; a student's words are neither markup nor escape."""

import io
from dataclasses import replace

import pytest
from hearts_course.grading.history import Change, HistoryEntry, TestChange
from hearts_course.reports.terminal import (
    _lines,
    bar,
    changes_table,
    class_totals,
    follow,
    history_table,
    in_words,
    results_table,
)
from hearts_course.results import Status
from rich.console import Console
from tiny_class import result


def printed(what):
    console = Console(file=io.StringIO(), width=80)
    console.print(what)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    return text


def rows(what):
    return [" ".join(line.split()) for line in printed(what).splitlines()]


def moved(name, gains=False):
    what = "passes now" if gains else "passes no longer"
    return TestChange(f"test_x.py::{name}", f"About {name}.", what, gains)


def change(student, before, after, *tests, why=("suite",)):
    return Change(student, "01-coins", why, before, after, 6, tests)


def test_a_class_has_a_row_for_each_submission_and_counts_missing_ones_apart(course):
    named = "nothing was handed in.ipynb was read as 01-coins.ipynb"
    shown = rows(
        results_table(
            [
                result(course, "ada", message=named),
                result(course, "bob", status=Status.UNREADABLE, message="rename it"),
                result(course, "cyd", status=Status.GRADER_ERROR, message="died"),
                result(course, "dan", status=Status.MISSING, message="nothing was handed in"),
            ]
        )
    )
    assert "ada 3/6 ####.... graded: nothing was handed in.ipynb was read as" in shown
    assert "bob 0/6 unreadable: rename it" in shown
    assert "cyd 0/6 grader error: died" in shown
    assert not any(row.startswith("dan") for row in shown)
    assert shown[-1] == (
        "1 graded, 1 missing, 1 unreadable, 1 grader error; mean of the graded: 50 %"
    )
    assert class_totals([]) == "0 graded, 0 missing, 0 unreadable, 0 grader errors"


def test_the_class_table_loses_no_word_and_a_students_words_are_plain_text(course):
    words = [f"word{number}" for number in range(40)]
    text = printed(results_table([result(course, "x" * 40, message=" ".join(words))]))
    assert all(word in text for word in words)
    text = printed(results_table([result(course, "[red]a", message="\x1b[2J [bold]x\nnew line")]))
    assert "[red]a" in text
    assert "\\x1b[2J [bold]x new line" in text


@pytest.mark.parametrize(
    ("score", "shown"),
    [(0, "........"), (0.01, "#......."), (3, "####...."), (5.99, "#######."), (6, "########")],
)
def test_only_full_points_fill_the_bar(course, score, shown):
    assert bar(replace(result(course, "ada"), score=score)) == shown


def test_changes_show_students_with_their_tests_and_tests_with_the_number_of_students():
    topic = TestChange("test_x", "[red]\x1b[2J", "passes now", True)
    many = [moved(name) for name in "efghi"]
    changes = [
        change("ada", 3, 5, moved("a", True), moved("b")),
        change("bob", 4, 3.5, moved("b")),
        change("cyd", 2, 2, moved("c"), moved("d", True)),
        change("dan", 3, 1, *many),
        change("eve", 3, 2, why=("suite", "tool")),
        change("[b]fay\x1b", 1, 2, topic),
    ]
    shown = rows(changes_table(changes))
    assert "ada 01-coins 3 → 5 of 6 +2 a" in shown
    assert "bob 01-coins 4 → 3.5 of 6 -0.5 b" in shown
    assert "dan 01-coins 3 → 1 of 6 -2 e, f, g and 2 more" in shown
    assert "eve 01-coins 3 → 2 of 6 -1 no test; the points of tasks" in shown
    assert "[b]fay\\x1b 01-coins 1 → 2 of 6 +1 test_x" in shown
    assert not any(row.startswith("cyd") for row in shown)
    assert "test_x.py::b 2 passes no longer About b." in shown
    assert "test_x 1 passes now [red]\\x1b[2J" in shown
    assert shown[-1] == "2 gain, 3 lose, 1 keep their score, because the suite and the tool changed"


@pytest.mark.parametrize(
    ("why", "status", "reason"),
    [
        (("first",), Status.GRADED, "graded for the first time"),
        (("again",), Status.GRADED, "graded again, nothing changed"),
        (("submission", "limits"), Status.GRADED, "the submission and the limits changed"),
        (("sandbox",), Status.UNREADABLE, "the sandbox changed: unreadable"),
    ],
)
def test_a_history_says_when_how_much_and_why(why, status, reason):
    when, test = "2026-03-01T12:00:00+00:00", moved("a", True)
    entry = HistoryEntry(when, status, "mind \x1b", 2.5, 6, "bwrap", why, (test,), None)
    shown = rows(history_table([entry]))
    assert any(row.startswith("2026-03-01") and row.endswith(f"2.5 of 6 {reason}") for row in shown)
    assert "mind \\x1b" in shown
    assert "+ test_x.py::a passes now: About a." in shown


def test_without_a_terminal_progress_is_a_line_now_and_then():
    console = Console(file=io.StringIO(), width=80)
    clock = iter([0, 4, 11, 12, 22]).__next__
    assert list(_lines("abcd", 4, console, clock)) == list("abcd")
    assert console.file.getvalue() == (
        "2 of 4 graded, about 11 s left\n4 of 4 graded, about 0 s left\n"
    )


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, ""),
        (
            {"usual_seconds": 110, "max_seconds": 7000},
            "; usually about 110 s; at most 117 min, if every program uses up all its time",
        ),
    ],
)
def test_the_expected_time_is_said_first(known, words):
    console = Console(file=io.StringIO(), width=120)
    assert list(follow("ab", 2, console, 1, **known)) == list("ab")
    assert console.file.getvalue() == f"2 to grade, 1 at a time{words}\n"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (0.2, "1 s"), (119, "119 s"), (120, "2 min"), (121, "3 min"), (9000, "3 h")],
)
def test_times_are_rounded_up(seconds, words):
    assert in_words(seconds) == words


def test_on_a_terminal_a_bar_moves():
    console = Console(file=io.StringIO(), width=80, force_terminal=True)
    assert list(follow("abc", 3, console, 2, 90)) == list("abc")
    assert "3/3" in console.file.getvalue()
