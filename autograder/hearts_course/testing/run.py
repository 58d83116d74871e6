"""Run a suite's tests on one program.

This module decides when each test runs, in which process and for how long.
"""

import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import Any

import pytest

from hearts_course.results import TWO_TOO_SLOW, Outcome, TestResult
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.testing.experience import Experience
from hearts_course.testing.job import Job, Program, RunResult, StopAfter, SuiteError
from hearts_course.testing.near_examples import failing_examples_of
from hearts_course.testing.outcomes import TestOutcome, is_not_run_again
from hearts_course.testing.suite import Suite
from hearts_course.testing.tests import Test, in_groups
from hearts_course.testing.time_budget import SharedTry, TimeBudget, short
from hearts_course.testing.verdicts import Verdicts, loop_of, looping_function

SHORTENED = "(two checks of this task took too long before, so this one had a tenth of the time)"


class Run:
    """One run of the suite on one program."""

    def __init__(self, job: Job, suite: Suite, experience: Experience, verdicts: Verdicts) -> None:
        """`suite` must have collected its tests."""
        self._job = job
        self._suite = suite
        self._stage = suite.stage
        self._experience = experience
        self._verdicts = verdicts
        self._result = RunResult()
        self._budget = TimeBudget(job.seconds, suite.stage.limits.test_seconds)

    def in_two_parts(self) -> Generator[RunResult, None, RunResult]:
        """Run the visible tests, yield the result, run the hidden tests, and return the result."""
        result = self._result
        once: dict[str, Any] = {}  # values that the tests of this run share
        try:
            groups = self.groups()
            visible = list(takewhile(lambda group: not group[0].hidden, groups))
            hidden = groups[len(visible) :]
            with self._suite.knowing(once):
                self._run_groups(visible)
                # A student sees which near examples fail, and must learn nothing about hidden
                # tests from that. So all examples are tried before the first hidden test.
                if self._job.examples:
                    functions = {test.function for tests in hidden for test in tests}
                    program = self._job.program
                    result.examples = failing_examples_of(self._stage, functions, program)
            yield result  # another run may use the suite before this run goes on
            with self._suite.knowing(once):
                self._run_groups(hidden)
        finally:
            self._experience.reference.end()
        if result.shortened:
            result.note_shortened(self._stage)
        return result

    def _run_groups(self, groups: Iterable[list[Test]]) -> None:
        """Run each group's tests in one process; if a test fails there, run it once more, alone.

        A test that has met an unwritten definition is not run again, because it meets the same
        definition alone.
        """
        for tests in groups:
            group = tests
            while group:
                tries = self._try_together(group)
                tested, group = group[: len(tries)], group[len(tries) :]
                for test, tried in zip(tested, tries, strict=True):
                    if tried.final is None:
                        passed_alone = self._run_test(test)
                        self._budget.charge_shared_try(tried, passed_alone=passed_alone)
                    elif tried.final.error is None:
                        self._result.add(test.task, test.result(Outcome.PASSED))
                    elif not self._add_if_not_reached(test, tried.final):
                        self._add(test, tried.final)

    def groups(self) -> list[list[Test]]:
        """Return the wanted tests in groups that may share a process.

        The job may name changed functions. A test that calls none of them ends as it does for the
        reference. If the reference passes the test, add the result at once, and do not run the
        test.

        Visible tests come first: their messages show the program's answers, so the program must not
        have met a hidden test by then. Tests that may take long come last, so that all other
        tests run before the time is used up. A quick run ends at the second timeout, so its tests
        run in the order of the tasks. If a task's function loops, the first test that times out is
        then a test of that task.
        """
        job = self._job
        numbers: dict[str, int] = {}
        if job.quick:
            numbers = {task.id: self._stage.number(task) for task in self._stage.tasks}

        def order(test: Test) -> tuple[object, ...]:
            return test.task not in job.first, test.hidden, numbers.get(test.task, 0), test.order

        tests = sorted(self._suite.tests, key=order)
        wanted = [test for test in tests if _is_wanted(test, job)]
        if job.revealed:
            wanted = [replace(test, hidden=False) for test in wanted]
        if not job.program.forks:
            return [[test] for test in wanted]
        if job.changed is not None:
            untouched = self._experience.reference.untouched_by(job.changed)
            for test in wanted:
                if test.name in untouched:
                    self._result.add(test.task, test.result(Outcome.PASSED))
            wanted = [test for test in wanted if test.name not in untouched]
        if job.stop is not StopAfter.RUN:
            return in_groups(wanted)
        likely = [test for test in self._experience.likely if test in wanted]
        unlikely = [test for test in wanted if test not in likely]
        return [*([test] for test in likely), *in_groups(unlikely)]

    def _try_together(self, group: Sequence[Test]) -> list[SharedTry]:
        """Run the first tests of the group in one process, and return a try for each of them.

        If no test could run there, return one try that has not passed. The tests share a process
        because a new process costs more than most tests do. In a shared process, tests get a
        shorter time limit. A test that does not pass there must be run again alone, because an
        earlier test or the shorter limit may be the reason. The next tests may still use the same
        process: a failing test leaves no more behind than a passing one.

        Charge the time that the process used, except for tests that must be run again. The caller
        charges these with `charge_shared_try`, once they have run alone.
        """
        program = self._job.program
        budget = self._budget
        may_not_share = budget.shortened | self._result.skipped_tasks
        sharing = [*takewhile(lambda test: test.task not in may_not_share, group)]
        if len(sharing) < 2 or self._result.stopped or budget.is_used_up() or not budget.may_share:
            return [SharedTry()]
        begun = time.monotonic()
        tries: list[SharedTry] = []
        with suppress(RemoteError, SubmissionStopped):
            program.begin(short(budget.limit(sharing[0])), scripts=sharing[0].only_starts)
            for test in sharing:
                if tries:
                    program.go_on(short(budget.limit(test)))
                began = time.monotonic()
                outcome = self._experience.outcome_of(test, program, self._suite)
                stopped = program.stopped
                timed_out = stopped is not None and stopped.kind == Outcome.TIMEOUT
                seconds = time.monotonic() - began
                is_final = outcome.error is None or _is_unwritten(outcome, program)
                final = outcome if is_final else None
                tries.append(SharedTry(final, timed_out, clock_seconds=seconds))
                if stopped or not (outcome.error is None or self._job.stop is StopAfter.NEVER):
                    break
        program.end()
        budget.refund_import(program.import_seconds)
        clock_seconds = time.monotonic() - begun
        # The processor time is known only for the whole process: share it out by the clock.
        share = program.cpu_seconds / clock_seconds
        tries = [replace(tried, cpu_seconds=share * tried.clock_seconds) for tried in tries]
        again = [tried for tried in tries if tried.final is None]
        budget.charge(
            program.cpu_seconds - sum(tried.cpu_seconds for tried in again),
            clock_seconds - sum(tried.clock_seconds for tried in again),
        )
        return tries or [SharedTry()]

    def _run_test(self, test: Test) -> bool:
        """Run the test in its own process and add its result; return whether it passed."""
        job = self._job
        budget = self._budget
        if not self._result.out_of_time and budget.is_used_up():
            used_up = f"the time for all tests together, {job.seconds:g} s, was used up"
            self._result.out_of_time = used_up
            self._result.stopped = used_up
        if self._result.stopped or test.task in self._result.skipped_tasks:
            self._result.add(test.task, test.result(Outcome.NOT_REACHED, self._result.stopped))
            return False
        if test.task in budget.shortened:
            self._result.shortened.add(test.task)
        seconds = budget.limit(test)
        begun = time.monotonic()
        try:
            outcome = self._suite.outcome_alone(test, job.program, seconds)
        except (RemoteError, SubmissionStopped):
            self._result.add(test.task, test.result(Outcome.NOT_REACHED))
            budget.charge(0.0, time.monotonic() - begun)
            return False
        job.program.end()
        if self._add_if_not_reached(test, outcome):
            return False
        if _may_come_from_other_tests(outcome, job.program) and not job.program.forks:
            outcome = self._outcome_in_fresh_program(test, outcome, seconds)
        outcome = replace(outcome, place=loop_of(test, outcome.error, job.program))
        if job.quick and outcome.error and _took_too_long(outcome, job.program):
            self._avoid_loops(outcome)
        if outcome.timed_out:
            budget.charge_timeout(test.task, seconds, time.monotonic() - begun)
        else:
            budget.refund_import(job.program.import_seconds)
            budget.charge(job.program.cpu_seconds, time.monotonic() - begun)
        self._check_blame(test, outcome)
        self._add(test, outcome)
        return outcome.error is None

    def _add_if_not_reached(self, test: Test, outcome: TestOutcome) -> bool:
        """Add the test's result if it met a function to avoid or a failed import; return whether.

        With StopAfter.RUN, a test that met a failed import counts as a failure.
        """
        not_reached: TestResult | None = None
        looped = self._result.looped
        if looped and is_not_run_again(outcome.error):
            result = test.result(Outcome.NOT_REACHED, looped.reason)
            not_reached = replace(result, where=looped.position)
        elif self._job.stop is not StopAfter.RUN:
            not_reached = self._verdicts.not_imported(test, outcome, self._job.program)
        if not_reached is not None:
            self._result.add(test.task, not_reached)
        return not_reached is not None

    def _outcome_in_fresh_program(
        self, test: Test, outcome: TestOutcome, seconds: float
    ) -> TestOutcome:
        """Return how the test ends in a fresh program. If there is none, return `outcome`."""
        fresh = self._job.program.fresh()
        if fresh is None:
            return outcome
        with self._suite.knowing({}), suppress(RemoteError, SubmissionStopped):
            outcome = self._suite.outcome_alone(test, fresh, seconds)
            fresh.end()
        return outcome

    def _avoid_loops(self, outcome: TestOutcome) -> None:
        """Count a timeout. After the first, avoid the looping function. After the second, stop."""
        result = self._result
        program = self._job.program
        result.timeouts += 1
        if result.timeouts > 1:
            result.stopped = TWO_TOO_SLOW
        elif loop := looping_function(outcome.place, program):
            result.looped = loop
            program.avoid(loop.position)

    def _check_blame(self, test: Test, outcome: TestOutcome) -> None:
        """Raise SuiteError if the suite, not the program, made the test end as it did.

        A test can end in an exception that neither the program nor an assert raised. Then either
        the suite is wrong, or a correct suite stumbled over an unexpected answer. The suite is
        wrong if the same test fails for the reference too.
        """
        if outcome.is_ours or (
            outcome.is_open and self._experience.reference.fails_too(test, outcome)
        ):
            error = outcome.error
            raise SuiteError(f"{test.name}: {type(error).__name__}: {_text(error)}") from error

    def _add(self, test: Test, outcome: TestOutcome) -> None:
        """Add the test's result, and decide what the run skips after this test."""
        run = self._result
        error = outcome.error
        example = run.examples.get(test.function, "")
        if outcome.timed_out and test.task in run.shortened:
            outcome = replace(outcome, note=SHORTENED)
        result = self._verdicts.result_of(test, outcome, self._job.program, example=example)
        run.incidents.update(outcome.incidents)
        if isinstance(error, pytest.skip.Exception):
            run.skipped.setdefault(test.task, []).append(str(error))
        else:
            run.add(test.task, result)
        if error is None:
            return
        if self._job.stop is StopAfter.TASK:
            run.skipped_tasks.add(test.task)
        if self._job.stop is StopAfter.RUN:
            run.stopped = "the run stops at the first test that does not pass"
            self._experience.note_end(test)


def _is_wanted(test: Test, job: Job) -> bool:
    """Return whether the job asks for the test."""
    if job.tasks is not None and test.task not in job.tasks:
        return False
    if test.hidden and job.visible_only:
        return False
    return job.reusable or not test.reusable


def _took_too_long(outcome: TestOutcome, program: Program) -> bool:
    """Return whether the program was stopped because of its time, even if the test went on.

    The clock cannot decide this, because a test that starts several processes takes long on a busy
    machine.
    """
    stopped = program.stopped
    return outcome.timed_out or (stopped is not None and stopped.kind == Outcome.TIMEOUT)


def _is_unwritten(outcome: TestOutcome, program: Program) -> bool:
    """Return whether the program raised NotImplementedError, as an unwritten definition does.

    It raises the error in any process. But a test may assign the definition to another name, and a
    later test in the same process meets it there. So return False after an assignment.
    """
    error = outcome.error
    is_stub = isinstance(error, RemoteError) and isinstance(error, NotImplementedError)
    return is_stub and not program.has_assigned


def _may_come_from_other_tests(outcome: TestOutcome, program: Program) -> bool:
    """Return whether earlier tests in the same process may have caused the error."""
    return (
        outcome.error is not None
        and not isinstance(outcome.error, pytest.skip.Exception)
        and not _is_unwritten(outcome, program)
        and not (outcome.timed_out or outcome.is_ours or is_not_run_again(outcome.error))
    )


def _text(error: BaseException | None) -> str:
    try:
        return str(error)
    except Exception:
        return "its text cannot be shown"
