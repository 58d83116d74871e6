"""Commands for instructors: collect and export."""

from pathlib import Path

import click
from hearts_course.cli.common import PATH, warn
from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.files import write_whole
from hearts_course.submissions.find import GROUPS_FILE

from hearts_grader.cli.collecting import Team, collect_archive
from hearts_grader.cli.exporting import FORMS, Export, refuse_wrong_options
from hearts_grader.cli.options import stage_option
from hearts_grader.grading.store import Store
from hearts_grader.lms.groups import Groups, read_groups
from hearts_grader.lms.placing import SubmissionStore
from hearts_grader.lms.roster import read_roster
from hearts_grader.lms.stage_results import read_stage_results
from hearts_grader.nbgrader.sync import GradebookSync


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
@click.option(
    "--accept-names",
    is_flag=True,
    help="Take a misnamed file that has all definitions of a program as that program.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be done, and write nothing.")
@click.pass_obj
def collect(
    course: Course,
    archives: tuple[Path, ...],
    into: Path,
    stages: tuple[str, ...],
    roster: Path | None,
    accept_names: bool,
    dry_run: bool,
) -> int:
    """Put submissions into DIR/STUDENT/STAGE/.

    An ARCHIVE is a zip from Canvas, Moodle or Gradescope, nbgrader's exchange, or a folder. The
    latest attempt counts; the others are kept. Exit status: 0 if everything was placed, 1 if
    something was not, 2 if there is nothing to collect.
    """
    asked = tuple(course.stage(name).name for name in stages)
    class_list = read_roster(roster) if roster else None
    store = SubmissionStore(into, dry=dry_run)
    file = into / GROUPS_FILE
    former_groups = read_groups(file, course) if file.exists() else Groups()
    unplaced = 0
    teams: list[Team] = []
    try:
        for path in archives:
            count, teams_there = collect_archive(
                path, course, store, former_groups, class_list, asked, accept_names
            )
            unplaced += count
            teams += teams_there
    finally:
        store.close()  # even after an error, save the notes on the files of earlier archives
    groups, clashes = former_groups.with_teams(teams)
    if groups != former_groups and not dry_run:
        click.echo(f"wrote {write_whole(file, groups.as_text())}: who handed in together")
    warn(*(f"{file}: {line}" for line in clashes))
    if dry_run:
        click.echo("nothing was written")
    else:
        click.echo(f"Grade them: hearts grade {into} --out grades")
    return 1 if clashes or unplaced else 0


@click.command()
@click.argument("graded", metavar="GRADES", type=PATH)
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(tuple(FORMS)),
    help="The system that will read it.",
)
@click.option(
    "--into",
    metavar="FILE",
    type=PATH,
    help="canvas, moodle: the table that you downloaded there; canvas-comments, moodle-feedback:"
    " the zip of submissions.",
)
@click.option(
    "--column",
    "columns",
    metavar="WHAT=TITLE",
    multiple=True,
    help="canvas, moodle: the title of a stage's column; may be repeated. If Moodle is not in"
    " English or German, also give name=TITLE and maximum=TITLE.",
)
@click.option(
    "--missing-as-zero",
    is_flag=True,
    help="canvas, moodle: write 0 for a student who handed in nothing; default: an empty cell.",
)
@click.option(
    "--anonymous",
    is_flag=True,
    help="csv: numbers in place of names, in an order that says nothing.",
)
@click.option(
    "--for",
    "assistants",
    metavar="FILE",
    type=PATH,
    help="manual: who reads whom; one table for each reader.",
)
@stage_option
@click.option(
    "--out", metavar="DIR", type=PATH, help="Where to write; default: GRADES/export/FORMAT."
)
@click.option(
    "--gradebook",
    metavar="URL",
    default="",
    help="The gradebook URL that `hearts grade` used; needed only if it contains a password.",
)
@click.pass_obj
def export(
    course: Course,
    graded: Path,
    form: str,
    into: Path | None,
    columns: tuple[str, ...],
    missing_as_zero: bool,
    anonymous: bool,
    assistants: Path | None,
    stages: tuple[str, ...],
    out: Path | None,
    gradebook: str,
) -> int:
    """Write the results of `hearts grade` for another system; GRADES is the results' folder.

    For Canvas and Moodle, fill in a copy of your downloaded table. canvas-comments, moodle-feedback
    and mail hand out the students' pages; manual writes tables for points by hand. Exit status: 0
    if every result was written, 1 if some were not, 2 if there is nothing to export.
    """
    given = {
        "--into": into,
        "--column": columns,
        "--missing-as-zero": missing_as_zero,
        "--anonymous": anonymous,
        "--for": assistants,
        "--out": out,
    }
    refuse_wrong_options(form, given)
    store = Store(graded)
    folder = out or graded / "export" / form
    if out:
        store.refuse_links()
    else:  # through a symbolic link, the files would be written elsewhere
        store.refuse_links(folder.parent, folder)
    sync = GradebookSync(store, course, gradebook)
    # Points that were given in formgrader since the last run belong in the export as well.
    warn(*sync.refresh())
    results = read_stage_results(graded, course, stages)
    warn(*results.faults, *results.notes)
    if not results.stages:
        raise UsageError(f"{graded}: the results cannot be read; grade again")
    wanted = Export(
        form,
        results,
        store,
        course,
        sync,
        folder,
        download=into or Path(),
        columns=columns,
        missing_as_zero=missing_as_zero,
        anonymous=anonymous,
        assistants=assistants,
    )
    left_out = FORMS[form].write(wanted)
    return 1 if left_out or results.faults else 0
