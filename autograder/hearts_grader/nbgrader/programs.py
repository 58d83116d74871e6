"""Run the programs of nbgrader's submissions; each program runs once for its whole group."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from hearts_course.course import Course
from hearts_course.results import Result, Status
from hearts_course.submissions.find import SubmissionPath

from hearts_grader.grading.attempts import graded_before
from hearts_grader.grading.cache import CacheKeys
from hearts_grader.grading.grade import GradeJob
from hearts_grader.grading.late_policy import Counts
from hearts_grader.grading.pool import LocalExecutor, grade_all
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store


def store_of_attempts(root: Path, rule: Counts) -> Store | None:
    """Return the store of the course's folder if the best attempt counts; None otherwise.

    If the latest attempt counts, nbgrader's own folders show which submissions are graded already.
    """
    return Store(root) if rule is Counts.BEST else None


def run_programs(
    todo: Mapping[str, SubmissionPath],
    course: Course,
    sandbox: str,
    store: Store | None,
    *,
    reuse: bool,
) -> Iterator[tuple[str, Result]]:
    """Yield each key of `todo` with the result of its submission.

    A `store` keeps each result, so an attempt that was graded to find the best one is not graded
    again. With `reuse`, a stored result is yielded without running the program.

    A result is yielded once for each member of a group, with the member's name in it. A failure
    of the grader is not stored, so that the next run tries again.
    """
    folders = {path.student: name for name, path in todo.items()}
    keys = CacheKeys(course)
    sharing: dict[Path | None, list[str]] = {}
    for name, path in todo.items():
        record = None
        if store and reuse:
            record = graded_before(store, path, keys.of(path), sandbox)
        if record:
            yield name, record.result
        else:
            sharing.setdefault(path.path, []).append(name)
    jobs = []
    for first, *_ in sharing.values():
        jobs.append(GradeJob(todo[first].stage, todo[first], sandbox))
    # No more workers than programs: each worker takes time and memory to start.
    executor = LocalExecutor(most=len(jobs))
    with closing(grade_all(jobs, executor)) as results:
        for result in results:
            for name in sharing[todo[folders[result.student]].path]:
                mine = replace(result, student=todo[name].student)
                if store and result.status is not Status.GRADER_ERROR:
                    key = keys.of(todo[name])
                    store.attempts(key).save(Record(mine, key))
                yield name, mine
