"""The files of a submission become modules: `.py` or notebook, whichever holds the work.

Found          the paths, in a folder or zip, of what may be the program
Content        the modules, and what the student should know about them
read_program   the content of what was found
"""

import json
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from hearts_course.course import Stage
from hearts_course.files import read_text
from hearts_course.notebook import CellText, modules_from_notebook, read_notebook
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import FileSource

MAX_MODULE = 2**20
MAX_NOTEBOOK = 5 * 2**20

Modules = Mapping[str, str]


@dataclass(frozen=True)
class FoundForm:
    """Where a program lies in its folder or zip: its files, its notebook; false if neither."""

    files: tuple[str, ...]
    notebook: str | None

    def __bool__(self) -> bool:
        return bool(self.files or self.notebook)


@dataclass(frozen=True)
class Content:
    """What a program consists of; `note` is empty if there is nothing to say about it.

    `pieces` says where in a notebook the lines are; it is empty for files.
    """

    modules: Modules
    note: str
    pieces: tuple[CellText, ...] = ()


def read_program(box: FileSource, found: FoundForm, stage: Stage) -> Content:
    """The content of what was found.

    Raises Unreadable if what counts cannot be read.
    """
    if found.notebook is None:
        return _read_files(box, found.files, stage)
    if not found.files:
        return _read_notebook(box, found.notebook, stage)
    return _choose(box, found.files, found.notebook, stage)


def _choose(box: FileSource, files: tuple[str, ...], notebook: str, stage: Stage) -> Content:
    """Of both forms the one that is no unchanged starter; of two that are changed, the files."""
    own = _read_files(box, files, stage)
    if _is_starter(own.modules, stage):
        other = _read_notebook(box, notebook, stage)
        return Content(own.modules, "") if _is_starter(other.modules, stage) else other
    try:
        others = _read_notebook(box, notebook, stage).modules
    except Unreadable:
        others = {}
    if _is_starter(others, stage) or _same(others, own.modules):
        return own
    both = f"{_names(files)} and {posixpath.basename(notebook)} differ; {_names(files)} counts"
    return Content(own.modules, "; ".join(filter(None, (own.note, both))))


def _read_files(box: FileSource, files: tuple[str, ...], stage: Stage) -> Content:
    modules = {}
    for path in files:
        name = posixpath.basename(path)
        modules[name.removesuffix(".py")] = _source(_text(box.read(path, MAX_MODULE), name), name)
    if not any(source.strip() for source in modules.values()):
        raise Unreadable(f"{_names(files)} is empty; save your program in it")
    missing = [name for name in stage.files if name.removesuffix(".py") not in modules]
    note = f"{', '.join(missing)} is missing; the rest was graded" if missing else ""
    return Content(modules, note)


def _read_notebook(box: FileSource, path: str, stage: Stage) -> Content:
    name = posixpath.basename(path)
    text = _text(box.read(path, MAX_NOTEBOOK), name)
    try:
        # No number of a notebook matters here, and Python refuses an int of very many digits.
        found = read_notebook(json.loads(text, parse_int=float), stage)
    except json.JSONDecodeError as error:
        raise Unreadable(
            f"{name} is no notebook: broken at line {error.lineno} ({error.msg}); "
            "save it again from Jupyter"
        ) from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{name} is no notebook: {_why(error)}") from None
    if not found.modules:
        raise Unreadable(
            f"{name} has none of the cells that hold the program (changed or missing grade_id); "
            "copy your code into a fresh notebook of the stage"
        )
    checked = {module: _source(source, name) for module, source in found.modules.items()}
    notes = (_misnamed(name, stage), _incomplete(name, found.missing))
    return Content(checked, "; ".join(filter(None, notes)), found.pieces)


def _why(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _misnamed(name: str, stage: Stage) -> str:
    wanted = f"{stage.name}.ipynb"
    return "" if name == wanted else f"{name} was read as {wanted}; please keep that name"


def _incomplete(name: str, missing: tuple[str, ...]) -> str:
    if not missing:
        return ""
    cells = "cell" if len(missing) == 1 else "cells"
    return f"{name} lacks the {cells} {', '.join(missing)}; the rest was graded"


def _text(data: bytes, name: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            f"{name}, line {line}: byte 0x{data[error.start]:02X} is not UTF-8; "
            "save the file with the encoding UTF-8"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _source(text: str, name: str) -> str:
    """The text, if a program can consist of it; else raises Unreadable."""
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise Unreadable(f"{name}, line {line}: a null byte; save the file as plain text")
    return text


def _is_starter(modules: Modules, stage: Stage) -> bool:
    starter = stage.starter()
    blank = modules_from_notebook(json.loads(read_text(stage.notebook)), stage)[0]
    return any(_same(modules, {m: s[m] for m in modules if m in s}) for s in (starter, blank))


def _same(one: Modules, other: Modules) -> bool:
    return _lines(one) == _lines(other)


def _lines(modules: Modules) -> dict[str, list[str]]:
    return {
        name: [line.rstrip() for line in source.rstrip().split("\n")]
        for name, source in modules.items()
    }


def _names(paths: tuple[str, ...]) -> str:
    return ", ".join(posixpath.basename(path) for path in paths)
