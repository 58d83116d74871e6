"""How long grading may take at the most, and what happens to what takes longer.

most_seconds   the bound of a class, which follows from its stages' limits
stands_still   when to give up a worker
must_end       has a worker give up itself
"""

import faulthandler
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from hearts_course.boundary.program import END_SECONDS, PATIENCE
from hearts_course.course import Limits
from hearts_course.grading.layout import Slot

PATIENCE_WITH_US = 10


def most_seconds(slots: Iterable[Slot], workers: int) -> float:
    """The time that a class takes if every submission uses up all its limits."""
    bounds = [_runs(slot) * one_run(slot.stage.limits) for slot in slots]
    return sum(bounds) / workers + max(bounds, default=0.0)


def _runs(slot: Slot) -> int:
    """On the student's own earlier stages, if there are any, and on ours."""
    return 2 if slot.earlier else 1


def one_run(limits: Limits) -> float:
    """The time that one run of a suite may take: what is under way when it is over still ends.

    The last test may have to import the program again, and who dies of that may try once more.
    """
    imports = 2 * PATIENCE * limits.import_seconds
    last_test = imports + PATIENCE * limits.test_seconds + END_SECONDS
    return imports + PATIENCE * limits.submission_seconds + last_test


def stands_still(limits: Limits) -> float:
    """The time after which a worker is ended, since it stands still through a fault of ours.

    No submission can make it: every wait for one has an end.
    """
    return PATIENCE_WITH_US * 2 * one_run(limits)


@contextmanager
def must_end(limits: Limits) -> Iterator[None]:
    """End this process, which is a worker's, if what is in here stands still.

    The watch is kept outside of Python, which may be what stands still.
    """
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        faulthandler.dump_traceback_later(stands_still(limits), exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
