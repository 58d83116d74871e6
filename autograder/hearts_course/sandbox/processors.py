"""On which processors this process, and what it starts, may run."""

import os
from collections.abc import Collection
from contextlib import suppress


def processors() -> list[int]:
    """Return the numbers of the processors that this process may use, at least one."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def stay_on(chosen: Collection[int]) -> None:
    """Keep this process and all that it starts on these, where the system allows it."""
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):  # a processor may have been taken away meanwhile
            os.sched_setaffinity(0, chosen)
