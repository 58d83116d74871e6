"""The cells of a notebook as they were last run, which its file on the disk may not have."""

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
    """The texts of the cells that IPython has run since it is followed."""

    def __init__(self) -> None:
        """Begin without IPython: then no cell is known."""
        self._texts: dict[str, str] = {}  # by the cell's id
        self._shell: Any = None
        self._stage: Stage | None = None
        self._guards = MainGuards()

    @property
    def in_ipython(self) -> bool:
        """Whether there is an IPython that runs the notebook."""
        return self._shell is not None

    def follow(self, shell: Any, stage: Stage) -> None:
        """Keep what this IPython runs from now on, in a notebook with the program of the stage.

        `shell` is None outside IPython.
        """
        self._stage = stage
        self._shell = shell
        if shell is not None:
            shell.events.register("pre_run_cell", self._keep_cell)
            if self._guards not in shell.ast_transformers:
                shell.ast_transformers.append(self._guards)

    def _keep_cell(self, info: Any) -> None:
        """Keep the text of a cell about to be run, if the front end says which cell it is.

        The notebook on the disk may be older, and a check must be about what was run.
        """
        if sys.platform == "emscripten":
            let_ctrl_c_leave()
        cell = info.cell_id
        with suppress(AttributeError, KeyError, TypeError):  # where a browser's kernel has the id
            cell = cell or self._shell.kernel.get_parent()["metadata"]["cellId"]
        if cell:
            self._run_above(cell)
            self._texts[cell] = info.raw_cell

    def _run_above(self, cell: str) -> None:
        """Before a cell of the program runs, run the cells above it that were not run yet.

        After a page was loaded again, a task's cell would otherwise not find what the cells above
        it define. They are run as they are saved, and an error in them is not shown: it belongs to
        a cell that the student did not run.
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
        """Return the last run texts of solution cells, by position, and the texts of other cells.

        The front end may say which cell it runs. Otherwise IPython's history is compared with the
        saved cells.
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
    """Return the notebook's file, or where it would be; `names` is the notebook's namespace."""
    return _own_file(stage, names) or notebook_folder() / stage.notebook.name


def _own_file(stage: Stage, names: Mapping[str, Any]) -> Path | None:
    """Return the notebook's file if Jupyter or VS Code names it; a copy has another name."""
    for name in (os.environ.get("JPY_SESSION_NAME"), names.get("__vsc_ipynb_file__")):
        with suppress(CourseError, OSError):
            path = Path(str(name))
            if path.suffix == stage.notebook.suffix and notebook_contents(path, stage).modules:
                return path
    return None


def match_runs(
    history: Iterable[str], cells: Iterable[CodeCell]
) -> tuple[dict[int, str], list[str]]:
    """Return, for each solution cell that was run, by position, its last text in the history.

    Return also the texts that belong to no solution cell. A text that is not saved in any cell
    belongs to the cell that defines most of the same names. If it has no definition, it belongs to
    the cell with the same first line, or else to the most similar cell.
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
    """Return the position of the solution cell that the text is a newer version of, if any.

    None means that the text is the student's own trying out, which is not part of the program.
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
