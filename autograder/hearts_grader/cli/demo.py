"""The commands `sample` and `demo`, which write the submissions of invented students."""

import time
from pathlib import Path

import click
from hearts_course.cli.common import PATH
from hearts_course.course import Course, in_checkout
from hearts_course.errors import NoSandbox

from hearts_grader.cli.options import sandbox_option, stage_option


@click.command()
@click.argument("folder", metavar="DIR", type=PATH)
@stage_option
@click.pass_obj
def sample(course: Course, folder: Path, stages: tuple[str, ...]) -> None:
    """Write a sample class into DIR: right, wrong, unfinished and hostile submissions."""
    from hearts_grader.authoring.sample import make_sample

    chosen = [course.stage(name) for name in stages] or list(in_checkout(course).counted)
    students = make_sample(chosen, folder)
    click.echo(
        f"wrote {sum(students.values())} submissions of {len(students)} students to {folder}"
    )
    graded = folder.with_name(f"{folder.name}-graded")
    click.echo(f"Grade them: hearts grade {folder} --out {graded}")


@click.command()
@click.argument("folder", metavar="DIR", type=PATH)
@sandbox_option
@click.pass_context
def demo(context: click.Context, folder: Path, sandbox: str) -> int:
    """Grade a sample class, and leave submissions and grades in DIR.

    Without a sandbox, the hostile programs are left out. All other programs are part of the course
    and are safe to run.
    """
    from hearts_grader.authoring.sample import make_sample
    from hearts_grader.cli.grade import grade

    begun = time.monotonic()
    notes = []
    if reason := _reason_without_sandbox(sandbox):
        notes = [f"graded without a sandbox, and so without hostile programs: {reason}"]
        sandbox = "none"
    for note in notes:
        click.echo(note)
    submissions = folder / "submissions"
    students = make_sample(in_checkout(context.obj).counted, submissions, hostile=not reason)
    click.echo(f"wrote {sum(students.values())} submissions of {len(students)} students")
    status: int = context.invoke(
        grade, submissions=submissions, out=folder / "grades", sandbox=sandbox
    )
    for note in [f"all of it took {time.monotonic() - begun:.0f} s", *notes]:
        click.echo(note)
    return status


def _reason_without_sandbox(asked: str) -> str:
    """Return why the sample class is graded without a sandbox; "" if a sandbox works.

    Raise NoSandbox if a sandbox was asked for by name and does not work.

    The demo may fall back to no sandbox because, without the hostile programs, it runs only
    programs of the course.
    """
    from hearts_grader.sandbox.backends import choose_sandbox, why_none_works

    if asked == "none":
        return "as asked"
    try:
        choose_sandbox(asked)
    except NoSandbox:
        if asked != "auto":
            raise
        return why_none_works()
    return ""
