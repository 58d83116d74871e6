"""Scores filled into the table that an instructor downloaded from Canvas or Moodle.

Canvas's gradebook has a column for each assignment, and a student's ID in each row:

    Student,ID,SIS User ID,SIS Login ID,Section,Cards and decks (4711),...,Final Score
    ,,,,,Manual Posting,...                   (not always)
        Points Possible,,,,,20.00,...,(read only)
    "Lovelace, Ada",1201,s100,ada,A,16.25,...,81.25

Moodle's grading worksheet is for one assignment, its gradebook has a column for each. Moodle takes
a table back only in the language in which it was downloaded:

    Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,...
    ID,"Vollständiger Name",E-Mail-Adresse,Status,Bewertung,Bestwertung,...
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hearts_course.course import Stage
from hearts_course.errors import UsageError
from hearts_course.lms.csv_table import CsvTable
from hearts_course.lms.roster import POINTS, Roster, is_canvas, is_worksheet, people_of
from hearts_course.lms.stage_results import StageResults, format_score
from hearts_course.results import Result, Status
from hearts_course.text import safe_line

TITLE_AND_NUMBER = re.compile(r"(.*?)\s*\(\d+\)")
EXCUSED = {"EX": "is excused in Canvas", "N/A": "is not assigned this in Canvas"}
IDENTITY = {
    *("student", "lastname", "firstname", "id", "sis user id", "sis login id", "integration id"),
    *("root account", "section"),
}
GRADES = ("grade", "bewertung")
MAXIMUM = "maximum grade"
MAXIMA = (MAXIMUM, "bestwertung")
SCALES = ("scale", "skala")
CHANGEABLE = ("grade can be changed", "bewertung kann geändert werden")
NO = {"no", "nein"}


@dataclass(frozen=True)
class Choices:
    """What the instructor said: titles of columns by stage, and whether missing counts as 0."""

    columns: Mapping[str, str] = field(default_factory=dict)
    missing_as_zero: bool = False


@dataclass(frozen=True)
class Target:
    """A column for scores.

    `most` is the points that it goes up to, None if the table does not say. `closed` says why a
    row must stay as it is, "" if it need not.
    """

    column: int
    most: float | None
    comma: bool = False
    closed: Callable[[int], str] = lambda row: ""


@dataclass(frozen=True)
class FilledColumn:
    """The table with a stage's scores in `count` rows; `unplaced` has a line for each other result.

    `notes` say what else happened.
    """

    stage: Stage
    sheet: CsvTable
    column: int
    count: int
    notes: tuple[str, ...]
    unplaced: tuple[str, ...]


def fill_canvas(sheet: CsvTable, results: StageResults, choices: Choices) -> list[FilledColumn]:
    """Fill in Canvas's gradebook, one stage after another; the last table has all scores.

    A stage without a column is left out. Raise UsageError if the table is not a gradebook of
    Canvas's, or no stage has a column.
    """
    ids = sheet.column("id")
    if not is_canvas(sheet):
        raise UsageError(f"{sheet.name}: not a gradebook of Canvas's (no columns Student and ID)")
    rows_without_id = (i for i in range(1, len(sheet.rows)) if not sheet.cell(i, ids).strip())
    points = next(
        (i for i in rows_without_id if sheet.cell(i, 0).strip().casefold() == POINTS), None
    )

    def target(sheet: CsvTable, column: int) -> Target:
        def closed(row: int) -> str:
            return EXCUSED.get(sheet.cell(row, column).strip().upper(), "")

        text = sheet.cell(points, column) if points is not None else ""
        return Target(column, _number(text), "," in text, closed)

    roster = Roster(p for p in people_of(sheet) if sheet.cell(p.row, ids).strip())
    return _fill_all(sheet, roster, _canvas_columns(sheet, points), results, choices, target)


def _canvas_columns(sheet: CsvTable, points: int | None) -> Sequence[int]:
    """Return the columns of assignments, without those that Canvas computes itself."""
    if points is None:
        return [i for i, title in enumerate(sheet.header) if title.rstrip().endswith(")")]
    return [
        i
        for i, title in enumerate(sheet.titles)
        if title not in IDENTITY and _number(sheet.cell(points, i)) is not None
    ]


def fill_moodle(sheet: CsvTable, results: StageResults, choices: Choices) -> list[FilledColumn]:
    """Fill in Moodle's table: a worksheet for one stage, a gradebook for each with a column.

    Raise UsageError if the table is not one of Moodle's, or has no place for the scores.
    """
    if is_worksheet(sheet):
        return [_fill_worksheet(sheet, results, choices)]
    people = people_of(sheet)
    if not people:
        raise UsageError(
            f"{sheet.name}: not a table of Moodle's (neither participants nor addresses)"
        )

    def target(sheet: CsvTable, column: int) -> Target:  # a gradebook does not say the most points
        comma = any("," in sheet.cell(row, column) for row in range(1, len(sheet.rows)))
        return Target(column, None, comma)

    columns = range(1, len(sheet.header))
    return _fill_all(sheet, Roster(people), columns, results, choices, target)


def _fill_worksheet(sheet: CsvTable, results: StageResults, choices: Choices) -> FilledColumn:
    if len(results.stages) != 1:
        there = ", ".join(results.stages)
        raise UsageError(f"{sheet.name}: a worksheet is for one stage; say --stage, of {there}")
    ((stage, scores),) = results.stages.values()
    title = choices.columns.get(stage.name)
    column = sheet.column(title.casefold()) if title else sheet.column(*GRADES)
    if column is None:
        raise _no_column(sheet, range(1, len(sheet.header)), [stage])
    maximum, changeable = sheet.column(*MAXIMA), sheet.column(*CHANGEABLE)
    if maximum is None and sheet.column(*SCALES) is not None:
        raise UsageError(f"{sheet.name}: graded by a scale; set the assignment to points in Moodle")
    if maximum is None:
        raise UsageError(
            f"{sheet.name}: no column of maximum grades; say which, as in --column 'maximum=TITLE'"
        )

    def closed(row: int) -> str:
        is_closed = sheet.cell(row, changeable).strip().casefold() in NO
        return "may not be changed in Moodle" if is_closed else ""

    texts = (sheet.cell(row, maximum) for row in range(1, len(sheet.rows)))
    text = next((text for text in texts if _number(text) is not None), "")
    target = Target(column, _number(text), "," in text, closed)
    return _fill(sheet, Roster(people_of(sheet)), target, stage, scores, choices)


def _fill_all(
    sheet: CsvTable,
    roster: Roster,
    columns: Sequence[int],
    results: StageResults,
    choices: Choices,
    target_in: Callable[[CsvTable, int], Target],
) -> list[FilledColumn]:
    done: list[FilledColumn] = []
    for stage, scores in results.stages.values():
        column = _choose(sheet, stage, columns, choices.columns.get(stage.name))
        if column is not None:
            done.append(_fill(sheet, roster, target_in(sheet, column), stage, scores, choices))
            sheet = done[-1].sheet
    if not done:
        raise _no_column(sheet, columns, (stage for stage, _ in results.stages.values()))
    return done


def _fill(
    sheet: CsvTable,
    roster: Roster,
    target: Target,
    stage: Stage,
    scores: Mapping[str, Result],
    choices: Choices,
) -> FilledColumn:
    """Fill in one column; scores are scaled if it goes up to other points than the stage."""
    found = roster.match(scores)
    scale = target.most / stage.most if target.most else 1.0
    unplaced, texts, missing = list(found.unplaced), {}, 0
    for student, row in found.rows.items():
        result = scores[student]
        if why := target.closed(row):
            unplaced.append(f"{student}: row {row + 1} {why}")
        elif _is_missing(result) and not choices.missing_as_zero:
            missing += 1
        else:
            text = format_score(result.score * scale)
            texts[row] = text.replace(".", ",") if target.comma else text
    before = {row: _number(sheet.cell(row, target.column)) for row in texts}
    others = sum(b is not None and b != _number(texts[row]) for row, b in before.items())
    without = len(roster.people) - len(found.rows)
    notes = {
        f"scaled from {stage.most} points to the table's {target.most or 0:g}": scale != 1.0,
        f"{others} had another score there": others,
        f"handed in nothing: {missing}, left as they were": missing,
        f"rows without a result: {without}": without,
    }
    return FilledColumn(
        stage,
        sheet.with_cells(target.column, texts),
        target.column,
        len(texts),
        tuple(note for note, holds in notes.items() if holds),
        tuple(sorted(unplaced)),
    )


def _is_missing(result: Result) -> bool:
    return result.status is Status.MISSING and not result.score  # a person may have given points


def _number(text: str) -> float | None:
    """Return the number in a cell, whatever its decimal mark; None if there is none."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


def _choose(
    sheet: CsvTable, stage: Stage, columns: Sequence[int], wanted: str | None
) -> int | None:
    """Return the column with the wanted title, or else the one that is called like the stage.

    Return None if none is called so; raise UsageError if the wanted one does not exist, or there
    are several.
    """
    bare = {i: _without_number(sheet.header[i]) for i in columns}
    if wanted:
        hits = [i for i in columns if wanted in (sheet.header[i], bare[i])]
    else:
        name, end = stage.name.casefold(), stage.title.casefold()
        folded = {i: title.casefold() for i, title in bare.items()}
        hits = [i for i in columns if name in folded[i] or folded[i].endswith(end)]
    if len(hits) == 1:
        return hits[0]
    if hits or wanted:
        raise UsageError(
            f"{sheet.name}: {len(hits) or 'no'} columns for {_which(sheet, columns, stage)}"
        )
    return None


def _no_column(sheet: CsvTable, columns: Sequence[int], stages: Iterable[Stage]) -> UsageError:
    first = next(iter(stages))
    return UsageError(f"{sheet.name}: no column for {_which(sheet, columns, first)}")


def _which(sheet: CsvTable, columns: Sequence[int], stage: Stage) -> str:
    there = ", ".join(safe_line(sheet.header[i], 60) for i in columns) or "none that takes points"
    return f"{stage.name}; say which, as in --column '{stage.name}=TITLE': {there}"


def _without_number(title: str) -> str:
    """Return the title without the number that Canvas puts behind it."""
    numbered = TITLE_AND_NUMBER.fullmatch(title.strip())
    return numbered[1] if numbered else title.strip()
