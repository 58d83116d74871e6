"""The class at a glance, computed, as a page and with plots.

Plots need matplotlib and a few students. No plot needs colour to be read: bars have their numbers,
kinds differ in lightness and shape. Nothing that a student wrote is in a plot.
"""

import io
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup

from hearts_course.course import Course
from hearts_course.grading.misconceptions import load_patterns
from hearts_course.reports.at_risk import RULES, AtRiskStudent, at_risk
from hearts_course.reports.class_stats import CheckStats, StageStats, stage_stats, tenth
from hearts_course.reports.html import inline_svg, page
from hearts_course.results import Result, Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NO_SANDBOX = "none"
MAX_SHOWN = 20  # students who may need help, before the rest is folded away
MIN_STUDENTS = 5  # before a plot says more than a look at the table
WIDTH = 7.0  # inches; the page scales it
DARK, MIDDLE, LIGHT = "#3d7a68", "#9cc3b5", "#e6e1d6"
INK = "#000000"  # becomes the colour of the page's text
SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "the same class gives the same page",
    "font.size": 11,
    "font.family": "sans-serif",
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
        plots={stats.stage.name: _plots(stats) for stats in report.stages},
        rules=RULES,
        max_shown=MAX_SHOWN,
        href=_href,
        tenth=tenth,
    )


def _href(student: str, stage: str) -> str:
    """Return the address of the student's page, seen from the report."""
    return f"feedback/{quote(student, safe='')}/{quote(stage, safe='')}.html"


def _plots(stats: StageStats) -> dict[str, Markup]:
    """Return the stage's plots by name; none where they cannot be made or say too little."""
    if find_spec("matplotlib") is None or stats.counts[Status.GRADED] < MIN_STUDENTS:
        return {}
    checks = [row for task in stats.tasks for row in task.checks if row.tells is not None]
    plots = {"spread": _spread(stats), "tasks": _tasks(stats)}
    return {**plots, "checks": _checks(stats, checks)} if checks else plots


def _spread(stats: StageStats) -> Markup:
    """Draw how many students have which tenth of the points."""
    bins = stats.bins[::-1]

    def draw(axes: "Axes") -> None:
        counts = [one.count for one in bins]
        bars = axes.bar([one.label[:-2] for one in bins], counts, color=DARK, width=0.9)
        axes.bar_label(bars, labels=[str(count or "") for count in counts], padding=2)
        axes.set_ylabel("students")
        axes.set_xlabel("share of the points, %")
        axes.set_yticks([])

    counts = ", ".join(f"{one.count} have {one.label}" for one in bins if one.count)
    words = f"Students by their share of the points: {counts}."
    return _picture(f"spread-{stats.stage.name}", 2.6, words, draw)


def _tasks(stats: StageStats) -> Markup:
    """Draw how many students have all, some and none of each task's points."""
    rows = stats.tasks[::-1]
    colours = ((DARK, "white"), (MIDDLE, INK), (LIGHT, "#22252a"))  # of a bar and its number

    def draw(axes: "Axes") -> None:
        left = [0] * len(rows)
        names = [f"{row.number} {row.title}" for row in rows]
        for kind, (colour, ink) in enumerate(colours):
            counts = [row.counts[kind] for row in rows]
            bars = axes.barh(names, counts, left=left, color=colour, edgecolor=INK, linewidth=0.6)
            labels = [str(count or "") for count in counts]
            axes.bar_label(bars, labels=labels, label_type="center", color=ink, fontsize=10)
            left = [a + b for a, b in zip(left, counts, strict=True)]
        axes.set_xticks([])
        axes.margins(x=0)
        title = "students with all (dark), some (middle), none (light) of the points"
        axes.set_title(title, fontsize=10, loc="left")

    counts = "; ".join(
        f"task {row.number}: {all_} all, {some} some, {none} none"
        for row in stats.tasks
        for all_, some, none in [row.counts]
    )
    words = f"Students who have all, some or none of a task’s points: {counts}."
    return _picture(f"tasks-{stats.stage.name}", 0.9 + 0.36 * len(rows), words, draw)


def _checks(stats: StageStats, rows: Sequence[CheckStats]) -> Markup:
    """Draw how easy each check is against how well it tells students apart."""

    def draw(axes: "Axes") -> None:
        for hidden, shape, fill in ((False, "o", "none"), (True, "^", DARK)):
            points = [(row.share, row.tells or 0.0) for row in rows if row.hidden is hidden]
            style: Any = {"marker": shape, "s": 34, "facecolors": fill, "edgecolors": DARK}
            axes.scatter([x for x, _ in points], [y for _, y in points], **style)
        axes.axhline(0, color=INK, linewidth=0.6, linestyle=":")
        axes.set_xlim(-3, 103)
        axes.set_xlabel("students who pass, %  (right: easy)")
        axes.set_ylabel("tells  (top: much)")
        axes.set_title("checks: visible (circles), hidden (triangles)", fontsize=10, loc="left")

    words = (
        f"{len(rows)} checks by how many students pass them and how well they tell students apart: "
        f"{sum(row.share >= 90 for row in rows)} are passed by at least 90 %, "
        f"{sum(row.share <= 30 for row in rows)} by at most 30 %, "
        f"{sum(row.remark != '' for row in rows)} have a remark below."
    )
    return _picture(f"checks-{stats.stage.name}", 3.2, words, draw)


def _picture(name: str, height: float, words: str, draw: "Callable[[Axes], None]") -> Markup:
    """Return what `draw` draws; the words say the same to a reader who does not see it."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        axes = figure.add_subplot()
        draw(axes)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0)
        figure.patch.set_visible(False)
        axes.patch.set_visible(False)
        file = io.BytesIO()
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(file, metadata={"Date": None})
    return inline_svg(file.getvalue(), name, words)
