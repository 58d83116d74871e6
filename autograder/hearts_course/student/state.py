"""The student's state, saved in the workspace: hints taken, answers given, last checks."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hearts_course.course import Stage, Task
from hearts_course.errors import CourseError, StageError
from hearts_course.files import read_json, to_dataclass, write_whole
from hearts_course.results import Result, TaskResult, TestResult, passed, points_of

if TYPE_CHECKING:
    from hearts_course.questions import Question


@dataclass(frozen=True)
class LastCheck:
    """The last check of a task: how many tests were run, how many passed, and the points.

    `skipped` is the number of further tests that could not be run. If there are any, only the
    grader can give the task's points. `program` is the digest of the program that was checked, ""
    if it is not known. `untouched` says that the task's definitions were still those of the
    starter.
    """

    passed: int
    tests: int
    score: float
    skipped: int = 0
    program: str = ""
    untouched: bool = False

    @property
    def complete(self) -> bool:
        """Whether every test of this check passed."""
        return self.tests > 0 and self.passed == self.tests

    def proves(self, program: str) -> bool:
        """Return whether every test of this check passed on the program with this digest."""
        return self.complete and self.program == program


@dataclass(frozen=True)
class StudentState:
    """What a student has done so far.

    hints       by task id: how many hints were taken
    checks      by task id: the visible tests of the last check
    full        by task id: all tests of the last check that ran hidden tests too
    proven      by stage: the digest of the last program that passed every visible test
    predicted   by question key: whether the student's answer was right
    catches     by stage: the number of tries in the game `catch`
    given_up    the ids of the tasks whose solution was shown before they passed
    given       by file, or by notebook and cell: a short hash of the text that was handed out
    grows       whether the workspace gets a new stage only after the earlier stages pass

    If `grows` is False, the workspace has all stages from the start.
    """

    hints: Mapping[str, int] = field(default_factory=dict)
    checks: Mapping[str, LastCheck] = field(default_factory=dict)
    full: Mapping[str, LastCheck] = field(default_factory=dict)
    proven: Mapping[str, str] = field(default_factory=dict)
    predicted: Mapping[str, bool] = field(default_factory=dict)
    catches: Mapping[str, int] = field(default_factory=dict)
    given_up: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    grows: bool = False  # older workspaces have all stages, and their files lack this value
    version: int = 1

    def __post_init__(self) -> None:
        """Raise ValueError for a negative number of hints."""
        if min(self.hints.values(), default=0) < 0:
            raise ValueError("a number of hints is negative")

    def passes(self, task: Task) -> bool:
        """Return whether every visible test of the task passed when it was last checked."""
        return task.id in self.checks and self.checks[task.id].complete

    def passes_core(self, stage: Stage) -> bool:
        """Return whether every core task of the stage passed when it was last checked."""
        return all(map(self.passes, stage.core))

    def with_hint(self, task: Task, taken: int) -> "StudentState":
        """Return the state after the task's first `taken` hints."""
        return replace(self, hints={**self.hints, task.id: taken})

    def with_given_up(self, task: Task) -> "StudentState":
        """Return the state after the task's solution was shown before it passed."""
        return replace(self, given_up=tuple(dict.fromkeys([*self.given_up, task.id])))

    def with_prediction(self, question: "Question", answer: str) -> "StudentState":
        """Return the state after this answer to the question."""
        return replace(self, predicted={**self.predicted, question.key: answer == question.right})

    def with_catch(self, stage: Stage) -> "StudentState":
        """Return the state after one more try in the stage's game `catch`."""
        return replace(
            self, catches={**self.catches, stage.name: self.catches.get(stage.name, 0) + 1}
        )

    def with_checks(self, result: Result, program: str = "") -> "StudentState":
        """Return the state after a check with this result; `program` is the program's digest.

        Only tasks whose tests were run are changed. `checks` always gets the visible tests alone.
        If hidden tests were run too, `full` gets all tests, because the points of all tests may
        differ from the points of the visible tests.
        """
        checks = dict(self.checks)
        full = dict(self.full)
        for done in result.tasks:
            if visible := [test for test in done.tests if not test.hidden]:
                checks[done.task] = _last(visible, done, program)
            if result.has_hidden and done.tests:
                full[done.task] = _last(done.tests, done, program)
        proven = dict(self.proven)
        last_checks = [checks.get(done.task) for done in result.tasks]
        if program and all(last and last.proves(program) for last in last_checks):
            proven[result.stage] = program
        return replace(self, checks=checks, full=full, proven=proven)


def _last(tests: Sequence[TestResult], done: TaskResult, program: str) -> LastCheck:
    """Return the check of these tests; `program` is the digest of the program."""
    return LastCheck(
        passed=sum(passed(tests)),
        tests=len(tests),
        score=points_of(tests, done.max_score),
        skipped=len(done.skipped),
        program=program,
        untouched=done.untouched,
    )


def load_state(path: Path) -> tuple[StudentState, str]:
    """Return the state in the file, and a note for the student if the file was damaged.

    A damaged file is renamed, never deleted. Without a file, return an empty state.
    """
    if not path.exists():
        return StudentState(), ""
    try:
        return to_dataclass(StudentState, read_json(path), path, lenient=True), ""
    except StageError:
        aside = path.with_name(f"{path.name}.damaged")
        note = f"{path.name} was damaged; it is now {aside.name}, and a new one began"
        try:
            path.replace(aside)
            save_state(path, StudentState())
        except (CourseError, OSError):
            note = f"{path.name} is damaged and cannot be renamed; delete it"
        return StudentState(), note


def save_state(path: Path, state: StudentState) -> None:
    """Write the whole state or nothing; raise CourseError if that fails."""
    write_whole(path, state_text(state))


def state_text(state: StudentState) -> str:
    """Return the text of the state's file."""
    return json.dumps(asdict(state), indent=1) + "\n"
