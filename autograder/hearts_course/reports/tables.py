"""Tables for a spreadsheet, in which no cell is a formula.

as_csv         a table
class_tables   all that the report tells, by the name of its file
"""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hearts_course.text import safe_cell

if TYPE_CHECKING:
    from hearts_course.reports.class_report import ClassReport

Cell = str | int | float | None


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """The table; a text that a spreadsheet would take for a formula gets a quote before it."""
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(columns)
    for row in rows:
        table.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return buffer.getvalue()


def class_tables(report: "ClassReport") -> dict[str, str]:
    """The report's tables."""
    tables: dict[str, tuple[Sequence[str], Iterable[Sequence[Cell]]]] = {
        "stages.csv": (STAGES, _stages(report)),
        "spread.csv": (SPREAD, _spread(report)),
        "tasks.csv": (TASKS, _tasks(report)),
        "checks.csv": (CHECKS, _checks(report)),
        "misconceptions.csv": (SLIPS, _slips(report)),
        "help.csv": (NEEDS, _needs(report)),
        "faults.csv": (FAULTS, _faults(report)),
    }
    return {name: as_csv(columns, rows) for name, (columns, rows) in tables.items()}


STAGES = ("stage", "graded", "unreadable", "grader_error", "points", "mean", "median")
SPREAD = ("stage", "share", "students")
TASKS = ("stage", "task", "title", "points", "mean", "all", "some", "none")
CHECKS = ("stage", "task", "check", "topic", "kind", "cases", "pass_percent", "tells", "remark")
SLIPS = ("stage", "task", "misconception", "students", "exactly", "nearly")
NEEDS = ("student", "stage", "sign", "why")
FAULTS = ("student", "stage", "message")


def _stages(report: "ClassReport") -> Iterable[Sequence[Cell]]:
    for part in report.stages:
        one = part.numbers
        counts = one.counts.values()
        yield (one.stage.name, *counts, one.stage.most, round(one.mean, 2), round(one.median, 2))


def _spread(report: "ClassReport") -> Iterable[Sequence[Cell]]:
    for part in report.stages:
        for found in part.numbers.bins:
            yield part.numbers.stage.name, found.label, found.count


def _tasks(report: "ClassReport") -> Iterable[Sequence[Cell]]:
    for part in report.stages:
        for row in part.numbers.tasks:
            mean = round(row.mean, 2)
            counts = row.full, row.partly, row.nothing
            yield part.numbers.stage.name, row.id, row.title, row.most, mean, *counts


def _checks(report: "ClassReport") -> Iterable[Sequence[Cell]]:
    for part in report.stages:
        for task in part.numbers.tasks:
            for row in task.checks:
                kind = "hidden" if row.hidden else "visible"
                tells = None if row.tells is None else round(row.tells, 2)
                found = row.name, row.topic, kind, row.cases, round(row.share, 1), tells, row.remark
                yield part.numbers.stage.name, task.id, *found


def _slips(report: "ClassReport") -> Iterable[Sequence[Cell]]:
    for part in report.stages:
        for slip in part.slips:
            names = "; or: ".join(slip.names)
            who = "; ".join(slip.exactly), "; ".join(slip.nearly)  # a name may have a space in it
            yield part.numbers.stage.name, slip.task, names, slip.count, *who


def _needs(report: "ClassReport") -> Iterable[Sequence[Cell]]:
    for need in report.needs:
        for sign in need.signs:
            yield need.student, sign.stage, sign.kind, sign.words


def _faults(report: "ClassReport") -> Iterable[Sequence[Cell]]:
    for result in report.faults:
        yield result.student, result.stage, result.message
