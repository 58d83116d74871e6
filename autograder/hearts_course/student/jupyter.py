"""`check` and `hint` in a notebook.

Whatever happens, a cell that calls them ends without an error and with nothing on the error
stream, because nbgrader takes either for a failed cell; `check` gives a number as its last word.
"""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, suppress
from functools import cache
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from hearts_course.course import Course, Stage, Task, find_course
from hearts_course.errors import CourseError, UsageFault
from hearts_course.student import page, text
from hearts_course.student.hints import take
from hearts_course.student.importing import import_from_notebooks
from hearts_course.student.memory import Memory
from hearts_course.student.report import NOTEBOOK, report_on
from hearts_course.student.streams import forgive_symbols
from hearts_course.student.workspace import find_workspace, locate


class Session:
    """What lasts between two calls in one notebook."""

    def __init__(self, course: Course) -> None:
        """Begins with what the workspace around the notebook remembers, if there is one."""
        self.course = course
        self.stage: Stage | None = None
        self._memory = Memory()

    def recall(self) -> Memory:
        """What is remembered now; a note on a damaged memory is shown."""
        if workspace := find_workspace(self.course, Path.cwd()):
            if workspace.note:
                _show(text.fault(workspace.note), "text/html", page.fault(workspace.note))
            self._memory = workspace.memory
        return self._memory

    def keep(self, memory: Memory) -> None:
        """Remember this, in the workspace too if there is one that can be written to."""
        self._memory = memory
        with suppress(OSError):
            if workspace := find_workspace(self.course, Path.cwd()):
                workspace.remember(memory)

    def meant(self, name: str) -> tuple[Stage, Task | None]:
        """The stage and task of that name; no name means the stage that was last asked about."""
        stage, task = locate(self.course, str(name) if name else None)
        if stage is None and self.stage is None:
            tasks = [t.id for s in self.course.stages for t in s.tasks]
            raise UsageFault(f'say which task, as in check("{tasks[0]}"): {", ".join(tasks)}')
        self.stage = stage or self.stage
        assert self.stage is not None
        return self.stage, task


@cache
def _session() -> Session:
    return Session(find_course())


with suppress(CourseError):
    import_from_notebooks(find_course())


def check(task: str = "") -> float:
    """Run the visible checks of a task against this notebook's own code; its points come back.

    They lie between 0 and what the task is worth. Without a task, the whole stage is checked that
    was asked about last.
    """
    names = _names(sys._getframe(1).f_globals)
    return _speak(lambda: _check(task, names))


def hint(task: str = "") -> None:
    """Show the task's next hint; each call goes one step further."""
    _speak(lambda: _hint(task))


def _check(name: str, names: Mapping[str, Any]) -> float:
    from hearts_course.suite.local import check_namespace

    stage, task = _session().meant(name)
    result = check_namespace(stage, names, task=task.id if task else None)
    _session().keep(_session().recall().with_checks(result))
    report = report_on(stage, result, where="this notebook", ways=NOTEBOOK, task=task)
    _show(text.check(report), "text/html", page.check(report))
    return float(min(max(report.score, 0), report.most))


def _hint(name: str) -> float:
    stage, task = _session().meant(name)
    if task is None:
        tasks = ", ".join(task.id for task in stage.tasks)
        raise UsageFault(f'say which task, as in hint("{stage.tasks[0].id}"): {tasks}')
    memory = _session().recall()
    rung, new = take(stage, task, memory.hints.get(task.id, 0))
    _session().keep(memory.with_hint(task, rung.number))
    _show(text.hint(rung, new=new), "text/markdown", page.hint(rung, new=new))
    return 0.0


def _speak(work: Callable[[], float]) -> float:
    """What the work returns; every fault becomes one line that is shown, and 0."""
    try:
        with redirect_stderr(sys.stdout):
            return work()
    except CourseError as fault:
        message = str(fault)
    except KeyboardInterrupt:
        message = "stopped before it was done; check again when you have found the endless loop"
    except Exception as error:
        if os.environ.get("HEARTS_DEBUG"):
            raise
        message = f"the course itself went wrong, please report it: {type(error).__name__}: {error}"
    _show(text.fault(message), "text/html", page.fault(message))
    return 0.0


def _names(callers: Mapping[str, Any]) -> Mapping[str, Any]:
    shell = _shell()
    return callers if shell is None else shell.user_ns


def _shell() -> Any:
    """The IPython that runs us, None outside of it; never imports it."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def _show(renderable: RenderableType, kind: str, rich_text: str) -> None:
    words = text.plain(renderable)
    if _shell() is None:
        forgive_symbols()
        print(words, end="")
        return
    from IPython.display import display

    display({kind: rich_text, "text/plain": words}, raw=True)
