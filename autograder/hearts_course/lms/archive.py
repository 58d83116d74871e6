"""An archive that an instructor downloaded, or a folder: its files, none unpacked or followed.

Students have put files into it, so each is checked by itself: one that is a trick has no place, and
the others are collected.

Crate        the files by their paths, and a line for each that was refused
open_crate   the crate at a path
"""

import os
import stat
import zipfile
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Protocol

from hearts_course.errors import UsageError
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import (
    BROKEN,
    CLOSED,
    CLUTTER,
    LINK,
    SPECIAL,
    TIMESTAMP,
    check_member,
    is_clutter,
    path_of,
    read_beneath,
    read_member,
)
from hearts_course.text import safe_line

MAX_FILES = 50_000
MAX_DEPTH = 10
PLAIN = CLUTTER - {TIMESTAMP}


class Archive(Protocol):
    """Files by their paths, with `/`, without clutter; `faults` are those that were refused."""

    name: str
    names: tuple[str, ...]
    faults: tuple[str, ...]

    def read(self, name: str, most: int) -> bytes:
        """The file's content; raises Unreadable, also for more than `most` bytes."""

    def time(self, name: str) -> str:
        """When the file was last changed, as far as is known; later times sort later."""


def open_crate(path: Path) -> Archive:
    """The crate at the path; raises UsageError if there is none, or one that cannot be read."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; name what you downloaded") from None
    if stat.S_ISDIR(mode):
        return FolderArchive(path)
    if not stat.S_ISREG(mode):
        raise UsageError(f"{path}: neither a zip nor a folder")
    return ZipArchive(path)


class ZipArchive:
    """A zip."""

    def __init__(self, path: Path) -> None:
        """Open it; raises UsageError for what is no zip, or holds too much for a class."""
        self.name = path.name
        try:
            self._zip = zipfile.ZipFile(path)
        except (*BROKEN, OSError):
            raise UsageError(f"{path}: no zip, or a damaged one; download it again") from None
        members = [member for member in self._zip.infolist() if not member.is_dir()]
        if len(members) > MAX_FILES:
            raise UsageError(f"{path}: {len(members)} files; at most {MAX_FILES} are collected")
        counts = Counter(map(path_of, members))
        faults = {path_of(member): _fault(member, counts) for member in members}
        self.faults = tuple(_told(name, why) for name, why in faults.items() if why)
        self._members = {path_of(m): m for m in members if not faults[path_of(m)]}
        self.names = tuple(sorted(name for name in self._members if not _is_clutter(name)))

    def read(self, name: str, most: int) -> bytes:
        """The member's content; raises Unreadable, also for more than `most` bytes."""
        return read_member(self._zip, self._members[name], name.rpartition("/")[2], most)

    def time(self, name: str) -> str:
        """The time in the zip."""
        year, month, day, *rest = self._members[name].date_time
        return f"{year:04}-{month:02}-{day:02} {rest[0]:02}:{rest[1]:02}:{rest[2]:02}"


def _told(name: str, why: str) -> str:
    plain = safe_line(name)
    return safe_line(why if why.startswith(plain) else f"{plain}: {why}")


def _fault(member: zipfile.ZipInfo, counts: Counter[str]) -> str:
    try:
        check_member(member)
    except Unreadable as problem:
        return str(problem)
    return "twice in the archive" if counts[path_of(member)] > 1 else ""


class FolderArchive:
    """A folder, in which somebody has unpacked an archive, or put files by hand."""

    def __init__(self, path: Path) -> None:
        """List it; raises UsageError if that fails, or never seems to end."""
        self.name = path.resolve().name
        self._path = path
        names: list[str] = []
        faults: list[str] = []
        try:
            for name, fault in _walk(path):
                (faults if fault else names).append(
                    f"{safe_line(name)}: {fault}" if fault else name
                )
                if len(names) + len(faults) > MAX_FILES:
                    raise UsageError(f"{path}: more than {MAX_FILES} files")
        except OSError as error:
            raise UsageError(f"{error.filename or path}: {error.strerror}") from None
        self.names, self.faults = tuple(sorted(names)), tuple(sorted(faults))

    def read(self, name: str, most: int) -> bytes:
        """The file's content; raises Unreadable, also for more than `most` bytes."""
        return read_beneath(self._path, name, most)

    def time(self, name: str) -> str:
        """The time of the file."""
        when = (self._path / name).lstat().st_mtime
        return datetime.fromtimestamp(when).strftime("%Y-%m-%d %H:%M:%S")


def _walk(root: Path, inside: str = "") -> Iterator[tuple[str, str]]:
    """Each file, and why it is refused; links are, and what lies too deep or cannot be listed.

    Raises OSError if the root cannot be.
    """
    try:
        with os.scandir(root / inside) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        if not inside:
            raise
        yield inside.rstrip("/"), CLOSED.format(error.strerror)
        return
    for entry in entries:
        path = f"{inside}{entry.name}"
        if _is_clutter(entry.name):
            continue
        if entry.is_symlink():
            yield path, LINK
        elif entry.is_dir():
            if path.count("/") >= MAX_DEPTH:
                yield path, "too deep a folder"
            else:
                yield from _walk(root, f"{path}/")
        else:
            yield path, "" if entry.is_file() else SPECIAL


def _is_clutter(path: str) -> bool:
    parts = path.split("/")
    return any(is_clutter(part) for part in parts[:-1]) or (
        parts[-1] in PLAIN or parts[-1].startswith(".")
    )
