"""Command for instructors: export."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hearts_course.cli.common import PATH, stage_option, warn
from hearts_course.course import Course
from hearts_course.errors import UsageError

if TYPE_CHECKING:
    from hearts_course.lms.stage_results import StageResults

GRADEBOOKS = ("canvas", "moodle")  # systems whose own table is filled in
DOCUMENTS = ("gradescope", "junit", "classroom50")  # formats with one document for each result
TITLES = {"name": "full name", "maximum": "maximum grade"}  # as Moodle calls them in English


@click.command()
@click.argument("graded", metavar="GRADES", type=PATH)
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(("csv", *GRADEBOOKS, *DOCUMENTS)),
    help="The system that will read it.",
)
@click.option(
    "--into",
    metavar="FILE",
    type=PATH,
    help="canvas, moodle: the table that you downloaded there.",
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
    stages: tuple[str, ...],
    out: Path | None,
    gradebook: str,
) -> int:
    """Write the results in GRADES, which `hearts grade` made, for another system.

    For Canvas and Moodle, fill in a copy of your downloaded table. Exit status: 0 if every result
    was written, 1 if some were not, 2 if there is nothing to export.
    """
    from hearts_course.grading.store import Store
    from hearts_course.lms.stage_results import read_stage_results
    from hearts_course.nbgrader.sync import GradebookSync

    if form in GRADEBOOKS and into is None:
        raise UsageError(f"--to {form} needs --into FILE: the table that you downloaded there")
    if form not in GRADEBOOKS and (into or columns or missing_as_zero):
        options = "--into, --column and --missing-as-zero"
        raise UsageError(f"{options} are for {' and '.join(GRADEBOOKS)}; leave them out")
    store = Store(graded)
    folder = out or graded / "export" / form
    store.refuse_links(*([] if out else [folder.parent, folder]))
    if missing_gradebook := GradebookSync(store, course, gradebook).refresh():
        warn(missing_gradebook)
    results = read_stage_results(graded, course, stages)
    warn(*results.faults, *results.notes)
    if not results.stages:
        raise UsageError(f"{graded}: the results cannot be read; grade again")
    if into is None:
        _write(form, results, graded, folder)
        return 1 if results.faults else 0
    unplaced = _fill(form, into, results, folder, _titles(course, columns), missing_as_zero)
    return 1 if unplaced or results.faults else 0


def _titles(course: Course, columns: Sequence[str]) -> dict[str, str]:
    """Return the titles of the columns by stage, or by a key of TITLES."""
    named = {}
    for text in columns:
        what, _, title = text.partition("=")
        if not title:
            raise UsageError(f"--column {text!r} is not STAGE=TITLE")
        named[what if what in TITLES else course.stage(what).name] = title
    return named


def _write(form: str, results: "StageResults", graded: Path, folder: Path) -> None:
    """Write a table, or a document for each result."""
    from hearts_course.files import write_whole
    from hearts_course.lms.stage_results import class_table, write_documents
    from hearts_course.reports.task_summary import count_of

    if form == "csv":
        click.echo(f"wrote {write_whole(folder / 'scores.csv', class_table(results))}")
        return
    written = sum(1 for _ in write_documents(form, results, graded, folder))
    click.echo(f"wrote {count_of(written, 'document')} to {folder}")


def _fill(
    form: str,
    into: Path,
    results: "StageResults",
    folder: Path,
    titles: dict[str, str],
    missing_as_zero: bool,
) -> list[str]:
    """Fill in a copy of the table; return a line for each result that it has no cell for."""
    from hearts_course.files import write_whole
    from hearts_course.lms.csv_table import read_table
    from hearts_course.lms.gradebook_csv import fill
    from hearts_course.reports.task_summary import count_of

    path = folder / into.name
    if path.resolve() == into.resolve():
        raise UsageError(f"{into}: would be overwritten; choose another folder with --out")
    aliases = {titles[what]: title for what, title in TITLES.items() if what in titles}
    before = read_table(into, aliases)
    filled = fill(form, before, results, titles, missing_as_zero)
    unplaced = []
    for one in filled:
        scores, column = count_of(one.count, "score"), before.header[one.column]
        click.echo("; ".join([f"{one.stage.name}: {scores} into {column!r}", *one.notes]))
        unplaced += [f"{one.stage.name} of {line}" for line in one.unplaced]
    missing = [name for name in results.stages if name not in {one.stage.name for one in filled}]
    unplaced += [f"{name}: no column of {into.name}; say which with --column" for name in missing]
    warn(*unplaced)
    if before.formulas:
        warn(f"{into.name}: {before.formulas} cells began with a formula and were made plain text")
    click.echo(f"wrote {write_whole(path, filled[-1].sheet.as_text())}")
    return unplaced
