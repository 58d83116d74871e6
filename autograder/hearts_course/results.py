"""What grading found out, as frozen values; text, HTML, JSON and CSV are renderings of these.

Result       one student's stage
TaskResult   one task of it: points x the share of its tests that passed
TestResult   one test: what it was about, how it ended, what the student may read
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from hearts_course.course import Stage, Task

NOTHING = "nothing was handed in"
NOT_GRADED = "the grader failed, and your instructor has been told"
NONE_SKIPPED: Mapping[str, Iterable[str]] = MappingProxyType({})


class Outcome(StrEnum):
    """How a test ended. A test that reported nothing was not reached, and counts as not passed."""

    PASSED = "passed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    NOT_REACHED = "not-reached"


class Status(StrEnum):
    """What became of a submission: graded, never handed in, unreadable, or our own failure."""

    GRADED = "graded"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    GRADER_ERROR = "grader-error"


@dataclass(frozen=True)
class TestResult:
    """One test. `message` is what the student may read; it never holds a hidden test's inputs."""

    __test__ = False

    name: str
    topic: str
    hidden: bool
    outcome: Outcome
    message: str = ""


@dataclass(frozen=True)
class TaskResult:
    """One task's points and the tests they come from.

    `skipped` says of each test that was not made why not; it neither gives points nor costs any.
    """

    task: str
    title: str
    score: float
    max_score: int
    tests: tuple[TestResult, ...]
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prerequisites:
    """A stage's score with the student's own earlier stages and with the reference ones.

    None where that was not tried: nothing earlier was handed in, or with it nothing was lost.
    """

    own: float | None
    reference: float | None


@dataclass(frozen=True)
class Result:
    """One student's stage; `message` is the one-line verdict, empty if all went well.

    Where the grader failed the message is for the instructor only.
    """

    student: str
    stage: str
    status: Status
    message: str
    score: float
    max_score: int
    prerequisites: Prerequisites | None
    sandbox: str
    tasks: tuple[TaskResult, ...]

    def for_student(self) -> "Result":
        """Return the result as its student may see it: without the text of a fault of ours.

        That text may quote what a program has answered, and so the inputs of a hidden test. Every
        form that can reach a student begins with this.
        """
        return replace(self, message=NOT_GRADED) if self.status is Status.GRADER_ERROR else self

    def as_json(self) -> dict[str, Any]:
        """The result as plain dicts and lists, in the order of DESIGN's contract.

        What was skipped is in it only where something was.
        """
        data = asdict(self)
        for task in data["tasks"]:
            if not task["skipped"]:
                del task["skipped"]
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Result":
        """The result that `as_json` wrote; raises KeyError or ValueError for anything else."""
        tasks = tuple(_task(task) for task in data["tasks"])
        before = data["prerequisites"]
        return cls(
            **{
                **data,
                "status": Status(data["status"]),
                "prerequisites": before and Prerequisites(**before),
                "tasks": tasks,
            }
        )


def _task(data: dict[str, Any]) -> TaskResult:
    tests = tuple(_test(test) for test in data["tests"])
    return TaskResult(**{**data, "tests": tests, "skipped": tuple(data.get("skipped", ()))})


def _test(data: dict[str, Any]) -> TestResult:
    return TestResult(**{**data, "outcome": Outcome(data["outcome"])})


def score_task(task: Task, tests: Iterable[TestResult], skipped: Iterable[str] = ()) -> TaskResult:
    """The task's points times the share of its tests that passed; no tests, no points."""
    tests = tuple(tests)
    passed = sum(test.outcome is Outcome.PASSED for test in tests)
    score = round(task.points * passed / len(tests), 2) if tests else 0.0
    return TaskResult(task.id, task.title, score, task.points, tests, tuple(skipped))


def score_stage(
    stage: Stage,
    student: str,
    tests: dict[str, list[TestResult]],
    *,
    sandbox: str,
    message: str = "",
    status: Status = Status.GRADED,
    skipped: Mapping[str, Iterable[str]] = NONE_SKIPPED,
) -> Result:
    """The result of a stage from its tests, grouped by task id."""
    tasks = tuple(
        score_task(task, tests.get(task.id, ()), skipped.get(task.id, ())) for task in stage.tasks
    )
    score = round(sum(task.score for task in tasks), 2)
    return Result(student, stage.name, status, message, score, stage.points, None, sandbox, tasks)
