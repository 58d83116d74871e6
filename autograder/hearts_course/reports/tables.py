"""Tables for a spreadsheet, in which no cell is a formula."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from hearts_course.reports.class_report import ClassReport
from hearts_course.results import Result
from hearts_course.text import safe_cell

Cell = str | int | float | None
Row = Sequence[Cell]


def as_csv(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Return the table; a text that a spreadsheet would take for a formula gets a quote first."""
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(columns)
    for row in rows:
        table.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return buffer.getvalue()


def grades_csv(results: Iterable[Result]) -> str:
    """Return the class as a table, a row for each result."""
    columns = ("student", "stage", "score", "max_score", "status")
    rows = ((one.student, one.stage, one.score, one.max_score, one.status) for one in results)
    return as_csv(columns, rows)


def class_tables(report: ClassReport) -> dict[str, str]:
    """Return all that the report shows, by the names of the tables' files."""
    return {
        f"{name}.csv": as_csv(columns, rows(report)) for name, (columns, rows) in TABLES.items()
    }


def _stages(report: ClassReport) -> Iterator[Row]:
    for stats in report.stages:
        mean, median = round(stats.mean, 2), round(stats.median, 2)
        yield stats.stage.name, *stats.counts.values(), stats.stage.most, mean, median


def _spread(report: ClassReport) -> Iterator[Row]:
    for stats in report.stages:
        for one in stats.bins:
            yield stats.stage.name, one.label, one.count


def _tasks(report: ClassReport) -> Iterator[Row]:
    for stats in report.stages:
        for row in stats.tasks:
            counts = row.full, row.partly, row.nothing
            mean = round(row.mean, 2)
            yield stats.stage.name, row.id, row.title, row.max_score, mean, *counts


def _checks(report: ClassReport) -> Iterator[Row]:
    for stats in report.stages:
        for task in stats.tasks:
            for row in task.checks:
                kind = "hidden" if row.hidden else "visible"
                tells = None if row.tells is None else round(row.tells, 2)
                found = row.name, row.topic, kind, row.cases, round(row.share, 1), tells, row.remark
                yield stats.stage.name, task.id, *found


def _misconceptions(report: ClassReport) -> Iterator[Row]:
    for stats in report.stages:
        for one in stats.misconceptions:
            names = "; or: ".join(one.names)
            students = "; ".join(one.exactly), "; ".join(one.nearly)  # names may have spaces
            yield stats.stage.name, one.task, names, one.count, *students


def _at_risk(report: ClassReport) -> Iterator[Row]:
    for one in report.at_risk:
        for sign in one.signs:
            yield one.student, sign.stage, sign.kind, sign.words


def _grader_errors(report: ClassReport) -> Iterator[Row]:
    for result in report.grader_errors:
        yield result.student, result.stage, result.message


TABLES = {
    "stages": (
        ("stage", "graded", "missing", "unreadable", "grader_error", "points", "mean", "median"),
        _stages,
    ),
    "spread": (("stage", "share", "students"), _spread),
    "tasks": (("stage", "task", "title", "points", "mean", "all", "some", "none"), _tasks),
    "checks": (
        ("stage", "task", "check", "topic", "kind", "cases", "pass_percent", "tells", "remark"),
        _checks,
    ),
    "misconceptions": (
        ("stage", "task", "misconception", "students", "exactly", "nearly"),
        _misconceptions,
    ),
    "help": (("student", "stage", "sign", "why"), _at_risk),
    "faults": (("student", "stage", "message"), _grader_errors),
}
