"""Cache keys: a result is reused while the hashes of its inputs are unchanged.

Files are hashed as bytes, except stage.toml and the notebook, of which only parts matter.
"""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path

import hearts_course
from hearts_course.course import MISTAKES, STAGE_FILE, Course, Stage
from hearts_course.errors import StageError
from hearts_course.files import digest, read_json
from hearts_course.notebook import modules_from_notebook
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import Folder, is_clutter, read_beneath

from hearts_grader.model_answers import MODEL_ANSWERS

# Files of a stage that are not hashed. `stage.toml` is among them, because its parts that matter
# are hashed as parts of the `Stage`. The other files do not matter to grading.
UNREAD = {
    STAGE_FILE,
    MISTAKES,
    MODEL_ANSWERS,
    "chaffs.toml",
    "patterns.json",
    "equivalents.toml",
}
ALTERNATIVES = {"alternatives"}  # only the tests of a clinic read this folder
PACKAGES = (Path(hearts_course.__file__).resolve().parent, Path(__file__).resolve().parents[1])
COURSE_FILES = "course_files"  # the course's files in a wheel; `suite_digest` hashes them
MAX_FILE = 5 * 2**20  # bytes; the reader refuses larger files
# Bytes of one submission that are hashed; for further files, only size and time are hashed.
MAX_HASHED = 50 * 2**20


@dataclass(frozen=True)
class CacheKey:
    """Hashes of the inputs of a result; results with equal keys are equal."""

    submission: str
    suite: str
    limits: str
    tool: str
    # Points of tasks and of parts graded by hand. If only points change, no program runs again.
    points: str = ""

    def changed(self, before: "CacheKey") -> tuple[str, ...]:
        """Return the names of the parts that differ."""
        names = (field.name for field in fields(self))
        return tuple(name for name in names if getattr(self, name) != getattr(before, name))


class CacheKeys:
    """Makes the keys of submissions; reads each suite and our own code (the tool) only once."""

    def __init__(self, course: Course, tool: str = "") -> None:
        """Keep the course and the hash of the tool, but read nothing yet.

        If `tool` is "", the hash is that of the running tool.
        """
        self._course = course
        self._tool = tool
        self._stages: dict[str, tuple[str, str, str]] = {}

    def of(self, slot: SubmissionPath) -> CacheKey:
        """Return the current key of the submission's result."""
        self._tool = self._tool or tool_digest()
        if slot.stage.name not in self._stages:
            self._stages[slot.stage.name] = (
                suite_digest(slot.stage, self._course),
                digest(json.dumps(asdict(slot.stage.limits))),
                points_digest(slot.stage),
            )
        suite, limits, points = self._stages[slot.stage.name]
        return CacheKey(submission_digest(slot), suite, limits, self._tool, points)


@cache
def tool_digest(
    packages: tuple[Path, ...] = PACKAGES, python: tuple[object, ...] = sys.version_info
) -> str:
    """Return the hash of both packages of the tool and of Python's version.

    Any change of the tool may change a verdict, and so may another version of Python.
    """
    parts: list[str | bytes] = [".".join(map(str, python))]
    for package in packages:
        parts += _contents(package, without={COURSE_FILES})
    return digest(*parts)


def suite_digest(stage: Stage, course: Course) -> str:
    """Return the hash of the stage's tests and of the programs of this and earlier stages.

    The stage's own reference matters, because a test may make programs from it and run them.
    """
    apart = ("root", "limits", "manual")
    plain = {name: value for name, value in asdict(stage).items() if name not in apart}
    # `points_digest` has the points, so that a change of points alone runs no program again.
    for task in plain["tasks"]:
        del task["points"]
    parts: list[str | bytes] = [json.dumps(plain)]
    parts += _contents(stage.assignment, without=UNREAD)
    parts += _contents(stage.autograder, without=UNREAD if stage.clinic else UNREAD | ALTERNATIVES)
    for part in (*course.prerequisites(stage), stage):
        for folder in (part.solution, part.assignment):
            for name in part.files:
                parts += _content(folder / name)
        parts.append(_cells_of_program(part))
    return digest(*parts)


def points_digest(stage: Stage) -> str:
    """Return the hash of the points of the stage's tasks, and of the parts graded by hand."""
    manual = [asdict(one) for one in stage.manual]
    return digest(json.dumps([[task.points for task in stage.tasks], manual]))


def submission_digest(slot: SubmissionPath) -> str:
    """Return the hash of a submission and of the earlier stages that it builds on."""
    parts: list[str | bytes] = [slot.problem]
    here = [(slot.stage, slot.path)] if slot.path else []
    # Earlier stages may be in the submission's own folder. Hash that folder only once.
    elsewhere = [(stage, path) for stage, path in slot.earlier if path != slot.path]
    for stage, path in (*elsewhere, *here):
        parts += [stage.name, *_handed_in(path)]
    return digest(*parts)


def _contents(folder: Path, without: Iterable[str]) -> Iterator[str | bytes]:
    """Yield name and content of every file under the folder, except clutter and Markdown."""
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(n for n in folders if not is_clutter(n) and n not in without)
        for name in sorted(files):
            if not is_clutter(name) and name not in without and not name.endswith(".md"):
                path = Path(here, name)
                yield path.relative_to(folder).as_posix()
                yield path.read_bytes()


def _cells_of_program(stage: Stage) -> str:
    """Return the program in the stage's notebook, without the points that the notebook shows."""
    try:
        return json.dumps(modules_from_notebook(read_json(stage.notebook), stage))
    except (StageError, ValueError):
        return ""


def _content(path: Path) -> Iterator[str | bytes]:
    """Yield the file's name and content; a missing file counts as an empty one."""
    yield path.name
    yield path.read_bytes() if path.is_file() else ""


def _handed_in(path: Path) -> Iterator[str | bytes]:
    """Yield all that `submissions.read` could see at `path`: names and contents, or an error."""
    try:
        yield from _entries_at(path)
    except Unreadable as problem:
        yield str(problem)
    except OSError as error:  # the folder may be listed, but not entered
        yield str(error.strerror)


def _entries_at(path: Path) -> Iterator[str | bytes]:
    """Yield name and content of each entry, as the reader of submissions will see it.

    Beyond MAX_HASHED bytes, size and time stand for the content, so that nobody can make the grader
    read a huge folder for its key alone.
    """
    if path.is_symlink() or not path.is_dir():
        yield from (path.name, read_beneath(path.parent, path.name, MAX_FILE))
        return
    folder = Folder(path)
    left = MAX_HASHED
    for name in folder.names:
        content = _seen(folder, name) if left > 0 else _stamp(path / name)
        left -= len(content)
        yield from (name, content)


def _seen(folder: Folder, name: str) -> str | bytes:
    """Return the file's content, or the error that the reader of submissions would get."""
    try:
        return folder.read(name, MAX_FILE)
    except Unreadable as problem:
        return str(problem)


def _stamp(path: Path) -> str:
    """Return the file's size and time of change, which stand for its content."""
    stat = os.lstat(path)
    return f"{stat.st_size} {stat.st_mtime_ns}"
