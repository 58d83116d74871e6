"""A function that loops or sleeps costs what one that raises costs, on a busy machine too."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hearts_course.course import Stage, find_course
from hearts_course.grading.grade import GradeJob, grade_one
from hearts_course.results import Outcome, Result
from hearts_course.submissions.model import Submission
from hearts_course.testing.outcomes import timeout_notes
from tiny_course import REFERENCE, STAGE_TOML, write_stage

RAISE, LOOP, SLEEP = "raise NotImplementedError", "while True: pass", "import time; time.sleep(100)"
QUICK = 0.5  # seconds for a test, so that a loop costs a quarter of what it costs in the course
BLANKS = [
    pytest.param(stage, name, id=f"{stage.name}-{name}")
    for stage in find_course().stages
    for name in dict.fromkeys(name for task in stage.tasks for name in task.blanks)
]
EVERY = 12  # of the blanks, one is tried for each change
FEW = [case for case in BLANKS if case.id in ("01-cards-Card.parse", "01-cards-Hand.remove")]


def is_asked(case: Any) -> bool:
    """Whether tests of the suite call it: a student's own test that never ends costs all others."""
    return not case.values[1].startswith("test_")


def spoilt(source: str, name: str, body: str) -> str:
    """The source with another body for the function, or for what makes the class's objects."""
    tree = ast.parse(source)
    for node in _named(tree.body, name):
        if isinstance(node, ast.ClassDef):
            node.body += ast.parse(f"def __new__(cls, *values, **named):\n    {body}").body
        else:
            node.body = ast.parse(body).body
    return ast.unparse(tree)


def _named(body: list[ast.stmt], name: str) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    first, _, rest = name.partition(".")
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == first:
            if not rest:
                yield node
            elif isinstance(node, ast.ClassDef):
                yield from _named(node.body, rest)


def grade(stage: Stage, modules: dict[str, str]) -> Result:
    return grade_one(GradeJob(stage, Submission("ada", stage.name, modules)))


def with_body(stage: Stage, name: str, body: str) -> Result:
    """The result of the reference with another body for one of its blanks, in little time."""
    quick = replace(stage, limits=replace(stage.limits, test_seconds=QUICK))
    return grade(quick, {m: spoilt(text, name, body) for m, text in stage.reference().items()})


def differing(raising: Result, looping: Result) -> list[tuple[str, str]]:
    """The tests that pass with one of the programs only, and how they end with the looping one."""
    before = {test.name: test.outcome for task in raising.tasks for test in task.tests}
    return [
        (test.name, test.outcome)
        for task in looping.tasks
        for test in task.tests
        if (test.outcome is Outcome.PASSED) != (before[test.name] is Outcome.PASSED)
    ]


@contextmanager
def every_core_busy() -> Iterator[None]:
    command = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(command) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.parametrize(("stage", "name"), FEW)
def test_a_loop_costs_what_an_exception_costs(stage: Stage, name: str) -> None:
    raising, looping = with_body(stage, name, RAISE), with_body(stage, name, LOOP)
    assert differing(raising, looping) == []
    assert raising.score == looping.score < stage.points


@pytest.mark.alone
@pytest.mark.parametrize(("stage", "name"), FEW)
def test_it_does_so_with_every_core_busy(stage: Stage, name: str) -> None:
    raising = with_body(stage, name, RAISE)
    with every_core_busy():
        looping = with_body(stage, name, LOOP)
    assert differing(raising, looping) == []
    assert raising.score == looping.score


@pytest.mark.proof
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("stage", "name"), [*filter(is_asked, BLANKS[::EVERY])])
def test_a_loop_in_some_blanks_costs_what_an_exception_costs(stage: Stage, name: str) -> None:
    check(stage, name)


@pytest.mark.exhaustive
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("stage", "name"), [*filter(is_asked, BLANKS)])
def test_a_loop_in_any_blank_costs_what_an_exception_costs(stage: Stage, name: str) -> None:
    check(stage, name)


def check(stage: Stage, name: str) -> None:
    """A test that passes in spite of an exception may call the loop: then it times out itself."""
    raising, looping = with_body(stage, name, RAISE), with_body(stage, name, LOOP)
    assert {outcome for _, outcome in differing(raising, looping)} <= {Outcome.TIMEOUT}
    outcomes = [test.outcome for task in looping.tasks for test in task.tests]
    assert Outcome.NOT_REACHED not in outcomes


TESTS = '''\
import pytest

@pytest.mark.task("{task}")
@pytest.mark.parametrize("number", range(8))
def test_{task}(coins, number):
    """A coin is worth something.

    Try: Coin("penny").worth
    """
    assert number % 2 or coins.slow()
'''
MESSAGE = (
    "in 4 of 17 tests the program took longer than 0.3 s; "
    "in 4 of 17 tests the program took longer than 0.1 s; "
    "after two timeouts the other tests of tasks 1 and 2 had a tenth of their time"
)
LIMITS = '[limits]\ntest_seconds = 0.3\nsubmission_seconds = 3\n\n[[task]]\nid = "worth"'


@pytest.fixture(name="stage", scope="module")
def _stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """Half the tests of two of its tasks call a function of their own, `slow`."""
    return write_stage(
        tmp_path_factory.mktemp("course"),
        STAGE_TOML=STAGE_TOML.replace('[[task]]\nid = "worth"', LIMITS, 1),
        VISIBLE=TESTS.format(task="worth")
        + TESTS.format(task="purse").removeprefix("import pytest"),
    )


@pytest.mark.parametrize("body", [RAISE, LOOP, SLEEP])
def test_only_the_tests_that_call_it_fail_and_the_message_says_why(stage: Stage, body: str) -> None:
    result = grade(stage, {"coins": f"{REFERENCE}\n\ndef slow():\n    {body}\n"})
    assert [task.score for task in result.tasks] == [1.0, 1.5, 1.0]
    passed = [test.outcome is Outcome.PASSED for test in result.tasks[0].tests]
    assert passed == [False, True] * 4
    assert result.message == ("" if body == RAISE else MESSAGE)


def test_what_builds_on_a_loop_is_told_where_to_begin() -> None:
    stage = find_course().stages[0]
    names = [task.id for task in stage.tasks]
    assert timeout_notes(stage, {names[0], names[2], names[3]}, set()) == [
        "tasks 3 and 4 build on task 1, which timed out: fix that first"
    ]
    assert timeout_notes(stage, {names[2], names[3]}, {names[3]}) == [
        "after two timeouts the other tests of task 4 had a tenth of their time",
        "task 4 builds on task 3, which timed out: fix that first",
    ]
    assert timeout_notes(stage, {names[1]}, set()) == []


def test_a_script_that_loops_has_the_processor_time_of_its_test(tmp_path: Path) -> None:
    visible = TESTS.format(task="worth").replace("(coins,", "(run,")
    stage = write_stage(
        tmp_path,
        STAGE_TOML=STAGE_TOML.replace('[[task]]\nid = "worth"', LIMITS, 1),
        VISIBLE=visible.replace("coins.slow()", 'run("coins").status'),
    )
    result = grade(stage, {"coins": f'{REFERENCE}\nif __name__ == "__main__":\n    {LOOP}\n'})
    assert "the program used up its time" in result.message
    assert [test.outcome for test in result.tasks[0].tests] == ["timeout", "passed"] * 4
