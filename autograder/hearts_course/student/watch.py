"""Check on every save, and show the first task that fails, with its first failure.

The stage's tests are loaded only once and kept in memory, so a save is answered at once.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from rich.console import RenderableType

from hearts_course.course import Stage
from hearts_course.errors import CourseError
from hearts_course.student.brief_examples import examples_in_work
from hearts_course.student.progress import next_hint
from hearts_course.student.report import TERMINAL, report_on
from hearts_course.student.stage_checks import CheckEnded, StageChecks
from hearts_course.student.watch_memory import remember, remember_checks, saved_state
from hearts_course.student.watch_screen import WatchScreen
from hearts_course.student.watched import Watched
from hearts_course.student.workspace import (
    Workspace,
    add_stages,
)

POLL_SECONDS = 0.05  # time between two looks at the keyboard and the files


class Watch:
    """The checks of a workspace, run again when a file of the program was saved.

    This class uses no terminal, so tests can drive it. The caller shows what `screen` returns,
    hands keys to `press`, and calls `poll` again and again.
    """

    def __init__(
        self,
        workspace: Workspace,
        stage: Stage,
        *,
        show: Callable[[RenderableType], None] = lambda screen: None,
        asked: Callable[[], bool] = lambda: False,
    ) -> None:
        """Begin with the stage's first task that does not pass.

        `show` is called with the screen to show while a check runs. `asked` returns whether a
        pressed key is waiting, and raises Quit if the key ends the watch.
        """
        self._workspace = workspace
        self._show = show
        self._asked = asked
        self._rest_is_due = False  # whether the tasks after the current one are to be checked
        self._opened: tuple[Stage, ...] = ()  # stages added since the watch came to this stage
        self._checks = StageChecks(workspace, stage, asked)
        self.now = Watched(stage, 1)
        self._begin()

    def close(self) -> None:
        """Free what the loaded tests of the stage hold; call this when the watch is over."""
        self._checks.close()

    def poll(self) -> bool:
        """If a file was saved, check again and return True; otherwise return False.

        If the file belongs to an earlier stage, the watch goes back to that stage. Files of later
        stages are not looked at.
        """
        stage = self._checks.newly_saved()
        if stage is None:
            return False
        if stage == self.now.stage and self.now.report:
            self.now = self._checked(self.now)
        else:
            self._open(stage)
        return True

    def check_rest(self) -> bool:
        """Check the later tasks, once after each save; return whether this call has done so.

        After this check the points are up to date, and the screen can say whether the student has
        begun the next task. A save or a key stops this check; the next call begins the check again.
        Raise Quit if the key ends the watch.
        """
        later_tasks = self.now.stage.tasks[self.now.task :]
        if not (self._rest_is_due and later_tasks):
            return False
        try:
            work, result = self._checks.check_unless_disturbed(later_tasks)
        except CheckEnded:
            return False
        except CourseError:
            pass  # the next check of the current task reports the error
        else:
            if not result.message:
                self._opened += remember_checks(self._workspace, result, work)
        self._rest_is_due = False
        return True

    def press(self, key: str) -> bool:
        """Do what a key asks for; return whether the screen changes."""
        if key == "n" and self.now.passes:
            self._next()
        elif key == "h":
            self._take_hint()
        elif key == "l":
            self.now = replace(self.now, listing=not self.now.listing)
        else:
            return False
        return True

    def screen(self) -> WatchScreen:
        """Return the screen for the current task, with its last result and the saved state."""
        return WatchScreen(self._workspace, self.now, saved_state(self._workspace), self._opened)

    def _open(self, stage: Stage) -> None:
        """Go to the stage, and begin with its first task that does not pass."""
        self._checks.close()
        self._checks = StageChecks(self._workspace, stage, self._asked)
        self._opened = ()
        self._begin()

    def _begin(self) -> None:
        """Check the whole stage once, and go to its first task that does not pass."""
        stage = self._checks.stage
        watched = self._checked(Watched(stage, len(stage.tasks)))
        self._rest_is_due = False
        if watched.shown:
            watched = replace(watched, task=stage.number(watched.task_of(watched.shown)))
        self.now = watched

    def _checked(self, watched: Watched) -> Watched:
        """Check all tasks up to the current one, and return what the screen has to show.

        If the program cannot be read or imported, the screen keeps the last report. The check after
        such an error covers all tasks.
        """
        stage = watched.stage
        tasks = stage.tasks
        if not watched.error:
            tasks = stage.tasks[: watched.task]
        self._show(self.screen().while_checking(stage))
        try:
            work, result = self._checks.check(tasks)
        except CourseError as error:
            return Watched(stage, watched.task, watched.report, str(error))
        if result.message:
            return Watched(stage, watched.task, watched.report, result.message)
        self._rest_is_due = not result.timed_out
        self._opened += remember_checks(self._workspace, result, work)
        examples = examples_in_work(self._workspace.course, self._workspace.root, work, result)
        report = report_on(stage, result, where=work.where, commands=TERMINAL, examples=examples)
        return Watched(stage, watched.task, report, work=work)

    def _next(self) -> None:
        """Go on to the next task, then to the end of the stage, then to the next stage.

        If the next stage is not in the workspace yet, add it first.
        """
        stage = self.now.stage
        if self.now.task < len(stage.tasks):
            self.now = self._checked(Watched(stage, self.now.task + 1))
        elif not self.now.ended:
            self.now = replace(self.now, ended=True)
        elif following := self._workspace.course.after(stage):
            if following not in self._workspace.stages:
                with suppress(CourseError):  # the check below reports the error
                    add_stages(self._workspace, [following])
            self._open(following)

    def _take_hint(self) -> None:
        """Show the next hint for the task on the screen, and remember it.

        If no task fails, nothing happens.
        """
        if self.now.shown is None:
            return
        task = self.now.task_of(self.now.shown)
        taken = saved_state(self._workspace).hints.get(task.id, 0)
        hint, _ = next_hint(self.now.stage, task, taken)
        remember(self._workspace, lambda state: state.with_hint(task, hint.number))
        self.now = replace(self.now, hint=hint.number)
