"""The history of a submission's results, and what a new result changes."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hearts_course.results import Outcome, Status
from hearts_grader.grading import history
from hearts_grader.grading.cache import CacheKey
from hearts_grader.grading.history import TestChange, change_between
from hearts_grader.grading.records import Record
from tiny_class import course_with_starter, result

P = "passed"
F = "failed"
KEY = CacheKey("a", "b", "c", "d")
WORTH = TestChange("test_worth[0]", "A dime is worth ten pence.", "passes now", True)


@pytest.fixture
def course(tmp_path):
    return course_with_starter(tmp_path / "course")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "history/ada/01-coins.jsonl"


def record(course, passing=2, key=KEY, **more):
    return Record(result(course, "ada", passing, **more), key)


def test_entries_are_in_order_with_time_and_reason(course, path):
    history.add(path, record(course, 1))
    history.add(path, record(course, 2, replace(KEY, submission="new")), (WORTH,))
    history.add(path, record(course, 2, replace(KEY, suite="new", limits="new")))
    regraded = record(course, 2, replace(KEY, suite="new", limits="new"))
    history.add(path, replace(regraded, result=replace(regraded.result, sandbox="bwrap")))
    entries = history.read_history(path)
    assert [(entry.score, entry.why) for entry in entries] == [
        (2.0, ("first",)),
        (3.0, ("submission",)),
        (3.0, ("submission", "suite", "limits")),
        (3.0, ("sandbox",)),
    ]
    assert entries[1].tests == (WORTH,)
    current_time = datetime.now(UTC)
    assert (
        current_time - timedelta(minutes=1)
        < datetime.fromisoformat(entries[0].when)
        <= current_time
    )


def test_the_same_result_is_added_once(course, path):
    assert history.read_history(path) == []
    for _ in range(2):
        history.add(path, record(course))
    assert len(history.read_history(path)) == 1


def test_a_grader_error_and_the_next_result_are_added(course, path):
    history.add(path, record(course, status=Status.GRADER_ERROR, message="died"))
    history.add(path, record(course))
    failed, graded = history.read_history(path)
    assert (failed.status, failed.message) == (Status.GRADER_ERROR, "died")
    assert (graded.status, graded.why) == (Status.GRADED, ("again",))


@pytest.mark.parametrize("damage", ["half a li", '{"when": 1}\n', "[]\n", "\xff\n", "\n"])
def test_damaged_lines_are_kept_and_skipped(course, path, damage):
    history.add(path, record(course))
    with path.open("a") as file:
        file.write(damage)
    text = path.read_text()
    history.add(path, record(course, 1, replace(KEY, submission="new")))
    assert path.read_text().startswith(text)
    assert [entry.why for entry in history.read_history(path)] == [("first",), ("submission",)]


def with_tests(course, **outcomes):
    """Return a result whose first task has only these tests, with these outcomes."""
    full_result = result(course, "ada")
    task = full_result.tasks[0]
    tests = tuple(
        replace(task.tests[0], name=name, outcome=Outcome(how)) for name, how in outcomes.items()
    )
    return replace(full_result, tasks=(replace(task, tests=tests), *full_result.tasks[1:]))


def test_a_change_names_the_tests_behind_it(course):
    old_result = with_tests(course, a=P, b=F, c=P, d="timeout", e=P, f=F)
    new_result = with_tests(course, a=P, b="timeout", c="crashed", d=P, g=P, h=F)
    change = change_between(
        replace(old_result, score=4.0), replace(new_result, score=2.5), ("suite",)
    )
    assert (change.difference, change.before, change.after) == (-1.5, 4.0, 2.5)
    assert [(test.name, test.what, test.gains) for test in change.tests] == [
        ("c", "passes no longer", False),
        ("d", "passes now", True),
        ("e", "is gone and had passed", False),
        ("f", "is gone and had not passed", True),
        ("g", "is new and passes", True),
        ("h", "is new and does not pass", False),
    ]
    assert change_between(old_result, old_result).tests == ()
