"""Tables on the terminal fit 80 columns; a student's words are never markup or escape codes."""

import io
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hearts_course.results import Status
from hearts_grader.grading.history import Change, HistoryEntry, TestChange
from hearts_grader.reports.terminal import (
    _lines,
    bar,
    changes_table,
    follow,
    history_table,
    in_words,
    results_table,
)
from rich.console import Console
from tiny_class import result


def printed(what):
    console = Console(file=(out := io.StringIO()), width=80)
    console.print(what)
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    return text


def moved(name, gains=False):
    kind = "passes now" if gains else "passes no longer"
    return TestChange(f"test_x.py::{name}", f"About {name}.", kind, gains)


def change(student, before, after, *tests, why=("suite",)):
    return Change(student, "01-coins", why, before, after, 6, tests)


def expect(name, *tables):
    """Assert that the tables are printed as in the file `pages/NAME.txt`."""
    expected = Path(__file__).with_name("pages") / f"{name}.txt"
    shown = "".join(
        f"{line.rstrip()}\n" for table in tables for line in printed(table).splitlines()
    )
    assert shown == expected.read_text(encoding="utf-8")


def test_a_class_has_a_row_for_each_submission_and_names_missing_ones_apart(course):
    """The table shows every word of a message, and a student's words as plain text."""
    absent = ["dan", *(f"s{number:02}" for number in range(11))]
    results = [
        result(course, "ada", message=" ".join(f"word{number}" for number in range(40))),
        result(course, "x" * 40, status=Status.UNREADABLE, message="rename it"),
        result(course, "[red]a", status=Status.GRADER_ERROR, message="\x1b[2J [bold]x\nnew line"),
        *(result(course, student, status=Status.MISSING) for student in absent),
    ]
    expect("class", results_table(results), results_table([]))


def test_the_longest_name_of_a_stage_stays_in_one_line(course):
    """That name is `04-console-game`, and the terminal has 80 columns."""
    long_result = replace(result(course, "x" * 30, message="a word " * 30), stage="04-console-game")
    lines = printed(
        results_table([long_result, replace(long_result, stage="05-full-hearts")])
    ).splitlines()
    assert sum("04-console-game " in line for line in lines) == 1


@pytest.mark.parametrize(
    ("score", "shown"),
    [(0, "........"), (0.01, "#......."), (3, "####...."), (5.99, "#######."), (6, "########")],
)
def test_only_full_points_fill_the_bar(course, score, shown):
    assert bar(replace(result(course, "ada"), score=score)) == shown


def test_changes_show_students_with_their_tests_and_tests_with_the_number_of_students():
    topic = TestChange("test_x", "[red]\x1b[2J", "passes now", True)
    changes = [
        change("ada", 3, 5, moved("a", True), moved("b")),
        change("bob", 4, 3.5, moved("b")),
        change("cyd", 2, 2, moved("c"), moved("d", True)),
        change("dan", 3, 1, *map(moved, "efghi")),
        change("eve", 3, 2, why=("suite", "tool")),
        change("[b]fay\x1b", 1, 2, topic),
    ]
    expect("changes", changes_table(changes))


def test_a_history_says_when_how_much_and_why(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    when = "2026-03-01T12:00:00+00:00"
    test = moved("a", True)
    ends = {
        ("first",): Status.GRADED,
        ("again",): Status.GRADED,
        ("submission", "limits"): Status.GRADED,
        ("sandbox",): Status.UNREADABLE,
    }
    entries = [
        HistoryEntry(when, status, "mind \x1b", 2.5, 6, "bwrap", why, (test,), None)
        for why, status in ends.items()
    ]
    expect("history", history_table(entries))
    monkeypatch.undo()
    time.tzset()


def test_without_a_terminal_progress_is_a_line_now_and_then():
    console = Console(file=(out := io.StringIO()), width=80)
    clock = iter([0, 9, 11, 13, 25, 26]).__next__
    assert list(_lines("abcde", 5, console, clock)) == list("abcde")
    assert out.getvalue() == "2 of 5 graded\n4 of 5 graded, about 6 s left\n"


def test_a_slow_first_result_makes_no_estimate():
    console = Console(file=(out := io.StringIO()), width=80)
    assert list(_lines("ab", 2, console, iter([0, 60, 61]).__next__)) == ["a", "b"]
    assert out.getvalue() == "1 of 2 graded\n"


@pytest.mark.parametrize(
    ("known_times", "words"),
    [
        ({}, ""),
        (
            {"usual_seconds": 110, "max_seconds": 7000},
            "; usually about 110 s; at most 117 min, if every program uses up all its time",
        ),
    ],
)
def test_the_expected_time_is_said_first(known_times, words):
    console = Console(file=(out := io.StringIO()), width=120)
    assert list(follow("ab", 2, console, 1, **known_times)) == list("ab")
    assert out.getvalue() == f"2 to grade, 1 at a time{words}\n"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (0.2, "1 s"), (119, "119 s"), (120, "2 min"), (121, "3 min"), (9000, "3 h")],
)
def test_times_are_rounded_up(seconds, words):
    assert in_words(seconds) == words


def test_on_a_terminal_a_bar_moves(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    console = Console(file=(out := io.StringIO()), width=80, force_terminal=True)
    assert list(follow("abc", 3, console, 2, 90)) == list("abc")
    assert "3/3" in out.getvalue()
