"""Tables for a spreadsheet, in which no cell is a formula."""

import csv
import io
from collections.abc import Iterable, Sequence

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
    stages = [(stats.stage.name, stats) for stats in report.stages]
    tasks = [(name, task) for name, stats in stages for task in stats.tasks]
    return {
        "stages.csv": as_csv(
            (
                "stage",
                "graded",
                "missing",
                "unreadable",
                "grader_error",
                "points",
                "mean",
                "median",
            ),
            (
                (
                    name,
                    *one.counts.values(),
                    one.stage.most,
                    round(one.mean, 2),
                    round(one.median, 2),
                )
                for name, one in stages
            ),
        ),
        "spread.csv": as_csv(
            ("stage", "share", "students"),
            ((name, one.label, one.count) for name, stats in stages for one in stats.bins),
        ),
        "tasks.csv": as_csv(
            ("stage", "task", "title", "points", "mean", "all", "some", "none"),
            (
                (name, one.id, one.title, one.max_score, round(one.mean, 2), *one.counts)
                for name, one in tasks
            ),
        ),
        "checks.csv": as_csv(
            ("stage", "task", "check", "topic", "kind", "cases", "pass_percent", "tells", "remark"),
            (
                (
                    *(name, task.id, one.name, one.topic, "hidden" if one.hidden else "visible"),
                    *(one.cases, round(one.share, 1)),
                    *(None if one.tells is None else round(one.tells, 2), one.remark),
                )
                for name, task in tasks
                for one in task.checks
            ),
        ),
        "misconceptions.csv": as_csv(  # names may have spaces
            ("stage", "task", "misconception", "students", "exactly", "nearly"),
            (
                (
                    *(name, one.task, "; or: ".join(one.names), one.count),
                    *("; ".join(one.exactly), "; ".join(one.nearly)),
                )
                for name, stats in stages
                for one in stats.misconceptions
            ),
        ),
        "help.csv": as_csv(
            ("student", "stage", "sign", "why"),
            (
                (one.student, sign.stage, sign.kind, sign.words)
                for one in report.at_risk
                for sign in one.signs
            ),
        ),
        "faults.csv": as_csv(
            ("student", "stage", "message"),
            ((one.student, one.stage, one.message) for one in report.grader_errors),
        ),
    }
