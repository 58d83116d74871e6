"""Whoever writes feedback for a whole class: what all of it rests on is read once.

Scribe   makes each submission's pages
"""

from functools import cached_property

from hearts_course.course import Course, Stage
from hearts_course.grading.layout import Slot
from hearts_course.grading.patterns import Pattern, load_patterns
from hearts_course.grading.reader import read_submission
from hearts_course.grading.results import Result, Status
from hearts_course.grading.submission import Submission
from hearts_course.render.feedback import NOT_READ, feedback, pages


class Scribe:
    """Makes the pages of one course's results."""

    def __init__(self, course: Course) -> None:
        """Nothing is read yet."""
        self._course = course

    def pages(self, result: Result, slot: Slot) -> dict[str, str]:
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


def _submission(result: Result, slot: Slot) -> Submission:
    """What the result is of, if any line of it is going to be shown."""
    if result.status is Status.GRADED and result.score == result.max_score:
        return NOT_READ
    return read_submission(slot.path, slot.student, slot.stage)
