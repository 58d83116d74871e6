"""What a notebook remembers between two calls such as `check` and `hint`."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from hearts_course.course import Course, Stage, Task
from hearts_course.errors import CourseError, UsageError
from hearts_course.student.live import notebook_finder
from hearts_course.student.notebook_notes import (
    conflicts,
    missing_note,
    not_run_note,
    outdated_imports,
    renamed_note,
    saved_note,
    unsaved_note,
)
from hearts_course.student.run_cells import RunCells, notebook_folder, notebook_path
from hearts_course.student.state import StudentState
from hearts_course.student.work import StageWork, find_work, notebook_contents, read_notebook_work
from hearts_course.student.workspace import find_workspace, locate

OF_IPYTHON = {"In", "Out", "get_ipython", "exit", "quit", "open"}


class NotebookSession:
    """A notebook: the stage whose program it holds, if any, and the cells that were run.

    If the notebook holds a program, its cells make up the stage's modules, as in grading. Otherwise
    a check looks at the objects in the notebook's namespace.
    """

    def __init__(self, course: Course) -> None:
        """Begin without a stage."""
        self.course = course
        self._own: Stage | None = None  # the stage whose program the cells make up
        self._last: Stage | None = None  # the last call's stage, for a notebook without a program
        self._run_cells = RunCells()
        self._state = StudentState()

    def load_state(self) -> tuple[StudentState, str]:
        """Return the student's state, and a note if its file was damaged."""
        workspace = find_workspace(self.course, Path.cwd())
        if workspace is None:
            return self._state, ""
        self._state = workspace.state
        return self._state, workspace.note

    def update_state(self, change: Callable[[StudentState], StudentState]) -> None:
        """Change the student's state here, and in the workspace if it can be written to."""
        self._state = change(self._state)
        with suppress(CourseError, OSError):
            if workspace := find_workspace(self.course, Path.cwd()):
                workspace.update_state(change)

    def find_task(self, name: str) -> tuple[Stage, Task | None]:
        """Return the stage and task that the name means; if it means a stage, the task is None.

        `name` is the name of a stage or of a task. A number means the task with that number in this
        notebook's stage. An empty name means this notebook's stage or, if the notebook holds no
        program, the stage of the last call. Raise UsageError if no stage or task fits the name.
        """
        own_stage = self._own
        name = str(name or "")  # a student may also give an `int`
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
        """Return whether the notebook holds the stage's program, or holds no program yet."""
        return self._own in (stage, None)

    def open(self, name: str, names: dict[str, Any], shell: Any) -> None:
        """Remember that this notebook holds the program of stage `name`, and follow its cells.

        Raise UsageError if there is no such stage. `names` is the notebook's namespace. `shell` is
        the IPython that runs it, None outside IPython.
        """
        self._own = self.course.stage(str(name))
        notebook_finder(self.course).open(self._own, names)
        self._run_cells.follow(shell, self._own)

    @property
    def folder(self) -> Path:
        """The workspace, or else the current folder."""
        return notebook_folder()

    def work(self, stage: Stage, names: Mapping[str, Any]) -> StageWork:
        """Return the stage's program in this notebook, or else the program in the workspace.

        For a cell of this notebook, the text that was last run counts, whether saved or not.
        """
        return self.program(stage, names)[0] or find_work(self.folder, stage)

    def program(
        self, stage: Stage, names: Mapping[str, Any]
    ) -> tuple[StageWork | None, str, tuple[str, ...]]:
        """Return the program, how the notebook's file differs from it, and other notes.

        If a cell was run, the text of its last run counts. For any other cell, the saved text
        counts. If the notebook's file is not found, the course's notebook takes its place. The
        program is None if the notebook holds another stage, or if its file is not found and no cell
        was run.
        """
        if stage != self._own:
            return None, "", ()
        path = notebook_path(stage, names)
        read_from = path
        if not path.is_file():  # the course's notebook has the same cells
            read_from = stage.notebook
        cells = notebook_contents(read_from, stage).cells
        run, scratch = self._run_cells.last_run(cells)
        if read_from != path and not run:
            return None, "", ()
        kernel = [name for name in names if not name.startswith("_") and name not in OF_IPYTHON]
        work = read_notebook_work(read_from, stage, run, scratch=scratch, kernel=kernel)
        note = ""
        unsaved = ""
        if read_from != path:
            note = missing_note(stage, cells, run)
        elif run:
            note = not_run_note(work, cells, run)
            unsaved = unsaved_note(work, cells, run)
        else:
            note = saved_note(work)
        notes = [*filter(None, (work.note, note, renamed_note(path, stage))), *conflicts(work)]
        if self._run_cells.in_ipython:
            notes += outdated_imports(self.course, self.folder, work)
        return work, unsaved, tuple(notes)


def _numbered(stage: Stage, number: int) -> Task:
    """Return the stage's task of that number; raise UsageError if there is none."""
    if not 1 <= number <= len(stage.tasks):
        raise UsageError(
            f"{stage.name} has no task {number}; its tasks are 1 to {len(stage.tasks)}. Another "
            'stage is named with two digits, as in check("01")'
        )
    return stage.tasks[number - 1]
