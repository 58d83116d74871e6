"""Earlier stages in a later stage's notebook: `from cards import Card` finds the notebook, too.

A student who wrote stage 01 in a notebook has a `cards.py` that is still the starter. In a notebook
of theirs the import takes the form in which they work, as `hearts check` does.
"""

import importlib.abc
import importlib.machinery
import linecache
import sys
import types
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError
from hearts_course.student.work import Form, StageWork, find_work
from hearts_course.student.workspace import find_root


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
