"""How long a run may take, however busy the machine is.

Allowance   so many seconds; what other work on the machine costs is not counted
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hearts_course.boundary.program import PATIENCE

PRESSURE = Path("/proc/pressure/cpu")


class Allowance:
    """Seconds that run from now on, but not while something had to wait for a processor.

    Nobody is to lose points to the load of the grading machine. Yet no program can wait for ever,
    not even one that makes the load itself: by the clock it has three times as long, and no more.
    """

    def __init__(self, seconds: float) -> None:
        """`seconds` are those of a quiet machine."""
        self._seconds = seconds
        self._begun, self._waited = time.monotonic(), _waited()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Count no time while this lasts: it is ours, and no program's."""
        begun, waited = time.monotonic(), _waited()
        yield
        self._begun += time.monotonic() - begun
        self._waited += _waited() - waited

    def is_used_up(self) -> bool:
        """Whether the time is over."""
        return self.left() < 0

    def left(self) -> float:
        """So many seconds are left; below 0 if the time is over."""
        elapsed = time.monotonic() - self._begun
        if elapsed <= self._seconds:
            return self._seconds - elapsed
        busy = _waited() - self._waited
        return min(self._seconds + busy, PATIENCE * self._seconds) - elapsed


def _waited() -> float:
    """Seconds since the machine was started in which something waited for a processor.

    0 where the system does not tell: then all time counts.
    """
    try:
        found = re.search(
            r"^some .*total=(\d+)", PRESSURE.read_text(encoding="ascii"), re.MULTILINE
        )
    except OSError:
        return 0.0
    return int(found[1]) / 1e6 if found else 0.0
