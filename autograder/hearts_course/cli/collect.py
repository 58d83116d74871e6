"""`hearts collect`: what was handed in elsewhere, brought to where `hearts grade` reads it."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hearts_course.cli.warnings import warn
from hearts_course.course import find_course
from hearts_course.errors import CourseError

if TYPE_CHECKING:
    from hearts_course.course import Course
    from hearts_course.lms.names import Roster
    from hearts_course.lms.placing import SubmissionStore


def register(group: click.Group) -> None:
    """Add the verb."""
    group.add_command(collect)


@click.command()
@click.argument(
    "archives", metavar="ARCHIVE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--into",
    metavar="DIR",
    default="submissions",
    type=click.Path(path_type=Path),
    help="Where submissions are put; `submissions` if not given.",
)
@click.option(
    "--stage",
    "stages",
    multiple=True,
    help="What was handed in for, if names do not tell; may be given repeatedly.",
)
@click.option(
    "--roster",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A table of the class, to name students by their logins: a gradebook, a worksheet.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
def collect(
    archives: tuple[Path, ...],
    into: Path,
    stages: tuple[str, ...],
    roster: Path | None,
    dry_run: bool,
) -> int:
    """Put what students handed in into DIR/STUDENT/STAGE/.

    An ARCHIVE is a zip as Canvas, Moodle or Gradescope give you, nbgrader's exchange, or a folder.
    Of several attempts the latest counts, and the others are kept. Exit status 0 if everything has
    its place, 1 if something has not, 2 if there is nothing to collect.
    """
    from hearts_course.lms.names import read_roster
    from hearts_course.lms.placing import SubmissionStore

    course = find_course()
    asked = tuple(course.stage(name).name for name in stages)
    class_list = read_roster(roster) if roster else None
    shelf = SubmissionStore(into, dry=dry_run)
    try:
        lost = [_collect(path, course, shelf, class_list, asked) for path in archives]
    finally:
        shelf.close()
    if dry_run:
        click.echo("nothing was written")
    else:
        click.echo(f"Grade them: hearts grade {into} --out grades")
    return 1 if sum(lost) else 0


def _collect(
    path: Path,
    course: "Course",
    shelf: "SubmissionStore",
    roster: "Roster | None",
    asked: tuple[str, ...],
) -> int:
    """Collect one archive, say what became of it; returns how much has found no place."""
    from hearts_course.lms.archive import open_crate
    from hearts_course.lms.assign import sort
    from hearts_course.lms.attempt_files import Done
    from hearts_course.lms.downloads import recognise
    from hearts_course.lms.names import Namer

    crate = open_crate(path)
    load = recognise(crate, course)
    namer = Namer((handed.who for handed in load.handed), roster, shelf.names)
    found = sort(crate, load, course, namer, asked, shelf.holds)
    done, lost = [], list(found.lost)
    for plan in found.plans:
        try:
            done.append((plan, shelf.place(plan.read())))
        except CourseError as fault:  # nobody else is held up
            lost.append(f"{plan.student}: {plan.stage}: {fault}")
    about = f", {', '.join(found.stages)}" if found.stages else ""
    click.echo(f"{crate.name}: {load.platform}{about}")
    counts = Counter(how for _, how in done)
    for how in Done:
        if counts[how]:
            click.echo(f"  {counts[how]:4} {how}")
    for plan, how in done:
        if how in (Done.REPLACED, Done.OLDER):
            click.echo(f"  {plan.student} {plan.stage}: {how}")
    if counts[Done.REPLACED] or counts[Done.OLDER]:
        click.echo(f"  what does not count is kept in {shelf.attempts}")
    for plan, _ in done:
        if shelf.is_late(plan.student, plan.stage):
            click.echo(f"  {plan.student} {plan.stage}: marked late by Canvas")
    for note in found.notes:
        click.echo(f"  {note}")
    for line in lost:
        warn(f"{crate.name}: {line}")
    return len(lost)
