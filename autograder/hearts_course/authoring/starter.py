"""The starter: the reference in cells, with the definitions that a task names left blank.

    # %% card        from here on, until the next such line, the notebook's cell `card`

What precedes the first such line is the cell `header`: the module's docstring and imports. A cell
called `script` stays out of the notebook: it starts the module as a program, in its file only.

A blank function keeps its decorators, signature and docstring, and raises NotImplementedError. A
blank class keeps its name, its bases, its docstring, and those of its methods that are blanks
themselves. Imports that only the blanks needed go. Everything else stays as it was written,
comments included.
"""

import ast
import difflib
import io
import json
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from hearts_course.course import STAGE_FILE, Stage
from hearts_course.errors import StageError
from hearts_course.notebook import HEADER, join_cells

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
MAX_LINE = 100
MARKER = re.compile(r"# ?%%(.*)")
CELL_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Cell:
    """A piece of a module that is Python by itself; `line` is where it begins in the file."""

    module: str
    id: str
    text: str
    line: int = 1

    @property
    def grade_id(self) -> str:
        """The name by which nbgrader and the grader know the cell."""
        return f"{self.module}-{self.id}"


def split(path: Path, source: str) -> tuple[Cell, ...]:
    """Return the cells of the module in `path`.

    Raise StageError for a marker without a valid name, a name used twice, or a cell that is not
    Python by itself.
    """
    cells = [Cell(path.stem, HEADER, "")]
    for number, line in enumerate(source.split("\n"), start=1):
        if marker := MARKER.fullmatch(line.rstrip()):
            name = marker[1].strip()
            if not CELL_ID.fullmatch(name):
                raise StageError(
                    f"{path}:{number}: {name!r} cannot name a cell; write `# %% like-this`"
                )
            if name in {cell.id for cell in cells}:
                raise StageError(f"{path}:{number}: a second cell is called {name!r}; rename one")
            cells.append(Cell(path.stem, name, "", number))
        else:
            cells[-1] = replace(cells[-1], text=f"{cells[-1].text}{line}\n")
    for cell in cells:
        _check_syntax(path, cell)
    return tuple(cell for cell in cells if cell.text.strip())


def join(cells: Iterable[Cell]) -> dict[str, str]:
    """Return the modules that the cells add up to, without the markers."""
    modules: dict[str, list[str]] = {}
    for cell in cells:
        modules.setdefault(cell.module, []).append(cell.text)
    return {name: join_cells(texts) for name, texts in modules.items()}


def starter_cells(stage: Stage) -> tuple[Cell, ...]:
    """Return the reference's cells with every task's blanks left out; raise StageError.

    A definition that several tasks name is written in the first of them.
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
    """Return the cells of the stage's reference, module after module; raise StageError."""
    reference = stage.reference()
    paths = [stage.solution / name for name in stage.files]
    return tuple(cell for path in paths for cell in split(path, reference[path.stem]))


def blank(source: str, messages: Mapping[str, str]) -> str:
    """Return the text with each definition in `messages` left blank, raising its message."""
    text = _Source(source)
    lines = list(text.lines)
    for name, node in reversed(list(_outermost(ast.parse(source).body, messages))):
        lines[first_line(node) - 1 : text.last_line(node)] = text.stub(name, node, messages)
    return "\n".join(lines)


def definitions(source: str) -> list[tuple[str, Definition]]:
    """Return the definitions with their qualified names, in order; a setter repeats its name."""
    return list(_definitions(ast.parse(source).body))


def first_line(node: Definition) -> int:
    """Return the line of the first decorator, or of the `def` or `class` itself."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def without_unused_imports(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Return the cells, each import reduced to the names that its module's cells still use."""
    cells = tuple(cells)
    used: dict[str, set[str]] = {}
    for cell in cells:
        used.setdefault(cell.module, set()).update(_names(cell.text))
    return tuple(replace(cell, text=_reduced(cell.text, used[cell.module])) for cell in cells)


def _check_syntax(path: Path, cell: Cell) -> None:
    try:
        ast.parse(cell.text)
    except SyntaxError as error:
        line = cell.line + (error.lineno or 1) - (cell.id == HEADER)
        raise StageError(
            f"{path}:{line}: the cell {cell.id!r} is not Python by itself: {error.msg}"
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise StageError(f"{path}:{cell.line}: the cell {cell.id!r}: {error}") from None


def _check_blanks(stage: Stage, cells: tuple[Cell, ...]) -> None:
    where = stage.assignment / STAGE_FILE
    files: dict[str, set[str]] = {}
    for cell in cells:
        for name, _ in definitions(cell.text):
            files.setdefault(name, set()).add(f"{cell.module}.py")
    for name in (name for task in stage.tasks for name in task.blanks):
        if name not in files:
            close = difflib.get_close_matches(name, files, n=1)
            advice = f"did you mean {close[0]!r}?" if close else "correct its `blanks`"
            raise StageError(f"{where}: {', '.join(stage.files)} define no {name!r}; {advice}")
        if len(files[name]) > 1:
            raise StageError(
                f"{where}: {name!r} is in {' and '.join(sorted(files[name]))}; rename one"
            )


def _definitions(body: list[ast.stmt], outer: str = "") -> Iterator[tuple[str, Definition]]:
    for node in body:
        if isinstance(node, Definition):
            yield f"{outer}{node.name}", node
        if isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{outer}{node.name}.")


def _outermost(
    body: list[ast.stmt], messages: Mapping[str, str], outer: str = ""
) -> Iterator[tuple[str, Definition]]:
    """Yield the definitions to leave blank that do not lie in another one of them."""
    for node in body:
        if isinstance(node, Definition) and f"{outer}{node.name}" in messages:
            yield f"{outer}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _outermost(node.body, messages, f"{outer}{node.name}.")


class _Source:
    """A source text by lines, and the stubs that can be made of its definitions."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines = source.split("\n")
        self.tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))

    def last_line(self, node: Definition) -> int:
        """Return the last line of the body, comments that are indented below it included."""
        last = node.end_lineno or node.lineno
        for number, line in enumerate(self.lines[last:], start=last + 1):
            bare = line.lstrip()
            if bare and (bare[0] != "#" or len(line) - len(bare) <= node.col_offset):
                break
            last = number if bare else last
        return last

    def stub(self, name: str, node: Definition, messages: Mapping[str, str]) -> list[str]:
        """Return the lines that stand for the definition in the starter."""
        row, column = self._colon(node)
        signature = self._signature(node, row, column)
        own_line = node.body[0].lineno > row
        indent = " " * (node.body[0].col_offset if own_line else node.col_offset + 4)
        docstring = []
        if ast.get_docstring(node, clean=False) is not None:
            text = ast.get_source_segment(self.source, node.body[0]) or ""
            docstring = f"{indent}{text}".split("\n")
        if not isinstance(node, ast.ClassDef):
            message = json.dumps(messages[name], ensure_ascii=False)
            return [*signature, *docstring, f"{indent}raise NotImplementedError({message})"]
        methods = [
            self.stub(inner, method, messages)
            for inner, method in _outermost(node.body, messages, f"{name}.")
        ]
        body = [docstring] * bool(docstring) + methods or [[f"{indent}pass"]]
        return signature + "\n\n".join("\n".join(part) for part in body).split("\n")

    def _signature(self, node: Definition, row: int, column: int) -> list[str]:
        """Return the lines up to the colon; a class, whose fields go, loses its decorators."""
        first = node.lineno if isinstance(node, ast.ClassDef) else first_line(node)
        lines = self.lines[first - 1 : row]
        if node.body[0].lineno == row:
            lines[-1] = lines[-1][: column + 1]
        return lines

    def _colon(self, node: Definition) -> tuple[int, int]:
        """Return row and column of the colon that ends the signature."""
        depth = 0
        for token in self.tokens:
            if token.start < (node.lineno, node.col_offset) or token.type != tokenize.OP:
                continue
            depth += (token.string in "([{") - (token.string in ")]}")
            if token.string == ":" and not depth:
                return token.start
        raise AssertionError(f"a definition without a colon in line {node.lineno}")


def _names(source: str) -> set[str]:
    """Return every name that the text reads, also in annotations written as strings."""
    nodes = list(ast.walk(ast.parse(source)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return names | {text for text in texts if isinstance(text, str) and text.isidentifier()}


def _reduced(source: str, used: set[str]) -> str:
    lines = source.split("\n")
    for node in reversed(ast.parse(source).body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            kept = [name for name in node.names if _bound_name(name) in used]
            if len(kept) < len(node.names):
                lines[node.lineno - 1 : node.end_lineno] = _import_lines(node, kept)
    return "\n".join(lines)


def _bound_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _import_lines(node: ast.Import | ast.ImportFrom, kept: list[ast.alias]) -> list[str]:
    if not kept:
        return []
    node.names = kept
    line = ast.unparse(node)
    if len(line) <= MAX_LINE:
        return [line]
    start, _, names = line.partition(" import ")
    return [f"{start} import (", *(f"    {name}," for name in names.split(", ")), ")"]
