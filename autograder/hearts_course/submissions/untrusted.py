"""Files that a stranger wrote, read without following, running or unpacking anything.

Box            where a submission's files lie: a folder here, a zip in `archive`
Folder         the files under a folder, by their path in it
read_beneath   one file under a folder: an ordinary one, of a bounded size, through no link
"""

import errno
import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Protocol

from hearts_course.submissions.model import Unreadable

MAX_FILES = 1000
MAX_DEPTH = 3
TIMESTAMP = "timestamp.txt"  # nbgrader's: when a submission came; to the reader it is clutter
CLUTTER = {TIMESTAMP, "__pycache__", "__MACOSX", "Thumbs.db", "desktop.ini"}

LINK = "is a symbolic link; hand in the file itself"
SPECIAL = "is not an ordinary file; hand in the file itself"
CLOSED = "may not be opened ({}); make it readable and hand it in again"


class FileSource(Protocol):
    """Where a submission's files lie."""

    @property
    def names(self) -> tuple[str, ...]:
        """The files' paths in the box, with `/`, without clutter."""

    def read(self, name: str, most: int) -> bytes:
        """The content of one of them; raises Unreadable, also for more than `most` bytes."""


def is_clutter(name: str) -> bool:
    """Whether a file or folder of that name was left by a system or a tool, not by a student."""
    return name.startswith(".") or name in CLUTTER


class Folder:
    """The files under a folder, down to three folders deep."""

    def __init__(self, path: Path) -> None:
        """List the folder; raises Unreadable if that fails or never seems to end."""
        self._path = path
        try:
            entries = list(islice(_entries(path), MAX_FILES + 1))
        except OSError as error:
            raise Unreadable(f"the folder {path.name} {CLOSED.format(error.strerror)}") from None
        if len(entries) > MAX_FILES:
            raise Unreadable(f"more than {MAX_FILES} files; hand in the program's files only")
        self.names = tuple(sorted(name for name, is_folder in entries if not is_folder))

    def read(self, name: str, most: int) -> bytes:
        """The file's content; raises Unreadable, also for more than `most` bytes."""
        return read_beneath(self._path, name, most)


def _entries(folder: Path, inside: str = "") -> Iterator[tuple[str, bool]]:
    """Each file and folder, lazily, by its path; whether it is a folder."""
    with os.scandir(folder / inside) as entries:
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            path = f"{inside}{entry.name}"
            if is_clutter(entry.name):
                continue
            yield path, is_folder
            if is_folder and path.count("/") < MAX_DEPTH:
                yield from _entries(folder, f"{path}/")


def read_beneath(folder: Path, name: str, most: int) -> bytes:
    """The content of the ordinary file `name` under `folder`, at most `most` bytes of it.

    Raises Unreadable for a link, also on the way there, a pipe, a device, a file too big.
    """
    try:
        file = _open_beneath(folder, name)
        with os.fdopen(file, "rb") as stream:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise Unreadable(f"{name} {SPECIAL}")
            data = stream.read(most + 1)
            if len(data) > most:
                size = max(len(data), os.fstat(file).st_size)
                raise Unreadable(f"{name} {too_big(size, most)}")
            return data
    except OSError as error:
        raise Unreadable(f"{name} {_reason(error)}") from None


def _open_beneath(folder: Path, name: str) -> int:
    """Each step starts from the folder that is already open, so that none can be swapped."""
    *folders, last = name.split("/")
    step = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    here = os.open(folder, step)
    try:
        for part in folders:
            here, left = os.open(part, step, dir_fd=here), here
            os.close(left)
        mode = os.stat(last, dir_fd=here, follow_symlinks=False).st_mode
        if not stat.S_ISREG(mode):
            raise Unreadable(f"{name} {LINK if stat.S_ISLNK(mode) else SPECIAL}")
        # The file may have changed since: a link is not followed, a pipe does not block.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(last, flags, dir_fd=here)
    finally:
        os.close(here)


def _reason(error: OSError) -> str:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return LINK
    return CLOSED.format(error.strerror)


def too_big(size: int, most: int) -> str:
    """What a file of so many bytes is told, where at most `most` are read."""
    return f"is too big ({mebibytes(size)}; at most {mebibytes(most)}): hand in the program only"


def mebibytes(size: int) -> str:
    """The size as people read it."""
    return f"{size / 2**20:.1f}".removesuffix(".0") + " MiB"
