"""Plain `hearts`: where you are, and what is next."""

from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import RenderableType

from hearts_course.cli.screen import say
from hearts_course.course import find_course
from hearts_course.student import terminal
from hearts_course.student.progress import StageProgress, current, standing, standings
from hearts_course.student.workspace import Workspace, find_workspace, holds_course


def say_where(context: click.Context) -> None:
    """Print where the current folder stands in the course, and the command to go on with."""
    here = Path.cwd()
    if workspace := find_workspace(find_course(), here):
        say(*_in_workspace(workspace))
    elif any(holds_course(folder) for folder in (here, *here.parents)):
        say("You are in the course itself, where stages are made and classes are graded.", "")
        click.echo(context.get_help())
    else:
        say(*_elsewhere())


def _in_workspace(workspace: Workspace) -> Iterator[RenderableType]:
    if workspace.note:
        yield terminal.note(workspace.note)
    stands = standings(workspace)
    yield terminal.overview(stands, workspace.root)
    yield ""
    now = standing(workspace, current(workspace))
    if now.next is None:
        yield f"{now.title}: every visible check passes."
        if now.stage.play:
            yield terminal.advice("Play it", f"hearts play {now.stage.name}")
        yield terminal.advice("Hand it in", f"hearts submit {now.stage.name}")
        now = next((stand for stand in stands if stand.next), now)
    yield from _next_task(now)


def _next_task(now: StageProgress) -> Iterator[RenderableType]:
    if now.next is None:
        return
    files = " or ".join((*now.stage.files, f"{now.stage.name}.ipynb"))
    yield f"Next is task {now.next.number}, {now.next.task.title}, in {files}."
    yield terminal.advice("Read", f"briefs/{now.stage.name}.md")
    yield terminal.advice("Check it", f"hearts check {now.next.task.id}")
    yield terminal.advice("A hint", f"hearts hint {now.next.task.id}")


def _elsewhere() -> Iterator[RenderableType]:
    yield "Hearts: write a card game in Python, stage by stage."
    yield ""
    yield terminal.advice("Start", "hearts start my-hearts")
    yield terminal.advice("All commands", "hearts --help")
