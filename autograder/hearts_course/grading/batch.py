"""Many units of grading on every core: results come as they are ready, and none is ever lost.

Only a few units are under way at any time, so that memory does not grow with the class.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice

from hearts_course.boundary.process import end_all
from hearts_course.grading.bounds import must_end
from hearts_course.grading.orphans import adopting
from hearts_course.grading.results import Result
from hearts_course.grading.work import Unit, give_up, grade_one

LOOK_SECONDS = 0.2
AHEAD = 2  # units handed out for each worker: the one it is at, and the next


def workers(jobs: int | None = None) -> int:
    """How many units are graded at a time."""
    return jobs or os.cpu_count() or 1


def grade_all(units: Iterable[Unit], *, jobs: int | None = None) -> Generator[Result, None, None]:
    """Each unit's result, in the order in which they are ready.

    A worker process that dies takes no result with it: what was under way then is tried once more,
    each alone, since nobody knows whose fault it was; only then is it recorded as a fault of ours.
    """
    coming = iter(units)
    with adopting() as end_orphans:
        while suspects := (yield from _run(coming, workers(jobs))):
            end_orphans()
            for unit in suspects:
                if (yield from _run(iter([unit]), 1)):
                    end_orphans()
                    yield give_up(unit, "the grading process died, and died again when retried")


def _run(units: Iterator[Unit], processes: int) -> Generator[Result, None, list[Unit]]:
    """Grade until all is done, or until a worker dies; returns what was under way then."""
    under_way: dict[Future[Result], Unit] = {}
    with _pool(processes) as pool:
        try:
            while True:
                for unit in islice(units, AHEAD * processes - len(under_way)):
                    under_way[_submit(pool, unit)] = unit
                if not under_way:
                    return []
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    result = _result(future, under_way[future])
                    del under_way[future]
                    yield result
        except BrokenProcessPool:
            return list(under_way.values())


def _result(future: Future[Result], unit: Unit) -> Result:
    """Raises BrokenProcessPool if a worker died; any other fault of ours is in the result."""
    try:
        return future.result()
    except BrokenProcessPool:
        raise
    except Exception as error:
        return give_up(unit, f"{type(error).__name__}: {error}")


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
