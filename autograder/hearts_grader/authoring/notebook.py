"""The student notebook of a stage, made of its brief, its starter and its tasks.

The cells have the same ids in every build, because nbgrader and the grader find a student's program
by these ids. A blank is a definition of a task that the starter leaves to the student.
"""

import base64
import copy
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
from hearts_course.brief import DISCUSSION, idea_and_contract, linked_from_root, load_brief
from hearts_course.course import Manual, Stage, Task
from hearts_course.edition import NOTEBOOK, Edition
from hearts_course.files import read_text
from hearts_course.notebook import SCRIPT, THE_CELL, cell_title, text_mark
from hearts_course.python_source import definitions
from hearts_course.text import listed
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from hearts_grader.authoring.questions import load_sources
from hearts_grader.authoring.starter import Cell, join, split, starter_cells

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
SETUP = """from hearts_course import catch, check, compare, explain, hint
from hearts_course import predict, progress, reset, variant, work_on

work_on("{}")"""
TABLE = "from hearts_course import show_table\n\nshow_table()"
ABOUT = """## In this notebook

Your program is in these cells, each named by what it begins with. Only they are
checked<!-- if class --> and graded; a person reads the rest<!-- end -->:

{}

Add cells anywhere to try something. They are not part of the program, so write a helper function or
an import that it needs into one of the cells above."""
SHARED = "*You write this task in {}, which has other tasks too.*"
FOLDED = "{}\n\n<details>\n<summary><b>Exactly</b></summary>\n\n{}\n\n</details>"
LOOK_INSIDE = "## Afterwards: look inside"  # the programs of this section become cells
PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"\]\(\.\./(pictures/[^)]+)\)")
FLAGS = {"schema_version": 3, "grade": False, "locked": False, "solution": False, "task": False}


def build_notebook(stage: Stage, edition: Edition = NOTEBOOK) -> Any:
    """Return the stage's notebook without answers, as an object of nbformat.

    Raise StageError if the stage is invalid.
    """
    cells = starter_cells(stage)
    about: dict[str, Any] = {"stage": stage.name, "made_by": "hearts build"}
    # The lines of a cell `script` are not in the notebook's cells. They are added to the module
    # that is made of these cells.
    if scripts := {cell.module: cell.text.strip("\n") for cell in cells if cell.id == SCRIPT}:
        about["scripts"] = scripts
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}, "hearts": about}
    program = tuple(cell for cell in cells if cell.id != SCRIPT)
    notebook = new_notebook(cells=list(_notebook_cells(stage, program, edition)), metadata=metadata)
    notebook.metadata["hearts"]["text"] = text_mark(notebook.cells)
    return notebook


def reference_notebook(stage: Stage) -> Any:
    """Return the stage's notebook with the reference in it.

    Raise StageError if the stage is invalid.
    """
    return solve(build_notebook(stage), stage.reference())


def solve(notebook: Any, modules: Mapping[str, str]) -> Any:
    """Return a copy of the notebook with the modules in its solution cells.

    A module's `# %%` markers may divide it into other cells than the notebook has. Then the whole
    module goes into the first of the notebook's cells for this module.
    """
    solved = copy.deepcopy(notebook)
    for name, source in modules.items():
        cells = {}
        for cell in solved.cells:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                grade_id = cell.metadata.nbgrader.grade_id
                if grade_id.startswith(f"{name}-"):
                    cells[grade_id] = cell
        texts = _cell_texts(name, source, list(cells))
        for grade_id, cell in cells.items():
            cell.source = texts.get(grade_id, "")
    return solved


def notebook_text(notebook: Any) -> str:
    """Return the notebook's file; raise nbformat.ValidationError if it is not a valid notebook."""
    nbformat.validate(notebook)
    return f"{nbformat.writes(notebook, version=4).rstrip()}\n"


def _cell_texts(name: str, source: str, grade_ids: list[str]) -> dict[str, str]:
    """Map the ids of the module's cells in the notebook to the cells' texts."""
    cells = tuple(cell for cell in split(Path(f"{name}.py"), source) if cell.id != SCRIPT)
    # The solution may be divided into other cells than the starter. Then its whole text goes into
    # the first cell.
    if [cell.grade_id for cell in cells] == grade_ids:
        return {cell.grade_id: cell.text.strip("\n") for cell in cells}
    return {grade_ids[0]: join(cells)[name].strip("\n")}


def _notebook_cells(stage: Stage, cells: tuple[Cell, ...], edition: Edition) -> Iterator[Any]:
    """Yield the notebook's cells.

    Each task has its brief, the cell of its first blank, and the cell that checks the task. A cell
    that holds several tasks comes only once, below the brief of the first of them.
    """
    brief = load_brief(stage, edition)
    sources = load_sources(stage)
    asked = {source.task for source in sources.predict}
    to_try = {source.task: source.code.strip() for source in sources.try_it}
    titles = {cell: cell_title(cell.grade_id, cell.text) for cell in cells}
    about = edition.text(ABOUT).format("\n".join(_lists_of_cells(stage, titles)))
    yield _words(stage, "intro", f"{brief.intro}\n\n{about}")
    yield _code("setup", SETUP.format(stage.name), locked=True)
    if sources.know or (stage.builds_on and asked):
        yield _free("predict", f'predict("{stage.name}")')
    left = list(stage.tasks)
    for cell in cells:
        names = {name for name, _ in definitions(cell.text)}
        tasks = [task for task in left if task.blanks and task.blanks[0] in names]
        solution = _code(cell.grade_id, cell.text.strip("\n"), solution=True)
        if not tasks:
            yield solution
        shared = SHARED.format(titles[cell]) if len(tasks) > 1 else ""
        for number, task in enumerate(tasks):
            text = _words(stage, task.id, brief.sections[task.id], shared)
            yield text
            if task.id in asked:
                yield _free(f"predict-{task.id}", f'predict("{task.id}")')
            if task.id in to_try:
                yield _free(f"try-{task.id}", to_try[task.id])
            # The solution cell comes once, below the brief of the first task that it holds.
            if number == 0:
                yield solution
            yield _check(task)
            left.remove(task)
    # A task without a blank is written in none of these cells.
    for task in left:
        yield from (_words(stage, task.id, brief.sections[task.id]), _check(task))
    if sources.call:
        yield _free("catch", f'catch("{stage.name}")')
    if (stage.assignment / DISCUSSION).is_file():
        yield _free("explain", f'explain("{stage.name}")')
    if stage.table:
        yield _code("table", TABLE, locked=True)
    yield from _end(stage, brief.end)
    for manual in stage.manual:
        yield _manual(manual, edition)


def _lists_of_cells(stage: Stage, titles: Mapping[Cell, str]) -> Iterator[str]:
    """Yield a line for each module; the line names the cells in which students write the module."""
    for module in stage.modules:
        names = []
        for cell, title in titles.items():
            if cell.module == module:
                names.append(title.removeprefix(THE_CELL))
        yield f"- `{module}.py`: {listed(names)}"


def _words(stage: Stage, name: str, section: str, note: str = "") -> Any:
    """Return a cell with a section of the brief; the contract, below `Exactly`, is folded.

    The cell contains the section's pictures. The links work from the folder of the notebook.
    """
    idea, contract = idea_and_contract(section)
    parts = [FOLDED.format(idea, contract) if contract else idea, note]
    # A notebook is handed out as one file, so it contains its pictures.
    for picture in dict.fromkeys(PICTURE.findall(section)):
        svg = read_text(stage.root / "assignments" / picture).encode()
        parts.append(f"[{picture}]: data:image/svg+xml;base64,{base64.b64encode(svg).decode()}")
    text = PICTURE.sub(r"][\1]", "\n\n".join(filter(None, parts)))
    return new_markdown_cell(linked_from_root(text), id=f"brief-{name}")


def _end(stage: Stage, end: str) -> Iterator[Any]:
    """Yield the cells of the brief's end; each program in the part LOOK_INSIDE has a code cell."""
    before, heading, inside = end.partition(LOOK_INSIDE)
    text, *rest = PROGRAM.split(inside)
    yield _words(stage, "end", f"{before}{heading}{text}".rstrip())
    for number, (program, words) in enumerate(zip(rest[::2], rest[1::2], strict=True), start=1):
        cell = _free(f"look-inside-{number}", program.rstrip())
        # The tag lets the cell fail: "Run all" goes on even if the stage is not written yet.
        cell.metadata["tags"] = ["raises-exception"]
        yield cell
        yield _words(stage, f"inside-{number}", words.strip())


def _check(task: Task) -> Any:
    """Return the cell that checks a task; in nbgrader the cell carries the task's points.

    The cell is locked, so nbgrader restores the cell's source before grading.
    """
    source = f'check("{task.id}")'
    return _code(f"check-{task.id}", source, grade=True, locked=True, points=task.points)


def _free(name: str, source: str) -> Any:
    """Return a code cell that students change as they like."""
    return new_code_cell(source, id=name)


def _manual(manual: Manual, edition: Edition) -> Any:
    """Return a cell that a person grades in nbgrader's formgrader, with room for an answer."""
    judge = "for you to judge" if edition.alone else "graded by hand"
    title = f"**{manual.title}** ({manual.points} points, {judge})"
    text = "\n\n".join(filter(None, [title, manual.rubric, "*Your words, if any:*"]))
    name = f"manual-{manual.id}"
    marks = {"grade_id": name, "points": manual.points} | FLAGS | {"grade": True, "solution": True}
    metadata = {"deletable": False, "nbgrader": marks}
    return new_markdown_cell(text, id=name, metadata=metadata)


def _code(name: str, source: str, **marks: bool | int) -> Any:
    """Return a code cell with nbgrader's metadata (schema 3); students cannot delete the cell."""
    metadata: dict[str, Any] = {"deletable": False, "nbgrader": {"grade_id": name} | FLAGS | marks}
    if marks.get("locked"):
        metadata["editable"] = False
    return new_code_cell(source, id=name, metadata=metadata)
