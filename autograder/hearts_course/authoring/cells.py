"""Percent cells: how a reference module divides into a notebook's solution cells.

    # %% card        from here on, until the next such line, the cell `card`

What precedes the first one is the cell `header`: the module's docstring and imports. A cell called
`script` stays out of the notebook: it starts the module as a program, which only a file can do.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from hearts_course.errors import StageError
from hearts_course.notebook import join_cells

HEADER = "header"
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
