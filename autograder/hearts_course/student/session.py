"""What lasts between two calls of `check` and `hint` in one notebook."""

import ast
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from typing import Any

from hearts_course.course import Course, Stage, Task
from hearts_course.errors import CourseError, UsageError
from hearts_course.notebook import DEFINITION, CodeCell, given_cells, program_cells
from hearts_course.results import Result
from hearts_course.student.brief_examples import DifferingExample, examples_in_work
from hearts_course.student.live import MainGuards, let_ctrl_c_leave, notebook_finder
from hearts_course.student.names import conflicting_definitions, new_definitions
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

THIS_NOTEBOOK = "this notebook"
MAX_NAMED = 3  # cells in a note; more are counted
OF_IPYTHON = {"In", "Out", "get_ipython", "exit", "quit", "open"}


@dataclass(frozen=True)
class NotebookCheck:
    """The result of a check, how the saved notebook differs, if at all, and other notes.

    `where` names the program that was checked. `page` is the path of the feedback page, "" if none
    was written. `program` stands for the program, and `examples` are those of the brief that
    differ, by task id. Where mere objects were checked, both are empty.
    """

    result: Result
    where: str = THIS_NOTEBOOK
    unsaved: str = ""
    notes: tuple[str, ...] = ()
    page: str = ""
    program: str = ""
    examples: Mapping[str, DifferingExample] = field(default_factory=dict)


class NotebookSession:
    """A notebook: the stage whose program it holds, if any, and the cells that were run.

    If it holds a program, its cells make up the stage's modules, as when it is graded. Otherwise
    the objects in its namespace are checked.
    """

    def __init__(self, course: Course) -> None:
        """Begin without a stage."""
        self.course = course
        self._own: Stage | None = None  # the stage whose program the cells make up
        self._last: Stage | None = None  # of the last call, for a notebook without a program
        self._runs: dict[str, str] = {}  # cells as they were last run, by id
        self._shell: Any = None
        self._guards = MainGuards()
        self._state = StudentState()

    def load_state(self) -> tuple[StudentState, str]:
        """Return the student's state, and a note if its file was damaged."""
        workspace = find_workspace(self.course, Path.cwd())
        if workspace is None:
            return self._state, ""
        self._state = workspace.state
        return self._state, workspace.note

    def update_state(self, change: Callable[[StudentState], StudentState]) -> None:
        """Change the student's state, also in the workspace if there is one to write to."""
        self._state = change(self._state)
        with suppress(CourseError, OSError):
            if workspace := find_workspace(self.course, Path.cwd()):
                workspace.update_state(change)

    def find_task(self, name: str) -> tuple[Stage, Task | None]:
        """Return the stage and task of that name; without a name, this notebook's stage.

        A number means the task with that number in this notebook's stage. In a notebook without a
        program, the stage of the last call takes the place of the notebook's stage.
        """
        own_stage = self._own
        name = str(name or "")  # a student may also give a number
        if own_stage and name.isdecimal() and not name.startswith("0"):
            return own_stage, _numbered(own_stage, int(name))
        here = own_stage or self._last
        stage, task = locate(self.course, name or None, here=lambda: here)
        if stage := stage or here:
            self._last = stage
            return stage, task
        ids: list[str] = []
        for any_stage in self.course.stages:
            ids += any_stage.task_ids
        raise UsageError(f'say which task, as in check("{ids[0]}"): {", ".join(ids)}')

    def holds(self, stage: Stage) -> bool:
        """Return whether the notebook's cells are, or could be, the program of the stage."""
        return self._own in (stage, None)

    def open(self, name: str, names: dict[str, Any], shell: Any) -> None:
        """Let the notebook hold the program of that stage; raise UsageError if there is none.

        `names` is the notebook's namespace, and `shell` the IPython that runs it, None outside it.
        """
        self._own = self.course.stage(str(name))
        notebook_finder(self.course).open(self._own, names)
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
            self._runs[cell] = info.raw_cell

    def _run_above(self, cell: str) -> None:
        """Before a cell of the program runs, run the cells above it that were not run yet.

        After a page was loaded again, a task's cell would otherwise not find what the cells above
        it define. They are run as they are saved, and an error in them is not shown: it belongs to
        a cell that the student did not run.
        """
        stage = self._own
        names = self._shell.user_ns
        if stage is None:
            return
        path = _own_file(stage, names) or self.folder / stage.notebook.name
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
            if above.id not in self._runs:
                self._runs[above.id] = above.source
                with suppress(Exception):
                    tree = self._guards.visit(ast.parse(above.source), tell=False)
                    exec(compile(tree, f"<{path.name}>", "exec"), names)

    def check(
        self, stage: Stage, task: Task | None, names: Mapping[str, Any], *, full: bool = False
    ) -> NotebookCheck:
        """Return the result of the visible tests on the cells as they were last run.

        A program of another stage than this notebook's is checked as it is saved. `full` adds the
        hidden ones, and writes the feedback page of a whole stage. Raise CourseError if the
        notebook or an earlier stage cannot be read.
        """
        from hearts_course.testing.in_process import check_namespace

        work, unsaved, notes = self._program(stage, names)
        if work is None and self.holds(stage):
            only = None
            if task:
                only = task.id
            return NotebookCheck(check_namespace(stage, names, task=only, hidden=full))
        where = THIS_NOTEBOOK
        if work is None:
            work = find_work(self.folder, stage)
            where = work.where
            notes = (f"this is {stage.name} as saved in {where}", *filter(None, [work.note]))
        tasks = list(filter(None, [task]))
        result = check_work(self.course, self.folder, work, tasks, full=full)
        page = ""
        if full and not task:
            page = write_feedback(self.course, self.folder, work, result)
        examples = examples_in_work(self.course, self.folder, work, result)
        return NotebookCheck(result, where, unsaved, notes, page, work.digest, examples)

    @property
    def folder(self) -> Path:
        """The workspace, or else the current folder."""
        return find_root(Path.cwd()) or Path.cwd()

    def work(self, stage: Stage, names: Mapping[str, Any]) -> StageWork:
        """Return the program in the cells as they were last run, or else in the workspace.

        It is what a check looks at, whether it is saved or not.
        """
        return self._program(stage, names)[0] or find_work(self.folder, stage)

    def _program(
        self, stage: Stage, names: Mapping[str, Any]
    ) -> tuple[StageWork | None, str, tuple[str, ...]]:
        """Return the program, how the notebook's file differs from it, and other notes.

        If the notebook's file is not found, use the cells that were run, together with the course's
        own notebook. If neither is there, no cell is known, and the program is None.
        """
        if stage != self._own:
            return None, "", ()
        path = _own_file(stage, names) or self.folder / stage.notebook.name
        read_from = path
        if not path.is_file():  # the notebook as it was handed out says which cells there are
            read_from = stage.notebook
        cells = notebook_contents(read_from, stage).cells
        run, scratch = self._last_run(cells)
        if read_from != path and not run:
            return None, "", ()
        kernel = [name for name in names if not name.startswith("_") and name not in OF_IPYTHON]
        work = read_notebook_work(read_from, stage, run, scratch=scratch, kernel=kernel)
        note = ""
        unsaved = ""
        if read_from != path:
            programs = {cells[place].program for place in run}
            titles = program_cells(stage).items()
            if missing := [title for name, title in titles if name not in programs]:
                note = f"not run yet, so it counts as not written: {listed(missing)}"
        elif run:
            note = _not_run_note(work, cells, run)
            unsaved = _unsaved_note(work, cells, run)
        else:
            note = _saved_note(work)
        notes = filter(None, (work.note, note, _renamed_note(path, stage)))
        return work, unsaved, (*notes, *_conflicts(work), *self._outdated_imports(work))

    def _last_run(self, cells: Sequence[CodeCell]) -> tuple[dict[int, str], list[str]]:
        """Return the last run texts of solution cells, by position, and the texts of other cells.

        The front end may say which cell it runs. Otherwise IPython's history is compared with the
        saved cells.
        """
        if self._runs.keys() & {cell.id for cell in cells}:
            places = {cell.id: place for place, cell in enumerate(cells) if cell.program}
            run: dict[int, str] = {}
            others: list[str] = []
            for name, text in self._runs.items():
                if name in places:
                    run[places[name]] = text
                else:
                    others.append(text)
            return run, others
        history = getattr(self._shell, "history_manager", None)
        if history is None:
            return {}, []
        return match_runs(history.input_hist_raw, cells)

    def _outdated_imports(self, work: StageWork) -> Iterator[str]:
        """Say which earlier modules have definitions that they had not when they were imported.

        Python imports a module once, so what was written since is missing until the kernel starts
        again.
        """
        if self._shell is None:
            return
        for earlier in self.course.prerequisites(work.stage):
            imported = [name for name in earlier.modules if name in sys.modules]
            if not imported:
                continue
            modules = find_work(self.folder, earlier).modules
            for module in imported:
                new = new_definitions(modules[module], vars(sys.modules[module]))
                if new:
                    yield (
                        f"this kernel imported {module} before it had `{new[0]}`: restart the "
                        "kernel to use that here"
                    )


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


def _unsaved_note(work: StageWork, cells: Sequence[CodeCell], run: Mapping[int, str]) -> str:
    """Return which cells were run with another text than is saved; "" if none was."""
    changed: list[str] = []
    for place, text in sorted(run.items()):
        if text.strip() != cells[place].source.strip():
            changed.append(cells[place].program)
    if not changed:
        return ""
    return (
        f"{_cells_in_words(work.stage, changed)}: what you ran, which is checked here, is not what "
        f"is saved; save {work.where}, or run what is saved"
    )


def _not_run_note(work: StageWork, cells: Sequence[CodeCell], run: Mapping[int, str]) -> str:
    """Return which written cells above the last run cell were not run; "" if all were.

    Cells below the last run cell do not count, because somebody may run the notebook from top to
    bottom.
    """
    starter = given_cells(work.stage)
    waiting: list[str] = []
    for place, cell in enumerate(cells[: max(run)]):
        if not cell.program or place in run:
            continue
        if cell.source.strip() != starter[cell.program].strip():
            waiting.append(cell.program)
    if not waiting:
        return ""
    return f"{_cells_in_words(work.stage, waiting)}: not run yet, so this checks what is saved"


def _cells_in_words(stage: Stage, names: Iterable[str]) -> str:
    """Return the titles of these cells of the program, or their number if they are many."""
    titles = program_cells(stage)
    unique = list(dict.fromkeys(names))
    if len(unique) > MAX_NAMED:
        return f"{len(unique)} cells of the program"
    return listed(titles[name] for name in unique)


def _numbered(stage: Stage, number: int) -> Task:
    """Return the stage's task of that number; raise UsageError if there is none."""
    if not 1 <= number <= len(stage.tasks):
        raise UsageError(
            f"{stage.name} has no task {number}; its tasks are 1 to {len(stage.tasks)}. Another "
            'stage is named with two digits, as in check("01")'
        )
    return stage.tasks[number - 1]


def _saved_note(work: StageWork) -> str:
    """Return a note that the saved notebook was checked because no cell was run, and its time."""
    time = datetime.fromtimestamp(work.saved).strftime("%H:%M:%S")
    return f"no cell of the program was run yet: this is {work.where} as saved at {time}"


def _renamed_note(path: Path, stage: Stage) -> str:
    """Return that a copy cannot be handed in under its name; "" for the usual name."""
    if path.name == stage.notebook.name:
        return ""
    return f"this is {path.name}, but `hearts submit` takes {stage.notebook.name}: rename it first"


def _conflicts(work: StageWork) -> Iterator[str]:
    """Say which definitions of two modules would replace each other in this notebook."""
    for name, modules in conflicting_definitions(work.modules).items():
        yield (
            f"{' and '.join(modules)} each define `{name}`, but not in the same way; in a notebook "
            "the one that was run last replaces the other: rename one of them"
        )
