"""The student's verbs: start, check, hint, progress, submit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import RenderableType

from hearts_course.cli.screen import say, screen
from hearts_course.course import Stage, Task, find_course
from hearts_course.errors import UsageError
from hearts_course.results import Result
from hearts_course.student import terminal
from hearts_course.student.progress import (
    course_progress,
    current_stage,
    next_hint,
    stage_progress,
    task_hints,
)
from hearts_course.student.report import TERMINAL, CheckReport, report_on
from hearts_course.student.work import (
    Form,
    StageWork,
    check_and_remember,
    find_work,
    pack_work,
    untouched_tasks,
)
from hearts_course.student.workspace import Workspace, locate, need_workspace, start_workspace

Verb = TypeVar("Verb", bound=Callable[..., Any])

in_workspace = click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    help="Your workspace, if you are not in it.",
)


def of_form(verb: Verb) -> Verb:
    """The options that choose between the two forms of a program."""
    for form in Form:
        help_text = f"Take the {'notebook' if form is Form.NOTEBOOK else '.py file'}."
        verb = click.option(f"--{form}", "form", flag_value=form.value, help=help_text)(verb)
    return verb


def register(group: click.Group) -> None:
    """Add the student's verbs."""
    for verb in (start, check, hint, progress, submit):
        group.add_command(verb)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def start(folder: Path) -> None:
    """Lay out a workspace in DIR, or add what is missing there."""
    say(*terminal.started_text(start_workspace(find_course(), folder)))


@click.command()
@click.argument("first", metavar="[STAGE]", required=False)
@click.argument("second", metavar="[TASK]", required=False)
@of_form
@in_workspace
def check(first: str | None, second: str | None, form: str | None, folder: Path | None) -> int:
    """Run the visible checks of a stage, or of one task.

    Without a stage: the one you are working on. A task goes by its id, or by its number after
    the stage. Exit status 0 if every check that was asked for passes, 1 if not.
    """
    workspace = _workspace(folder)
    stage, task = locate(workspace.course, first, second)
    work = find_work(workspace.root, stage or current_stage(workspace), _form(form))
    say(*_notes(work))
    with screen.status("Checking ..."):
        result = check_and_remember(workspace, work, task)
    report = _report(work, result, task)
    say(terminal.report_text(report))
    return 0 if report.passed else 1


@click.command()
@click.argument("first", metavar="[STAGE]", required=False)
@click.argument("second", metavar="TASK", required=False)
@click.option("--again", is_flag=True, help="Show those you have taken, and no new one.")
@in_workspace
def hint(first: str | None, second: str | None, again: bool, folder: Path | None) -> None:
    """Show the next hint for a task, one step further each time."""
    workspace = _workspace(folder)
    stage, task = locate(workspace.course, first, second)
    if stage is None or task is None:
        raise UsageError(_which_task(workspace, stage or current_stage(workspace)))
    shown = workspace.state.hints.get(task.id, 0)
    if again:
        hints = map(terminal.hint_text, task_hints(stage, task)[:shown])
        say(*(hints if shown else ["No hint taken yet."]))
        return
    found, new = next_hint(stage, task, shown)
    workspace.update_state(lambda state: state.with_hint(task, found.number))
    say(terminal.hint_text(found, new=new))


@click.command()
@in_workspace
def progress(folder: Path | None) -> None:
    """Show every task: its last check and the hints taken."""
    say(terminal.progress_table(course_progress(_workspace(folder))))


@click.command()
@click.argument("name", metavar="STAGE")
@click.option("--anyway", is_flag=True, help="Pack the starter even if it is unchanged.")
@of_form
@in_workspace
def submit(name: str, anyway: bool, form: str | None, folder: Path | None) -> None:
    """Check STAGE a last time and pack it into a zip to hand in."""
    workspace = _workspace(folder)
    work = find_work(workspace.root, workspace.course.stage(name), _form(form))
    _refuse(work, anyway)
    say(*_notes(work))
    with screen.status("Checking ..."):
        result = check_and_remember(workspace, work)
    say(terminal.report_text(_report(work, result), details=False))
    say(*terminal.packed_text(pack_work(workspace.root, work), work, workspace.root))


def _workspace(folder: Path | None) -> Workspace:
    workspace = need_workspace(find_course(), folder or Path.cwd())
    if workspace.note:
        click.echo(f"hearts: {workspace.note}", err=True)
    return workspace


def _report(work: StageWork, result: Result, task: Task | None = None) -> CheckReport:
    left = untouched_tasks(work.stage, work.modules)
    return report_on(
        work.stage, result, where=work.where, commands=TERMINAL, task=task, untouched=left
    )


def _form(name: str | None) -> Form | None:
    return Form(name) if name else None


def _notes(work: StageWork) -> list[RenderableType]:
    return [terminal.note_text(work.note)] if work.note else []


def _which_task(workspace: Workspace, stage: Stage) -> str:
    following = stage_progress(workspace, stage).next
    example = following.task if following else stage.tasks[0]
    ids = ", ".join(task.id for task in stage.tasks)
    return f"say for which task of {stage.name}, as in `hearts hint {example.id}`: {ids}"


def _refuse(work: StageWork, anyway: bool) -> None:
    if error := work.syntax_error():
        raise UsageError(f"{error}; fix it before you hand it in")
    if not (work.changed or anyway):
        raise UsageError(
            f"{work.where}: still the starter, nothing to hand in; write a task first, "
            "or add --anyway"
        )
