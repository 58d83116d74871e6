"""Command for instructors: oral."""

from pathlib import Path

import click
from hearts_course.cli.common import PATH
from hearts_course.course import Course
from hearts_course.submissions.find import find_submissions
from hearts_course.text import safe_block

from hearts_grader.cli.options import sandbox_option
from hearts_grader.lms.groups import grouped
from hearts_grader.oral import oral_text


@click.command()
@click.argument("student")
@click.argument("name", metavar="STAGE")
@click.option(
    "--submissions", metavar="DIR", type=PATH, required=True, help="The folder that you grade."
)
@sandbox_option
@click.pass_obj
def oral(course: Course, student: str, name: str, submissions: Path, sandbox: str) -> None:
    """Print a five-minute check for STUDENT about their own program, with the answers.

    The student predicts a call, considers a changed line, and finds a rule of their own rule book
    in the program. If they wrote tests, they also justify one of them. The program runs in the
    sandbox only.
    """
    stage = course.stage(name)
    layout = grouped(find_submissions(submissions, course, [stage.name]), course)
    text = oral_text(course, stage, student, layout, sandbox)
    click.echo(safe_block(text), nl=False)
