"""What `hearts watch` shows: the stage's points, the task to work on, its first failure, keys."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.styled import Styled
from rich.text import Text

from hearts_course.course import Stage
from hearts_course.reports.task_summary import TopicStatus
from hearts_course.student import quiz, terminal
from hearts_course.student.progress import StageProgress, stage_progress, task_hints
from hearts_course.student.report import FULL, TERMINAL, TaskReport, stage_title
from hearts_course.student.state import StudentState
from hearts_course.student.watched import Watched
from hearts_course.student.workspace import Workspace
from hearts_course.text import count_of


@dataclass(frozen=True)
class WatchScreen:
    """The screen for the last check, `watched`; `state` is the student's state as saved now.

    `opened` are the stages that were added to the workspace since the watch went to this stage.
    """

    workspace: Workspace
    watched: Watched
    state: StudentState
    opened: tuple[Stage, ...] = ()

    def __rich__(self) -> RenderableType:
        """Return the screen: the stage and its files, the verdict, the keys."""
        where = ""
        if self.watched.report:
            where = self.watched.report.where
        heading = Text.assemble((stage_title(self.watched.stage), "bold"), f"  {where}")
        return Group(heading, *self._verdict())

    def while_checking(self, stage: Stage) -> RenderableType:
        """Return a heading which says that the stage is being checked, and this screen, dimmed.

        If this screen is about another stage, return only the heading.
        """
        parts: list[RenderableType] = []
        parts.append(Text.assemble((stage_title(stage), "bold"), ("  checking ...", "yellow")))
        if self.watched.stage == stage and (self.watched.report or self.watched.error):
            parts.append(Styled(Group(*self._verdict()), "dim"))
        return Group(*parts)

    def commands(self) -> dict[str, tuple[str, tuple[str, str]]]:
        """Map each key to the command that it runs: a name and the arguments of `hearts`.

        The commands may ask questions, so the screen must let them use the terminal.
        """
        stage = self.watched.stage
        shown = self.watched.shown
        if shown and self._questions(shown):
            return {"p": ("predict", ("predict", shown.summary.id))}
        if not self.watched.ended:
            return {}
        commands = {"e": ("explain", ("explain", stage.name))}
        if stage.shown_solution.is_dir():
            commands["c"] = ("compare", ("compare", stage.name))
        return commands

    @property
    def _progress(self) -> StageProgress:
        """The student's progress in the stage, as the last checks found it."""
        return stage_progress(self.state, self.watched.stage)

    def _verdict(self) -> Iterator[RenderableType]:
        """Yield the stage's points, what to do next, and the keys."""
        watched = self.watched
        progress = self._progress
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
        """Return how many questions about the task are left to answer; 0 once the task is begun."""
        if shown.status is not TopicStatus.UNWRITTEN:
            return 0
        asked = quiz.questions_before(
            self.workspace.course, self.state, self.watched.stage, self.watched.task_of(shown)
        )
        return sum(question.key not in self.state.predicted for question in asked)

    def _passed(self) -> Iterator[RenderableType]:
        """Yield a line which says that the current task passes, and lines on what comes next.

        Next come the stage's other tasks, then its end with questions, then the next stage.
        """
        watched = self.watched
        task = watched.stage.tasks[watched.task - 1]
        yield Text(f"✓ Task {watched.task}, {task.title}, passes.", style="green")
        for done in watched.reported[: watched.task]:
            yield from terminal.example_text(done)
        if watched.task < len(watched.stage.tasks):
            yield self._next_task()
        else:
            yield from self._end_of_stage()

    def _next_task(self) -> str:
        """Return a line on the next task, which says whether that task passes or has begun."""
        following = self._progress.tasks[self.watched.task]
        named = f"task {following.number}, {following.task.title}"
        status, _ = following.status
        if following.check is None or status is TopicStatus.UNWRITTEN:
            return f"  n goes on to {named}."
        named = f"{named[0].upper()}{named[1:]}"
        if status is TopicStatus.PASSED:
            return f"  {named}, passes too: n goes on to it."
        return f"  {named}, has begun: n goes on to it."

    def _end_of_stage(self) -> Iterator[RenderableType]:
        """Yield what to do after the stage's last task passes."""
        stage = self.watched.stage
        yield f"  Every visible check of {stage.name} passes."
        yield from terminal.opened_text(self.opened)
        if not self.watched.ended:
            yield "  n goes on to the end of the stage: explain and compare."
            return
        for key, (_, arguments) in self.commands().items():
            yield f"  {key} runs `hearts {' '.join(arguments)}`."
        if stage.for_self_study:
            yield terminal.command_line("Check all of it", FULL[TERMINAL].format(stage.name))
        else:
            yield terminal.command_line("Hand it in", f"hearts submit {stage.name}")
        if following := self.workspace.course.after(stage):
            yield f"  n goes on to {following.name}."

    def _failed(self, shown: TaskReport) -> Iterator[RenderableType]:
        """Yield the failing task, its first failure, its hint, and the tasks that build on it."""
        watched = self.watched
        task = watched.task_of(shown)
        heading = f"{shown.status.mark} Task {shown.summary.number}: {task.title}"
        yield Text.assemble(
            (heading, terminal.STYLES[shown.status]), f"  {shown.points}, {shown.words}"
        )
        if asked := self._questions(shown):
            yield f"  Before you write: p asks {count_of(asked, 'question')} about it."
        if place := watched.place_of(shown):
            yield terminal.place_line(self.workspace.root / place.file, place.line)
        for failure in shown.failures[:1]:
            yield terminal.failure_text(failure)
        if watched.report:
            yield from map(terminal.note_text, watched.report.not_run)
        yield from terminal.mistake_text(shown)
        for report in watched.reported:
            yield from terminal.first_failure_text(report)
        if watched.hint:
            yield terminal.hint_text(task_hints(watched.stage, task)[watched.hint - 1])
        if waiting := watched.waiting_for(shown):
            yield Text(f"Waiting for it: {', '.join(waiting)}", style="dim")
