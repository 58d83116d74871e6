"""Feedback as a page and as Markdown: nothing that a student wrote is markup in either."""

from collections.abc import Callable, Mapping
from functools import cached_property

from hearts_course.course import Course, Stage
from hearts_course.grading.final_scores import Adjustments
from hearts_course.grading.misconceptions import Pattern, load_patterns
from hearts_course.reports.feedback import NOT_READ, Feedback, feedback
from hearts_course.reports.html import markdown, page
from hearts_course.results import Result, Status
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.read import read_submission

MAX_NOTES = 3  # messages of one topic before the rest is folded away
FOOT = (
    "The points of a task are divided evenly among its checks. A hidden check shows its rule and "
    "a similar example to try, never what it really checks."
)


def as_page(said: Feedback) -> str:
    """Return the feedback as a page that needs nothing but a browser."""
    return page("feedback.html.j2", said=said, final=said.final, max_notes=MAX_NOTES, foot=FOOT)


def as_markdown(said: Feedback) -> str:
    """Return the feedback for a mail, an issue or a learning platform."""
    return markdown("feedback.md.j2", said=said, final=said.final, foot=FOOT)


RENDERINGS: Mapping[str, Callable[[Feedback], str]] = {".html": as_page, ".md": as_markdown}


def pages(said: Feedback) -> dict[str, str]:
    """Return each rendering, by the ending of its file's name."""
    return {ending: render(said) for ending, render in RENDERINGS.items()}


class FeedbackWriter:
    """Makes the pages of a class's results; what they share is read once."""

    def __init__(self, course: Course, adjustments: Adjustments | None = None) -> None:
        """Note which manual points and late penalties the pages are to show."""
        self._course, self._adjustments = course, adjustments or {}

    def pages(self, result: Result, slot: SubmissionPath) -> dict[str, str]:
        """Return the pages of a result, by the endings of their files' names."""
        stage, submission = slot.stage, NOT_READ
        if result.status is not Status.GRADED or result.score != result.max_score:
            submission = read_submission(slot.path, slot.student, stage)
        patterns, after = self._of_stages[stage.name]
        adjustment = self._adjustments.get((slot.student, stage.name))
        return pages(feedback(result, stage, submission, patterns, after, adjustment))

    @cached_property
    def _of_stages(self) -> dict[str, tuple[tuple[Pattern, ...], Stage | None]]:
        course = self._course
        return {stage.name: (load_patterns(stage), course.after(stage)) for stage in course.stages}
