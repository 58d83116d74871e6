"""Every submission gets a result, whatever happens to the workers."""

import multiprocessing
import os
import re
import subprocess
import sys
import time
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from hearts_course.errors import CourseError
from hearts_course.results import Status, score_stage
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Submission
from hearts_grader.grading import pool
from hearts_grader.grading.grade import GradeJob, grade_one, max_run_seconds
from hearts_grader.grading.pool import (
    JOBS_PER_WORKER,
    LocalExecutor,
    WorkerDied,
    grade_all,
    least_taken,
    processors,
)
from hearts_grader.sandbox.backends import choose_sandbox
from surroundings import no_sandbox_works, processors_are
from tiny_class import put
from tiny_course import REFERENCE, STAGE_TOML, write_stage


class Deadly(Submission):
    """A submission that ends the worker process which receives it."""

    def __reduce__(self):
        return os._exit, (1,)


@pytest.fixture(name="stage")
def _stage(tmp_path):
    return write_stage(tmp_path)


def job_of(stage, student, kind=Submission):
    return GradeJob(stage, kind(student, stage.name, {"coins": REFERENCE}))


@pytest.mark.needs_sandbox
def test_programs_that_have_ended_are_reaped(stage):
    jobs = [job_of(stage, f"student-{n}") for n in range(6)]
    for result in grade_all(jobs, LocalExecutor(1)):
        assert result.score == 6.0
        assert len(dead_children()) <= 1


@pytest.mark.needs_sandbox
def test_workers_may_stay_for_later_jobs(stage):
    workers = []
    with LocalExecutor(1).staying() as executor:
        for student in ("ada", "bob"):
            assert [graded.score for graded in grade_all([job_of(stage, student)], executor)] == [
                6.0
            ]
            workers.append({process.pid for process in multiprocessing.active_children()})
    assert workers[0] == workers[1] != set()
    assert multiprocessing.active_children() == []


def dead_children():
    """Return the ids of child processes that have ended and that nobody has waited for."""
    dead = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # the process is gone, because somebody has waited for it meanwhile
            number, _, status_fields = path.read_text(errors="replace").partition(" (")
            state, parent = status_fields.rpartition(") ")[2].split()[:2]
            if state == "Z" and int(parent) == os.getpid():
                dead.append(int(number))
    return dead


@pytest.mark.needs_sandbox
def test_worker_crash_is_charged_to_one_job(stage):
    jobs = [job_of(stage, "ada"), job_of(stage, "mallory", Deadly), job_of(stage, "bob")]
    results = {result.student: result for result in grade_all(jobs, LocalExecutor(2))}
    assert results["mallory"].status is Status.GRADER_ERROR
    assert "died" in results["mallory"].message
    assert (results["ada"].score, results["bob"].score) == (6.0, 6.0)


def wait_until(true):
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_workers_start_before_there_is_a_job():
    with LocalExecutor(2).staying():
        wait_until(lambda: len(multiprocessing.active_children()) == 2)
    assert multiprocessing.active_children() == []


class Recorded:
    """A worker that grades nothing; `ways` collects the `Way` that each new worker was given."""

    ways: ClassVar = []

    def __init__(self, processor, way):
        self.processor = processor
        self.ways.append(way)

    def wait(self):
        pass

    def kill(self):
        pass


@pytest.mark.parametrize(("available", "places", "spare"), [([0], 1, False), ([0, 1], 1, True)])
def test_sandboxes_start_ahead_only_where_a_processor_is_free(
    monkeypatch, available, places, spare
):
    processors_are(monkeypatch, available)
    monkeypatch.setattr(pool, "Worker", Recorded)
    Recorded.ways.clear()
    with LocalExecutor(places).staying():
        wait_until(lambda: Recorded.ways)
    assert [way.spare for way in Recorded.ways] == [spare]


@pytest.mark.needs_sandbox
def test_a_sandbox_that_was_tried_is_not_tried_again(stage, monkeypatch):
    name = choose_sandbox()
    no_sandbox_works(monkeypatch, "tried again")
    job = GradeJob(stage, job_of(stage, "ada").submission, name)
    assert grade_one(job, tried=True).score == 6.0
    assert grade_one(job).message.startswith(f"{name} does not work here: tried again")


class Unsendable:
    def __reduce__(self):
        raise TypeError("this cannot be pickled")


@pytest.mark.needs_sandbox
def test_a_job_that_cannot_be_sent_is_a_grader_error(stage):
    odd = GradeJob(stage, Submission("ada", stage.name, {"coins": Unsendable()}))
    ada, bob = sorted(
        grade_all([odd, job_of(stage, "bob")], LocalExecutor(1)), key=lambda r: r.student
    )
    assert (ada.status, bob.score) == (Status.GRADER_ERROR, 6.0)
    assert "this cannot be pickled" in ada.message


class Dying:
    """An executor whose workers may die.

    `deaths` maps a student to the number of the student's jobs in which the worker dies. If
    `deaths` has the key `everyone`, the executor finds that no worker is left.
    """

    places = 2

    def __init__(self, **deaths):
        self.deaths = deaths
        self.taken = []

    @contextmanager
    def at_work(self):
        self.taken.append([])
        yield self.submit

    def submit(self, job):
        self.taken[-1].append(job.student)
        future = Future()
        if self.deaths.get(job.student, 0):
            self.deaths[job.student] -= 1
            future.set_exception(WorkerDied())
        else:
            future.set_result(score_stage(job.stage, job.student, {}, sandbox="none"))
        return future

    def result(self, future):
        return future.result()

    def check_workers(self):
        if self.deaths.get("everyone"):
            raise CourseError("no worker is left")


def test_jobs_of_a_dead_worker_are_retried_one_by_one(stage):
    executor = Dying(bob=1, mallory=9)
    students = ("ada", "bob", "cyd", "mallory", "dan", "eve")
    results = {
        r.student: r for r in grade_all([job_of(stage, name) for name in students], executor)
    }
    assert set(results) == set(students)
    broken = [name for name in students if results[name].status is Status.GRADER_ERROR]
    assert broken == ["mallory"]
    assert results["mallory"].message.endswith("died again when retried")
    first, *alone, last = executor.taken
    assert (first, last) == (["ada", "bob", "cyd", "mallory"], ["dan", "eve"])
    assert sorted(alone) == [["bob"], ["mallory"]]


def test_grading_ends_when_no_worker_is_left(stage):
    executor = Dying()
    coming = grade_all(
        [job_of(stage, name) for name in ("ada", "bob", "cyd", "dan", "eve")], executor
    )
    assert next(coming).status is Status.GRADED
    executor.deaths["everyone"] = 1
    with pytest.raises(CourseError, match="no worker is left"):
        list(coming)


LIMITS = "\n[limits]\ntest_seconds = 0.2\nimport_seconds = 2.0\nsubmission_seconds = 1.0\n"
LOOP = REFERENCE.replace("return 10", "while True: pass\n        return 10")


@pytest.mark.needs_sandbox
def test_a_looping_program_takes_no_longer_than_its_limits(tmp_path):
    toml = STAGE_TOML.replace("[[task]]", f"{LIMITS}\n[[task]]", 1)
    stage = write_stage(tmp_path, STAGE_TOML=toml)

    def seconds(*sources):
        jobs = [
            GradeJob(stage, Submission(f"student-{n}", stage.name, {"coins": source}))
            for n, source in enumerate(sources)
        ]
        begun = time.monotonic()
        results = list(grade_all(jobs, LocalExecutor(1)))
        full = [result.score == 6 for result in results]
        assert full == [source == REFERENCE for source in sources]
        return time.monotonic() - begun

    without = seconds(REFERENCE, REFERENCE, REFERENCE)
    assert seconds(REFERENCE, LOOP, REFERENCE, REFERENCE) < without + max_run_seconds(stage)


class Endless(Submission):
    """A submission that keeps its worker in an endless search with a regular expression."""

    def __reduce__(self):
        return re.match, ("(a*)*b", "a" * 50)


@pytest.mark.needs_sandbox
def test_a_worker_that_hangs_is_ended(stage):
    """No thread of the worker can end the job, because the search lets no other thread run."""
    hanging = replace(stage, title="A stage on which a worker hangs")

    def patience(stage):
        return 0.1 if stage == hanging else pool.watchdog_seconds(stage)

    jobs = [job_of(hanging, "mallory", Endless), job_of(stage, "ada")]
    executor = LocalExecutor(1, patience=patience)
    results = {result.student: result for result in grade_all(jobs, executor)}
    assert results["mallory"].status is Status.GRADER_ERROR
    assert results["ada"].score == 6.0


def test_a_worker_that_hangs_can_end_itself():
    """On a cluster, a worker grades in a thread, so nobody else could end the worker."""
    code = (
        "import re, threading\n"
        "from hearts_course.course import find_course\n"
        "from hearts_grader.grading import grade\n"
        "grade.WATCHDOG_FACTOR = 0.0005\n"
        "def hang():\n"
        "    with grade.watchdog(find_course().stages[0]):\n"
        "        re.match('(a*)*b', 'a' * 50)\n"
        "threading.Thread(target=hang).start()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
    assert done.returncode == 1


def test_only_a_few_jobs_are_taken_ahead(stage):
    taken = []

    def jobs():
        for number in range(12):
            taken.append(number)
            yield job_of(stage, f"student-{number}")

    for done, _ in enumerate(grade_all(jobs(), LocalExecutor(1)), start=1):
        assert len(taken) <= done + JOBS_PER_WORKER


@pytest.mark.needs_sandbox
def test_a_submission_given_by_its_path_is_read_by_the_worker(stage, tmp_path):
    here = put(tmp_path / "class/ada", {f"{stage.name}/coins.py": REFERENCE}) / stage.name
    slots = [
        SubmissionPath("ada", stage, here),
        SubmissionPath("bob", stage, tmp_path / "nowhere" / stage.name),
    ]
    ada, bob = sorted(
        grade_all((GradeJob(stage, slot) for slot in slots), LocalExecutor(1)),
        key=lambda result: result.student,
    )
    assert (ada.status, ada.score) == (Status.GRADED, 6.0)
    assert (bob.status, bob.score) == (Status.UNREADABLE, 0.0)


@pytest.mark.parametrize(
    ("available", "taken", "chosen"),
    [([0, 1, 2], [2, 0], {1}), ([0, 1], [0, 1, 1], {0}), ([4, 5, 7], [], {4, 5, 7})],
)
def test_a_worker_uses_the_processor_with_the_fewest_workers(available, taken, chosen):
    """If several processors have equally few workers, the grader's process number decides.

    So two graders use different processors.
    """
    assert {least_taken(available, taken, process) for process in (100, 101, 102)} == chosen


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_a_process_and_what_it_starts_stay_on_their_processor():
    last = processors()[-1]
    ask = "import os; print(sorted(os.sched_getaffinity(0)))"
    program = (
        "import subprocess, sys\n"
        "from hearts_course.sandbox.worker.rlimits import stay_on\n"
        f"stay_on([{last}])\n"
        f"subprocess.run([sys.executable, '-c', {ask!r}], check=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"[{last}]\n"
    assert processors()[-1] == last
