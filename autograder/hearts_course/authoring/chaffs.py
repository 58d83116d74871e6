"""Chaffs: the reference with one plausible misconception each, which the suite must catch.

    [[chaff]]
    name = "sorts the ten before the nine"    # the misconception
    task = "card-order"                       # where it must lose points
    find = '''text that occurs exactly once in the reference'''
    put = '''what the misconception writes instead'''

A chaff that needs several edits has a `[[chaff.edit]]` with `find` and `put` for each. A stage of
several files names the one that is edited: `file = "cards.py"`.
"""

import ast
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hearts_course.course import Stage, read_text
from hearts_course.errors import StageError

EDIT = {"find", "put", "file"}


@dataclass(frozen=True)
class Chaff:
    """A plausible wrong program: what it misunderstands, and the task that must show it."""

    name: str
    task: str
    modules: Mapping[str, str]


def load_chaffs(stage: Stage) -> tuple[Chaff, ...]:
    """The stage's chaffs, from `chaffs.toml`; raises StageError for one that cannot be made."""
    path = stage.autograder / "chaffs.toml"
    chaffs: dict[str, Chaff] = {}
    for number, entry in enumerate(_entries(path), start=1):
        where = f"{path}: [[chaff]] {number}"
        chaff = _chaff(stage, entry, where)
        if chaff.name in chaffs:
            raise StageError(f"{where}: a second one is called {chaff.name!r}; rename one")
        chaffs[chaff.name] = chaff
    return tuple(chaffs.values())


def _entries(path: Path) -> list[dict[str, Any]]:
    try:
        data = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise StageError(f"{path}: not TOML: {error}") from None
    entries = data.pop("chaff", [])
    if data or not isinstance(entries, list):
        raise StageError(f"{path}: holds something else than [[chaff]] tables")
    return entries


def _chaff(stage: Stage, entry: dict[str, Any], where: str) -> Chaff:
    _known(entry, {"name", "task", "edit"} | EDIT, where)
    name, task = _text(entry, "name", where), _text(entry, "task", where)
    if task not in {known.id for known in stage.tasks}:
        raise StageError(f"{where}: {stage.name} has no task {task!r}; correct `task`")
    modules = stage.reference()
    for edit in _edits(entry, where):
        module = _module(stage, edit, where)
        modules[module] = _edited(modules[module], edit, where)
    for module, source in modules.items():
        try:
            ast.parse(source)
        except SyntaxError as error:
            fault = f"{where}: {module}.py is no longer Python: line {error.lineno}: {error.msg}"
            raise StageError(fault) from None
    return Chaff(name, task, modules)


def _edits(entry: dict[str, Any], where: str) -> Iterator[dict[str, Any]]:
    if "edit" not in entry:
        yield entry
        return
    for key in sorted(EDIT & entry.keys()):
        raise StageError(f"{where}: both [[chaff.edit]] and `{key}`; put all edits into the tables")
    for edit in entry["edit"]:
        _known(edit, EDIT, where)
        yield edit


def _module(stage: Stage, edit: dict[str, Any], where: str) -> str:
    if "file" not in edit and len(stage.files) == 1:
        return stage.modules[0]
    if (file := edit.get("file")) not in stage.files:
        raise StageError(f"{where}: file = {file!r}; name one of {', '.join(stage.files)}")
    return Path(file).stem


def _edited(source: str, edit: dict[str, Any], where: str) -> str:
    find, put = _text(edit, "find", where), _text(edit, "put", where)
    if (times := source.count(find)) != 1:
        shown = find.strip().partition("\n")[0]
        raise StageError(f"{where}: {shown!r} occurs {times} times; quote a text that occurs once")
    if find == put:
        raise StageError(f"{where}: `find` and `put` are the same")
    return source.replace(find, put)


def _text(entry: dict[str, Any], key: str, where: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not (value or key == "put"):
        raise StageError(f"{where}: no `{key}`; write it as a text")
    return value


def _known(entry: dict[str, Any], known: set[str], where: str) -> None:
    for key in entry.keys() - known:
        raise StageError(f"{where}: unknown key {key!r}")
