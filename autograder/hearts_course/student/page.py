"""A check for a notebook page: HTML that needs no colour, no script and nothing from elsewhere."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from hearts_course.student.hints import Hint
from hearts_course.student.report import PART_OF_ALL, CheckReport, TaskStatus

COLOURS = {
    TaskStatus.PASSED: "var(--jp-success-color1, #2e7d32)",
    TaskStatus.FAILED: "var(--jp-error-color1, #c62828)",
    TaskStatus.UNWRITTEN: "var(--jp-content-font-color2, inherit)",
    TaskStatus.NOT_REACHED: "var(--jp-warn-color1, #a15c00)",
}


def check(report: CheckReport) -> str:
    """The report as HTML; all of the student's text in it is escaped."""
    return _template().render(
        report=report, colours=COLOURS, part_of_all=PART_OF_ALL, faces=TaskStatus
    )


def fault(message: str) -> str:
    """Why nothing could be checked, as HTML."""
    return check(CheckReport(title="", where="", fault=message, tasks=()))


@cache
def _template() -> Template:
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("check.html")


def hint(taken: Hint, *, new: bool = True) -> str:
    """One rung of a task's ladder, in Markdown, which notebooks render."""
    repeated = "" if new else "; there are no more"
    return f"**{taken.title}{repeated}** · {taken.task.title}\n\n{taken.text}\n"
