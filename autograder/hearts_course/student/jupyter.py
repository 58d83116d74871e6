"""`check`, `hint`, `show_table` and `work_on` in a notebook.

Whatever happens, a cell that calls them ends without an error and with nothing on the error
stream, because nbgrader takes either for a failed cell; `check` gives a number as its last word.
Only when nbgrader validates the notebook is a check that fails an error: it shows nothing else.
When nbgrader autogrades it, in a course that does not grade in the sandbox, a check says so.
"""

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, suppress
from functools import cache
from random import Random
from typing import Any

from rich.console import RenderableType

from hearts_course.course import find_course
from hearts_course.errors import CourseError, UsageError
from hearts_course.student import page, terminal
from hearts_course.student.hints import take
from hearts_course.student.live import import_from_notebooks
from hearts_course.student.report import NOTEBOOK, report_on
from hearts_course.student.session import NotebookSession
from hearts_course.student.state import StudentState
from hearts_course.student.terminal import make_stdout_tolerant

HERE = "this notebook"
NOT_THE_GRADE = (
    "This is not the grade: a check in the notebook runs the visible tests only, and outside the "
    "sandbox. `hearts grade` gives the grade."
)
NO_WIDGETS = "the card table needs anywidget; `pip install 'hearts-course[notebook]'`"


class NotYet(Exception):
    """What a check says, as an error, for nbgrader's Validate."""

    def _render_traceback_(self) -> list[str]:
        """IPython shows this in place of a traceback."""
        return str(self).rstrip().split("\n")


@cache
def _session() -> NotebookSession:
    return NotebookSession(find_course())


with suppress(CourseError):
    import_from_notebooks(find_course())


def work_on(stage: str) -> None:
    """This notebook is about that stage: its cells make up the stage's modules.

    From then on `from table import Deal` in the notebook of `table` means the notebook's own, and
    a check takes the cells as they were last run.
    """
    names = _names(sys._getframe(1).f_globals)
    _speak(lambda: _work_on(stage, names))


def check(task: str = "") -> float:
    """Run the visible checks of a task against this notebook's own code; its points come back.

    They lie between 0 and what the task is worth. Without a task, the whole stage is checked that
    was asked about last.
    """
    names = _names(sys._getframe(1).f_globals)
    if _execution() == "autograde":
        print(NOT_THE_GRADE)
    return _speak(lambda: _check(task, names))


def hint(task: str = "") -> None:
    """Show the task's next hint; each call goes one step further."""
    _speak(lambda: _hint(task))


def show_table(module: str = "", seed: int | None = None) -> None:
    """Sit down at the card table of this notebook's own program, or of the module of that name.

    A seed makes the same deals come again.
    """
    names = _names(sys._getframe(1).f_globals)
    _speak(lambda: _show_table(module, names, Random(seed)))


def _show_table(module: str, names: Mapping[str, Any], rng: Random) -> float:
    from hearts_course.view.sitting import Sitting

    sitting = Sitting(_imported(module) if module else names, rng)
    try:
        from hearts_course.view.widget import CardTable
    except ImportError:
        raise UsageError(NO_WIDGETS) from None
    if _shell() is None:
        raise UsageError("a table is shown in a notebook only; `hearts play --table` opens one")
    from IPython.display import display

    display(CardTable(sitting))
    return 0.0


def _imported(module: str) -> Mapping[str, Any]:
    """The module's names; raises UsageError if it cannot be imported, for whatever reason."""
    try:
        return vars(importlib.import_module(module))
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise UsageError(
            f"`{module}` cannot be imported ({what}); `import {module}` in a cell shows where"
        ) from None


def _work_on(name: str, names: dict[str, Any]) -> float:
    _session().open(name, names, _shell())
    return 0.0


def _check(name: str, names: Mapping[str, Any]) -> float:
    stage, task = _session().meant(name)
    result, notes = _session().check(stage, task, names)
    _recall()
    _session().remember(lambda memory: memory.with_checks(result))
    report = report_on(stage, result, where=HERE, ways=NOTEBOOK, task=task, notes=notes)
    _show(terminal.check(report), "text/html", page.check(report))
    if _validating() and report.score < report.most:
        raise NotYet(terminal.plain(terminal.check(report)))
    return float(min(max(report.score, 0), report.most))


def _hint(name: str) -> float:
    stage, task = _session().meant(name)
    if task is None:
        tasks = ", ".join(task.id for task in stage.tasks)
        raise UsageError(f'say which task, as in hint("{stage.tasks[0].id}"): {tasks}')
    rung, new = take(stage, task, _recall().hints.get(task.id, 0))
    _session().remember(lambda memory: memory.with_hint(task, rung.number))
    _show(terminal.hint(rung, new=new), "text/markdown", page.hint(rung, new=new))
    return 0.0


def _recall() -> StudentState:
    """What is remembered; a note on a damaged memory is shown."""
    memory, note = _session().recall()
    if note:
        _show(terminal.fault(note), "text/html", page.fault(note))
    return memory


def _speak(work: Callable[[], float]) -> float:
    """What the work returns; every fault becomes one line that is shown, and 0."""
    try:
        with redirect_stderr(sys.stdout):
            return work()
    except NotYet:
        raise
    except CourseError as fault:
        message = str(fault)
    except KeyboardInterrupt:
        message = "stopped before it was done; check again when you have found the endless loop"
    except Exception as error:
        if os.environ.get("HEARTS_DEBUG"):
            raise
        message = f"the course itself went wrong, please report it: {type(error).__name__}: {error}"
    _show(terminal.fault(message), "text/html", page.fault(message))
    if _validating():
        raise NotYet(message)
    return 0.0


def _validating() -> bool:
    """Whether nbgrader's Validate runs the notebook."""
    return _execution() == "validate"


def _execution() -> str:
    """What nbgrader runs the notebook for: "autograde", "validate", or "" if it does not."""
    return os.environ.get("NBGRADER_EXECUTION", "")


def _names(callers: dict[str, Any]) -> dict[str, Any]:
    """The notebook's namespace; outside of IPython that of the caller."""
    shell = _shell()
    return callers if shell is None else shell.user_ns


def _shell() -> Any:
    """The IPython that runs us, None outside of it; never imports it."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def _show(renderable: RenderableType, kind: str, rich_text: str) -> None:
    words = terminal.plain(renderable)
    if _shell() is None:
        make_stdout_tolerant()
        print(words, end="")
        return
    from IPython.display import display

    display({kind: rich_text, "text/plain": words}, raw=True)
