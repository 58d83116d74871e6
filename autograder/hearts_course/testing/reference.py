"""Run a suite's tests on the reference solution, to compare it with a student's program."""

from collections.abc import Collection
from contextlib import suppress

import pytest

from hearts_course.course import Course, Stage
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.testing.job import StartedProgram
from hearts_course.testing.outcomes import TestOutcome
from hearts_course.testing.start import start_program
from hearts_course.testing.suite import Suite
from hearts_course.testing.tests import Test

NOTING_SECONDS = 60.0  # the time limit of a test whose calls are noted; noting takes time


class Reference:
    """The reference solution of a suite's stage, and how the suite's tests end for it."""

    def __init__(self, suite: Suite) -> None:
        """Start no process yet, because most runs never need the reference."""
        self._suite = suite
        self._passing: list[Test] = []
        self._calls: dict[str, set[str]] | None = None  # the functions that each test calls
        self._program: StartedProgram | None = None

    @property
    def _stage(self) -> Stage:
        return self._suite.stage

    def untouched_by(self, changed: Collection[str]) -> set[str]:
        """Return the names of the tests that pass and call none of the changed functions.

        The tests run on the reference, changed so that it notes its calls. A test is left out if it
        may see more of the program than these calls.
        """
        from hearts_course.testing import reach  # few programs need this module

        if self._calls is None:
            self._calls = {}
            tests = self._suite.tests
            traceable = [test for test in tests if reach.UNSEEN.isdisjoint(test.item.fixturenames)]
            modules = reach.noting_calls(self._modules())
            program = start_program(modules, self._stage.limits, fork=True)
            failing = suppress(RemoteError, SubmissionStopped)
            with program, self._suite.knowing({}), failing:
                for test in traceable:
                    program.begin(NOTING_SECONDS)
                    if self._suite.outcome_of(test, program).error is None:
                        notes = program.connection.module(reach.NOTES)
                        self._calls[test.name] = set(notes.called)
                    program.end()
        return {name for name, called in self._calls.items() if called.isdisjoint(changed)}

    def fails_too(self, test: Test, outcome: TestOutcome) -> bool:
        """Return whether the test fails for the reference too. If so, the test is wrong.

        A student's workspace has no reference. There, the test counts as wrong if it failed before
        it put a question to the program. A test that reads the program's source texts never counts
        as wrong there, because it may need no question.
        """
        if test in self._passing:
            return False
        if not self._stage.solution.is_dir():
            return not outcome.question and "source" not in test.item.fixturenames
        error = self._error_of(test)
        if error is None:
            self._passing.append(test)
        # A timeout of the reference, or a test that is skipped on this machine, proves nothing.
        return not (error is None or isinstance(error, SubmissionStopped | pytest.skip.Exception))

    def _error_of(self, test: Test) -> BaseException | None:
        """Run the test alone on the reference; return its error, None if it passes."""
        if self._program is None:
            self._program = start_program(self._modules(), self._stage.limits, fork=True)
        seconds = max(self._stage.limits.test_seconds, test.seconds or 0.0)
        try:
            with self._suite.knowing({}):
                error = self._suite.outcome_alone(test, self._program, seconds).error
                self._program.end()
        except (RemoteError, SubmissionStopped) as failed:
            return failed
        return error

    def _modules(self) -> dict[str, str]:
        return Course(self._stage.root).whole_reference(self._stage)

    def end(self) -> None:
        """End the reference's process; a later test starts a new process."""
        if self._program is not None:
            self._program.close()
            self._program = None
