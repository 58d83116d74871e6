"""`hearts release`: what an instructor hands out."""

from pathlib import Path

import click

from hearts_course.course import find_course, in_checkout
from hearts_course.errors import CourseError

WORKSPACE, TEMPLATE, AUTOGRADER = "hearts", "hearts-github", "gradescope-"


def register(group: click.Group) -> None:
    """Add the verb."""
    group.add_command(release)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--stage", "names", multiple=True, help="Only up to this stage; may be given repeatedly."
)
@click.option("--github", is_flag=True, help="A template for repositories, too.")
@click.option(
    "--gradescope", is_flag=True, help="An autograder for each stage, too; it is not for students."
)
def release(folder: Path, names: tuple[str, ...], github: bool, gradescope: bool) -> None:
    """Make in DIR what students get: a workspace, as a folder and as a zip.

    The stages that a stage builds on come with it. In the workspace is the tool itself, with these
    stages only, and the versions of all that it needs.
    """
    from hearts_course.authoring.build import outdated
    from hearts_course.release.bundle import bundle, github_template, released_stages
    from hearts_course.release.gradescope import autograder
    from hearts_course.release.publish import publish, publish_zip, refuse_foreign

    course = in_checkout(find_course())
    stages = released_stages(course, names)
    mine = [f"{name}{end}" for name in (WORKSPACE, TEMPLATE) for end in ("", ".zip")]
    mine += [f"{AUTOGRADER}{stage.name}.zip" for stage in course.stages]
    refuse_foreign(folder, tuple(mine))
    if stale := outdated(course, stages):
        raise CourseError(stale[0].problem)
    files = bundle(course, stages)
    click.echo(f"stages: {', '.join(stage.name for stage in stages)}")
    wanted = {WORKSPACE: files} | ({TEMPLATE: github_template(files)} if github else {})
    for name, content in wanted.items():
        click.echo(f"{publish(folder, name, content)} {folder / name}, and {name}.zip")
    for stage in stages if gradescope else ():
        name = f"{AUTOGRADER}{stage.name}"
        done = publish_zip(folder, name, autograder(course, stage))
        click.echo(f"{done} {folder / name}.zip, with hidden tests: for you, not for students")
