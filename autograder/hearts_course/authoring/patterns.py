"""What each chaff fails, found out by grading it; students are told by it what theirs looks like.

find_patterns   of a stage's chaffs
written_down    the file that says so
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from hearts_course.authoring.build import Generated
from hearts_course.authoring.chaffs import Chaff, load_chaffs
from hearts_course.course import Stage
from hearts_course.errors import CourseError
from hearts_course.grading.grade import GradeJob
from hearts_course.grading.misconceptions import Pattern, as_text, path_of, pattern_of
from hearts_course.results import Result, Status
from hearts_course.submissions.model import Submission

PATIENCE = 600.0  # seconds for a program: what is not reached on a busy machine fails nothing
Grade = Callable[[Iterable[GradeJob]], Iterable[Result]]


def find_patterns(stage: Stage, grade: Grade) -> tuple[Pattern, ...]:
    """The pattern of each chaff, in their order; raises StageError, and CourseError."""
    chaffs = load_chaffs(stage)
    works = [_work(stage, number, chaff) for number, chaff in enumerate(chaffs)]
    found: dict[int, Pattern] = {}
    for result in grade(works):
        chaff = chaffs[int(result.student)]
        if result.status is not Status.GRADED:
            raise CourseError(f"{stage.name}: cannot grade {chaff.name!r}: {result.message}")
        found[int(result.student)] = pattern_of(chaff.name, chaff.task, result)
    return tuple(found[number] for number in sorted(found))


def _work(stage: Stage, number: int, chaff: Chaff) -> GradeJob:
    """The chaff in its own task and in those that build on it; it must not show in others."""
    above = {task.id for task in stage.tasks if chaff.task in stage.ground(task)}
    submission = Submission(str(number), stage.name, chaff.modules)
    patient = replace(stage, limits=replace(stage.limits, submission_seconds=PATIENCE))
    return GradeJob(patient, submission, tasks=frozenset({chaff.task, *above}))


def written_down(stage: Stage, grade: Grade) -> Generated:
    """The file of the stage's patterns, as it should be; raises StageError, and CourseError."""
    return Generated(path_of(stage), as_text(find_patterns(stage, grade)))
