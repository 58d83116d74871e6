"""A name of the wrong kind, such as `Card = None`, is a student's mistake: graded, and told.

Each definition that a starter leaves blank takes each of some values in turn, in its place in the
reference.
"""

import re

import pytest
from hearts_course.authoring.starter import definitions, first_line
from hearts_course.course import Course, Stage, find_course
from hearts_course.grading.grade import GradeJob, grade_one
from hearts_course.results import Outcome, Result, Status
from hearts_course.submissions.model import Submission

COURSE = Course(find_course().root)
VALUES = {
    "nothing": "None",
    "a text": '"a card"',
    "a tuple": '("suit", "rank")',
    "a number": "7",
    "a class without arguments": 'type("Empty", (), {})',
}
# What came back and what was expected, what was raised, or what a name should be.
TELLS = re.compile(
    r"^  (came back|expected|its message|raised|this does not hold)"
    r"|; it (should be a|cannot be used here)|^your program|^not written yet",
    re.MULTILINE,
)


def blanks(stage: Stage) -> list[str]:
    return list(dict.fromkeys(name for task in stage.tasks for name in task.blanks))


def cases() -> list[tuple[Stage, str, str]]:
    return [
        (stage, name, kind) for stage in COURSE.stages for name in blanks(stage) for kind in VALUES
    ]


def few() -> list[tuple[Stage, str, str]]:
    """For each stage and value one name that is no method."""
    found = []
    for stage in COURSE.stages:
        names = [name for name in blanks(stage) if "." not in name]
        found += [(stage, names[i % len(names)], kind) for i, kind in enumerate(VALUES)]
    return found


def with_value(source: str, name: str, value: str) -> str:
    """The text with a value in place of the definition."""
    lines = source.split("\n")
    for node in reversed([node for found, node in definitions(source) if found == name]):
        assignment = f"{' ' * node.col_offset}{node.name} = {value}"
        lines[first_line(node) - 1 : node.end_lineno] = [assignment]
    return "\n".join(lines)


def grade(stage: Stage, name: str, kind: str, tasks: frozenset[str] | None = None) -> Result:
    reference = stage.reference()
    modules = {m: with_value(text, name, VALUES[kind]) for m, text in reference.items()}
    assert modules != reference
    return grade_one(GradeJob(stage, Submission("ada", stage.name, modules), "none", tasks=tasks))


def check(result: Result) -> None:
    assert result.status is Status.GRADED, result.message
    failed = [t for task in result.tasks for t in task.tests if t.outcome is not Outcome.PASSED]
    assert failed or result.score == result.max_score  # a test of the student's may be a class
    shown = [t.message for t in failed if not t.hidden and t.outcome is not Outcome.NOT_REACHED]
    assert shown or result.message or all(test.hidden for test in failed)
    assert [message for message in shown if not TELLS.search(message)] == []


def name_of(case: object) -> str:
    return getattr(case, "name", str(case))


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("stage", "name", "kind"), few(), ids=name_of)
def test_a_wrong_kind_is_told_to_the_student(stage: Stage, name: str, kind: str) -> None:
    """In the tasks that ask for the name."""
    tasks = frozenset(task.id for task in stage.tasks if name in task.blanks)
    check(grade(stage, name, kind, tasks))


@pytest.mark.proof
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("stage", "name", "kind"), cases()[:: len(VALUES) + 1], ids=name_of)
def test_each_wrong_kind_in_turn_is_told_to_the_student(stage: Stage, name: str, kind: str) -> None:
    check(grade(stage, name, kind))


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("stage", "name", "kind"), cases(), ids=name_of)
def test_every_wrong_kind_is_told_to_the_student(stage: Stage, name: str, kind: str) -> None:
    check(grade(stage, name, kind))
