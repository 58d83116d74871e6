"""What `hearts watch` saves in the workspace; the watch goes on if it cannot write there."""

from collections.abc import Callable
from contextlib import suppress

from hearts_course.course import Stage
from hearts_course.errors import CourseError
from hearts_course.results import Result
from hearts_course.student.state import StudentState
from hearts_course.student.work import StageWork
from hearts_course.student.workspace import Workspace, find_workspace, open_stages


def saved_state(workspace: Workspace) -> StudentState:
    """Return the state as it is saved now: a command that a key ran may have changed it."""
    saved = find_workspace(workspace.course, workspace.root)
    if saved is None:
        return workspace.state
    return saved.state


def remember(workspace: Workspace, change: Callable[[StudentState], StudentState]) -> None:
    """Change the student's state in its file; the watch goes on if that fails."""
    with suppress(CourseError):  # this screen does not show the error; `hearts check` reports it
        workspace.update_state(change)


def remember_checks(workspace: Workspace, result: Result, work: StageWork) -> tuple[Stage, ...]:
    """Remember the checks, then add the stages that they open, and return the added stages."""
    remember(workspace, lambda state: state.with_checks(result, work.digest))
    with suppress(CourseError):
        return open_stages(workspace)
    return ()
