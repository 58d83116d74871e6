"""The student notebook of a stage, made of its brief, its starter and its tasks.

build_notebook   the notebook without answers
solve            the same notebook with a program's cells put in
as_text          its file, the same bytes every time
"""

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from hearts_course.authoring.blank import definitions, starter_cells
from hearts_course.authoring.cells import Cell, join, split
from hearts_course.brief import Brief, load_brief
from hearts_course.course import Manual, Stage, Task
from hearts_course.notebook import SCRIPT

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
SETUP = 'from hearts_course import check, hint, work_on\n\nwork_on("{}")'
TABLE = "from hearts_course import show_table\n\nshow_table()"


def build_notebook(stage: Stage) -> Any:
    """The stage's notebook, for nbformat; raises StageError."""
    cells = starter_cells(stage)
    about: dict[str, Any] = {"stage": stage.name, "made_by": "hearts build"}
    if scripts := {cell.module: cell.text.strip("\n") for cell in cells if cell.id == SCRIPT}:
        about["scripts"] = scripts
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}, "hearts": about}
    own = tuple(cell for cell in cells if cell.id != SCRIPT)
    return new_notebook(cells=list(_cells(stage, own)), metadata=metadata)


def solve(notebook: Any, modules: Mapping[str, str]) -> Any:
    """A copy of the notebook with the modules in its solution cells.

    A module that is divided otherwise than the notebook goes into its first cell as a whole.
    """
    solved = copy.deepcopy(notebook)
    for name, source in modules.items():
        own = {
            cell.metadata.nbgrader.grade_id: cell
            for cell in solved.cells
            if cell.metadata.get("nbgrader", {}).get("solution")
            and cell.metadata.nbgrader.grade_id.startswith(f"{name}-")
        }
        texts = _texts(name, source, list(own))
        for grade_id, cell in own.items():
            cell.source = texts.get(grade_id, "")
    return solved


def as_text(notebook: Any) -> str:
    """The notebook's file; raises nbformat.ValidationError if it is no proper notebook."""
    nbformat.validate(notebook)
    return f"{nbformat.writes(notebook, version=4).rstrip()}\n"


def _texts(name: str, source: str, grade_ids: list[str]) -> dict[str, str]:
    cells = tuple(cell for cell in split(Path(f"{name}.py"), source) if cell.id != SCRIPT)
    if [cell.grade_id for cell in cells] == grade_ids:
        return {cell.grade_id: cell.text.strip("\n") for cell in cells}
    return {grade_ids[0]: join(cells)[name].strip("\n")}


def _cells(stage: Stage, cells: tuple[Cell, ...]) -> Iterator[Any]:
    brief = load_brief(stage)
    yield _markdown("brief-intro", brief.intro)
    yield _code("setup", SETUP.format(stage.name), locked=True)
    placed: list[Task] = []
    for cell in cells:
        tasks = _tasks_of(stage, cell)
        yield from (_brief(brief, task) for task in tasks[:1])
        yield _code(cell.grade_id, cell.text.strip("\n"), solution=True)
        yield from (_check(task) for task in tasks[:1])
        yield from _without_cell(brief, tasks[1:])
        placed += tasks
    yield from _without_cell(brief, [task for task in stage.tasks if task not in placed])
    if stage.table:
        yield _code("table", TABLE, locked=True)
    yield _markdown("brief-end", brief.end)
    yield from map(_manual, stage.manual)


def _tasks_of(stage: Stage, cell: Cell) -> list[Task]:
    """The tasks whose first blank lies in the cell."""
    names = definitions(cell.text)
    return [task for task in stage.tasks if task.blanks and task.blanks[0] in names]


def _without_cell(brief: Brief, tasks: list[Task]) -> Iterator[Any]:
    for task in tasks:
        yield _brief(brief, task)
        yield _check(task)


def _brief(brief: Brief, task: Task) -> Any:
    return _markdown(f"brief-{task.id}", brief.sections[task.id])


def _check(task: Task) -> Any:
    source = f'check("{task.id}")'
    return _code(f"check-{task.id}", source, grade=True, locked=True, points=task.points)


def _manual(manual: Manual) -> Any:
    """A cell that a person grades in nbgrader's formgrader, with room for the student's words."""
    text = f"**{manual.title}** ({manual.points} points, graded by hand)\n\n*Your words, if any:*"
    flags = {"schema_version": 3, "grade": True, "locked": False, "solution": True, "task": False}
    marks = {"grade_id": f"manual-{manual.id}", "points": manual.points} | flags
    metadata = {"deletable": False, "nbgrader": marks}
    return new_markdown_cell(text, id=f"manual-{manual.id}", metadata=metadata)


def _markdown(name: str, text: str) -> Any:
    return new_markdown_cell(text, id=name)


def _code(name: str, source: str, **marks: bool | int) -> Any:
    """A code cell that nbgrader knows (its schema 3); students cannot delete it."""
    flags = {"schema_version": 3, "grade": False, "locked": False, "solution": False, "task": False}
    metadata: dict[str, Any] = {"deletable": False, "nbgrader": {"grade_id": name} | flags | marks}
    if marks.get("locked"):
        metadata["editable"] = False
    return new_code_cell(source, id=name, metadata=metadata)
