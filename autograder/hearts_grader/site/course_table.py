"""Play at the course's own card table; its program is in the modules beside this one."""

import importlib
import sys
from pathlib import Path

from hearts_course import show_table
from hearts_course.view.players import Chance
from hearts_course.view.sitting import Sitting


def sitting() -> Sitting:
    """Return a user's stay at the course's own table, for the page that has no notebook."""
    return Sitting(vars(importlib.import_module(_own_module())), Chance())


def sit_down(module: str = "", seed: int | None = None) -> None:
    """Show the table of the course's own program, or of the student's own module of that name."""
    show_table(module or _own_module(), seed)


def _own_module() -> str:
    """Import the course's own program, and return the name of the module with the table."""
    folder = Path(__file__).parent
    path_before = sys.path[:]
    meta_path_before = sys.meta_path[:]
    module = (folder / "table.txt").read_text(encoding="utf-8")
    sys.path.insert(0, str(folder))
    # Leave out the finder of a student's modules, which may have the same names. It is the only
    # finder with a method `open`.
    sys.meta_path[:] = [finder for finder in sys.meta_path if not hasattr(finder, "open")]
    try:
        importlib.import_module(module)
    finally:
        sys.path[:] = path_before
        sys.meta_path[:] = meta_path_before
    return module
