"""What the course remembers for a student: hints taken, and how each task's last check ended.

Memory   the whole of it, frozen
Checked  one task's last check
recall   read it from a file, tolerating a damaged one
keep     write it, all or nothing
as_text  what is written
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from hearts_course.course import Task
from hearts_course.files import write_whole
from hearts_course.results import Outcome, Result, TaskResult


@dataclass(frozen=True)
class Checked:
    """How a task's last check ended; `score` counts visible tests only."""

    passed: int
    tests: int
    score: float

    @property
    def complete(self) -> bool:
        """Whether every visible test passed."""
        return self.passed == self.tests > 0


@dataclass(frozen=True)
class StudentState:
    """Hints taken and last checks, each by task id."""

    hints: Mapping[str, int] = field(default_factory=dict)
    checks: Mapping[str, Checked] = field(default_factory=dict)

    def with_hint(self, task: Task, taken: int) -> "StudentState":
        """The memory with so many hints of the task taken."""
        return replace(self, hints={**self.hints, task.id: taken})

    def with_checks(self, result: Result) -> "StudentState":
        """The memory with the tasks that this result checked."""
        checked = {done.task: _checked(done) for done in result.tasks if done.tests}
        return replace(self, checks={**self.checks, **checked})


def _checked(done: TaskResult) -> Checked:
    passed = sum(test.outcome is Outcome.PASSED for test in done.tests)
    return Checked(passed, len(done.tests), done.score)


def recall(path: Path) -> tuple[StudentState, str]:
    """What was remembered, and a note for the student if the file was damaged.

    A damaged file is moved aside, never deleted. A missing one is an empty memory.
    """
    try:
        return _parsed(json.loads(path.read_bytes())), ""
    except FileNotFoundError:
        return StudentState(), ""
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        aside = path.with_name(f"{path.name}.damaged")
        path.replace(aside)
        keep(path, StudentState())
        return (
            StudentState(),
            f"{path.name} was damaged; kept it as {aside.name} and began a new one",
        )


def keep(path: Path, memory: StudentState) -> None:
    """Write the memory so that a reader, or a crash, meets either the old file or the new one.

    Raises CourseError if it cannot be written.
    """
    write_whole(path, as_text(memory))


def as_text(memory: StudentState) -> str:
    """The memory as its file has it."""
    data = {"version": 1, "hints": dict(memory.hints), "checks": _plain(memory.checks)}
    return json.dumps(data, indent=1) + "\n"


def _plain(checks: Mapping[str, Checked]) -> dict[str, dict[str, Any]]:
    return {task: asdict(checked) for task, checked in checks.items()}


def _parsed(data: Any) -> StudentState:
    hints = {str(task): int(taken) for task, taken in data["hints"].items()}
    if min(hints.values(), default=0) < 0:
        raise ValueError("fewer hints than none")
    return StudentState(
        hints=hints,
        checks={
            str(task): Checked(int(c["passed"]), int(c["tests"]), float(c["score"]))
            for task, c in data["checks"].items()
        },
    )
