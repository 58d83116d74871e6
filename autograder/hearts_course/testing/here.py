"""A program in this process: for browsers, which have only one process, and for live objects.

Time is limited by the system's alarms, or else by `sys.monitoring` (Python 3.12). Neither ends a
loop that is written in C.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from hearts_course.course import Limits
from hearts_course.edition import HERE
from hearts_course.results import Outcome, SourcePosition
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.client import Connection, local_ask
from hearts_course.sandbox.imports import failed_imports
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.time_limit import clock_seconds
from hearts_course.sandbox.worker.script import (
    ProgramFinder,
    StandardStreams,
    avoided_functions_run,
    line_of,
)
from hearts_course.testing.job import Program
from hearts_course.testing.plugin import Importable

WITHOUT_SANDBOX = "none"
HAS_PROCESSES = sys.platform != "emscripten"
HAS_ALARMS = HAS_PROCESSES and hasattr(signal, "setitimer")
AGAIN_SECONDS = 0.05  # between alarms, for a program that catches the first one
MIN_ALARM_SECONDS = 0.001  # an alarm after 0 seconds would never ring
MOST_EVENTS = 64  # jumps and calls between two looks at the time
QUICK_SECONDS = 0.01  # between two looks; a look costs far less
TOOL_NUMBER = 4  # of `sys.monitoring`: the others belong to debuggers, coverage and profilers
OUR_CODE = str(Path(__file__).parents[1])
TRUSTED_CODE = (OUR_CODE, str(Path(os.__file__).parent), "<frozen")
NO_FILE = HERE.text(
    "must be in a file for this check: save your work first<!-- if terminal -->, then run "
    "`hearts check`<!-- end -->"
)
NO_TERMINAL = HERE.text(
    "must run in a process for this check, and here it cannot: "
    "<!-- if terminal -->use `hearts check`<!-- else this check needs a computer with Python -->"
)


def start_program(
    modules: Mapping[str, str], limits: Limits, *, fork: bool = False
) -> "SubmissionProcess | ProgramHere":
    """Return the program in a process without a sandbox, or in this process in a browser."""
    if HAS_PROCESSES:
        return SubmissionProcess(modules, limits, WITHOUT_SANDBOX, fork=fork)
    return ProgramHere(limits, modules)


class ProgramHere(Program):
    """A program in this process; all its tests share one import.

    Its modules are importable only while it answers. It reads nothing, and its output is lost; what
    live objects print is shown. As in the grader, processor time is limited, and the clock ends a
    program that sleeps or waits.
    """

    _last: "ProgramHere | None" = None  # the program whose source texts tracebacks show

    def __init__(
        self, limits: Limits, sources: Mapping[str, str], live: Mapping[str, object] | None = None
    ) -> None:
        """`live` maps names of modules to objects that need no source texts, as in a notebook."""
        self._limits = limits
        self._sources = dict(sources)
        self._live = live
        self._finder = ProgramFinder({})
        self._avoided: list[SourcePosition] = []
        self._files = {f"{name}.py" for name in sources}
        self.failed: Mapping[str, RemoteError] = {}
        self._forget()
        self._allow(limits.import_seconds)

    def __enter__(self) -> "ProgramHere":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the program."""
        ProgramHere._last = None

    def _forget(self) -> None:
        self.stopped: SubmissionStopped | None = None
        self._imported: dict[str, Any] = {}
        self._streams = self._new_streams()
        self._ask_here = local_ask(Importable(None, **(self._live or {})), self._note)
        self.connection = Connection(self._ask)

    def _new_streams(self) -> AbstractContextManager[object]:
        return StandardStreams(b"") if self._live is None else nullcontext()

    @property
    def sources(self) -> Mapping[str, str]:
        """Source text by module name; a notebook's live objects have none."""
        if self._live is not None:
            raise SubmissionStopped(Outcome.NOT_REACHED, NO_FILE)
        return self._sources

    def avoid(self, position: SourcePosition) -> None:
        """From the next import on, raise NotRunAgain in place of the function around this line."""
        self._avoided.append(position)
        self._finder.exchange(self._sources)  # first, because a new text forgets avoided lines
        self._finder.avoid([(position.file, position.line)])

    def prepare(self) -> None:
        """Do nothing: no process has to start."""

    def load(self, needed: Iterable[str] = ()) -> None:
        """Import the program, as `SubmissionProcess` does."""
        self._forget()
        self._allow(self._limits.import_seconds)
        with avoided_functions_run():  # only a test must not run them again
            self.failed = failed_imports(self._ask, self._sources, needed)

    def variant(self, modules: Mapping[str, str]) -> "ProgramHere":
        """Return the same program with some modules exchanged, imported afresh."""
        variant = ProgramHere(self._limits, {**self.sources, **modules})
        for position in self._avoided:
            if variant._sources.get(position.module) == self._sources.get(position.module):
                variant.avoid(position)
        variant.load()
        variant.begin(min(self._allowed, self._limits.test_seconds))
        return variant

    def fresh(self) -> "ProgramHere | None":
        """Import the program afresh and return it; None for a notebook's live objects."""
        if self._live is not None:
            return None
        self.load()
        return self

    def begin(self, seconds: float | None = None, *, scripts: bool = False) -> None:
        """Start a test; import the program afresh if the former test was stopped."""
        if self.stopped is not None:
            self.load()
        self._streams = self._new_streams()
        self.connection = Connection(self._ask)
        self._allow(seconds or self._limits.test_seconds)

    def _allow(self, seconds: float) -> None:
        self._allowed = seconds
        self.cpu_seconds = self._clock_seconds = 0.0  # used by the current test

    def _note(self, answer: Mapping[str, Any]) -> None:
        self.connection.note_output(printed="printed" in answer)

    def _ask(self, question: dict[str, Any]) -> Any:
        if self.stopped is not None:
            raise self.stopped
        if question["do"] == "start" or (question["do"] == "run" and self._live is not None):
            reason = NO_FILE if self._live is not None else NO_TERMINAL
            raise SubmissionStopped(Outcome.NOT_REACHED, reason)
        cpu = time.process_time()
        clock = time.monotonic()
        limit = TimeLimit(
            self._allowed - self.cpu_seconds, clock_seconds(self._allowed) - self._clock_seconds
        )
        try:
            with self._importable(), self._streams, limit:
                return self._ask_here(question)
        except TookTooLong:
            self.stopped = SubmissionStopped(
                Outcome.TIMEOUT,
                f"took longer than {self._allowed:g} s",
                calls=tuple(call for call in limit.calls if call[0] in self._files),
            )
            raise self.stopped from None
        finally:
            self.cpu_seconds += time.process_time() - cpu
            self._clock_seconds += time.monotonic() - clock

    @contextmanager
    def _importable(self) -> Iterator[None]:
        """Let imports find the program's modules inside the block, and only there."""
        if ProgramHere._last is not self:
            ProgramHere._last = self
            self._finder.exchange(self._sources)
        replaced = _taken(self._sources)
        sys.modules.update(self._imported)
        sys.meta_path.insert(0, self._finder)
        try:
            yield
        finally:
            sys.meta_path.remove(self._finder)
            self._imported = _taken(self._sources)
            sys.modules.update(replaced)


def _taken(names: Mapping[str, str]) -> dict[str, Any]:
    return {name: sys.modules.pop(name) for name in names if name in sys.modules}


class TookTooLong(KeyboardInterrupt):
    """A student's code used up its time; an interrupt, which `except Exception` does not catch."""


class TimeLimit:
    """Raises TookTooLong in the program's code when either time is over, and again if need be.

    If the program catches it, leaving the block raises it once more.
    """

    def __init__(self, cpu_seconds: float, clock_seconds: float) -> None:
        self._cpu_seconds = cpu_seconds
        self._clock_seconds = clock_seconds
        self._over = False
        self.calls: tuple[tuple[str, int], ...] = ()  # files and lines, when the time was over
        self._disarm: Callable[[], None] = lambda: None

    def __enter__(self) -> None:
        if HAS_ALARMS and threading.current_thread() is threading.main_thread():
            self._set_alarms()
        elif sys.version_info >= (3, 12):
            self._monitor()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._disarm()
        if self._over and not isinstance(error, TookTooLong):
            raise TookTooLong

    def _set_alarms(self) -> None:
        timers = {
            signal.SIGPROF: (signal.ITIMER_PROF, self._cpu_seconds),
            signal.SIGALRM: (signal.ITIMER_REAL, self._clock_seconds),
        }
        old_handlers = {number: signal.signal(number, self._ring) for number in timers}

        def disarm() -> None:
            for number, (timer, _) in timers.items():
                signal.setitimer(timer, 0)
                signal.signal(number, old_handlers[number])

        self._disarm = disarm
        for timer, seconds in timers.values():
            signal.setitimer(timer, max(seconds, MIN_ALARM_SECONDS), AGAIN_SECONDS)

    def _end(self, frame: FrameType | None) -> None:
        """Note the calls that are running when the time is over for the first time."""
        if self._over:
            return
        self._over = True
        calls = []
        while frame is not None:
            line = line_of(frame.f_lineno, frame.f_code, frame.f_lasti)
            calls.append((frame.f_code.co_filename, line))
            frame = frame.f_back
        self.calls = tuple(reversed(calls))

    def _ring(self, number: int, frame: FrameType | None) -> None:
        """End the program's code; let our own code, which must not break, run to the next alarm."""
        self._end(frame)
        if frame is None or not frame.f_code.co_filename.startswith(OUR_CODE):
            raise TookTooLong

    if sys.version_info >= (3, 12):

        def _monitor(self) -> None:
            """Look at the time at jumps and calls of the program's code.

            A look costs more time than most programs use between two looks. So the number of events
            before the next look is doubled, as long as the events were quick.
            """
            monitoring = sys.monitoring
            events = monitoring.events.JUMP, monitoring.events.PY_START
            end_cpu = time.process_time() + self._cpu_seconds
            last_look = time.monotonic()
            end_clock = last_look + self._clock_seconds
            events_between_looks = 1
            events_until_look = 1

            def count(code: CodeType, *_: int) -> object:
                nonlocal events_until_look
                events_until_look -= 1
                return None if events_until_look else look(code)

            def look(code: CodeType) -> object:
                nonlocal last_look, events_between_looks, events_until_look
                events_until_look = 1  # at the next event, if this look stops here
                if code.co_filename.startswith(TRUSTED_CODE):
                    return monitoring.DISABLE
                now = time.monotonic()
                if now > end_clock or time.process_time() > end_cpu:
                    self._end(sys._getframe(2))
                    raise TookTooLong
                is_quick = now - last_look < QUICK_SECONDS
                events_between_looks = min(2 * events_between_looks, MOST_EVENTS) if is_quick else 1
                events_until_look = events_between_looks
                last_look = now
                return None

            def disarm() -> None:
                monitoring.set_events(TOOL_NUMBER, 0)

            if monitoring.get_tool(TOOL_NUMBER) is None:
                monitoring.use_tool_id(TOOL_NUMBER, "hearts")
            for event in events:
                monitoring.register_callback(TOOL_NUMBER, event, count)
            monitoring.set_events(TOOL_NUMBER, events[0] | events[1])
            self._disarm = disarm
