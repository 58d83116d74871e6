"""The class at a glance: computed, as pages, and as tables in which no cell is a formula."""

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib.metadata import version
from urllib.parse import quote

from hearts_course.course import Course
from hearts_course.misconceptions import load_patterns
from hearts_course.reports.html import page
from hearts_course.results import Result, Status
from hearts_course.text import safe_cell

from hearts_grader.grading.store import Store
from hearts_grader.reports import TEMPLATES
from hearts_grader.reports.class_stats import (
    RULES,
    AtRiskStudent,
    CheckStats,
    StageStats,
    StudentRow,
    at_risk,
    by_name,
    stage_stats,
    student_rows,
    tenth,
)

NO_SANDBOX = "none"
MIN_PLOTTED = 5  # a plot of fewer says less than a look at the table
MAX_SHOWN = 20  # students who may need help, before the rest is folded away
MAX_GROUPS = 12  # of a stage that fail alike, before the rest is folded away
MAX_ON_ONE_PAGE = 40  # students, before each stage gets a page for itself
Cell = str | int | float | None
Row = Sequence[Cell]
GRADES = (
    "student stage score max_score status "
    "raw_score manual_points late penalty attempt handed_in_by receipt"
)
COLUMNS = {
    "unreadable": "student address stage message",
    "stages": "stage graded missing unreadable grader_error points mean median",
    "spread": "stage share students",
    "tasks": "stage task title points mean all some none",
    "objectives": "stage objective sentence tasks percent",
    "checks": "stage task check topic kind cases pass_percent tells remark",
    "misconceptions": "stage task misconception students who",
    "groups": "stage task group students known_mistakes new_mistake topics who",
    "help": "student stage sign why",
    "faults": "student stage message",
}


@dataclass(frozen=True)
class About:
    """What a report says beside the results.

    `waiting` is how many submissions have none yet, and `last` when the last of them was graded.
    `late` has student and stage of submissions that Canvas marks as late.
    """

    course: str = "Hearts"
    waiting: int = 0
    addresses: Mapping[str, str] = field(default_factory=dict)
    late: Collection[tuple[str, str]] = ()
    last: datetime | None = None


NOTHING_KNOWN = About()


@dataclass(frozen=True)
class ClassReport:
    """All that the pages and the tables show, stages in the course's order.

    `late` has the students, by stage, whose submission Canvas marks as late.
    """

    about: About
    students: tuple[StudentRow, ...]
    stages: tuple[StageStats, ...]
    at_risk: tuple[AtRiskStudent, ...]
    unreadable: tuple[Result, ...]
    grader_errors: tuple[Result, ...]
    sandboxes: tuple[str, ...]
    pythons: tuple[str, ...]
    late: Mapping[str, tuple[str, ...]]

    @property
    def is_large(self) -> bool:
        """Whether each stage has a page for itself."""
        return len(self.students) > MAX_ON_ONE_PAGE

    @property
    def to_write(self) -> str:
        """The addresses of students whose work could not be read; their names where unknown."""
        names = dict.fromkeys(result.student for result in self.unreadable)
        return ", ".join(self.about.addresses.get(name, name) for name in names)


def class_report(
    results: Iterable[Result], course: Course, about: About = NOTHING_KNOWN
) -> ClassReport:
    """Return the report of the results."""
    ordered = sorted(results, key=lambda result: by_name(result.student))
    stages = []
    marked: dict[str, tuple[str, ...]] = {}
    for stage in course.stages:
        if here := [result for result in ordered if result.stage == stage.name]:
            stages.append(stage_stats(stage, here, load_patterns(stage)))
            late = [result.student for result in here if (result.student, stage.name) in about.late]
            if late:
                marked[stage.name] = tuple(late)
    return ClassReport(
        about,
        student_rows(stages),
        tuple(stages),
        at_risk(ordered, [stats.stage for stats in stages]),
        tuple(result for result in ordered if result.status is Status.UNREADABLE),
        tuple(result for result in ordered if result.status is Status.GRADER_ERROR),
        tuple(sorted({result.sandbox for result in ordered})),
        tuple(sorted({result.python for result in ordered} - {""})),
        marked,
    )


def write_report(
    store: Store, results: Sequence[Result], course: Course, about: About
) -> ClassReport:
    """Write grades, report and tables into the store; return the report. Raise CourseError."""
    report = class_report(results, course, replace(about, last=store.last_graded()))
    tables = {**class_tables(report), **stage_pages(report)}
    store.write_report(grades_csv(results), report_page(report), tables)
    return report


def report_page(report: ClassReport) -> str:
    """Return the page of the class; for a large one it links to the pages of the stages."""
    return _page("report.html.j2", report, "", rules=RULES, max_shown=MAX_SHOWN)


def stage_pages(report: ClassReport) -> dict[str, str]:
    """Return a page for each stage of a large class, by file name; none for others."""
    return {
        f"{stats.stage.name}.html": _page("stage.html.j2", report, "../", s=stats)
        for stats in report.stages
        if report.is_large
    }


def _page(template: str, report: ClassReport, up: str, **values: object) -> str:
    """Return a page of the report; `up` leads from its folder to that of `report.html`."""

    def href(student: str, stage: str) -> str:
        return f"{up}feedback/{quote(student, safe='')}/{quote(stage, safe='')}.html"

    return page(
        template,
        script="sort_and_filter.js",
        folder=TEMPLATES,
        report=report,
        version=version("hearts-course"),
        unsafe=NO_SANDBOX in report.sandboxes,
        min_plotted=MIN_PLOTTED,
        max_groups=MAX_GROUPS,
        href=href,
        tenth=tenth,
        **values,
    )


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
            *(result.student, result.stage, result.score, result.max_score, result.status),
            *(parts.raw, parts.manual, parts.late, parts.penalty, parts.attempt),
            *(parts.by, result.receipt),
        )
        for result in results
        for parts in [result.score_parts]
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
                *stats.counts.values(),
                stats.stage.max_points,
                round(stats.mean, 2),
                round(stats.median, 2),
            )
            for name, stats in stages
        ),
        "spread": ((name, bin_.label, bin_.count) for name, stats in stages for bin_ in stats.bins),
        "tasks": (
            (name, task.id, task.title, task.max_score, round(task.mean, 2), *task.counts)
            for name, task in tasks
        ),
        "objectives": (
            (
                *(name, objective.id, objective.sentence),
                *(" ".join(task.id for task in objective.tasks), round(objective.share, 1)),
            )
            for name, stats in stages
            for objective in stats.objectives
        ),
        "checks": (
            (name, task.id, *_check(check)) for name, task in tasks for check in task.checks
        ),
        "misconceptions": (
            (
                *(name, mistake.task, "; or: ".join(mistake.names), len(mistake.students)),
                "; ".join(mistake.students),  # names may have spaces
            )
            for name, stats in stages
            for mistake in stats.misconceptions
        ),
        "groups": (
            (
                *(name, group.task, group.id, len(group.students), "; or: ".join(group.mistakes)),
                "worth a chaff" if group.is_offered else "",
                "; ".join(group.topics),
                "; ".join(group.students),
            )
            for name, stats in stages
            for group in stats.groups
        ),
        "unreadable": (
            (
                result.student,
                report.about.addresses.get(result.student, ""),
                result.stage,
                result.message,
            )
            for result in report.unreadable
        ),
        "help": (
            (student.student, sign.stage, sign.kind, sign.words)
            for student in report.at_risk
            for sign in student.signs
        ),
        "faults": (
            (result.student, result.stage, result.message) for result in report.grader_errors
        ),
    }
    tables = {f"{name}.csv": as_csv(COLUMNS[name].split(), rows[name]) for name in COLUMNS}
    return {"students.csv": _students(report), **tables}


def _students(report: ClassReport) -> str:
    """Return a row for each student: the score in each stage, the sum, and what is to be said."""
    columns = ["student", *(stats.stage.name for stats in report.stages), "sum", "late", "mistakes"]
    rows = (
        (
            row.student,
            *(cell.result.score if cell else None for cell in row.cells),
            *(row.score, row.late, "; ".join(row.mistakes)),
        )
        for row in report.students
    )
    return as_csv(columns, rows)


def _check(check: CheckStats) -> Row:
    kind = "hidden" if check.hidden else "visible"
    tells = None if check.tells is None else round(check.tells, 2)
    return check.name, check.topic, kind, check.cases, round(check.share, 1), tells, check.remark
