"""Every result that a submission ever had is told, once, and what became of its tests."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hearts_course.grading import history
from hearts_course.grading.cache import CacheKey
from hearts_course.grading.history import TestChange, compare
from hearts_course.grading.store import Record
from hearts_course.results import Outcome, Status
from tiny_class import course_with_starter, result

PASSED, FAILED = "passed", "failed"
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


def test_results_are_told_in_order_with_the_reason(course, path):
    history.add(path, record(course, 1))
    history.add(path, record(course, 2, replace(KEY, submission="new")), (WORTH,))
    history.add(path, record(course, 2, replace(KEY, suite="new", limits="new")))
    other = record(course, 2, replace(KEY, suite="new", limits="new"))
    history.add(path, replace(other, result=replace(other.result, sandbox="bwrap")))
    entries = history.read_history(path)
    assert [(entry.score, entry.why) for entry in entries] == [
        (2.0, ("first",)),
        (3.0, ("submission",)),
        (3.0, ("submission", "suite", "limits")),
        (3.0, ("sandbox",)),
    ]
    assert entries[1].tests == (WORTH,)
    now = datetime.now(UTC)
    assert now - timedelta(minutes=1) < datetime.fromisoformat(entries[0].when) <= now


def test_the_same_is_told_once(course, path):
    for _ in range(2):
        history.add(path, record(course))
    assert len(history.read_history(path)) == 1


def test_a_fault_of_ours_and_the_result_after_it_are_told(course, path):
    history.add(path, record(course, status=Status.GRADER_ERROR, message="died"))
    history.add(path, record(course))
    failed, graded = history.read_history(path)
    assert (failed.status, failed.message) == (Status.GRADER_ERROR, "died")
    assert (graded.status, graded.why) == (Status.GRADED, ("again",))


@pytest.mark.parametrize("damage", ["half a li", '{"when": 1}\n', "[]\n", "\xff\n", "\n"])
def test_what_somebody_has_damaged_is_kept_and_passed_over(course, path, damage):
    history.add(path, record(course))
    with path.open("a") as file:
        file.write(damage)
    text = path.read_text()
    history.add(path, record(course, 1, replace(KEY, submission="new")))
    assert path.read_text().startswith(text)
    assert [entry.why for entry in history.read_history(path)] == [("first",), ("submission",)]


def test_before_anything_was_told_there_is_nothing(path):
    assert history.read_history(path) == []


def with_tests(course, **outcomes):
    """A result whose first task has these tests."""
    whole = result(course, "ada")
    task = whole.tasks[0]
    tests = tuple(
        replace(task.tests[0], name=name, outcome=Outcome(how)) for name, how in outcomes.items()
    )
    return replace(whole, tasks=(replace(task, tests=tests), *whole.tasks[1:]))


def test_tests_that_changed_a_score_are_found(course):
    before = with_tests(
        course, a="passed", b="failed", c="passed", d="timeout", e="passed", f="failed"
    )
    after = with_tests(
        course, a="passed", b="timeout", c="crashed", d="passed", g="passed", h="failed"
    )
    change = compare(replace(before, score=4.0), replace(after, score=2.5), ("suite",))
    assert (change.difference, change.before, change.after) == (-1.5, 4.0, 2.5)
    assert [(test.name, test.what, test.gains) for test in change.tests] == [
        ("c", "passes no longer", False),
        ("d", "passes now", True),
        ("e", "is gone and had passed", False),
        ("f", "is gone and had not passed", True),
        ("g", "is new and passes", True),
        ("h", "is new and does not pass", False),
    ]


def test_the_same_result_has_no_change(course):
    change = compare(result(course, "ada"), result(course, "ada"))
    assert (change.difference, change.tests) == (0, ())
