"""What lasts between two calls of `check` and `hint` in one notebook."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from hearts_course.course import Course, Stage, Task
from hearts_course.errors import CourseError, UsageError
from hearts_course.notebook import program_cells
from hearts_course.results import Result
from hearts_course.student.live import MainGuards, conflicting_definitions, notebook_finder
from hearts_course.student.state import StudentState
from hearts_course.student.work import StageWork, check_work, read_notebook_work
from hearts_course.student.workspace import find_root, find_workspace, locate


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
        if shell is not None:
            shell.events.register("pre_run_cell", self._keep_cell)
            if self._guards not in shell.ast_transformers:
                shell.ast_transformers.append(self._guards)

    def _keep_cell(self, info: Any) -> None:
        """Keep the text of a cell about to be run, if the front end says which cell it is."""
        if info.cell_id:
            self._runs[info.cell_id] = info.raw_cell

    def check(
        self, stage: Stage, task: Task | None, names: Mapping[str, Any]
    ) -> tuple[Result, tuple[str, ...]]:
        """Return the result of the visible tests, and notes on the program that was tested.

        Raise CourseError if the notebook or an earlier stage cannot be read.
        """
        from hearts_course.testing.in_process import check_namespace

        folder = find_root(Path.cwd()) or Path.cwd()
        cells = program_cells(stage) if stage == self._own else ()
        run = {name: text for name, text in self._runs.items() if name in cells}
        if cells and (folder / stage.notebook.name).is_file():
            work = read_notebook_work(folder, stage, run)
            note = "" if run else _saved_note(work)
        elif run:  # never saved: the course's own notebook with these cells
            work = read_notebook_work(stage.notebook.parent, stage, run)
            missing = ", ".join(name for name in cells if name not in run)
            note = f"not run yet, so it counts as not written: {missing}" if missing else ""
        else:
            return check_namespace(stage, names, task=task.id if task else None), ()
        notes = (*filter(None, (work.note, note)), *_conflicts(work))
        return check_work(self.course, folder, work, task), notes


def _saved_note(work: StageWork) -> str:
    time = datetime.fromtimestamp(work.saved).strftime("%H:%M:%S")
    return f"this is {work.where} as saved at {time}; save it before you check"


def _conflicts(work: StageWork) -> Iterator[str]:
    for name, modules in conflicting_definitions(work.modules).items():
        yield (
            f"{' and '.join(modules)} each define `{name}`, but not in the same way; in a notebook "
            "the one that was run last replaces the other: rename one of them"
        )
