"""Grading on every core of this machine: a crew of worker processes.

Processes   the crew
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from hearts_course.boundary.process import end_all
from hearts_course.grading.bounds import must_end
from hearts_course.grading.crew import Submit, WorkerDied
from hearts_course.grading.orphans import adopting
from hearts_course.grading.results import Result
from hearts_course.grading.work import Unit, grade_one

LOOK_SECONDS = 0.2


class Processes:
    """Worker processes; when one of them dies, the others end, too."""

    def __init__(self, places: int | None = None) -> None:
        """So many of them, or one for each processor."""
        self.places = places or os.cpu_count() or 1

    @contextmanager
    def at_work(self) -> Iterator[Submit]:
        """Yields what hands out a unit; what was killed has left nothing running in the end."""
        with adopting(), _pool(self.places) as pool:
            yield lambda unit: _submit(pool, unit)

    def result(self, future: Future[Result]) -> Result:
        """The unit's result; raises WorkerDied, or whatever else went wrong with it."""
        try:
            return future.result()
        except BrokenProcessPool:
            raise WorkerDied from None

    def look(self) -> None:
        """The pool itself sees when one of them dies."""


def _submit(pool: Executor, unit: Unit) -> Future[Result]:
    """Where the pool has broken already, the future says so, and the unit is not forgotten."""
    try:
        return pool.submit(_grade_in_time, unit)
    except BrokenProcessPool as error:
        future: Future[Result] = Future()
        future.set_exception(error)
        return future


@contextmanager
def _pool(processes: int) -> Iterator[Executor]:
    """Worker processes; if whoever uses them is stopped, they are, too, and at once."""
    others = set(multiprocessing.active_children())
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=spawn, initializer=_prepare)
    try:
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _grade_in_time(unit: Unit) -> Result:
    with must_end(unit.stage.limits):
        return grade_one(unit)


def _prepare() -> None:
    """Let the worker end, with all that it has started, on Ctrl-C or when its parent is gone."""
    interrupted = threading.Event()
    signal.signal(signal.SIGINT, lambda number, frame: interrupted.set())
    threading.Thread(target=_leave_in_time, args=(interrupted,), daemon=True).start()


def _leave_in_time(interrupted: threading.Event) -> None:
    """Not in the signal's handler, which may have stopped the worker while it held a lock."""
    parent = multiprocessing.parent_process()
    while not interrupted.wait(LOOK_SECONDS) and parent is not None and parent.is_alive():
        continue
    end_all()
    os._exit(128 + signal.SIGINT)
