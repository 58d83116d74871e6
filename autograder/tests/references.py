"""References as programs, for tests that play with them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hearts_course.boundary.farside import server
from hearts_course.course import Course, Stage


@contextmanager
def loaded(course: Course, last: Stage) -> Iterator[dict[str, object]]:
    """The modules of the stage and of those it needs, by name; in the end none is imported."""
    sources: dict[str, str] = {}
    for stage in (*course.prerequisites(last), last):
        sources |= stage.reference()
    finders = sys.meta_path[:]
    yield server.load(sources)
    sys.meta_path[:] = finders
    for name in sources:
        del sys.modules[name]
