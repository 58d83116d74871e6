"""A stage's suite as a pytest plugin: collects once, then runs job after job.

pytest is in charge as usual: `pytest.main` collects, and its run loop, which we provide, takes jobs
for as long as there are any.
"""

import os
import queue
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from _pytest.assertion import util

from hearts_course.course import Course, Stage
from hearts_course.results import Outcome
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.testing import messages, plugin
from hearts_course.testing.job import Job, Program, RunResult, StopAfter, SuiteError
from hearts_course.testing.outcomes import TestOutcome, judge, notes_on_timeouts
from hearts_course.testing.tests import Test, in_groups, tests_of
from hearts_course.testing.time_budget import TimeBudget, short

SETTINGS = Path(__file__).with_name("suite.ini")
NOT_NEEDED = (  # whatever reports at a terminal, or watches each test for what a suite never does
    *("terminal", "cacheprovider", "faulthandler", "threadexception", "unraisableexception"),
    *("capture", "logging", "warnings", "doctest", "unittest", "junitxml", "pastebin", "stepwise"),
    *("setuponly", "setupplan", "debugging"),
)
BROKEN = (
    pytest.ExitCode.INTERRUPTED,
    pytest.ExitCode.INTERNAL_ERROR,
    pytest.ExitCode.USAGE_ERROR,
)
CAN_FORK = hasattr(os, "fork")
LIKELY = 6  # so many tests that ended a run lately are tried first in the next one


class Suite:
    """A pytest plugin that runs jobs over a stage's collected tests."""

    def __init__(self, stage: Stage, jobs: Iterable[Job]) -> None:
        """Takes the jobs as they come; each one's Run, or the exception it ended in, is kept."""
        self._stage = stage
        self._jobs = jobs
        self._modules: set[str] = set()
        self._stash = pytest.Stash()
        self._tests: list[Test] = []
        self._likely: list[Test] = []
        self._right: list[Test] = []
        self._reference: SubmissionProcess | None = None
        self._program: Program | None = None
        self._ending = TestOutcome()
        self._fault = ""
        self.done: queue.SimpleQueue[RunResult | BaseException] = queue.SimpleQueue()

    def collect_and_run(self, files: Iterable[Path]) -> None:
        """Collect the test files and serve all jobs; raises SuiteError if that is impossible."""
        arguments = ["-c", str(SETTINGS), "--rootdir", str(self._stage.root)]
        arguments += ["--import-mode=importlib", *(f"-pno:{name}" for name in NOT_NEEDED)]
        names = [str(file) for file in files]
        _forget(names)
        self._modules = plugin.module_names(Course(self._stage.root))
        fixtures = plugin.fixtures(self._modules)
        with _only_our_plugins():
            status = pytest.main([*arguments, *names], plugins=[fixtures, self])
        if status in BROKEN:
            raise SuiteError(
                f"{self._stage.name}: {self._fault or f'pytest ended with {status!r}'}"
            )

    def pytest_configure(self, config: pytest.Config) -> None:
        """Let the fixtures talk to the program of the current job."""
        self._stash = config.stash
        config.stash[plugin.PROGRAM] = self._current
        config.addinivalue_line("markers", plugin.TASK_MARK)
        config.addinivalue_line("markers", "timeout(seconds): the test's own limit of time")

    def _current(self) -> Program:
        assert self._program is not None
        return self._program

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep why a test file cannot be collected."""
        if report.failed:
            self._fault = f"{report.nodeid}: {str(report.longrepr).splitlines()[-1]}"

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Remember the tests."""
        try:
            self._tests = tests_of(self._stage, items, self._modules)
        except SuiteError as fault:
            self._fault = str(fault)
            raise pytest.UsageError(self._fault) from None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Serve jobs instead of running all tests once."""
        for job in self._jobs:
            try:
                if self._fault:
                    raise SuiteError(f"{self._stage.name}: cannot collect its tests: {self._fault}")
                self.done.put(self._run(job))
            except BaseException as error:
                self.done.put(error)
        return True

    def _run(self, job: Job) -> RunResult:
        run, allowance = RunResult(), TimeBudget(job.seconds, self._stage.limits.test_seconds)
        self._stash[plugin.ONCE] = {}
        try:
            for group in self._groups(job):
                while group:
                    first, *others = group
                    passed = self._run_test(first, job, run, allowance, others)
                    for test in others[:passed]:
                        run.add(test.task, test.result(Outcome.PASSED))
                    group = others[passed:]
        finally:
            self._end_reference()
        run.notes += notes_on_timeouts(self._stage, allowance.timed_out, run.shortened)
        return run

    def _groups(self, job: Job) -> list[list[Test]]:
        """The tests that are wanted, in groups that may share a process.

        Visible ones come first: they say what the program told them, which must be nothing that it
        remembers of a hidden one. Those that may take long come last: a program that uses up all
        the time in them has reached the others.
        """
        wanted = [
            test
            for test in sorted(self._tests, key=lambda test: (test.hidden, test.alone))
            if (job.tasks is None or test.task in job.tasks)
            and not (job.visible_only and test.hidden)
        ]
        if not job.program.forks:
            return [[test] for test in wanted]
        if job.stop is not StopAfter.RUN:
            return in_groups(wanted)
        likely = [test for test in self._likely if test in wanted]
        return [*([test] for test in likely), *in_groups(t for t in wanted if t not in likely)]

    def _run_test(
        self, test: Test, job: Job, run: RunResult, allowance: TimeBudget, others: Sequence[Test]
    ) -> int:
        """Add the test's result; returns how many of the others pass after it in its process.

        A new process costs more than most tests do, and those that pass need but one. The first of
        the others that does not is judged in a process of its own.
        """
        if not run.out_of_time and allowance.is_used_up():
            run.out_of_time = f"the time for all tests together, {job.seconds:g} s, was used up"
            run.over = run.out_of_time
        if run.over or test.task in run.left:
            run.add(test.task, test.result(Outcome.NOT_REACHED, run.over))
            return 0
        if test.task in allowance.shortened:
            run.shortened.add(test.task)
        self._program = job.program
        seconds, begun = allowance.limit(test), time.monotonic()
        try:
            ending = self._try(test, job.program, seconds)
        except (RemoteError, SubmissionStopped):
            run.add(test.task, test.result(Outcome.NOT_REACHED))
            allowance.charge(0.0, time.monotonic() - begun)
            return 0
        share = ending.error is None and test.task not in allowance.shortened
        passed = self._passing(others, job.program) if share else 0
        job.program.end()
        if ending.timed_out:
            allowance.charge_timeout(test.task, seconds, time.monotonic() - begun)
        else:
            allowance.spare(job.program.import_seconds)
            allowance.charge(job.program.cpu_seconds, time.monotonic() - begun)
        self._check_blame(test, ending)
        self._keep(test, ending, run)
        if ending.error is not None:
            self._stop(test, job, run)
        return passed

    def _try(self, test: Test, program: Program, seconds: float) -> TestOutcome:
        """How the test ends in a process of its own; raises RemoteError or SubmissionStopped.

        One that is gone may have been killed from outside, as by a system that runs out of memory.
        Nobody is to lose points to that; a program that ends itself so gets but one more process.
        """
        program.begin(seconds, scripts=test.scripts)
        ending = self._end_of(test, program)
        if program.killed or ending.killed:
            program.end()
            self._stash[plugin.ONCE] = {}
            with suppress(RemoteError, SubmissionStopped):
                program.begin(seconds, scripts=test.scripts)
                ending = self._end_of(test, program)
        return ending

    def _check_blame(self, test: Test, ending: TestOutcome) -> None:
        """Raise SuiteError if the test ended as it did through a fault of ours.

        Neither the program nor an assert need have raised what a test ends in: a suite that is
        right stumbles over an answer that it did not expect, and so does one that is wrong. It is
        wrong if the same test raises something with the reference, too, which is tried once.
        Without a reference, as in a student's workspace, it is wrong if it stumbled before it had
        anything from the program.
        """
        if ending.is_ours or (ending.is_open and self._is_wrong(test, ending)):
            error = ending.error
            raise SuiteError(f"{test.name}: {type(error).__name__}: {_text(error)}") from error

    def _is_wrong(self, test: Test, ending: TestOutcome) -> bool:
        if test in self._right:
            return False
        if not self._stage.solution.is_dir():
            return not ending.question and "source" not in test.item.fixturenames
        self._program = reference = self._start_reference()
        known, self._stash[plugin.ONCE] = self._stash[plugin.ONCE], {}
        try:
            seconds = max(self._stage.limits.test_seconds, test.seconds or 0.0)
            error = self._try(test, reference, seconds).error
            reference.end()
        except (RemoteError, SubmissionStopped) as failed:
            error = failed
        self._stash[plugin.ONCE] = known
        if error is None:
            self._right.append(test)
        # What the reference cannot do in time, or not at all on this machine, proves nothing.
        return not (error is None or isinstance(error, SubmissionStopped | pytest.skip.Exception))

    def _start_reference(self) -> SubmissionProcess:
        """The reference, in a process of its own: no line of a student's is there."""
        if self._reference is None:
            modules = Course(self._stage.root).whole_reference(self._stage)
            self._reference = SubmissionProcess(modules, self._stage.limits, "none", fork=CAN_FORK)
        return self._reference

    def _end_reference(self) -> None:
        if self._reference is not None:
            self._reference.close()
            self._reference = None

    def _stop(self, failed: Test, job: Job, run: RunResult) -> None:
        if job.stop is StopAfter.TASK:
            run.left.add(failed.task)
        if job.stop is StopAfter.RUN:
            run.over = "the run was to stop at the first test that does not pass"
            self._likely = [failed, *(t for t in self._likely if t is not failed)][:LIKELY]

    def _keep(self, test: Test, ending: TestOutcome, run: RunResult) -> None:
        outcome = judge(test, ending)
        run.troubles.update(ending.trouble)
        if isinstance(ending.error, pytest.skip.Exception):
            run.skipped.setdefault(test.task, []).append(str(ending.error))
        else:
            run.add(test.task, outcome)

    def _passing(self, tests: Sequence[Test], program: Program) -> int:
        """How many tests pass in the process of the one before, up to the first that does not.

        Each has a short time only: one that needs more is judged in a process of its own.
        """
        for number, test in enumerate(tests):
            program.go_on(short(self._stage.limits.test_seconds))
            if self._end_of(test, program).error is not None:
                return number
        return len(tests)

    def _end_of(self, test: Test, program: Program) -> TestOutcome:
        self._ending = TestOutcome()
        if test.direct:
            self._call(test, program)
        else:
            test.item.ihook.pytest_runtest_protocol(item=test.item, nextitem=None)
        error = program.stopped or self._ending.error
        asked = program.connection
        answers = tuple(asked.answers) if error else ()
        return replace(self._ending, error=error, question=asked.last_question, answers=answers)

    def _call(self, test: Test, program: Program) -> None:
        """Call the test's function: all that pytest does around it takes longer than most tests."""
        comparing, util._reprcompare = util._reprcompare, self.pytest_assertrepr_compare
        try:
            test.call(program.connection)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:
            self._ending = replace(self._ending, error=error)
        finally:
            util._reprcompare = comparing

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport:
        """Keep the first exception of the test, whatever phase it came from.

        The report is a bare one: pytest's own looks for attributes that the program might have
        instead, by questions to it that no test waits for.
        """
        if call.excinfo is not None and self._ending.error is None:
            self._ending = replace(self._ending, error=call.excinfo.value)
        assert call.when != "collect"
        outcome: Literal["passed", "failed"] = "failed" if call.excinfo else "passed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when)

    @pytest.hookimpl(tryfirst=True)
    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        """Keep the two sides of the comparison that did not hold, and raise AssertionError.

        pytest would compare them line by line, for hours if they are made for that.
        """
        comparison = messages.Comparison(op, left, right)
        self._ending = replace(self._ending, comparison=comparison)
        raise AssertionError


def _text(error: BaseException | None) -> str:
    try:
        return str(error)
    except Exception:
        return "what it says cannot be shown"


def _forget(files: Iterable[str]) -> None:
    """Let test files be read afresh: pytest would take a module that it has met under that name."""
    stems = {Path(file).stem for file in files}
    for name in [name for name in sys.modules if name.rpartition(".")[2] in stems]:
        del sys.modules[name]


@contextmanager
def _only_our_plugins() -> Iterator[None]:
    """Whatever else is installed or set for pytest on this machine must not change a grade."""
    ours = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", "PYTEST_PLUGINS": ""}
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
