"""What an instructor downloaded, as a zip or a folder: nothing is unpacked, no link is followed.

Students have put files into it, so each file is checked by itself: an unsafe one is reported, and
the others are collected.
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
from hearts_course.submissions.archive import BROKEN, check_member, path_of, read_member
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import (
    CLOSED,
    CLUTTER,
    LINK,
    SPECIAL,
    TIMESTAMP,
    FileSource,
    is_clutter,
    read_beneath,
)
from hearts_course.text import safe_line

MAX_FILES = 50_000
MAX_DEPTH = 10
TIME = "%Y-%m-%d %H:%M:%S"


class Archive(FileSource, Protocol):
    """Files by their paths, without clutter; `faults` are lines about the files refused."""

    name: str
    faults: tuple[str, ...]

    def time(self, name: str) -> str:
        """Return when the file was last changed; later times sort later."""


def open_archive(path: Path) -> Archive:
    """Return the archive at the path; raise UsageError if it cannot be read."""
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
    """A downloaded zip."""

    def __init__(self, path: Path) -> None:
        """Open the zip; raise UsageError if it is damaged or holds too many files."""
        self.name = path.name
        try:
            self._zip = zipfile.ZipFile(path)
        except (*BROKEN, OSError):
            raise UsageError(f"{path}: not a zip, or a damaged one; download it again") from None
        members = [member for member in self._zip.infolist() if not member.is_dir()]
        if len(members) > MAX_FILES:
            raise UsageError(f"{path}: {len(members)} files; at most {MAX_FILES} are collected")
        counts = Counter(map(path_of, members))
        faults = {path_of(member): _fault(member, counts) for member in members}
        self.faults = tuple(_fault_line(name, why) for name, why in faults.items() if why)
        self._members = {path_of(m): m for m in members if not faults[path_of(m)]}
        self.names = tuple(sorted(name for name in self._members if not _has_clutter(name)))

    def read(self, name: str, most: int) -> bytes:
        """Return the file's content; raise Unreadable, also for more than `most` bytes."""
        return read_member(self._zip, self._members[name], name.rpartition("/")[2], most)

    def time(self, name: str) -> str:
        """Return the time that the zip has for the file."""
        year, month, day, hour, minute, second = self._members[name].date_time
        return f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"


def _fault(member: zipfile.ZipInfo, counts: Counter[str]) -> str:
    try:
        check_member(member)
    except Unreadable as problem:
        return str(problem)
    return "twice in the archive" if counts[path_of(member)] > 1 else ""


def _fault_line(name: str, why: str) -> str:
    line = safe_line(name)
    return safe_line(why if why.startswith(line) else f"{line}: {why}")


class FolderArchive:
    """An unpacked download, or a folder filled by hand."""

    def __init__(self, path: Path) -> None:
        """List the folder; raise UsageError if that fails, or it holds too many files."""
        self.name = path.resolve().name
        self._path = path
        found: list[tuple[str, str]] = []
        try:
            for entry in _walk(path):
                found.append(entry)
                if len(found) > MAX_FILES:
                    raise UsageError(f"{path}: more than {MAX_FILES} files")
        except OSError as error:
            raise UsageError(f"{error.filename or path}: {error.strerror}") from None
        self.names = tuple(sorted(name for name, fault in found if not fault))
        self.faults = tuple(sorted(f"{safe_line(name)}: {fault}" for name, fault in found if fault))

    def read(self, name: str, most: int) -> bytes:
        """Return the file's content; raise Unreadable, also for more than `most` bytes."""
        return read_beneath(self._path, name, most)

    def time(self, name: str) -> str:
        """Return the modification time of the file."""
        return datetime.fromtimestamp((self._path / name).lstat().st_mtime).strftime(TIME)


def _walk(root: Path, inside: str = "") -> Iterator[tuple[str, str]]:
    """Yield each file with the reason why it is refused; raise OSError if the root is closed."""
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
        if _has_clutter(entry.name):
            continue
        if entry.is_symlink():
            yield path, LINK
        elif not entry.is_dir():
            yield path, "" if entry.is_file() else SPECIAL
        elif path.count("/") >= MAX_DEPTH:
            yield path, "the folder is nested too deep"
        else:
            yield from _walk(root, f"{path}/")


def _has_clutter(path: str) -> bool:
    """Return whether the file is clutter; a timestamp is not, because a platform may write it."""
    *folders, last = path.split("/")
    return any(map(is_clutter, folders)) or last.startswith(".") or last in CLUTTER - {TIMESTAMP}
