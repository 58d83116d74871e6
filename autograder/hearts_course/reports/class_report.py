"""The class at a glance, computed, and as a page.

Report         stages with their numbers, misconceptions and plots; who needs help; our own faults
class_report   makes it
report_page    the page about it
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from hearts_course.course import Course, Stage
from hearts_course.grading.misconceptions import load_patterns
from hearts_course.reports import plots
from hearts_course.reports.at_risk import RULES, AtRiskStudent, needs
from hearts_course.reports.class_stats import ClassStage, class_stage, tenth
from hearts_course.reports.html import page
from hearts_course.reports.misconception_counts import MisconceptionCount, class_slips
from hearts_course.results import Result, Status

UNSAFE = "none"
SHOWN = 20  # students who may need help, before the rest is folded away


@dataclass(frozen=True)
class StageReport:
    """One stage of the report."""

    numbers: ClassStage
    slips: tuple[MisconceptionCount, ...]

    @property
    def stage(self) -> Stage:
        """The stage that it is about."""
        return self.numbers.stage


@dataclass(frozen=True)
class ClassReport:
    """All that the page and the tables tell, in the course's order of stages.

    `late` has the students, by stage, whose submission Canvas has marked so.
    """

    students: int
    stages: tuple[StageReport, ...]
    needs: tuple[AtRiskStudent, ...]
    faults: tuple[Result, ...]
    sandboxes: tuple[str, ...]
    late: Mapping[str, tuple[str, ...]]


def class_report(
    results: Iterable[Result], course: Course, late: Collection[tuple[str, str]] = ()
) -> ClassReport:
    """The report about these results; `late` has student and stage of those marked so."""
    ordered = sorted(results, key=lambda result: (result.student.casefold(), result.student))
    stages = []
    marked: dict[str, tuple[str, ...]] = {}
    for stage in course.stages:
        if here := [result for result in ordered if result.stage == stage.name]:
            slips = class_slips(here, stage, load_patterns(stage))
            stages.append(StageReport(class_stage(stage, here), slips))
            if names := tuple(one.student for one in here if (one.student, one.stage) in late):
                marked[stage.name] = names
    return ClassReport(
        len({result.student for result in ordered}),
        tuple(stages),
        needs(ordered, [part.stage for part in stages]),
        tuple(result for result in ordered if result.status is Status.GRADER_ERROR),
        tuple(sorted({result.sandbox for result in ordered})),
        marked,
    )


def report_page(report: ClassReport) -> str:
    """The page; its plots are left out where matplotlib is not installed."""
    return page(
        "report.html.j2",
        report=report,
        unsafe=UNSAFE in report.sandboxes,
        plots=_plots(report),
        rules=RULES,
        shown=SHOWN,
        href=_href,
        tenth=tenth,
    )


def _plots(report: ClassReport) -> dict[str, dict[str, plots.Plot | None]]:
    return {
        part.stage.name: {
            "spread": plots.drawn(plots.spread, part.numbers),
            "tasks": plots.drawn(plots.tasks, part.numbers),
            "checks": plots.drawn(plots.checks, part.numbers),
        }
        for part in report.stages
    }


def _href(student: str, stage: str) -> str:
    """The place of the student's page, seen from the report."""
    return f"feedback/{quote(student, safe='')}/{quote(stage, safe='')}.html"
