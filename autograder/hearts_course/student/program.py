"""A stage's program as a whole: the student's own earlier stages belong to it.

whole_program   the work of all these stages
modules_of      their modules, as one program
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.student.work import StageWork, find_work


def whole_program(course: Course, root: Path, work: StageWork) -> tuple[StageWork, ...]:
    """The work in `root` of each stage that this one builds on, in order, and then itself.

    Raises UsageError if one of them is missing or unreadable.
    """
    return (*_earlier(course, root, work), work)


def modules_of(works: Iterable[StageWork]) -> dict[str, str]:
    """The modules of all these works: name to source text."""
    return {name: text for work in works for name, text in work.modules.items()}


def _earlier(course: Course, root: Path, work: StageWork) -> Iterator[StageWork]:
    for before in course.prerequisites(work.stage):
        try:
            yield find_work(root, before)
        except UsageError as fault:
            raise UsageError(f"{work.stage.name} builds on {before.name}: {fault}") from None
