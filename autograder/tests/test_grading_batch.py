"""Many submissions at once: every one has a result, whatever becomes of the workers."""

import os
from pathlib import Path

import pytest
from hearts_course.course import Stage
from hearts_course.grading.batch import grade_all
from hearts_course.grading.results import Status
from hearts_course.grading.submission import Submission
from hearts_course.grading.work import Work
from tiny_course import REFERENCE, write_stage


class Deadly(Submission):
    """A submission that ends the worker process which receives it."""

    def __reduce__(self) -> tuple[object, ...]:
        return os._exit, (1,)


@pytest.fixture(name="stage")
def _stage(tmp_path: Path) -> Stage:
    return write_stage(tmp_path)


def work(stage: Stage, student: str, kind: type[Submission] = Submission) -> Work:
    return Work(stage, kind(student, stage.name, {"coins": REFERENCE}))


def test_everyone_is_graded_by_several_workers(stage: Stage) -> None:
    students = [f"student-{n}" for n in range(6)]
    results = list(grade_all([work(stage, name) for name in students], jobs=2))
    assert sorted(result.student for result in results) == students
    assert {result.score for result in results} == {6.0}


def test_a_dead_worker_costs_nobody_else_a_result(stage: Stage) -> None:
    works = [work(stage, "ada"), work(stage, "mallory", Deadly), work(stage, "bob")]
    results = {result.student: result for result in grade_all(works, jobs=2)}
    assert results["mallory"].status is Status.GRADER_ERROR
    assert "died" in results["mallory"].message
    assert (results["ada"].score, results["bob"].score) == (6.0, 6.0)


def test_no_work_is_no_trouble() -> None:
    assert list(grade_all([])) == []
