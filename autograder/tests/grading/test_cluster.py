"""A class graded on a cluster: the results are those of this machine, whatever dies meanwhile."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import hearts_course
import pytest
from graders import GRADE, final, finish, start, wait_for, write_class

pytest.importorskip("distributed", reason="`--cluster` is an extra: hearts-course[cluster]")

from dask_cluster import DaskCluster, kill
from machines import Machines


@pytest.fixture(scope="module", name="place")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny course, a class, and what it is told by this machine."""
    place = tmp_path_factory.mktemp("cluster")
    write_class(place)
    status, said = finish(start(place, *GRADE, "here"))
    assert status == 0, said
    return place


@pytest.fixture(name="out")
def _out(place: Path) -> Iterator[Path]:
    yield place / "out"
    shutil.rmtree(place / "out", ignore_errors=True)


@pytest.fixture(name="cluster")
def _cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    with DaskCluster(tmp_path / "dask") as cluster:
        yield cluster


def test_a_killed_worker_costs_nobody_anything(
    place: Path, out: Path, cluster: DaskCluster
) -> None:
    """Nor does one that comes later miss the course."""
    doomed, other = cluster.add_worker(), cluster.add_worker()
    cluster.wait()
    grader = start(place, *GRADE, "out", "--cluster", cluster.address)
    wait_for(4, out, grader)
    kill(doomed)
    late = cluster.add_worker("--nanny")
    status, said = finish(grader)
    assert status == 0, said
    assert final(out) == final(place / "here")
    for worker in (other, late):
        worker.terminate()
        worker.wait(timeout=60)
    assert not cluster.private


def test_what_was_graded_outlives_the_scheduler(
    place: Path, out: Path, cluster: DaskCluster
) -> None:
    cluster.add_worker()
    grader = start(place, *GRADE, "out", "--cluster", cluster.address)
    wait_for(8, out, grader)
    kill(cluster.scheduler)
    status, said = finish(grader)
    assert status == 1
    assert said.splitlines()[1:] == [
        f"hearts: {cluster.address}: the scheduler is gone; what was graded is kept: start it "
        "again, or leave out --cluster, and run the same command again"
    ]
    kept = stamps(out)
    assert kept
    assert finish(start(place, *GRADE, "out"))[0] == 0
    assert kept.items() <= stamps(out).items()
    assert final(out) == final(place / "here")


def stamps(out: Path) -> dict[Path, int]:
    """When each result was written."""
    return {path: path.stat().st_mtime_ns for path in (out / "results").glob("*/*.json")}


def test_ctrl_c_leaves_the_cluster_free_for_others(
    place: Path, out: Path, cluster: DaskCluster
) -> None:
    cluster.add_worker()
    command = (*GRADE, "out", "--cluster", cluster.address)
    grader = start(place, *command)
    wait_for(8, out, grader)
    os.killpg(grader.pid, signal.SIGINT)
    status, said = finish(grader)
    assert status == 130
    assert "graded, in out; run the same command again" in said
    assert said.count("\n") == 2
    assert finish(start(place, *command))[0] == 0
    assert final(out) == final(place / "here")


def test_a_worker_with_another_tool_is_refused(
    place: Path, out: Path, cluster: DaskCluster, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(hearts_course.__path__[0], other / "hearts_course")
    (other / "hearts_course/changed.py").write_text("")
    cluster.add_worker(environment={"PYTHONPATH": str(other)})
    status, said = finish(start(place, *GRADE, "out", "--cluster", cluster.address))
    assert status == 2
    assert said.count("\n") == 1
    assert "has another hearts-course" in said
    assert not (out / "results").exists()


def test_a_scheduler_may_want_keys(
    place: Path, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, path in keys(tmp_path).items():
        monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{name}", str(path))
    with DaskCluster(tmp_path / "dask", "--protocol", "tls", "--host", "127.0.0.1") as cluster:
        cluster.add_worker()
        command = (*GRADE, "out", "--cluster", cluster.address)
        assert command[-1].startswith("tls://")
        assert finish(start(place, *command))[0] == 0
        assert final(out) == final(place / "here")
        monkeypatch.delenv("DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT")
        shutil.rmtree(out)
        status, said = finish(start(place, *command))
    assert (status, said.count("\n")) == (2, 1)
    assert "TLS keys are missing" in said


def keys(folder: Path) -> dict[str, Path]:
    """A key and a certificate by itself, which will do for everybody."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=hearts", "-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl here")
    roles = {f"{role}__KEY": key for role in ("CLIENT", "SCHEDULER", "WORKER")}
    roles |= {f"{role}__CERT": certificate for role in ("CLIENT", "SCHEDULER", "WORKER")}
    return {"CA_FILE": certificate, **roles}


def test_a_machine_whose_cable_is_cut_costs_nobody_anything(
    place: Path, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three machines with addresses of their own; the one that is cut off cannot say so."""
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "2s")
    with machines(2) as net:
        hub = net.within(0)
        options = ("--host", net.address(0))
        with DaskCluster(tmp_path / "dask", *options, within=hub) as cluster:
            for number in (1, 2):
                cluster.add_worker("--host", net.address(number), within=net.within(number))
            cluster.wait()
            grader = start(place, *GRADE, "out", "--cluster", cluster.address, within=hub)
            wait_for(4, out, grader)
            net.cut_off(1)
            status, said = finish(grader)
    assert status == 0, said
    assert final(out) == final(place / "here")


def machines(number: int) -> Machines:
    """So many of them; skips the test where that takes rights that we do not have."""
    try:
        return Machines(number)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no network namespaces for us here")
