"""Which stage a file belongs to: its name says so, and the names of the course's files are unique.

File        a file of a student's, read
Belonging   the stages that it belongs to, and those in which something was written
Sorter      what says so
"""

import json
import re
from dataclasses import dataclass
from functools import cached_property

from hearts_course.course import Course
from hearts_course.files import read_text
from hearts_course.notebook import modules_from_notebook, program_cells
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import Zip

AGAIN = re.compile(r"(.+?)(?:-\d+| ?\(\d+\))(\.\w+)")  # cards-1.py, cards (1).py
MAX_INNER = 2**20
COURSE_FILES = {"README.md", "INSTALL.md", "constraints.txt", "result.json"}
COURSE_FILES |= {"requirements.txt", "requirements-notebook.txt"}


@dataclass(frozen=True)
class File:
    """A file: where it was, what it is to be called, and what is in it."""

    path: str
    name: str
    number: int
    data: bytes

    @property
    def base(self) -> str:
        """Its name without its folders."""
        return self.name.rpartition("/")[2]


@dataclass(frozen=True)
class Belonging:
    """The stages of a file: all, and those in which it differs from what students are given.

    `given` is whether it comes with the course, and is nothing that anybody hands in.
    """

    stages: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    given: bool = False


class Sorter:
    """Knows the names of the course's files."""

    def __init__(self, course: Course) -> None:
        """Nothing is read yet."""
        self._stages = {stage.name: stage for stage in course.stages}
        self._modules = {file: stage.name for stage in course.stages for file in stage.files}
        self._notebooks = {f"{stage.name}.ipynb": stage.name for stage in course.stages}

    @cached_property
    def _given(self) -> set[str]:
        """What lies in a workspace beside the program."""
        stages = self._stages.values()
        beside = {path.name for stage in stages for path in (*stage.visible_tests, *stage.samples)}
        return COURSE_FILES | beside | {f"{name}.md" for name in self._stages}

    @cached_property
    def _cells(self) -> dict[str, str]:
        """Of which stage each solution cell is."""
        return {
            cell: stage.name for stage in self._stages.values() for cell in program_cells(stage)
        }

    def tidy(self, name: str) -> str:
        """The path with the file's own name, where a platform or browser has numbered it."""
        folder, slash, base = name.rpartition("/")
        numbered = AGAIN.fullmatch(base)
        own = f"{numbered[1]}{numbered[2]}" if numbered else base
        known = own in self._modules or own in self._notebooks or own[:-4] in self._stages
        return f"{folder}{slash}{own}" if known else name

    def of(self, file: File) -> Belonging:
        """The stages that the file belongs to; a folder's name tells where the file's does not."""
        base = file.base
        if base in self._given or base.endswith(".whl"):
            return Belonging(given=True)
        found = self._by_content(base, file.data)
        folders = set(file.name.split("/")[:-1]) & set(self._stages)
        if not found.stages and folders:
            return Belonging(frozenset(folders), frozenset(folders))
        return found

    def _by_content(self, base: str, data: bytes) -> Belonging:
        if base in self._modules:
            return self._module(base, data)
        if base.endswith(".ipynb"):
            return self._notebook(base, data)
        if base.lower().endswith(".zip"):
            return self._zip(base, data)
        return Belonging()

    def _module(self, base: str, data: bytes) -> Belonging:
        stage = self._stages[self._modules[base]]
        starter = stage.starter()[base.removesuffix(".py")]
        same = data.decode("utf-8", "replace").split() == starter.split()
        return _one(stage.name, not same)

    def _notebook(self, base: str, data: bytes) -> Belonging:
        try:
            notebook = json.loads(data.decode("utf-8-sig"), parse_int=float)
            name = self._notebooks.get(base) or self._by_cells(notebook)
            if not name:
                return Belonging()
            stage = self._stages[name]
            given = modules_from_notebook(json.loads(read_text(stage.notebook)), stage)
            return _one(name, modules_from_notebook(notebook, stage) != given)
        except (ValueError, RecursionError):
            name = self._notebooks.get(base, "")
            return _one(name, True) if name else Belonging()

    def _by_cells(self, notebook: object) -> str:
        """The stage whose cells are in it, "" if there are none, or those of several."""
        cells = notebook.get("cells") if isinstance(notebook, dict) else None
        marks = [
            cell["metadata"].get("nbgrader")
            for cell in (cells if isinstance(cells, list) else [])
            if isinstance(cell, dict) and isinstance(cell.get("metadata"), dict)
        ]
        ids = [str(mark.get("grade_id")) for mark in marks if isinstance(mark, dict)]
        stages = {self._cells[grade_id] for grade_id in ids if grade_id in self._cells}
        return stages.pop() if len(stages) == 1 else ""

    def _zip(self, base: str, data: bytes) -> Belonging:
        own = base[:-4]
        if own in self._stages:
            return _one(own, True)
        try:
            box = Zip(data)
            inner = [
                self._inner(box, name) for name in box.names if name.endswith((".py", ".ipynb"))
            ]
        except Unreadable:
            return Belonging()
        return Belonging(
            frozenset().union(*(one.stages for one in inner)),
            frozenset().union(*(one.written for one in inner)),
        )

    def _inner(self, box: Zip, name: str) -> Belonging:
        base = name.rpartition("/")[2]
        try:
            return self._by_content(base, box.read(name, MAX_INNER))
        except Unreadable:
            return Belonging()


def _one(stage: str, written: bool) -> Belonging:
    return Belonging(frozenset({stage}), frozenset({stage}) if written else frozenset())
