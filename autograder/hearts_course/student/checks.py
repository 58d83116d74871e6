"""Running the visible tests of a student's program, outside of any sandbox."""

from hearts_course.course import Task
from hearts_course.grading.results import Result
from hearts_course.student.program import modules_of, whole_program
from hearts_course.student.work import Work
from hearts_course.student.workspace import Workspace


def check_work(
    workspace: Workspace, work: Work, task: Task | None = None
) -> tuple[Workspace, Result]:
    """Run the visible tests of the work, all or one task's, and remember how they ended."""
    from hearts_course.suite.local import check_program

    modules = modules_of(whole_program(workspace, work))
    result = check_program(work.stage, modules, task=task.id if task else None)
    return workspace.remember(workspace.memory.with_checks(result)), result
