"""Whoever writes feedback for a whole class: what all of it rests on is read once.

FeedbackWriter   makes each submission's pages
"""

from functools import cached_property

from hearts_course.course import Course, Stage
from hearts_course.grading.misconceptions import Pattern, load_patterns
from hearts_course.reports.feedback import NOT_READ, feedback, pages
from hearts_course.results import Result, Status
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_submission


class FeedbackWriter:
    """Makes the pages of one course's results."""

    def __init__(self, course: Course) -> None:
        """Nothing is read yet."""
        self._course = course

    def pages(self, result: Result, slot: SubmissionPath) -> dict[str, str]:
        """What the student reads, by the ending of its file's name."""
        stage = slot.stage
        patterns = self._patterns[stage.name]
        told = feedback(result, stage, _submission(result, slot), patterns, self._after[stage.name])
        return pages(told)

    @cached_property
    def _patterns(self) -> dict[str, tuple[Pattern, ...]]:
        return {stage.name: load_patterns(stage) for stage in self._course.stages}

    @cached_property
    def _after(self) -> dict[str, Stage | None]:
        return {stage.name: self._course.after(stage) for stage in self._course.stages}


def _submission(result: Result, slot: SubmissionPath) -> Submission:
    """What the result is of, if any line of it is going to be shown."""
    if result.status is Status.GRADED and result.score == result.max_score:
        return NOT_READ
    return read_submission(slot.path, slot.student, slot.stage)
