"""The class as a page: who has what, how it is spread, which checks nobody or everybody passes.

report_page   the page
"""

from collections.abc import Iterable
from urllib.parse import quote

from hearts_course.course import Course
from hearts_course.grading.results import Result
from hearts_course.render.classes import class_stage, tenth
from hearts_course.render.pages import page

UNSAFE = "none"


def report_page(results: Iterable[Result], course: Course) -> str:
    """The page about these results, in the course's order of stages."""
    results = sorted(results, key=lambda result: (result.student.casefold(), result.student))
    by_stage = {
        stage.name: [r for r in results if r.stage == stage.name] for stage in course.stages
    }
    stages = [class_stage(s, by_stage[s.name]) for s in course.stages if by_stage[s.name]]
    return page(
        "report.html.j2",
        stages=stages,
        students=len({result.student for result in results}),
        sandboxes=sorted({result.sandbox for result in results}),
        unsafe=any(result.sandbox == UNSAFE for result in results),
        href=_href,
        tenth=tenth,
    )


def _href(result: Result) -> str:
    """The place of the student's page, seen from the report."""
    return f"feedback/{quote(result.student, safe='')}/{quote(result.stage, safe='')}.html"
