"""Notes on a check in a notebook: which cells were checked, and what the student should know.

In these functions `cells` are the notebook's code cells. `run` has the positions of the cells that
were run, with the texts that were run last.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.notebook import CodeCell, given_cells, program_cells
from hearts_course.student.names import conflicting_definitions, new_definitions
from hearts_course.student.work import StageWork, find_work
from hearts_course.text import listed

MAX_NAMED = 3  # cells that a note names; if there are more, it gives only their number


def missing_note(stage: Stage, cells: Sequence[CodeCell], run: Iterable[int]) -> str:
    """Return a note on cells of the program that were not run; "" if all were run.

    This note is for a notebook whose file was not found.
    """
    programs = {cells[place].program for place in run}
    titles = program_cells(stage).items()
    if missing := [title for name, title in titles if name not in programs]:
        return f"not run yet, so it counts as not written: {listed(missing)}"
    return ""


def unsaved_note(work: StageWork, cells: Sequence[CodeCell], run: Mapping[int, str]) -> str:
    """Return a note on cells that were not saved as they were run; "" if there are none."""
    changed: list[str] = []
    for place, text in sorted(run.items()):
        if text.strip() != cells[place].source.strip():
            changed.append(cells[place].program)
    if not changed:
        return ""
    return (
        f"{_cells_in_words(work.stage, changed)}: what you ran, which is checked here, is not what "
        f"is saved; save {work.where}, or run what is saved"
    )


def not_run_note(work: StageWork, cells: Sequence[CodeCell], run: Mapping[int, str]) -> str:
    """Return a note on written cells that were not run; "" if there are none.

    Cells below the last cell that was run do not count, because a student may be running the
    notebook from top to bottom.
    """
    starter = given_cells(work.stage)
    waiting: list[str] = []
    for place, cell in enumerate(cells[: max(run)]):
        if not cell.program or place in run:
            continue
        if cell.source.strip() != starter[cell.program].strip():
            waiting.append(cell.program)
    if not waiting:
        return ""
    return f"{_cells_in_words(work.stage, waiting)}: not run yet, so this checks what is saved"


def _cells_in_words(stage: Stage, names: Iterable[str]) -> str:
    """Return the titles of these cells of the program, or their number if they are many."""
    titles = program_cells(stage)
    unique = list(dict.fromkeys(names))
    if len(unique) > MAX_NAMED:
        return f"{len(unique)} cells of the program"
    return listed(titles[name] for name in unique)


def saved_note(work: StageWork) -> str:
    """Return a note which says that no cell was run, and when the checked notebook was saved."""
    time = datetime.fromtimestamp(work.saved).strftime("%H:%M:%S")
    return f"no cell of the program was run yet: this is {work.where} as saved at {time}"


def renamed_note(path: Path, stage: Stage) -> str:
    """Return a note if `submit` does not take a notebook of this name; "" for the usual name."""
    if path.name == stage.notebook.name:
        return ""
    return f"this is {path.name}, but `hearts submit` takes {stage.notebook.name}: rename it first"


def conflicts(work: StageWork) -> Iterator[str]:
    """Yield a note on each name that two modules define differently.

    In a notebook such definitions replace each other.
    """
    for name, modules in conflicting_definitions(work.modules).items():
        yield (
            f"{' and '.join(modules)} each define `{name}`, but not in the same way; in a notebook "
            "the one that was run last replaces the other: rename one of them"
        )


def outdated_imports(course: Course, folder: Path, work: StageWork) -> Iterator[str]:
    """Yield a note on each earlier module that has gained a definition since it was imported.

    Python imports a module only once, so the new definition is missing until the kernel restarts.
    """
    for earlier in course.prerequisites(work.stage):
        imported = [name for name in earlier.modules if name in sys.modules]
        if not imported:
            continue
        modules = find_work(folder, earlier).modules
        for module in imported:
            new = new_definitions(modules[module], vars(sys.modules[module]))
            if new:
                yield (
                    f"this kernel imported {module} before it had `{new[0]}`: restart the "
                    "kernel to use that here"
                )
