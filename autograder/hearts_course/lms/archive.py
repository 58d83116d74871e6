"""What an instructor downloaded, as a zip or a folder: nothing is unpacked, no link is followed.

It contains files that students made. Each file is checked: an unsafe one is reported, and the
others are collected. Attempts are what `downloads` finds in an archive.
"""

import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from hearts_course.errors import UsageError
from hearts_course.submissions import untrusted
from hearts_course.submissions.model import Unreadable
from hearts_course.text import safe_line

MAX_FILES = 50_000
MAX_DEPTH = 10
TIME = "{:04}-{:02}-{:02} {:02}:{:02}:{:02}"


@dataclass(frozen=True)
class Archive:
    """The files of a download by their paths, without clutter.

    `read` returns a file's content and raises Unreadable, also for more than the given number of
    bytes. `time` returns when a file was last changed, as a text that sorts. `faults` has a line
    for each refused file.
    """

    name: str
    names: tuple[str, ...]
    faults: tuple[str, ...]
    read: Callable[[str, int], bytes]
    time: Callable[[str], str]


@dataclass(frozen=True)
class Submitter:
    """A student as the platform knows them.

    `lasting` says that the number is the same in every assignment.
    """

    name: str
    number: str = ""
    address: str = ""
    lasting: bool = True


@dataclass(frozen=True)
class AttemptFile:
    """A file: its path in the archive, the student's name for it, and its upload number.

    If several files have the same name, the one with the highest number counts.
    """

    path: str
    name: str
    number: int = 0


@dataclass(frozen=True)
class Attempt:
    """What a student handed in at one time.

    `order` sorts the attempts of one platform. `stage` is the stage that the layout names. `time`
    is "" if the platform does not say when it came; `late` is the platform's own mark.
    """

    submitter: Submitter
    files: tuple[AttemptFile, ...]
    order: str
    stage: str = ""
    time: str = ""
    late: bool = False


@dataclass(frozen=True)
class Download:
    """The attempts found in an archive, and a line for each other file."""

    platform: str
    attempts: tuple[Attempt, ...]
    one_assignment: bool
    unplaced: tuple[str, ...] = ()


def open_archive(path: Path) -> Archive:
    """Return the archive at the path; raise UsageError if there is none that can be read."""
    if path.is_dir():
        return _open_folder(path)
    if not path.is_file():
        raise UsageError(f"{path}: no such zip or folder; name what you downloaded")
    return _open_zip(path)


def _open_zip(path: Path) -> Archive:
    try:
        archive = zipfile.ZipFile(path)
    except (*untrusted.BROKEN, OSError):
        raise UsageError(f"{path}: not a zip, or a damaged one; download it again") from None
    members: dict[str, list[zipfile.ZipInfo]] = {}
    for member in archive.infolist():
        if not member.is_dir():
            members.setdefault(untrusted.path_of(member), []).append(member)
    if len(members) > MAX_FILES:
        raise UsageError(f"{path}: {len(members)} files; at most {MAX_FILES} are collected")
    faults = {name: _fault(name, same) for name, same in members.items()}
    safe = {name: same[0] for name, same in members.items() if not faults[name]}

    def read(name: str, limit: int) -> bytes:
        return untrusted.read_member(archive, safe[name], name.rpartition("/")[2], limit)

    names = tuple(sorted(name for name in safe if not _has_clutter(name)))
    lines = tuple(fault for fault in faults.values() if fault)
    return Archive(path.name, names, lines, read, lambda name: TIME.format(*safe[name].date_time))


def _fault(path: str, members: list[zipfile.ZipInfo]) -> str:
    """Return a line that says why the members with this path are refused, "" if they are not."""
    name = safe_line(path)
    try:
        untrusted.check_member(members[0])
    except Unreadable as problem:
        why = str(problem)
        return safe_line(why if why.startswith(name) else f"{name}: {why}")
    return f"{name}: twice in the archive" if len(members) > 1 else ""


def _open_folder(path: Path) -> Archive:
    found: list[tuple[str, str]] = []
    try:
        for entry in _walk(path):
            found.append(entry)
            if len(found) > MAX_FILES:
                raise UsageError(f"{path}: more than {MAX_FILES} files")
    except OSError as error:
        raise UsageError(f"{error.filename or path}: {error.strerror}") from None

    def time(name: str) -> str:
        when = datetime.fromtimestamp((path / name).lstat().st_mtime)
        return TIME.format(*when.timetuple()[:6])

    names = tuple(sorted(name for name, fault in found if not fault))
    faults = tuple(sorted(f"{safe_line(name)}: {fault}" for name, fault in found if fault))
    return Archive(path.resolve().name, names, faults, partial(untrusted.read_beneath, path), time)


def _walk(root: Path, inside: str = "") -> Iterator[tuple[str, str]]:
    """Yield each file with the reason why it is refused; raise OSError if the root is closed."""
    try:
        with os.scandir(root / inside) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        if not inside:
            raise
        yield inside.rstrip("/"), untrusted.CLOSED.format(error.strerror)
        return
    for entry in entries:
        path = f"{inside}{entry.name}"
        if _has_clutter(entry.name):
            continue
        if entry.is_symlink():
            yield path, untrusted.LINK
        elif not entry.is_dir():
            yield path, "" if entry.is_file() else untrusted.SPECIAL
        elif path.count("/") >= MAX_DEPTH:
            yield path, "the folder is nested too deep"
        else:
            yield from _walk(root, f"{path}/")


def _has_clutter(path: str) -> bool:
    """Return whether the file is clutter; a platform may write a timestamp, so that is not."""
    *folders, last = path.split("/")
    clutter = untrusted.CLUTTER - {untrusted.TIMESTAMP}
    return any(map(untrusted.is_clutter, folders)) or last.startswith(".") or last in clutter
