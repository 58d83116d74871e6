"""Scores filled into the table that an instructor downloaded from Canvas or Moodle.

Canvas's gradebook has a column for each assignment, and a student's ID in each row:

    Student,ID,SIS User ID,SIS Login ID,Section,Cards and decks (4711),...,Final Score
    ,,,,,Manual Posting,...                   (this row may be missing)
        Points Possible,,,,,20.00,...,(read only)
    "Lovelace, Ada",1201,s100,ada,A,16.25,...,81.25

Moodle's grading worksheet is for one assignment. Moodle's gradebook has a column for each
assignment. Moodle takes a table back only in the language in which it was downloaded:

    Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,...
    ID,"Vollständiger Name",E-Mail-Adresse,Status,Bewertung,Bestwertung,...
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hearts_course.course import Stage
from hearts_course.errors import UsageError
from hearts_course.results import Result, Status
from hearts_course.text import safe_line

from hearts_grader.lms.csv_table import CsvTable
from hearts_grader.lms.roster import POINTS, Roster, is_canvas, is_worksheet, people_of
from hearts_grader.lms.stage_results import StageResults, format_score

TITLE_AND_NUMBER = re.compile(r"(.*?)\s*\(\d+\)$")
# What Canvas shows in place of a score. Such a cell stays, because the instructor chose it.
EXCUSED = {"EX": "is excused in Canvas", "N/A": "is not assigned this in Canvas"}
IDENTITY = {
    *("student", "lastname", "firstname", "id", "sis user id", "sis login id", "integration id"),
    *("root account", "section"),
}
GRADES = ("grade", "bewertung")
MAXIMA = ("maximum grade", "bestwertung")
SCALES = ("scale", "skala")
CHANGEABLE = ("grade can be changed", "bewertung kann geändert werden")
NO = {"no", "nein"}


@dataclass(frozen=True)
class TableLayout:
    """The layout of a table: the person in each row, and the columns that can hold scores.

    `maximum` returns the text of a column's highest score, "" if unknown. `closed` returns why a
    cell (row, column) must not change, or "". In a table for `one_stage`, scores go into the column
    `grade`, which is None if no column has a known title.
    """

    roster: Roster
    columns: Sequence[int]
    maximum: Callable[[int], str] = lambda column: ""
    closed: Callable[[int, int], str] = lambda row, column: ""
    one_stage: bool = False
    grade: int | None = None


@dataclass(frozen=True)
class FilledColumn:
    """The table with a stage's scores in `count` rows, and a line for each unplaced result."""

    stage: Stage
    sheet: CsvTable
    column: int
    count: int
    notes: tuple[str, ...]
    unplaced: tuple[str, ...]


def fill(
    platform: str,
    sheet: CsvTable,
    results: StageResults,
    columns: Mapping[str, str],
    missing_as_zero: bool = False,
) -> list[FilledColumn]:
    """Return a table for each stage that was filled in; the last table has all scores.

    Each table also has the scores of the stages before. `columns` maps a stage to the title of its
    column. A stage without a column is left out. Raise UsageError if the table is not the
    platform's, or has no column for any stage.
    """
    layout = {"canvas": _canvas, "moodle": _moodle}[platform](sheet)
    if layout.one_stage and len(results.stages) != 1:
        stages = ", ".join(results.stages)
        raise UsageError(
            f"{sheet.name}: a worksheet is for one stage; choose it with --stage: {stages}"
        )
    done: list[FilledColumn] = []
    for stage, scores in results.stages.values():
        column = _column_for(stage, sheet, layout, columns.get(stage.name))
        if column is not None:
            done.append(_fill(stage, scores, sheet, layout, column, missing_as_zero))
            sheet = done[-1].sheet
    if not done:
        stage, _ = next(iter(results.stages.values()))
        raise UsageError(f"{sheet.name}: no column for {_which(stage, sheet, layout)}")
    return done


def _canvas(sheet: CsvTable) -> TableLayout:
    """Return the layout of Canvas's gradebook; raise UsageError for another table.

    A row without an ID is not a student's: it has the maximum points, or says how grades are
    posted. Columns that Canvas computes have `(read only)` in place of a maximum.
    """
    ids = sheet.column("id")
    firsts = [sheet.cell(row, 0).strip().casefold() for row in range(len(sheet.rows))]
    if not is_canvas(sheet) or POINTS not in firsts:
        raise UsageError(
            f"{sheet.name}: not a Canvas gradebook (no columns Student and ID, or no row"
            " Points Possible)"
        )
    points = firsts.index(POINTS)
    columns = []
    for column, title in enumerate(sheet.titles):
        if title not in IDENTITY and _number(sheet.cell(points, column)) is not None:
            columns.append(column)
    students = [person for person in people_of(sheet) if sheet.cell(person.row, ids).strip()]
    return TableLayout(
        Roster(students),
        columns,
        lambda column: sheet.cell(points, column),
        lambda row, column: EXCUSED.get(sheet.cell(row, column).strip().upper(), ""),
    )


def _moodle(sheet: CsvTable) -> TableLayout:
    """Return the layout of Moodle's gradebook or worksheet; raise UsageError for another table.

    Every row of a worksheet has the maximum grade, which is the same in all rows. A gradebook has
    no maximum grade, so the maximum stays unknown.
    """
    roster = Roster(people_of(sheet))
    columns = range(1, len(sheet.header))
    if not roster.people:
        raise UsageError(
            f"{sheet.name}: not a Moodle table (no participant number, no email address)"
        )
    if not is_worksheet(sheet):
        return TableLayout(roster, columns)
    maximum = sheet.column(*MAXIMA)
    changeable = sheet.column(*CHANGEABLE)
    if maximum is None:
        why = "graded by a scale; set the assignment to points in Moodle"
        if sheet.column(*SCALES) is None:
            why = "no column of maximum grades; name it, as in --column 'maximum=TITLE'"
        raise UsageError(f"{sheet.name}: {why}")
    most = _first_number(sheet, maximum)

    def closed(row: int, column: int) -> str:
        """Return why Moodle would refuse a change of the row; "" if it would not."""
        if sheet.cell(row, changeable).strip().casefold() in NO:
            return "may not be changed in Moodle"
        return ""

    return TableLayout(roster, columns, lambda column: most, closed, True, sheet.column(*GRADES))


def _first_number(sheet: CsvTable, column: int) -> str:
    """Return the text of the column's first cell that holds a number, "" if none does."""
    for row in range(1, len(sheet.rows)):
        text = sheet.cell(row, column)
        if _number(text) is not None:
            return text
    return ""


def _column_for(
    stage: Stage, sheet: CsvTable, layout: TableLayout, wanted: str | None
) -> int | None:
    """Return the column with the wanted title, or else the column that is meant for the stage.

    In a table for one stage, this is the column `grade`. In any other table, it is the column named
    after the stage. Return None if the table lacks the column. Raise UsageError if several columns
    fit, or if no column has the wanted title.
    """
    if not wanted and layout.one_stage:
        return layout.grade
    name = stage.name.casefold()
    end = stage.title.casefold()
    hits = []
    for column in layout.columns:
        title = sheet.header[column].strip().casefold()
        bare = TITLE_AND_NUMBER.sub(r"\1", title)  # Canvas adds a number to the title
        is_wanted = wanted and wanted.casefold() in (title, bare)
        is_named_after_stage = name in bare or bare.endswith(end)
        if is_wanted or (not wanted and is_named_after_stage):
            hits.append(column)
    if len(hits) > 1 or (wanted and not hits):
        stage_and_titles = _which(stage, sheet, layout)
        raise UsageError(f"{sheet.name}: {len(hits) or 'no'} columns for {stage_and_titles}")
    return hits[0] if hits else None


def _which(stage: Stage, sheet: CsvTable, layout: TableLayout) -> str:
    """Return the end of a message: how to name the stage's column, and the titles to choose from.

    Titles are cut short, because an instructor may write a whole sentence there.
    """
    titles = ", ".join(safe_line(sheet.header[column], 60) for column in layout.columns)
    example = f"--column '{stage.name}=TITLE'"
    return f"{stage.name}; name it, as in {example}: {titles or 'none that takes points'}"


def _fill(
    stage: Stage,
    scores: Mapping[str, Result],
    sheet: CsvTable,
    layout: TableLayout,
    column: int,
    missing_as_zero: bool,
) -> FilledColumn:
    """Fill in one column; scale scores if the column has another maximum than the stage.

    Scores get a decimal comma if a cell of the column has one already.
    """
    most = layout.maximum(column)
    old_cells = [sheet.cell(row, column) for row in range(1, len(sheet.rows))]
    comma = any("," in text for text in (most, *old_cells))
    # An instructor may have chosen other points for the assignment on the platform.
    scale = (_number(most) or stage.max_points) / stage.max_points
    rows, unplaced = layout.roster.match(scores)
    texts = {}
    missing = 0
    replaced = 0
    for student, row in rows.items():
        result = scores[student]
        if why := layout.closed(row, column):
            unplaced.append(f"{student}: row {row + 1} {why}")
        elif result.status is Status.MISSING and not result.score and not missing_as_zero:
            # A missing submission with manual points has a score, and its cell is filled in below.
            missing += 1
        else:
            text = format_score(result.score * scale)
            if comma:
                text = text.replace(".", ",")
            texts[row] = text
            # Somebody may have typed the old score in by hand, so a note counts replaced scores.
            old_score = _number(old_cells[row - 1])
            if old_score is not None and old_score != _number(text):
                replaced += 1
    without = len(layout.roster.people) - len(rows)
    of = stage.max_points
    notes = []
    if scale != 1:
        notes.append(f"scaled from {of} points to the table's {of * scale:g}")
    if replaced:
        notes.append(f"{replaced} had a different score, which was replaced")
    if missing:
        notes.append(f"nothing handed in: {missing}")
    if without:
        notes.append(f"rows without a result: {without}")
    filled = sheet.with_cells(column, texts)
    return FilledColumn(stage, filled, column, len(texts), tuple(notes), tuple(sorted(unplaced)))


def _number(text: str) -> float | None:
    """Return the number in a cell, with a point or a comma; None if it is not a number."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None
