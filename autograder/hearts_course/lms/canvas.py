"""Canvas's gradebook, as an instructor exports it: filled in, to be imported again.

    Student,ID,SIS User ID,SIS Login ID,Section,Cards and decks (4711),...,Final Score
    ,,,,,Manual Posting,...                   (not always)
        Points Possible,,,,,20.00,...,(read only)
    "Lovelace, Ada",1201,s100,ada,A,16.25,...,81.25

Canvas knows a student by the ID, and an assignment by the number in its title.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from hearts_course.course import Stage
from hearts_course.errors import UsageError
from hearts_course.lms.csv_table import CsvTable
from hearts_course.lms.gradebook_csv import FilledColumn, Target, fill_all, number
from hearts_course.lms.marks import StageResults
from hearts_course.lms.roster import POINTS, is_canvas, people_of

EXCUSED = {"EX": "is excused in Canvas", "N/A": "is not assigned this in Canvas"}
IDENTITY = {
    *("student", "lastname", "firstname", "id", "sis user id", "sis login id", "integration id"),
    *("root account", "section"),
}


def fill_canvas(
    sheet: CsvTable, marks: StageResults, named: Mapping[str, str]
) -> list[tuple[Stage, FilledColumn]]:
    """The gradebook with each stage's scores, one stage after another; the last has all of them.

    A stage without a column is left out. Raises UsageError for what is no gradebook of Canvas's, or
    if no stage has a column.
    """
    number_column = sheet.column("id")
    if number_column is None or not is_canvas(sheet):
        raise UsageError(f"{sheet.name}: no gradebook of Canvas's (no columns Student and ID)")
    points = _points_row(sheet, number_column)
    people = [p for p in people_of(sheet) if sheet.cell(p.row, number_column).strip()]
    columns = _assignments(sheet, points)
    return fill_all(sheet, people, columns, marks, named, partial(_target, points=points), _closed)


def _points_row(sheet: CsvTable, number_column: int) -> int | None:
    """Where it says how many points each assignment has; students' rows have an ID."""
    rows = (i for i in range(1, len(sheet.rows)) if not sheet.cell(i, number_column).strip())
    return next((i for i in rows if sheet.cell(i, 0).strip().casefold() == POINTS), None)


def _assignments(sheet: CsvTable, points: int | None) -> Sequence[int]:
    """The columns that take scores: neither who a student is, nor what Canvas computes itself."""
    if points is None:
        return [i for i, title in enumerate(sheet.header) if title.rstrip().endswith(")")]
    return [
        i
        for i, title in enumerate(sheet.header)
        if title.strip().casefold() not in IDENTITY and number(sheet.cell(points, i)) is not None
    ]


def _target(sheet: CsvTable, column: int, *, points: int | None) -> Target:
    text = sheet.cell(points, column) if points is not None else ""
    return Target(column, number(text), "," in text)


def _closed(sheet: CsvTable, column: int) -> Callable[[int], str]:
    return lambda row: EXCUSED.get(sheet.cell(row, column).strip().upper(), "")
