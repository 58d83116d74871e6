"""Limits of time, memory and files that a process asks of the kernel for itself.

Each of these does nothing where the platform has no such limit.
"""

import signal
import sys
from collections.abc import Mapping

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

test_cpu_seconds = 0.0


def apply(limits: Mapping[str, int]) -> None:
    """Limit this process and its children; they cannot raise these limits again."""
    if resource is None:
        return
    wanted = {
        resource.RLIMIT_AS: limits["memory_bytes"],
        resource.RLIMIT_FSIZE: limits["written_bytes"],
        resource.RLIMIT_NOFILE: limits["open_files"],
        resource.RLIMIT_CORE: 0,
    }
    if hasattr(resource, "RLIMIT_SIGPENDING"):  # a count that all programs of a user share
        wanted[resource.RLIMIT_SIGPENDING] = 0
    if sys.platform == "darwin":  # which refuses this limit, and would not hold to it
        del wanted[resource.RLIMIT_AS]
    for kind, value in wanted.items():
        value = _allowed(kind, value)
        resource.setrlimit(kind, (value, value))


def limit_cpu(seconds: int, hard_seconds: int = 0) -> None:
    """Have the kernel end this process after that much processor time.

    A program that ignores the first signal is killed one second later, or after `hard_seconds`
    and one more if that is later.
    """
    if resource is not None:
        kind = resource.RLIMIT_CPU
        hard = _allowed(kind, max(seconds, hard_seconds) + 1)
        resource.setrlimit(kind, (min(_allowed(kind, seconds), hard), hard))


def limit_time(cpu_seconds: float, clock_seconds: float) -> None:
    """Have the kernel end this process after either time; 0 lifts the limit.

    These timers are exact to some milliseconds, and that of processor time does not depend on
    other work on the machine. A program that removes them meets the limit of `limit_cpu` or the
    client's deadline.
    """
    global test_cpu_seconds
    test_cpu_seconds = cpu_seconds
    _set_timer("ITIMER_PROF", "SIGPROF", cpu_seconds)
    _set_timer("ITIMER_REAL", "SIGALRM", clock_seconds)


def limit_script() -> None:
    """Limit this process, which inherits no timers, to the processor time of its test."""
    _set_timer("ITIMER_PROF", "SIGPROF", test_cpu_seconds)


def _set_timer(timer: str, sent: str, seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.signal(getattr(signal, sent), signal.SIG_DFL)
        signal.setitimer(getattr(signal, timer), seconds)


def _allowed(kind: int, wanted: int) -> int:
    hard = resource.getrlimit(kind)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
