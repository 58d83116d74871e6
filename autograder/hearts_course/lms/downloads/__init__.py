"""How platforms lay out the files of a class; each module knows one.

recognise   what a crate holds
"""

from collections.abc import Callable

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.lms.archive import Archive
from hearts_course.lms.attempt import Download
from hearts_course.lms.downloads import canvas, gradescope, moodle, nbgrader, plain

LOOKS: tuple[Callable[[Archive], Download | None], ...] = (
    gradescope.look,
    moodle.look,
    canvas.look,
    nbgrader.look,
)


def recognise(crate: Archive, course: Course) -> Download:
    """What the crate holds, by the first layout that its files have.

    Raises UsageError if it holds nothing.
    """
    if not crate.names:
        raise UsageError(f"{crate.name}: nothing in it{_first(crate.faults)}")
    for look in LOOKS:
        if load := look(crate):
            return load
    return plain.look(crate, course)


def _first(faults: tuple[str, ...]) -> str:
    return f" but {faults[0]}" if faults else ""
