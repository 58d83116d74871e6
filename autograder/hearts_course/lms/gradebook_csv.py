"""A stage's scores put into a column of a table.

Target    where they go: the column, its most points, the decimal mark that the table uses
Filled    the table, and what was done and not done, a line each
fill      both of these
fill_all  the same for every stage that has a column
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from hearts_course.course import Stage
from hearts_course.errors import UsageError
from hearts_course.lms.csv_table import CsvTable
from hearts_course.lms.marks import Scores, StageResults
from hearts_course.lms.roster_match import Person, find
from hearts_course.text import safe_line

PLACES = 2  # decimals
NUMBERED = re.compile(r"(.*?)\s*\(\d+\)")


@dataclass(frozen=True)
class Target:
    """A column; `most` is the points that it goes up to, None if the table does not say."""

    column: int
    most: float | None
    comma: bool = False


# What a table says of a column, and then of a row of it: where scores go, what must stay as it is.
TargetOf = Callable[[CsvTable, int], Target]
ClosedOf = Callable[[CsvTable, int], Callable[[int], str]]


@dataclass(frozen=True)
class FilledColumn:
    """The table with a stage's scores.

    `notes` say what was done to the table, `lost` which results have found no place.
    """

    sheet: CsvTable
    column: int
    count: int
    notes: tuple[str, ...]
    lost: tuple[str, ...]


def fill(
    sheet: CsvTable,
    people: Iterable[Person],
    target: Target,
    stage: Stage,
    scores: Scores,
    closed: Callable[[int], str] = lambda row: "",
) -> FilledColumn:
    """The table with the scores; `closed` says why a row must stay as it is, "" if it need not.

    A score is scaled where the column goes up to other points than the stage.
    """
    people = tuple(people)
    found = find(scores, people)
    lost, texts = list(found.lost), {}
    for student, row in found.rows.items():
        if why := closed(row):
            lost.append(f"{student}: row {row + 1} {why}")
        else:
            texts[row] = written(scores[student].score * _scale(target, stage), target.comma)
    others = _others(sheet, target, texts)
    without = len(people) - len(found.rows)
    notes = [
        _scaled(target, stage),
        f"{others} had another score there" if others else "",
        f"rows without a result: {without}" if without else "",
    ]
    filled = sheet.with_cells(target.column, texts)
    return FilledColumn(
        filled, target.column, len(texts), tuple(filter(None, notes)), tuple(sorted(lost))
    )


def _scale(target: Target, stage: Stage) -> float:
    return target.most / stage.most if target.most else 1.0


def _scaled(target: Target, stage: Stage) -> str:
    if _scale(target, stage) == 1.0:
        return ""
    return f"scaled from {stage.most} points to the table's {target.most:g}"


def _others(sheet: CsvTable, target: Target, texts: Mapping[int, str]) -> int:
    """How many rows had a score before, and a different one."""
    before = {row: number(sheet.cell(row, target.column)) for row in texts}
    return sum(b is not None and b != number(texts[row]) for row, b in before.items())


def written(score: float, comma: bool) -> str:
    """The score as a table has it."""
    text = f"{round(score, PLACES):.{PLACES}f}".rstrip("0").rstrip(".")
    return text.replace(".", ",") if comma else text


def number(text: str) -> float | None:
    """The number in a cell, whatever its decimal mark; None if there is none."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


def fill_all(
    sheet: CsvTable,
    people: Iterable[Person],
    columns: Iterable[int],
    marks: StageResults,
    named: Mapping[str, str],
    target_of: TargetOf,
    closed_of: ClosedOf = lambda sheet, column: lambda row: "",
) -> list[tuple[Stage, FilledColumn]]:
    """The table with each stage's scores, one stage after another; the last has all of them.

    `columns` take scores. A stage without one is left out; raises UsageError if all are.
    """
    people, columns = tuple(people), tuple(columns)
    done: list[tuple[Stage, FilledColumn]] = []
    for stage, scores in marks.stages.values():
        column = _choose(sheet, stage, columns, named)
        if column is not None:
            target, closed = target_of(sheet, column), closed_of(sheet, column)
            done.append((stage, fill(sheet, people, target, stage, scores, closed)))
            sheet = done[-1][1].sheet
    if not done:
        raise no_column(sheet, columns, (stage for stage, _ in marks.stages.values()))
    return done


def _choose(
    sheet: CsvTable, stage: Stage, columns: tuple[int, ...], named: Mapping[str, str]
) -> int | None:
    """Which of the columns is the stage's: the one `named`, or the one that is called like it.

    None if none is called so; raises UsageError if the one named is not there, or several are
    called so.
    """
    if stage.name in named:
        wanted = named[stage.name]
        hits = [i for i in columns if wanted in (sheet.header[i], _bare(sheet.header[i]))]
    else:
        hits = [i for i in columns if _is_called(sheet.header[i], stage)]
    if len(hits) == 1:
        return hits[0]
    if hits or stage.name in named:
        raise UsageError(
            f"{sheet.name}: {len(hits) or 'no'} columns for {_which(sheet, columns, stage)}"
        )
    return None


def no_column(sheet: CsvTable, columns: Iterable[int], stages: Iterable[Stage]) -> UsageError:
    """The fault that no column is any stage's."""
    first = next(iter(stages))
    return UsageError(f"{sheet.name}: no column for {_which(sheet, tuple(columns), first)}")


def _which(sheet: CsvTable, columns: tuple[int, ...], stage: Stage) -> str:
    there = ", ".join(safe_line(sheet.header[i], 60) for i in columns) or "none that takes points"
    return f"{stage.name}; say which, as in --column '{stage.name}=TITLE': {there}"


def _is_called(header: str, stage: Stage) -> bool:
    name, bare = stage.name.casefold(), _bare(header).casefold()
    return name in bare or bare.endswith(stage.title.casefold())


def _bare(header: str) -> str:
    """The column's title without the number that Canvas puts behind it."""
    numbered = NUMBERED.fullmatch(header.strip())
    return numbered[1] if numbered else header.strip()
