"""Test the cluster code without a scheduler, then grade a class while processes are killed."""

import os
import pickle
import shutil
import signal
import subprocess
import time
from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from graders import GRADE, final, finish, start, wait_for, write_class
from hearts_course.errors import CourseError, NoSandbox, UsageError
from hearts_course.results import Status
from hearts_course.submissions.model import Submission
from hearts_grader.grading.grade import GradeJob
from hearts_grader.grading.pool import WorkerDied
from tiny_course import HIDDEN, REFERENCE, write_course

pytest.importorskip("distributed", reason="`--cluster` is an extra: hearts-course[cluster]")

from dask_cluster import DaskCluster, kill
from distributed import KilledWorker
from hearts_grader.grading import cluster as clusters
from hearts_grader.grading.cluster import ClusterExecutor, OtherTool, WorkerInfo, own_tool
from surroundings import no_sandbox_works

ADDRESS = "tcp://10.0.0.1:8786"
WORKER = "tcp://10.0.0.2:40001"
OTHER = "another, Python 3.11.0, Dask 2026.8.0"
FINE = WorkerInfo(own_tool(), ())


@pytest.fixture
def course(tmp_path):
    return write_course(tmp_path / "course")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The folder of the worker that this process pretends to be."""
    folder = tmp_path / "worker"
    folder.mkdir()
    self = SimpleNamespace(address=WORKER, local_directory=str(folder))
    monkeypatch.setattr(clusters, "get_worker", lambda: self)
    clusters._courses.clear()
    return folder


def job(course, sandbox="none"):
    stage = course.stages[0]
    return GradeJob(stage, Submission("ada", stage.name, {"coins": REFERENCE}), sandbox)


def test_the_archive_of_a_course_depends_only_on_its_content(course, tmp_path):
    again = write_course(tmp_path / "again")
    (again.root / "assignments/01-coins/__pycache__").mkdir()
    (again.root / "assignments/01-coins/__pycache__/x.pyc").write_text("clutter")
    assert clusters.pack(course) == clusters.pack(again)
    changed = write_course(tmp_path / "again", HIDDEN=f"{HIDDEN}# stricter\n")
    assert clusters.pack(course) != clusters.pack(changed)


def test_a_worker_unpacks_a_course_once_and_keeps_it_private(course, here):
    archive = clusters.pack(course)
    for _ in range(2):
        result = clusters.grade(own_tool(), "digest", archive, pickle.dumps(job(course)))
        assert (result.status, result.score) == (Status.GRADED, 6.0)
    (folder,) = here.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_worker_with_another_tool_grades_nothing(course, here):
    with pytest.raises(OtherTool, match="40001: has another hearts-course"):
        clusters.grade(OTHER, "", b"", b"")
    assert not list(here.iterdir())


def test_a_worker_without_a_sandbox_does_not_run_a_program(course, monkeypatch):
    no_sandbox_works(monkeypatch)
    result = clusters.grade_on(course, job(course, "auto"), WORKER)
    assert result.status is Status.GRADER_ERROR
    assert result.message.startswith(f"{WORKER}: no sandbox works on this machine")
    assert clusters.grade_on(course, job(course, "none"), WORKER).score == 6.0
    assert clusters.worker_info("auto").no_sandbox.startswith("no sandbox works")


class FakeClient:
    """Stands in for a scheduler's client; `found` maps each worker to its info or its error."""

    def __init__(self, scheduler=own_tool, **found):
        self.found = found
        self.threads = dict.fromkeys(found, 1)
        self.scheduler = scheduler

    def submit(self, *arguments, key):
        return key

    def nthreads(self, callback_timeout):
        self.scheduler()
        return self.threads

    def run_on_scheduler(self, function):
        return self.scheduler()

    def wait_for_workers(self, number, timeout):
        if not self.found:
            raise TimeoutError

    def run(self, function, sandbox, on_error):
        return self.found


def test_an_instructor_reads_that_workers_are_waited_for():
    lines = []
    with pytest.raises(UsageError, match="has no worker; start some"):
        clusters.check_workers(FakeClient(), ADDRESS, "auto", lines.append)
    assert lines == [
        f"{ADDRESS}: has no worker yet; waiting 25 s more: start some with "
        f"`dask worker {ADDRESS} --nthreads 1`"
    ]
    assert clusters.SILENT_SECONDS == 5
    clusters.check_workers(FakeClient(a=FINE), ADDRESS, "auto", lines.append)
    assert len(lines) == 1


def test_warnings_of_workers_are_shown_once():
    weak = WorkerInfo(own_tool(), ("bwrap: a program may start any number of processes",))
    assert clusters.check_workers(FakeClient(a=FINE), ADDRESS, "auto") == []
    assert clusters.check_workers(FakeClient(a=FINE, b=weak, c=weak), ADDRESS, "auto") == [
        "bwrap: a program may start any number of processes (on b and 1 more)"
    ]


@pytest.mark.parametrize(
    ("found", "kind", "text"),
    [
        ({}, UsageError, f"{ADDRESS}: has no worker; start some with `dask worker {ADDRESS} "),
        ({"a": FINE, "b": WorkerInfo(OTHER, ())}, UsageError, "b: has another hea"),
        ({"a": ImportError("No hearts")}, UsageError, "a: cannot run hearts-course (No hearts); "),
        ({"a": FINE, "b": WorkerInfo(own_tool(), (), "no sandbox")}, NoSandbox, "b: no sandbox"),
        (
            {"a": FINE, "scheduler": lambda: 1 / 0},
            UsageError,
            f"{ADDRESS} (the scheduler): cannot run hearts-course (division by zero)",
        ),
        (
            {"a": FINE, "scheduler": lambda: OTHER},
            UsageError,
            f"{ADDRESS} (the scheduler): has another hearts-course",
        ),
    ],
)
def test_a_cluster_that_cannot_grade_is_refused_in_one_line(found, kind, text):
    with pytest.raises(kind) as fault:
        clusters.check_workers(FakeClient(**found), ADDRESS, "auto")
    assert str(fault.value).startswith(text)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("address", ["10.0.0.1", "tcp://10.0.0.1", "http://a:80", "tcp://:x"])
def test_an_address_needs_a_protocol_and_a_port(address):
    with pytest.raises(UsageError, match="expected tcp://HOST:PORT or tls://HOST:PORT"):
        clusters.connected(address).__enter__()


def test_an_unreachable_scheduler_is_misuse():
    with pytest.raises(UsageError, match="cannot reach a scheduler; start one"):
        clusters.connected("tcp://127.0.0.1:1", seconds=0.2).__enter__()


def test_the_executor_follows_the_number_of_workers(course):
    client = FakeClient(a=FINE, b=FINE)
    cluster = ClusterExecutor(client, ADDRESS, course)
    assert cluster.places == 2
    begun = time.monotonic()
    for seconds, threads, places in ((10, {"a": 1, "b": 1, "c": 4}, 6), (20, {}, 1)):
        client.threads = threads
        cluster.check_workers(now=begun + seconds)
        assert cluster.places == places
    cluster.check_workers(now=begun + 20 + clusters.NO_WORKER_SECONDS)
    with pytest.raises(CourseError, match="no worker is left; start some, and run the same"):
        cluster.check_workers(now=begun + 30 + clusters.NO_WORKER_SECONDS)


def fail_with(error):
    future = Future()
    future.set_exception(error)
    return future


def test_errors_of_a_cluster_become_ours(course):
    cluster = ClusterExecutor(FakeClient(a=FINE), ADDRESS, course)
    with pytest.raises(WorkerDied):
        cluster.result(fail_with(KilledWorker("key", SimpleNamespace(address=WORKER), 3)))
    with pytest.raises(OtherTool):
        cluster.result(fail_with(OtherTool("another tool")))
    cancelled = Future()
    cancelled.cancel()
    with pytest.raises(CourseError, match="the scheduler is gone; what is done is kept"):
        cluster.result(cancelled)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the tiny course and a class; `here` has results made without a cluster."""
    place = tmp_path_factory.mktemp("cluster")
    write_class(place)
    status, printed = finish(start(place, *GRADE, "here"))
    assert status == 0, printed
    return place


@pytest.fixture
def out(place):
    yield place / "out"
    shutil.rmtree(place / "out", ignore_errors=True)


@pytest.fixture
def cluster(tmp_path):
    with DaskCluster(tmp_path / "dask") as cluster:
        yield cluster


@pytest.mark.needs_sandbox
@pytest.mark.proof
def test_a_killed_worker_costs_no_points_and_a_later_one_gets_the_course(place, out, cluster):
    doomed = cluster.add_worker()
    survivor = cluster.add_worker()
    cluster.wait()
    grader = start(place, *GRADE, "out", "--cluster", cluster.address)
    wait_for(4, out, grader)
    kill(doomed)
    late = cluster.add_worker("--nanny")
    status, printed = finish(grader)
    assert status == 0, printed
    assert final(out) == final(place / "here")
    for worker in (survivor, late):
        worker.terminate()
        worker.wait(timeout=60)
    assert not cluster.private


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_results_are_kept_when_the_scheduler_dies(place, out, cluster):
    cluster.add_worker()
    grader = start(place, *GRADE, "out", "--cluster", cluster.address)
    wait_for(8, out, grader)
    kill(cluster.scheduler)
    status, printed = finish(grader)
    assert status == 1
    assert printed.splitlines()[-1] == (
        f"hearts: {cluster.address}: the scheduler is gone; what is done is kept: start it "
        "again, or leave out --cluster, and run the same command again"
    )
    assert "Traceback" not in printed
    kept = {path: path.stat().st_mtime_ns for path in (out / "results").glob("*/*.json")}
    assert kept
    assert finish(start(place, *GRADE, "out"))[0] == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert final(out) == final(place / "here")


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_ctrl_c_leaves_the_cluster_free_for_others(place, out, cluster):
    cluster.add_worker()
    command = (*GRADE, "out", "--cluster", cluster.address)
    grader = start(place, *command)
    wait_for(8, out, grader)
    os.killpg(grader.pid, signal.SIGINT)
    status, printed = finish(grader)
    assert (status, "Traceback" in printed) == (130, False)
    assert "graded, in out; run the same command again" in printed.splitlines()[-1]
    assert finish(start(place, *command))[0] == 0
    assert final(out) == final(place / "here")


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_a_scheduler_may_require_tls_keys(place, out, tmp_path, monkeypatch):
    for name, path in make_keys(tmp_path).items():
        monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{name}", str(path))
    with DaskCluster(tmp_path / "dask", "--protocol", "tls", "--host", "127.0.0.1") as cluster:
        cluster.add_worker()
        command = (*GRADE, "out", "--cluster", cluster.address)
        assert command[-1].startswith("tls://")
        assert finish(start(place, *command))[0] == 0
        assert final(out) == final(place / "here")
        monkeypatch.delenv("DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT")
        shutil.rmtree(out)
        status, printed = finish(start(place, *command))
    assert (status, printed.count("\n")) == (2, 1)
    assert "TLS keys are missing" in printed


def make_keys(folder):
    """Make a key and a certificate for all roles; return a dict from settings to these files."""
    key = folder / "key.pem"
    certificate = folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=hearts", "-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl here")
    keys = {f"{role}__KEY": key for role in ("CLIENT", "SCHEDULER", "WORKER")}
    return {"CA_FILE": certificate} | keys | {f"{name[:-3]}CERT": certificate for name in keys}
