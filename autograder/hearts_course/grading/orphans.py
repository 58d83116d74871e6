"""What a killed worker leaves running is ended all the same.

A worker that ends in any way of its own ends its programs first. One that is killed cannot; then,
on Linux, whatever it had started becomes a child of ours, by our wish, and we end it.

adopting   collects orphans while it lasts, and ends them when asked, and at its own end
"""

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
MOST_ROUNDS = 100  # what starts processes faster than we end them is the sandbox's to stop


@contextmanager
def adopting() -> Iterator[Callable[[], None]]:
    """Adopt every orphan below this process; yields what ends those that there are."""
    resource_tracker.ensure_running()  # a child of multiprocessing's own, and no orphan
    known = _children()
    _adopt(True)
    try:
        yield lambda: _end(known)
    finally:
        _end(known)
        _adopt(False)


def _adopt(wanted: bool) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)


def _end(known: set[int]) -> None:
    for _ in range(MOST_ROUNDS):
        ours = {process.pid for process in multiprocessing.active_children()}
        orphans = _children() - known - ours
        if not orphans:
            return
        for orphan in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(orphan, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(orphan, 0)


def _children() -> set[int]:
    """The processes that this one is the parent of; none where there is no /proc."""
    own = str(os.getpid())
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "stat").read_text().rpartition(")")[2].split()[1] == own:
                found.add(int(folder.name))
    return found
