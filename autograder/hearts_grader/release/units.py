"""Short units of the course: some of its stages, with points of their own, and a page for students.

A unit is a folder whose files replace files of the course's stages, as with `--overlay`. A unit
releases the stages for which it has folders, and the stages that they build on.
"""

from hearts_course.course import Course, in_checkout, pick
from hearts_course.errors import UsageError

from hearts_grader.authoring.assemble import ASSEMBLED, assemble
from hearts_grader.release.publish import Files

UNITS = "autograder/units"
PAGE = "UNIT.md"


def with_unit(course: Course, name: str) -> tuple[Course, tuple[str, ...], Files]:
    """Return the course with the unit's points, the names of the unit's stages, and its page.

    Raise UsageError if there is no such unit, or if `--stages` or `--overlay` changed the course.
    """
    if course.root.parent.name == ASSEMBLED:
        raise UsageError("--unit has points of its own; leave out --stages and --overlay")
    pages = in_checkout(course).root.glob(f"{UNITS}/*/{PAGE}")
    page = pick(name, {path.parent.name: path for path in sorted(pages)}, "unit")
    stages = sorted(path.name for path in page.parent.iterdir() if path.is_dir())
    course_of_unit = assemble(course, None, page.parent)
    return course_of_unit, tuple(stages), {PAGE: page.read_bytes()}
