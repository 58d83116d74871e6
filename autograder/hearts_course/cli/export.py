"""`hearts export`: results in the forms that other systems read."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hearts_course.cli.warnings import warn
from hearts_course.course import Course, find_course
from hearts_course.errors import UsageError

if TYPE_CHECKING:
    from hearts_course.lms.csv_table import CsvTable
    from hearts_course.lms.gradebook_csv import FilledColumn
    from hearts_course.lms.stage_results import StageResults

FILLED = ("canvas", "moodle")
EACH = ("gradescope", "junit", "classroom50")
TITLES = {"name": "full name", "maximum": "maximum grade"}  # as Moodle calls them in English


def register(group: click.Group) -> None:
    """Add the verb."""
    group.add_command(export)


@click.command()
@click.argument("graded", metavar="GRADES", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(("csv", *FILLED, *EACH)),
    help="The system that is to read it.",
)
@click.option(
    "--into",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="For canvas and moodle: the table that you downloaded there.",
)
@click.option(
    "--column",
    "columns",
    metavar="WHAT=TITLE",
    multiple=True,
    help="For canvas and moodle: the title of a stage's column; in a language other than English"
    " and German also of `name` and `maximum`. May be given repeatedly.",
)
@click.option(
    "--missing-as-zero",
    is_flag=True,
    help="For canvas and moodle: 0 points for students who handed in nothing, not an empty cell.",
)
@click.option("--stage", "stages", multiple=True, help="Only this stage; may be given repeatedly.")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where to write; GRADES/export/FORMAT if not given.",
)
@click.option(
    "--gradebook",
    metavar="URL",
    default="",
    help="The gradebook that `hearts grade` was given, if there is a password in its URL.",
)
def export(
    graded: Path,
    form: str,
    into: Path | None,
    columns: tuple[str, ...],
    missing_as_zero: bool,
    stages: tuple[str, ...],
    out: Path | None,
    gradebook: str,
) -> int:
    """Write the results in GRADES, which `hearts grade` made, for another system.

    For Canvas and Moodle your downloaded table is filled in, as a copy. Exit status 0 if every
    result has a place there, 1 if some have not, 2 if there is nothing to export.
    """
    from hearts_course.grading.store import Store
    from hearts_course.lms.stage_results import read_stage_results
    from hearts_course.nbgrader.sync import GradebookSync

    course = find_course()
    _check(form, into, columns, missing_as_zero)
    store = Store(graded)
    place = out or graded / "export" / form
    store.refuse_links(*([] if out else [place.parent, place]))
    if gone := GradebookSync(store, course, gradebook).refresh():
        warn(gone)
    results = read_stage_results(graded, course, stages)
    for line in (*results.faults, *results.notes):
        warn(line)
    if not results.stages:
        raise UsageError(f"{graded}: no scores, only faults; grade again")
    if into is not None:
        unplaced = _fill(form, into, results, place, _titles(course, columns), missing_as_zero)
    else:
        unplaced = _write(form, results, graded, place)
    return 1 if unplaced or results.faults else 0


def _check(form: str, into: Path | None, columns: Sequence[str], missing_as_zero: bool) -> None:
    if form in FILLED and into is None:
        raise UsageError(f"--to {form} needs --into FILE: the table that you downloaded there")
    if form not in FILLED and (into or columns or missing_as_zero):
        options = "--into, --column and --missing-as-zero"
        raise UsageError(f"{options} are for {' and '.join(FILLED)}; leave them out")


def _titles(course: Course, columns: Sequence[str]) -> dict[str, str]:
    """Return the titles of the columns by stage, or by a key of TITLES."""
    named = {}
    for text in columns:
        what, equals, title = text.partition("=")
        if not equals or not title:
            raise UsageError(f"--column {text!r} is not STAGE=TITLE")
        named[what if what in TITLES else course.stage(what).name] = title
    return named


def _write(form: str, results: "StageResults", graded: Path, place: Path) -> int:
    """Write a table, or a document for each result; return how many have no place: none."""
    from hearts_course.files import write_whole
    from hearts_course.lms.stage_results import class_table, write_documents

    if form == "csv":
        click.echo(f"wrote {write_whole(place / 'scores.csv', class_table(results))}")
        return 0
    count = sum(1 for _ in write_documents(form, results, graded, place))
    click.echo(f"wrote {count} document{'' if count == 1 else 's'} to {place}")
    return 0


def _fill(
    form: str,
    into: Path,
    results: "StageResults",
    place: Path,
    titles: dict[str, str],
    missing_as_zero: bool,
) -> int:
    """Fill in a copy of the table; return how many results have no place in it."""
    from hearts_course.files import write_whole
    from hearts_course.lms.csv_table import read_table
    from hearts_course.lms.gradebook_csv import fill

    path = place / into.name
    if path.resolve() == into.resolve():
        raise UsageError(f"{into}: would be overwritten; choose another folder with --out")
    aliases = {titles[what]: title for what, title in TITLES.items() if what in titles}
    before = read_table(into, aliases)
    done = fill(form, before, results, titles, missing_as_zero)
    unplaced = [line for filled in done for line in _report(before, filled)]
    missing = [name for name in results.stages if name not in {one.stage.name for one in done}]
    unplaced += [f"{name}: no column of {into.name}; say which with --column" for name in missing]
    for line in unplaced:
        warn(line)
    if before.formulas:
        warn(f"{into.name}: a spreadsheet would execute {before.formulas} of its cells; defused")
    click.echo(f"wrote {write_whole(path, done[-1].sheet.as_text())}")
    return len(unplaced)


def _report(before: "CsvTable", filled: "FilledColumn") -> list[str]:
    """Say what was filled in; return a line for each result without a place."""
    stage = filled.stage.name
    notes = "".join(f"; {note}" for note in filled.notes)
    some = "score" if filled.count == 1 else "scores"
    click.echo(f"{stage}: {filled.count} {some} into {before.header[filled.column]!r}{notes}")
    return [f"{stage} of {line}" for line in filled.unplaced]
