"""The forms of `hearts export`: how each is written, and which options it has.

A new form is one more entry of FORMS. A form with a document for each result needs no code here: an
entry of `FORMATS` in `lms/documents.py` is enough.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from hearts_course.cli.common import warn
from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.files import write_whole
from hearts_course.text import count_of, listed

from hearts_grader.grading.final_scores import read_adjustments
from hearts_grader.grading.store import Store
from hearts_grader.lms.csv_table import read_table
from hearts_grader.lms.documents import FORMATS
from hearts_grader.lms.feedback_files import PLATFORMS, Written, write_mail, write_zip
from hearts_grader.lms.gradebook_csv import fill
from hearts_grader.lms.readers import ALONE, read_readers, share
from hearts_grader.lms.stage_results import StageResults, class_table, write_documents
from hearts_grader.nbgrader.sync import GradebookSync

# `--column` accepts these names besides stages. The values are Moodle's English column titles.
TITLES = {"name": "full name", "maximum": "maximum grade"}
TABLE = "table"
ZIP = "zip of submissions"


@dataclass(frozen=True)
class Export:
    """The results to export, the folder to write to, and the options of the command."""

    form: str
    results: StageResults
    store: Store
    course: Course
    sync: GradebookSync
    folder: Path
    download: Path  # the file that --into names; an empty path without --into
    columns: Sequence[str]
    missing_as_zero: bool
    anonymous: bool
    assistants: Path | None


@dataclass(frozen=True)
class Form:
    """A form of export: the function that writes it, and the options that the form has.

    `write` returns a line for each result that it left out. `download` says which downloaded file
    the form needs, "" if none. `options` are named as on the command line. They do not list the
    options that every form has, and not `--into`, which every form with a `download` has.
    """

    write: Callable[[Export], Sequence[str]]
    download: str = ""
    options: frozenset[str] = frozenset({"--out"})

    def has(self, option: str) -> bool:
        """Return whether the form has this option."""
        return bool(self.download) if option == "--into" else option in self.options


def refuse_wrong_options(form: str, given: Mapping[str, object]) -> None:
    """Raise UsageError for an option that the form does not have.

    Also raise it if the form needs a file that is not given. `given` maps the name of each option
    to its value. A false value means that the option was not given.
    """
    chosen = FORMS[form]
    if chosen.download and not given["--into"]:
        raise UsageError(
            f"--to {form} needs --into FILE: the {chosen.download} that you downloaded there"
        )
    if given["--out"] and not chosen.has("--out"):
        raise UsageError(f"--to {form} writes GRADES/{form}, which `hearts grade` reads; no --out")
    for option, value in given.items():
        if value and not chosen.has(option):
            forms = [name for name, other in FORMS.items() if other.has(option)]
            raise UsageError(f"{option} is for --to {listed(forms)}; leave it out")


def _write_class_table(export: Export) -> Sequence[str]:
    """Write one table of the class, `scores.csv`."""
    results = export.results.anonymous() if export.anonymous else export.results
    click.echo(f"wrote {write_whole(export.folder / 'scores.csv', class_table(results))}")
    return ()


def _write_documents(export: Export) -> Sequence[str]:
    """Write a document for each result."""
    paths = list(write_documents(export.form, export.results, export.store, export.folder))
    click.echo(f"wrote {count_of(len(paths), 'document')} to {export.folder}")
    return ()


def _fill_table(export: Export) -> Sequence[str]:
    """Fill in a copy of the downloaded table; leave out results without a cell in the table.

    Raise UsageError if the copy would take the place of the table itself.
    """
    download = export.download
    titles = titles_of(export.course, export.columns)
    path = export.folder / download.name
    if path.resolve() == download.resolve():
        raise UsageError(f"{download}: would be overwritten; choose another folder with --out")
    # The table is read as if its columns had Moodle's English titles.
    aliases = {}
    for what, english_title in TITLES.items():
        if what in titles:
            aliases[titles[what]] = english_title
    table = read_table(download, aliases)
    filled_columns = fill(export.form, table, export.results, titles, export.missing_as_zero)
    left_out = []
    missing = list(export.results.stages)
    for filled in filled_columns:
        name = filled.stage.name
        # At the end, `missing` has the stages for which no column was found.
        missing.remove(name)
        scores = count_of(filled.count, "score")
        title = table.header[filled.column]
        click.echo("; ".join([f"{name}: {scores} into {title!r}", *filled.notes]))
        left_out += [f"{name} of {line}" for line in filled.unplaced]
    left_out += [f"{name}: no column of {download.name}; name it with --column" for name in missing]
    warn(*left_out)
    if table.formulas:
        warn(f"{download.name}: cells with formulas, made plain text: {table.formulas}")
    click.echo(f"wrote {write_whole(path, filled_columns[-1].sheet.as_text())}")
    return left_out


def titles_of(course: Course, columns: Sequence[str]) -> dict[str, str]:
    """Read the options `--column NAME=TITLE`, and map each name to its title.

    A name is a stage or a key of TITLES, and TITLE is the title of its column. Raise UsageError if
    an option is invalid or names no stage.
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


def _write_pages(export: Export) -> Sequence[str]:
    """Write the students' pages as a zip for the platform from which the download comes.

    Without a roster, students are matched only by the names in the download. Leave out pages of
    students that the download does not have.
    """
    roster = export.sync.dates.roster
    class_list = roster if roster.people else None
    written = write_zip(
        export.form,
        export.download,
        export.results,
        export.store,
        export.course,
        class_list,
        export.folder,
    )
    return _report_pages(written)


def _write_mail(export: Export) -> Sequence[str]:
    """Write the students' pages, and a table of addresses.

    Leave out students without an address.
    """
    people = export.sync.dates.roster.names(export.results.students)
    addresses = export.sync.dates.policy.addresses
    written = write_mail(export.results, export.store, people, addresses, export.folder)
    return _report_pages(written)


def _report_pages(written: Written) -> Sequence[str]:
    """Print which pages were written and which were left out; return the lines about the latter."""
    warn(*written.left_out)
    click.echo(f"wrote {written.path}, with {count_of(written.count, 'page')}")
    return written.left_out


def _share_out(export: Export) -> Sequence[str]:
    """Write the tables for manual points, and print a line about each table.

    Each reader, an assistant who grades by hand, gets one table. The file `assistants` names the
    readers; without it, one table has all students. Raise UsageError if the file is invalid.
    """
    readers = read_readers(export.assistants) if export.assistants else ALONE
    section_of: dict[str, str] = {}
    # The late policy maps each section to its students; `share` needs each student's section.
    for name, section in export.sync.dates.policy.section.items():
        section_of |= dict.fromkeys(section.students, name)
    adjustments = read_adjustments(export.store.adjustments)
    lines = share(export.store, export.course, export.results, adjustments, readers, section_of)
    for line in lines:
        click.echo(line)
    return ()


_GRADEBOOK = Form(_fill_table, TABLE, frozenset({"--column", "--missing-as-zero", "--out"}))
FORMS: Mapping[str, Form] = {
    "csv": Form(_write_class_table, options=frozenset({"--anonymous", "--out"})),
    "canvas": _GRADEBOOK,
    "moodle": _GRADEBOOK,
    **dict.fromkeys(FORMATS, Form(_write_documents)),
    **dict.fromkeys(PLATFORMS, Form(_write_pages, ZIP)),
    "mail": Form(_write_mail),
    "manual": Form(_share_out, options=frozenset({"--for"})),
}
