"""Checks and hints for a terminal: every function returns something that `rich` can print."""

import io
import re
from collections.abc import Iterator

from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hearts_course.student.hints import Hint
from hearts_course.student.report import PART_OF_ALL, CheckReport, Failure, TaskReport, TaskStatus

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
