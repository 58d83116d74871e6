"""A stage's suite, collected once by pytest and then run for one program after another.

pytest collects the tests and knows their fixtures. The order of tests, their processes, their time
and their outcomes are decided here.
"""

import sys
import time
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from itertools import takewhile
from pathlib import Path
from types import FunctionType
from typing import Literal

import pytest

from hearts_course.course import Course, Stage, name_tasks
from hearts_course.results import TWO_TOO_SLOW, Outcome, TestResult
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.client import Connection
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker.script import CAN_FORK
from hearts_course.testing import inside_pytest, messages, plugin
from hearts_course.testing.here import ProgramHere, start_program
from hearts_course.testing.job import (
    Job,
    Loop,
    Program,
    RunResult,
    StopAfter,
    SuiteError,
    result_of,
)
from hearts_course.testing.near_examples import failing_examples, load_near_examples
from hearts_course.testing.outcomes import TestOutcome, classify, is_not_run_again
from hearts_course.testing.places import (
    ErrorPlace,
    StudentLines,
    function_at,
    loop_place,
    task_at,
)
from hearts_course.testing.stubs import stub_shown
from hearts_course.testing.tests import Test, in_groups, tests_of
from hearts_course.testing.time_budget import SharedTry, TimeBudget, short
from hearts_course.testing.transcripts import Exchange, Transcripts

SETTINGS = Path(__file__).with_name("suite.ini")
UNUSED_PLUGINS = (  # they report at a terminal, or watch each test for what a suite never does
    *("terminal", "cacheprovider", "faulthandler", "threadexception", "unraisableexception"),
    *("capture", "logging", "warnings", "doctest", "unittest", "junitxml", "pastebin", "stepwise"),
    *("setuponly", "setupplan", "debugging", "legacypath", "recwarn", "subtests", "reports"),
)
ONLY_OUR_PLUGINS = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_ADDOPTS": "",
    "PYTEST_PLUGINS": "",
}
NOTING_SECONDS = 60.0  # for a test whose calls are noted, which slows it down
SHORTENED = "(two checks of this task took too long before, so this one had a tenth of the time)"
MAX_LIKELY = 2  # tests that ended recent runs, and are tried first in the next one


class SuiteRunner:
    """A stage's suite as a pytest plugin: collect it once, then run job after job."""

    def __init__(
        self, stage: Stage, files: Iterable[Path] | None = None, tasks: Collection[str] = ()
    ) -> None:
        """`files` are the test files; without them, all visible and hidden ones of the stage.

        With the ids of `tasks`, collect only their tests, which is quicker.
        """
        self._stage = stage
        self._only = frozenset(tasks)
        files = [*stage.visible_tests, *stage.hidden_tests] if files is None else [*files]
        if tasks:
            files = _files_about(tasks, files) or files
        self._files = files
        self._config: pytest.Config | None = None
        self._stash = pytest.Stash()
        self._tests: list[Test] = []
        self._earlier: tuple[Stage, ...] = ()  # the stages that this one builds on
        self._transcripts = Transcripts()
        self._likely: list[Test] = []
        self._passing_reference: list[Test] = []
        self._calls: dict[str, set[str]] | None = None  # of the reference, by test
        self._reference: SubmissionProcess | ProgramHere | None = None
        self._program: Program | None = None
        self._outcome = TestOutcome()
        self._student_lines = StudentLines(stage)
        self._fault = ""

    def run(self, job: Job) -> RunResult:
        """Return the job's results. Raise SuiteError if the suite is at fault."""
        return result_of(self.in_two_parts(job))

    def in_two_parts(self, job: Job) -> Generator[RunResult, None, RunResult]:
        """Run the visible tests, yield their results once, run the hidden ones, return all results.

        In between, the visible tests of another program may run. Raise SuiteError if the suite is
        at fault. After any error the suite is collected afresh, because no program may pay for
        what another one left in it.
        """
        self.collect()
        try:
            return (yield from self._run(job))
        except Exception:
            self.close()
            raise

    def collect(self) -> None:
        """Collect the tests, if that is not done yet; raise SuiteError if the suite is at fault."""
        try:
            if self._config is None:
                self._collect()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let pytest end the session that collected the tests."""
        config = self._config
        self._config = None
        self._tests = []
        self._likely = []
        self._passing_reference = []
        self._calls = None
        self._transcripts = Transcripts()
        if config is not None:
            inside_pytest.unconfigure(config)

    def _collect(self) -> None:
        names = [str(file) for file in self._files]
        _forget_modules(names)
        self._earlier = Course(self._stage.root).prerequisites(self._stage)
        stages = (*self._earlier, self._stage)
        modules = {module for stage in stages for module in stage.modules}
        arguments = ["-c", str(SETTINGS), "--rootdir", str(self._stage.root)]
        arguments += ["--import-mode=importlib", *(f"-pno:{name}" for name in UNUSED_PLUGINS)]
        self._fault = ""
        with pytest.MonkeyPatch.context() as environment:  # plugins of this machine must not count
            for name, value in ONLY_OUR_PLUGINS.items():
                environment.setenv(name, value)
            plugins = [plugin.fixtures(modules), self]
            config = inside_pytest.configured([*arguments, *names], plugins)
        self._config = config
        inside_pytest.configure(config)
        session = pytest.Session.from_config(config)
        config.hook.pytest_sessionstart(session=session)
        with suppress(session.Interrupted, session.Failed, pytest.UsageError):
            config.hook.pytest_collection(session=session)
            if not session.testsfailed:
                self._tests = tests_of(self._stage, session.items, modules)
                return
        fault = self._fault or "a test file is missing"
        raise SuiteError(f"{self._stage.name}: cannot collect its tests: {fault}")

    def pytest_configure(self, config: pytest.Config) -> None:
        """Let the fixtures find the program of the current job."""
        self._stash = config.stash
        config.stash[plugin.PROGRAM] = self._current_program
        for mark in plugin.MARKS:
            config.addinivalue_line("markers", mark)
        config.addinivalue_line("markers", "timeout(seconds): the test's own time limit")

    def _current_program(self) -> Program:
        assert self._program is not None
        return self._program

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, obj: object) -> list[pytest.Item] | None:
        """Leave out a function that tests other tasks than the wanted ones."""
        marks = getattr(obj, "pytestmark", ()) if isinstance(obj, FunctionType) else ()
        tasks = {mark.args[0] for mark in marks if mark.name == "task" and mark.args}
        return [] if self._only and tasks and tasks.isdisjoint(self._only) else None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember why a test file cannot be collected."""
        if report.failed:
            self._fault = f"{report.nodeid}: {str(report.longrepr).splitlines()[-1]}"

    def _run(self, job: Job) -> Generator[RunResult, None, RunResult]:
        run = RunResult()
        budget = TimeBudget(job.seconds, self._stage.limits.test_seconds)
        self._stash[plugin.ONCE] = {}
        try:
            groups = self._groups(job, run)
            visible = list(takewhile(lambda group: not group[0].hidden, groups))
            self._run_groups(visible, job, run, budget)
            run.examples = self._failing_examples(groups[len(visible) :], job)
            known_once = self._stash[plugin.ONCE]
            yield run  # another run may use the stash before this run goes on
            self._stash[plugin.ONCE] = known_once
            self._run_groups(groups[len(visible) :], job, run, budget)
        finally:
            self._end_reference()
        if run.shortened:
            stage = self._stage
            numbers = [stage.number(task) for task in stage.tasks if task.id in run.shortened]
            tasks = name_tasks(numbers)
            note = f"after two timeouts the other checks of {tasks} had a tenth of their time"
            run.notes.append(note)
        return run

    def _failing_examples(self, groups: Iterable[list[Test]], job: Job) -> dict[str, str]:
        """Return the near examples of these hidden tests that fail on the program.

        The examples are tried before any hidden test, because a student sees which examples fail
        and must learn nothing about hidden tests from them. So all of them are tried, although it
        is not known yet which hidden tests the program fails.
        """
        if not job.examples:
            return {}
        functions: set[str] = set()
        for tests in groups:
            functions.update(test.function for test in tests)
        examples = load_near_examples(self._stage)
        examples = {test: examples[test] for test in examples if test in functions}
        if not examples:
            return {}
        return failing_examples(job.program, examples, self._stage.limits.test_seconds)

    def _run_groups(
        self, groups: Iterable[list[Test]], job: Job, run: RunResult, budget: TimeBudget
    ) -> None:
        """Run the tests of each group in one process; run each that fails there again alone."""
        for tests in groups:
            group = tests
            while group:
                tries = self._try_together(group, job, run, budget)
                tested, group = group[: len(tries)], group[len(tries) :]
                for test, tried in zip(tested, tries, strict=True):
                    if tried.passed:
                        run.add(test.task, test.result(Outcome.PASSED))
                    else:
                        passed_alone = self._run_test(test, job, run, budget)
                        budget.charge_shared_try(tried, passed_alone=passed_alone)

    def _groups(self, job: Job, run: RunResult) -> list[list[Test]]:
        """Return the wanted tests in groups that may share a process.

        Tests that run no changed function must pass, so they are not run and their results are
        added at once. Visible tests come first: their messages show the program's answers, and the
        program must not know anything about a hidden test by then. Tests that may take long come
        last, so that a program that uses up all its time has been asked everything else.
        """
        tests = sorted(self._tests, key=lambda test: (test.task not in job.first, test.order))
        wanted = [test for test in tests if _is_wanted(test, job)]
        if job.revealed:
            wanted = [replace(test, hidden=False) for test in wanted]
        if not job.program.forks:
            return [[test] for test in wanted]
        if job.changed is not None:
            untouched = self._untouched(job.changed)
            for test in wanted:
                if test.name in untouched:
                    run.add(test.task, test.result(Outcome.PASSED))
            wanted = [test for test in wanted if test.name not in untouched]
        if job.stop is not StopAfter.RUN:
            return in_groups(wanted)
        likely = [test for test in self._likely if test in wanted]
        unlikely = [test for test in wanted if test not in likely]
        return [*([test] for test in likely), *in_groups(unlikely)]

    def _untouched(self, changed: Collection[str]) -> set[str]:
        """Return the tests that pass for the reference and call none of the changed functions."""
        from hearts_course.testing import reach  # only for programs that differ in few places

        if self._calls is None:
            self._calls = {}
            modules = {reach.NOTES: reach.NOTES_TEXT} | self._whole_reference()
            seen = [test for test in self._tests if reach.UNSEEN.isdisjoint(test.item.fixturenames)]
            self._program = program = start_program(modules, self._stage.limits, fork=CAN_FORK)
            with program, suppress(RemoteError, SubmissionStopped):
                for test in seen:
                    program.begin(NOTING_SECONDS)
                    if self._outcome_of(test, program).error is None:
                        notes = program.connection.module(reach.NOTES)
                        self._calls[test.name] = set(notes.taken())
                    program.end()
        return {name for name, called in self._calls.items() if called.isdisjoint(changed)}

    def _try_together(
        self, group: Sequence[Test], job: Job, run: RunResult, budget: TimeBudget
    ) -> list[SharedTry]:
        """Return how the first of these tests end in one process: a try for each, at least one.

        A new process costs more than most tests do, so the tests share a process. A test that does
        not pass there must be run again alone, because an earlier test or the short time may be the
        reason. The tests after it may go on in the same process, because a failing test leaves
        nothing there that a passing one would not leave.

        Charge what the process used, except for tests that must be run again: `charge_shared_try`
        charges them once they have run alone.
        """
        may_not_share = budget.shortened | run.skipped_tasks
        sharing = [*takewhile(lambda test: test.task not in may_not_share, group)]
        if len(sharing) < 2 or run.stopped or budget.is_used_up() or not budget.may_share:
            return [SharedTry()]
        self._program = program = job.program
        begun = time.monotonic()
        tries: list[SharedTry] = []
        with suppress(RemoteError, SubmissionStopped):
            program.begin(short(budget.limit(sharing[0])), scripts=sharing[0].only_scripts)
            for test in sharing:
                if tries:
                    program.go_on(short(budget.limit(test)))
                began = time.monotonic()
                passed = self._passes(test, program)
                stopped = program.stopped
                timed_out = stopped is not None and stopped.kind == Outcome.TIMEOUT
                seconds = time.monotonic() - began
                tries.append(SharedTry(passed, timed_out, clock_seconds=seconds))
                if stopped or not (passed or job.stop is StopAfter.NEVER):
                    break
        program.end()
        budget.refund_import(program.import_seconds)
        clock_seconds = time.monotonic() - begun
        # Only the process knows its processor time, so each test gets its part by the clock.
        share = program.cpu_seconds / clock_seconds
        tries = [replace(tried, cpu_seconds=share * tried.clock_seconds) for tried in tries]
        again = [tried for tried in tries if not tried.passed]
        budget.charge(
            program.cpu_seconds - sum(tried.cpu_seconds for tried in again),
            clock_seconds - sum(tried.clock_seconds for tried in again),
        )
        return tries or [SharedTry()]

    def _passes(self, test: Test, program: Program) -> bool:
        """Return whether the test passes in the process that has begun."""
        if not (test.direct and isinstance(program, SubmissionProcess)):
            return self._outcome_of(test, program).error is None
        exchange = Exchange(program)
        try:
            if self._transcripts.passes(test.name, exchange):
                return True
        except SubmissionStopped:
            return False
        program.connection = Connection(exchange.ask)
        passed = self._outcome_of(test, program).error is None
        if passed:
            self._transcripts.keep(test.name, exchange)
        return passed

    def _run_test(self, test: Test, job: Job, run: RunResult, budget: TimeBudget) -> bool:
        """Add the result of the test, run in a process of its own; return whether it passed."""
        if not run.out_of_time and budget.is_used_up():
            run.out_of_time = f"the time for all tests together, {job.seconds:g} s, was used up"
            run.stopped = run.out_of_time
        if run.stopped or test.task in run.skipped_tasks:
            run.add(test.task, test.result(Outcome.NOT_REACHED, run.stopped))
            return False
        if test.task in budget.shortened:
            run.shortened.add(test.task)
        self._program = job.program
        seconds = budget.limit(test)
        begun = time.monotonic()
        try:
            outcome = self._try(test, job.program, seconds)
        except (RemoteError, SubmissionStopped):
            run.add(test.task, test.result(Outcome.NOT_REACHED))
            budget.charge(0.0, time.monotonic() - begun)
            return False
        job.program.end()
        if run.looped and is_not_run_again(outcome.error):
            result = test.result(Outcome.NOT_REACHED, run.looped.reason)
            run.add(test.task, replace(result, where=run.looped.position))
            return False
        file = _not_imported(outcome.error, job.program)
        if file and job.stop is not StopAfter.RUN:  # with StopAfter.RUN it counts as a failure
            # The result says once, above all tasks, why the file cannot be imported. The test is
            # not reached, because this task is not at fault.
            run.add(test.task, test.result(Outcome.NOT_REACHED, f"{file} cannot be imported"))
            return False
        if _may_come_from_other_tests(outcome) and not job.program.forks:
            outcome = self._outcome_alone(test, outcome, job.program, seconds)
        outcome = replace(outcome, place=self._loop_of(test, outcome.error, job.program))
        if job.quick and outcome.error and _took_too_long(outcome, job.program):
            self._avoid_loops(outcome.place, job, run)
        if outcome.timed_out:
            budget.charge_timeout(test.task, seconds, time.monotonic() - begun)
        else:
            budget.refund_import(job.program.import_seconds)
            budget.charge(job.program.cpu_seconds, time.monotonic() - begun)
        self._check_blame(test, outcome)
        self._keep(test, outcome, job, run, shortened=test.task in run.shortened)
        if outcome.error is not None:
            self._stop(test, job, run)
        return outcome.error is None

    def _outcome_alone(
        self, test: Test, outcome: TestOutcome, program: Program, seconds: float
    ) -> TestOutcome:
        """Return how the test ends in a fresh program; `outcome` where there is none."""
        fresh = program.fresh()
        if fresh is None:
            return outcome
        self._program = fresh
        with self._nothing_kept(), suppress(RemoteError, SubmissionStopped):
            outcome = self._try(test, fresh, seconds)
            fresh.end()
        self._program = program
        return outcome

    @contextmanager
    def _nothing_kept(self) -> Iterator[None]:
        """Hide from tests of another program what `once` has kept for the current program."""
        kept = self._stash[plugin.ONCE]
        self._stash[plugin.ONCE] = {}
        try:
            yield
        finally:
            self._stash[plugin.ONCE] = kept

    def _loop_of(
        self, test: Test, error: BaseException | None, program: Program
    ) -> ErrorPlace | None:
        """Return where the program was when a visible test took too long, None if unknown."""
        if test.hidden or not isinstance(error, SubmissionStopped) or not error.calls:
            return None
        return loop_place(error.calls, program.sources)

    def _avoid_loops(self, place: ErrorPlace | None, job: Job, run: RunResult) -> None:
        """Count a timeout: after the first, avoid the looping function; after two, stop the run."""
        run.timeouts += 1
        if run.timeouts > 1:
            run.stopped = TWO_TOO_SLOW
        elif place and (name := function_at(place.position, job.program.sources)):
            run.looped = Loop(name, place.position)
            job.program.avoid(place.position)

    def _try(self, test: Test, program: Program, seconds: float) -> TestOutcome:
        """Run the test in a new process. Raise RemoteError or SubmissionStopped if it cannot begin.

        A process that vanished may have been killed from outside, for instance by a system that ran
        out of memory. That must not cost the student points, so such a test gets a second process.
        """
        program.begin(seconds, scripts=test.starts_others)
        outcome = self._outcome_of(test, program)
        if program.killed or outcome.killed:
            program.end()
            self._stash[plugin.ONCE] = {}
            with suppress(RemoteError, SubmissionStopped):
                program.begin(seconds, scripts=test.starts_others)
                outcome = self._outcome_of(test, program)
        return outcome

    def _check_blame(self, test: Test, outcome: TestOutcome) -> None:
        """Raise SuiteError if the suite, not the program, made the test end as it did.

        A test can end in an exception that neither the program nor an assert raised. Then a correct
        suite stumbled over an unexpected answer, or the suite is wrong. It is wrong if the same
        test fails for the reference too, which is tried once. Without a reference, as in a
        student's workspace, it is wrong if it stumbled before it had asked the program anything.
        """
        if outcome.is_ours or (outcome.is_open and self._is_wrong(test, outcome)):
            error = outcome.error
            raise SuiteError(f"{test.name}: {type(error).__name__}: {_text(error)}") from error

    def _is_wrong(self, test: Test, outcome: TestOutcome) -> bool:
        """Return whether the test fails for the reference too, as `_check_blame` explains."""
        if test in self._passing_reference:
            return False
        if not self._stage.solution.is_dir():
            return not outcome.question and "source" not in test.item.fixturenames
        self._program = reference = self._start_reference()
        error: BaseException | None
        try:
            with self._nothing_kept():
                seconds = max(self._stage.limits.test_seconds, test.seconds or 0.0)
                error = self._try(test, reference, seconds).error
                reference.end()
        except (RemoteError, SubmissionStopped) as failed:
            error = failed
        if error is None:
            self._passing_reference.append(test)
        # It proves nothing if the reference runs out of time or cannot run on this machine.
        return not (error is None or isinstance(error, SubmissionStopped | pytest.skip.Exception))

    def _start_reference(self) -> SubmissionProcess | ProgramHere:
        """Return the reference in its own process, where no line of a student's runs."""
        if self._reference is None:
            modules = self._whole_reference()
            self._reference = start_program(modules, self._stage.limits, fork=CAN_FORK)
        return self._reference

    def _whole_reference(self) -> dict[str, str]:
        return Course(self._stage.root).whole_reference(self._stage)

    def _end_reference(self) -> None:
        if self._reference is not None:
            self._reference.close()
            self._reference = None

    def _stop(self, failed: Test, job: Job, run: RunResult) -> None:
        if job.stop is StopAfter.TASK:
            run.skipped_tasks.add(failed.task)
        if job.stop is StopAfter.RUN:
            run.stopped = "the run stops at the first test that does not pass"
            others = [test for test in self._likely if test is not failed]
            self._likely = [failed, *others][:MAX_LIKELY]

    def _keep(
        self,
        test: Test,
        outcome: TestOutcome,
        job: Job,
        run: RunResult,
        *,
        shortened: bool = False,
    ) -> None:
        """Add the test's result: the place of its error, the task of that place, its message."""
        ends_in = ""  # the task in whose definition the program stopped
        elsewhere = ""  # the file of an earlier stage, if the error was raised there
        error = outcome.error
        sources: Mapping[str, str] = {}
        with suppress(SubmissionStopped):  # a notebook's live objects have no source texts
            sources = job.program.sources
        if isinstance(error, RemoteError) and not test.hidden:
            outcome = replace(outcome, place=self._student_lines.place_of(error, sources))
            if end := ErrorPlace.last(error):
                ends_in = task_at(end.position, self._stage, sources)
                if end.position.module in sources.keys() - set(self._stage.modules):
                    elsewhere = end.position.file
        if outcome.place:
            task = task_at(outcome.place.position, self._stage, sources)
            if not isinstance(error, RemoteError):  # after a timeout: where the program loops
                ends_in = task
            if task != test.task:  # the message names the task of the place
                outcome = replace(outcome, place=replace(outcome.place, task=self._named(task)))
        example = run.examples.get(test.function, "")
        result = classify(
            test, outcome, example, elsewhere=elsewhere, in_kernel=_is_live(job.program)
        )
        result = replace(result, ends_in=ends_in)
        if error is not None and not test.hidden:
            result = self._with_stub(result, error, elsewhere)
        if shortened and outcome.timed_out:
            result = replace(result, message=f"{result.message}\n{SHORTENED}")
        run.incidents.update(outcome.incidents)
        if isinstance(outcome.error, pytest.skip.Exception):
            run.skipped.setdefault(test.task, []).append(str(outcome.error))
        else:
            run.add(test.task, result)

    def _named(self, name: str) -> str:
        """Return the number and title of the task with this id, "" if there is none."""
        task = next((task for task in self._stage.tasks if task.id == name), None)
        return f"{self._stage.number(task)} ({task.title})" if task else ""

    def _with_stub(self, result: TestResult, error: BaseException, elsewhere: str) -> TestResult:
        """Return the result with the stub that a script or a student's own test has met, if any.

        `elsewhere` is the file of an earlier stage that the program's error comes from.
        """
        if result.stub is not None:
            return result
        if elsewhere:
            if isinstance(error, NotImplementedError):
                names = [stage.name for stage in self._earlier if elsewhere in stage.files]
                result = replace(result, unfinished="".join(names))
            return result
        stub = stub_shown(result.message, (self._stage, *self._earlier))
        if stub is None:
            return result
        if stub.stage is self._stage:
            return replace(result, stub=stub.number)
        return replace(result, unfinished=stub.stage.name)

    def _outcome_of(self, test: Test, program: Program) -> TestOutcome:
        self._outcome = TestOutcome()
        if test.direct:
            self._call(test, program)
        else:
            try:
                test.item.ihook.pytest_runtest_protocol(item=test.item, nextitem=None)
            except KeyboardInterrupt:  # pytest has not torn the test down
                self.close()
                raise
        error = program.stopped or self._outcome.error
        connection = program.connection
        answers = tuple(connection.answers) if error else ()
        return replace(
            self._outcome,
            error=error,
            question=connection.last_question,
            answers=answers,
            printed=connection.printed,
            has_printed=connection.has_printed,
        )

    def _call(self, test: Test, program: Program) -> None:
        """Call the test's function without pytest's protocol, which costs more than most tests."""
        try:
            with inside_pytest.comparing_by(self.pytest_assertrepr_compare):
                test.call(program.connection)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:
            self._outcome = replace(self._outcome, error=error)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport:
        """Keep the test's first exception, whatever phase it came from.

        The report is a bare one. pytest's own report looks for attributes on what was raised, and
        on a proxy each of those is a question to the program.
        """
        if call.excinfo is not None and self._outcome.error is None:
            self._outcome = replace(self._outcome, error=call.excinfo.value)
        assert call.when != "collect"
        outcome: Literal["passed", "failed"] = "failed" if call.excinfo else "passed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when)

    @pytest.hookimpl(tryfirst=True)
    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        """Keep both sides of the comparison that failed, and raise AssertionError.

        pytest would compare them line by line, which hostile values can stretch to hours.
        """
        comparison = messages.Comparison(op, left, right)
        self._outcome = replace(self._outcome, comparison=comparison)
        raise AssertionError


def _files_about(tasks: Collection[str], files: Iterable[Path]) -> list[Path]:
    """Return the test files that have the id of one of these tasks as a text, as in a mark."""
    about: list[Path] = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        if any(f'"{task}"' in text for task in tasks):
            about.append(file)
    return about


@cache
def runner_of(stage: Stage) -> SuiteRunner:
    """Return the stage's runner, which stays collected for as long as this process runs."""
    return SuiteRunner(stage)


def _is_wanted(test: Test, job: Job) -> bool:
    """Return whether the job asks for the test."""
    if job.tasks is not None and test.task not in job.tasks:
        return False
    if test.hidden and job.visible_only:
        return False
    return job.reusable or not test.reusable


def _is_live(program: Program) -> bool:
    """Return whether the program is a notebook's live objects, which have no source texts."""
    try:
        return not program.sources
    except SubmissionStopped:
        return True


def _not_imported(error: BaseException | None, program: Program) -> str:
    """Return the file whose failed import the error is, "" for any other error."""
    if isinstance(error, RemoteError):
        for name, failed in program.failed.items():
            if (error.kind, error.text, error.where) == (failed.kind, failed.text, failed.where):
                return f"{name}.py"
    return ""


def _took_too_long(outcome: TestOutcome, program: Program) -> bool:
    """Return whether the program was stopped because of its time, even if the test went on.

    The clock cannot decide this, because a test that starts several processes takes long on a busy
    machine.
    """
    stopped = program.stopped
    return outcome.timed_out or (stopped is not None and stopped.kind == Outcome.TIMEOUT)


def _may_come_from_other_tests(outcome: TestOutcome) -> bool:
    """Return whether what went wrong may be left over from tests in the same process."""
    never_left_over = (NotImplementedError, pytest.skip.Exception)
    return (
        outcome.error is not None
        and not isinstance(outcome.error, never_left_over)
        and not (outcome.timed_out or outcome.is_ours or is_not_run_again(outcome.error))
    )


def _text(error: BaseException | None) -> str:
    try:
        return str(error)
    except Exception:
        return "its text cannot be shown"


def _forget_modules(files: Iterable[str]) -> None:
    """Have test files read afresh: pytest would reuse a module that it has imported before."""
    stems = {Path(file).stem for file in files}
    for name in [name for name in sys.modules if name.rpartition(".")[2] in stems]:
        del sys.modules[name]
