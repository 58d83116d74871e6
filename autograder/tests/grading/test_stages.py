"""No double punishment, for every real stage: what an earlier one breaks costs nothing."""

import pytest
from hearts_course.authoring.chaffs import load_chaffs
from hearts_course.course import find_course
from hearts_course.grading.grade import GradeJob, grade_one
from hearts_course.results import Prerequisites, Status
from hearts_course.submissions.model import Submission

COURSE = find_course()
NO_PYTHON = "def deal(:\n"


@pytest.fixture(
    params=[stage for stage in COURSE.stages if stage.builds_on], ids=lambda stage: stage.name
)
def stage(request):
    """A stage that builds on others."""
    return request.param


def grade(stage, earlier, tests):
    """The result of the reference of a stage, handed in with these earlier modules."""
    submission = Submission("ada", stage.name, stage.reference(), earlier=earlier)
    return grade_one(GradeJob(stage, submission, tests=tests))


def untouched(stage):
    """The first of the earlier stages is still the starter; the others are well."""
    first, *others = COURSE.prerequisites(stage)
    return first.starter() | modules_of(others)


def unreadable(stage):
    """The last of the earlier stages is no Python; the others are well."""
    *others, last = COURSE.prerequisites(stage)
    return modules_of(others) | dict.fromkeys(last.modules, NO_PYTHON)


def modules_of(stages):
    return {name: text for stage in stages for name, text in stage.reference().items()}


@pytest.mark.parametrize("broken", [untouched, unreadable])
def test_what_an_earlier_stage_breaks_costs_nothing(stage, broken):
    result = grade(stage, broken(stage), "visible")
    assert [result.status, result.score] == [Status.GRADED, stage.points]
    assert result.prerequisites.own < stage.points
    assert result.prerequisites.reference == stage.points
    assert f"({result.prerequisites.own:g} with them)" in result.message


@pytest.mark.proof
def test_an_earlier_misconception_costs_nothing(stage):
    """All tests are run here, the hidden ones too; a chaff need not be felt by a later stage."""
    *others, last = COURSE.prerequisites(stage)
    result = grade(stage, modules_of(others) | dict(load_chaffs(last)[0].modules), "all")
    assert [result.status, result.score] == [Status.GRADED, stage.points]
    own = result.prerequisites.own
    assert result.prerequisites == Prerequisites(own, None if own == stage.points else stage.points)
