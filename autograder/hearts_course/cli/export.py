"""`hearts export`: results in the forms that other systems read."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hearts_course.cli.warnings import warn
from hearts_course.course import Course, Stage, find_course
from hearts_course.errors import UsageError

if TYPE_CHECKING:
    from hearts_course.lms.csv_table import CsvTable
    from hearts_course.lms.gradebook_csv import FilledColumn
    from hearts_course.lms.marks import StageResults

FILLED = ("canvas", "moodle")
EACH = ("gradescope", "junit", "classroom50", "exercism")
Fill = Callable[
    ["CsvTable", "StageResults", Mapping[str, str]], "Sequence[tuple[Stage, FilledColumn]]"
]


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
    metavar="STAGE=TITLE",
    multiple=True,
    help="For canvas and moodle: which column is a stage's, if its title does not say so.",
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
    stages: tuple[str, ...],
    out: Path | None,
    gradebook: str,
) -> int:
    """Write the results in GRADES, which `hearts grade` made, for another system.

    For Canvas and Moodle your downloaded table is filled in, as a copy. Exit status 0 if every
    result has a place there, 1 if some have not, 2 if there is nothing to export.
    """
    from hearts_course.grading.store import Store
    from hearts_course.lms.marks import read_marks
    from hearts_course.nbgrader.sync import GradebookSync

    course = find_course()
    _check(form, into, columns)
    store = Store(graded)
    place = out or graded / "export" / form
    store.refuse_links(*([] if out else [place.parent, place]))
    if gone := GradebookSync(store, course, gradebook).refresh():
        warn(gone)
    marks = read_marks(graded, course, stages)
    for line in (*marks.faults, *marks.notes):
        warn(line)
    if not marks.stages:
        raise UsageError(f"{graded}: no scores, only faults; grade again")
    if into is not None:
        lost = _fill(form, into, _named(course, columns), marks, place)
    else:
        lost = _write(form, marks, graded, place)
    return 1 if lost or marks.faults else 0


def _check(form: str, into: Path | None, columns: Sequence[str]) -> None:
    if form in FILLED and into is None:
        raise UsageError(f"--to {form} needs --into FILE: the table that you downloaded there")
    if form not in FILLED and (into or columns):
        raise UsageError(f"--into and --column are for {' and '.join(FILLED)}; leave them out")


def _named(course: Course, columns: Sequence[str]) -> dict[str, str]:
    named = {}
    for text in columns:
        stage, equals, title = text.partition("=")
        if not equals or not title:
            raise UsageError(f"--column {text!r} is not STAGE=TITLE")
        named[course.stage(stage).name] = title
    return named


def _write(form: str, marks: "StageResults", graded: Path, place: Path) -> int:
    """Write a table, or a document for each result; returns how many have found no place."""

    if form == "csv":
        from hearts_course.files import write_whole
        from hearts_course.lms.table import table

        click.echo(f"wrote {write_whole(place / 'scores.csv', table(marks))}")
        return 0
    from hearts_course.lms.documents import write_documents

    count = sum(1 for _ in write_documents(form, marks, graded, place))
    click.echo(f"wrote {count} document{'' if count == 1 else 's'} to {place}")
    return 0


def _fill(
    form: str, into: Path, named: Mapping[str, str], marks: "StageResults", place: Path
) -> int:
    """Fill in a copy of the table; returns how many results have found no place in it."""
    from hearts_course.files import write_whole
    from hearts_course.lms.canvas import fill_canvas
    from hearts_course.lms.csv_table import read_sheet
    from hearts_course.lms.moodle import fill_moodle

    fillers: dict[str, Fill] = {"canvas": fill_canvas, "moodle": fill_moodle}
    path = place / into.name
    if path.resolve() == into.resolve():
        raise UsageError(f"{into}: would be overwritten; choose another folder with --out")
    before = read_sheet(into)
    done = fillers[form](before, marks, named)
    lost = [line for stage, filled in done for line in _told(before, stage, filled)]
    missing = [name for name in marks.stages if name not in {stage.name for stage, _ in done}]
    lost += [f"{name}: no column of {into.name}; say which with --column" for name in missing]
    for line in lost:
        warn(line)
    if before.formulas:
        warn(f"{into.name}: a spreadsheet would execute {before.formulas} of its cells; defused")
    click.echo(f"wrote {write_whole(path, done[-1][1].sheet.as_text())}")
    return len(lost)


def _told(before: "CsvTable", stage: Stage, filled: "FilledColumn") -> list[str]:
    """Say what was filled in; returns what has found no place."""
    column = filled.column
    notes = "".join(f"; {note}" for note in filled.notes)
    some = "score" if filled.count == 1 else "scores"
    click.echo(f"{stage.name}: {filled.count} {some} into {before.header[column]!r}{notes}")
    return [f"{stage.name} of {line}" for line in filled.lost]
