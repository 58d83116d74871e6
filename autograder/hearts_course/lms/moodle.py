"""Moodle's tables: an assignment's grading worksheet, or the gradebook, in any language.

    Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,...
    ID,"Vollständiger Name",E-Mail-Adresse,Status,Bewertung,Bestwertung,...

The names of a worksheet's columns are in the language of whoever downloaded it, and Moodle takes it
back only in the same. So it is known by its first column, whose cells are a word and the number of
a participant: `Participant 123`, `Teilnehmer/in123`. A gradebook has a column for each assignment.
"""

from collections.abc import Callable, Mapping

from hearts_course.course import Stage
from hearts_course.errors import UsageError
from hearts_course.lms.csv_table import CsvTable
from hearts_course.lms.gradebook_csv import FilledColumn, Target, fill, fill_all, no_column, number
from hearts_course.lms.marks import StageResults
from hearts_course.lms.roster import is_worksheet, people_of

GRADES = ("grade", "bewertung", "note", "calificación", "valutazione", "cijfer", "nota")
MOST = ("maximum grade", "bestwertung", "note maximale", "calificación máxima")
SCALES = ("scale", "skala", "barème", "escala")
CHANGEABLE = ("grade can be changed", "bewertung kann geändert werden")
NO = {"no", "nein"}


def fill_moodle(
    sheet: CsvTable, marks: StageResults, named: Mapping[str, str]
) -> list[tuple[Stage, FilledColumn]]:
    """The table with the scores; a worksheet takes one stage, a gradebook each that has a column.

    Raises UsageError for what is no table of Moodle's, or if it has no place for the scores.
    """
    if is_worksheet(sheet):
        return [_fill_worksheet(sheet, marks, named)]
    return _fill_gradebook(sheet, marks, named)


def _fill_worksheet(
    sheet: CsvTable, marks: StageResults, named: Mapping[str, str]
) -> tuple[Stage, FilledColumn]:
    if len(marks.stages) != 1:
        there = ", ".join(marks.stages)
        raise UsageError(f"{sheet.name}: a worksheet is for one stage; say --stage, of {there}")
    ((stage, scores),) = marks.stages.values()
    wanted = named.get(stage.name)
    column = sheet.column(wanted.casefold()) if wanted else sheet.column(*GRADES)
    if column is None:
        raise no_column(sheet, range(1, len(sheet.header)), [stage])
    most = sheet.column(*MOST)
    if most is None and sheet.column(*SCALES) is not None:
        raise UsageError(f"{sheet.name}: graded by a scale; set the assignment to points in Moodle")
    target = _target(sheet, column, most)
    return stage, fill(sheet, people_of(sheet), target, stage, scores, _closed(sheet))


def _target(sheet: CsvTable, column: int, most: int | None) -> Target:
    """The highest grade stands in every row; as it is written, so are the others."""
    texts = [sheet.cell(row, most) for row in range(1, len(sheet.rows))]
    text = next((text for text in texts if number(text) is not None), "")
    return Target(column, number(text), "," in text)


def _closed(sheet: CsvTable) -> Callable[[int], str]:
    column = sheet.column(*CHANGEABLE)
    closed = "may not be changed in Moodle"
    return lambda row: closed if sheet.cell(row, column).strip().casefold() in NO else ""


def _fill_gradebook(
    sheet: CsvTable, marks: StageResults, named: Mapping[str, str]
) -> list[tuple[Stage, FilledColumn]]:
    people = people_of(sheet)
    if not people:
        raise UsageError(f"{sheet.name}: no table of Moodle's (neither participants nor addresses)")
    return fill_all(sheet, people, range(1, len(sheet.header)), marks, named, _target_in_gradebook)


def _target_in_gradebook(sheet: CsvTable, column: int) -> Target:
    """It does not say how many points a column goes up to."""
    comma = any("," in sheet.cell(row, column) for row in range(1, len(sheet.rows)))
    return Target(column, None, comma)
