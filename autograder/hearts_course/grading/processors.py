"""Which processors there are for grading, and which worker gets which.

A suite asks and a program answers, never both at once. On two processors each would go to sleep and
be woken for every question, which takes longer than most answers; so each worker, with all that it
starts, keeps to one.

processors    those that this process may use
least_taken   the one for a new worker
stay_on       keep this process there
"""

import os
from collections.abc import Sequence
from contextlib import suppress


def processors() -> list[int]:
    """The numbers of the processors that this process may use, at least one."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def least_taken(there: Sequence[int], taken: Sequence[int]) -> int:
    """The processor that the fewest workers are on.

    Of several the choice depends on this process, so that two graders do not share one needlessly.
    """
    first = os.getpid() % len(there)
    return min([*there[first:], *there[:first]], key=taken.count)


def stay_on(processor: int) -> None:
    """Keep this process and all that it starts on the processor, where the system lets us."""
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):  # it may have been taken away meanwhile
            os.sched_setaffinity(0, {processor})
