"""Whatever is killed during grading, no process is left and no result is lost."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest
from graders import CLASS, HEARTS, final, finish, start, wait_for, write_class, written
from machine import sandboxes
from proofs import proofs_after
from tiny_class import STAGE, course_with_starter, put
from tiny_course import REFERENCE

GRADE = ("grade", "class", "--jobs", "2", "--out")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the tiny course, a class, and the results of an undisturbed run to compare."""
    place = tmp_path_factory.mktemp("killed")
    write_class(place)
    status, printed = finish(start(place, *GRADE, "undisturbed"))
    assert status == 0, printed
    return place


@pytest.fixture
def out(place):
    """An output folder, removed after the test."""
    yield place / "out"
    shutil.rmtree(place / "out")


def below(grader):
    """Return the grader's process and all its descendants; none if the grader has ended."""
    with suppress(psutil.NoSuchProcess):
        grader_process = psutil.Process(grader.pid)
        return {grader_process, *grader_process.children(recursive=True)}
    return set()


def assert_gone(processes):
    """Wait until none of the processes runs."""
    deadline = time.monotonic() + 20
    while left := set(filter(runs, processes)):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def runs(process):
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    "kills",
    [pytest.param(4, marks=pytest.mark.proof), pytest.param(20, marks=pytest.mark.exhaustive)],
)
def test_a_grader_killed_at_random_moments_loses_nothing(place, out, kills):
    """In each run the grader is killed, alone or with its workers. The next run continues."""
    expected = final(place / "undisturbed")
    dice = random.Random(4)
    moments = sorted(dice.randrange(written(place / "undisturbed")) for _ in range(kills))
    seen = set()
    for moment in moments:
        grader = start(place, *GRADE, "out")
        wait_for(moment, out, grader)
        time.sleep(dice.uniform(0, 0.05))
        seen |= below(grader)
        dice.choice([os.kill, os.killpg])(grader.pid, signal.SIGKILL)
        grader.communicate()
        complete_files = {
            name: text for name, text in final(out).items() if not name.endswith(".part")
        }
        assert complete_files.items() <= expected.items()
    assert finish(start(place, *GRADE, "out"))[0] == 0
    assert final(out) == expected
    assert not list(out.rglob("*.part"))
    entries = [path.read_text().count("\n") for path in (out / "history").rglob("*.jsonl")]
    assert entries == [1] * len(CLASS)
    assert_gone(seen)


def part(grader, mark):
    """Return those of the grader's processes whose commands contain the mark."""
    part_names = set()
    for process in below(grader):
        with suppress(psutil.NoSuchProcess):
            if any(mark in word for word in process.cmdline()):
                part_names.add(process)
    return part_names


def kill_one(grader, mark, dice):
    """Wait for a process whose command contains the mark, and kill it. Stop if the grader ends."""
    while grader.poll() is None:
        processes = sorted(part(grader, mark), key=lambda process: process.pid)
        if processes:
            with suppress(psutil.NoSuchProcess):
                dice.choice(processes).kill()
            return
        time.sleep(0.03)


@pytest.mark.needs_sandbox
def test_killed_workers_cost_no_points_and_leave_no_process(place, out):
    grader = start(place, *GRADE, "out")
    dice = random.Random(4)
    seen = set()
    for _ in range(2):
        time.sleep(dice.uniform(0, 0.4))
        seen |= below(grader)
        kill_one(grader, "spawn_main", dice)
    status, printed = finish(grader)
    assert status == 0, printed
    assert final(out) == final(place / "undisturbed")
    assert_gone(seen)


@pytest.mark.needs_sandbox
def test_killed_programs_cost_no_points(place, out):
    """The two kills hit different submissions, so no test is hit twice.

    A kill may hit a process that was started early for the next submission. Therefore the second
    kill waits until more submissions are graded.
    """
    grader = start(place, *GRADE, "out", "--jobs", "1")
    dice = random.Random(4)
    for moment in (0, 18):
        wait_for(moment, out, grader)
        kill_one(grader, "sandbox_worker", dice)
    status, printed = finish(grader)
    assert status == 0, printed
    assert final(out) == final(place / "undisturbed")


@pytest.mark.needs_sandbox
def test_after_ctrl_c_the_same_command_continues(place, out):
    grader = start(place, *GRADE, "out")
    wait_for(12, out, grader)
    seen = below(grader)
    os.killpg(grader.pid, signal.SIGINT)
    status, printed = finish(grader)
    assert status == 130
    assert "graded, in out; run the same command again" in printed
    assert_gone(seen)
    kept = {path: path.stat().st_mtime_ns for path in (out / "results").glob("*/*.json")}
    assert kept
    assert finish(start(place, *GRADE, "out"))[0] == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert final(out) == final(place / "undisturbed")


@pytest.mark.needs_sandbox
def test_a_second_grader_in_the_same_folder_is_refused(place, out):
    first = start(place, *GRADE, "out")
    wait_for(2, out, first)
    assert finish(start(place, *GRADE, "out")) == (
        2,
        f"hearts: out: another grader, process {first.pid}, is at work in it; "
        "wait until it has ended, or choose another folder with --out\n",
    )
    assert finish(first)[0] == 0
    assert final(out) == final(place / "undisturbed")


@pytest.mark.needs_sandbox
def test_a_run_without_changes_imports_next_to_nothing(place):
    command = [sys.executable, "-X", "importtime", "hearts.py", *GRADE, "undisturbed"]
    former_files = final(place / "undisturbed")
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"nothing to grade: {len(CLASS)} results up to date already\n")
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "hearts_grader.grading.plan" in imported
    assert not imported & {"pytest", "rich", "jinja2", "nbformat", "multiprocessing"}
    assert final(place / "undisturbed") == former_files


@pytest.fixture(params=sandboxes())
def looping(request, tmp_path):
    """A running grader, in each sandbox, with a program whose import takes a minute."""
    course_with_starter(tmp_path / "course")
    put(tmp_path, {f"class/eve/{STAGE}/coins.py": f"{REFERENCE}\nimport time\ntime.sleep(60)\n"})
    put(tmp_path, {"hearts.py": HEARTS})
    grader = start(tmp_path, *GRADE, "out", "--sandbox", request.param)
    deadline = time.monotonic() + 20
    # At first, the only sandboxed process is a small program that tests the sandbox.
    while not part(grader, "spawn_main") or len(part(grader, "sandbox_worker")) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    yield grader
    grader.kill()
    grader.communicate()


@pytest.mark.parametrize("sent", proofs_after(1, [signal.SIGINT, signal.SIGKILL]))
def test_all_programs_end_with_the_grader(looping, sent):
    started = below(looping)
    (os.killpg if sent == signal.SIGINT else os.kill)(looping.pid, sent)
    looping.communicate(timeout=20)
    assert_gone(started)


def test_a_killed_worker_s_programs_end_while_the_grader_continues(looping):
    doomed = part(looping, "spawn_main") | part(looping, "sandbox_worker")
    for worker in part(looping, "spawn_main"):
        worker.kill()
    assert_gone(doomed)
    assert looping.poll() is None
