"""Write a class's results for other systems, and print what was written."""

from collections.abc import Sequence
from pathlib import Path

import click
from hearts_course.cli.common import warn
from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.files import write_whole
from hearts_course.text import count_of

from hearts_grader.grading.final_scores import read_adjustments
from hearts_grader.grading.store import Store
from hearts_grader.lms.csv_table import read_table
from hearts_grader.lms.feedback_files import Written, write_mail, write_zip
from hearts_grader.lms.gradebook_csv import fill
from hearts_grader.lms.readers import ALONE, read_readers, share
from hearts_grader.lms.stage_results import StageResults, class_table, write_documents
from hearts_grader.nbgrader.sync import GradebookSync

MAIL = "mail"  # the export format with students' pages and a table of their addresses
# `--column` accepts these names besides stages. The values are Moodle's English column titles.
TITLES = {"name": "full name", "maximum": "maximum grade"}


def share_out(
    store: Store,
    course: Course,
    results: StageResults,
    sync: GradebookSync,
    assistants: Path | None,
) -> None:
    """Write the tables for manual points, and print a line about each table.

    Each reader, an assistant who grades by hand, gets one table. The file `assistants` names the
    readers; without it, one table has all students. Raise UsageError if the file is invalid.
    """
    readers = read_readers(assistants) if assistants else ALONE
    section_of: dict[str, str] = {}
    # The late policy maps a section to its students; `share` needs a student's section.
    for name, section in sync.dates.policy.section.items():
        section_of |= dict.fromkeys(section.students, name)
    adjustments = read_adjustments(store.adjustments)
    for line in share(store, course, results, adjustments, readers, section_of):
        click.echo(line)


def hand_out(
    form: str,
    into: Path | None,
    results: StageResults,
    store: Store,
    course: Course,
    sync: GradebookSync,
    folder: Path,
) -> Written:
    """Write the students' pages for a platform, or for a mail merge.

    Return the path written, the number of pages in it, and a line for each result that has no place
    on the platform. Without a roster, students are matched only by the names in the platform's zip.
    """
    roster = sync.dates.roster
    if form == MAIL or into is None:
        people = roster.names(results.students)
        return write_mail(results, store, people, sync.dates.policy.addresses, folder)
    class_list = roster if roster.people else None
    return write_zip(form, into, results, store, course, class_list, folder)


def titles_of(course: Course, columns: Sequence[str]) -> dict[str, str]:
    """Return the column titles from texts such as `STAGE=TITLE`; raise UsageError if one is wrong.

    The keys of the result are names of stages and keys of TITLES.
    """
    titles = {}
    for text in columns:
        name, _, title = text.partition("=")
        if not title:
            raise UsageError(f"--column {text!r} is not STAGE=TITLE")
        # Any name that is not in TITLES is a stage, which may be given by its number.
        if name not in TITLES:
            name = course.stage(name).name
        titles[name] = title
    return titles


def write_scores(form: str, results: StageResults, graded: Path, folder: Path) -> None:
    """Write the scores below `folder`, and print what was written.

    The form `csv` is one table for the class, `scores.csv`. Any other form is a file for each
    result.
    """
    if form == "csv":
        click.echo(f"wrote {write_whole(folder / 'scores.csv', class_table(results))}")
        return
    written = sum(1 for _ in write_documents(form, results, graded, folder))
    click.echo(f"wrote {count_of(written, 'document')} to {folder}")


def fill_table(
    form: str,
    into: Path,
    results: StageResults,
    folder: Path,
    titles: dict[str, str],
    missing_as_zero: bool,
) -> list[str]:
    """Fill in a copy of the table `into`; return a line for each result that has no cell there.

    Raise UsageError if the copy would overwrite the table itself.
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
