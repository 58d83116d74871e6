"""A notebook as its stage's program while it is being written: all modules in one namespace.

LiveFinder   `from table import Deal` in the notebook of table means the notebook's own Deal
Runs         the cells as they were last run, by cell id, where the front end tells which it is
MainGuards   what would start the program, which in a notebook is "__main__" everywhere
"""

import ast
import importlib.abc
import importlib.machinery
import linecache
import sys
import types
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError
from hearts_course.student.work import Form, StageWork, find_work
from hearts_course.student.workspace import find_root

WHERE = "the cells of this notebook that have been run"
MAIN_GUARD = "__name__ == '__main__'"
LEFT_OUT = """\
What stands under `if __name__ == "__main__":` is left out here: it starts the program when it is
run as a file. In a notebook, call the function in a cell of your own."""


class LiveModule(types.ModuleType):
    """A module whose names are those of a notebook, as they are now."""

    def __init__(self, name: str, names: dict[str, Any]) -> None:
        """`names` is the notebook's namespace."""
        super().__init__(name)
        self.__names__ = names

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__names__[name]
        except KeyError:
            raise AttributeError(f"{name!r} is not among {WHERE}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
        else:
            self.__names__[name] = value

    def __delattr__(self, name: str) -> None:
        del self.__names__[name]

    def __dir__(self) -> list[str]:
        return list(self.__names__)


class LiveFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the modules of the stage that a notebook is about from the notebook itself."""

    def __init__(self, stage: Stage, names: dict[str, Any]) -> None:
        """`names` is the notebook's namespace."""
        self._stage = stage
        self._names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module of the stage, None for any other."""
        if fullname not in self._stage.modules:
            return None
        spec = ModuleSpec(fullname, self, origin=WHERE)
        spec.has_location = True  # or else a failed import would not say where it looked
        return spec

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        """A view of the notebook."""
        return LiveModule(spec.name, self._names)

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to run: its cells are run by the student."""


def import_live(stage: Stage, names: dict[str, Any]) -> None:
    """From now on, imports of the stage's modules mean the notebook's namespace."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, LiveFinder)]
    sys.meta_path.insert(0, LiveFinder(stage, names))
    for name in stage.modules:
        sys.modules.pop(name, None)


class Runs:
    """What was run in each cell last; an IPython callback."""

    def __init__(self) -> None:
        """Nothing was run yet."""
        self.sources: dict[str, str] = {}

    def __call__(self, info: Any) -> None:
        """Remember a cell that is about to be run, if the front end says which one it is."""
        if info.cell_id:
            self.sources[info.cell_id] = info.raw_cell


class MainGuards:
    """Closes the guard of a program's start; an IPython transformer of syntax trees."""

    def visit(self, tree: ast.Module) -> ast.Module:
        """The cell's tree with its guards closed, of which the student is told."""
        guards = [node for node in tree.body if isinstance(node, ast.If) and _is_guard(node)]
        for guard in guards:
            guard.test = ast.copy_location(ast.Constant(False), guard.test)
        if guards:
            print(LEFT_OUT)
        return tree


def _is_guard(node: ast.If) -> bool:
    return ast.unparse(node.test) == MAIN_GUARD


def defined_twice(modules: Mapping[str, str]) -> dict[str, list[str]]:
    """Functions and classes that several modules define, each otherwise; in a notebook they clash.

    Each name comes with the modules that define it.
    """
    found: dict[str, dict[str, str]] = {}
    for module, text in modules.items():
        for node in _body(text):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.setdefault(node.name, {})[module] = ast.dump(node)
    return {name: list(by) for name, by in found.items() if len(set(by.values())) > 1}


def _body(text: str) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


class NotebookFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports a stage's module from its notebook, where that is what the student works in."""

    def __init__(self, course: Course) -> None:
        """Looks for the workspace anew at each import, since a notebook may change its folder."""
        self._stages = {name: stage for stage in course.stages for name in stage.modules}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's spec; None if it is no stage's, or its work is not in a notebook."""
        stage = self._stages.get(fullname)
        work = _work(stage) if stage else None
        if work is None or work.form is not Form.NOTEBOOK:
            return None
        source = work.modules[fullname]
        return ModuleSpec(fullname, self, origin=str(work.paths[0]), loader_state=source)

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the notebook's program in the module; raises what that raises."""
        assert module.__spec__ is not None
        source, name = module.__spec__.loader_state, f"<{module.__spec__.origin}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        exec(compile(source, name, "exec"), vars(module))


def _work(stage: Stage) -> StageWork | None:
    """The stage's work around the current folder; None if there is none, or no such folder."""
    try:
        root = find_root(Path.cwd())
        return find_work(root, stage) if root else None
    except (CourseError, FileNotFoundError):
        return None


def import_from_notebooks(course: Course) -> None:
    """Let this process import stages from notebooks; a second call changes nothing."""
    if not any(isinstance(finder, NotebookFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, NotebookFinder(course))
