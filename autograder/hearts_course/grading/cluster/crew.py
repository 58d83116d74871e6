"""Grading on the workers of a cluster, through Dask's `concurrent.futures` interface.

Cluster   a crew of a scheduler's workers, however many it has at the time
"""

import pickle
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager, suppress

from distributed import Client, KilledWorker

from hearts_course.course import Course
from hearts_course.errors import CourseError
from hearts_course.grading.cluster.course_archive import pack
from hearts_course.grading.cluster.worker import grade, own_tool
from hearts_course.grading.crew import Submit, WorkerDied
from hearts_course.grading.job import Unit, UnreadJob
from hearts_course.results import Result

ANSWER_SECONDS = 30
LOOK_SECONDS = 2.0
PATIENCE_SECONDS = 60.0  # a worker that is started anew takes a few of them


class ClusterError(CourseError):
    """The cluster can grade no more."""


class Cluster:
    """A scheduler's workers. What one of them held when it died, the scheduler has others do."""

    def __init__(self, client: Client, address: str, course: Course) -> None:
        """Hands the scheduler the course, for whichever workers need it."""
        self._client = client
        self._address = address
        self._tool = own_tool()
        parcel = pack(course)
        self._digest = parcel.digest
        # A task, not data: what is lost with the workers that have it is made again.
        self._parcel = client.submit(bytes, parcel.data, key=f"hearts-course-{parcel.digest}")
        self.places = 1
        self._next_look = 0.0
        self._alone_since: float | None = None
        self.look()

    @contextmanager
    def at_work(self) -> Iterator[Submit]:
        """Yields what hands out a unit; in the end, whatever no worker has begun is cancelled."""
        executor = self._client.get_executor(pure=False)
        try:
            yield lambda unit: self._submit(executor, unit)
        finally:
            with suppress(OSError, CancelledError):  # of a scheduler that is gone
                executor.shutdown(wait=False)

    def _submit(self, executor: Executor, unit: Unit) -> Future[Result]:
        """A unit is read here, since no worker could reach where it lies."""
        try:
            packed = pickle.dumps(unit.read() if isinstance(unit, UnreadJob) else unit)
        except Exception as error:
            future: Future[Result] = Future()
            future.set_exception(error)
            return future
        return executor.submit(grade, self._tool, self._digest, self._parcel, packed)

    def result(self, future: Future[Result]) -> Result:
        """The unit's result; raises WorkerDied, CourseError, or whatever else went wrong."""
        try:
            return future.result()
        except KilledWorker:
            raise WorkerDied from None
        except CancelledError:
            raise self._lost() from None

    def look(self) -> None:
        """Count the workers now and then; raises ClusterError if they or the scheduler are gone."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + LOOK_SECONDS
        try:
            threads = self._client.nthreads(callback_timeout=ANSWER_SECONDS)
        except (OSError, CancelledError):
            raise self._lost() from None
        self.places = max(1, sum(threads.values()))
        self._alone_since = None if threads else self._alone_since or now
        if self._alone_since is not None and now > self._alone_since + PATIENCE_SECONDS:
            raise ClusterError(
                f"{self._address}: no worker is left; start some, and run the same command again"
            )

    def _lost(self) -> ClusterError:
        return ClusterError(
            f"{self._address}: the scheduler is gone; what was graded is kept: start it again, or "
            "leave out --cluster, and run the same command again"
        )
