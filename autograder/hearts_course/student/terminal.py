"""For a terminal: progress, where you are, and what `start` and `submit` did."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from hearts_course.student.layout import LaidOut
from hearts_course.student.progress import StageProgress, TaskProgress
from hearts_course.student.report import PART_OF_ALL
from hearts_course.student.submit import Packed
from hearts_course.student.text import STYLES, advice, grid

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
