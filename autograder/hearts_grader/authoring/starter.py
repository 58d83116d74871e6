"""The starter: the reference in cells, in which each definition that a task lists is blank.

    # %% card        begins the notebook's cell `card`, which ends at the next such line

The text before the first such line is the cell `header`: the module's docstring and imports. A cell
`script` starts the module as a program. This cell is in the module's file, not in the notebook.

A blank is a definition that a task lists in `blanks`. A blank function keeps its decorators,
signature and docstring, and raises NotImplementedError. A blank class keeps its name, its bases,
its docstring, and its methods that are blanks themselves. A blank that a task also lists in
`left_out` is removed completely. So are the imports that only removed code needed. Everything else
stays, also comments.
"""

import ast
import difflib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from hearts_course.course import STAGE_FILE, Stage
from hearts_course.errors import StageError
from hearts_course.notebook import HEADER, join_cells
from hearts_course.python_source import Definition, definitions, first_line, without_lines

from hearts_grader.authoring.chaffs import load_chaffs

MAX_LINE = 100  # characters of a line of the course's code; a longer import takes several lines
MARKER = re.compile(r"# ?%%(.*)")
CELL_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Cell:
    """A part of a module that is valid Python on its own; `line` is its first line in the file."""

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
    valid Python on its own.
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
    """Join the cells into modules, without the markers."""
    modules: dict[str, list[str]] = {}
    for cell in cells:
        modules.setdefault(cell.module, []).append(cell.text)
    return {name: join_cells(texts) for name, texts in modules.items()}


def starter_cells(stage: Stage) -> tuple[Cell, ...]:
    """Return the reference's cells with every task's definitions left blank.

    A definition that several tasks list belongs to the first of them. In a clinic, nothing is left
    blank in the module with the mistake, because students find the mistake there. Raise StageError
    if a cell or a blank is invalid.
    """
    reference = stage.reference()
    _check_blanks(stage, stage_cells(stage, reference))
    modules: Mapping[str, str] = reference
    if stage.clinic:
        modules = load_chaffs(stage)[0].modules
    messages: dict[str, str] = {}
    for task in reversed(stage.tasks):  # so that a definition's first task wins
        messages |= dict.fromkeys(task.blanks, f"Task {stage.number(task)}: {task.title}")
    left_out = set(chain.from_iterable(task.left_out for task in stage.tasks))
    cells = []
    for cell in stage_cells(stage, modules):
        if modules[cell.module] == reference[cell.module]:
            cell = replace(cell, text=blank(_without(cell.text, left_out), messages))
        cells.append(cell)
    return without_unused_imports(cells)


def stage_cells(stage: Stage, modules: Mapping[str, str]) -> tuple[Cell, ...]:
    """Return the cells of the stage's modules; raise StageError as `split` does.

    The modules are in the order of `files` in stage.toml, which is the order in the notebook.
    """
    cells: list[Cell] = []
    for name in stage.files:
        path = stage.solution / name
        cells += split(path, modules[path.stem])
    return tuple(cells)


def blank(source: str, messages: Mapping[str, str]) -> str:
    """Return the text with each definition named in `messages` replaced by a stub.

    A function's stub raises NotImplementedError with the message that `messages` has for it.
    """
    lines = source.split("\n")
    stubs = []
    for name, node in _outermost(ast.parse(source).body, messages):
        stub = _stub(name, node, lines, messages)
        stubs.append((first_line(node) - 1, _last_line(node, lines), stub))
    for first, last, stub in reversed(stubs):  # from the end, so that no line number moves
        lines[first:last] = stub
    return "\n".join(lines)


def without_unused_imports(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Return the cells without unused imports: a name is kept if any cell of its module uses it."""
    cells = tuple(cells)
    used: dict[str, set[str]] = {}
    for cell in cells:
        used.setdefault(cell.module, set()).update(_names(cell.text))
    return tuple(replace(cell, text=_reduced(cell.text, used[cell.module])) for cell in cells)


def _check_syntax(path: Path, cell: Cell) -> None:
    """Raise StageError, with the line in the file, if the cell is not valid Python on its own."""
    try:
        ast.parse(cell.text)
    except SyntaxError as error:
        # A cell's text begins below its marker, but the header has no marker.
        line_above = cell.line - 1 if cell.id == HEADER else cell.line
        line = line_above + (error.lineno or 1)
        raise StageError(
            f"{path}:{line}: the cell {cell.id!r} is not valid Python on its own: {error.msg}"
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise StageError(f"{path}:{cell.line}: the cell {cell.id!r}: {error}") from None


def _check_blanks(stage: Stage, cells: tuple[Cell, ...]) -> None:
    """Raise StageError if a blank of a task is in no module of the stage, or in several.

    If a blank is misspelled, its solution would stay in the starter. The error then names the
    definition that is spelled most like the blank. Raise StageError also if a name in `left_out` is
    not a blank of its task, or is the task's first blank.
    """
    where = stage.assignment / STAGE_FILE
    files: dict[str, set[str]] = {}
    for cell in cells:
        for name, _ in definitions(cell.text):
            files.setdefault(name, set()).add(f"{cell.module}.py")
    for task in stage.tasks:
        if strange := set(task.left_out).difference(task.blanks[1:]):
            raise StageError(
                f"{where}: `left_out` of {task.id!r} has {min(strange)!r}; "
                "name blanks of this task, but not the first"
            )
    for name in chain.from_iterable(task.blanks for task in stage.tasks):
        if name not in files:
            advice = "correct its `blanks`"
            if close := difflib.get_close_matches(name, files, n=1):
                advice = f"did you mean {close[0]!r}?"
            places = ", ".join(stage.files)
            raise StageError(f"{where}: no definition of {name!r} in {places}; {advice}")
        if len(files[name]) > 1:
            raise StageError(
                f"{where}: {name!r} is in {' and '.join(sorted(files[name]))}; rename one"
            )


def _outermost(
    body: list[ast.stmt], messages: Mapping[str, str], outer: str = ""
) -> Iterator[tuple[str, Definition]]:
    """Yield the outermost definitions to leave blank.

    The names of these definitions begin with `outer`: the class around them and a dot, or "".
    Definitions inside a blank definition are not yielded, because they are removed with it.
    """
    for node in body:
        if isinstance(node, Definition) and f"{outer}{node.name}" in messages:
            yield f"{outer}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _outermost(node.body, messages, f"{outer}{node.name}.")


def _last_line(node: Definition, lines: list[str]) -> int:
    """Return the number of the body's last line; indented comments below the body belong to it."""
    last = node.end_lineno or node.lineno
    for number, line in enumerate(lines[last:], start=last + 1):
        bare = line.lstrip()
        if bare and (bare[0] != "#" or len(line) - len(bare) <= node.col_offset):
            break
        if bare:  # empty lines count only if another comment follows
            last = number
    return last


def _without(source: str, names: Collection[str]) -> str:
    """Return the text without these functions and classes, and without the empty lines above."""
    lines = source.split("\n")
    spans: list[range] = []
    for name, node in definitions(source):
        if name in names:
            spans.append(range(first_line(node) - 1, _last_line(node, lines)))
    return without_lines(source, spans)


def _stub(name: str, node: Definition, lines: list[str], messages: Mapping[str, str]) -> list[str]:
    """Return the lines that replace the definition in the starter.

    `lines` are the lines of the whole text. A class keeps the stubs of its methods that are blanks.
    """
    signature, is_one_line = _signature(node, lines)
    column = node.col_offset + 4 if is_one_line else node.body[0].col_offset
    indent = " " * column
    docstring = []
    if ast.get_docstring(node, clean=False) is not None:
        text = ast.get_source_segment("\n".join(lines), node.body[0]) or ""
        docstring = f"{indent}{text}".split("\n")
    if not isinstance(node, ast.ClassDef):
        message = json.dumps(messages[name], ensure_ascii=False)
        return [*signature, *docstring, f"{indent}raise NotImplementedError({message})"]
    body = [docstring] if docstring else []
    for inner, method in _outermost(node.body, messages, f"{name}."):
        body.append(_stub(inner, method, lines, messages))
    if not body:
        body.append([f"{indent}pass"])
    return signature + "\n\n".join("\n".join(part) for part in body).split("\n")


def _signature(node: Definition, lines: list[str]) -> tuple[list[str], bool]:
    """Return the definition's lines up to the colon, and whether the body begins on that line.

    A class loses its decorators, such as `@dataclass`, because its fields are removed.
    """
    first = node.lineno if isinstance(node, ast.ClassDef) else first_line(node)
    end = first_line(node.body[0])
    before = lines[end - 1].encode()[: node.body[0].col_offset].decode()
    if before.strip():
        return [*lines[first - 1 : end - 1], before.rstrip()], True
    # Empty lines and comments below the signature belong to the body.
    end -= 1
    while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
        end -= 1
    return lines[first - 1 : end], False


def _names(source: str) -> set[str]:
    """Return every name that the text reads, also in annotations written as strings."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(name):
                names.add(name)
            case ast.Constant(str(text)) if text.isidentifier():
                names.add(text)
    return names


def _reduced(source: str, used: set[str]) -> str:
    """Return the text with only those imported names that are used."""
    lines = source.split("\n")
    for node in reversed(ast.parse(source).body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            kept = [name for name in node.names if _bound_name(name) in used]
            if len(kept) < len(node.names):
                lines[node.lineno - 1 : node.end_lineno] = _import_lines(node, kept)
    return "\n".join(lines)


def _bound_name(alias: ast.alias) -> str:
    """Return the name that an import gives the module; `import os.path` binds `os`."""
    return alias.asname or alias.name.partition(".")[0]


def _import_lines(node: ast.Import | ast.ImportFrom, kept: list[ast.alias]) -> list[str]:
    """Return the import with the names that are kept, formatted as the course's code is."""
    if not kept:
        return []
    node.names = kept
    line = ast.unparse(node)
    if len(line) <= MAX_LINE:
        return [line]
    start, _, names = line.partition(" import ")
    return [f"{start} import (", *(f"    {name}," for name in names.split(", ")), ")"]
