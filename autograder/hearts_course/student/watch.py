"""Check on every save: the first task that fails stands on the screen, with its first failure.

The process stays, with the stage's checks collected, so a save is answered at once.
"""

import select
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.styled import Styled
from rich.text import Text

from hearts_course.course import Stage, Task
from hearts_course.errors import CourseError
from hearts_course.python_source import MAX_SEARCHED, definition_spans
from hearts_course.reports.task_summary import TopicStatus
from hearts_course.results import Result, SourcePosition
from hearts_course.student import quiz, terminal
from hearts_course.student.brief_examples import examples_in_work
from hearts_course.student.progress import StageProgress, next_hint, stage_progress, task_hints
from hearts_course.student.report import (
    FULL,
    TERMINAL,
    CheckReport,
    TaskReport,
    report_on,
    stage_title,
)
from hearts_course.student.state import StudentState
from hearts_course.student.work import Form, StageWork, check_work, find_work, work_files
from hearts_course.student.workspace import (
    Workspace,
    add_stages,
    find_workspace,
    open_stages,
)
from hearts_course.testing.runner import SuiteRunner
from hearts_course.text import count_of

POLL_SECONDS = 0.05  # between two looks at the keyboard and the files

Signature = dict[Path, tuple[int, int]]


class CheckEnded(KeyboardInterrupt):
    """Ends a check whose verdict nobody needs; an interrupt, which no test catches."""


class Quit(CheckEnded):
    """Ends the watch in the middle of a check."""


@dataclass(frozen=True)
class Watched:
    """What is on the screen; `task` is the number of the task that the student works on.

    `error` says why the program could not be read, "" if it could. `hint` is the number of the hint
    that is shown, 0 for none. `ended` says that the student went on from the last task. `work` is
    the program that was checked.
    """

    stage: Stage
    task: int
    report: CheckReport | None = None
    error: str = ""
    hint: int = 0
    listing: bool = False
    ended: bool = False
    work: StageWork | None = None

    @property
    def shown(self) -> TaskReport | None:
        """The first task up to the current one that does not pass, None if all of them do."""
        if self.report is None:
            return None
        for task in self.report.tasks[: self.task]:
            if task.status is not TopicStatus.PASSED:
                return task
        return None

    @property
    def passes(self) -> bool:
        """Whether the current task and those before it pass."""
        return self.report is not None and not self.error and self.shown is None


class Watch:
    """The checks of a workspace, run again when a file of the program was saved.

    It holds no terminal: `screen` returns what to show, and `press` and `poll` are called by
    whoever reads the keys. So tests can drive it.
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

        `show` gets what the screen shows while a check runs. `asked` returns whether a key is
        waiting for an answer, and raises Quit if it ends the watch.
        """
        self._workspace = workspace
        self._show = show
        self._asked = asked
        self._rest_is_due = False  # whether the tasks after the current one are to be checked
        self._runner: SuiteRunner | None = None
        self._seen: dict[str, Signature] = {}
        self._opened: tuple[Stage, ...] = ()  # added to the workspace since this stage was opened
        self.now = Watched(stage, 1)
        self._open(stage)

    def close(self) -> None:
        """End the collected checks."""
        if self._runner is not None:
            self._runner.close()

    def poll(self) -> bool:
        """Check again if a file was saved, and return whether a file was.

        A save in an earlier stage goes back to that stage; a save in a later stage changes nothing.
        """
        stages = (*self._workspace.course.prerequisites(self.now.stage), self.now.stage)
        for stage in stages:
            signature = self._signature(stage)
            if self._seen.get(stage.name) != signature:
                self._seen[stage.name] = signature
                if stage == self.now.stage and self.now.report:
                    self.now = self._checked(self.now)
                else:
                    self._open(stage)
                return True
        return False

    def check_rest(self) -> bool:
        """Check the tasks after the current one, once after a save; return whether it was done.

        So the points are true, and the screen knows whether the next task has begun. A save or a
        key ends this check, and it is begun again later.
        """
        stage = self.now.stage
        later_tasks = self.now.stage.tasks[self.now.task :]
        if not (self._rest_is_due and later_tasks):
            return False
        saved = self._signatures()

        def look() -> None:
            """End the check if a key waits, or if the numbers would be about an older program."""
            if self._asked() or self._signatures() != saved:
                raise CheckEnded

        try:
            work = find_work(self._workspace.root, stage)
            result = self._result(work, later_tasks, look)
        except CheckEnded:
            return False
        except CourseError:
            result = None
        self._rest_is_due = False
        if result and not result.message:
            self._remember_checks(result, work)
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

    def commands(self) -> dict[str, tuple[str, tuple[str, str]]]:
        """Return the commands that keys run: for each key, a name and the arguments of `hearts`.

        The commands ask questions, so the screen must give them the terminal.
        """
        stage = self.now.stage
        shown = self.now.shown
        if shown and self._questions(shown):
            return {"p": ("predict", ("predict", shown.summary.id))}
        if not self.now.ended:
            return {}
        commands = {"e": ("explain", ("explain", stage.name))}
        if stage.shown_solution.is_dir():
            commands["c"] = ("compare", ("compare", stage.name))
        return commands

    def screen(self) -> RenderableType:
        """Return what the screen shows."""
        return Group(*self._lines())

    def _open(self, stage: Stage) -> None:
        """Check the whole stage once, to begin with its first task that does not pass."""
        self.close()
        self._opened = ()
        self._runner = SuiteRunner(stage, stage.visible_tests)
        for needed in (*self._workspace.course.prerequisites(stage), stage):
            self._seen[needed.name] = self._signature(needed)
        watched = self._checked(Watched(stage, len(stage.tasks)))
        self._rest_is_due = False
        if watched.shown:
            first = stage.number(stage.task(watched.shown.summary.id))
            watched = replace(watched, task=first)
        self.now = watched

    def _signature(self, stage: Stage) -> Signature:
        """Return the times and sizes of the stage's files, which change when a file is saved.

        No file is read, because this is called many times a second.
        """
        signature = {}
        for path in work_files(self._workspace.root, stage):
            if path.is_file():
                status = path.stat()
                signature[path] = (status.st_mtime_ns, status.st_size)
        return signature

    def _signatures(self) -> list[Signature]:
        """Return the signatures of the stage's program and of all programs that it uses."""
        stages = (*self._workspace.course.prerequisites(self.now.stage), self.now.stage)
        return [self._signature(stage) for stage in stages]

    def _result(self, work: StageWork, tasks: Sequence[Task], look: Callable[[], None]) -> Result:
        """Return the result of these tasks; `look` may end the check with CheckEnded."""
        course = self._workspace.course
        root = self._workspace.root
        return check_work(course, root, work, tasks, runner=self._runner, waiting=look)

    def _checked(self, watched: Watched) -> Watched:
        """Return the screen after the checks of all tasks up to the current one.

        A newer save ends the check and begins it again. A program that cannot be read or imported
        keeps the last numbers. After such an error all tasks are checked.
        """
        stage = watched.stage
        tasks = stage.tasks
        if not watched.error:
            tasks = stage.tasks[: watched.task]
        self._show(Group(*self._lines_while_checking(stage)))
        while True:
            saved = self._signature(stage)
            self._seen[stage.name] = saved

            def look(saved: Signature = saved) -> None:
                """End the check if the program was saved again; a key only has to wait."""
                self._asked()
                if self._signature(stage) != saved:
                    raise CheckEnded

            try:
                work = find_work(self._workspace.root, stage)
                result = self._result(work, tasks, look)
            except Quit:
                raise
            except CheckEnded:
                continue
            except CourseError as error:
                return Watched(stage, watched.task, watched.report, str(error))
            break
        if result.message:
            return Watched(stage, watched.task, watched.report, result.message)
        self._rest_is_due = not result.timed_out
        self._remember_checks(result, work)
        examples = examples_in_work(self._workspace.course, self._workspace.root, work, result)
        report = report_on(stage, result, where=work.where, commands=TERMINAL, examples=examples)
        return Watched(stage, watched.task, report, work=work)

    def _remember_checks(self, result: Result, work: StageWork) -> None:
        """Remember the checks, and add the stages whose turn has come with them."""
        self._remember(lambda state: state.with_checks(result, work.digest))
        with suppress(CourseError):
            self._opened += open_stages(self._workspace)

    def _remember(self, change: Callable[[StudentState], StudentState]) -> None:
        """Change the student's state in its file; the watch goes on if it cannot be written."""
        with suppress(CourseError):  # not shown on this screen; `hearts check` reports it
            self._workspace.update_state(change)

    def _state(self) -> StudentState:
        """Return the state as it is saved now, because the commands of keys may change it."""
        workspace = find_workspace(self._workspace.course, self._workspace.root)
        if workspace is None:
            return self._workspace.state
        return workspace.state

    def _next(self) -> None:
        """Go on to the next task, then to the end of the stage, then to the next stage.

        A later stage that is not in the workspace yet is added first.
        """
        stage = self.now.stage
        if self.now.task < len(stage.tasks):
            self.now = self._checked(Watched(stage, self.now.task + 1))
        elif not self.now.ended:
            self.now = replace(self.now, ended=True)
        elif following := self._workspace.course.after(stage):
            if following not in self._workspace.stages:
                with suppress(CourseError):  # the check says what is missing
                    add_stages(self._workspace, [following])
            self._open(following)

    def _take_hint(self) -> None:
        """Show the next hint for the task on the screen, and remember it.

        If no task fails, nothing happens.
        """
        if self.now.shown is None:
            return
        task = self.now.stage.task(self.now.shown.summary.id)
        hint, _ = next_hint(self.now.stage, task, self._state().hints.get(task.id, 0))
        self._remember(lambda state: state.with_hint(task, hint.number))
        self.now = replace(self.now, hint=hint.number)

    def _lines(self) -> Iterator[RenderableType]:
        """Yield the screen: the stage and its files, the verdict, the keys."""
        watched = self.now
        stage = self.now.stage
        progress = stage_progress(self._state(), stage)
        where = ""
        if watched.report:
            where = watched.report.where
        yield Text.assemble((stage_title(stage), "bold"), f"  {where}")
        yield from self._verdict(watched, progress)

    def _lines_while_checking(self, stage: Stage) -> Iterator[RenderableType]:
        """Yield a heading that says that a check runs, and below it the former screen, dim."""
        yield Text.assemble((stage_title(stage), "bold"), ("  checking ...", "yellow"))
        if self.now.stage == stage and (self.now.report or self.now.error):
            progress = stage_progress(self._state(), stage)
            yield Styled(Group(*self._verdict(self.now, progress)), "dim")

    def _verdict(self, watched: Watched, progress: StageProgress) -> Iterator[RenderableType]:
        """Yield the stage's points, what to do about the task that fails or passes, and keys."""
        yield terminal.stage_bar(progress, outdated=bool(watched.error))
        yield ""
        if watched.error:
            yield terminal.error_text(watched.error)
        elif watched.shown is None:
            yield from self._passed()
        else:
            yield from self._failed(watched.shown)
        if watched.listing:
            yield ""
            yield from (terminal.task_line(task) for task in progress.tasks)
        commands = {key: words for key, (words, _) in self.commands().items()}
        keys = {"n": "next", "h": "hint"} | commands | {"l": "list", "q": "quit"}
        yield Text("\n" + "   ".join(map(" ".join, keys.items())), style="dim")

    def _questions(self, shown: TaskReport) -> int:
        """Return how many predictions are left to make about a task that is not written yet."""
        stage = self.now.stage
        state = self._state()
        if shown.status is not TopicStatus.UNWRITTEN:
            return 0
        asked = quiz.questions_before(
            self._workspace.course, state, stage, stage.task(shown.summary.id)
        )
        return sum(question.key not in state.predicted for question in asked)

    def _passed(self) -> Iterator[RenderableType]:
        """Yield that the current task passes, and what comes next.

        Next come the other tasks, then the end of the stage with its questions, then the next
        stage.
        """
        stage = self.now.stage
        task = self.now.stage.tasks[self.now.task - 1]
        yield Text(f"✓ Task {self.now.task}, {task.title}, passes.", style="green")
        if self.now.report:
            for done in self.now.report.tasks[: self.now.task]:
                yield from terminal.example_text(done)
        if self.now.task < len(stage.tasks):
            following = stage_progress(self._state(), stage).tasks[self.now.task]
            named = f"task {following.number}, {following.task.title}"
            status = following.status[0]
            if following.check is None or status is TopicStatus.UNWRITTEN:
                yield f"  n goes on to {named}."
            elif status is TopicStatus.PASSED:
                yield f"  {named[0].upper()}{named[1:]}, passes too: n goes on to it."
            else:
                yield f"  {named[0].upper()}{named[1:]}, has begun: n goes on to it."
            return
        yield f"  Every visible check of {stage.name} passes."
        yield from terminal.opened_text(self._opened)
        if not self.now.ended:
            yield "  n goes on to the end of the stage: explain and compare."
            return
        for key, (_, arguments) in self.commands().items():
            yield f"  {key} runs `hearts {' '.join(arguments)}`."
        if stage.for_self_study:
            yield terminal.command_line("Check all of it", FULL[TERMINAL].format(stage.name))
        else:
            yield terminal.command_line("Hand it in", f"hearts submit {stage.name}")
        if following_stage := self._workspace.course.after(stage):
            yield f"  n goes on to {following_stage.name}."

    def _failed(self, shown: TaskReport) -> Iterator[RenderableType]:
        """Yield the task that fails, its first failure, a hint, and the tasks that wait for it."""
        stage = self.now.stage
        task = self.now.stage.task(shown.summary.id)
        heading = f"{shown.status.mark} Task {shown.summary.number}: {task.title}"
        yield Text.assemble(
            (heading, terminal.STYLES[shown.status]), f"  {shown.points}, {shown.words}"
        )
        if asked := self._questions(shown):
            yield f"  Before you write: p asks {count_of(asked, 'question')} about it."
        if place := self._place_of(shown):
            yield terminal.place_line(self._workspace.root / place.file, place.line)
        for failure in shown.failures[:1]:
            yield terminal.failure_text(failure)
        if self.now.report:
            yield from map(terminal.note_text, self.now.report.not_run)
        yield from terminal.mistake_text(shown)
        reported: tuple[TaskReport, ...] = ()
        if self.now.report:
            reported = self.now.report.tasks
        for report in reported:
            yield from terminal.first_failure_text(report)
        if self.now.hint:
            yield terminal.hint_text(task_hints(stage, task)[self.now.hint - 1])
        passed = {report.summary.id for report in reported if report.status is TopicStatus.PASSED}
        waiting: list[str] = []
        for later in stage.tasks:
            if task.id in stage.tasks_below(later) and later.id not in passed:
                waiting.append(f"{stage.number(later)} {later.title}")
        if waiting:
            yield Text(f"Waiting for it: {', '.join(waiting)}", style="dim")

    def _place_of(self, shown: TaskReport) -> SourcePosition | None:
        """Return the line to look at: the failure's, or else the task's first definition.

        Return None for a notebook, because its cells are not lines of a file.
        """
        work = self.now.work
        if work is None or work.form is Form.NOTEBOOK:
            return None
        if shown.failures and shown.failures[0].where:
            return shown.failures[0].where
        blanks = self.now.stage.task(shown.summary.id).blanks
        for module, text in work.modules.items():
            for span in definition_spans(text[:MAX_SEARCHED]):
                if span.name in blanks[:1]:
                    return SourcePosition(f"{module}.py", span.opens)
        return None


class Keyboard:
    """Reads single keys, where the system can; otherwise only Ctrl-C ends the watch."""

    def __init__(self) -> None:
        """Leave the terminal as it is until the first `with`."""
        self._before: list[Any] | None = None
        self._waiting = ""  # keys that were pressed during a check

    def __enter__(self) -> "Keyboard":
        """Let keys come without Enter."""
        self._before = None
        try:
            import termios
            import tty
        except ImportError:  # Windows
            return self
        with suppress(termios.error, OSError, ValueError):  # the input is not a terminal
            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)
        return self

    def __exit__(self, *exc: object) -> None:
        """Let the terminal be as it was."""
        if self._before is not None:
            import termios

            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the terminal be as it was for a while."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()

    def has_key(self) -> bool:
        """Return whether a key was pressed, and keep it for `read`; raise Quit if it is q."""
        key = self._read(0.0)
        if key == "q":
            raise Quit
        self._waiting += key
        return bool(self._waiting)

    def read(self, seconds: float) -> str:
        """Return the next key, "" if none was pressed in that time."""
        if self._waiting:
            key = self._waiting[0]
            self._waiting = self._waiting[1:]
            return key
        return self._read(seconds)

    def _read(self, seconds: float) -> str:
        """Return the next key in small letters, "" if none is pressed in that time."""
        if self._before is not None:
            ready, _, _ = select.select([sys.stdin], [], [], seconds)
            if not ready:
                return ""
            return sys.stdin.read(1).lower()
        time.sleep(seconds)
        with suppress(ImportError):
            import msvcrt

            if msvcrt.kbhit():  # type: ignore[attr-defined, unused-ignore]
                return str(msvcrt.getwch()).lower()  # type: ignore[attr-defined, unused-ignore]
        return ""
