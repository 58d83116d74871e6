"""How a test ended, whose fault it was, and what the student reads of it."""

from collections.abc import Set
from dataclasses import dataclass

import pytest

from hearts_course.boundary.answers import FarError, Stopped
from hearts_course.boundary.farside.wire import WireError
from hearts_course.boundary.program import NONSENSE
from hearts_course.course import Stage
from hearts_course.grading.results import Outcome, TestResult
from hearts_course.suite import explain
from hearts_course.suite.jobs import SuiteFault
from hearts_course.suite.tests import Test

GIVING_WAY = {"MemoryError": "ran out of memory", "SystemExit": "ended by itself"}
STUDENT_FAULTS = (
    AssertionError,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True)
class Ending:
    """How a test ended: well, if there is no error.

    `in_suite` tells whether the suite's own lines raised it, `comparison` which one did not hold,
    and `question` what the program was asked last.
    """

    error: BaseException | None = None
    in_suite: bool = False
    comparison: explain.Comparison | None = None
    question: str = ""

    @property
    def killed(self) -> bool:
        """Whether others may have ended the program."""
        return isinstance(self.error, Stopped) and self.error.killed

    @property
    def timed_out(self) -> bool:
        """Whether the test used up its time."""
        return isinstance(self.error, Stopped) and self.error.kind == Outcome.TIMEOUT

    @property
    def trouble(self) -> list[str]:
        """What the program did beside failing the test, if anything."""
        if isinstance(self.error, Stopped):
            return [self.error.text]
        if isinstance(self.error, FarError) and self.error.kind in GIVING_WAY:
            return [GIVING_WAY[self.error.kind]]
        return []


def judge(test: Test, ending: Ending) -> TestResult:
    """The test's result; raises SuiteFault if the suite is to blame and not the program."""
    error = ending.error
    if error is None:
        return test.result(Outcome.PASSED)
    if isinstance(error, WireError):
        error = Stopped("crashed", NONSENSE)
    outcome = Outcome(error.kind) if isinstance(error, Stopped) else Outcome.FAILED
    if not (isinstance(error, Stopped) or _is_students(error, ending.in_suite)):
        raise SuiteFault(f"{test.name}: {type(error).__name__}: {error}") from error
    if test.hidden:
        how = f" (your program {error.text})" if isinstance(error, Stopped) else ""
        return test.result(outcome, explain.explain_hidden(test.docs, how))
    message = explain.explain_visible(
        test.docs, error, ending.comparison, test.item.function, test.parameters, ending.question
    )
    return test.result(outcome, message)


def notes_on_timeouts(stage: Stage, timed_out: Set[str], shortened: Set[str]) -> list[str]:
    """What the student reads of tasks with timeouts: what they cost, and where to begin."""
    notes = []
    if shortened:
        notes.append(
            f"after two timeouts the other tests of {_numbers(stage, shortened)} had a tenth of "
            "their time"
        )
    for task in stage.tasks:
        above = {other.id for other in stage.tasks if task.id in stage.ground(other)} & timed_out
        if task.id in timed_out and above and not stage.ground(task) & timed_out:
            build = "builds" if len(above) == 1 else "build"
            this = _numbers(stage, {task.id})
            notes.append(
                f"{_numbers(stage, above)} {build} on {this}, which timed out: fix that first"
            )
    return notes


def _numbers(stage: Stage, tasks: Set[str]) -> str:
    """The tasks by their numbers in the brief, as in "tasks 1, 3 and 4"."""
    *others, last = [str(stage.number(task)) for task in stage.tasks if task.id in tasks]
    return f"tasks {', '.join(others)} and {last}" if others else f"task {last}"


def _is_students(error: BaseException, in_suite: bool) -> bool:
    """Whether the program, and not the suite, is to blame for an exception."""
    # A StopIteration of the program's is the cause of a RuntimeError where a generator asked.
    if isinstance(error.__cause__, FarError):
        return True
    if isinstance(error, FarError | pytest.fail.Exception | pytest.skip.Exception):
        return True
    return in_suite and isinstance(error, STUDENT_FAULTS)
