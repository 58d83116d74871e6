"""The cells of a notebook with the texts that were run last; its saved file may be older.

A solution cell is a cell that holds a part of the stage's program.
"""

import ast
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from typing import Any

from hearts_course.course import Stage
from hearts_course.errors import CourseError
from hearts_course.notebook import DEFINITION, CodeCell
from hearts_course.student.live import MainGuards, let_ctrl_c_leave
from hearts_course.student.work import notebook_contents
from hearts_course.student.workspace import find_root


class RunCells:
    """The texts of the cells that IPython has run since the call of `follow`."""

    def __init__(self) -> None:
        """Begin without IPython, so that no cell is known."""
        self._texts: dict[str, str] = {}  # texts by the cell's id
        self._shell: Any = None
        self._stage: Stage | None = None
        self._guards = MainGuards()

    @property
    def in_ipython(self) -> bool:
        """Whether IPython runs the notebook."""
        return self._shell is not None

    def follow(self, shell: Any, stage: Stage) -> None:
        """Keep the text of each cell that this IPython runs from now on.

        `stage` is the stage that the notebook is about. `shell` is None outside IPython.
        """
        self._stage = stage
        self._shell = shell
        if shell is not None:
            shell.events.register("pre_run_cell", self._keep_cell)
            if self._guards not in shell.ast_transformers:
                shell.ast_transformers.append(self._guards)

    def _keep_cell(self, info: Any) -> None:
        """Keep the text of the cell that is about to run, if the front end gives the cell's id.

        A check must be about the text that was run, and the saved notebook may be older.
        """
        if sys.platform == "emscripten":
            let_ctrl_c_leave()
        cell = info.cell_id
        # In a browser, only the kernel knows the cell's id. Other kernels may have no `get_parent`
        # or no `cellId`.
        with suppress(AttributeError, KeyError, TypeError):
            cell = cell or self._shell.kernel.get_parent()["metadata"]["cellId"]
        if cell:
            self._run_above(cell)
            self._texts[cell] = info.raw_cell

    def _run_above(self, cell: str) -> None:
        """Before a cell of the program runs, run the program's cells above it that were not run.

        Otherwise, after a reload of the page, the cell would lack the definitions above it. The
        saved texts are run. An error in them is not shown, because the student did not run these
        cells.
        """
        stage = self._stage
        names = self._shell.user_ns
        if stage is None:
            return
        path = notebook_path(stage, names)
        if not path.is_file():
            return
        try:
            cells = notebook_contents(path, stage).cells
        except CourseError:
            return
        program = [code_cell for code_cell in cells if code_cell.program]
        if cell not in {code_cell.id for code_cell in program}:
            return
        for above in takewhile(lambda code_cell: code_cell.id != cell, program):
            if above.id not in self._texts:
                self._texts[above.id] = above.source
                with suppress(Exception):
                    tree = self._guards.visit(ast.parse(above.source), tell=False)
                    exec(compile(tree, f"<{path.name}>", "exec"), names)

    def last_run(self, cells: Sequence[CodeCell]) -> tuple[dict[int, str], list[str]]:
        """Return the text last run in each solution cell, and the texts of other cells.

        The first result maps the positions of cells to texts. If the front end gave the ids of the
        cells, the texts are known by id. Otherwise IPython's history is compared with the saved
        cells.
        """
        if self._texts.keys() & {cell.id for cell in cells}:
            places = {cell.id: place for place, cell in enumerate(cells) if cell.program}
            run: dict[int, str] = {}
            others: list[str] = []
            for name, text in self._texts.items():
                if name in places:
                    run[places[name]] = text
                else:
                    others.append(text)
            return run, others
        history = getattr(self._shell, "history_manager", None)
        if history is None:
            return {}, []
        return match_runs(history.input_hist_raw, cells)


def notebook_folder() -> Path:
    """Return the workspace, or else the current folder."""
    return find_root(Path.cwd()) or Path.cwd()


def notebook_path(stage: Stage, names: Mapping[str, Any]) -> Path:
    """Return the path of the notebook's file, which need not exist.

    `names` is the notebook's namespace.
    """
    return _own_file(stage, names) or notebook_folder() / stage.notebook.name


def _own_file(stage: Stage, names: Mapping[str, Any]) -> Path | None:
    """Return the notebook's path as Jupyter or VS Code gives it, else None.

    The file may have any name, but it must hold a part of the stage's program.
    """
    for name in (os.environ.get("JPY_SESSION_NAME"), names.get("__vsc_ipynb_file__")):
        with suppress(CourseError, OSError):
            path = Path(str(name))
            if path.suffix == stage.notebook.suffix and notebook_contents(path, stage).modules:
                return path
    return None


def match_runs(
    history: Iterable[str], cells: Iterable[CodeCell]
) -> tuple[dict[int, str], list[str]]:
    """Return the last text in the history for each solution cell, and all other texts.

    The first result maps the positions of cells to texts. A text that equals a saved solution cell
    belongs to that cell. A text that is not saved in any cell belongs to the solution cell that
    defines most of the same names. If the text defines nothing, it belongs to a cell with the same
    first line, or else to the most similar cell.
    """
    cells = [replace(cell, source=cell.source.strip()) for cell in cells]
    sources = {place: cell.source for place, cell in enumerate(cells) if cell.program}
    scratch = {cell.source for cell in cells}.difference(sources.values())
    saved = {source: place for place, source in sources.items()}
    runs = {}
    others = []
    for text in history:
        bare = text.strip()
        place = None
        if bare in saved:
            place = saved[bare]
        elif bare not in scratch:
            place = _nearest(bare, sources)
        if place is None:
            others.append(text)
        else:
            runs[place] = text
    return runs, others


def _nearest(text: str, sources: Mapping[int, str]) -> int | None:
    """Return the position of the solution cell that the text is another version of, if any.

    None means that the student was only trying something out.
    """
    defined = {place: _defined(source) for place, source in sources.items()}
    names = _defined(text)
    if names:
        best = max(defined, key=lambda place: len(defined[place] & names), default=None)
        if best is not None and defined[best] & names:
            return best
        return None
    plain = {sources[place]: place for place, names in defined.items() if not names}
    first_line = text.partition("\n")[0]
    versions = [source for source in plain if source.partition("\n")[0] == first_line]
    versions = versions or get_close_matches(text, plain, 1)
    if not versions:
        return None
    return plain[versions[0]]


def _defined(text: str) -> set[str]:
    """Return the functions and classes that a cell defines, but not its variables."""
    return {match[2] for match in DEFINITION.finditer(text)}
