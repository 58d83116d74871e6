"""A check and a hint for a notebook: HTML that is readable without colour and loads nothing."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from hearts_course.reports.task_summary import TopicStatus
from hearts_course.student.progress import Hint
from hearts_course.student.report import GRADE_NOTE, CheckReport, others_failing

COLOURS = {
    TopicStatus.PASSED: "var(--jp-success-color1, #2e7d32)",
    TopicStatus.PARTLY: "var(--jp-error-color1, #c62828)",
    TopicStatus.FAILED: "var(--jp-error-color1, #c62828)",
    TopicStatus.UNWRITTEN: "var(--jp-content-font-color2, inherit)",
    TopicStatus.NOT_REACHED: "var(--jp-warn-color1, #a15c00)",
}


def report_html(report: CheckReport) -> str:
    """Return the report as HTML, with all of the student's text escaped."""
    return _template().render(
        report=report,
        colours=COLOURS,
        others_failing=others_failing,
        grade_note=GRADE_NOTE,
        statuses=TopicStatus,
    )


def error_html(message: str) -> str:
    """Return, as HTML, why nothing could be checked."""
    return report_html(CheckReport(title="", where="", error=message, tasks=()))


@cache
def _template() -> Template:
    loader = FileSystemLoader(Path(__file__).parent)
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True
    ).get_template("check.html")


def hint_markdown(hint: Hint, *, new: bool = True) -> str:
    """Return a hint in Markdown."""
    repeated = "" if new else "; there are no more"
    return f"**{hint.title}{repeated}** · {hint.task.title}\n\n{hint.text}\n"
