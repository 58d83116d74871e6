"""How platforms lay out the files of a class; each module knows one.

recognise   what a crate holds
"""

from collections.abc import Callable

from hearts_course.collect.crate import Crate
from hearts_course.collect.handed import Load
from hearts_course.collect.layouts import canvas, gradescope, moodle, nbgrader, plain
from hearts_course.course import Course
from hearts_course.errors import UsageFault

LOOKS: tuple[Callable[[Crate], Load | None], ...] = (
    gradescope.look,
    moodle.look,
    canvas.look,
    nbgrader.look,
)


def recognise(crate: Crate, course: Course) -> Load:
    """What the crate holds, by the first layout that its files have.

    Raises UsageFault if it holds nothing.
    """
    if not crate.names:
        raise UsageFault(f"{crate.name}: nothing in it{_first(crate.faults)}")
    for look in LOOKS:
        if load := look(crate):
            return load
    return plain.look(crate, course)


def _first(faults: tuple[str, ...]) -> str:
    return f" but {faults[0]}" if faults else ""
