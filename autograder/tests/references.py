"""References as programs, for tests that play with them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hearts_course.course import Course, Stage
from hearts_course.sandbox.worker import server
from hearts_course.sandbox.worker.script import ProgramFinder


@contextmanager
def loaded(course: Course, last: Stage) -> Iterator[dict[str, object]]:
    """The modules of the stage and of those it needs, by name; in the end none is imported."""
    sources: dict[str, str] = {}
    for stage in (*course.prerequisites(last), last):
        sources |= stage.reference()
    with imported(sources) as modules:
        yield modules


@contextmanager
def imported(sources: dict[str, str]) -> Iterator[dict[str, object]]:
    """The modules with these texts, by name; in the end none is imported."""
    finder = ProgramFinder(sources)
    sys.meta_path.insert(0, finder)
    try:
        yield server.import_all(list(sources))
    finally:
        sys.meta_path.remove(finder)
        for name in sources:
            sys.modules.pop(name, None)
