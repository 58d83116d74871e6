"""When grading is stopped from outside, nothing of it goes on."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hearts_course.sandbox.backends import PREFERENCE, works
from tiny_course import REFERENCE, write_stage

# Its server, and a process that loops while it imports the program.
LOOP = f"{REFERENCE}\nwhile True:\n    pass\n"

GRADE = """
import sys
from pathlib import Path
from hearts_course.course import load_stage
from hearts_course.grading.pool import grade_all
from hearts_course.grading.pool import LocalExecutor
from hearts_course.submissions.model import Submission
from hearts_course.grading.grade import GradeJob

if __name__ == "__main__":
    root, sandbox, source = sys.argv[1:]
    stage = load_stage(Path(root), Path(root) / "assignments/01-coins/stage.toml")
    work = GradeJob(stage, Submission("eve", stage.name, {"coins": source}), sandbox)
    list(grade_all([work], LocalExecutor()))
"""


def below(ancestor: int) -> set[int]:
    """The processes that descend from this one."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,stat="], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in listed.stdout.splitlines()]
    parents = {int(pid): int(parent) for pid, parent, stat in rows if stat[0] != "Z"}
    found = {ancestor}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found & set(parents)


def alive(processes: set[int]) -> Iterator[int]:
    for process in processes:
        stat = Path(f"/proc/{process}/stat")
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z":
            yield process


@pytest.fixture(params=[name for name in PREFERENCE if works(name)])
def grader(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A grader that is at a program which loops."""
    stage = write_stage(tmp_path)
    (tmp_path / "grade.py").write_text(GRADE)
    command = [sys.executable, str(tmp_path / "grade.py"), str(stage.root), request.param, LOOP]
    grader = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while sum("sandbox_worker" in _command(pid) for pid in below(grader.pid)) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    yield grader
    grader.kill()
    grader.wait()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_all_programs_end_with_the_grader(grader: subprocess.Popen[bytes], sent: int) -> None:
    started = below(grader.pid)
    (os.killpg if sent == signal.SIGINT else os.kill)(grader.pid, sent)
    grader.wait(timeout=20)
    assert_gone(started)


def test_a_killed_worker_s_programs_end_though_the_grader_goes_on(
    grader: subprocess.Popen[bytes],
) -> None:
    started = below(grader.pid)
    workers = {pid for pid in started if "spawn_main" in _command(pid)}
    programs = {pid for pid in started if "sandbox_worker" in _command(pid)}
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    assert_gone(workers | programs)
    assert grader.poll() is None


def assert_gone(processes: set[int]) -> None:
    deadline = time.monotonic() + 20
    while left := set(alive(processes)):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def _command(process: int) -> str:
    path = Path(f"/proc/{process}/cmdline")
    try:
        return path.read_text()
    except OSError:
        return ""
