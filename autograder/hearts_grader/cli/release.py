"""Commands for instructors that hand out work: release, site and nbgrader."""

from pathlib import Path

import click
from hearts_course.cli.common import PATH, warn
from hearts_course.course import Course, in_checkout
from hearts_course.errors import CourseError, UsageError

from hearts_grader.cli.options import stage_option

WORKSPACE = "hearts"
TEMPLATE = "hearts-github"
AUTOGRADER = "gradescope-"  # start of an autograder's name; the stage's name follows
SELF_STUDY = "hearts-self-study"


@click.command()
@click.argument("folder", metavar="DIR", type=PATH)
@click.option(
    "--stage",
    "stages",
    multiple=True,
    help="Release this stage and those that it needs; may be repeated.",
)
@click.option(
    "--unit",
    metavar="NAME",
    help="Release a short unit, such as three-weeks: its stages, its points and its page.",
)
@click.option(
    "--reveal",
    multiple=True,
    metavar="STAGE",
    help="Include this stage's solution, for `hearts compare`; may be repeated.",
)
@click.option("--github", is_flag=True, help="Add a template for GitHub repositories.")
@click.option(
    "--gradescope",
    is_flag=True,
    help="Add an autograder for each stage; do not give it to students.",
)
@click.option(
    "--self-study",
    "alone",
    is_flag=True,
    help="Write the edition for learners without an instructor: it has hidden tests and solutions.",
)
@click.pass_obj
def release(
    course: Course,
    folder: Path,
    stages: tuple[str, ...],
    unit: str | None,
    reveal: tuple[str, ...],
    github: bool,
    gradescope: bool,
    alone: bool,
) -> None:
    """Write what students get into DIR: a workspace, as a folder and as a zip.

    The earlier stages that a stage needs are included. The workspace contains the tool, with only
    these stages, and a list of package versions.
    """
    from hearts_grader.authoring.build import outdated
    from hearts_grader.release.bundle import (
        autograder,
        bundle,
        github_template,
        released_stages,
        self_study,
    )
    from hearts_grader.release.publish import Files, publish, publish_zip, refuse_foreign
    from hearts_grader.release.units import with_unit

    pages: Files = {}
    if unit and stages:
        raise UsageError("--unit names its stages itself; leave out --stage")
    if unit:
        course, stages, pages = with_unit(course, unit)
    released = released_stages(in_checkout(course), stages)
    # The self-study edition shows everything, so options that choose what to show would mislead.
    if alone and (reveal or github or gradescope):
        raise UsageError("--self-study has all solutions and hidden tests; give it alone")
    names = [SELF_STUDY] if alone else [WORKSPACE, TEMPLATE]
    archives = [f"{name}.zip" for name in names]
    archives += [f"{AUTOGRADER}{stage.name}.zip" for stage in course.stages]
    # Check this before writing anything: a folder of the same name that this command did not write
    # must not be replaced.
    refuse_foreign(folder, (*names, *archives))
    # Students must get what is graded, so nothing outdated is released.
    if stale := outdated(course, released):
        raise CourseError(stale[0].problem)
    if alone:
        files = {**self_study(course, released), **pages}
    else:
        files = {**bundle(course, released, reveal), **pages}
    click.echo(f"stages: {', '.join(stage.name for stage in released)}")
    workspaces: dict[str, Files] = {names[0]: files}
    if github:
        workspaces[TEMPLATE] = github_template(files)
    for name, content in workspaces.items():
        click.echo(f"{publish(folder, name, content)} {folder / name}, and {name}.zip")
    if gradescope:
        for stage in released:
            name = f"{AUTOGRADER}{stage.name}"
            done = publish_zip(folder, name, autograder(course, stage))
            click.echo(f"{done} {folder / name}.zip, with hidden tests: for you, not for students")


@click.command()
@click.argument("folder", metavar="DIR", type=PATH)
@click.option("--play", is_flag=True, help="Add the course's own card table; see above.")
@click.option(
    "--self-study",
    "alone",
    is_flag=True,
    help="Add the hidden tests and the solutions, for learners without an instructor.",
)
@click.option("--serve", is_flag=True, help="Show the site on this computer until Ctrl-C.")
@click.option("--look", is_flag=True, help="Show the site that DIR holds, without writing it anew.")
@click.option("--port", default=8000, show_default=True, help="The port for --serve and --look.")
@click.pass_obj
def site(
    course: Course, folder: Path, play: bool, alone: bool, serve: bool, look: bool, port: int
) -> None:
    """Write the course as a static web site into DIR: pages, and notebooks that run in a browser.

    Its parts come from npm and from this installation. It contains what students get in a release.
    With --play, the course's own card table is at the address `play/`. The site then contains the
    solutions of the table's stage and the stages before it, as bytecode, which can be decoded.
    """
    from hearts_grader.site.build import refuse_without_site, serve_site, write_site

    if look:
        refuse_without_site(folder)
    else:
        for line in write_site(in_checkout(course), folder, play=play, alone=alone):
            click.echo(line)
    if not (serve or look):
        click.echo(f"look      hearts site {folder} --look")
    else:
        click.echo(f"open it   http://127.0.0.1:{port}/   (Ctrl-C ends it)")
        serve_site(folder, port)


@click.command()
@click.argument("folder", metavar="DIR", type=PATH)
@stage_option
@click.option(
    "--gradebook",
    metavar="URL",
    default="",
    help="The gradebook, such as postgresql+psycopg://HOST/NAME; default: DIR/gradebook.db.",
)
@click.option("--remove", is_flag=True, help="Take stages out of a course of your own.")
@click.option("--yes", is_flag=True, help="Change a course of your own without asking.")
@click.pass_obj
def nbgrader(
    course: Course, folder: Path, stages: tuple[str, ...], gradebook: str, remove: bool, yes: bool
) -> None:
    """Make or update a course in DIR for nbgrader and formgrader.

    DIR gets source, release, settings and gradebook. Autograding there runs programs in the same
    sandbox as `hearts grade`. If DIR is an nbgrader course of your own, stages are added beside
    your assignments, once you have seen what would change.
    """
    from hearts_grader.nbgrader import course as courses
    from hearts_grader.nbgrader.environment import foreign_programs, our_program

    chosen = [course.stage(name) for name in stages]
    if remove:
        lines, settings = courses.removal(course, folder, chosen)
        _ask(lines, yes)
        click.echo(f"changed   {courses.change_settings(folder, settings)}")
        return
    # Without --stage, update the stages that were added to the instructor's course before.
    chosen = chosen or [course.stage(name) for name in courses.added_stages(folder)]
    # A draft is not released unless it is named, because its tests and points may still change.
    chosen = chosen or [stage for stage in course.counted if not stage.draft]
    if lines := courses.additions(course, folder, chosen):
        _ask(lines, yes)
    for stage, place in courses.make_nbgrader_course(course, folder, chosen, gradebook):
        click.echo(f"released  {stage.name}  {place}")
    for foreign, ours in foreign_programs():
        warn(f"{foreign} is of another Python environment, which cannot grade here; use {ours}")
    jupyter = our_program("jupyter")
    click.echo(f"open it   cd {folder} && {jupyter} lab   (then Nbgrader > Formgrader)")


def _ask(lines: list[str], yes: bool) -> None:
    """Print what would change; end the command unless the user agrees.

    `click.Abort` ends the command with exit status 1, before anything has been written.
    """
    click.echo("\n".join(lines))
    if not yes:
        click.confirm("Go on?", abort=True)
