"""A stage's suite: pytest collects its tests once, and each can then be run for any program.

pytest is used only for the tests and their fixtures. `testing.run` decides on the order of the
tests, their processes and their time.
"""

import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import Any, Literal

import pytest

from hearts_course.course import Course, Stage
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.testing import inside_pytest, messages, plugin
from hearts_course.testing.job import Program, SuiteError
from hearts_course.testing.outcomes import TestOutcome
from hearts_course.testing.tests import Test, tests_of

SETTINGS = Path(__file__).with_name("suite.ini")
UNUSED_PLUGINS = (  # plugins for a person at a terminal, or for features that no suite uses
    *("terminal", "cacheprovider", "faulthandler", "threadexception", "unraisableexception"),
    *("capture", "logging", "warnings", "doctest", "unittest", "junitxml", "pastebin", "stepwise"),
    *("setuponly", "setupplan", "debugging", "legacypath", "recwarn", "subtests", "reports"),
)
ONLY_OUR_PLUGINS = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_ADDOPTS": "",
    "PYTEST_PLUGINS": "",
}


class _OnlyWanted:
    """A pytest plugin that collects only the tests of some tasks; remembers why a file fails."""

    def __init__(self, tasks: Collection[str]) -> None:
        """Without `tasks`, all tests are wanted."""
        self.fault = "a test file is missing"
        self._tasks = frozenset(tasks)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, obj: object) -> list[pytest.Item] | None:
        """Leave out a function whose marks name only unwanted tasks."""
        marks = getattr(obj, "pytestmark", ()) if isinstance(obj, FunctionType) else ()
        tasks = {mark.args[0] for mark in marks if mark.name == "task" and mark.args}
        return [] if self._tasks and tasks and tasks.isdisjoint(self._tasks) else None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember why a test file cannot be collected."""
        if report.failed:
            self.fault = f"{report.nodeid}: {str(report.longrepr).splitlines()[-1]}"


class Suite:
    """The tests of a stage, and the pytest plugin that records how each test ends."""

    def __init__(self, stage: Stage, files: Iterable[Path], tasks: Collection[str] = ()) -> None:
        """`files` are the test files. With the ids of `tasks`, collect only their tests."""
        self.stage = stage
        self.tests: list[Test] = []  # empty until the tests are collected
        self._files = list(files)
        self._tasks = tasks
        self._config: pytest.Config | None = None
        self._stash = pytest.Stash()
        self._program: Program | None = None
        self._outcome = TestOutcome()

    @property
    def is_collected(self) -> bool:
        """Whether the tests can be run: this is so from `collect` until `close`."""
        return self._config is not None

    def collect(self) -> None:
        """Collect the tests; raise SuiteError if the suite is at fault."""
        names = [str(file) for file in self._files]
        _forget_modules(names)
        stages = (*Course(self.stage.root).prerequisites(self.stage), self.stage)
        modules = {module for stage in stages for module in stage.modules}
        arguments = ["-c", str(SETTINGS), "--rootdir", str(self.stage.root)]
        arguments += ["--import-mode=importlib", *(f"-pno:{name}" for name in UNUSED_PLUGINS)]
        wanted = _OnlyWanted(self._tasks)
        with pytest.MonkeyPatch.context() as environment:  # plugins of this machine are ignored
            for name, value in ONLY_OUR_PLUGINS.items():
                environment.setenv(name, value)
            plugins = [plugin.fixtures(modules), wanted, self]
            config = inside_pytest.configured([*arguments, *names], plugins)
        self._config = config
        inside_pytest.configure(config)
        session = pytest.Session.from_config(config)
        config.hook.pytest_sessionstart(session=session)
        with suppress(session.Interrupted, session.Failed, pytest.UsageError):
            config.hook.pytest_collection(session=session)
            if not session.testsfailed:
                self.tests = tests_of(self.stage, session.items, modules)
                return
        raise SuiteError(f"{self.stage.name}: cannot collect its tests: {wanted.fault}")

    def close(self) -> None:
        """Let pytest end the session that collected the tests."""
        config = self._config
        self._config = None
        self.tests = []
        if config is not None:
            inside_pytest.unconfigure(config)

    def outcome_alone(self, test: Test, program: Program, seconds: float) -> TestOutcome:
        """Run the test in a new process of the program, and return how it ends.

        Raise RemoteError or SubmissionStopped if the process cannot begin. A process that vanished
        may have been killed from outside, for instance by a system that ran out of memory. That
        must not cost the student points, so the test runs again in a second process.
        """
        program.begin(seconds, scripts=test.starts_others)
        outcome = self.outcome_of(test, program)
        if program.killed or outcome.killed:
            program.end()
            self._stash[plugin.ONCE].clear()
            with suppress(RemoteError, SubmissionStopped):
                program.begin(seconds, scripts=test.starts_others)
                outcome = self.outcome_of(test, program)
        return outcome

    def outcome_of(self, test: Test, program: Program) -> TestOutcome:
        """Run the test in the program's current process, and return how it ends."""
        self._program = program
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
        """Call the function without pytest's protocol, which takes longer than most tests."""
        try:
            with inside_pytest.comparing_by(self.pytest_assertrepr_compare):
                test.call(program.connection)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:
            self._outcome = replace(self._outcome, error=error)

    @contextmanager
    def knowing(self, once: dict[str, Any]) -> Iterator[None]:
        """Inside the block, let the fixture `once` return this dictionary."""
        before = self._stash.get(plugin.ONCE, {})
        self._stash[plugin.ONCE] = once
        try:
            yield
        finally:
            self._stash[plugin.ONCE] = before

    def pytest_configure(self, config: pytest.Config) -> None:
        """Let the fixtures find the program of the current test."""
        self._stash = config.stash
        config.stash[plugin.PROGRAM] = self._current_program
        for mark in plugin.MARKS:
            config.addinivalue_line("markers", mark)
        config.addinivalue_line("markers", "timeout(seconds): the test's own time limit")

    def _current_program(self) -> Program:
        assert self._program is not None
        return self._program

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport:
        """Keep the test's first exception, whatever phase it came from.

        Return a bare report. pytest's own report would read attributes of the exception. If the
        exception is a proxy of an object in the student's program, each read would send a request
        to the program.
        """
        if call.excinfo is not None and self._outcome.error is None:
            self._outcome = replace(self._outcome, error=call.excinfo.value)
        assert call.when != "collect"
        outcome: Literal["passed", "failed"] = "failed" if call.excinfo else "passed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when)

    @pytest.hookimpl(tryfirst=True)
    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        """Keep both sides of the comparison that failed, and raise AssertionError.

        pytest would compare the sides line by line, and hostile values could make that take hours.
        """
        comparison = messages.Comparison(op, left, right)
        self._outcome = replace(self._outcome, comparison=comparison)
        raise AssertionError


def _forget_modules(files: Iterable[str]) -> None:
    """Forget the test files' modules, because pytest would reuse a module that it has imported."""
    stems = {Path(file).stem for file in files}
    for name in [name for name in sys.modules if name.rpartition(".")[2] in stems]:
        del sys.modules[name]
