"""One student's stage as a page that needs nothing but a browser.

feedback_page   the page
"""

from hearts_course.course import Stage
from hearts_course.grading.results import Result, Status
from hearts_course.render.findings import Face, summarise
from hearts_course.render.pages import page

SHOWN = 3  # different messages of one topic before the rest is folded away
NOT_RUN = "Your program could not be run"
ABOUT_MESSAGE = {
    Status.GRADED: "Please note",
    Status.UNREADABLE: "Your program could not be read",
    Status.GRADER_ERROR: "This is no fault of yours: the grader failed, and grades again",
}


def feedback_page(result: Result, stage: Stage) -> str:
    """What the student reads about this result."""
    tasks = [summarise(number, task) for number, task in enumerate(result.tasks, start=1)]
    reached = [task for task in tasks if task.face is not Face.NOT_REACHED]
    not_run = result.status is Status.GRADED and not reached
    return page(
        "feedback.html.j2",
        result=result,
        stage=stage,
        tasks=tasks,
        reached=reached,
        about_message=NOT_RUN if not_run else ABOUT_MESSAGE[result.status],
        shown=SHOWN,
    )
