"""Outcomes: how a test ended, whose fault it was, and what the student reads about it.

A stub is a definition that the starter leaves unwritten.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

import pytest

from hearts_course.errors import CourseError
from hearts_course.results import Outcome, TestResult
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.conversation import NONSENSE
from hearts_course.sandbox.worker.protocol import ProtocolError
from hearts_course.sandbox.worker.script import NotRunAgain
from hearts_course.testing import messages
from hearts_course.testing.places import ErrorPlace
from hearts_course.testing.tests import Test

INCIDENTS = {"MemoryError": "ran out of memory", "SystemExit": "ended by itself"}
PROGRAM_ERRORS = (
    *(RemoteError, SubmissionStopped, ProtocolError),
    *(AssertionError, pytest.fail.Exception, pytest.skip.Exception),
)
STUB = re.compile(r"Task (\d{1,3})\b")
OUR_ERRORS = (CourseError, OSError)  # the course's files or the machine are at fault


def is_not_run_again(error: BaseException | None) -> bool:
    """Return whether the program came to a function that is not run again after a timeout."""
    return isinstance(error, RemoteError) and error.kind == NotRunAgain.__name__


def is_timeout(error: BaseException | None) -> bool:
    """Return whether a test used up its time."""
    return isinstance(error, SubmissionStopped) and error.kind == Outcome.TIMEOUT


@dataclass(frozen=True)
class TestOutcome:
    """How a test ended; it passed if there is no error.

    `comparison` is the failed comparison, `question` the last question to the program, `answers`
    its latest answers, each with its question. `printed` says whether the program printed something
    while it gave its last answer, `has_printed` whether it did so while it gave any answer.
    `place` is where to look for the cause of the program's error, or where the program loops.
    `note` is a line for the student about the run, "" if there is nothing to say.
    """

    error: BaseException | None = None
    comparison: messages.Comparison | None = None
    question: str = ""
    answers: tuple[tuple[str, Any], ...] = ()
    printed: bool = False
    has_printed: bool = False
    place: ErrorPlace | None = None
    note: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether the course's files or the machine are at fault, whatever the program did."""
        return isinstance(self.error, OUR_ERRORS) and not isinstance(self.error, RemoteError)

    @property
    def is_open(self) -> bool:
        """Whether the exception leaves open what is at fault, the program or the suite."""
        # A generator turns the program's StopIteration into a RuntimeError.
        plain = isinstance(self.error, PROGRAM_ERRORS) or isinstance(
            self.error and self.error.__cause__, RemoteError
        )
        return self.error is not None and not plain

    @property
    def killed(self) -> bool:
        """Whether something outside may have killed the program."""
        return isinstance(self.error, SubmissionStopped) and self.error.killed

    @property
    def timed_out(self) -> bool:
        """Whether the test used up its time."""
        return is_timeout(self.error)

    @property
    def incidents(self) -> list[str]:
        """What else happened: the program ran out of time or memory, or ended."""
        if self.timed_out:
            return ["took too long"]
        if isinstance(self.error, SubmissionStopped):
            return [self.error.text]
        if isinstance(self.error, RemoteError) and self.error.kind in INCIDENTS:
            return [INCIDENTS[self.error.kind]]
        return []


def classify(
    test: Test,
    ended: TestOutcome,
    example: str = "",
    *,
    elsewhere: str = "",
    in_kernel: bool = False,
    may_give_none: Callable[[], Collection[str]] = frozenset,
) -> TestResult:
    """Return the test's result; call this only if the suite is not at fault.

    `example` is a near example (code for a student to try) that fails on the program, "" if none
    does. If the program's error comes from a file of an earlier stage, `elsewhere` names that file.
    With `in_kernel` the program is a notebook's, and its names are in the notebook's kernel.
    `may_give_none` is explained at `TestCode`.
    """
    error = ended.error
    if error is None:
        return test.result(Outcome.PASSED)
    if isinstance(error, ProtocolError):
        error = SubmissionStopped("crashed", NONSENSE)
    outcome = Outcome(error.kind) if isinstance(error, SubmissionStopped) else Outcome.FAILED
    if test.hidden:
        how = f"{messages.YOUR_PROGRAM}{error.text}" if isinstance(error, SubmissionStopped) else ""
        message = messages.explain_hidden(test.docs, how)
        result = test.result(outcome, messages.with_note(message, ended.note))
        return replace(result, example=example)
    ended = replace(ended, error=error)
    code = replace(test.code, in_kernel=in_kernel, may_give_none=may_give_none)
    message = messages.explain_visible(test.docs, ended, code, elsewhere)
    result = test.result(outcome, messages.with_note(message, ended.note))
    place = ended.place
    if isinstance(error, RemoteError):
        place = place or ErrorPlace.last(error)
        result = replace(result, stub=None if elsewhere else _stub(error))
    return replace(result, where=place.position, beside=place.other) if place else result


def _stub(error: RemoteError) -> int | None:
    """Return the number of the task whose stub raised the error.

    If the stub names no task, return 0. For any other error, return None.
    """
    if not isinstance(error, NotImplementedError):
        return None
    named = STUB.match(error.text)
    return int(named[1]) if named else 0
