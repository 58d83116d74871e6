"""Files: read with errors that name the place, checked against dataclasses, written whole.

Everything here is pure Python, because this package also runs in a browser.
"""

import difflib
import errno
import io
import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from hearts_course.errors import CourseError, StageError, UsageError

T = TypeVar("T")
DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
TEMPORARY = ".part"  # the ending of a file that is not complete yet
# Every file in a zip has this date, so that equal files make equal zips.
ZIP_DATE = (2026, 1, 1, 0, 0, 0)
UNIX = 3  # the number in a zip for files with the permissions of Unix
KINDS: Mapping[object, str] = {  # the names of these types in error messages
    float: "a number",
    datetime: "date, time and offset, as in 2026-10-01T23:59:00+02:00",
}


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file; raise StageError if the file cannot be read.

    If the file is not UTF-8, the error names the line of the first wrong byte.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise StageError(f"{path}: missing; write it, or run `hearts build`") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise StageError(f"{path}:{line}: not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise StageError(f"{path}: {error.strerror}") from None


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file; raise StageError if it cannot be read."""
    return parse_toml(path, read_text(path))


def parse_toml(path: Path, text: str) -> dict[str, Any]:
    """Return the tables of a TOML file with this text; raise StageError if it is not TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StageError(f"{path}: not TOML: {error}") from None


def read_json(path: Path) -> Any:
    """Return the content of a JSON file; raise StageError if it cannot be read."""
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise StageError(f"{path}: not JSON: {error}") from None


def to_dataclass(kind: type[T], data: Any, where: object, *, lenient: bool = False) -> T:
    """Return the dataclass `kind`, filled from a table of a TOML or JSON file.

    Each key of the table is the name of a field, or the `key` in the field's metadata. Raise
    StageError if a key is unknown or missing, if a value has another type, or if the dataclass
    raises ValueError. The message names `where` and the key. `lenient` ignores unknown keys,
    because a later version of `hearts` may have written them.
    """
    if not isinstance(data, Mapping):
        raise StageError(f"{where}: expected a table, found {data!r}")
    keys: Mapping[str, tuple[str, Any, bool]] = _keys(cast(Any, kind))
    for key in data:
        if key not in keys and not lenient:
            advice = ""
            if close := difflib.get_close_matches(key, keys, n=1):
                advice = f"; did you mean {close[0]!r}?"
            raise StageError(f"{where}: unknown key {key!r}{advice}")
    for key, (_, _, required) in keys.items():
        if required and key not in data:
            raise StageError(f"{where}: missing key {key!r}")
    values: dict[str, Any] = {}
    for key in data:
        if key in keys:
            name, hint, _ = keys[key]
            values[name] = _value(hint, data[key], where, key, lenient)
    try:
        return kind(**values)
    except ValueError as error:
        raise StageError(f"{where}: {error}") from None


@cache
def _keys(kind: Any) -> dict[str, tuple[str, Any, bool]]:
    """Map each key of a table to the field's name, its type, and whether it is required.

    The result is cached, because a file may have thousands of tables of one kind.
    """
    hints = get_type_hints(kind)
    keys: dict[str, tuple[str, Any, bool]] = {}
    for field in fields(kind):
        if field.init:
            key = field.metadata.get("key", field.name)
            required = field.default is MISSING and field.default_factory is MISSING
            keys[key] = (field.name, hints[field.name], required)
    return keys


def _value(hint: Any, value: Any, where: object, key: str, lenient: bool) -> Any:
    """Return the value, converted to the type `hint`. Raise StageError if it has another type.

    If `hint` is a dataclass, it is filled from a table in the same way. Error messages then name
    the keys of both tables.
    """
    origin = get_origin(hint)
    inner = get_args(hint)
    if origin is None:
        if hint is Any or _is_a(hint, value):
            return value
        if is_dataclass(hint):
            place = f"{where}: {key}"
            return to_dataclass(cast(type[Any], hint), value, place, lenient=lenient)
        if issubclass(hint, Enum):
            with suppress(ValueError):
                return hint(value)
            *others, last = (str(member.value) for member in hint)
            choice = f"{', '.join(others)} or {last}"
            raise StageError(f"{where}: {key}: expected {choice}, not {value!r}")
    elif NoneType in inner:
        if value is None:
            return None
        return _value(inner[0], value, where, key, lenient)
    elif origin is tuple and isinstance(value, list | tuple):
        items: list[Any] = []
        for number, item in enumerate(value, 1):
            items.append(_value(inner[0], item, where, f"{key} {number}", lenient))
        return tuple(items)
    elif origin is frozenset and isinstance(value, list):
        return frozenset(_value(inner[0], item, where, key, lenient) for item in value)
    elif issubclass(origin, Mapping) and isinstance(value, Mapping):
        values: dict[Any, Any] = {}
        for name, item in value.items():
            values[name] = _value(inner[1], item, where, f"{key}.{name}", lenient)
        return values
    expected = KINDS.get(hint, getattr(hint, "__name__", hint))
    shown = repr(value)
    if isinstance(value, date):
        shown = str(value)  # the date as TOML writes it
    raise StageError(f"{where}: {key}: expected {expected}, not {shown}")


def _is_a(kind: type, value: Any) -> bool:
    """Return whether the value is of the kind.

    A whole number is also a float. A bool is not a number here, although Python counts it as one.
    """
    if isinstance(value, bool):
        return kind is bool
    if kind is float:
        return isinstance(value, int | float)
    return isinstance(value, kind)


def write_whole(path: Path, content: str | bytes) -> Path:
    """Write the file and return its path.

    At any moment, the file is wholly old or wholly new. The content is written to a temporary file,
    which then replaces the old file in one step. If that fails, remove the temporary file and raise
    CourseError.
    """
    if isinstance(content, str):
        content = content.encode(errors="backslashreplace")
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise disk_error(path, error) from None
        raise
    return path


def first_free(paths: Iterable[Path]) -> Path:
    """Return the first of these paths that does not exist."""
    return next(path for path in paths if not path.exists())


def clean_temporary_files(folder: Path) -> None:
    """Remove the temporary files that killed processes left under the folder.

    Raise CourseError if that fails.
    """
    try:
        for path in list(folder.rglob(f".*{TEMPORARY}")):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise disk_error(folder, error) from None


def disk_error(path: Path, error: OSError) -> CourseError:
    """Return the error that says what is wrong with the disk, and what to do."""
    if error.errno in DISK_FULL:
        return CourseError(f"{path}: {error.strerror}; make room and run the same command again")
    return UsageError(f"{path}: {error.strerror}; choose a folder that you can write to")


def digest(*parts: str | bytes) -> str:
    """Return one hash of all parts; different sequences of parts have different hashes."""
    hasher = sha256()
    for part in parts:
        if isinstance(part, str):
            part = part.encode("utf-8", "surrogatepass")
        hasher.update(len(part).to_bytes(8, "big"))  # so "ab", "c" and "a", "bc" differ
        hasher.update(part)
    return hasher.hexdigest()


def student_file(folder: Path, student: str, stage: str, suffix: str) -> Path:
    """Return `folder/student/stage.suffix`.

    Raise ValueError if a name would lead to another folder.
    """
    for name in (student, stage):
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise ValueError(f"{name!r} cannot name a file")
    return folder / student / f"{stage}{suffix}"


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of the files, as bytes.

    The files are sorted and all have the same date, so equal files give equal bytes at any time and
    on any machine.
    """
    import zipfile  # this import is slow, and a check needs no zip

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(files):
            member = zipfile.ZipInfo(path, ZIP_DATE)
            member.create_system = UNIX
            member.external_attr = (0o100000 | file_mode(files[path])) << 16
            archive.writestr(member, files[path], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def unzipped(data: bytes) -> dict[str, bytes] | None:
    """Map each path in a zip to the content of the file.

    Return None if the data is not a zip, or if Python cannot unpack it.
    """
    import zipfile  # this import is slow, and a check needs no zip

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except errors_of_broken_zip():
        return None


def errors_of_broken_zip() -> tuple[type[Exception], ...]:
    """Return what `zipfile` raises for damaged or hostile files, not only its own BadZipFile."""
    import struct
    import zipfile
    import zlib

    of_zips = (zipfile.BadZipFile, zlib.error, struct.error)
    return (*of_zips, EOFError, OSError, RuntimeError, ValueError, LookupError, OverflowError)


def file_mode(content: bytes) -> int:
    """Return the permissions for a file of this content: scripts can be executed."""
    return 0o755 if content.startswith(b"#!") else 0o644
