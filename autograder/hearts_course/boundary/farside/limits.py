"""What this process asks of the system for its own confinement, beside what its sandbox does.

Each of these does nothing where the platform has no such thing.
"""

from collections.abc import Mapping

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

try:
    from . import filter as kernel
except ImportError:  # an interpreter without `ctypes`
    kernel = None  # type: ignore[assignment]


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


def _allowed(kind: int, wanted: int) -> int:
    most = resource.getrlimit(kind)[1]
    return wanted if most == resource.RLIM_INFINITY else min(wanted, most)


def die_with_parent() -> None:
    """Have this process killed when its parent ends, however; a child must ask for itself."""
    if kernel is not None:
        kernel.die_with_parent()


def adopt_orphans() -> None:
    """Become the parent of what a test leaves running, so that it can be noticed."""
    if kernel is not None:
        kernel.adopt_orphans()


def refuse_calls() -> None:
    """Have some system calls refused to this process and all it starts."""
    if kernel is not None:
        kernel.refuse_calls()
