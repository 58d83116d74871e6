"""Find the stage that a student's file belongs to, by the file's name and content.

Each of the course's file names occurs in one stage only. But students rename, pack and move their
files, so the content counts as well.
"""

import json
import re
from collections.abc import Iterable, Iterator
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

NUMBERED = re.compile(r"(.+?)(?:-\d+| ?\(\d+\))((?:\.tar)?\.\w+)")  # such as cards-1.py
MAX_INNER = 2**20  # bytes of a program or notebook in an archive
DEFINED = re.compile(rb"^(?:class|def|async def)[ \t]+(\w+)", re.MULTILINE)
PROGRAMS = (".py", ".txt")  # such as cards_final.py, Cards.py, cards.py.txt
COURSE_FILES = {
    *("README.md", "INSTALL.md", "constraints.txt", "result.json"),
    *("requirements.txt", "requirements-notebook.txt"),
}


@dataclass(frozen=True)
class FileStages:
    """The stages that a file belongs to.

    `written` has the stages in which the file differs from the starter. `given` says whether the
    course gave the file to students, so that it is not their work.
    """

    stages: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    given: bool = False


class CourseFiles:
    """The names and contents of the files that students work on, and of files given to them."""

    def __init__(self, course: Course) -> None:
        """Read nothing yet."""
        self._course = course
        self._stages = {stage.name: stage for stage in course.stages}
        self._modules = {file: stage.name for stage in course.stages for file in stage.files}
        self._notebooks = {f"{stage.name}.ipynb": stage.name for stage in course.stages}

    @cached_property
    def _given(self) -> set[str]:
        """The names of all files that a workspace holds in addition to the program."""
        paths = [*self._course.shared]
        for stage in self._stages.values():
            paths += [*stage.visible_tests, *stage.samples]
        names = {path.name for path in paths}
        return COURSE_FILES | names | {f"{name}.md" for name in self._stages}

    @cached_property
    def _cells(self) -> dict[str, str]:
        """The stage of each solution cell; the keys are the cells' `grade_id`."""
        stages: dict[str, str] = {}
        for stage in self._stages.values():
            stages |= dict.fromkeys(program_cells(stage), stage.name)
        return stages

    def original_name(self, path: str) -> str:
        """Return the path without a number that a platform added: `cards-1.py` becomes `cards.py`.

        A student's own `helper-1.py` keeps its name, because the course has no `helper.py`.
        """
        folder, slash, base = path.rpartition("/")
        numbered = NUMBERED.fullmatch(base)
        if numbered is None:
            return path
        name = f"{numbered[1]}{numbered[2]}"
        for names in (self._modules, self._notebooks, self._stages):
            if name in names or without_ending(name) in names:
                return f"{folder}{slash}{name}"
        return path

    def missing_modules(self, stage: str, names: Iterable[str]) -> tuple[str, ...]:
        """Return the stage's program files that are not among the names.

        No file is missing if there is a notebook or an archive, because either may hold them all.
        """
        bases = {name.rpartition("/")[2] for name in names}
        if any(base.endswith(".ipynb") or is_packed(base) for base in bases):
            return ()
        return tuple(file for file in self._stages[stage].files if file not in bases)

    def definitions_found(self, wanted: str, name: str, data: bytes) -> int:
        """Return the number of definitions in the wanted module; 0 if this file lacks any of them.

        A regular expression finds them, so a file with a syntax error counts as well. A file with
        the name of another module or of a given file counts as 0.
        """
        base = name.rpartition("/")[2]
        if base in self._modules or base in self._given or not base.lower().endswith(PROGRAMS):
            return 0
        starter = self._stages[self._modules[wanted]].starter()[wanted.removesuffix(".py")]
        names = set(DEFINED.findall(starter.encode()))
        if not names <= set(DEFINED.findall(data)):
            return 0
        return len(names)

    def stages_of(self, path: str, data: bytes) -> FileStages:
        """Return the stages that the file belongs to.

        The file's own name and content decide; if they say nothing, the folder's name decides.
        """
        *folders, base = path.split("/")
        if base in self._given or base.endswith(".whl"):
            return FileStages(given=True)
        if EARLIER in folders:  # an earlier stage's file that came with a later stage
            return FileStages()
        by_content = self._by_content(base, data)
        if by_content.stages:
            return by_content
        named = frozenset(folders) & self._stages.keys()
        return FileStages(named, named)

    def _by_content(self, base: str, data: bytes, depth: int = 0) -> FileStages:
        """Return the stages of a program, notebook or archive.

        `depth` is the number of archives around it. A module is compared word by word, so that
        other spaces and line ends do not count as work.
        """
        if base in self._modules:
            stage = self._stages[self._modules[base]]
            module = base.removesuffix(".py")
            words = data.decode("utf-8", "replace").split()
            starter = stage.starter()[module]
            bare_starter = bare_modules(stage).get(module, "")
            return _one(stage.name, words not in (starter.split(), bare_starter.split()))
        if base.endswith(".ipynb"):
            return self._notebook(base, data)
        if is_packed(base) and depth < MAX_PACKED:
            return self._packed(base, data, depth + 1)
        return FileStages()

    def _notebook(self, base: str, data: bytes) -> FileStages:
        """Return the notebook's stage; a damaged notebook belongs to the stage of its name."""
        name = self._notebooks.get(base, "")
        try:
            # A number may have more digits than Python converts to an `int`.
            notebook = json.loads(data.decode("utf-8-sig"), parse_int=float)
            name = name or self._stage_of_cells(notebook)
            if not name:
                return FileStages()
            stage = self._stages[name]
            given = modules_from_notebook(json.loads(read_text(stage.notebook)), stage)
            return _one(name, modules_from_notebook(notebook, stage) != given)
        except (ValueError, RecursionError):
            return _one(name, True) if name else FileStages()

    def _stage_of_cells(self, notebook: object) -> str:
        """Return the stage whose cells are in the notebook; "" if there is none, or several."""
        stages = {self._cells[cell] for cell in _grade_ids(notebook) if cell in self._cells}
        return stages.pop() if len(stages) == 1 else ""

    def _packed(self, base: str, data: bytes, depth: int) -> FileStages:
        """Return the stage that the archive is named after, or else the stages of what it holds.

        An archive inside the archive counts only if it is the only one inside.
        """
        if (unpacked_name := without_ending(base)) in self._stages:
            return _one(unpacked_name, True)
        try:
            inside = open_packed(base, data)
        except Unreadable:
            return FileStages()
        stages: set[str] = set()
        written: set[str] = set()
        packed = [name for name in inside.names if is_packed(name)]
        only = packed if len(packed) == 1 else []
        for name in inside.names:
            wanted = name.endswith((".py", ".ipynb")) or name in only
            if wanted and EARLIER not in name.split("/"):
                with suppress(Unreadable):
                    data = inside.read(name, MAX_ZIP if name in only else MAX_INNER)
                    belongs = self._by_content(name.rpartition("/")[2], data, depth)
                    stages |= belongs.stages
                    written |= belongs.written
        return FileStages(frozenset(stages), frozenset(written))


def _grade_ids(notebook: object) -> Iterator[str]:
    """Yield nbgrader's ids of a notebook's cells; a student's file may hold any JSON value."""
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        return
    for cell in cells:
        metadata = cell.get("metadata") if isinstance(cell, dict) else None
        mark = metadata.get("nbgrader") if isinstance(metadata, dict) else None
        if isinstance(mark, dict):
            yield str(mark.get("grade_id"))


def _one(stage: str, written: bool) -> FileStages:
    """Return a `FileStages` with one stage; `written`: whether the student has worked on it."""
    stages = frozenset({stage})
    return FileStages(stages, stages if written else frozenset())
