"""Tables for a spreadsheet, in which no cell is a formula."""

import csv
import io
from collections.abc import Iterable, Sequence

from hearts_course.reports.class_report import ClassReport
from hearts_course.reports.class_stats import CheckStats
from hearts_course.results import Result
from hearts_course.text import safe_cell

Cell = str | int | float | None
Row = Sequence[Cell]
COLUMNS = {
    "stages": "stage graded missing unreadable grader_error points mean median",
    "spread": "stage share students",
    "tasks": "stage task title points mean all some none",
    "checks": "stage task check topic kind cases pass_percent tells remark",
    "misconceptions": "stage task misconception students exactly nearly",
    "help": "student stage sign why",
    "faults": "student stage message",
}


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
    stages = [(stats.stage.name, stats) for stats in report.stages]
    tasks = [(name, task) for name, stats in stages for task in stats.tasks]
    rows: dict[str, Iterable[Row]] = {
        "stages": (
            (
                name,
                *one.counts.values(),
                one.stage.max_points,
                round(one.mean, 2),
                round(one.median, 2),
            )
            for name, one in stages
        ),
        "spread": ((name, one.label, one.count) for name, stats in stages for one in stats.bins),
        "tasks": (
            (name, one.id, one.title, one.max_score, round(one.mean, 2), *one.counts)
            for name, one in tasks
        ),
        "checks": ((name, task.id, *_check(one)) for name, task in tasks for one in task.checks),
        "misconceptions": (
            (
                *(name, one.task, "; or: ".join(one.names), one.count),
                *("; ".join(one.exactly), "; ".join(one.nearly)),  # names may have spaces
            )
            for name, stats in stages
            for one in stats.misconceptions
        ),
        "help": (
            (one.student, sign.stage, sign.kind, sign.words)
            for one in report.at_risk
            for sign in one.signs
        ),
        "faults": ((one.student, one.stage, one.message) for one in report.grader_errors),
    }
    return {f"{name}.csv": as_csv(COLUMNS[name].split(), rows[name]) for name in COLUMNS}


def _check(one: CheckStats) -> Row:
    kind = "hidden" if one.hidden else "visible"
    tells = None if one.tells is None else round(one.tells, 2)
    return one.name, one.topic, kind, one.cases, round(one.share, 1), tells, one.remark
