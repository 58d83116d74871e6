"""The visible checks without a sandbox, for students on their own machine.

Neither way needs `fork`: a file is tested in one child process, a notebook's objects in this one.
"""

import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

from hearts_course.course import Stage
from hearts_course.errors import UsageError
from hearts_course.results import Outcome, Result, SourcePosition, score_stage
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.client import Connection, local_ask
from hearts_course.sandbox.submission_process import (
    SubmissionProcess,
    clock_seconds,
    describe_failed_import,
)
from hearts_course.testing.job import Job, Program, Unreachable
from hearts_course.testing.plugin import Importable
from hearts_course.testing.runner import CAN_FORK, SuiteRunner

WITHOUT_SANDBOX = "none"
MIN_ALARM_SECONDS = 0.001  # setting a timer to 0 would turn it off
NO_FILE = "must be in a file for this check: save your work first, then run `hearts check`"


def check_program(
    stage: Stage,
    modules: Mapping[str, str],
    *,
    tasks: Sequence[str] = (),
    hidden: bool = False,
    runner: SuiteRunner | None = None,
) -> Result:
    """Return the visible tests' result, all or those of tasks, for source texts by module name.

    `hidden` adds the hidden tests, each in a process of its own where the system can fork. `runner`
    has the tests collected already. Raise UsageError if hidden tests are not installed, and
    SuiteError if the stage's own tests cannot be run.
    """
    tests, fork = _tests(stage, hidden=hidden), hidden and CAN_FORK
    with (
        nullcontext(runner) if runner else closing(SuiteRunner(stage, tests, tasks)) as suite,
        SubmissionProcess(modules, stage.limits, WITHOUT_SANDBOX, fork=fork) as program,
    ):
        program.prepare()
        suite.collect()  # while the process starts
        try:
            program.load()
        except (RemoteError, SubmissionStopped) as error:
            verdict = describe_failed_import(error, stage.limits)
            where = SourcePosition.of(error.where) if isinstance(error, RemoteError) else None
            result = _check(stage, Unreachable(verdict), tasks, suite, verdict)
            return replace(result, where=where)
        return _check(stage, program, tasks, suite)


def check_namespace(
    stage: Stage, namespace: Mapping[str, Any], *, task: str | None = None, hidden: bool = False
) -> Result:
    """Return the visible tests' result for live objects, such as those of a notebook.

    Tests that run or read a file are not reached and so do not pass. `hidden` adds the hidden
    tests. Raise UsageError if these are not installed, and SuiteError if the stage's own tests
    cannot be run.
    """
    tests = _tests(stage, hidden=hidden)
    tasks = [task] if task else ()
    with closing(SuiteRunner(stage, tests, tasks)) as suite:
        return _check(stage, _Live(stage, namespace), tasks, suite)


def _tests(stage: Stage, *, hidden: bool) -> tuple[Path, ...]:
    if hidden and not stage.hidden_tests:
        raise UsageError(f"{stage.name}: its hidden checks are not installed here")
    return (*stage.visible_tests, *(stage.hidden_tests if hidden else ()))


def _check(
    stage: Stage,
    program: Program,
    tasks: Sequence[str],
    suite: SuiteRunner,
    message: str = "",
) -> Result:
    job = Job(program, tasks=tasks or None, seconds=stage.limits.submission_seconds)
    run = suite.run(job)
    return score_stage(
        stage, "", run.tests, sandbox=WITHOUT_SANDBOX, message=message, skipped=run.skipped
    )


class TookTooLong(KeyboardInterrupt):
    """A student's code used up its time; an interrupt, so that `except Exception` lets it by."""


class _Live(Program):
    """Objects of this process; each test has a time limit where the platform has alarms.

    As in the grader, processor time is limited, and the clock ends a program that sleeps or waits.
    """

    def __init__(self, stage: Stage, namespace: Mapping[str, Any]) -> None:
        self._seconds = self._allowed = stage.limits.test_seconds
        self.cpu_seconds = self._clock_seconds = 0.0  # used by the current test
        program = SimpleNamespace(**namespace)
        modules = Importable(None, **dict.fromkeys(stage.modules, program))
        self._ask_here = local_ask(modules, self._note)
        self.connection = Connection(self._ask)

    @property
    def sources(self) -> Mapping[str, str]:
        raise SubmissionStopped(Outcome.NOT_REACHED, NO_FILE)

    def variant(self, modules: Mapping[str, str]) -> Program:
        raise SubmissionStopped(Outcome.NOT_REACHED, NO_FILE)

    def begin(self, seconds: float | None = None, *, scripts: bool = False) -> None:
        self._allowed = seconds or self._seconds
        self.cpu_seconds = self._clock_seconds = 0.0
        self.stopped = None
        self.connection = Connection(self._ask)

    def _note(self, answer: Mapping[str, Any]) -> None:
        self.connection.printed = "printed" in answer

    def _ask(self, question: dict[str, Any]) -> Any:
        if question["do"] in ("run", "start"):
            raise SubmissionStopped(Outcome.NOT_REACHED, NO_FILE)
        cpu, clock = time.process_time(), time.monotonic()
        try:
            with _alarms(
                self._allowed - self.cpu_seconds,
                clock_seconds(self._allowed) - self._clock_seconds,
            ):
                return self._ask_here(question)
        except TookTooLong:
            self.stopped = SubmissionStopped(
                Outcome.TIMEOUT, f"took longer than {self._allowed:g} s"
            )
            raise self.stopped from None
        finally:
            self.cpu_seconds += time.process_time() - cpu
            self._clock_seconds += time.monotonic() - clock


@contextmanager
def _alarms(cpu_seconds: float, clock_seconds: float) -> Iterator[None]:
    """Raise TookTooLong when either time is over, on the main thread of systems with alarms."""
    main_thread = threading.current_thread() is threading.main_thread()
    if not (main_thread and hasattr(signal, "setitimer")):
        yield
        return
    timers = {
        signal.SIGPROF: (signal.ITIMER_PROF, cpu_seconds),
        signal.SIGALRM: (signal.ITIMER_REAL, clock_seconds),
    }
    before = {number: signal.signal(number, _ring) for number in timers}
    try:
        for timer, seconds in timers.values():
            signal.setitimer(timer, max(seconds, MIN_ALARM_SECONDS))
        yield
    finally:
        for timer, _ in timers.values():
            signal.setitimer(timer, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _ring(number: int, frame: FrameType | None) -> None:
    raise TookTooLong
