"""Checks and hints for a terminal: every function returns something that `rich` can print."""

import io
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hearts_course.student.hints import Hint
from hearts_course.student.progress import StageProgress, TaskProgress
from hearts_course.student.report import PART_OF_ALL, CheckReport, Failure, TaskReport, TaskStatus
from hearts_course.student.submit import Packed
from hearts_course.student.workspace import LaidOut

STYLES = {
    TaskStatus.PASSED: "green",
    TaskStatus.FAILED: "red",
    TaskStatus.UNWRITTEN: "dim",
    TaskStatus.NOT_REACHED: "yellow",
}
COMMAND = "bold cyan"
FENCED = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def plain(renderable: RenderableType, width: int = 80) -> str:
    """The text without colours, for a notebook outside of Jupyter or a file."""
    file = io.StringIO()
    console = Console(
        file=file,
        width=width,
        color_system=None,
        force_jupyter=False,  # or else it would show all this in the notebook, file or no file
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.print(renderable)
    lines = file.getvalue().splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def check(report: CheckReport) -> RenderableType:
    """A check: a line per task, what went wrong, and what it comes to."""
    return Group(*_check(report, whole=True))


def summary(report: CheckReport) -> RenderableType:
    """A check without what went wrong."""
    return Group(*_check(report, whole=False))


def _check(report: CheckReport, *, whole: bool) -> Iterator[RenderableType]:
    yield Text.assemble((report.title, "bold"), f"  ({report.where})", "\n")
    if report.fault:
        yield fault(report.fault)
        yield ""
    else:
        yield _lines(report)
        yield ""
        for task in report.tasks if whole else ():
            yield from _went_wrong(task)
        unwritten = [task for task in report.tasks if task.face is TaskStatus.UNWRITTEN]
        if whole and unwritten and not any(task.failures for task in report.tasks):
            yield advice("A hint", unwritten[0].hint)
            yield ""
    for words in report.notes:
        yield note(words)
    yield Text(f"{report.score:g} of {report.most} points. {PART_OF_ALL}")


def fault(message: str) -> Text:
    """Why nothing could be checked."""
    return Text(f"✗ {message}", style="red")


def note(message: str) -> Text:
    """Something the student should know, and need not mend."""
    return Text(f"Note: {message}", style="yellow")


def _lines(report: CheckReport) -> Table:
    table = grid("right", "right", "left", "right", "left")
    for task in report.tasks:
        style = STYLES[task.face]
        table.add_row(
            Text(f" {task.face.value}", style=style),
            str(task.number),
            Text(task.title),
            f"{task.score:g} of {task.most} points",
            Text(task.words, style=style),
        )
    return table


def _went_wrong(task: TaskReport) -> Iterator[RenderableType]:
    if not task.failures:
        return
    yield Text(f"✗ Task {task.number}: {task.title}", style="bold red")
    for failure in task.failures:
        yield Padding(_failure(failure), (0, 0, 1, 2))
    if task.left_out:
        yield advice(f"{task.left_out} more", task.check)
    yield advice("A hint", task.hint)
    yield ""


def _failure(failure: Failure) -> RenderableType:
    message = Padding(Text(failure.message), (0, 0, 0, 2))
    parts: list[RenderableType] = [Text(failure.topic, style="bold"), message]
    return Group(*parts, Text(f"({failure.others})")) if failure.others else Group(*parts)


def advice(what: str, command: str) -> Text:
    """A command that takes the student further."""
    return Text.assemble(f"  {what}: ", (command, COMMAND))


def grid(*justify: JustifyMethod) -> Table:
    """A table without lines or heads, one column per justification."""
    table = Table.grid(padding=(0, 2))
    for side in justify:
        table.add_column(justify=side)
    return table


def _with_ticks(markdown: str) -> str:
    """The text with the back-ticks of its code kept, which tell it apart without colour."""
    prose_and_code = FENCED.split(markdown)
    prose_and_code[::2] = [CODE.sub(r"`` `\1` ``", prose) for prose in prose_and_code[::2]]
    return "".join(prose_and_code)


def hint(taken: Hint, *, new: bool = True) -> RenderableType:
    """One rung of a task's ladder."""
    title = taken.title if new else f"{taken.title}; there are no more"
    return Panel(
        Markdown(_with_ticks(taken.text)),
        title=Text(title),
        title_align="left",
        subtitle=Text(taken.task.title),
        subtitle_align="right",
        padding=(1, 2),
        width=80,
    )


PROGRESS_COLUMNS: tuple[tuple[str, JustifyMethod], ...] = (
    ("task", "left"),
    ("last check", "left"),
    ("visible points", "right"),
    ("hints", "right"),
)


def progress(standings: Iterable[StageProgress]) -> RenderableType:
    """A table of all stages and tasks: the last check, visible points, hints taken."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for title, justify in PROGRESS_COLUMNS:
        table.add_column(title, justify=justify)
    for standing in standings:
        points = f"{standing.score:g} of {standing.stage.points}"
        table.add_row(Text(standing.title, style="bold"), "", points, "")
        for task in standing.tasks:
            table.add_row(*_progress_row(task))
    return Group(table, "", Text(PART_OF_ALL))


def _progress_row(task: TaskProgress) -> Iterator[RenderableType]:
    face, words = task.face
    yield Text(f"  {task.number} {task.task.title}")
    yield Text(f"{face.value} {words}", style=STYLES[face])
    yield f"{task.checked.score if task.checked else 0:g} of {task.task.points}"
    yield f"{task.hints} of {task.rungs}"


def overview(standings: Iterable[StageProgress], folder: Path) -> RenderableType:
    """Where a student is: a line per stage."""
    table = grid("left", "left", "right")
    for standing in standings:
        bar = "■" * standing.done + "□" * (len(standing.tasks) - standing.done)
        done = f"{standing.done} of {len(standing.tasks)} tasks"
        table.add_row(Text(f"  {standing.title}"), Text(bar, style="green"), done)
    return Group(Text.assemble(("Hearts", "bold"), f"  {folder}\n"), table)


def laid_out(done: LaidOut) -> RenderableType:
    """What `hearts start` wrote and what it left alone."""
    parts: list[RenderableType] = [Text.assemble(("Your workspace", "bold"), f"  {done.root}\n")]
    if done.added:
        parts.append(_listed("added", done.added))
    if done.kept:
        parts.append(_listed("kept as they are", done.kept))
    return Group(
        *parts,
        "",
        advice("Begin with", str(done.root / "README.md")),
        advice("Then, in that folder", "hearts"),
    )


def _listed(what: str, names: tuple[str, ...]) -> Text:
    return Text(f"  {what}: {', '.join(names)}")


def packed(done: Packed, root: Path) -> RenderableType:
    """What is in the zip, where it is, and what to do with it."""
    name = done.path.relative_to(root).as_posix()
    again = "" if done.new else ", the same as before"
    parts: list[RenderableType] = ["", advice("Packed", name)]
    parts.append(f"  It holds {', '.join(done.members)}{again}.")
    if done.former:
        former = done.former.relative_to(root).as_posix()
        parts.append(f"  The zip that you packed before is kept as {former}.")
    parts.append("  Hand it in where your course collects this stage.")
    return Group(*parts)


def make_stdout_tolerant() -> None:
    """Make the standard streams replace what their encoding does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
