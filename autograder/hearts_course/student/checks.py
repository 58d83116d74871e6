"""Running the visible tests of a student's program, outside of any sandbox."""

from pathlib import Path

from hearts_course.course import Course, Task
from hearts_course.results import Result
from hearts_course.student.program import modules_of, whole_program
from hearts_course.student.work import StageWork
from hearts_course.student.workspace import Workspace


def check_work(course: Course, root: Path, work: StageWork, task: Task | None = None) -> Result:
    """The visible tests of the work, all or one task's, run on the earlier stages in `root`.

    Raises UsageError if one of those is missing or unreadable.
    """
    from hearts_course.testing.in_process import check_program

    modules = modules_of(whole_program(course, root, work))
    return check_program(work.stage, modules, task=task.id if task else None)


def check_and_remember(
    workspace: Workspace, work: StageWork, task: Task | None = None
) -> tuple[Workspace, Result]:
    """Check the work, and remember in the workspace how that ended."""
    result = check_work(workspace.course, workspace.root, work, task)
    return workspace.remember(lambda memory: memory.with_checks(result)), result
