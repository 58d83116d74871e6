"""Command for instructors: collect."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hearts_course.cli.common import PATH, warn
from hearts_course.course import Course
from hearts_course.errors import CourseError

if TYPE_CHECKING:
    from hearts_course.lms.placing import SubmissionStore
    from hearts_course.lms.roster import Roster


@click.command()
@click.argument("archives", metavar="ARCHIVE...", nargs=-1, required=True, type=PATH)
@click.option(
    "--into",
    metavar="DIR",
    default="submissions",
    type=PATH,
    help="Where to put submissions; default: `submissions`.",
)
@click.option(
    "--stage",
    "stages",
    multiple=True,
    help="The stage, if the file names do not show it; may be repeated.",
)
@click.option(
    "--roster",
    metavar="FILE",
    type=PATH,
    help="Class list, such as a gradebook: used to find each student's login.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be done, and write nothing.")
@click.pass_obj
def collect(
    course: Course,
    archives: tuple[Path, ...],
    into: Path,
    stages: tuple[str, ...],
    roster: Path | None,
    dry_run: bool,
) -> int:
    """Put submissions into DIR/STUDENT/STAGE/.

    An ARCHIVE is a zip from Canvas, Moodle or Gradescope, nbgrader's exchange, or a folder. The
    latest attempt counts; the others are kept. Exit status: 0 if everything was placed, 1 if
    something was not, 2 if there is nothing to collect.
    """
    from hearts_course.lms.placing import SubmissionStore
    from hearts_course.lms.roster import read_roster

    asked = tuple(course.stage(name).name for name in stages)
    class_list = read_roster(roster) if roster else None
    store = SubmissionStore(into, dry=dry_run)
    try:
        unplaced = [_collect(path, course, store, class_list, asked) for path in archives]
    finally:
        store.close()
    if dry_run:
        click.echo("nothing was written")
    else:
        click.echo(f"Grade them: hearts grade {into} --out grades")
    return 1 if sum(unplaced) else 0


def _collect(
    path: Path,
    course: Course,
    store: "SubmissionStore",
    roster: "Roster | None",
    asked: tuple[str, ...],
) -> int:
    """Collect one archive and report on it; return the number of files or students not placed."""
    from hearts_course.lms.archive import open_archive
    from hearts_course.lms.assign import Assignment
    from hearts_course.lms.downloads import recognise
    from hearts_course.lms.placing import Placed
    from hearts_course.lms.roster import name_students

    archive = open_archive(path)
    download = recognise(archive, course)
    submitters = (attempt.submitter for attempt in download.attempts)
    names = name_students(submitters, roster, store.display_names)
    found = Assignment(archive, download, course, names, asked, store.holds)
    done, unplaced = [], list(found.unplaced)
    for placement in found.placements:
        try:
            done.append((placement, store.place(placement)))
        except CourseError as error:  # collect the others
            unplaced.append(f"{placement.student}: {placement.stage}: {error}")
    about = f", {', '.join(found.stages)}" if found.stages else ""
    click.echo(f"{archive.name}: {download.platform}{about}")
    counts = Counter(how for _, how in done)
    for how in Placed:
        if counts[how]:
            click.echo(f"  {counts[how]:4} {how}")
    for placement, how in done:
        if how in (Placed.REPLACED, Placed.OLDER):
            click.echo(f"  {placement.student} {placement.stage}: {how}")
    if counts[Placed.REPLACED] or counts[Placed.OLDER]:
        click.echo(f"  attempts that do not count are kept in {store.attempts}")
    for placement, _ in done:
        if store.is_late(placement.student, placement.stage):
            click.echo(f"  {placement.student} {placement.stage}: marked late by Canvas")
    for note in found.notes:
        click.echo(f"  {note}")
    warn(*(f"{archive.name}: {line}" for line in unplaced))
    return len(unplaced)
