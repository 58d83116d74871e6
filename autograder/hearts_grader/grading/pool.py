"""Grade many submissions with worker processes; yield results as they are ready, lose none.

Executor        the workers that grade: processes on this machine, or a cluster's workers
LocalExecutor   the executor with a process for each processor of this machine
WorkerPool      the processes of a LocalExecutor: one for each calling thread, replaced if it dies
Orphans         processes that a killed worker leaves running

`ProcessPoolExecutor` does not work here: its workers share pipes and locks. A worker that is killed
ends the others, and sometimes leaves the pool waiting forever. Here each worker has its own pipe.
"""

import ctypes
import importlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol, cast

from hearts_course.course import Stage
from hearts_course.errors import CourseError
from hearts_course.results import Result
from hearts_course.sandbox.pipes import end_all
from hearts_course.sandbox.processors import processors
from hearts_course.sandbox.worker.rlimits import stay_on

from hearts_grader.grading.grade import GradeJob, grade_one, grader_error, watchdog_seconds
from hearts_grader.sandbox.ahead import Ahead
from hearts_grader.sandbox.library_archive import library_archive

JOBS_PER_WORKER = 2  # jobs submitted at a time: the job being graded, and the next job
POLL_SECONDS = 1.0  # time between two checks whether any worker is still there
INTERRUPT_SECONDS = 0.2  # time between two checks whether the parent still runs
START_SECONDS = 120.0  # time for the start of a worker; ample, because a busy machine is slow
MAX_TRIES = 3  # tries of a job, each in a new worker; also tries to start a worker
PR_SET_CHILD_SUBREAPER = 36  # an option of Linux's `prctl`
# How many times `Orphans.end` looks for orphans and kills them. This is enough, because few new
# orphans appear between two looks: sandboxed programs start processes slowly.
MAX_ROUNDS = 100
READY = "ready"
DIED = "the grading process died, and died again when retried"

Submit = Callable[[GradeJob], Future[Result]]


class WorkerDied(Exception):
    """A worker died, perhaps because of the job that it graded."""


class Executor(Protocol):
    """Workers that grade jobs, here or on a cluster."""

    @property
    def places(self) -> int:
        """How many jobs are graded at a time; at least one."""

    def at_work(self) -> AbstractContextManager[Submit]:
        """Yield a function that submits a job; at the end, drop the jobs that are not done."""

    def result(self, future: Future[Result]) -> Result:
        """Return the result of a future that is done.

        Raise WorkerDied if the job's worker died, and CourseError if no worker is left. Raise any
        other error that the job raised.
        """

    def check_workers(self) -> None:
        """Raise CourseError if no more results can come; called often."""


def grade_all(jobs: Iterable[GradeJob], executor: Executor) -> Generator[Result, None, None]:
    """Yield each job's result as soon as it is ready, so in any order.

    Only a few jobs are submitted at any time, so that memory does not grow with the class. If a
    worker dies, retry its jobs one by one, because any of them may be the cause. If a worker dies
    again, the job becomes a grader error. Raise CourseError if no worker is left.
    """
    coming = iter(jobs)
    while True:
        suspects = yield from _run(coming, executor)
        if not suspects:
            return
        for job in suspects:
            suspects_again = yield from _run(iter([job]), executor)
            if suspects_again:
                yield grader_error(job, DIED)


def _run(jobs: Iterator[GradeJob], executor: Executor) -> Generator[Result, None, list[GradeJob]]:
    """Grade until all jobs are done, or until a worker has died and all submitted jobs have ended.

    Yield the results, and return the jobs whose workers died.
    """
    running: dict[Future[Result], GradeJob] = {}
    suspects: list[GradeJob] = []
    with executor.at_work() as submit:
        while True:
            executor.check_workers()
            room = 0 if suspects else max(0, JOBS_PER_WORKER * executor.places - len(running))
            for job in islice(jobs, room):
                running[submit(job)] = job
            if not running:
                return suspects
            for future in wait(running, POLL_SECONDS, FIRST_COMPLETED).done:
                job = running.pop(future)
                try:
                    result = executor.result(future)
                except WorkerDied:
                    suspects.append(job)
                except CourseError:
                    raise
                except Exception as error:
                    yield grader_error(job, f"{type(error).__name__}: {error}")
                else:
                    yield result


@dataclass(frozen=True)
class Way:
    """How workers grade.

    `tried` says that the jobs' sandbox was tested on this machine already, so that the workers need
    not test it. `spare` says that there are more processors than workers.
    """

    tried: bool
    spare: bool


class LocalExecutor:
    """Worker processes on this machine; when a worker dies, a new worker takes its place."""

    def __init__(
        self,
        places: int | None = None,
        *,
        most: int | None = None,
        tried: bool = False,
        patience: Callable[[Stage], float] = watchdog_seconds,
    ) -> None:
        """Grade `places` jobs at a time, or one on each processor, but no more than `most`.

        If the jobs' sandbox was `tried`, no worker tests it again. `patience` returns how many
        seconds a worker may take for a job of the stage before it is killed.
        """
        places = places or len(processors())
        self.places = places if most is None else max(1, min(places, most))
        self._way = Way(tried, spare=self.places < len(processors()))
        self._patience = patience
        self._staying: Submit | None = None

    @contextmanager
    def staying(self) -> Iterator["LocalExecutor"]:
        """Keep the workers until the context ends, so that they load everything only once."""
        with self.at_work() as self._staying:
            yield self

    @contextmanager
    def at_work(self) -> Iterator[Submit]:
        """Yield a function that submits a job; at the end, stop everything that it started."""
        if self._staying is not None:
            yield self._staying
            return
        with adopting() as orphans:
            workers = WorkerPool(orphans, self._way, self._patience)
            threads = ThreadPoolExecutor(self.places)
            try:
                for _ in range(self.places):
                    threads.submit(workers.start)
                yield lambda job: threads.submit(workers.grade, job)
            finally:
                workers.close()
                threads.shutdown(cancel_futures=True)

    def result(self, future: Future[Result]) -> Result:
        """Return the job's result; raise the error with which the job ended."""
        return future.result()

    def check_workers(self) -> None:
        """Do nothing: each worker's thread notices when the worker dies."""


class WorkerPool:
    """A worker for each calling thread."""

    def __init__(self, orphans: "Orphans", way: Way, patience: Callable[[Stage], float]) -> None:
        """Start no worker yet; `orphans` ends the processes that dead workers leave."""
        self._orphans = orphans
        self._way = way
        self._patience = patience
        self._mine = threading.local()
        self._all: set[Worker] = set()
        self._lock = threading.Lock()  # so that no thread kills a worker that another thread starts
        self._closed = False

    def grade(self, job: GradeJob) -> Result:
        """Return the job's result, from the worker of the calling thread."""
        for _ in range(MAX_TRIES):
            with suppress(WorkerDied):
                worker = self._own_worker()
                result = worker.grade(job, self._patience(job.stage))
                with self._lock:
                    self._orphans.reap()
                return result
            self._discard_worker()
        return grader_error(job, DIED)

    def start(self) -> None:
        """Start the worker of the calling thread, if it has none, before there is a job."""
        with suppress(WorkerDied):
            self._own_worker()

    def close(self) -> None:
        """Kill all workers, and start no others."""
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.kill()

    def _own_worker(self) -> "Worker":
        """Return the calling thread's worker; start one if there is none.

        Raise WorkerDied if no worker starts. A worker that dies before it gets a job is replaced
        here, because the job cannot be the cause.
        """
        if (worker := getattr(self._mine, "worker", None)) is not None:
            return cast("Worker", worker)
        for _ in range(MAX_TRIES):
            with suppress(WorkerDied):
                return self._started()
            self._discard_worker()
        raise WorkerDied

    def _started(self) -> "Worker":
        """Return a new worker for the calling thread, once it is ready.

        Raise WorkerDied if the worker dies or the pool is closed. The lock is free again while the
        worker loads, so that all workers load at the same time.
        """
        with self._lock:
            if self._closed:
                raise WorkerDied
            taken = [worker.processor for worker in self._all]
            processor = least_taken(processors(), taken, os.getpid())
            worker = self._mine.worker = Worker(processor, self._way)
            self._all.add(worker)
        worker.wait()
        return worker

    def _discard_worker(self) -> None:
        """Forget the calling thread's dead worker, and end the processes that it left running."""
        with self._lock:
            if hasattr(self._mine, "worker"):
                self._all.discard(self._mine.worker)
                del self._mine.worker
            self._orphans.end()


class Worker:
    """A process that grades one job after another."""

    def __init__(self, processor: int, way: Way) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.processor = processor
        self._pipe, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(theirs, processor, way), daemon=True)
        # The process inherits this setting, so that Ctrl-C cannot end it while it starts.
        _allow_interrupts(False)
        self._process.start()
        _allow_interrupts(True)
        theirs.close()

    def wait(self) -> None:
        """Wait until the process is ready; raise WorkerDied if it dies or takes too long."""
        self._expect(START_SECONDS)

    def grade(self, job: GradeJob, seconds: float) -> Result:
        """Return the job's result; raise WorkerDied if there is none after these seconds."""
        with suppress(OSError):
            self._pipe.send(job)  # if the process has ended, `_expect` notices this
        result: Result = self._expect(seconds)
        return result

    def kill(self) -> None:
        """Kill the process; harmless if it has ended already."""
        self._process.kill()
        self._process.join()

    def _expect(self, seconds: float) -> Any:
        """Return the process's next message; raise WorkerDied if none comes in time.

        If no message comes in time, kill the process. Otherwise a late answer would be taken for
        the answer to the next job.
        """
        with suppress(EOFError, OSError):
            if self._pipe.poll(seconds):
                return self._pipe.recv()
        self.kill()
        raise WorkerDied


def _serve(pipe: Connection, processor: int, way: Way) -> None:
    """Grade jobs until Ctrl-C or the end of the parent; then end this process and its programs.

    Suite and program never run at the same time. On two processors each would sleep and wake up for
    every question, which takes longer than most answers. So both stay on one processor. The sandbox
    of the next job may start on another processor.
    """
    ahead = Ahead(processors()) if way.spare else None
    stay_on([processor])
    end_in_time()
    with suppress(EOFError, OSError):
        _load()
        pipe.send(READY)
        while True:
            pipe.send(grade_one(pipe.recv(), ahead, tried=way.tried))


def _load() -> None:
    """Load what the first job would otherwise wait for, while the main process makes its plan."""
    importlib.import_module("hearts_course.testing.runner")
    if sys.platform == "linux":  # only there are sandboxes, which need the archive
        with suppress(OSError):  # the job reports what is wrong
            library_archive()


def end_in_time() -> None:
    """From now on, end this process and its programs at Ctrl-C, or when its parent ends."""
    interrupted = threading.Event()
    signal.signal(signal.SIGINT, lambda number, frame: interrupted.set())
    _allow_interrupts(True)
    threading.Thread(target=_wait_for_the_end, args=(interrupted,), daemon=True).start()


def _wait_for_the_end(interrupted: threading.Event) -> None:
    """Wait for Ctrl-C or the end of the parent, and then end this process and its programs.

    A thread does this, because a signal handler could run while a lock is held.
    """
    parent = multiprocessing.parent_process()
    while not interrupted.wait(INTERRUPT_SECONDS) and parent is not None and parent.is_alive():
        continue
    end_all()
    os._exit(128 + signal.SIGINT)


def _allow_interrupts(allowed: bool) -> None:
    """Let Ctrl-C reach this thread and what it starts, or delay Ctrl-C until it is allowed."""
    if hasattr(signal, "pthread_sigmask"):
        how = signal.SIG_UNBLOCK if allowed else signal.SIG_BLOCK
        signal.pthread_sigmask(how, {signal.SIGINT})


def least_taken(there: Sequence[int], taken: Sequence[int], process: int) -> int:
    """Return the processor with the fewest workers.

    `there` has all processors, and `taken` has the processor of each worker. If several have
    equally few workers, the id of the grader's `process` decides, so that two graders use different
    processors.
    """
    first = process % len(there)
    return min([*there[first:], *there[:first]], key=taken.count)


class Orphans:
    """Processes that killed workers leave running; on Linux they become children of this process.

    A worker that is not killed ends its programs before it ends.
    """

    def __init__(self, known: set[int]) -> None:
        """`known` are children of this process that are not orphans."""
        self._known = known

    def end(self) -> None:
        """End all orphans."""
        for _ in range(MAX_ROUNDS):
            orphans = self._all()
            if not orphans:
                return
            for orphan in orphans:
                # The orphan may have ended by itself meanwhile, or run as another user.
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(orphan, signal.SIGKILL)
                with suppress(ChildProcessError):
                    os.waitpid(orphan, 0)

    def reap(self) -> None:
        """Reap the orphans that have ended, because each keeps a process id until then."""
        if sys.platform != "linux":
            return
        dead_already = os.WEXITED | os.WNOHANG | os.WNOWAIT
        with suppress(ChildProcessError):
            while (dead := os.waitid(os.P_ALL, 0, dead_already)) is not None:
                # Dead workers are left to `multiprocessing`. Until it has waited for a worker,
                # `waitid` may return the same worker again and again.
                if dead.si_pid in self._ours():
                    return
                os.waitpid(dead.si_pid, 0)

    def _all(self) -> set[int]:
        """Return the children of this process that are neither workers nor known."""
        children = _children()  # listed before `_ours`, so that no new worker counts as an orphan
        return children - self._ours()

    def _ours(self) -> set[int]:
        """Return the children that are not orphans: the known ones, and all workers."""
        return self._known | {process.pid or 0 for process in multiprocessing.active_children()}


@contextmanager
def adopting() -> Iterator[Orphans]:
    """Adopt every orphan below this process; at the end, kill those that still run."""
    resource_tracker.ensure_running()  # start multiprocessing's own child now: it is not an orphan
    orphans = Orphans(_children())
    _adopt(True)
    try:
        yield orphans
    finally:
        orphans.end()
        _adopt(False)


def _adopt(wanted: bool) -> None:
    """If `wanted`, make this process the parent of orphans below it; otherwise, adopt no more.

    Only Linux can do this; elsewhere, do nothing.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)


def _children() -> set[int]:
    """Return the ids of this process's children; none if the system has no /proc."""
    own = str(os.getpid())
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # After the program's name in brackets come the process's state and its parent's id.
            _, parent, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
            if parent == own:
                found.add(int(folder.name))
    return found
