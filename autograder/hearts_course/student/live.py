"""Import a notebook's program: from the running notebook, or from an earlier stage's notebook."""

import ast
import builtins
import importlib.abc
import linecache
import sys
import types
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from hearts_course.course import Course, Stage
from hearts_course.edition import HERE
from hearts_course.errors import CourseError
from hearts_course.student.work import Form, StageWork, find_work
from hearts_course.student.workspace import find_root

ORIGIN = "the cells of this notebook that have been run"
CTRL_C = "\x03"  # the character that a terminal sends for Ctrl-C
MAIN_GUARD = "__name__ == '__main__'"  # the condition as `ast.unparse` writes it
NOT_STARTED = HERE.text(
    """\
The code under `if __name__ == "__main__":` does not run here, because it starts the program when
that is run as a file. To start it in a notebook, call its function in a cell of your own.
<!-- if terminal -->
For a file, use `hearts extract`.
<!-- end -->
"""
).rstrip()


class LiveModule(types.ModuleType):
    """A module whose names are the names that a notebook has at the moment.

    Code that sets a name of the module sets it in the notebook.
    """

    def __init__(self, name: str, names: dict[str, Any]) -> None:
        """Begin a module that shows `names`, the notebook's namespace."""
        super().__init__(name)
        self.__names__ = names

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__names__[name]
        except KeyError:
            raise AttributeError(f"{name!r} is not defined in {ORIGIN}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a name of the notebook, or of the module itself if the name begins with `__`.

        The import system sets names with `__`, such as `__spec__`.
        """
        if name.startswith("__"):
            super().__setattr__(name, value)
        else:
            self.__names__[name] = value

    def __delattr__(self, name: str) -> None:
        del self.__names__[name]

    def __dir__(self) -> list[str]:
        return list(self.__names__)


class MainGuards:
    """An IPython transformer that keeps `if __name__ == "__main__":` from starting the program.

    In a notebook the condition is always true. If a cell has such a condition, the transformer
    prints what to do instead.
    """

    def visit(self, tree: ast.Module, *, tell: bool = True) -> ast.Module:
        """Return the cell's tree with the conditions of its main guards set to False.

        With `tell`, print what to do instead if there was a guard.
        """
        has_guard = False
        for node in tree.body:
            if isinstance(node, ast.If) and ast.unparse(node.test) == MAIN_GUARD:
                node.test = ast.copy_location(ast.Constant(False), node.test)
                has_guard = True
        if has_guard and tell:
            print(NOT_STARTED)
        return tree


def let_ctrl_c_leave() -> None:
    """Let a reply with CTRL_C interrupt the program that asked, as Ctrl-C does at a terminal.

    In a browser nothing else can interrupt Python, so the site's page sends this reply. Call this
    function before every cell, because the kernel sets `input` anew for each cell.
    """
    ask = builtins.input

    def ask_or_leave(prompt: object = "", /) -> str:
        """Return the reply to the prompt; raise KeyboardInterrupt if the reply has CTRL_C."""
        reply = ask(prompt)
        if CTRL_C in reply:
            raise KeyboardInterrupt
        return reply

    if getattr(ask, "__name__", "") != ask_or_leave.__name__:
        builtins.input = ask_or_leave


class NotebookFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports a stage's module from the running notebook, or from an earlier stage's notebook.

    The finder comes before Python's own finders, because files with the same names may lie beside
    the notebook.
    """

    def __init__(self, course: Course) -> None:
        """Remember which stage each module of the course belongs to."""
        self._stages: dict[str, Stage] = {}
        for stage in course.stages:
            self._stages |= dict.fromkeys(stage.modules, stage)
        self._live: dict[str, dict[str, Any]] = {}

    def open(self, stage: Stage, names: dict[str, Any]) -> None:
        """Let imports of the stage's modules give the names of the running notebook."""
        self._live = dict.fromkeys(stage.modules, names)
        for name in stage.modules:
            sys.modules.pop(name, None)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the module's spec; None if no notebook of the student holds the module."""
        if fullname in self._live:
            spec = ModuleSpec(fullname, self, origin=ORIGIN)
            spec.has_location = True  # otherwise a failed import would not name the origin
            return spec
        stage = self._stages.get(fullname)
        if stage is None:
            return None
        work = _work_here(stage)
        if work is None or work.form is not Form.NOTEBOOK:
            return None
        source = work.modules[fullname]
        return ModuleSpec(fullname, self, origin=str(work.paths[0]), loader_state=source)

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        """Return a LiveModule for the running notebook's modules, None for other modules."""
        if spec.name not in self._live:
            return None
        return LiveModule(spec.name, self._live[spec.name])

    def exec_module(self, module: types.ModuleType) -> None:
        """Run another notebook's program in the module; a LiveModule needs no run.

        The source goes into `linecache` under the name of the notebook, so that tracebacks show its
        lines.
        """
        if isinstance(module, LiveModule):
            return
        assert module.__spec__ is not None
        source = module.__spec__.loader_state
        name = f"<{module.__spec__.origin}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        exec(compile(source, name, "exec"), vars(module))


def _work_here(stage: Stage) -> StageWork | None:
    """Return the stage's work in the workspace that holds the current folder.

    If there is no such workspace, or if the work cannot be read, return None.
    """
    try:
        root = find_root(Path.cwd())  # looked up at each import: a notebook may change its folder
        if root is None:
            return None
        return find_work(root, stage)
    except (CourseError, FileNotFoundError):  # the current folder itself may be gone
        return None


def notebook_finder(course: Course) -> NotebookFinder:
    """Return this process's finder; the first call installs it."""
    for finder in sys.meta_path:
        if isinstance(finder, NotebookFinder):
            return finder
    sys.meta_path.insert(0, finder := NotebookFinder(course))
    return finder
