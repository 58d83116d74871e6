"""Running the visible tests of a student's program, outside of any sandbox."""

from pathlib import Path

from hearts_course.course import Course, Stage, Task
from hearts_course.errors import UsageFault
from hearts_course.grading.results import Result
from hearts_course.student.work import Work, find_work
from hearts_course.student.workspace import Workspace


def check_work(course: Course, root: Path, work: Work, task: Task | None = None) -> Result:
    """The visible tests of the work, all or one task's, run on the earlier stages in `root`.

    Raises UsageFault if one of those is missing or unreadable.
    """
    from hearts_course.suite.local import check_program

    earlier = _earlier(course, root, work.stage)
    name = task.id if task else None
    return check_program(work.stage, work.modules, task=name, earlier=earlier)


def check_and_remember(
    workspace: Workspace, work: Work, task: Task | None = None
) -> tuple[Workspace, Result]:
    """Check the work, and remember in the workspace how that ended."""
    result = check_work(workspace.course, workspace.root, work, task)
    return workspace.remember(workspace.memory.with_checks(result)), result


def _earlier(course: Course, root: Path, stage: Stage) -> dict[str, str]:
    """The student's own modules of the stages that this one builds on."""
    found: dict[str, str] = {}
    for before in course.prerequisites(stage):
        try:
            found |= find_work(root, before).modules
        except UsageFault as fault:
            raise UsageFault(f"{stage.name} builds on {before.name}: {fault}") from None
    return found
