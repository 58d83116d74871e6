"""What a student handed in becomes modules, or one line that says what to do.

read_slot         what lies in a slot of the layout
read_submission   a stage's folder or zip, read without running anything

Every fault is the Submission's `problem`; nothing that a student hands in raises.
"""

import difflib
import os
import posixpath
import stat
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from hearts_course.course import Stage
from hearts_course.results import NOTHING
from hearts_course.submissions.archive import Zip
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.forms import Content, FoundForm, read_program
from hearts_course.submissions.model import Submission, Unreadable
from hearts_course.submissions.untrusted import LINK, SPECIAL, Folder, read_beneath
from hearts_course.text import safe_line

MAX_ZIP = 5 * 2**20
MAX_NAMED = 3
MAX_NAME = 60
NEAR = 0.7


def read_slot(slot: SubmissionPath) -> Submission:
    """The submission of a slot of the layout, also of one where nothing lies.

    Earlier stages of the student's that cannot be read are left out: they have verdicts of their
    own.
    """
    if slot.problem:
        return Submission(slot.student, slot.stage.name, problem=slot.problem, missing=slot.missing)
    earlier: dict[str, str] = {}
    for stage, path in slot.earlier:
        earlier |= read_submission(path, slot.student, stage).modules
    return replace(read_submission(slot.path, slot.student, slot.stage), earlier=earlier)


def read_submission(path: Path | None, student: str, stage: Stage) -> Submission:
    """The submission that lies at `path`, a folder or a zip; None if nothing was handed in."""
    try:
        if path is None:
            verdict = f"{NOTHING} for {stage.name}; expected {_wanted(stage)}"
            return Submission(student, stage.name, problem=verdict, missing=True)
        found = _read(path, stage)
    except Unreadable as problem:
        return Submission(student, stage.name, problem=safe_line(str(problem)))
    note = safe_line(found.note)
    return Submission(student, stage.name, found.modules, note=note, pieces=found.pieces)


def _read(path: Path, stage: Stage) -> Content:
    if not _is_folder(path):
        return _read_zip(path.parent, path.name, stage)
    folder = Folder(path)
    zips = [name for name in folder.names if _is_zip(name)]
    found = _find(folder.names, stage)
    if not found and zips:
        return _read_zip(path, _the_zip(zips, stage), stage)
    content = read_program(folder, _needed(found, folder.names, stage), stage)
    notes = (content.note, *(f"{name} was not read" for name in zips))
    return replace(content, note="; ".join(filter(None, notes)))


def _is_folder(path: Path) -> bool:
    """Raises Unreadable for what is neither a folder nor a file."""
    try:
        mode = os.lstat(path).st_mode
    except OSError as error:
        raise Unreadable(f"{path.name} cannot be reached ({error.strerror})") from None
    if stat.S_ISLNK(mode):
        raise Unreadable(f"{path.name} {LINK.replace('file', 'folder')}")
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise Unreadable(f"{path.name} {SPECIAL}")
    return stat.S_ISDIR(mode)


def _the_zip(zips: list[str], stage: Stage) -> str:
    own = f"{stage.name}.zip"
    chosen = [name for name in zips if posixpath.basename(name) == own] or zips
    if len(chosen) > 1:
        raise Unreadable(f"several zips ({_listed(zips)}); hand in only one, called {own}")
    return chosen[0]


def _read_zip(folder: Path, name: str, stage: Stage) -> Content:
    try:
        box = Zip(read_beneath(folder, name, MAX_ZIP))
        found = _needed(_find(box.names, stage), box.names, stage)
        return read_program(box, found, stage)
    except Unreadable as problem:
        text = str(problem)
        raise Unreadable(text if text.startswith(name) else f"{name}: {text}") from None


def _find(names: Iterable[str], stage: Stage) -> FoundForm:
    """Where the program lies: its files, its notebook, neither or both."""
    names = tuple(names)
    files = _at_home(names, stage.files, stage)
    notebook = _at_home(names, [f"{stage.name}.ipynb"], stage)
    others = [name for name in names if name.endswith(".ipynb") and name.count("/") < 2]
    if not files and not notebook and len(others) == 1:
        notebook = others
    return FoundForm(tuple(files), next(iter(notebook), None))


def _at_home(names: Iterable[str], wanted: Collection[str], stage: Stage) -> list[str]:
    """The wanted files in the one folder that holds any: the top, the stage's own, a lone one."""
    there = [name for name in names if posixpath.basename(name) in wanted]
    homes = {posixpath.dirname(name) for name in there}
    named = {home for home in homes if posixpath.basename(home) == stage.name}
    near = homes & {""} or named or {home for home in homes if "/" not in home} or homes
    if len(near) > 1:
        raise Unreadable(f"the same file in several folders ({_listed(there)}); hand in only one")
    return [name for name in there if posixpath.dirname(name) in near]


def _needed(found: FoundForm, names: Collection[str], stage: Stage) -> FoundForm:
    """The same, if there is anything; else raises Unreadable with what was found instead."""
    if found:
        return found
    if not names:
        raise Unreadable(f"there is nothing in it; expected {_wanted(stage)}")
    if any(map(_is_zip, names)):
        raise Unreadable(f"a zip within a zip; zip {_wanted(stage)} itself")
    wanted = [*stage.files, f"{stage.name}.ipynb"]
    raise Unreadable(f"expected {_wanted(stage)}, found {_listed(names)}; {_advice(names, wanted)}")


def _advice(names: Iterable[str], wanted: list[str]) -> str:
    for name in sorted(names, key=_unlikely):
        own = posixpath.basename(name)
        close = difflib.get_close_matches(own.lower(), wanted, n=1, cutoff=NEAR)
        if close and not own.startswith("test_"):
            return f"rename {safe_line(name, MAX_NAME)} to {close[0]}"
    return "the name must be exactly that"


def _unlikely(name: str) -> tuple[bool, str]:
    """Sorts what may hold a program before what cannot."""
    return not name.endswith((".py", ".ipynb")), name


def _is_zip(name: str) -> bool:
    return name.lower().endswith(".zip")


def _wanted(stage: Stage) -> str:
    return f"{' and '.join(stage.files)} or {stage.name}.ipynb"


def _listed(names: Collection[str]) -> str:
    shown = [safe_line(name, MAX_NAME) for name in sorted(names, key=_unlikely)]
    more = f" and {len(shown) - MAX_NAMED} more" if len(shown) > MAX_NAMED else ""
    return ", ".join(shown[:MAX_NAMED]) + more
