"""Limit the time, memory, files and processors of this process, where the platform can."""

import os
import signal
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from types import FrameType

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

LATE = 0.9  # a program is late once it has used this fraction of its time

test_cpu_seconds = 0.0
# When the time is over, the files and lines of the calls that are running then are written to this
# file descriptor.
reported_to: int | None = None


def apply(limits: Mapping[str, int]) -> None:
    """Limit this process and its children for good."""
    if resource is None:
        return
    for kind, value in kernel_limits(limits).items():
        allowed = _allowed(kind, value)
        resource.setrlimit(kind, (allowed, allowed))


def kernel_limits(limits: Mapping[str, int], platform: str = sys.platform) -> dict[int, int]:
    """Return the limits to set on this platform: a value for each kind of limit."""
    wanted = {
        resource.RLIMIT_AS: limits["memory_bytes"],
        resource.RLIMIT_FSIZE: limits["written_bytes"],
        resource.RLIMIT_NOFILE: limits["open_files"],
        resource.RLIMIT_CORE: 0,
    }
    if hasattr(resource, "RLIMIT_SIGPENDING"):
        # The kernel counts queued signals for all programs of a user together. A program could
        # learn from the count what another program does, so forbid queued signals.
        wanted[resource.RLIMIT_SIGPENDING] = 0
    if platform == "darwin":  # macOS refuses this limit, and would not enforce it
        del wanted[resource.RLIMIT_AS]
    return wanted


def stay_on(processors: Collection[int]) -> None:
    """Keep this process and its children on these processors, if system and sandbox allow it."""
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):  # a processor may have been taken away meanwhile
            os.sched_setaffinity(0, processors)


def limit_cpu(seconds: int, hard_seconds: int = 0) -> None:
    """Have the kernel end this process after that much processor time.

    A program that ignores the first signal is killed after one more second of processor time. If
    `hard_seconds` is larger than `seconds`, it is killed one second after `hard_seconds` instead.
    """
    if resource is not None:
        kind = resource.RLIMIT_CPU
        hard = _allowed(kind, max(seconds, hard_seconds) + 1)
        resource.setrlimit(kind, (min(_allowed(kind, seconds), hard), hard))


def limit_time(cpu_seconds: float, clock_seconds: float) -> None:
    """Have the kernel end this process after either time; 0 removes the limit.

    These timers are exact to some milliseconds, and processor time does not depend on other work on
    the machine. If a program removes the timers, `limit_cpu` or the client's deadline ends it.
    """
    global test_cpu_seconds
    test_cpu_seconds = cpu_seconds
    _set_timer("ITIMER_PROF", "SIGPROF", cpu_seconds)
    _set_timer("ITIMER_REAL", "SIGALRM", clock_seconds)


def report_calls(descriptor: int) -> None:
    """When the time of `limit_time` is over, write the calls that are running to the descriptor.

    A call is written as its file and line. The calls show where a program loops, even if the loop
    is written in C. On a platform without timers, nothing is written.
    """
    global reported_to
    reported_to = descriptor


def note_when_late(
    cpu_seconds: float, clock_seconds: float, note: Callable[[int, FrameType | None, bool], None]
) -> None:
    """For each of the two limits, call `note` after 45 % of it and again after 90 % of it.

    `note` gets the number of the timer's signal, the frame of the program's innermost running call,
    and whether `note` is called for this limit the second time. After each call the program goes
    on, and `limit_time` still ends it. `note` is not called during a loop in C.
    """
    if not hasattr(signal, "setitimer"):
        return
    rung: set[int] = set()

    def ring(number: int, frame: FrameType | None) -> None:
        is_late = number in rung
        rung.add(number)
        if is_late and number == signal.SIGALRM:
            # `limit_time` needs this timer to end the program at the limit of time by the clock. So
            # set the timer to the time that is left until then.
            _set_timer("ITIMER_REAL", "SIGALRM", (1 - LATE) * clock_seconds)
        note(number, frame, is_late)

    timers = {signal.SIGVTALRM: (signal.ITIMER_VIRTUAL, LATE / 2 * cpu_seconds)}
    if clock_seconds:
        timers[signal.SIGALRM] = signal.ITIMER_REAL, LATE / 2 * clock_seconds
    for number, (timer, seconds) in timers.items():
        signal.signal(number, ring)
        signal.setitimer(timer, seconds, seconds)


def limit_script() -> None:
    """Limit this process, which runs a script, to the processor time of its test.

    A process inherits no timers from the process that started it, so the timer is set again here.
    """
    global reported_to
    reported_to = None
    _set_timer("ITIMER_PROF", "SIGPROF", test_cpu_seconds)


def _set_timer(timer: str, sent: str, seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        number = getattr(signal, sent)
        signal.signal(number, signal.SIG_DFL)
        if reported_to is not None:
            import faulthandler  # no graded submission needs this import

            faulthandler.unregister(number)
            faulthandler.register(number, file=reported_to, all_threads=False, chain=True)
        signal.setitimer(getattr(signal, timer), seconds)


def _allowed(kind: int, wanted: int) -> int:
    hard = resource.getrlimit(kind)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
