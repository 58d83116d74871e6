"""Commands for instructors: collect and export."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
from hearts_course.cli.common import PATH, warn
from hearts_course.course import Course
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import write_whole
from hearts_course.submissions.find import GROUPS_FILE
from hearts_course.text import count_of

from hearts_grader.cli.options import stage_option
from hearts_grader.grading.final_scores import read_adjustments
from hearts_grader.grading.store import Store
from hearts_grader.lms.archive import open_archive
from hearts_grader.lms.assign import Assignment
from hearts_grader.lms.csv_table import read_table
from hearts_grader.lms.downloads import recognise
from hearts_grader.lms.feedback_files import PLATFORMS, Written, write_mail, write_zip
from hearts_grader.lms.gradebook_csv import fill
from hearts_grader.lms.groups import Groups, read_groups
from hearts_grader.lms.placing import Placed, Placement, SubmissionStore
from hearts_grader.lms.readers import ALONE, read_readers, share
from hearts_grader.lms.roster import Roster, name_students, read_roster
from hearts_grader.lms.stage_results import (
    StageResults,
    class_table,
    read_stage_results,
    write_documents,
)
from hearts_grader.nbgrader.sync import GradebookSync

Team = tuple[str, tuple[str, ...]]  # a stage, and who handed in together
GRADEBOOKS = ("canvas", "moodle")  # systems whose own table is filled in
DOCUMENTS = ("gradescope", "junit", "classroom50")  # formats with one document for each result
MAIL = "mail"  # pages with a table of addresses
MANUAL = "manual"  # tables for points by hand
# What --column names beside stages, and the English titles of these columns in Moodle.
TITLES = {"name": "full name", "maximum": "maximum grade"}


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
            count, teams_there = _collect(
                path, course, store, former_groups, class_list, asked, accept_names
            )
            unplaced += count
            teams += teams_there
    finally:
        store.close()  # also after an error, because the files of earlier archives are in place
    groups, clashes = former_groups.with_teams(teams)
    if groups != former_groups and not dry_run:
        click.echo(f"wrote {write_whole(file, groups.as_text())}: who handed in together")
    warn(*(f"{file}: {line}" for line in clashes))
    if dry_run:
        click.echo("nothing was written")
    else:
        click.echo(f"Grade them: hearts grade {into} --out grades")
    return 1 if clashes or unplaced else 0


def _collect(
    path: Path,
    course: Course,
    store: SubmissionStore,
    groups: Groups,
    roster: Roster | None,
    asked: tuple[str, ...],
    accept_names: bool,
) -> tuple[int, list[Team]]:
    """Collect one archive and report on it.

    Return the number of files or students not placed, and who handed in together. If the platform
    names a group in place of a student, the files go to the group.
    """
    archive = open_archive(path)
    download = recognise(archive, course)
    submitters = [attempt.submitter for attempt in download.attempts]
    names = name_students(submitters, roster, store.display_names)
    for submitter, (student, _) in names.items():
        # A name that the roster does not know may be a group's: some platforms show the group where
        # the student's name would be.
        is_in_roster = roster is not None and student
        if not is_in_roster and (group := groups.called(submitter.name)):
            names[submitter] = group, ""
    assignment = Assignment(
        archive, download, course, names, asked, store.holds, accept_names=accept_names
    )
    done = []
    unplaced = list(assignment.remarks.unplaced)
    for placement in assignment.placements:
        try:
            done.append((placement, store.place(placement)))
        except CourseError as error:  # collect the others
            unplaced.append(f"{placement.student}: {placement.stage}: {error}")
    teams = []
    for placement in assignment.placements:
        # A member whom the roster does not know has the name ""; a team needs two known members.
        members = {names[submitter][0] for submitter in placement.attempt.group} - {""}
        if len(members) > 1:
            teams.append((placement.stage, tuple(sorted(members))))
    click.echo(", ".join((f"{archive.name}: {download.platform}", *assignment.stages)))
    _print_placed(done, store)
    for note in assignment.remarks.notes:
        click.echo(f"  {note}")
    warn(*(f"{archive.name}: {line}" for line in unplaced))
    return len(unplaced), teams


def _print_placed(done: Sequence[tuple[Placement, Placed]], store: SubmissionStore) -> None:
    """Print what became of the attempts, and the submissions that are marked as late.

    `done` pairs each attempt with the answer of `SubmissionStore.place`. Attempts are counted. Only
    an attempt that replaces another one, or is older than another one, has a line to itself.
    """
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


@click.command()
@click.argument("graded", metavar="GRADES", type=PATH)
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(("csv", *GRADEBOOKS, *DOCUMENTS, *PLATFORMS, MAIL, MANUAL)),
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
    """Write the results in GRADES, which `hearts grade` made, for another system.

    For Canvas and Moodle, fill in a copy of your downloaded table. canvas-comments, moodle-feedback
    and mail hand out the students' pages; manual writes tables for points by hand. Exit status: 0
    if every result was written, 1 if some were not, 2 if there is nothing to export.
    """
    _refuse_options_of_others(form, into, columns, missing_as_zero, anonymous, assistants, out)
    store = Store(graded)
    folder = out or graded / "export" / form
    if out:
        store.refuse_links()
    else:  # a linked folder would lead the files elsewhere
        store.refuse_links(folder.parent, folder)
    sync = GradebookSync(store, course, gradebook)
    # Points that were given in formgrader since the last run belong in the export as well.
    warn(*sync.refresh())
    results = read_stage_results(graded, course, stages)
    warn(*results.faults, *results.notes)
    if not results.stages:
        raise UsageError(f"{graded}: the results cannot be read; grade again")
    left_out: Sequence[str] = ()
    if form == MANUAL:
        _share(store, course, results, sync, assistants)
    elif form == MAIL or form in PLATFORMS:
        written = _hand_out(form, into, results, store, course, sync, folder)
        left_out = written.left_out
        warn(*left_out)
        click.echo(f"wrote {written.path}, with {count_of(written.count, 'page')}")
    elif into is None:
        if anonymous:
            results = results.anonymous()
        _write(form, results, graded, folder)
    else:
        left_out = _fill(form, into, results, folder, _titles(course, columns), missing_as_zero)
    return 1 if left_out or results.faults else 0


def _refuse_options_of_others(
    form: str,
    into: Path | None,
    columns: Sequence[str],
    missing_as_zero: bool,
    anonymous: bool,
    assistants: Path | None,
    out: Path | None,
) -> None:
    """Raise UsageError if the form does not use a given option, or lacks one that it needs."""
    if form in (*GRADEBOOKS, *PLATFORMS) and into is None:
        wanted = "table" if form in GRADEBOOKS else "zip of submissions"
        raise UsageError(f"--to {form} needs --into FILE: the {wanted} that you downloaded there")
    is_into_useless = into is not None and form not in (*GRADEBOOKS, *PLATFORMS)
    if is_into_useless or (form not in GRADEBOOKS and (columns or missing_as_zero)):
        options = "--into, --column and --missing-as-zero"
        raise UsageError(f"{options} are for {' and '.join(GRADEBOOKS)}; leave them out")
    if anonymous and form != "csv":
        raise UsageError("--anonymous is for --to csv; leave it out")
    if form != MANUAL and assistants:
        raise UsageError("--for is for --to manual; leave it out")
    if form == MANUAL and out:
        raise UsageError("--to manual writes GRADES/manual, which `hearts grade` reads; no --out")


def _share(
    store: Store,
    course: Course,
    results: StageResults,
    sync: GradebookSync,
    assistants: Path | None,
) -> None:
    """Write the tables for points by hand, one for each reader, and print a line about each.

    Raise UsageError if the file of readers cannot be used. Without that file, one reader has all
    students.
    """
    readers = read_readers(assistants) if assistants else ALONE
    section_of: dict[str, str] = {}
    # The late policy lists students by section; `share` needs the section by student.
    for name, section in sync.dates.policy.section.items():
        section_of |= dict.fromkeys(section.students, name)
    adjustments = read_adjustments(store.adjustments)
    for line in share(store, course, results, adjustments, readers, section_of):
        click.echo(line)


def _hand_out(
    form: str,
    into: Path | None,
    results: StageResults,
    store: Store,
    course: Course,
    sync: GradebookSync,
    folder: Path,
) -> Written:
    """Write the students' pages for a platform, or for a mail merge.

    Return the path written, the number of pages in it, and a line for each result that the platform
    has no place for. Without a roster, students are matched by the names in the platform's zip
    alone.
    """
    roster = sync.dates.roster
    if form == MAIL or into is None:
        people = roster.names(results.students)
        return write_mail(results, store, people, sync.dates.policy.addresses, folder)
    class_list = roster if roster.people else None
    return write_zip(form, into, results, store, course, class_list, folder)


def _titles(course: Course, columns: Sequence[str]) -> dict[str, str]:
    """Return the titles of the columns by stage, or by a key of TITLES; raise UsageError."""
    titles = {}
    for text in columns:
        name, _, title = text.partition("=")
        if not title:
            raise UsageError(f"--column {text!r} is not STAGE=TITLE")
        # Everything but Moodle's two column names is a stage, which may be given by its number.
        if name not in TITLES:
            name = course.stage(name).name
        titles[name] = title
    return titles


def _write(form: str, results: StageResults, graded: Path, folder: Path) -> None:
    """Write the scores as one table, or a document for each result, and print where.

    `csv` is one table of the class in `scores.csv`; the other forms are written one file a result,
    below `folder`.
    """
    if form == "csv":
        click.echo(f"wrote {write_whole(folder / 'scores.csv', class_table(results))}")
        return
    written = sum(1 for _ in write_documents(form, results, graded, folder))
    click.echo(f"wrote {count_of(written, 'document')} to {folder}")


def _fill(
    form: str,
    into: Path,
    results: StageResults,
    folder: Path,
    titles: dict[str, str],
    missing_as_zero: bool,
) -> list[str]:
    """Fill in a copy of the table; return a line for each result without a cell in the table.

    Raise UsageError if the copy would take the place of the table itself.
    """
    path = folder / into.name
    if path.resolve() == into.resolve():
        raise UsageError(f"{into}: would be overwritten; choose another folder with --out")
    # The table is read as if its columns had Moodle's English titles.
    aliases = {}
    for what, english_title in TITLES.items():
        if what in titles:
            aliases[titles[what]] = english_title
    table = read_table(into, aliases)
    filled_columns = fill(form, table, results, titles, missing_as_zero)
    unplaced = []
    missing = list(results.stages)
    for filled in filled_columns:
        name = filled.stage.name
        # At the end, `missing` has the stages for which no column was found.
        missing.remove(name)
        scores = count_of(filled.count, "score")
        title = table.header[filled.column]
        click.echo("; ".join([f"{name}: {scores} into {title!r}", *filled.notes]))
        unplaced += [f"{name} of {line}" for line in filled.unplaced]
    unplaced += [f"{name}: no column of {into.name}; name it with --column" for name in missing]
    warn(*unplaced)
    if table.formulas:
        warn(f"{into.name}: cells with formulas, made plain text: {table.formulas}")
    click.echo(f"wrote {write_whole(path, filled_columns[-1].sheet.as_text())}")
    return unplaced
