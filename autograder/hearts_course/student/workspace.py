"""Where a student works: one flat folder, because the stages add up to one program.

Workspace        the folder, the course it belongs to, and what is remembered there
find_workspace   the one that holds a folder
find_root        its folder, with its memory left alone
locate           which stage and task a student means
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from hearts_course.course import Course, Stage, Task, pick
from hearts_course.errors import UsageError
from hearts_course.student.state import StudentState, keep, recall

MEMORY_FILE = ".hearts.json"


@dataclass(frozen=True)
class Workspace:
    """A student's folder; `note` says what was amiss with its memory, empty if nothing was."""

    root: Path
    course: Course
    memory: StudentState
    note: str = ""

    def remember(self, change: Callable[[StudentState], StudentState]) -> "Workspace":
        """The workspace with its memory changed, also on the disk.

        What is changed is the memory as it is by now: a check takes its time, and meanwhile another
        window may have remembered something, too.
        """
        before, note = recall(self.root / MEMORY_FILE)
        memory = change(before)
        if memory != before:
            keep(self.root / MEMORY_FILE, memory)
        return replace(self, memory=memory, note=note or self.note)


def find_workspace(course: Course, start: Path) -> Workspace | None:
    """The workspace that `start` is or lies in, None if it lies in none."""
    root = find_root(start)
    return Workspace(root, course, *recall(root / MEMORY_FILE)) if root else None


def find_root(start: Path) -> Path | None:
    """The folder of the workspace that `start` is or lies in, None if it lies in none."""
    folders = (start.absolute(), *start.absolute().parents)
    return next((folder for folder in folders if (folder / MEMORY_FILE).is_file()), None)


def need_workspace(course: Course, start: Path) -> Workspace:
    """The workspace that `start` is or lies in; raises UsageError if it lies in none."""
    if workspace := find_workspace(course, start):
        return workspace
    if any((start / name).is_file() for stage in course.stages for name in stage.files):
        raise UsageError(
            f"{start.absolute()} has lost its {MEMORY_FILE}; `hearts start .` there makes a new one"
        )
    raise UsageError(
        f"{start.absolute()} is no workspace; make one with `hearts start DIR` and go there"
    )


def locate(
    course: Course, first: str | None, second: str | None = None
) -> tuple[Stage | None, Task | None]:
    """The stage and task that `[STAGE] [TASK]` name: a task by id, or by number after its stage.

    A lone name may be either. Raises UsageError, with a suggestion, for a name that is neither.
    """
    if first is None:
        return None, None
    if second is not None:
        stage = course.stage(first)
        numbered = {str(stage.number(task)): task for task in stage.tasks}
        return stage, numbered.get(second) or stage.task(second)
    with suppress(UsageError):
        return course.stage(first), None
    stages: dict[str, tuple[Stage, Task | None]] = {s.name: (s, None) for s in course.stages}
    tasks = {task.id: (stage, task) for stage in course.stages for task in stage.tasks}
    return pick(first, {**stages, **tasks}, "stage or task")
