"""Find the processors that this process may use; `worker.rlimits.stay_on` keeps it on some."""

import os


def processors() -> list[int]:
    """Return the numbers of the processors that this process may use, at least one."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
