"""What lasts between two calls of `check` and `hint` in one notebook."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hearts_course.course import Course, Stage, Task
from hearts_course.errors import CourseError, UsageError
from hearts_course.notebook import DEFINITION, CodeCell, program_cells
from hearts_course.results import Result
from hearts_course.student.live import MainGuards, notebook_finder
from hearts_course.student.names import conflicting_definitions
from hearts_course.student.state import StudentState
from hearts_course.student.work import (
    StageWork,
    check_work,
    find_work,
    notebook_contents,
    read_notebook_work,
    write_feedback,
)
from hearts_course.student.workspace import find_root, find_workspace, locate
from hearts_course.text import listed


@dataclass(frozen=True)
class NotebookCheck:
    """The result of a check, how the saved notebook differs, if at all, and other notes.

    `page` is the path of the feedback page, "" if none was written.
    """

    result: Result
    unsaved: str = ""
    notes: tuple[str, ...] = ()
    page: str = ""


class NotebookSession:
    """A notebook: the stage whose program it holds, if any, and the cells that were run.

    If it holds a program, its cells make up the stage's modules, as when it is graded. Otherwise
    the objects in its namespace are checked.
    """

    def __init__(self, course: Course) -> None:
        """Begin without a stage."""
        self.course = course
        self.stage: Stage | None = None  # that of the last call
        self._own: Stage | None = None  # whose program the cells make up
        self._runs: dict[str, str] = {}  # cells as they were last run, by id
        self._shell: Any = None
        self._guards = MainGuards()
        self._state = StudentState()

    def load_state(self) -> tuple[StudentState, str]:
        """Return the student's state, and a note if its file was damaged."""
        workspace = find_workspace(self.course, Path.cwd())
        if workspace:
            self._state = workspace.state
        return self._state, workspace.note if workspace else ""

    def update_state(self, change: Callable[[StudentState], StudentState]) -> None:
        """Change the student's state, also in the workspace if there is one to write to."""
        self._state = change(self._state)
        with suppress(CourseError, OSError):
            if workspace := find_workspace(self.course, Path.cwd()):
                workspace.update_state(change)

    def find_task(self, name: str) -> tuple[Stage, Task | None]:
        """Return the stage and task of that name; without a name, the stage of the last call."""
        stage, task = locate(self.course, str(name) if name else None)
        self.stage = stage or self.stage
        if self.stage is None:
            tasks = [t.id for s in self.course.stages for t in s.tasks]
            raise UsageError(f'say which task, as in check("{tasks[0]}"): {", ".join(tasks)}')
        return self.stage, task

    def open(self, name: str, names: dict[str, Any], shell: Any) -> None:
        """Let the notebook hold the program of that stage; raise UsageError if there is none.

        `names` is the notebook's namespace, and `shell` the IPython that runs it, None outside it.
        """
        self.stage = self._own = self.course.stage(str(name))
        notebook_finder(self.course).open(self._own, names)
        self._shell = shell
        if shell is not None:
            shell.events.register("pre_run_cell", self._keep_cell)
            if self._guards not in shell.ast_transformers:
                shell.ast_transformers.append(self._guards)

    def _keep_cell(self, info: Any) -> None:
        """Keep the text of a cell about to be run, if the front end says which cell it is."""
        cell = info.cell_id
        with suppress(AttributeError, KeyError, TypeError):  # a browser's kernel says it elsewhere
            cell = cell or self._shell.kernel.get_parent()["metadata"]["cellId"]
        if cell:
            self._runs[cell] = info.raw_cell

    def check(
        self, stage: Stage, task: Task | None, names: Mapping[str, Any], *, full: bool = False
    ) -> NotebookCheck:
        """Return the result of the visible tests on the cells as they were last run.

        `full` adds the hidden ones, and writes the feedback page of a whole stage. Raise
        CourseError if the notebook or an earlier stage cannot be read.
        """
        from hearts_course.testing.in_process import check_namespace

        work, unsaved, notes = self._program(stage, names)
        if work is None:
            only = task.id if task else None
            return NotebookCheck(check_namespace(stage, names, task=only, hidden=full))
        result = check_work(self.course, self.folder, work, [task] if task else [], full=full)
        page = "" if task or not full else write_feedback(self.course, self.folder, work, result)
        return NotebookCheck(result, unsaved, notes, page)

    @property
    def folder(self) -> Path:
        """The workspace, or else the current folder."""
        return find_root(Path.cwd()) or Path.cwd()

    def work(self, stage: Stage, names: Mapping[str, Any]) -> StageWork:
        """Return the program in the cells as they were last run, or else in the workspace."""
        return self._program(stage, names)[0] or find_work(self.folder, stage)

    def _program(
        self, stage: Stage, names: Mapping[str, Any]
    ) -> tuple[StageWork | None, str, tuple[str, ...]]:
        """Return the program, None if no cell of it is known; how the file differs; other notes."""
        if stage != self._own:
            return None, "", ()
        path = _own_file(stage, names) or self.folder / stage.notebook.name
        saved = path if path.is_file() else stage.notebook
        cells = notebook_contents(saved, stage).cells
        run, certain = self._last_run(cells)
        if saved != path and not run:
            return None, "", ()
        work = read_notebook_work(saved, stage, run, names)
        note = "" if run else _saved_note(work)
        unsaved, titles = "", program_cells(stage)
        if saved != path:
            programs = {cells[place].program for place in run}
            missing = listed(title for name, title in titles.items() if name not in programs)
            note = f"not run yet, so it counts as not written: {missing}" if missing else ""
        elif not certain:
            changed = {
                cell.program
                for place, cell in enumerate(cells)
                if run.get(place, cell.source).strip() != cell.source.strip()
            }
            if where := listed(title for name, title in titles.items() if name in changed):
                unsaved = f"this is what you ran last; save {work.where}, which differs in {where}"
        notes = (*filter(None, (work.note, note, _renamed_note(path, stage))), *_conflicts(work))
        return work, unsaved, notes

    def _last_run(self, cells: Sequence[CodeCell]) -> tuple[dict[int, str], bool]:
        """Return the last run texts of solution cells, by position, and whether these are certain.

        The front end may say which cell it runs. Otherwise IPython's history is compared with the
        saved cells.
        """
        if self._runs.keys() & {cell.id for cell in cells}:
            known = ((place, cell) for place, cell in enumerate(cells) if cell.program)
            run = {place: self._runs[cell.id] for place, cell in known if cell.id in self._runs}
            return run, True
        history = getattr(self._shell, "history_manager", None)
        return match_runs(history.input_hist_raw if history else (), cells), False


def _own_file(stage: Stage, names: Mapping[str, Any]) -> Path | None:
    """Return the notebook's file if Jupyter or VS Code names it; a copy has a name of its own."""
    for name in (os.environ.get("JPY_SESSION_NAME"), names.get("__vsc_ipynb_file__")):
        with suppress(CourseError, OSError):
            path = Path(str(name))
            if path.suffix == stage.notebook.suffix and notebook_contents(path, stage).modules:
                return path
    return None


def match_runs(history: Iterable[str], cells: Iterable[CodeCell]) -> dict[int, str]:
    """Return, for each solution cell that was run, by position, its last text in the history.

    A text that is in no saved cell belongs to the cell that defines most of the same names. Without
    any definition, it belongs to the cell with the same first line, or else to the most similar.
    """
    cells = [replace(cell, source=cell.source.strip()) for cell in cells]
    sources = {place: cell.source for place, cell in enumerate(cells) if cell.program}
    scratch = {cell.source for cell in cells}.difference(sources.values())
    saved = {source: place for place, source in sources.items()}
    found = {}
    for text in history:
        bare = text.strip()
        if bare not in scratch and (place := saved.get(bare, _nearest(bare, sources))) is not None:
            found[place] = text
    return found


def _nearest(text: str, sources: Mapping[int, str]) -> int | None:
    """Return the position of the solution cell that the text is a newer version of, if any."""
    defined = {place: _defined(source) for place, source in sources.items()}
    names = _defined(text)
    if names:
        best = max(defined, key=lambda place: len(defined[place] & names), default=None)
        return best if best is not None and defined[best] & names else None
    plain = {sources[place]: place for place, names in defined.items() if not names}
    begin = text.partition("\n")[0]
    same = [source for source in plain if source.partition("\n")[0] == begin]
    return next((plain[source] for source in same or get_close_matches(text, plain, 1)), None)


def _defined(text: str) -> set[str]:
    return {match[2] for match in DEFINITION.finditer(text)}


def _saved_note(work: StageWork) -> str:
    time = datetime.fromtimestamp(work.saved).strftime("%H:%M:%S")
    return f"no cell of the program was run yet: this is {work.where} as saved at {time}"


def _renamed_note(path: Path, stage: Stage) -> str:
    if path.name == stage.notebook.name:
        return ""
    return f"this is {path.name}, but `hearts submit` takes {stage.notebook.name}: rename it first"


def _conflicts(work: StageWork) -> Iterator[str]:
    for name, modules in conflicting_definitions(work.modules).items():
        yield (
            f"{' and '.join(modules)} each define `{name}`, but not in the same way; in a notebook "
            "the one that was run last replaces the other: rename one of them"
        )
