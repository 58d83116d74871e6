"""How much time the tests of a run may use, whatever else the machine does."""

from types import SimpleNamespace
from typing import Any

import pytest
from hearts_course.course import Stage, find_course
from hearts_course.testing.experience import Experience
from hearts_course.testing.job import Job, Unreachable
from hearts_course.testing.reference import Reference
from hearts_course.testing.run import Run
from hearts_course.testing.suite import Suite
from hearts_course.testing.time_budget import SharedTry, TimeBudget, short
from hearts_course.testing.verdicts import Verdicts

STAGES = find_course().stages
COUNTED = find_course().counted


def a_test(task: str = "one", seconds: float | None = None) -> Any:
    return SimpleNamespace(task=task, seconds=seconds)


@pytest.mark.parametrize(
    ("first", "second"),
    [((29, 90), (1.1, 1.1)), ((0, 149), (0, 6))],
    ids=["processor time", "a fifth of the time by the clock"],
)
def test_a_test_costs(first: tuple[float, float], second: tuple[float, float]) -> None:
    time = TimeBudget(30, 2)
    time.charge(*first)
    assert not time.is_used_up()
    time.charge(*second)
    assert time.is_used_up()


def test_after_two_timeouts_a_task_s_tests_get_a_tenth_of_their_time() -> None:
    time = TimeBudget(30, 2)
    limits = []
    for _ in range(4):
        limits.append(time.limit(a_test()))
        time.charge_timeout("one", limits[-1], 6)
    assert limits == [2, 2, 0.2, 0.2]
    assert time.limit(a_test("two")) == 2
    assert time.shortened == {"one"}


def test_the_first_two_timeouts_of_a_task_are_free() -> None:
    time = TimeBudget(1, 2)
    for task in ("one", "one", "two", "two", "three", "three"):
        time.charge_timeout(task, 2, 6)
    assert time.limit(a_test("four", seconds=60)) == 2
    time.charge_timeout("one", 0.9, 0.9)
    assert not time.is_used_up()
    time.charge_timeout("one", 0.2, 1)
    assert time.is_used_up()


def test_a_test_with_its_own_limit_gets_no_more_than_is_left() -> None:
    time = TimeBudget(30, 2)
    assert time.limit(a_test(seconds=10)) == 10
    time.charge_timeout("one", 10, 30)
    assert time.limit(a_test(seconds=60)) == 22
    time.charge_timeout("one", 10, 30)
    assert time.limit(a_test(seconds=10)) == 1


def test_a_try_beside_others_is_free_if_the_test_passes_alone() -> None:
    time = TimeBudget(10, 2)
    tried = SharedTry(cpu_seconds=9, clock_seconds=9)
    for passed_alone in (True, True, False, True):
        time.charge_shared_try(tried, passed_alone=passed_alone)
    assert not time.is_used_up()
    # One more try exceeds the 30 s that are free for all tries together.
    time.charge_shared_try(tried, passed_alone=True)
    assert time.is_used_up()


def test_tests_share_no_process_after_two_that_were_slow_only_there() -> None:
    time = TimeBudget(10, 2)
    quick = SharedTry()
    slow = SharedTry(timed_out=True)
    sharing = []
    for tried, passed_alone in ((quick, True), (slow, False), (slow, True), (slow, True)):
        time.charge_shared_try(tried, passed_alone=passed_alone)
        sharing.append(time.may_share)
    assert sharing == [True, True, True, False]


def test_the_first_imports_are_free() -> None:
    time = TimeBudget(10, 2)
    for _ in range(30):
        time.refund_import(1.0)
        time.charge(1.0, 1.0)
    time.charge(9.0, 9.0)
    assert not time.is_used_up()
    time.refund_import(1.0)
    time.charge(1.5, 1.5)
    assert time.is_used_up()


@pytest.mark.parametrize(("seconds", "part"), [(10, 1), (2, 0.2), (0.5, 0.1), (0.05, 0.05)])
def test_a_short_time_has_a_minimum(seconds: float, part: float) -> None:
    assert short(seconds) == part


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_every_test_runs_even_if_all_time_out(stage: Stage) -> None:
    time = TimeBudget(stage.limits.submission_seconds, stage.limits.test_seconds)
    tests = 0
    for test in in_order(stage):
        assert not time.is_used_up(), f"only {tests} tests run before {test.name}"
        time.charge_timeout(test.task, time.limit(test), 0)
        tests += 1
    assert tests > len(stage.tasks)


@pytest.mark.parametrize(
    "stage", [stage for stage in COUNTED if stage.name[:2] in ("04", "05")], ids=lambda s: s.name
)
def test_a_brief_states_the_real_limits(stage: Stage) -> None:
    limits = stage.limits
    brief = " ".join((stage.assignment / "README.md").read_text(encoding="utf-8").split())
    assert f"{limits.test_seconds:g} seconds for a normal check" in brief
    assert f"{limits.submission_seconds:g} seconds for all checks together." in brief
    own = [test for test in in_order(stage) if test.seconds]
    trying = {test.seconds for test in own if "program_with" in test.fixtures}
    playing = {test.seconds for test in own} - trying
    assert not playing or f"{max(playing):g} seconds for one that plays a game" in brief
    assert not trying or f"{max(trying):g} seconds for one that runs your own tests" in brief


def in_order(stage: Stage) -> Any:
    """Return the stage's tests in the order in which the grader runs them."""
    job = Job(Unreachable("nothing to run"))
    suite = Suite(stage, [*stage.visible_tests, *stage.hidden_tests])
    suite.collect()
    run = Run(job, suite, Experience(Reference(suite)), Verdicts(stage))
    return [test for group in run.groups() for test in group]
