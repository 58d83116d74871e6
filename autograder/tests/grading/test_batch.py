"""Many submissions at once: every one has a result, whatever becomes of the workers."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

import pytest
from hearts_course.course import Stage
from hearts_course.errors import CourseError
from hearts_course.grading import pool
from hearts_course.grading.grade import GradeJob, max_run_seconds, max_seconds
from hearts_course.grading.pool import JOBS_PER_WORKER, LocalExecutor, Submit, WorkerDied, grade_all
from hearts_course.results import Result, Status, score_stage
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Submission
from tiny_class import put
from tiny_course import REFERENCE, STAGE_TOML, write_stage


class Deadly(Submission):
    """A submission that ends the worker process which receives it."""

    def __reduce__(self) -> tuple[object, ...]:
        return os._exit, (1,)


@pytest.fixture(name="stage")
def _stage(tmp_path: Path) -> Stage:
    return write_stage(tmp_path)


def work(stage: Stage, student: str, kind: type[Submission] = Submission) -> GradeJob:
    return GradeJob(stage, kind(student, stage.name, {"coins": REFERENCE}))


def test_everyone_is_graded_by_several_workers(stage: Stage) -> None:
    students = [f"student-{n}" for n in range(6)]
    results = list(grade_all([work(stage, name) for name in students], LocalExecutor(2)))
    assert sorted(result.student for result in results) == students
    assert {result.score for result in results} == {6.0}


def test_programs_that_have_ended_are_let_go_of(stage: Stage) -> None:
    students = [work(stage, f"student-{n}") for n in range(6)]
    for _ in grade_all(students, LocalExecutor(1)):
        assert len(dead_children()) <= 1


def dead_children() -> list[str]:
    """The children of this process that have ended, and nobody has asked how."""
    told = subprocess.run(["ps", "-eo", "ppid=,stat="], capture_output=True, text=True, check=True)
    lines = (line.split() for line in told.stdout.splitlines())
    return [state for parent, state in lines if parent == str(os.getpid()) and "Z" in state]


def test_a_dead_worker_costs_nobody_else_a_result(stage: Stage) -> None:
    works = [work(stage, "ada"), work(stage, "mallory", Deadly), work(stage, "bob")]
    results = {result.student: result for result in grade_all(works, LocalExecutor(2))}
    assert results["mallory"].status is Status.GRADER_ERROR
    assert "died" in results["mallory"].message
    assert (results["ada"].score, results["bob"].score) == (6.0, 6.0)


def test_what_cannot_be_handed_to_a_worker_is_a_fault_of_ours(stage: Stage) -> None:
    odd = GradeJob(stage, Submission("ada", stage.name, {"coins": lambda: None}))  # type: ignore[dict-item]
    ada, bob = sorted(
        grade_all([odd, work(stage, "bob")], LocalExecutor(1)), key=lambda r: r.student
    )
    assert (ada.status, bob.score) == (Status.GRADER_ERROR, 6.0)
    assert "pickle" in ada.message


class Clumsy:
    """A crew in which some students' units are the death of whoever takes them, so often."""

    places = 2

    def __init__(self, **deaths: int) -> None:
        self.deaths = deaths
        self.taken: list[list[str]] = []

    @contextmanager
    def at_work(self) -> Iterator[Submit]:
        self.taken.append([])
        yield self.submit

    def submit(self, unit: GradeJob) -> Future[Result]:
        self.taken[-1].append(unit.student)
        future: Future[Result] = Future()
        if self.deaths.get(unit.student, 0):
            self.deaths[unit.student] -= 1
            future.set_exception(WorkerDied())
        else:
            future.set_result(score_stage(unit.stage, unit.student, {}, sandbox="none"))
        return future

    def result(self, future: Future[Result]) -> Result:
        return future.result()

    def check_workers(self) -> None:
        if self.deaths.get("everybody"):
            raise CourseError("nobody is left")


def test_what_somebody_died_of_is_tried_once_more_and_alone(stage: Stage) -> None:
    crew = Clumsy(bob=1, mallory=9)
    students = ("ada", "bob", "cyd", "mallory", "dan", "eve")
    results = {r.student: r for r in grade_all([work(stage, name) for name in students], crew)}
    assert set(results) == set(students)
    broken = [name for name in students if results[name].status is Status.GRADER_ERROR]
    assert broken == ["mallory"]
    assert results["mallory"].message.endswith("died again when retried")
    first, *alone, last = crew.taken
    assert (first, last) == (["ada", "bob", "cyd", "mallory"], ["dan", "eve"])
    assert sorted(alone) == [["bob"], ["mallory"]]


def test_where_nobody_is_left_the_batch_ends(stage: Stage) -> None:
    crew = Clumsy()
    coming = grade_all([work(stage, name) for name in ("ada", "bob", "cyd", "dan", "eve")], crew)
    assert next(coming).status is Status.GRADED
    crew.deaths["everybody"] = 1
    with pytest.raises(CourseError, match="nobody is left"):
        list(coming)


def test_no_work_is_no_trouble() -> None:
    assert list(grade_all([], LocalExecutor())) == []


LIMITS = "\n[limits]\ntest_seconds = 0.2\nimport_seconds = 2.0\nsubmission_seconds = 1.0\n"
LOOP = REFERENCE.replace("return 10", "while True: pass\n        return 10")


def test_one_looping_program_costs_its_own_limits_and_not_the_class(tmp_path: Path) -> None:
    toml = STAGE_TOML.replace("[[task]]", f"{LIMITS}\n[[task]]", 1)
    stage = write_stage(tmp_path, STAGE_TOML=toml)

    def seconds(*sources: str) -> float:
        works = [
            GradeJob(stage, Submission(f"student-{n}", stage.name, {"coins": source}))
            for n, source in enumerate(sources)
        ]
        begun = time.monotonic()
        results = list(grade_all(works, LocalExecutor(1)))
        full = [result.score == 6 for result in results]
        assert full == [source == REFERENCE for source in sources]
        return time.monotonic() - begun

    without = seconds(REFERENCE, REFERENCE, REFERENCE)
    assert seconds(REFERENCE, LOOP, REFERENCE, REFERENCE) < without + max_run_seconds(stage)


class Endless(Submission):
    """A submission that keeps the worker which receives it busy, deep inside of Python."""

    def __reduce__(self) -> tuple[object, ...]:
        return re.match, ("(a*)*b", "a" * 50)


def test_a_worker_that_stands_still_is_ended(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where no thread of its own could end it."""
    monkeypatch.setattr(pool, "watchdog_seconds", lambda stage: 3)
    monkeypatch.setattr(pool, "MAX_TRIES", 1)
    works = [work(stage, "mallory", Endless), work(stage, "ada")]
    results = {result.student: result for result in grade_all(works, LocalExecutor(1))}
    assert results["mallory"].status is Status.GRADER_ERROR
    assert results["ada"].score == 6.0


def test_a_worker_can_see_to_that_itself() -> None:
    """Where nobody else could: on a cluster, where it grades in a thread."""
    code = (
        "import re, threading\n"
        "from hearts_course.course import find_course\n"
        "from hearts_course.grading import grade\n"
        "grade.WATCHDOG_FACTOR = 0.0005\n"
        "def stand_still():\n"
        "    with grade.watchdog(find_course().stages[0]):\n"
        "        re.match('(a*)*b', 'a' * 50)\n"
        "threading.Thread(target=stand_still).start()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
    assert done.returncode == 1


def test_only_a_few_units_are_taken_ahead(stage: Stage) -> None:
    taken = []

    def works() -> Iterator[GradeJob]:
        for number in range(12):
            taken.append(number)
            yield work(stage, f"student-{number}")

    for done, _ in enumerate(grade_all(works(), LocalExecutor(1)), start=1):
        assert len(taken) <= done + JOBS_PER_WORKER


def test_what_lies_on_the_disk_is_read_by_the_worker(stage: Stage, tmp_path: Path) -> None:
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


def test_the_bound_of_a_class_follows_from_its_limits(stage: Stage) -> None:
    one = max_run_seconds(stage)
    timeouts = 2 * len(stage.tasks) * stage.limits.test_seconds
    assert one >= stage.limits.import_seconds + stage.limits.submission_seconds + timeouts
    slot = SubmissionPath("ada", stage, Path("x"))
    twice = SubmissionPath("bob", stage, Path("x"), earlier=((stage, Path("y")),))
    assert max_seconds([], 2) == 0
    assert max_seconds([slot], 1) == 2 * one
    assert max_seconds([slot, twice, slot], 2) == 4 * one
