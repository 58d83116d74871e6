"""A stage's program as the student has it now, from the `.py` files or from the notebook.

Form            which of the two
Work            the program in one of them
find_work       the form that was asked for, or else the one the student works in
read_notebook   the notebook, with what was run in its cells since it was saved
begun           whether a student has changed anything of a stage, and when last
"""

import ast
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from hearts_course.course import Course, Stage, Task
from hearts_course.errors import UsageError
from hearts_course.notebook import modules_from_notebook, with_sources
from hearts_course.results import Result
from hearts_course.student.workspace import Workspace

NOTHING: Mapping[str, str] = MappingProxyType({})


class Form(StrEnum):
    """The two forms of one program."""

    PY = "py"
    NOTEBOOK = "notebook"


@dataclass(frozen=True)
class StageWork:
    """A stage's program in one form; `note` is what the student should know about the choice."""

    stage: Stage
    form: Form
    paths: tuple[Path, ...]
    modules: Mapping[str, str]
    changed: bool
    saved: float
    note: str = ""

    @property
    def where(self) -> str:
        """The names of its files, as the student knows them."""
        return ", ".join(path.name for path in self.paths)

    def fault(self) -> str:
        """The first line that is no Python, as one line of text; empty if all of it is."""
        for name, text in self.modules.items():
            try:
                with warnings.catch_warnings(action="ignore"):
                    ast.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                return f"{self.place(name, getattr(error, 'lineno', 0) or 1)}: {_reason(error)}"
        return ""

    def place(self, module: str, line: int) -> str:
        """That line of a module, as the student finds it."""
        if self.form is Form.PY:
            return f"{module}.py:{line}"
        part = "program" if len(self.modules) == 1 else module
        return f"{self.where}, line {line} of its {part}"


def _reason(error: Exception) -> str:
    if isinstance(error, SyntaxError) and error.text:
        return f"{error.msg} in `{error.text.strip()}`"
    return str(error) or type(error).__name__


def find_work(root: Path, stage: Stage, form: Form | None = None) -> StageWork:
    """The stage's program in the form asked for, or else in the form the student works in.

    That is the form that differs from the starter; of two that do, the one saved last.
    Raises UsageError if the form's files are missing or unreadable.
    """
    if form is not None:
        return READ[form](root, stage)
    works = [READ[f](root, stage) for f in Form if _present(root, stage, f)]
    changed = [work for work in works if work.changed]
    if len(changed) == 2:
        last, other = sorted(changed, key=lambda work: -work.saved)
        return _noted(
            last,
            f"you changed {last.where} and {other.where}; this is {last.where}, saved last "
            f"(--{other.form} takes the other)",
        )
    return next(iter(changed or works), None) or READ[Form.PY](root, stage)


def begun(root: Path, stage: Stage) -> float | None:
    """When the student last saved a change to the stage, None if there is none."""
    works = [READ[form](root, stage) for form in Form if _present(root, stage, form)]
    return max((work.saved for work in works if work.changed), default=None)


def _noted(work: StageWork, note: str) -> StageWork:
    return replace(work, note="; ".join(filter(None, (work.note, note))))


def _present(root: Path, stage: Stage, form: Form) -> bool:
    return any(path.exists() for path in _paths(root, stage, form))


def _paths(root: Path, stage: Stage, form: Form) -> tuple[Path, ...]:
    if form is Form.NOTEBOOK:
        return (root / f"{stage.name}.ipynb",)
    return tuple(root / name for name in stage.files)


def _read_program(root: Path, stage: Stage) -> StageWork:
    paths = _paths(root, stage, Form.PY)
    modules = {path.stem: _text(path) for path in paths}
    return StageWork(stage, Form.PY, paths, modules, modules != stage.starter(), _saved(paths))


def read_notebook(root: Path, stage: Stage, runs: Mapping[str, str] = NOTHING) -> StageWork:
    """The program in the stage's notebook; `runs` are newer texts of its cells, by cell id.

    Raises UsageError if the notebook is missing or unreadable.
    """
    (path,) = paths = _paths(root, stage, Form.NOTEBOOK)
    modules, missing = _cells(path, stage, runs)
    if set(modules) != set(stage.modules):
        raise UsageError(
            f"{path.name}: the cells that hold your program are gone; rename it, then "
            "`hearts start .` puts a fresh one here to copy your code into"
        )
    changed = modules != _cells(stage.notebook, stage)[0]
    work = StageWork(stage, Form.NOTEBOOK, paths, modules, changed, _saved(paths))
    return _noted(work, _lost(path, missing)) if missing else work


READ: Mapping[Form, Callable[[Path, Stage], StageWork]] = {
    Form.PY: _read_program,
    Form.NOTEBOOK: read_notebook,
}


def _saved(paths: tuple[Path, ...]) -> float:
    return max(path.stat().st_mtime for path in paths)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{path.name}: missing; `hearts start .` puts the starter back") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UsageError(f"{path.name}:{line}: not UTF-8 text; save it as UTF-8") from None


def _cells(
    path: Path, stage: Stage, runs: Mapping[str, str] = NOTHING
) -> tuple[dict[str, str], tuple[str, ...]]:
    try:
        return modules_from_notebook(with_sources(json.loads(_text(path)), runs), stage)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{path.name}: not a notebook ({error}); rename it, then `hearts start .` "
            "puts a fresh one here"
        ) from None


def _lost(path: Path, missing: tuple[str, ...]) -> str:
    some = "cell" if len(missing) == 1 else "cells"
    return f"{path.name} has lost the {some} {', '.join(missing)}"


def whole_program(course: Course, root: Path, work: StageWork) -> tuple[StageWork, ...]:
    """The work in `root` of each stage that this one builds on, in order, and then itself.

    Raises UsageError if one of them is missing or unreadable.
    """
    return (*_earlier(course, root, work), work)


def modules_of(works: Iterable[StageWork]) -> dict[str, str]:
    """The modules of all these works: name to source text."""
    return {name: text for work in works for name, text in work.modules.items()}


def _earlier(course: Course, root: Path, work: StageWork) -> Iterator[StageWork]:
    for before in course.prerequisites(work.stage):
        try:
            yield find_work(root, before)
        except UsageError as fault:
            raise UsageError(f"{work.stage.name} builds on {before.name}: {fault}") from None


def check_work(course: Course, root: Path, work: StageWork, task: Task | None = None) -> Result:
    """The visible tests of the work, all or one task's, run on the earlier stages in `root`.

    Raises UsageError if one of those is missing or unreadable.
    """
    from hearts_course.testing.in_process import check_program

    modules = modules_of(whole_program(course, root, work))
    return check_program(work.stage, modules, task=task.id if task else None)


def check_and_remember(
    workspace: Workspace, work: StageWork, task: Task | None = None
) -> tuple[Workspace, Result]:
    """Check the work, and remember in the workspace how that ended."""
    result = check_work(workspace.course, workspace.root, work, task)
    return workspace.remember(lambda memory: memory.with_checks(result)), result


def untouched_tasks(stage: Stage, modules: Mapping[str, str]) -> frozenset[str]:
    """The ids of the tasks whose blanks are all as in the starter; none if a module is no Python.

    What a class holds of other tasks is theirs: a class may be untouched, and its methods not.
    """
    blanks = {name for task in stage.tasks for name in task.blanks}
    try:
        now = {name: _definitions(text, blanks) for name, text in modules.items()}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    before = {name: _definitions(text, blanks) for name, text in stage.starter().items()}
    same = {
        name
        for module, definitions in before.items()
        for name, definition in definitions.items()
        if now.get(module, {}).get(name) == definition
    }
    return frozenset(task.id for task in stage.tasks if same.issuperset(task.blanks))


def _definitions(text: str, blanks: set[str]) -> dict[str, str]:
    return {name: _without(node, name, blanks) for name, node in _defined(ast.parse(text))}


def _defined(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.stmt]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield prefix + child.name, child
        if isinstance(child, ast.ClassDef):
            yield from _defined(child, f"{prefix}{child.name}.")


def _without(node: ast.stmt, name: str, blanks: set[str]) -> str:
    """The definition as text, without those in it that are blanks of their own."""
    others = [child for full_name, child in _defined(node, f"{name}.") if full_name in blanks]
    parts = (part for part in ast.iter_child_nodes(node) if part not in others)
    return "\n".join(map(ast.dump, parts))
