"""Find the processors that this process may use, for `worker.rlimits.stay_on`."""

import os


def processors() -> list[int]:
    """Return the numbers of the processors that this process may use, at least one."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
