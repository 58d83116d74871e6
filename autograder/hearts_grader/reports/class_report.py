"""Compute the report of a class, as pages and as tables in which no cell is a formula.

Pages and tables are made from one `ClassReport`, so that they cannot contradict each other.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib.metadata import version
from urllib.parse import quote

from hearts_course.course import Course
from hearts_course.misconceptions import load_patterns
from hearts_course.reports.html import page
from hearts_course.results import Result, Status

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
from hearts_grader.safe_csv import Cell, as_csv

NO_SANDBOX = "none"  # the report warns of results without a sandbox
MIN_PLOTTED = 5  # fewer results are easier to read in the table than in a plot
MAX_SHOWN = 20  # at-risk students who are shown at once; the others are folded away
MAX_GROUPS = 12  # groups of a stage that are shown at once; the others are folded away
MAX_ON_ONE_PAGE = 40  # with more students, each stage gets its own page
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

    `waiting` is the number of submissions that have no result yet. `last` is the time at which the
    last result was written. `late` has student and stage of submissions that Canvas marks as late.
    """

    course: str = "Hearts"
    waiting: int = 0
    addresses: Mapping[str, str] = field(default_factory=dict)
    late: Collection[tuple[str, str]] = ()
    last: datetime | None = None


NOTHING_KNOWN = About()


@dataclass(frozen=True)
class ClassReport:
    """All that the pages and the tables show, with the stages in the course's order.

    `late` maps a stage to the students whose submissions Canvas marks as late.
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
        """Whether each stage gets its own page."""
        return len(self.students) > MAX_ON_ONE_PAGE

    @property
    def to_write(self) -> str:
        """The addresses of students whose work could not be read.

        If a student's address is not known, the student's name takes its place.
        """
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
        here = [result for result in ordered if result.stage == stage.name]
        if here:
            stages.append(stage_stats(stage, here, load_patterns(stage)))
        for result in here:
            if (result.student, stage.name) in about.late:
                marked[stage.name] = (*marked.get(stage.name, ()), result.student)
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
    """Write grades, report and tables into the store, and return the report.

    Raise CourseError if a file cannot be written.
    """
    report = class_report(results, course, replace(about, last=store.results.last_written()))
    tables = {**class_tables(report), **stage_pages(report)}
    store.write_report(grades_csv(results), report_page(report), tables)
    return report


def report_page(report: ClassReport) -> str:
    """Return the page of the class; for a large class it links to the pages of the stages."""
    return _page("report.html.j2", report, "", rules=RULES, max_shown=MAX_SHOWN)


def stage_pages(report: ClassReport) -> dict[str, str]:
    """Map the file name of each stage's page to the page; a small class has no such pages."""
    pages = {}
    if report.is_large:
        for stats in report.stages:
            pages[f"{stats.stage.name}.html"] = _page("stage.html.j2", report, "../", s=stats)
    return pages


def _page(template: str, report: ClassReport, up: str, **values: object) -> str:
    """Return a page of the report; `up` leads from its folder to the folder of `report.html`."""

    def href(student: str, stage: str) -> str:
        """Return the path of a student's page, quoted, because a name may have any characters."""
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


def grades_csv(results: Iterable[Result]) -> str:
    """Return the class's results as a CSV text, with a row for each result."""
    rows: list[Row] = []
    for result in results:
        parts = result.score_parts
        name = result.student, result.stage
        score = result.score, result.max_score, result.status
        made_of = parts.raw, parts.manual, parts.late, parts.penalty
        hand_in = parts.attempt, parts.by, result.receipt
        rows.append((*name, *score, *made_of, *hand_in))
    return as_csv([GRADES.split(), *rows])


def class_tables(report: ClassReport) -> dict[str, str]:
    """Map the file names of the report's tables to the tables as CSV texts."""
    tables = {"students.csv": _students(report)}
    for name, columns in COLUMNS.items():
        tables[f"{name}.csv"] = as_csv([columns.split(), *ROWS[name](report)])
    return tables


def _students(report: ClassReport) -> str:
    """Return a CSV text with a row for each student: scores, their sum, late stages, mistakes.

    A stage in which a student has no result is an empty cell, which a spreadsheet does not count as
    0.
    """
    stages = [stats.stage.name for stats in report.stages]
    rows: list[Row] = []
    for row in report.students:
        scores = [cell.result.score if cell else None for cell in row.cells]
        rows.append((row.student, *scores, row.score, row.late, "; ".join(row.mistakes)))
    return as_csv([["student", *stages, "sum", "late", "mistakes"], *rows])


def _stage_rows(report: ClassReport) -> Iterator[Row]:
    """Yield a row for each stage; its counts are in the order of `Status`."""
    for stats in report.stages:
        counts = stats.counts.values()
        mean = round(stats.mean, 2)
        yield stats.stage.name, *counts, stats.stage.max_points, mean, round(stats.median, 2)


def _spread_rows(report: ClassReport) -> Iterator[Row]:
    """Yield a row for each tenth of a stage's points, with the number of students in it."""
    for stats in report.stages:
        for bin_ in stats.bins:
            yield stats.stage.name, bin_.label, bin_.count


def _task_rows(report: ClassReport) -> Iterator[Row]:
    """Yield a row for each task, with how many students have all, some and none of its points.

    The mean is in points, rounded to hundredths.
    """
    for stats in report.stages:
        for task in stats.tasks:
            mean = round(task.mean, 2)
            yield stats.stage.name, task.id, task.title, task.max_score, mean, *task.counts


def _objective_rows(report: ClassReport) -> Iterator[Row]:
    """Yield a row for each objective; one cell has all tasks that serve it."""
    for stats in report.stages:
        for objective in stats.objectives:
            tasks = " ".join(task.id for task in objective.tasks)
            share = round(objective.share, 1)
            yield stats.stage.name, objective.id, objective.sentence, tasks, share


def _check_rows(report: ClassReport) -> Iterator[Row]:
    """Yield a row for each check of each task.

    Hidden checks are listed too, because the table is for the instructor alone.
    """
    for stats in report.stages:
        for task in stats.tasks:
            for check in task.checks:
                yield stats.stage.name, task.id, *_check(check)


def _check(check: CheckStats) -> Row:
    """Return a check's cells; the cell of `tells` is empty if the correlation is unknown."""
    kind = "hidden" if check.hidden else "visible"
    tells = None if check.tells is None else round(check.tells, 2)
    return check.name, check.topic, kind, check.cases, round(check.share, 1), tells, check.remark


# Lists of names and sentences are joined by semicolons, because names may have spaces and
# sentences may have commas.


def _misconception_rows(report: ClassReport) -> Iterator[Row]:
    """Yield each known mistake of a stage with the students who may have made it."""
    for stats in report.stages:
        for mistake in stats.misconceptions:
            names = "; or: ".join(mistake.names)
            students = "; ".join(mistake.students)
            yield stats.stage.name, mistake.task, names, len(mistake.students), students


def _group_rows(report: ClassReport) -> Iterator[Row]:
    """Yield the students who fail the same tests of a task, with the known mistakes if any."""
    for stats in report.stages:
        for group in stats.groups:
            yield (
                stats.stage.name,
                group.task,
                group.id,
                len(group.students),
                "; or: ".join(group.mistakes),
                "worth a chaff" if group.is_offered else "",
                "; ".join(group.topics),
                "; ".join(group.students),
            )


def _unreadable_rows(report: ClassReport) -> Iterator[Row]:
    """Yield each submission that could not be read, with the address to write to.

    The address is empty if no roster gave one.
    """
    for result in report.unreadable:
        address = report.about.addresses.get(result.student, "")
        yield result.student, address, result.stage, result.message


def _help_rows(report: ClassReport) -> Iterator[Row]:
    """Yield a row for each sign: a student with several signs has several rows.

    Several rows are easier to filter in a spreadsheet than several signs in one cell.
    """
    for student in report.at_risk:
        for sign in student.signs:
            yield student.student, sign.stage, sign.kind, sign.words


def _fault_rows(report: ClassReport) -> Iterator[Row]:
    """Yield the submissions on which the grader itself failed.

    The student is not at fault: such a submission has to be graded again.
    """
    for result in report.grader_errors:
        yield result.student, result.stage, result.message


ROWS: Mapping[str, Callable[[ClassReport], Iterable[Row]]] = {  # the keys are those of COLUMNS
    "unreadable": _unreadable_rows,
    "stages": _stage_rows,
    "spread": _spread_rows,
    "tasks": _task_rows,
    "objectives": _objective_rows,
    "checks": _check_rows,
    "misconceptions": _misconception_rows,
    "groups": _group_rows,
    "help": _help_rows,
    "faults": _fault_rows,
}
