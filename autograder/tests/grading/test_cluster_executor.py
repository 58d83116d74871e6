"""The parts of grading on a cluster, each by itself: no scheduler, no worker."""

import pickle
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hearts_course.course import Course
from hearts_course.errors import CourseError, NoSandbox, UsageError
from hearts_course.grading.grade import GradeJob, chosen_sandbox
from hearts_course.grading.pool import WorkerDied
from hearts_course.results import Result, Status
from hearts_course.sandbox import backends
from hearts_course.submissions.model import Submission
from tiny_course import HIDDEN, REFERENCE, write_course

pytest.importorskip("distributed", reason="`--cluster` is an extra: hearts-course[cluster]")

from distributed import KilledWorker
from hearts_course.grading import cluster as clusters
from hearts_course.grading.cluster import (
    ClusterExecutor,
    OtherTool,
    Tool,
    WorkerInfo,
    own_tool,
    pack,
    unpack,
)

ADDRESS = "tcp://10.0.0.1:8786"
WORKER = "tcp://10.0.0.2:40001"
OTHER = Tool("another", "3.11.0", "2026.8.0")


@pytest.fixture(name="course")
def _course(tmp_path: Path) -> Course:
    return write_course(tmp_path / "course")


@pytest.fixture(name="here")
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the worker that this process is taken for."""
    folder = tmp_path / "worker"
    folder.mkdir()
    self = SimpleNamespace(address=WORKER, local_directory=str(folder))
    monkeypatch.setattr(clusters, "get_worker", lambda: self)
    monkeypatch.setattr(clusters, "_courses", {})
    return folder


def work(course: Course, sandbox: str = "none") -> GradeJob:
    stage = course.stages[0]
    return GradeJob(stage, Submission("ada", stage.name, {"coins": REFERENCE}), sandbox)


def test_a_course_travels_as_bytes_that_its_content_alone_decides(
    course: Course, tmp_path: Path
) -> None:
    again = write_course(tmp_path / "again")
    (again.root / "assignments/01-coins/__pycache__").mkdir()
    (again.root / "assignments/01-coins/__pycache__/x.pyc").write_text("clutter")
    assert pack(course) == pack(again)
    changed = write_course(tmp_path / "again", HIDDEN=f"{HIDDEN}# stricter\n")
    assert pack(course) != pack(changed)


def test_a_worker_keeps_the_course_to_itself(course: Course, tmp_path: Path) -> None:
    there = unpack(pack(course), tmp_path)
    assert there.root.parent == tmp_path
    assert there.root.stat().st_mode & 0o777 == 0o700
    (stage,) = there.stages
    assert stage.reference() == course.stages[0].reference()
    assert [path.name for path in stage.hidden_tests] == ["test_coins_hidden.py"]


def test_a_worker_unpacks_a_course_once(course: Course, here: Path) -> None:
    archive = pack(course)
    for _ in range(2):
        packed = pickle.dumps(work(course))
        result = clusters.grade(own_tool(), "digest", archive, packed)
        assert (result.status, result.score) == (Status.GRADED, 6.0)
    assert len(list(here.iterdir())) == 1


def test_a_worker_with_another_tool_grades_nothing(course: Course, here: Path) -> None:
    with pytest.raises(OtherTool, match="40001: has another hearts-course"):
        clusters.grade(OTHER, "", b"", b"")
    assert not list(here.iterdir())


@pytest.fixture(name="no_sandbox")
def _no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "works", lambda name: False)
    chosen_sandbox.cache_clear()


@pytest.mark.usefixtures("no_sandbox")
def test_a_worker_that_cannot_keep_a_program_in_does_not_run_it(course: Course) -> None:
    result = clusters.grade_on(course, work(course, "auto"), WORKER)
    assert result.status is Status.GRADER_ERROR
    assert result.message.startswith(f"{WORKER}: no sandbox works on this machine; `apt install")
    assert clusters.grade_on(course, work(course, "none"), WORKER).score == 6.0
    assert clusters.worker_info("auto").no_sandbox.startswith("no sandbox works")


class Workers:
    """A client of a scheduler that has just these workers."""

    def __init__(self, **found: object) -> None:
        self.found: dict[str, Any] = found
        self.threads = dict.fromkeys(found, 1)
        self.scheduler: Callable[[], Tool] = own_tool

    def submit(self, *arguments: object, key: str) -> str:
        return key

    def nthreads(self, callback_timeout: float) -> dict[str, int]:
        self.scheduler()
        return self.threads

    def run_on_scheduler(self, function: object) -> Tool:
        return self.scheduler()

    def wait_for_workers(self, number: int, timeout: float) -> None:
        if not self.found:
            raise TimeoutError

    def run(self, function: object, sandbox: str, on_error: str) -> dict[str, Any]:
        return self.found


FINE = WorkerInfo(own_tool(), (), "")


def test_workers_that_can_grade_are_taken() -> None:
    weak = WorkerInfo(own_tool(), ("bwrap: a program may start any number of processes",), "")
    assert clusters.check_workers(Workers(a=FINE), ADDRESS, "auto") == []
    assert clusters.check_workers(Workers(a=FINE, b=weak, c=weak), ADDRESS, "auto") == [
        "bwrap: a program may start any number of processes (on b and 1 more)"
    ]


@pytest.mark.parametrize(
    ("found", "kind", "text"),
    [
        ({}, UsageError, f"{ADDRESS}: has no worker; start some with `dask worker {ADDRESS} "),
        ({"a": FINE, "b": WorkerInfo(OTHER, (), "")}, UsageError, "b: has another hea"),
        ({"a": ImportError("No hearts")}, UsageError, "a: cannot run hearts-course (No hearts); "),
        ({"a": FINE, "b": WorkerInfo(own_tool(), (), "no sandbox")}, NoSandbox, "b: no sandbox"),
    ],
)
def test_workers_that_cannot_are_refused(
    found: dict[str, Any], kind: type[CourseError], text: str
) -> None:
    with pytest.raises(kind) as fault:
        clusters.check_workers(Workers(**found), ADDRESS, "auto")
    assert str(fault.value).startswith(text)
    assert "\n" not in str(fault.value)


def fail(error: Exception) -> Callable[[], Tool]:
    def scheduler() -> Tool:
        raise error

    return scheduler


def test_the_scheduler_s_machine_needs_the_tool_too() -> None:
    workers = Workers(a=FINE)
    workers.scheduler = fail(ModuleNotFoundError("No module named 'hearts_course'"))
    with pytest.raises(UsageError, match=r"\(the scheduler\): cannot run hearts-course \(No modu"):
        clusters.check_workers(workers, ADDRESS, "auto")
    workers.scheduler = lambda: OTHER
    with pytest.raises(UsageError, match=r"\(the scheduler\): has another hearts-course"):
        clusters.check_workers(workers, ADDRESS, "auto")


@pytest.mark.parametrize("address", ["10.0.0.1", "tcp://10.0.0.1", "http://a:80", "tcp://:x"])
def test_an_address_has_a_port_and_a_protocol(address: str) -> None:
    with pytest.raises(UsageError, match="expected tcp://HOST:PORT or tls://HOST:PORT"):
        clusters.connected(address).__enter__()


def test_where_no_scheduler_is_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "CONNECT_SECONDS", 0.2)
    with pytest.raises(UsageError, match="cannot reach a scheduler; start one"):
        clusters.connected("tcp://127.0.0.1:1").__enter__()


@pytest.fixture(name="workers")
def _workers(monkeypatch: pytest.MonkeyPatch) -> Workers:
    monkeypatch.setattr(clusters, "POLL_SECONDS", 0)
    return Workers(a=FINE, b=FINE)


def test_the_crew_is_as_large_as_the_cluster_at_the_time(workers: Workers, course: Course) -> None:
    cluster = ClusterExecutor(workers, ADDRESS, course)
    assert cluster.places == 2
    workers.threads = {"a": 1, "b": 1, "c": 4}
    cluster.check_workers()
    assert cluster.places == 6


def test_workers_may_be_away_for_a_while_but_not_for_ever(
    workers: Workers, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = ClusterExecutor(workers, ADDRESS, course)
    workers.threads = {}
    cluster.check_workers()
    assert cluster.places == 1
    monkeypatch.setattr(clusters, "NO_WORKER_SECONDS", 0)
    time.sleep(0.01)
    with pytest.raises(CourseError, match="no worker is left; start some, and run the same"):
        cluster.check_workers()


def test_a_scheduler_that_does_not_answer_is_gone(workers: Workers, course: Course) -> None:
    cluster = ClusterExecutor(workers, ADDRESS, course)
    workers.scheduler = fail(TimeoutError())
    with pytest.raises(CourseError, match="the scheduler is gone; what was graded is kept"):
        cluster.check_workers()


def done(error: Exception) -> Future[Result]:
    future: Future[Result] = Future()
    future.set_exception(error)
    return future


def test_what_becomes_of_a_unit(workers: Workers, course: Course) -> None:
    cluster = ClusterExecutor(workers, ADDRESS, course)
    last = SimpleNamespace(address=WORKER)
    with pytest.raises(WorkerDied):
        cluster.result(done(KilledWorker("key", last, 3)))
    with pytest.raises(OtherTool):
        cluster.result(done(OtherTool("another tool")))
    cancelled: Future[Result] = Future()
    cancelled.cancel()
    with pytest.raises(CourseError, match="the scheduler is gone"):
        cluster.result(cancelled)
