"""What this process asks of the system for its own confinement, beside what its sandbox does.

Each of these does nothing where the platform has no such thing.
"""

import os
import signal
from collections.abc import Mapping

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

try:
    from . import landlock, seccomp
except ImportError:  # an interpreter without `ctypes`
    landlock = seccomp = None  # type: ignore[assignment]


def limit(limits: Mapping[str, int]) -> None:
    """Bound this process and its children by the kernel's own limits."""
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
    for kind, most in wanted.items():
        most = _allowed(kind, most)
        resource.setrlimit(kind, (most, most))


def limit_cpu(seconds: int, in_the_end: int = 0) -> None:
    """Let the kernel end this process when it has used so many seconds of processor time.

    A second later it does so for good, should the program not listen to the first signal; later
    still if there are to be more seconds `in_the_end`.
    """
    if resource is not None:
        kind = resource.RLIMIT_CPU
        last = _allowed(kind, max(seconds, in_the_end) + 1)
        resource.setrlimit(kind, (min(_allowed(kind, seconds), last), last))


def limit_time(cpu_seconds: float, clock_seconds: float) -> None:
    """Let the kernel end this process when a test has used either time; 0 lifts the limit.

    Processor time is exact here, to some milliseconds, and does not depend on other work on the
    machine. A program that takes these timers off meets the limit of
    `limit_cpu`, or the near side's.
    """
    global test_cpu_seconds
    test_cpu_seconds = cpu_seconds
    _set_timer("ITIMER_PROF", "SIGPROF", cpu_seconds)
    _set_timer("ITIMER_REAL", "SIGALRM", clock_seconds)


def limit_script() -> None:
    """Give this process, which inherits no timers, the processor time of the test that needs it."""
    _set_timer("ITIMER_PROF", "SIGPROF", test_cpu_seconds)


def _set_timer(timer: str, sent: str, seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.signal(getattr(signal, sent), signal.SIG_DFL)
        signal.setitimer(getattr(signal, timer), seconds)


test_cpu_seconds = 0.0


def _allowed(kind: int, wanted: int) -> int:
    most = resource.getrlimit(kind)[1]
    return wanted if most == resource.RLIM_INFINITY else min(wanted, most)


def die_with_parent() -> None:
    """Have this process killed when its parent ends, however; a child must ask for itself."""
    if seccomp is not None:
        seccomp.die_with_parent()


def confine_sandbox() -> None:
    """Have the kernel refuse all that no program needs, here and in all that starts here."""
    if seccomp is not None:
        seccomp.confine_sandbox()


def confine_program() -> None:
    """Have the kernel keep this process alone: it starts no other, and signals only itself.

    Where `/proc` can be reached, it can look into no process but its own.
    """
    if seccomp is not None:
        if has_proc():
            landlock.stand_apart()
        seccomp.confine_program()


def has_proc() -> bool:
    """Whether a process can reach others, and open its pipes again, by `/proc`."""
    try:
        os.stat("/proc/self/fd")  # noqa: PTH116 - pathlib takes long to import
    except OSError:
        return False
    return True
