"""`hearts nbgrader`: a course for nbgrader and formgrader."""

from pathlib import Path

import click

from hearts_course.course import find_course


def register(group: click.Group) -> None:
    """Add the verb."""
    group.add_command(nbgrader)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--stage", "stages", multiple=True, help="Only this stage; may be given repeatedly.")
@click.option(
    "--gradebook",
    metavar="URL",
    default="",
    help="The gradebook, as in postgresql+psycopg://HOST/NAME; DIR/gradebook.db if not given.",
)
def nbgrader(folder: Path, stages: tuple[str, ...], gradebook: str) -> None:
    """Make DIR a course that nbgrader and formgrader open as their own, or bring it up to date.

    It has source, release, settings and gradebook; grading in it runs programs where `hearts grade`
    does.
    """
    from hearts_course.nbgrader.course import make_nbgrader_course

    course = find_course()
    chosen = [course.stage(name) for name in stages] or course.stages
    for stage, place in make_nbgrader_course(course, folder, chosen, gradebook):
        click.echo(f"released  {stage.name}  {place}")
    click.echo(f"open it   cd {folder} && jupyter lab   (then Nbgrader > Formgrader)")
