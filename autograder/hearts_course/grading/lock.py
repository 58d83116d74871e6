"""One grader at a time in an output folder.

claim   holds the folder; whoever comes second is told who was first, and stops
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hearts_course.errors import UsageError

try:
    import fcntl
except ImportError:  # Windows, where there is no sandbox either
    fcntl = None  # type: ignore[assignment]


@contextmanager
def claim(path: Path, folder: Path) -> Iterator[None]:
    """Hold the folder by a lock on the file `path`; raises UsageError if somebody else holds it.

    The kernel lets go of the lock when the process ends, however it ends.
    """
    if fcntl is None:
        yield
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}; choose another folder with --out") from None
    try:
        _lock(file, folder)
        with suppress(OSError):  # on a full disk the lock holds, too, if without a name
            os.ftruncate(file, 0)
            os.pwrite(file, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(file)


def _lock(file: int, folder: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(file, 20, 0).decode("ascii", "replace") or "that has just started"
        raise UsageError(
            f"{folder}: another grader, process {holder}, is at work in it; wait until it has "
            "ended, or choose another folder with --out"
        ) from None
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot be locked ({error.strerror}); choose another folder with --out"
        ) from None
