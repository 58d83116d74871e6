"""How far a student is, and what is next.

TaskProgress    one task: its last check and the hints taken
StageProgress   a stage's tasks, and its visible points so far
standings       every stage of a workspace
current         the stage a student works on
"""

from dataclasses import dataclass

from hearts_course.course import Stage, Task
from hearts_course.student.hints import ladder
from hearts_course.student.report import TaskStatus, numbered
from hearts_course.student.state import Checked
from hearts_course.student.work import begun
from hearts_course.student.workspace import Workspace


@dataclass(frozen=True)
class TaskProgress:
    """One task: its last check, None if it was never checked, and the hints taken of all."""

    number: int
    task: Task
    checked: Checked | None
    hints: int
    rungs: int

    @property
    def done(self) -> bool:
        """Whether the last check passed whole."""
        return self.checked is not None and self.checked.complete

    @property
    def face(self) -> tuple[TaskStatus, str]:
        """How the last check ended, as a mark and in words."""
        if self.checked is None:
            return TaskStatus.UNWRITTEN, "not checked yet"
        if self.done:
            return TaskStatus.PASSED, "passed"
        return TaskStatus.FAILED, f"{self.checked.passed} of {self.checked.tests} pass"


@dataclass(frozen=True)
class StageProgress:
    """A stage's tasks as they stand."""

    stage: Stage
    tasks: tuple[TaskProgress, ...]

    @property
    def title(self) -> str:
        """The stage's number and title."""
        return numbered(self.stage)

    @property
    def done(self) -> int:
        """How many tasks' last check passed whole."""
        return sum(task.done for task in self.tasks)

    @property
    def score(self) -> float:
        """The points that the visible checks gave when last run."""
        return round(sum(task.checked.score for task in self.tasks if task.checked), 2)

    @property
    def next(self) -> TaskProgress | None:
        """The first task that is not done, None if all are."""
        return next((task for task in self.tasks if not task.done), None)


def standings(workspace: Workspace) -> tuple[StageProgress, ...]:
    """Every stage of the course as the student stands in it."""
    return tuple(standing(workspace, stage) for stage in workspace.course.stages)


def standing(workspace: Workspace, stage: Stage) -> StageProgress:
    """One stage as the student stands in it."""
    memory = workspace.memory
    return StageProgress(
        stage,
        tuple(
            TaskProgress(
                number,
                task,
                memory.checks.get(task.id),
                memory.hints.get(task.id, 0),
                len(ladder(stage, task)),
            )
            for number, task in enumerate(stage.tasks, start=1)
        ),
    )


def current(workspace: Workspace) -> Stage:
    """The stage whose files the student saved a change to last, or else the first one."""
    saved = {stage: begun(workspace.root, stage) for stage in workspace.course.stages}
    touched = [(when, stage.name) for stage, when in saved.items() if when is not None]
    return workspace.course.stage(max(touched)[1]) if touched else workspace.course.stages[0]
