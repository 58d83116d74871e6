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
from hearts_course.student.checks import check_work
from hearts_course.student.live import MainGuards, Runs, defined_twice, import_live
from hearts_course.student.state import StudentState
from hearts_course.student.work import StageWork, read_notebook
from hearts_course.student.workspace import find_root, find_workspace, locate


class NotebookSession:
    """A notebook at work: the stage that it is about, if it is about one, and what was run in it.

    Such a notebook is checked as it will be graded: its cells make up the stage's modules. A
    notebook that is about no stage is checked by its objects.
    """

    def __init__(self, course: Course) -> None:
        """Begins with what the workspace around the notebook remembers, if there is one."""
        self.course = course
        self.stage: Stage | None = None
        self._own: Stage | None = None
        self._runs = Runs()
        self._guards = MainGuards()
        self._memory = StudentState()

    def recall(self) -> tuple[StudentState, str]:
        """What is remembered now, and a note if the memory was damaged."""
        workspace = find_workspace(self.course, Path.cwd())
        if workspace:
            self._memory = workspace.memory
        return self._memory, workspace.note if workspace else ""

    def remember(self, change: Callable[[StudentState], StudentState]) -> None:
        """Change what is remembered, in the workspace too if one can be written to."""
        self._memory = change(self._memory)
        with suppress(CourseError, OSError):
            if workspace := find_workspace(self.course, Path.cwd()):
                workspace.remember(change)

    def meant(self, name: str) -> tuple[Stage, Task | None]:
        """The stage and task of that name; no name means the stage that was last asked about."""
        stage, task = locate(self.course, str(name) if name else None)
        if stage is None and self.stage is None:
            tasks = [t.id for s in self.course.stages for t in s.tasks]
            raise UsageError(f'say which task, as in check("{tasks[0]}"): {", ".join(tasks)}')
        self.stage = stage or self.stage
        assert self.stage is not None
        return self.stage, task

    def open(self, name: str, names: dict[str, Any], shell: Any) -> None:
        """The notebook is about the stage of that name; raises UsageError if there is none.

        `names` is its namespace, and `shell` the IPython that runs it, None outside of it.
        """
        self.stage = self._own = self.course.stage(str(name))
        import_live(self._own, names)
        if shell is not None:
            shell.events.register("pre_run_cell", self._runs)
            if self._guards not in shell.ast_transformers:
                shell.ast_transformers.append(self._guards)

    def check(
        self, stage: Stage, task: Task | None, names: Mapping[str, Any]
    ) -> tuple[Result, tuple[str, ...]]:
        """The visible tests' result, and notes on what was tested.

        Raises CourseError if the notebook or an earlier stage cannot be read.
        """
        if found := self._program(stage):
            work, notes = found
            return check_work(self.course, self._folder(), work, task), notes
        from hearts_course.testing.in_process import check_namespace

        return check_namespace(stage, names, task=task.id if task else None), ()

    def _program(self, stage: Stage) -> tuple[StageWork, tuple[str, ...]] | None:
        """The notebook's program with notes on it, None if its cells are not known to be one."""
        if stage != self._own:
            return None
        cells = program_cells(stage)
        run = {name: text for name, text in self._runs.sources.items() if name in cells}
        folder, outline = self._folder(), stage.notebook.parent
        if (folder / stage.notebook.name).is_file():
            work = read_notebook(folder, stage, run)
            freshness = "" if run else _as_saved(work)
        elif run:
            work = read_notebook(outline, stage, run)
            freshness = _not_run([name for name in cells if name not in run])
        else:
            return None
        return work, (*filter(None, (work.note, freshness)), *_clashes(work))

    def _folder(self) -> Path:
        return find_root(Path.cwd()) or Path.cwd()


def _as_saved(work: StageWork) -> str:
    time = datetime.fromtimestamp(work.saved).strftime("%H:%M:%S")
    return f"this is {work.where} as saved at {time}; save it before you check"


def _not_run(cells: list[str]) -> str:
    if not cells:
        return ""
    return f"not run yet, and so counted as not written: {', '.join(cells)}"


def _clashes(work: StageWork) -> Iterator[str]:
    for name, modules in defined_twice(work.modules).items():
        yield (
            f"{' and '.join(modules)} define `{name}`, each in its own way; in a notebook the one "
            "that was run last counts for all: give one of them another name"
        )
