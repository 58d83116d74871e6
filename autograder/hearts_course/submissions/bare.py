"""A bare start: a starter without the outline of those tasks that the student designs.

The outline is the classes and functions that show one way to divide the work. A bare start leaves
them out, with their imports, and keeps what other tasks need. The student's definitions must still
have the names that the brief asks for. `hearts reset` brings the outline back.

A blank is a definition that the starter leaves unwritten; a task names its blanks. A bare task is a
task that a bare start leaves without its outline.
"""

import ast
import re
from collections.abc import Collection
from functools import cache
from typing import Any

from hearts_course.course import Stage, name_tasks
from hearts_course.files import read_json
from hearts_course.notebook import cell_title, given_cells, modules_from_notebook
from hearts_course.python_source import defined_names, definitions_in, lines_of

GLOSSARY = r"^ {4}(?:%s)  .*\n"  # a line about a name, in a module's docstring
BLANK_LINES = re.compile(r"\n{4,}")


def bare_modules(stage: Stage) -> dict[str, str]:
    """Return the modules of the stage's bare start; {} if the stage has none."""
    if not stage.bare:
        return {}
    return _modules(stage)


def bare_notebook(stage: Stage) -> Any:
    """Return the stage's notebook without the outline of its bare tasks.

    A cell that would be empty gets a comment, so that its place and its grade_id stay.
    """
    notebook = read_json(stage.notebook)
    cells = given_cells(stage)
    names = _left_out(stage)
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if grade_id in cells:
            source = cells[grade_id]
            bare = _without(source, names, stage.modules) or _invitation(stage, grade_id, source)
            cell["source"] = bare.splitlines(keepends=True)
    return notebook


@cache
def _modules(stage: Stage) -> dict[str, str]:
    """Return the modules of the bare notebook; cached, because every check needs them."""
    modules, _ = modules_from_notebook(bare_notebook(stage), stage)
    return {name: f"{text.rstrip()}\n" for name, text in modules.items()}


def _left_out(stage: Stage) -> set[str]:
    """Return the full names of the definitions that a bare start lacks.

    If a cell has blanks of bare tasks only, all its definitions are left out, even those that the
    starter gives.
    """
    asked: set[str] = set()
    kept: set[str] = set()
    for task in stage.tasks:
        if task.id in stage.bare:
            asked.update(task.blanks)
        else:
            kept.update(task.blanks)
    left_out: set[str] = set()
    for source in given_cells(stage).values():
        names = defined_names(source)
        needs_outline = names & (asked - kept)
        if needs_outline and not names & kept:
            left_out |= names
        else:
            left_out |= needs_outline
    return left_out


def _without(source: str, names: Collection[str], modules: Collection[str]) -> str:
    """Return a cell's text without the definitions in `names`.

    Their imports from the stage's own modules are left out as well. So are their lines in the
    glossary of the module's docstring.
    """
    tree = ast.parse(source)
    lines = source.split("\n")
    edits: dict[range, list[str]] = {}
    for name, node in definitions_in(tree):
        if name in names and name.rpartition(".")[0] not in names:
            edits[lines_of(node)] = []
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module in modules:
            edits[lines_of(statement)] = []
            if left := [alias for alias in statement.names if alias.name not in names]:
                shorter = ast.ImportFrom(statement.module, left, statement.level)
                edits[lines_of(statement)] = [ast.unparse(shorter)]
    # From the last line to the first, so that the lines above keep their numbers.
    for span in sorted(edits, key=lambda span: span.start, reverse=True):
        lines[span.start : span.stop] = edits[span]
    text = "\n".join(line.rstrip() for line in lines).strip("\n")
    if ast.get_docstring(tree) and names:
        text = re.sub(GLOSSARY % "|".join(map(re.escape, names)), "", text, flags=re.MULTILINE)
    return BLANK_LINES.sub("\n\n\n", text).strip("\n")


def _invitation(stage: Stage, grade_id: str, source: str) -> str:
    """Return the comment that takes the place of an empty cell."""
    names = defined_names(source)
    tasks = [task for task in stage.tasks if not names.isdisjoint(task.blanks)]
    numbers = name_tasks([stage.number(task) for task in tasks]).capitalize()
    return (
        f"# {numbers}: what stands here is yours to design.\n"
        f"# (In the notebook, this is {cell_title(grade_id, source)}.)"
    )
