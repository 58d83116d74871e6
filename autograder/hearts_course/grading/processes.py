"""Grading on every core of this machine: a crew of worker processes.

Processes   the crew
"""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from hearts_course.grading.crew import Submit
from hearts_course.grading.orphans import adopting
from hearts_course.grading.pool import WorkerPool
from hearts_course.grading.processors import processors
from hearts_course.results import Result


class LocalExecutor:
    """Worker processes; when one of them dies, another takes its place and its unit."""

    def __init__(self, places: int | None = None) -> None:
        """So many of them, or one for each processor."""
        self.places = places or len(processors())

    @contextmanager
    def at_work(self) -> Iterator[Submit]:
        """Yields what hands out a unit; in the end nothing runs on that was started for one."""
        with adopting() as orphans:
            staff, pool = WorkerPool(orphans), ThreadPoolExecutor(self.places)
            try:
                yield lambda unit: pool.submit(staff.grade, unit)
            finally:
                staff.dismiss()
                pool.shutdown(cancel_futures=True)

    def result(self, future: Future[Result]) -> Result:
        """The unit's result; raises whatever went wrong with it."""
        return future.result()

    def look(self) -> None:
        """Each worker's thread sees when it dies."""
