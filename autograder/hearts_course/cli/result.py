"""`hearts result`: what the visible checks come to, as a document for Classroom 50."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hearts_course.cli.student import in_workspace
from hearts_course.course import Stage, find_course
from hearts_course.errors import UsageError
from hearts_course.student.workspace import Workspace, need_workspace

if TYPE_CHECKING:
    from hearts_course.results import Result

SUMMARY = "GITHUB_STEP_SUMMARY"  # where GitHub has a job's page written


def register(group: click.Group) -> None:
    """Add the verb."""
    group.add_command(result)


@click.command()
@click.argument("names", metavar="[STAGE]...", nargs=-1)
@click.option(
    "--out",
    metavar="FILE",
    default="result.json",
    type=click.Path(path_type=Path),
    help="Where to write; `result.json` in the workspace if not given.",
)
@in_workspace
def result(names: tuple[str, ...], out: Path, folder: Path | None) -> None:
    """Run the visible checks, of all stages or these, and write result.json.

    It is what Classroom 50 reads: schema classroom50/result/v1. Exit status 0 whatever the score.
    """
    from hearts_course.files import write_whole
    from hearts_course.grading.cache import digest
    from hearts_course.lms.documents import Provenance, classroom50

    workspace = need_workspace(find_course(), folder or Path.cwd())
    course = workspace.course
    stages = [course.stage(name) for name in names] or list(course.stages)
    results = list(_results(workspace, stages))
    what = stages[0].name if len(stages) == 1 else "hearts"
    work = digest(*(f"{one.stage} {one.score}" for one in results))
    here = Provenance.of_digest(what, workspace.root.name, work, _when(workspace.root))
    origin = here.with_environment(os.environ)
    path = write_whole(workspace.root / out, classroom50(results, origin))
    lines = [f"{one.stage}: {one.score:g} of {one.max_score} points" for one in results]
    click.echo("\n".join(lines))
    click.echo(f"wrote {path}")
    if page := os.environ.get(SUMMARY):
        with Path(page).open("a", encoding="utf-8") as file:
            file.write("".join(f"- {line}\n" for line in ["visible checks only", *lines]))


def _results(workspace: Workspace, stages: Sequence[Stage]) -> Iterator["Result"]:
    """Each stage's result; a program that cannot be read has no points."""
    from hearts_course.results import Status, score_stage
    from hearts_course.student.work import check_work, find_work

    for stage in stages:
        try:
            work = find_work(workspace.root, stage)
            yield check_work(workspace.course, workspace.root, work)
        except UsageError as fault:
            click.echo(f"hearts: {fault}", err=True)
            status = Status.UNREADABLE
            yield score_stage(stage, "", {}, sandbox="none", message=str(fault), status=status)


def _when(folder: Path) -> str:
    """The time of the commit that is checked out in the folder, or now."""
    command = ["git", "-C", str(folder), "show", "-s", "--format=%ct", "HEAD"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        when = datetime.fromtimestamp(int(told), UTC)
    except (OSError, ValueError, subprocess.CalledProcessError):
        when = datetime.now(UTC)
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")
