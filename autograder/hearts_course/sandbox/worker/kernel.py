"""Call functions of the Linux kernel that Python does not offer."""

import functools
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

try:
    import ctypes
except ImportError:  # an interpreter without `ctypes`
    ctypes = None  # type: ignore[assignment]

PR_SET_PDEATHSIG, PR_CAPBSET_DROP = 1, 24
PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 22, 36, 38

THREAD_SETTINGS_BYTES, SMALL_STACK_BYTES = 64, 2**18
PAUSES = (0.05, 0.2, 1.0)  # seconds before each further try to start a process

Started = TypeVar("Started")


class NoProcess(BaseException):
    """The machine cannot start a process now, which is not the program's fault."""


def start_child(fork: Callable[[], Started]) -> Started:
    """Return what `os.fork` or `pty.fork` returns; raise NoProcess if it fails again and again.

    Retry after each pause in PAUSES, because the machine may lack memory or process slots only for
    a moment.
    """
    for pause in PAUSES:
        try:
            return fork()
        except OSError:
            time.sleep(pause)
    try:
        return fork()
    except OSError:
        raise NoProcess from None


def can_ask() -> bool:
    """Return whether this is Linux, and Python can call its C library."""
    return sys.platform == "linux" and ctypes is not None


@functools.cache
def library() -> Any:
    """Return the C library."""
    loaded = ctypes.CDLL(None, use_errno=True)
    loaded.syscall.restype = ctypes.c_long
    loaded.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    loaded.mmap.restype = ctypes.c_void_p
    loaded.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    return loaded


def call(number: int, *arguments: object) -> int:
    """Make the system call with this number; return its result, -1 for an error."""
    return int(library().syscall(number, *arguments))


def last_error() -> int:
    """Return the error number of the last call."""
    return ctypes.get_errno()


def prctl(option: int, value: int = 0, address: int = 0) -> bool:
    """Change a setting of this process; return whether the kernel did so."""
    return bool(library().prctl(option, value, address, 0, 0) == 0)


def die_with_parent() -> None:
    """Have this process killed when its parent ends; each child must call this itself."""
    if can_ask():
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of each descendant whose own parent ends (a Linux subreaper)."""
    if can_ask():
        prctl(PR_SET_CHILD_SUBREAPER, 1)


def use_up_process_numbers(count: int) -> None:
    """Start and end `count` threads, so that the next process does not get the next number.

    Threads and processes are numbered together.
    """
    if not can_ask():
        return
    thread = ctypes.c_ulong()
    settings = ctypes.create_string_buffer(THREAD_SETTINGS_BYTES)
    library().pthread_attr_init(settings)
    library().pthread_attr_setstacksize(settings, ctypes.c_size_t(SMALL_STACK_BYTES))
    for _ in range(count):
        if library().pthread_create(ctypes.byref(thread), settings, library().sched_yield, None):
            return  # if too few process numbers are skipped, no error is needed
        library().pthread_join(thread, None)
