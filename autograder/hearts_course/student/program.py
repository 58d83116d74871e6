"""A stage's program as a whole: the student's own earlier stages belong to it.

whole_program   the work of all these stages
modules_of      their modules, as one program
"""

from collections.abc import Iterable, Iterator

from hearts_course.errors import UsageFault
from hearts_course.student.work import Work, find_work
from hearts_course.student.workspace import Workspace


def whole_program(workspace: Workspace, work: Work) -> tuple[Work, ...]:
    """The work of each stage that this one builds on, in the course's order, and then itself.

    Raises UsageFault if one of them is missing or unreadable.
    """
    return (*_earlier(workspace, work), work)


def modules_of(works: Iterable[Work]) -> dict[str, str]:
    """The modules of all these works: name to source text."""
    return {name: text for work in works for name, text in work.modules.items()}


def _earlier(workspace: Workspace, work: Work) -> Iterator[Work]:
    for before in workspace.course.prerequisites(work.stage):
        try:
            yield find_work(workspace.root, before)
        except UsageFault as fault:
            raise UsageFault(f"{work.stage.name} builds on {before.name}: {fault}") from None
