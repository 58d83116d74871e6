"""The starter: the reference solution with the definitions that a task names left blank.

    starter_cells   every cell of a stage, blanked
    blank           one source text, blanked
    definitions     the functions, methods and classes that could be named

A blank function keeps its decorators, signature and docstring. A blank class keeps its name, its
bases, its docstring, and those of its methods that are blanks themselves. Imports that only the
blanks needed go, too. Everything else in the text stays as it was written, comments and all.
"""

import ast
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import replace

from hearts_course.authoring.cells import Cell, split
from hearts_course.authoring.imports import without_unused_imports
from hearts_course.authoring.stub import Definition, Text, outermost
from hearts_course.course import STAGE_FILE, Stage
from hearts_course.errors import StageError


def starter_cells(stage: Stage) -> tuple[Cell, ...]:
    """The reference's cells with every task's blanks left out; raises StageError.

    A definition that several tasks name is the first one's to write.
    """
    cells = reference_cells(stage)
    _check_blanks(stage, cells)
    messages = {
        name: f"Task {stage.number(task)}: {task.title}"
        for task in reversed(stage.tasks)
        for name in task.blanks
    }
    blanked = (replace(cell, text=blank(cell.text, messages)) for cell in cells)
    return without_unused_imports(blanked)


def reference_cells(stage: Stage) -> tuple[Cell, ...]:
    """The cells of the stage's reference solution, module after module; raises StageError."""
    reference = stage.reference()
    paths = [stage.solution / name for name in stage.files]
    return tuple(cell for path in paths for cell in split(path, reference[path.stem]))


def definitions(source: str) -> list[str]:
    """The qualified names defined in the text, in order; a property's setter repeats its name."""
    return list(_definitions(ast.parse(source).body))


def blank(source: str, messages: Mapping[str, str]) -> str:
    """The text with each definition in `messages` left blank, raising its message when called."""
    text = Text(source)
    lines = list(text.lines)
    for name, node in reversed(list(outermost(ast.parse(source).body, messages))):
        lines[text.first_line(node) - 1 : text.last_line(node)] = text.stub(name, node, messages)
    return "\n".join(lines)


def _check_blanks(stage: Stage, cells: tuple[Cell, ...]) -> None:
    where = stage.assignment / STAGE_FILE
    homes: dict[str, set[str]] = {}
    for cell in cells:
        for name in definitions(cell.text):
            homes.setdefault(name, set()).add(f"{cell.module}.py")
    for name in (name for task in stage.tasks for name in task.blanks):
        if name not in homes:
            close = difflib.get_close_matches(name, homes, n=1)
            advice = f"did you mean {close[0]!r}?" if close else "correct its `blanks`"
            raise StageError(f"{where}: {', '.join(stage.files)} define no {name!r}; {advice}")
        if len(homes[name]) > 1:
            raise StageError(
                f"{where}: {name!r} is in {' and '.join(sorted(homes[name]))}; rename one"
            )


def _definitions(body: list[ast.stmt], outer: str = "") -> Iterator[str]:
    for node in body:
        if isinstance(node, Definition):
            yield f"{outer}{node.name}"
        if isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{outer}{node.name}.")
