"""The instructor's verb similar: which submissions share more than is explained."""

from importlib.util import find_spec
from pathlib import Path

import click

from hearts_course.cli.instructor import refuse_inside
from hearts_course.cli.warnings import warn
from hearts_course.course import find_course
from hearts_course.errors import UsageError


def register(group: click.Group) -> None:
    """Add the verb."""
    group.add_command(similar)


@click.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--out",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="Where similar.html, similar.txt and similar.csv are written.",
)
@click.option(
    "--stage", "stages", multiple=True, help="Compare this stage only; may be given repeatedly."
)
def similar(submissions: Path, out: Path, stages: tuple[str, ...]) -> None:
    """Show submissions that share more than starter and reference explain.

    SUBMISSIONS is what `hearts grade` reads; nothing in it is run. A match is a reason to look, not
    proof of copying. The exit status is 0, whatever is found.
    """
    if find_spec("pygments") is None:
        raise UsageError(
            "`hearts similar` needs pygments; run `pip install 'hearts-course[grade]'`"
        )
    from hearts_course.files import write_whole
    from hearts_course.similarity import pages
    from hearts_course.similarity.pairs import find_similar
    from hearts_course.submissions.find import find_submissions

    course = find_course()
    layout = find_submissions(submissions, course, stages)
    refuse_inside(submissions, out)
    for line in layout.warnings:
        warn(line)
    found = []
    for stage in layout.stages:
        paths = [path for path in layout.paths if path.stage.name == stage.name]
        found.append(find_similar(stage, paths, course))
        pairs = len(found[-1].pairs)
        click.echo(f"{stage.name}: {found[-1].programs} programs, {pairs} pairs worth a look")
    path = write_whole(out / "similar.html", pages.similar_page(found))
    write_whole(out / "similar.txt", pages.similar_text(found))
    write_whole(out / "similar.csv", pages.similar_csv(found))
    click.echo(f"report    {path}")
