"""A student's notebook as a program: its solution cells become the stage's modules.

    program_cells           the solution cells a stage's notebook has, by grade_id
    scripts                 what a module has in its file only: how it starts as a program
    read_notebook           the modules a student's notebook holds, the cells it lacks, and where
                            each line of a module is in the notebook
    modules_from_notebook   the same without the last
    places                  which of a row of cells, by their ids, the expected ones are
    Piece                   the lines of a module that one cell holds
    with_sources            the notebook with other texts in some of its cells
    join_cells              the module that a row of cells adds up to

A student's notebook is only data here: it comes from a stranger and is never run.
"""

import ast
import json
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hearts_course.course import Stage
from hearts_course.files import read_text

# What IPython understands and Python does not: %magic, %%magic, !shell, ?help, help?, x = %magic.
MAGIC = re.compile(r"\s*(%{1,2}\w|!|\?)|\s*[\w.]+\s*\?{1,2}\s*$|\s*\w[\w., ]*=\s*[%!]\w")


MAX_PARSED = 100_000  # characters: a stranger's text is parsed here, so not without end

MAIN_GUARD = re.compile(r"""^if __name__ == ['"]__main__['"]:""", re.MULTILINE)

BETWEEN = 2  # blank lines between two cells of a module

SCRIPT = "script"  # the percent cell that stays in the file: in a notebook __name__ is "__main__"


@dataclass(frozen=True)
class CellText:
    """The lines of a module, `first` to `last`, that a cell holds, below `above` blank ones."""

    module: str
    cell: str
    first: int
    last: int
    above: int

    def line(self, number: int) -> int:
        """The line of the cell that is this line of the module."""
        return number - self.first + 1 + self.above


@dataclass(frozen=True)
class Contents:
    """What a student's notebook holds: modules, name to source, and the ids of cells it lacks."""

    modules: dict[str, str]
    missing: tuple[str, ...]
    pieces: tuple[CellText, ...]


def scripts(stage: Stage) -> dict[str, str]:
    """How each module starts when it is run as a program, for those that do; from the notebook.

    Raises StageError if the course's own notebook is missing.
    """
    metadata = json.loads(read_text(stage.notebook)).get("metadata", {})
    return dict(metadata.get("hearts", {}).get("scripts", {}))


def program_cells(stage: Stage) -> tuple[str, ...]:
    """The grade_ids of the stage's solution cells (`cards-header`, `cards-card`), in order.

    They are read from the course's own notebook, which a student's installation has too.
    Raises StageError if it is missing.
    """
    cells = json.loads(read_text(stage.notebook))["cells"]
    marks = [cell["metadata"].get("nbgrader", {}) for cell in cells]
    programs = [mark for mark in marks if mark.get("solution") and not mark.get("grade")]
    return tuple(mark["grade_id"] for mark in programs)


def modules_from_notebook(notebook: Any, stage: Stage) -> tuple[dict[str, str], tuple[str, ...]]:
    """The modules that a notebook holds and the ids of the cells it lacks, as `read_notebook`."""
    contents = read_notebook(notebook, stage)
    return contents.modules, contents.missing


def read_notebook(notebook: Any, stage: Stage) -> Contents:
    """What a notebook holds.

    A cell is known by its grade_id or its cell id, as `places` says. A module without any cell is
    left out. One that is a program starts as the course's own does, unless its cells say how.
    Raises ValueError, in words for the student, for what is no notebook.
    """
    found = _program(list(_code_cells(notebook)), program_cells(stage))
    modules: dict[str, list[str]] = {}
    cells: dict[str, list[tuple[str, str]]] = {}
    for grade_id, source in found.items():
        if source is not None:
            module = grade_id.partition("-")[0]
            modules.setdefault(module, []).append(plain_python(source))
            cells.setdefault(module, []).append((grade_id, source))
    for name, script in scripts(stage).items():
        if name in modules and not any(map(MAIN_GUARD.search, modules[name])):
            modules[name].append(script)
    missing = tuple(grade_id for grade_id, source in found.items() if source is None)
    joined = {name: join_cells(sources) for name, sources in modules.items()}
    pieces = (piece for module, sources in cells.items() for piece in _pieces(module, sources))
    return Contents(joined, missing, tuple(pieces))


def _pieces(module: str, cells: Iterable[tuple[str, str]]) -> Iterator[CellText]:
    """Where `join_cells` puts each cell that holds anything."""
    first = 1
    for cell, source in cells:
        if stripped := source.strip("\n"):
            last = first + stripped.count("\n")
            above = len(source) - len(source.lstrip("\n"))
            yield CellText(module, cell, first, last, above)
            first = last + 1 + BETWEEN


def with_sources(notebook: Any, sources: Mapping[str, str]) -> Any:
    """The notebook with these texts, by cell id, in place of its own; as it is if it is none."""
    match notebook:
        case {"cells": list(cells)}:
            return notebook | {"cells": [_with_source(cell, sources) for cell in cells]}
    return notebook


def _with_source(cell: Any, sources: Mapping[str, str]) -> Any:
    match cell:
        case {"id": str(name)} if name in sources:
            return cell | {"source": sources[name]}
    return cell


def join_cells(sources: Iterable[str]) -> str:
    """One module out of its cells: two blank lines between, one newline at the end."""
    return ("\n" * (BETWEEN + 1)).join(
        stripped for source in sources if (stripped := source.strip("\n"))
    ) + "\n"


def plain_python(source: str) -> str:
    """The cell with IPython's own lines turned into comments, line for line.

    A line that only looks like one (inside a text, say) is left alone: Python's parser decides.
    """
    lines = source.split("\n")
    if not any(map(MAGIC.match, lines)) or (len(source) <= MAX_PARSED and _parses(source)):
        return source
    return "\n".join(_without_magic(line) for line in lines)


def _without_magic(line: str) -> str:
    """`pass` keeps an `if` above an indented magic line a whole statement."""
    if not MAGIC.match(line):
        return line
    bare = line.lstrip()
    return f"{line[: len(line) - len(bare)]}pass  # {bare}"


def _parses(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def places(ids: Sequence[tuple[str, str]], expected: Collection[str]) -> dict[str, int]:
    """Which of the cells, given by grade_id and cell id, each expected one is; some may lack.

    Of several with one grade_id it is the last, as in nbgrader. A cell id stands in for a grade_id
    that was lost.
    """
    by_cell_id = {
        cell_id: place for place, (grade_id, cell_id) in enumerate(ids) if grade_id not in expected
    }
    by_grade_id = {grade_id: place for place, (grade_id, _) in enumerate(ids)}
    found = by_cell_id | by_grade_id
    return {name: found[name] for name in expected if name in found}


def _program(cells: list[tuple[str, str, str]], expected: tuple[str, ...]) -> dict[str, str | None]:
    """The source of every expected cell, None for one that is not there."""
    found = places([(grade_id, cell_id) for grade_id, cell_id, _ in cells], expected)
    return {name: cells[found[name]][2] if name in found else None for name in expected}


def _code_cells(notebook: Any) -> Iterator[tuple[str, str, str]]:
    """grade_id, cell id and source of each code cell; the ids are empty where there are none."""
    cells = _mapping(notebook, "the file").get("cells")
    if not isinstance(cells, list):
        raise ValueError("it has no list of cells; save it again from Jupyter as a notebook")
    for number, data in enumerate(cells, start=1):
        cell = _mapping(data, f"cell {number}")
        if cell.get("cell_type") != "code":
            continue
        metadata = _mapping(cell.get("metadata", {}), f"the metadata of cell {number}")
        nbgrader = _mapping(metadata.get("nbgrader", {}), f"the metadata of cell {number}")
        ids = (nbgrader.get("grade_id", ""), cell.get("id", ""))
        grade_id, cell_id = (text if isinstance(text, str) else "" for text in ids)
        yield grade_id, cell_id, _source(cell.get("source", ""), number)


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is not a JSON object; save the notebook again from Jupyter")
    return value


def _source(value: Any, number: int) -> str:
    lines = value if isinstance(value, list) else [value]
    if not all(isinstance(line, str) for line in lines):
        raise ValueError(f"the source of cell {number} is not text; save it again from Jupyter")
    source = "".join(lines)
    try:
        source.encode()
    except UnicodeEncodeError:
        raise ValueError(f"cell {number} holds a character that no file can hold") from None
    return source
