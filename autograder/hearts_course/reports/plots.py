"""Plots of a class, by matplotlib, as pictures that stand in a page.

Plot     a picture, and what it shows in words
spread   how many students have which share of the points
tasks    how many have all, some and none of each task's points
checks   how easy each check is, and how well it tells students apart
drawn    any of these; None where matplotlib is not installed, or where a look will do

No plot needs colour to be read: bars carry their numbers, kinds differ in lightness and in shape.
What a student wrote is in none of them.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from hearts_course.reports.class_stats import CheckRow, ClassStage
from hearts_course.reports.svg import in_page
from hearts_course.results import Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_STUDENTS = 5
WIDTH = 7.0  # inches; the page scales it
MAIN, MIDDLE, LIGHT = "#3d7a68", "#9cc3b5", "#e6e1d6"
INK = "#000000"  # becomes the colour of the page's text
SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "the same class gives the same page",
    "font.size": 11,
    "font.family": "sans-serif",
}


@dataclass(frozen=True)
class Plot:
    """A picture that can stand in a page, and what it shows, for who does not see it."""

    svg: Markup
    words: str


def drawn(draw: Callable[[ClassStage], Plot | None], stage: ClassStage) -> Plot | None:
    """The plot; None if there is nothing to draw, or nothing to draw with."""
    if find_spec("matplotlib") is None or stage.counts[Status.GRADED] < LEAST_STUDENTS:
        return None
    return draw(stage)


def spread(stage: ClassStage) -> Plot | None:
    """How many graded students have which tenth of the points."""
    bins = list(reversed(stage.bins))
    counts = [found.count for found in bins]

    def draw(axes: "Axes") -> None:
        bars = axes.bar([found.label for found in bins], counts, color=MAIN, width=0.9)
        axes.bar_label(bars, labels=[str(count or "") for count in counts], padding=2)
        axes.set_ylabel("students")
        axes.set_xlabel("share of the points")
        axes.set_yticks([])
        axes.tick_params(axis="x", labelsize=9)

    said = [f"{found.count} have {found.label}" for found in bins if found.count]
    words = f"Students by their share of the points: {', '.join(said)}."
    return Plot(_picture(f"spread-{stage.stage.name}", 2.6, words, draw), words)


def tasks(stage: ClassStage) -> Plot | None:
    """How many graded students have all, some and none of each task's points."""
    rows = list(reversed(stage.tasks))
    kinds = (
        ("all", [row.full for row in rows], MAIN, "white"),
        ("some", [row.partly for row in rows], MIDDLE, INK),
        ("none", [row.nothing for row in rows], LIGHT, "#22252a"),
    )

    def draw(axes: "Axes") -> None:
        left = [0] * len(rows)
        names = [f"{row.number} {row.title}" for row in rows]
        for _, counts, colour, ink in kinds:
            bars = axes.barh(names, counts, left=left, color=colour, edgecolor=INK, linewidth=0.6)
            labels = [str(count or "") for count in counts]
            axes.bar_label(bars, labels=labels, label_type="center", color=ink, fontsize=10)
            left = [a + b for a, b in zip(left, counts, strict=True)]
        axes.set_xticks([])
        axes.margins(x=0)
        axes.set_title(
            "students with all (dark), some (middle), none (light) of the points",
            fontsize=10,
            loc="left",
        )

    said = [
        f"task {row.number}: {row.full} all, {row.partly} some, {row.nothing} none"
        for row in stage.tasks
    ]
    words = f"Students who have all, some or none of a task’s points: {'; '.join(said)}."
    return Plot(_picture(f"tasks-{stage.stage.name}", 0.9 + 0.36 * len(rows), words, draw), words)


def checks(stage: ClassStage) -> Plot | None:
    """How easy each check is against what it tells; None if there are too few students."""
    rows = [row for task in stage.tasks for row in task.checks if row.tells is not None]
    if not rows:
        return None

    def draw(axes: "Axes") -> None:
        for hidden, shape in ((False, "o"), (True, "^")):
            some = [row for row in rows if row.hidden is hidden]
            axes.scatter(
                [row.share for row in some],
                [row.tells or 0.0 for row in some],
                marker=shape,
                s=34,
                facecolors=MAIN if hidden else "none",
                edgecolors=MAIN,
            )
        axes.axhline(0, color=INK, linewidth=0.6, linestyle=":")
        axes.set_xlim(-3, 103)
        axes.set_xlabel("students who pass, %  (right: easy)")
        axes.set_ylabel("tells  (top: much)")
        axes.set_title("checks: visible (circles), hidden (triangles)", fontsize=10, loc="left")

    words = _about(rows)
    return Plot(_picture(f"checks-{stage.stage.name}", 3.2, words, draw), words)


def _about(rows: Sequence[CheckRow]) -> str:
    easy = sum(row.share >= 90 for row in rows)
    hard = sum(row.share <= 30 for row in rows)
    little = sum(row.remark != "" for row in rows)
    return (
        f"{len(rows)} checks by how many students pass them and how well they tell students apart: "
        f"{easy} are passed by at least 90 %, {hard} by at most 30 %, {little} have a remark below."
    )


def _picture(name: str, height: float, words: str, draw: "Callable[[Axes], None]") -> Markup:
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        axes = figure.add_subplot()
        draw(axes)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0)
        file = io.BytesIO()
        canvas: Any = FigureCanvasSVG(figure)
        figure.patch.set_visible(False)
        axes.patch.set_visible(False)
        canvas.print_svg(file, metadata={"Date": None})
    return in_page(file.getvalue(), name, words)
