"""A stage's suite as a pytest plugin: collects once, then runs job after job and judges each test.

pytest is in charge as usual: `pytest.main` collects, and its run loop, which we provide, takes jobs
for as long as there are any.
"""

import os
import queue
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import _pytest
import pytest

from hearts_course.boundary import near, proxy
from hearts_course.boundary.answers import FarError, Stopped
from hearts_course.boundary.farside.wire import WireError
from hearts_course.boundary.program import NONSENSE
from hearts_course.course import Course, Stage
from hearts_course.grading.results import Outcome, TestResult
from hearts_course.suite import explain, plugin
from hearts_course.suite.jobs import Job, Program, Run, SuiteFault

SETTINGS = Path(__file__).with_name("suite.ini")
BROKEN = (
    pytest.ExitCode.INTERRUPTED,
    pytest.ExitCode.INTERNAL_ERROR,
    pytest.ExitCode.USAGE_ERROR,
)
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
class Test:
    """One collected test and what the course knows about it."""

    __test__ = False

    item: pytest.Function
    task: str
    name: str
    docs: explain.Docs
    hidden: bool
    seconds: float | None

    def result(self, outcome: Outcome, message: str = "") -> TestResult:
        """The test's result; its name never holds its parameters, which may be hidden."""
        return TestResult(self.name, self.docs.topic, self.hidden, outcome, message)


class Suite:
    """A pytest plugin that runs jobs over a stage's collected tests."""

    def __init__(self, stage: Stage, jobs: Iterable[Job]) -> None:
        """Takes the jobs as they come; each one's Run, or the exception it ended in, is kept."""
        self._stage = stage
        self._jobs = jobs
        self._tests: list[Test] = []
        self._program: Program | None = None
        self._error: BaseException | None = None
        self._in_suite = False
        self._fault = ""
        self._comparison: explain.Comparison | None = None
        self.done: queue.SimpleQueue[Run | BaseException] = queue.SimpleQueue()

    def collect_and_run(self, files: Iterable[Path]) -> None:
        """Collect the test files and serve all jobs; raises SuiteFault if that is impossible."""
        arguments = ["-c", str(SETTINGS), "--rootdir", str(self._stage.root)]
        arguments += ["--import-mode=importlib", "-p", "no:terminal", "-p", "no:cacheprovider"]
        arguments += ["-p", "no:faulthandler", "-p", "no:threadexception", "-s"]
        names = [str(file) for file in files]
        _forget(names)
        fixtures = plugin.fixtures(plugin.module_names(Course(self._stage.root)))
        with _only_our_plugins():
            status = pytest.main([*arguments, *names], plugins=[fixtures, self])
        if status in BROKEN:
            raise SuiteFault(
                f"{self._stage.name}: {self._fault or f'pytest ended with {status!r}'}"
            )

    def pytest_configure(self, config: pytest.Config) -> None:
        """Let the fixtures talk to the program of the current job."""
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
        """Remember each test with its task, its topic and a name without parameters."""
        seen: Counter[str] = Counter()
        for item in items:
            assert isinstance(item, pytest.Function)
            mark = item.get_closest_marker("task")
            where = f"{item.path.name}::{item.originalname}"
            if mark is None or not mark.args:
                self._fault = f"{where}: has no @pytest.mark.task(...)"
                raise pytest.UsageError(self._fault)
            seen[where] += 1
            name = f"{where}[{seen[where]}]" if hasattr(item, "callspec") else where
            hidden = item.path.is_relative_to(self._stage.autograder)
            docs = explain.docs_of(item.function)
            limit = item.get_closest_marker("timeout")
            seconds = float(limit.args[0]) if limit else None
            self._tests.append(Test(item, mark.args[0], name, docs, hidden, seconds))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Serve jobs instead of running all tests once."""
        for job in self._jobs:
            try:
                if self._fault:
                    raise SuiteFault(f"{self._stage.name}: cannot collect its tests: {self._fault}")
                self.done.put(self._run(job))
            except BaseException as error:
                self.done.put(error)
        return True

    def _run(self, job: Job) -> Run:
        run, deadline = Run(), time.monotonic() + job.seconds
        over = ""
        for test in self._tests:
            if (job.visible_only and test.hidden) or job.task not in (None, test.task):
                continue
            if time.monotonic() > deadline:
                run.out_of_time = f"the time for all tests together, {job.seconds:g} s, was used up"
                over = run.out_of_time
            if over:
                outcome = test.result(Outcome.NOT_REACHED, over)
            else:
                outcome = self._try(test, job)
                run.troubles.update(self._trouble())
                if isinstance(self._error, pytest.skip.Exception):
                    run.skipped.setdefault(test.task, []).append(str(self._error))
                    continue
            run.tests.setdefault(test.task, []).append(outcome)
            if job.stop_early and outcome.outcome is not Outcome.PASSED:
                over = "the run was to stop at the first test that does not pass"
        return run

    def _trouble(self) -> list[str]:
        """What the program did in the last test beside failing it, if anything."""
        if isinstance(self._error, Stopped):
            return [self._error.text]
        if isinstance(self._error, FarError) and self._error.kind in GIVING_WAY:
            return [GIVING_WAY[self._error.kind]]
        return []

    def _try(self, test: Test, job: Job) -> TestResult:
        self._program, self._error, self._comparison = job.program, None, None
        try:
            job.program.begin(test.seconds)
        except (FarError, Stopped):
            return test.result(Outcome.NOT_REACHED)
        test.item.ihook.pytest_runtest_protocol(item=test.item, nextitem=None)
        self._error = job.program.stopped or self._error
        last_question = job.program.connection.last_question
        job.program.end()
        return self._judge(test, self._error, last_question)

    def _judge(self, test: Test, error: BaseException | None, last_question: str) -> TestResult:
        if error is None:
            return test.result(Outcome.PASSED)
        if isinstance(error, WireError):
            error = Stopped("crashed", NONSENSE)
        outcome = Outcome(error.kind) if isinstance(error, Stopped) else Outcome.FAILED
        if not (self._is_students(error) or isinstance(error, Stopped)):
            raise SuiteFault(f"{test.name}: {type(error).__name__}: {error}") from error
        if test.hidden:
            how = f" (your program {error.text})" if isinstance(error, Stopped) else ""
            return test.result(outcome, explain.explain_hidden(test.docs, how))
        message = explain.explain_visible(
            test.docs, error, self._comparison, test.item.function, _parameters(test), last_question
        )
        return test.result(outcome, message)

    def _is_students(self, error: BaseException) -> bool:
        """Whether the program, and not the suite, is to blame for an exception."""
        # A StopIteration of the program's is the cause of a RuntimeError where a generator asked.
        if isinstance(error.__cause__, FarError):
            return True
        if isinstance(error, FarError | pytest.fail.Exception | pytest.skip.Exception):
            return True
        return self._in_suite and isinstance(error, STUDENT_FAULTS)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport:
        """Keep the first exception of the test, whatever phase it came from.

        The report is a bare one: pytest's own looks for attributes that the program might have
        instead, by questions to it that no test waits for.
        """
        if call.excinfo is not None and self._error is None:
            self._error = call.excinfo.value
            last = Path(str(call.excinfo.traceback[-1].path))
            asserts = isinstance(self._error, AssertionError) and call.when == "call"
            by_pytest = asserts and last.is_relative_to(PYTEST)
            self._in_suite = by_pytest or last in (item.path, *ASKING, HERE)
        assert call.when != "collect"
        outcome: Literal["passed", "failed"] = "failed" if call.excinfo else "passed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when)

    @pytest.hookimpl(tryfirst=True)
    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        """Keep the two sides of the comparison that did not hold, and raise AssertionError.

        pytest would compare them line by line, for hours if they are made for that.
        """
        self._comparison = explain.Comparison(op, left, right)
        raise AssertionError


HERE = Path(__file__)
ASKING = tuple(Path(str(module.__file__)) for module in (near, proxy))
PYTEST = Path(_pytest.__file__).parent  # where `pytest.raises(match=...)` asserts


def _parameters(test: Test) -> dict[str, Any]:
    spec = getattr(test.item, "callspec", None)
    return dict(spec.params) if spec else {}


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
