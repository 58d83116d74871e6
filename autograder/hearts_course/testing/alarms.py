"""Time limits for code in this process: by the system's alarms, or else by `sys.monitoring`.

`sys.monitoring` came with Python 3.12. Neither way can end a loop that is written in C.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Protocol

from hearts_course.sandbox.time_limit import clock_seconds
from hearts_course.sandbox.worker.script import line_of

HAS_ALARMS = sys.platform != "emscripten" and hasattr(signal, "setitimer")
AGAIN_SECONDS = 0.05  # the time between further alarms, for a program that catches the first
MIN_ALARM_SECONDS = 0.001  # an alarm after 0 seconds would never ring
MOST_EVENTS = 64  # at most this many jumps and calls come between two looks at the clock
QUICK_SECONDS = 0.01  # two looks are close together if less time passes between them
TOOL_NUMBER = 4  # our number in `sys.monitoring`; debuggers and profilers use other numbers
OUR_CODE = str(Path(__file__).parents[1])
TRUSTED_CODE = (OUR_CODE, str(Path(os.__file__).parent), "<frozen")


class Clock(Protocol):
    """A source of the time, such as the module `time`."""

    def monotonic(self) -> float:
        """Return the seconds of the clock."""

    def process_time(self) -> float:
        """Return the seconds of this process's processor time."""


class TookTooLong(KeyboardInterrupt):
    """Raised when a student's code has used up its time.

    It is an interrupt, so `except Exception` does not catch it.
    """


class TimeLimit:
    """Raises TookTooLong in the program's code when processor time or clock time is over.

    If the program catches the error, it is raised again soon, and also at the end of the block.
    """

    def __init__(
        self,
        cpu_seconds: float,
        clock_seconds: float,
        *,
        has_alarms: bool = HAS_ALARMS,
        clock: Clock = time,
    ) -> None:
        """`clock` tells the time if the system's alarms cannot be used."""
        self._cpu_seconds = cpu_seconds
        self._clock_seconds = clock_seconds
        self._has_alarms = has_alarms
        self._clock = clock
        self._over = False
        # The files and lines of the calls that ran when the time was over.
        self.calls: tuple[tuple[str, int], ...] = ()
        self._disarm: Callable[[], None] = lambda: None

    def __enter__(self) -> None:
        if self._has_alarms and threading.current_thread() is threading.main_thread():
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
        """Remember that the time is over, and which calls are running; do so only once."""
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
        """End the program's code.

        If the alarm rings in our own code, wait for a later alarm, because our code must not be
        interrupted.
        """
        self._end(frame)
        if frame is None or not frame.f_code.co_filename.startswith(OUR_CODE):
            raise TookTooLong

    if sys.version_info >= (3, 12):

        def _monitor(self) -> None:
            """Look at the clock when the program jumps or calls a function.

            Each jump and each call is an event of `sys.monitoring`. A look at the clock takes
            longer than most programs need from one event to the next. So while events come quickly,
            each look doubles the number of events until the next look, up to MOST_EVENTS.
            """
            monitoring = sys.monitoring
            clock = self._clock
            events = monitoring.events.JUMP, monitoring.events.PY_START
            end_cpu = clock.process_time() + self._cpu_seconds
            last_look = clock.monotonic()
            end_clock = last_look + self._clock_seconds
            events_between_looks = 1
            events_until_look = 1

            def count(code: CodeType, *_: int) -> object:
                nonlocal events_until_look
                events_until_look -= 1
                return None if events_until_look else look(code)

            def look(code: CodeType) -> object:
                nonlocal last_look, events_between_looks, events_until_look
                events_until_look = 1  # if this look returns early, look again at the next event
                if code.co_filename.startswith(TRUSTED_CODE):
                    return monitoring.DISABLE
                now = clock.monotonic()
                if now > end_clock or clock.process_time() > end_cpu:
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


class TestTime:
    """The time that a program may use in one test, and the time that its answers have used."""

    __test__ = False  # not a test for pytest to collect

    def __init__(self, allowed: float) -> None:
        """`allowed` is the limit in seconds of processor time; the limit by the clock is longer."""
        self.allowed = allowed
        self.cpu_seconds = 0.0
        self._clock_seconds = 0.0
        self._cpu_begun = 0.0
        self._clock_begun = 0.0

    def begin_answer(self) -> TimeLimit:
        """Count time from now on, and return the limit that ends an answer that takes too long."""
        self._cpu_begun = time.process_time()
        self._clock_begun = time.monotonic()
        return TimeLimit(
            self.allowed - self.cpu_seconds, clock_seconds(self.allowed) - self._clock_seconds
        )

    def end_answer(self) -> None:
        """Add the time since `begin_answer` to the time that the answers have used."""
        self.cpu_seconds += time.process_time() - self._cpu_begun
        self._clock_seconds += time.monotonic() - self._clock_begun
