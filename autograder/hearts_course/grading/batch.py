"""Many units of grading on every core: results come as they are ready, and none is ever lost."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from hearts_course.boundary.process import end_all
from hearts_course.grading.results import Result
from hearts_course.grading.work import Work, give_up, grade_one

LOOK_SECONDS = 0.2


def grade_all(works: Iterable[Work], *, jobs: int | None = None) -> Generator[Result, None, None]:
    """Each unit's result, in the order in which they are ready.

    A worker process that dies takes no result with it: what was waiting then is tried once more,
    each alone, since nobody knows whose fault it was; only then is it recorded as a fault of ours.
    """
    works = list(works)
    failed = []
    for work, result in _run_pool(works, jobs):
        if result is None:
            failed.append(work)
        else:
            yield result
    for work in failed:
        for _, result in _run_pool([work], 1):
            yield result or give_up(work, "the grading process died, and died again when retried")


def _run_pool(works: list[Work], jobs: int | None) -> Iterator[tuple[Work, Result | None]]:
    if not works:
        return
    context = multiprocessing.get_context("spawn")
    workers = min(jobs or os.cpu_count() or 1, len(works))
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare) as pool:
        futures: dict[Future[Result], Work] = {pool.submit(grade_one, w): w for w in works}
        try:
            for future in as_completed(futures):
                try:
                    yield futures[future], future.result()
                except BrokenProcessPool:
                    yield futures[future], None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


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
