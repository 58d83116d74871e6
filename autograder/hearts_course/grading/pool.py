"""Processes that grade: each has a pipe of its own, so that whose death it was is always known.

Worker   one process, asked for one result after another
Staff    a worker for each thread that asks; what a worker died of is tried in others

`ProcessPoolExecutor` will not do: its workers share their pipes and locks, so that one that is
killed takes the others with it, and now and then leaves the pool waiting for ever.
"""

import multiprocessing
import os
import signal
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from hearts_course.grading.bounds import stands_still
from hearts_course.grading.crew import WorkerDied
from hearts_course.grading.job import Unit, give_up, grade_one
from hearts_course.grading.orphans import Orphans
from hearts_course.grading.processors import least_taken, processors, stay_on
from hearts_course.results import Result
from hearts_course.sandbox.pipes import end_all

LOOK_SECONDS = 0.2
START_SECONDS = 120.0
TRIES = 3  # for a unit, each in a worker of its own; also for a worker to start
READY = "ready"


class Worker:
    """A process that grades."""

    def __init__(self, processor: int) -> None:
        """Start the process, on that processor alone."""
        spawn = multiprocessing.get_context("spawn")
        self.processor = processor
        self._pipe, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(theirs, processor), daemon=True)
        _take_interrupts(False)  # the process inherits that, and is not stopped half made
        self._process.start()
        _take_interrupts(True)
        theirs.close()

    def wait(self) -> None:
        """Let the process get ready; raises WorkerDied if it does not."""
        self._hear(START_SECONDS)

    def grade(self, unit: Unit, seconds: float) -> Result:
        """The unit's result; raises WorkerDied if there is none after so many seconds."""
        with suppress(OSError):
            self._pipe.send(unit)
        result: Result = self._hear(seconds)
        return result

    def kill(self) -> None:
        """End the process; harmless if it has ended already."""
        self._process.kill()
        self._process.join()

    def _hear(self, seconds: float) -> Any:
        with suppress(EOFError, OSError):
            if self._pipe.poll(seconds):
                return self._pipe.recv()
        self.kill()
        raise WorkerDied


class WorkerPool:
    """The workers of a crew, started when they are needed."""

    def __init__(self, orphans: Orphans) -> None:
        """`orphans` are what dead workers, and programs, have left."""
        self._orphans = orphans
        self._mine = threading.local()
        self._all: set[Worker] = set()
        self._lock = threading.Lock()  # a worker that is just being started is no orphan
        self._dismissed = False

    def grade(self, unit: Unit) -> Result:
        """The unit's result, by the worker of the calling thread."""
        for _ in range(TRIES):
            with suppress(WorkerDied):
                worker = getattr(self._mine, "worker", None) or self._ready_worker()
                result = worker.grade(unit, stands_still(unit.stage))
                with self._lock:
                    self._orphans.bury()
                return result
            self._bury()
        return give_up(unit, "the grading process died, and died again when retried")

    def dismiss(self) -> None:
        """End all workers, whatever they are at; there will be no others."""
        with self._lock:
            self._dismissed = True
            for worker in self._all:
                worker.kill()

    def _ready_worker(self) -> Worker:
        """A new worker for the thread; raises WorkerDied if none will start.

        A worker that is killed before it has got its unit has not died of that.
        """
        for _ in range(TRIES):
            with suppress(WorkerDied):
                return self._started()
            self._bury()
        raise WorkerDied

    def _started(self) -> Worker:
        """Raises WorkerDied if the worker does not start, or if the staff has been dismissed."""
        with self._lock:
            if self._dismissed:
                raise WorkerDied
            taken = [worker.processor for worker in self._all]
            worker = self._mine.worker = Worker(least_taken(processors(), taken))
            self._all.add(worker)
        worker.wait()
        return worker

    def _bury(self) -> None:
        with self._lock:
            if hasattr(self._mine, "worker"):
                self._all.discard(self._mine.worker)
                del self._mine.worker
            self._orphans.end()


def _serve(pipe: Connection, processor: int) -> None:
    """Grade what comes, until Ctrl-C or the end of the parent, which end all that runs here."""
    stay_on(processor)
    interrupted = threading.Event()
    signal.signal(signal.SIGINT, lambda number, frame: interrupted.set())
    _take_interrupts(True)
    threading.Thread(target=_leave_in_time, args=(interrupted,), daemon=True).start()
    with suppress(EOFError, OSError):
        pipe.send(READY)
        while True:
            pipe.send(grade_one(pipe.recv()))


def _leave_in_time(interrupted: threading.Event) -> None:
    """Not in the signal's handler, which may have stopped the worker while it held a lock."""
    parent = multiprocessing.parent_process()
    while not interrupted.wait(LOOK_SECONDS) and parent is not None and parent.is_alive():
        continue
    end_all()
    os._exit(128 + signal.SIGINT)


def _take_interrupts(wanted: bool) -> None:
    """Let Ctrl-C through to this thread and what it starts, or keep it until later."""
    if hasattr(signal, "pthread_sigmask"):
        how = signal.SIG_UNBLOCK if wanted else signal.SIG_BLOCK
        signal.pthread_sigmask(how, {signal.SIGINT})
