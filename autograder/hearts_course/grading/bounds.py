"""How long grading may take at the most, and what happens to what takes longer.

max_seconds    the bound of a class, which follows from its stages' limits
stands_still   when to give up a worker
must_end       has a worker give up itself
"""

import faulthandler
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from hearts_course.course import Stage
from hearts_course.sandbox.submission_process import (
    ALARM_SECONDS,
    END_SECONDS,
    PATIENCE,
    clock_seconds,
)
from hearts_course.submissions.find import SubmissionPath
from hearts_course.testing.time_budget import CLOCK_SHARE, FREE_IMPORT_SECONDS, MAX_FULL_TIMEOUTS

PATIENCE_WITH_US = 4


def max_seconds(slots: Iterable[SubmissionPath], workers: int) -> float:
    """The time that a class takes if every submission uses up all its limits."""
    bounds = [_runs(slot) * one_run(slot.stage) for slot in slots]
    return sum(bounds) / workers + max(bounds, default=0.0)


def _runs(slot: SubmissionPath) -> int:
    """On the student's own earlier stages, if there are any, and on ours."""
    return 2 if slot.earlier else 1


def one_run(stage: Stage) -> float:
    """The time that one run of a suite may take, by the clock, if its program only sleeps.

    It follows from the rule in `suite/allowance`. What is under way when the time is over still
    ends: the last test may have to import the program again, and each of both may be tried twice.
    """
    limits = stage.limits
    timeouts = MAX_FULL_TIMEOUTS * len(stage.tasks) * limits.test_seconds
    imports = 2 * PATIENCE * limits.import_seconds
    last_test = 2 * (clock_seconds(limits.test_seconds) + ALARM_SECONDS) + END_SECONDS
    tests = CLOCK_SHARE * (limits.submission_seconds + timeouts + FREE_IMPORT_SECONDS)
    return imports + tests + imports + last_test


def stands_still(stage: Stage) -> float:
    """The time after which a worker is ended, since it stands still through a fault of ours.

    No submission can make it: every wait for one has an end.
    """
    return PATIENCE_WITH_US * 2 * one_run(stage)


@contextmanager
def must_end(stage: Stage) -> Iterator[None]:
    """End this process, which is a worker's, if what is in here stands still.

    The watch is kept outside of Python, which may be what stands still.
    """
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        faulthandler.dump_traceback_later(stands_still(stage), exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
