"""Checks, hints and cards as HTML and Markdown for a notebook.

They are readable without colours and load nothing from the network.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from hearts_course.course import BRIEFS, Stage
from hearts_course.edition import HERE
from hearts_course.reports.html import prose
from hearts_course.reports.task_summary import TopicStatus
from hearts_course.student.progress import Hint, StageProgress
from hearts_course.student.report import (
    CheckReport,
    lines_by_kind,
    others_failing,
    stage_title,
)

# Jupyter's own colours are too pale to read, so they are mixed with the colour of its font.
READABLE = "color-mix(in srgb, {} 65%, var(--jp-content-font-color1, currentcolor))"
GOOD = READABLE.format("var(--jp-success-color1, #2e7d32)")
BAD = READABLE.format("var(--jp-error-color1, #c62828)")
UNCERTAIN = READABLE.format("var(--jp-warn-color1, #a15c00)")
COLOURS = {
    TopicStatus.PASSED: GOOD,
    TopicStatus.PARTLY: BAD,
    TopicStatus.FAILED: BAD,
    TopicStatus.UNWRITTEN: "var(--jp-content-font-color2, inherit)",
    TopicStatus.BEGUN: "var(--jp-content-font-color2, inherit)",
    TopicStatus.NOT_REACHED: UNCERTAIN,
}
LINE_STYLES = {
    "came": f"color: {BAD};",
    "expected": f"color: {GOOD};",
    "why": "font-style: italic;",
}
SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
CODE = re.compile(r"[2-9TJQKA][CDHS]")
FACE = (
    '<span style="display: inline-block; width: 2.4em; margin: 2px; padding: 0.5em 0; '
    "text-align: center; background: #fff; color: {colour}; border: 1px solid #555; "
    'border-radius: 5px; font: 1.2em sans-serif;">{rank}<br>{suit}</span>'
)


def cards_text(codes: Iterable[str]) -> str:
    """Return the cards with these codes as rank and symbol, such as "Q♠ 2♥".

    Raise ValueError for a text that is not a card's code.
    """
    codes = list(codes)
    if wrong := [code for code in codes if not CODE.fullmatch(code)]:
        raise ValueError(f"{wrong[0]!r} is not the code of a card")
    return " ".join(code[0] + SUITS[code[1]] for code in codes) or "no cards"


def cards_html(codes: Iterable[str]) -> str:
    """Return the faces of the cards with these codes, as HTML."""
    faces = "".join(map(_face, codes))
    return f"<div>{faces or 'no cards'}</div>"


def _face(code: str) -> str:
    """Return the face of a card; hearts and diamonds are red."""
    colour = "#111"
    if code[1] in "DH":
        colour = "#b00020"
    return FACE.format(rank=code[0].replace("T", "10"), suit=SUITS[code[1]], colour=colour)


def report_html(report: CheckReport) -> str:
    """Return the report as HTML, with all of the student's text escaped.

    Colours come from Jupyter's theme; every status also has a mark and words.
    """
    return _template().render(
        report=report,
        colours=COLOURS,
        others_failing=others_failing,
        lines_by_kind=lines_by_kind,
        line_styles=LINE_STYLES,
        statuses=TopicStatus,
    )


def error_html(message: str) -> str:
    """Return HTML that says why nothing could be checked."""
    return report_html(CheckReport(title="", where="", error=message, tasks=(), tested=False))


def file_html(path: Path) -> str:
    """Return a link that downloads a file beside the notebook."""
    link = Markup('<p><a href="{0}" download="{1}">Download {1}</a></p>')
    return link.format(path.as_posix(), path.name)


@cache
def _template() -> Template:
    """Return the template of a check; its file is read when a notebook first shows a check."""
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["prose"] = prose
    return environment.get_template("check.html")


def progress_markdown(progress: StageProgress) -> str:
    """Return a stage's points as a bar, and a row per task, in Markdown."""
    lines = [
        f"**{stage_title(progress.stage)}** {progress.bar} {progress.points}",
        "",
        "| task | last check | points | hints |",
        "|---|---|---|---|",
    ]
    for task in progress.tasks:
        status, words = task.status
        lines.append(
            f"| {task.number} {task.task.title} | {status.mark} {words} "
            f"| {task.points} | {task.help} |"
        )
    return "\n".join(lines)


def opened_markdown(stages: Iterable[Stage]) -> str:
    """Return a list of the stages that were added to the workspace, in Markdown."""
    lines = []
    for stage in stages:
        where = f"`{stage.notebook.name}` or `{BRIEFS}/{stage.name}.md`"
        lines.append(f"- New: **{stage_title(stage)}**, {where}\n")
        if stage.bare and HERE.terminal:
            lines.append(f"  - The fast lane, in a terminal: `hearts start --bare {stage.name}`\n")
    return "".join(lines)


def hint_markdown(hint: Hint, *, new: bool = True) -> str:
    """Return a hint in Markdown."""
    repeated = ""
    if not new:
        repeated = "; there are no more"
    return f"**{hint.title}{repeated}** · {hint.task.title}\n\n{hint.text}\n"
