"""Who says whatever pleases has done nothing: no liar gets a point, in any stage of the course."""

import pytest
from hearts_course.course import Course, Stage, find_course
from hearts_course.grading.grade import GradeJob, grade_one
from hearts_course.results import Outcome
from hearts_course.submissions.model import Submission
from hostile.liars import LIARS

STAGES = Course(find_course().root).stages
FEW = (
    "yes, one, the queen of spades",
    "no, one",
    "always True",
    "always what it is given",
    "always a ValueError",
)
LONG_SECONDS = 60.0  # a stage that is allowed more has one liar only, since it waits for programs
TRIED = [
    (stage, name)
    for stage in STAGES
    for name in (FEW if stage.limits.submission_seconds <= LONG_SECONDS else FEW[:1])
]


@pytest.mark.proof
@pytest.mark.parametrize(("stage", "name"), TRIED, ids=lambda value: getattr(value, "name", value))
def test_a_liar_earns_nothing(stage: Stage, name: str) -> None:
    modules = dict.fromkeys(stage.modules, LIARS[name])
    result = grade_one(GradeJob(stage, Submission("liar", stage.name, modules)))
    passed = [
        test.name for task in result.tasks for test in task.tests if test.outcome is Outcome.PASSED
    ]
    assert (passed, result.score) == ([], 0)
