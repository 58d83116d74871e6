"""Plain `hearts`: where you are, and what is next."""

from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import RenderableType

from hearts_course.cli.screen import say
from hearts_course.course import find_course
from hearts_course.student import terminal
from hearts_course.student.progress import (
    StageProgress,
    course_progress,
    current_stage,
    stage_progress,
)
from hearts_course.student.report import stage_title
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
        yield terminal.note_text(workspace.note)
    stages = course_progress(workspace)
    yield terminal.overview(stages, workspace.root)
    yield ""
    now = stage_progress(workspace, current_stage(workspace))
    if now.next is None:
        yield f"{stage_title(now.stage)}: every visible check passes."
        if now.stage.play:
            yield terminal.command_line("Play it", f"hearts play {now.stage.name}")
        yield terminal.command_line("Hand it in", f"hearts submit {now.stage.name}")
        now = next((stage for stage in stages if stage.next), now)
    yield from _next_task(now)


def _next_task(now: StageProgress) -> Iterator[RenderableType]:
    if now.next is None:
        return
    files = " or ".join((*now.stage.files, f"{now.stage.name}.ipynb"))
    yield f"Next is task {now.next.number}, {now.next.task.title}, in {files}."
    yield terminal.command_line("Read", f"briefs/{now.stage.name}.md")
    yield terminal.command_line("Check it", f"hearts check {now.next.task.id}")
    yield terminal.command_line("A hint", f"hearts hint {now.next.task.id}")


def _elsewhere() -> Iterator[RenderableType]:
    yield "Hearts: write a card game in Python, stage by stage."
    yield ""
    yield terminal.command_line("Start", "hearts start my-hearts")
    yield terminal.command_line("All commands", "hearts --help")
