"""The class at a glance, computed, and as a page."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from hearts_course.course import Course
from hearts_course.grading.misconceptions import load_patterns
from hearts_course.reports.at_risk import RULES, AtRiskStudent, at_risk
from hearts_course.reports.class_stats import StageStats, stage_stats, tenth
from hearts_course.reports.html import page
from hearts_course.results import Result, Status

NO_SANDBOX = "none"
MAX_SHOWN = 20  # students who may need help, before the rest is folded away
MIN_PLOTTED = 5  # a plot of fewer says less than a look at the table


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
