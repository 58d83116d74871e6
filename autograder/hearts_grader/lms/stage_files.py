"""Which stage a student's file belongs to: the names of the course's files are unique."""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from hearts_course.course import Course
from hearts_course.files import read_text
from hearts_course.notebook import modules_from_notebook, program_cells
from hearts_course.submissions.bare import bare_modules
from hearts_course.submissions.model import EARLIER, Unreadable
from hearts_course.submissions.packed import is_packed, open_packed, without_ending
from hearts_course.submissions.read import MAX_PACKED, MAX_ZIP

NUMBERED = re.compile(r"(.+?)(?:-\d+| ?\(\d+\))((?:\.tar)?\.\w+)")  # cards-1.py, cards (1).py
MAX_INNER = 2**20
DEFINED = re.compile(rb"^(?:class|def|async def)[ \t]+(\w+)", re.MULTILINE)
PROGRAMS = (".py", ".txt")  # cards_final.py, Cards.py, cards.py.txt
COURSE_FILES = {
    *("README.md", "INSTALL.md", "constraints.txt", "result.json"),
    *("requirements.txt", "requirements-notebook.txt"),
}


@dataclass(frozen=True)
class FileStages:
    """The stages that a file belongs to.

    `written` are those in which it differs from the starter. `given` says whether the file comes
    with the course, so that nobody hands it in as their work.
    """

    stages: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    given: bool = False


class CourseFiles:
    """The names and contents of the files that students work on, and of those beside them."""

    def __init__(self, course: Course) -> None:
        """Read nothing yet."""
        self._course = course
        self._stages = {stage.name: stage for stage in course.stages}
        self._modules = {file: stage.name for stage in course.stages for file in stage.files}
        self._notebooks = {f"{stage.name}.ipynb": stage.name for stage in course.stages}

    @cached_property
    def _given(self) -> set[str]:
        """What a workspace holds beside the program."""
        stages = self._stages.values()
        beside = {path.name for stage in stages for path in (*stage.visible_tests, *stage.samples)}
        beside |= {path.name for path in self._course.shared}
        return COURSE_FILES | beside | {f"{name}.md" for name in self._stages}

    @cached_property
    def _cells(self) -> dict[str, str]:
        """The stage of each solution cell."""
        return {
            cell: stage.name for stage in self._stages.values() for cell in program_cells(stage)
        }

    def original_name(self, path: str) -> str:
        """Return the path with the course's name for the file, if a platform has numbered it."""
        folder, slash, base = path.rpartition("/")
        numbered = NUMBERED.fullmatch(base)
        unnumbered = f"{numbered[1]}{numbered[2]}" if numbered else base
        matching = {unnumbered, without_ending(unnumbered)} & {
            *self._modules,
            *self._notebooks,
            *self._stages,
        }
        return f"{folder}{slash}{unnumbered}" if matching else path

    def missing_modules(self, stage: str, names: Iterable[str]) -> tuple[str, ...]:
        """Return the program files that are not among the names.

        None is missing if there is a notebook or an archive.
        """
        bases = {name.rpartition("/")[2] for name in names}
        if any(base.endswith(".ipynb") or is_packed(base) for base in bases):
            return ()
        return tuple(file for file in self._stages[stage].files if file not in bases)

    def definitions_found(self, wanted: str, name: str, data: bytes) -> int:
        """Return how many definitions a program file has, if this file has all of them, else 0."""
        base = name.rpartition("/")[2]
        if base in self._modules or base in self._given or not base.lower().endswith(PROGRAMS):
            return 0
        starter = self._stages[self._modules[wanted]].starter()[wanted.removesuffix(".py")]
        names = set(DEFINED.findall(starter.encode()))
        return len(names) if names <= set(DEFINED.findall(data)) else 0

    def stages_of(self, path: str, data: bytes) -> FileStages:
        """Return the file's stages; a folder's name tells where the file's own does not."""
        *folders, base = path.split("/")
        if base in self._given or base.endswith(".whl"):
            return FileStages(given=True)
        if EARLIER in folders:  # handed in with a later stage, not for its own
            return FileStages()
        by_content = self._by_content(base, data)
        named = frozenset(folders) & self._stages.keys()
        return by_content if by_content.stages else FileStages(named, named)

    def _by_content(self, base: str, data: bytes, depth: int = 0) -> FileStages:
        if base in self._modules:
            stage = self._stages[self._modules[base]]
            module = base.removesuffix(".py")
            words = data.decode("utf-8", "replace").split()
            starters = stage.starter()[module], bare_modules(stage).get(module, "")
            return _one(stage.name, words not in [starter.split() for starter in starters])
        if base.endswith(".ipynb"):
            return self._notebook(base, data)
        if is_packed(base) and depth < MAX_PACKED:
            return self._packed(base, data, depth + 1)
        return FileStages()

    def _notebook(self, base: str, data: bytes) -> FileStages:
        name = self._notebooks.get(base, "")
        try:
            notebook = json.loads(data.decode("utf-8-sig"), parse_int=float)
            name = name or self._stage_of_cells(notebook)
            if not name:
                return FileStages()
            stage = self._stages[name]
            given_modules = modules_from_notebook(json.loads(read_text(stage.notebook)), stage)
            return _one(name, modules_from_notebook(notebook, stage) != given_modules)
        except (ValueError, RecursionError):
            return _one(name, True) if name else FileStages()

    def _stage_of_cells(self, notebook: object) -> str:
        """Return the stage whose cells are in the notebook, "" for none or several."""
        cells = notebook.get("cells") if isinstance(notebook, dict) else None
        marks = [
            cell["metadata"].get("nbgrader")
            for cell in (cells if isinstance(cells, list) else [])
            if isinstance(cell, dict) and isinstance(cell.get("metadata"), dict)
        ]
        ids = [str(mark.get("grade_id")) for mark in marks if isinstance(mark, dict)]
        stages = {self._cells[grade_id] for grade_id in ids if grade_id in self._cells}
        return stages.pop() if len(stages) == 1 else ""

    def _packed(self, base: str, data: bytes, depth: int) -> FileStages:
        if (unpacked_name := without_ending(base)) in self._stages:
            return _one(unpacked_name, True)
        try:
            inside = open_packed(base, data)
        except Unreadable:
            return FileStages()
        stages_inside = []
        packed = [name for name in inside.names if is_packed(name)]
        only = packed if len(packed) == 1 else []
        for name in inside.names:
            wanted = name.endswith((".py", ".ipynb")) or name in only
            if wanted and EARLIER not in name.split("/"):
                with suppress(Unreadable):
                    data = inside.read(name, MAX_ZIP if name in only else MAX_INNER)
                    stages_inside.append(self._by_content(name.rpartition("/")[2], data, depth))
        return FileStages(
            frozenset().union(*(inside_.stages for inside_ in stages_inside)),
            frozenset().union(*(inside_.written for inside_ in stages_inside)),
        )


def _one(stage: str, written: bool) -> FileStages:
    return FileStages(frozenset({stage}), frozenset({stage}) if written else frozenset())
