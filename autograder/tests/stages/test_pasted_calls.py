"""A student can type the lines in a visible check's message, and sees what the message says."""

import pytest
from hearts_course.course import find_course
from hearts_course.results import Outcome
from hearts_course.testing.in_process import check_program
from hearts_course.testing.runner import SuiteRunner
from hearts_grader.authoring.chaffs import load_chaffs
from pasted import problem_of, problems

COURSE = find_course()
SAMPLE = 6  # number of chaffs tried for a stage, roughly; a chaff has one mistake


def cases():
    """Yield each stage twice: with some of its chaffs, and with all (mark `exhaustive`)."""
    for stage in COURSE.stages:
        if stage.clinic:
            continue
        marks = [] if stage.name[:2] in ("01",) else [pytest.mark.proof]
        yield pytest.param(stage, SAMPLE, id=f"{stage.name}-some", marks=marks)
        yield pytest.param(stage, None, id=f"{stage.name}-all", marks=pytest.mark.exhaustive)


def failed_tests(runner, stage, task, modules):
    """Check the program, and return the task's tests that fail."""
    result = check_program(stage, modules, tasks=[task], runner=runner)
    tests = [test for task in result.tasks for test in task.tests]
    return [test for test in tests if test.outcome is Outcome.FAILED]


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("stage", "sample"), list(cases()))
def test_calls_in_messages_can_be_typed(stage, sample):
    chaffs = load_chaffs(stage)
    if sample is not None:
        chaffs = chaffs[:: max(1, len(chaffs) // sample)]
    reference = COURSE.whole_reference(stage)
    runner = SuiteRunner(stage, stage.visible_tests, ())
    files = [path for path in stage.assignment.iterdir() if path.name.startswith("sample-")]
    wrong = []
    tried = 0
    for chaff in chaffs:
        modules = dict(reference) | dict(chaff.modules)
        tests = failed_tests(runner, stage, chaff.task, modules)
        problem_lines = problems(modules, [test.message for test in tests], files)
        tried += len(tests)
        for test, problem in zip(tests, problem_lines, strict=True):
            # If another run gives another message, the program itself is a matter of chance.
            if problem and test in failed_tests(runner, stage, chaff.task, modules):
                wrong.append(f"{chaff.name}: {test.name}: {problem}\n{test.message}")
    runner.close()
    assert tried > 0
    assert wrong == []


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("[1, 2]\n  came back    [1, 2]\n  expected     []", ""),
        ("[1, 2]\n  came back    [1]\n  expected     []", "came back    [1]; here [1, 2]"),
        ("[1, 2]\n  came back    2 items; [1] is 2\n  expected     x", ""),
        ("made\n  came back    1\n  expected     2", "here NameError"),
        ("int('x')\n  raised       ValueError: no", ""),
        ("int('x')\n  raised       TypeError: no", "here ValueError"),
        ("for x in [1, 2]:\n    x\n  came back    2\n  expected     3", ""),
        ("f(\n  came back    2", "does not compile"),
        ("getattr(1, 'real')\n  came back    1", "not as a student writes it"),
        ("x\n  came back    1\nTo try it, type this first:\n    x = 1", ""),
        ("  came back    1\n  expected     2", "neither a command line nor a sentence"),
        (
            "  run          python gone.py\n  came back    no error, and exit status 0",
            "; here the error",
        ),
    ],
)
def test_the_session_notices_what_is_wrong(message, problem):
    found = problem_of(message, [])
    assert problem in found
    assert bool(found) == bool(problem)
