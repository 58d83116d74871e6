"""End what a killed worker leaves running.

A worker that ends in any way of its own ends its programs first. One that is killed cannot; then,
on Linux, whatever it had started becomes a child of this process, which ends it.
"""

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
MAX_ROUNDS = 100  # the sandbox stops what starts processes faster than they are ended


class Orphans:
    """The processes that this one has adopted."""

    def __init__(self, known: set[int]) -> None:
        """`known` are children of this process that are not orphans."""
        self._known = known

    def end(self) -> None:
        """End all orphans."""
        for _ in range(MAX_ROUNDS):
            orphans = self._all()
            if not orphans:
                return
            for orphan in orphans:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(orphan, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(orphan, 0)

    def reap(self) -> None:
        """Free the orphans that have ended: until then each keeps its entry in a system table."""
        if sys.platform != "linux":
            return
        dead_already = os.WEXITED | os.WNOHANG | os.WNOWAIT
        with contextlib.suppress(ChildProcessError):
            while (dead := os.waitid(os.P_ALL, 0, dead_already)) is not None:
                if dead.si_pid in self._ours():
                    return
                os.waitpid(dead.si_pid, 0)

    def _all(self) -> set[int]:
        children = _children()  # first, so that a worker started meanwhile is only among ours
        return children - self._ours()

    def _ours(self) -> set[int]:
        return self._known | {process.pid or 0 for process in multiprocessing.active_children()}


@contextmanager
def adopting() -> Iterator[Orphans]:
    """Adopt every orphan below this process, and finally end those that are left."""
    resource_tracker.ensure_running()  # multiprocessing's own child, not an orphan
    orphans = Orphans(_children())
    _adopt(True)
    try:
        yield orphans
    finally:
        orphans.end()
        _adopt(False)


def _adopt(wanted: bool) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)


def _children() -> set[int]:
    """Return the children of this process; none where there is no /proc."""
    own = str(os.getpid())
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "stat").read_text().rpartition(")")[2].split()[1] == own:
                found.add(int(folder.name))
    return found
