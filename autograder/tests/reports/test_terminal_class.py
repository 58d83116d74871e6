import io
from dataclasses import replace

import pytest
from hearts_course.reports.progress import _lines, follow, spell
from hearts_course.reports.terminal import bar, summary, totals
from hearts_course.results import Status
from rich.console import Console
from tiny_class import course_with_starter, result


@pytest.fixture
def course(tmp_path):
    return course_with_starter(tmp_path)


def printed(what, width=80):
    console = Console(file=io.StringIO(), width=width)
    console.print(what)
    return console.file.getvalue()


def test_a_row_tells_student_score_bar_status_and_verdict(course):
    text = printed(
        summary(
            [
                result(course, "ada", message="coins.py counts"),
                result(course, "bob", status=Status.UNREADABLE, message="rename it"),
                result(course, "cyd", status=Status.GRADER_ERROR, message="died"),
            ]
        )
    )
    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert "ada 3/6 ####.... graded: coins.py counts" in rows
    assert "bob 0/6 unreadable: rename it" in rows
    assert "cyd 0/6 grader error: died" in rows
    assert rows[-1] == "1 graded, 1 unreadable, 1 grader error; the graded reach 50 % on average"


def test_the_table_fits_80_columns_and_loses_no_word(course):
    words = [f"word{number}" for number in range(40)]
    text = printed(summary([result(course, "x" * 40, message=" ".join(words))]))
    assert max(map(len, text.splitlines())) <= 80
    assert all(word in text for word in words)


def test_what_students_wrote_is_neither_markup_nor_escape(course):
    text = printed(summary([result(course, "[red]ada", message="\x1b[2J [bold]x\nnew line")]))
    assert "[red]ada" in text
    assert "\\x1b[2J [bold]x new line" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("score", "shown"),
    [(0, "........"), (0.01, "#......."), (3, "####...."), (5.99, "#######."), (6, "########")],
)
def test_only_full_points_fill_the_bar(course, score, shown):
    assert bar(replace(result(course, "ada"), score=score)) == shown


def test_the_totals_of_a_class_that_nobody_could_grade(course):
    line = totals([result(course, name, status=Status.GRADER_ERROR) for name in ("ada", "bob")])
    assert line == "0 graded, 0 unreadable, 2 grader errors"


def test_elsewhere_than_on_a_terminal_a_line_comes_now_and_then():
    console = Console(file=io.StringIO(), width=80)
    clock = iter([0, 4, 11, 12, 22]).__next__
    assert list(_lines("abcd", 4, console, clock)) == list("abcd")
    assert console.file.getvalue() == (
        "2 of 4 graded, about 11 s to go\n4 of 4 graded, about 0 s to go\n"
    )


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, ""),
        ({"usual_seconds": 110}, ": usually about 110 s"),
        (
            {"usual_seconds": 110, "max_seconds": 7000},
            ": usually about 110 s; at most 117 min, if every program uses up all its time",
        ),
    ],
)
def test_what_is_known_of_the_time_is_said_first(known, words):
    console = Console(file=io.StringIO(), width=120)
    assert list(follow("ab", 2, console, 1, **known)) == list("ab")
    assert console.file.getvalue() == f"2 to grade, 1 at a time{words}\n"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (0.2, "1 s"), (119, "119 s"), (120, "2 min"), (121, "3 min"), (9000, "3 h")],
)
def test_times_are_rounded_up(seconds, words):
    assert spell(seconds) == words


def test_on_a_terminal_a_bar_moves_and_goes():
    console = Console(file=io.StringIO(), width=80, force_terminal=True)
    assert list(follow("abc", 3, console, 2, 90)) == list("abc")
    assert "grading" in console.file.getvalue()
    assert "3/3" in console.file.getvalue()


def test_a_file_that_is_called_so_hides_nobody(course):
    named = {"message": "nothing was handed in.ipynb was read as 01-coins.ipynb"}
    broken = {"status": Status.UNREADABLE, "message": "nothing was handed in.zip is not a zip"}
    results = [result(course, "ada", **named), result(course, "bob", **broken)]
    rows = [" ".join(line.split()) for line in printed(summary(results)).splitlines()]
    assert "1 graded, 1 unreadable, 0 grader errors" in rows[-1]
    assert {"ada", "bob"} <= {row.partition(" ")[0] for row in rows}


def test_who_handed_in_nothing_is_counted_below_the_table(course):
    absent = {"status": Status.UNREADABLE, "message": "nothing was handed in for 01-coins"}
    results = [result(course, "ada"), result(course, "bob", **absent)]
    rows = [" ".join(line.split()) for line in printed(summary(results)).splitlines()]
    assert "01-coins: 1 handed in nothing" in rows
    assert "0 unreadable" in rows[-1]
    assert not any(row.startswith("bob") for row in rows)
