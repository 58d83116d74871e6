"""Commands about a program that is written: explain and compare, and oral for instructors."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import click

from hearts_course.cli.common import PATH, SANDBOXES, say, screen
from hearts_course.cli.student import form_options, workspace_option
from hearts_course.course import Course
from hearts_course.questions import LETTERS
from hearts_course.student.explain import (
    Question,
    chosen_letters,
    discussion_text,
    question_text,
    verdict_text,
    work_questions,
)
from hearts_course.student.terminal import markdown_text
from hearts_course.student.work import Form, find_work
from hearts_course.student.workspace import locate, need_workspace
from hearts_course.text import safe_block


@click.command()
@click.argument("name", metavar="STAGE")
@click.argument("answers", nargs=-1)
@form_options
@workspace_option
@click.pass_obj
def explain(
    course: Course, name: str, answers: tuple[str, ...], form: str | None, folder: Path | None
) -> None:
    """Answer two questions about your own program for STAGE, and get one to discuss.

    Each question changes one place: which visible check fails then? Type a letter when asked, or
    give the letters as ANSWERS, such as `hearts explain 02 b a`.
    """
    root = need_workspace(course, folder or Path.cwd()).root
    work = find_work(root, course.stage(name), Form(form) if form else None)
    with screen().status("Trying changes of your program ..."):
        found = work_questions(course, root, work)
    letters = iter(chosen_letters("".join(answers), found) or _typed(found))
    for number, question in enumerate(found, start=1):
        say(markdown_text(question_text(number, question, work)))
        say(markdown_text(verdict_text(question, next(letters))))
    say(markdown_text(discussion_text(root, work.stage, work.modules)))


def _typed(asked: Sequence[Question]) -> Iterator[str]:
    """Yield what is typed for each question; after the end of the input nothing more is asked."""
    ended = False
    for question in asked:
        choice = click.Choice([*LETTERS[: len(question.options)], ""], case_sensitive=False)
        ask = partial(click.prompt, type=choice, show_choices=False, show_default=False)
        try:
            yield "" if ended else ask("Your answer, or Enter to skip", "")
        except click.Abort:
            click.echo()
            ended = True
            yield ""


@click.command()
@click.argument("first", metavar="STAGE")
@click.argument("second", metavar="[TASK]", required=False)
@form_options
@workspace_option
@click.pass_obj
def compare(
    course: Course, first: str, second: str | None, form: str | None, folder: Path | None
) -> None:
    """Show your own functions beside the course's, and beside a third way.

    A task can be compared when its visible checks pass, a stage when it is packed to be handed in.
    """
    from hearts_course.student.compare import comparison_text, finished_tasks

    workspace = need_workspace(course, folder or Path.cwd())
    stage, task = locate(course, first, second)
    assert stage is not None
    tasks = finished_tasks(workspace.root, stage, task, workspace.state)
    work = find_work(workspace.root, stage, Form(form) if form else None)
    say(markdown_text(comparison_text(stage, tasks, work.modules)))


@click.command()
@click.argument("student")
@click.argument("name", metavar="STAGE")
@click.option(
    "--submissions", metavar="DIR", type=PATH, required=True, help="The folder that you grade."
)
@click.option(
    "--sandbox",
    type=click.Choice(SANDBOXES),
    default="auto",
    help="The sandbox that programs run in; default: the first that works.",
)
@click.pass_obj
def oral(course: Course, student: str, name: str, submissions: Path, sandbox: str) -> None:
    """Print a five-minute check for STUDENT about their own program, with the answers.

    It has a call to predict, a line to change, and a test of their own to justify, if they wrote
    tests. The program runs in the sandbox only.
    """
    from hearts_course.student.oral import oral_text

    text = oral_text(course, course.stage(name), student, submissions, sandbox)
    click.echo(safe_block(text), nl=False)
