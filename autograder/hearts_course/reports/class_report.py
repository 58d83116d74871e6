"""The class at a glance: computed, as a page, and as tables in which no cell is a formula."""

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from hearts_course.course import Course
from hearts_course.grading.misconceptions import load_patterns
from hearts_course.reports.class_stats import (
    RULES,
    AtRiskStudent,
    CheckStats,
    StageStats,
    at_risk,
    stage_stats,
    tenth,
)
from hearts_course.reports.html import page
from hearts_course.results import Result, Status
from hearts_course.text import safe_cell

NO_SANDBOX = "none"
MIN_PLOTTED = 5  # a plot of fewer says less than a look at the table
MAX_SHOWN = 20  # students who may need help, before the rest is folded away
Cell = str | int | float | None
Row = Sequence[Cell]
GRADES = (
    "student stage score max_score status "
    "raw_score manual_points late penalty attempt handed_in_by receipt"
)
COLUMNS = {
    "stages": "stage graded missing unreadable grader_error points mean median",
    "spread": "stage share students",
    "tasks": "stage task title points mean all some none",
    "objectives": "stage objective sentence tasks percent",
    "checks": "stage task check topic kind cases pass_percent tells remark",
    "misconceptions": "stage task misconception students exactly nearly",
    "help": "student stage sign why",
    "faults": "student stage message",
}


@dataclass(frozen=True)
class ClassReport:
    """All that the page and the tables show, stages in the course's order.

    `late` has the students, by stage, whose submission Canvas marks as late.
    """

    students: int
    stages: tuple[StageStats, ...]
    at_risk: tuple[AtRiskStudent, ...]
    grader_errors: tuple[Result, ...]
    sandboxes: tuple[str, ...]
    late: Mapping[str, tuple[str, ...]]


def class_report(
    results: Iterable[Result], course: Course, late: Collection[tuple[str, str]] = ()
) -> ClassReport:
    """Return the report; `late` has student and stage of submissions that Canvas marks as late."""
    ordered = sorted(results, key=lambda result: (result.student.casefold(), result.student))
    stages = []
    marked: dict[str, tuple[str, ...]] = {}
    for stage in course.stages:
        if here := [result for result in ordered if result.stage == stage.name]:
            stages.append(stage_stats(stage, here, load_patterns(stage)))
            if names := tuple(one.student for one in here if (one.student, one.stage) in late):
                marked[stage.name] = names
    return ClassReport(
        len({result.student for result in ordered}),
        tuple(stages),
        at_risk(ordered, [one.stage for one in stages]),
        tuple(result for result in ordered if result.status is Status.GRADER_ERROR),
        tuple(sorted({result.sandbox for result in ordered})),
        marked,
    )


def report_page(report: ClassReport) -> str:
    """Return the page."""
    return page(
        "report.html.j2",
        report=report,
        unsafe=NO_SANDBOX in report.sandboxes,
        min_plotted=MIN_PLOTTED,
        rules=RULES,
        max_shown=MAX_SHOWN,
        href=_href,
        tenth=tenth,
    )


def _href(student: str, stage: str) -> str:
    """Return the address of the student's page, seen from the report."""
    return f"feedback/{quote(student, safe='')}/{quote(stage, safe='')}.html"


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
    rows = (
        (
            *(one.student, one.stage, one.score, one.max_score, one.status),
            *(parts.raw, parts.manual, parts.late, parts.penalty, parts.attempt),
            *(parts.by, one.receipt),
        )
        for one in results
        for parts in [one.score_parts]
    )
    return as_csv(GRADES.split(), rows)


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
        "objectives": (
            (name, one.id, one.sentence, " ".join(t.id for t in one.tasks), round(one.share, 1))
            for name, stats in stages
            for one in stats.objectives
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
