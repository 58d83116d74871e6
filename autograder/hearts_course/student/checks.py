"""Running the visible tests of a student's program, outside of any sandbox."""

from collections.abc import Mapping

from hearts_course.course import Stage, Task
from hearts_course.errors import UsageFault
from hearts_course.grading.results import Result
from hearts_course.student.work import Work, find_work
from hearts_course.student.workspace import Workspace


def check_work(
    workspace: Workspace, work: Work, task: Task | None = None
) -> tuple[Workspace, Result]:
    """Run the visible tests of the work, all or one task's, and remember how they ended."""
    from hearts_course.suite.local import check_program

    modules = {**_earlier(workspace, work.stage), **work.modules}
    result = check_program(work.stage, modules, task=task.id if task else None)
    return workspace.remember(workspace.memory.with_checks(result)), result


def _earlier(workspace: Workspace, stage: Stage) -> Mapping[str, str]:
    """The student's own modules of the stages that this one builds on."""
    found: dict[str, str] = {}
    for before in workspace.course.prerequisites(stage):
        try:
            found |= find_work(workspace.root, before).modules
        except UsageFault as fault:
            raise UsageFault(f"{stage.name} builds on {before.name}: {fault}") from None
    return found
