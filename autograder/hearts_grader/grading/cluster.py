"""Grading on a Dask cluster, through its `concurrent.futures` interface.

The workers have "the tool" installed: the packages `hearts_course` and `hearts_grader`. They get
the course and the submissions as bytes.
"""

import io
import logging
import pickle
import re
import sys
import tempfile
import threading
import time
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import dask
import distributed
from distributed import Client, KilledWorker, get_worker
from distributed.security import Security
from distributed.versions import VersionMismatchWarning
from hearts_course.course import Course
from hearts_course.errors import CourseError, NoSandbox, UsageError
from hearts_course.files import zipped
from hearts_course.results import Result
from hearts_course.submissions.untrusted import files_below

from hearts_grader.grading.cache import tool_digest
from hearts_grader.grading.grade import GradeJob, chosen_sandbox, grade_one, grader_error, watchdog
from hearts_grader.grading.pool import Submit, WorkerDied
from hearts_grader.sandbox.backends import sandbox_warnings

CONNECT_SECONDS = 10
WORKERS_SECONDS = 30  # time in which the first worker must appear
SILENT_SECONDS = 5  # seconds without any worker, after which a message tells the instructor
CLOSE_SECONDS = 5
ANSWER_SECONDS = 30  # time for an answer of the scheduler; ample, because it may be busy
POLL_SECONDS = 2.0
TOOL_DIGITS = 16  # digits of the tool's digest that a message shows; enough to tell versions apart
NO_WORKER_SECONDS = 60.0  # a longer time without any worker is an error; a restart takes less
SETTINGS = {"distributed.comm.retry.count": 3}
ADDRESS = re.compile(r"(tcp|tls)://.+:\d{1,5}")
INSTALL = "`pip install 'hearts-course[cluster]'`"

one_at_a_time = threading.Lock()  # a suite's runner and a card table serve one job at a time
Outcome = TypeVar("Outcome")
_courses: dict[str, Course] = {}


class ClusterError(CourseError):
    """The cluster cannot continue."""


@contextmanager
def connected(address: str, seconds: float = CONNECT_SECONDS) -> Iterator[Client]:
    """Yield a client of the scheduler at the address; raise UsageError if none answers in time."""
    if not ADDRESS.fullmatch(address):
        raise UsageError(f"{address}: not an address; expected tcp://HOST:PORT or tls://HOST:PORT")
    if address.startswith("tls:") and not Security().tls_client_cert:
        raise UsageError(
            f"{address}: TLS keys are missing; set them in Dask's settings, as "
            "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ..__CLIENT__CERT and ..__CLIENT__KEY"
        )
    with _quiet(), dask.config.set(SETTINGS):
        try:
            client = Client(address, timeout=seconds, set_as_default=False)
        except OSError:
            raise UsageError(
                f"{address}: cannot reach a scheduler; start one with `dask scheduler`, or leave "
                "out --cluster"
            ) from None
        try:
            yield client
        finally:
            with suppress(OSError):  # the scheduler may be gone
                client.close(CLOSE_SECONDS)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask, because this module reports errors itself, in one line."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        with warnings.catch_warnings(action="ignore", category=VersionMismatchWarning):
            yield
    finally:
        logging.disable(before)


def check_workers(
    client: Client, address: str, sandbox: str, say: Callable[[str], None] = lambda line: None
) -> list[str]:
    """Return warnings about the workers' sandboxes.

    Call `say` if the first worker is slow to appear. Raise UsageError if there is no worker, or if
    a worker cannot grade as this machine would. Raise NoSandbox if a worker has no sandbox.
    """
    _wait_for_a_worker(client, address, say)
    infos = {f"{address} (the scheduler)": _scheduler_info(client)}
    infos |= dict(sorted(client.run(worker_info, sandbox, on_error="return").items()))
    workers_by_line = defaultdict(list)
    for where, info in infos.items():
        if not isinstance(info, WorkerInfo):
            line = " ".join(f"{info}".split()) or type(info).__name__
            raise UsageError(
                f"{where}: cannot run hearts-course ({line}); {INSTALL} there, and start it again"
            )
        if info.tool != own_tool():
            raise UsageError(other_tool(where, info.tool, own_tool()))
        if info.no_sandbox:
            raise NoSandbox(f"{where}: {info.no_sandbox}")
        for line in info.warnings:
            workers_by_line[line].append(where)
    lines = []
    for line, workers in workers_by_line.items():
        others = f" and {len(workers) - 1} more" if workers[1:] else ""
        lines.append(f"{line} (on {workers[0]}{others})")
    return lines


def _wait_for_a_worker(client: Client, address: str, say: Callable[[str], None]) -> None:
    """Wait for the first worker, and call `say` if this takes long.

    Raise UsageError if no worker comes.
    """
    advice = f"start some with `dask worker {address} --nthreads 1`"
    try:
        client.wait_for_workers(1, timeout=SILENT_SECONDS)
        return
    except TimeoutError:
        seconds = WORKERS_SECONDS - SILENT_SECONDS
        say(f"{address}: has no worker yet; waiting {seconds} s more: {advice}")
    try:
        client.wait_for_workers(1, timeout=seconds)
    except TimeoutError:
        raise UsageError(f"{address}: has no worker; {advice}") from None


def _scheduler_info(client: Client) -> object:
    """Return the versions that the scheduler has, or the error if it does not have the tool.

    The scheduler needs the tool, because it unpickles the jobs.
    """
    try:
        return WorkerInfo(client.run_on_scheduler(own_tool), ())
    except Exception as error:
        return error


class ClusterWorkers:
    """A scheduler's workers; when a worker dies, the scheduler gives its jobs to other workers."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address
        self.places = 1
        self._next_check = 0.0
        self._empty_since: float | None = None
        self.check_workers()

    def share(self, name: str, data: bytes) -> tuple[str, Any]:
        """Return the digest of the data, and a future of the data.

        If a job has the future as an argument, Dask calls the job with the data instead.

        The data is submitted as the result of a task, which Dask can repeat if the workers die.
        """
        digest = sha256(data).hexdigest()
        return digest, self._client.submit(bytes, data, key=f"{name}-{digest}")

    @contextmanager
    def executing(self) -> Iterator[Executor]:
        """Yield an executor of the workers; at the end, cancel functions that have not started."""
        executor = self._client.get_executor(pure=False)
        try:
            yield executor
        finally:
            with suppress(OSError, CancelledError):  # the scheduler may be gone
                executor.shutdown(wait=False)

    def outcome(self, future: Future[Outcome]) -> Outcome:
        """Return what the job returned.

        Raise WorkerDied if its worker died, CourseError if the scheduler is gone, or the error that
        the job itself raised.
        """
        try:
            return future.result()
        except KilledWorker:
            raise WorkerDied from None
        except CancelledError:
            raise self._lost() from None

    def check_workers(self, now: float | None = None) -> None:
        """Update `places`; raise ClusterError if all workers or the scheduler are gone.

        The scheduler is asked at most once in POLL_SECONDS. `now` is the time by the monotonic
        clock, by default the current time.
        """
        if now is None:
            now = time.monotonic()
        if now < self._next_check:
            return
        self._next_check = now + POLL_SECONDS
        try:
            threads = self._client.nthreads(callback_timeout=ANSWER_SECONDS)
        except (OSError, CancelledError):
            raise self._lost() from None
        self.places = max(1, sum(threads.values()))
        # A worker that restarts is away for a moment. So a lack of workers is an error only after
        # NO_WORKER_SECONDS.
        if threads:
            self._empty_since = None
        elif self._empty_since is None:
            self._empty_since = now
        if self._empty_since is not None and now > self._empty_since + NO_WORKER_SECONDS:
            raise ClusterError(
                f"{self._address}: no worker is left; start some, and run the same command again"
            )

    def _lost(self) -> ClusterError:
        """Return the error for a scheduler that does not answer any more."""
        return ClusterError(
            f"{self._address}: the scheduler is gone; what is done is kept: start it again, or "
            "leave out --cluster, and run the same command again"
        )


class ClusterExecutor(ClusterWorkers):
    """A scheduler's workers that grade submissions."""

    def __init__(self, client: Client, address: str, course: Course) -> None:
        super().__init__(client, address)
        self._digest, self._archive = self.share("hearts-course", pack(course))

    @contextmanager
    def at_work(self) -> Iterator[Submit]:
        """Yield a function that submits a job; at the end, cancel jobs that have not started."""
        with self.executing() as executor:
            yield lambda job: self._submit(executor, job)

    def result(self, future: Future[Result]) -> Result:
        """Return the job's result; raise the same errors as `outcome`."""
        return self.outcome(future)

    def _submit(self, executor: Executor, job: GradeJob) -> Future[Result]:
        """Submit the job; read its submission first, because workers do not have the files."""
        try:
            packed = pickle.dumps(replace(job, submission=job.load()))
        except Exception as error:
            # An error in this submission must end only its own job, not the run.
            future: Future[Result] = Future()
            future.set_exception(error)
            return future
        return executor.submit(grade, own_tool(), self._digest, self._archive, packed)


class OtherTool(CourseError):
    """A worker has another version of the tool than the client; its results may differ."""


@dataclass(frozen=True)
class WorkerInfo:
    """A worker's tool, and the warnings about its sandbox or the reason why it has none."""

    tool: str
    warnings: tuple[str, ...]
    no_sandbox: str = ""


def own_tool() -> str:
    """Return the versions of the tool, Python and Dask here, because results depend on them."""
    python = ".".join(map(str, sys.version_info[:3]))
    return f"{tool_digest()[:TOOL_DIGITS]}, Python {python}, Dask {distributed.__version__}"


def worker_info(sandbox: str) -> WorkerInfo:
    """Return this worker's tool and sandbox; `sandbox` is the sandbox that was asked for."""
    try:
        return WorkerInfo(own_tool(), sandbox_warnings(sandbox, chosen_sandbox(sandbox)))
    except CourseError as fault:
        return WorkerInfo(own_tool(), (), str(fault))


def grade(tool: str, digest: str, archive: bytes, packed: bytes) -> Result:
    """Return the result of the pickled job `packed`; `archive` holds the course.

    `digest` is the archive's digest. A worker that knows the digest has unpacked the course before.
    Raise OtherTool if this worker's tool is not `tool`.
    """
    worker = get_worker()
    check_tool(tool)
    with one_at_a_time:
        if digest not in _courses:
            # Dask removes this folder when the worker ends, at the latest when another one starts.
            _courses[digest] = unpack(archive, Path(worker.local_directory))
        return grade_on(_courses[digest], pickle.loads(packed), worker.address)


def check_tool(tool: str) -> None:
    """Raise OtherTool if this worker's tool is not `tool`.

    The workers were checked when the run began, but a worker that joined later was not.
    """
    if tool != own_tool():
        raise OtherTool(other_tool(get_worker().address, own_tool(), tool))


def grade_on(course: Course, job: GradeJob, address: str) -> Result:
    """Return the job's result on this copy of the course.

    If this worker has no sandbox, the message of the result names the worker's address.
    """
    here = replace(job, stage=course.stage(job.stage.name))
    try:
        chosen_sandbox(here.sandbox)
    except CourseError as fault:
        return grader_error(here, f"{address}: {fault}")
    with watchdog(here.stage):
        return grade_one(here)


def other_tool(where: str, theirs: str, ours: str) -> str:
    """Return a message that says that two versions of the tool differ, and what to do."""
    return (
        f"{where}: has another hearts-course ({theirs}) than this machine ({ours}); install the "
        "same there, and start it again"
    )


def pack(course: Course) -> bytes:
    """Return an archive of the course's stages; the same files always give the same bytes.

    The archive holds solutions too, because a program may run on the references of earlier stages.
    """
    files = {}
    for stage in course.stages:
        for folder in (stage.assignment, stage.solution, stage.autograder):
            for path in files_below(folder):
                files[path.relative_to(course.root).as_posix()] = path.read_bytes()
    return zipped(files)


def unpack(archive: bytes, folder: Path) -> Course:
    """Unpack the course into a new folder under this folder, and return the course.

    Only the owner can enter the new folder, because it holds hidden tests and solutions.
    """
    root = Path(tempfile.mkdtemp(prefix="hearts-course-", dir=folder))
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        files.extractall(root)
    return Course(root)
