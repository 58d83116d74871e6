"""Read a student's files from a folder or a zip; follow no link, write nothing to disk.

FileSource     the files of a submission by their paths: a Folder or a Zip
read_beneath   one ordinary file under a folder
"""

import errno
import io
import os
import posixpath
import stat
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Protocol

from hearts_course.files import errors_of_broken_zip
from hearts_course.submissions.model import Unreadable
from hearts_course.text import safe_line

MAX_FILES = 1000  # files and folders in a submission's folder
MAX_DEPTH = 3  # levels of folders below a submission's folder
MAX_MEMBERS = 100  # files and folders in an archive
MAX_UNPACKED = 10 * 2**20  # bytes of all files in an archive
TIME = "{:04}-{:02}-{:02} {:02}:{:02}:{:02}"
TIMESTAMP = "timestamp.txt"  # nbgrader's file with the time of a submission
CLUTTER = {TIMESTAMP, "__pycache__", "__MACOSX", "Thumbs.db", "desktop.ini"}

LINK = "is a symbolic link; hand in the file itself"
SPECIAL = "is not an ordinary file; hand in the file itself"
CLOSED = "cannot be opened ({}); make it readable and submit it again"
CORRUPT = "the zip is damaged; make it again and submit it again"

ENCRYPTED, UTF_8 = 0x1, 0x800
# Other methods of compression are refused, because Python unpacks them without a limit on memory.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
BROKEN = errors_of_broken_zip()


class FileSource(Protocol):
    """The files of a submission or a download, by their paths."""

    @property
    def names(self) -> tuple[str, ...]:
        """The paths of the files, with `/` between their parts. Clutter is left out."""

    def read(self, name: str, limit: int) -> bytes:
        """Return the content of a file; raise Unreadable if this fails or exceeds `limit` bytes."""

    def time(self, name: str) -> str:
        """Return when a file was last changed, as a text that sorts by time."""


@dataclass(frozen=True)
class Bounds:
    """How much a FileSource may hold; `kept` are names that never count as clutter.

    A download of a whole class may hold more than a single submission.
    """

    files: int = MAX_FILES
    depth: int = MAX_DEPTH
    members: int = MAX_MEMBERS
    unpacked: int | None = MAX_UNPACKED
    kept: frozenset[str] = frozenset()

    def is_clutter(self, name: str) -> bool:
        """Return whether files and folders of that name are left out."""
        return is_clutter(name) and name not in self.kept


SUBMISSION = Bounds()


def is_clutter(name: str) -> bool:
    """Return whether files of that name come from a system or a tool, not from a student."""
    return name.startswith(".") or name in CLUTTER


def files_below(folder: Path) -> list[Path]:
    """Return the files under one of the course's own folders; leave out clutter.

    Links are followed, because no student made them: with `hearts --overlay`, the course consists
    of links.
    """
    paths: list[Path] = []
    for here, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [name for name in folders if not is_clutter(name)]
        paths += (Path(here, name) for name in files if not is_clutter(name))
    return sorted(path for path in paths if path.is_file())


class Folder:
    """The files under a folder, down to three folders deep unless `bounds` says otherwise.

    If `faults` is a list, each file that cannot be read adds a line to it and is not in `names`.
    """

    def __init__(
        self, path: Path, bounds: Bounds = SUBMISSION, faults: list[str] | None = None
    ) -> None:
        """List the folder; raise Unreadable if that fails or it holds too many files.

        Listing stops as soon as there are too many, because a folder may hold millions of files.
        """
        self._path = path
        try:
            entries = list(islice(_entries(path, bounds, faults), bounds.files + 1))
        except OSError as error:
            raise Unreadable(f"the folder {path.name} {CLOSED.format(error.strerror)}") from None
        if len(entries) > bounds.files:
            raise Unreadable(f"more than {bounds.files} files; hand in the program's files only")
        self.names = tuple(sorted(name for name, is_folder in entries if not is_folder))

    def read(self, name: str, limit: int) -> bytes:
        """Return the file's content; raise Unreadable if this fails or exceeds `limit` bytes."""
        return read_beneath(self._path, name, limit)

    def time(self, name: str) -> str:
        """Return when the file was last changed."""
        when = datetime.fromtimestamp((self._path / name).lstat().st_mtime)
        return TIME.format(*when.timetuple()[:6])


def _entries(
    folder: Path, bounds: Bounds, faults: list[str] | None, inside: str = ""
) -> Iterator[tuple[str, bool]]:
    """Yield the path of each file and folder, and whether it is a folder.

    If `faults` is a list, a line is added to it for each entry that cannot be read. If it is None,
    links and special files are yielded like other files. Then `read` refuses them, but only if the
    program needs them.
    """
    with os.scandir(folder / inside) as entries:
        for entry in entries:
            path = f"{inside}{entry.name}"
            is_folder = entry.is_dir(follow_symlinks=False)
            if bounds.is_clutter(entry.name):
                continue
            fault = ""
            if is_folder and path.count("/") >= bounds.depth:
                fault = "the folder is nested too deep"
            elif not is_folder and not entry.is_file(follow_symlinks=False):
                fault = SPECIAL
                if entry.is_symlink():
                    fault = LINK
            if fault and faults is not None:
                faults.append(f"{safe_line(path)}: {fault}")
                continue
            yield path, is_folder
            if is_folder and not fault:
                try:
                    yield from _entries(folder, bounds, faults, f"{path}/")
                except OSError as error:
                    if faults is None:
                        raise
                    faults.append(f"{safe_line(path)}: {CLOSED.format(error.strerror)}")


def read_beneath(folder: Path, name: str, limit: int) -> bytes:
    """Return the content of the ordinary file `name` under `folder`.

    Raise Unreadable if the file or a folder of its path is a link. Raise it also if the file is a
    pipe or a device, or has more than `limit` bytes.
    """
    try:
        file = _open_beneath(folder, name)
        with os.fdopen(file, "rb") as stream:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise Unreadable(f"{name} {SPECIAL}")
            data = stream.read(limit + 1)
            if len(data) > limit:
                raise Unreadable(too_big(name, max(len(data), os.fstat(file).st_size), limit))
            return data
    except OSError as error:
        reason = CLOSED.format(error.strerror)
        if error.errno in (errno.ELOOP, errno.ENOTDIR):  # O_NOFOLLOW met a link
            reason = LINK
        raise Unreadable(f"{name} {reason}") from None


def _open_beneath(folder: Path, name: str) -> int:
    """Open the file and return its descriptor.

    Each folder is opened from the open folder above it. So nobody can swap a checked folder for a
    link before the folder is used.
    """
    *folders, last = name.split("/")
    step = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    here = os.open(folder, step)
    try:
        for part in folders:
            here, left = os.open(part, step, dir_fd=here), here
            os.close(left)
        mode = os.stat(last, dir_fd=here, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            raise Unreadable(f"{name} {LINK}")
        if not stat.S_ISREG(mode):
            raise Unreadable(f"{name} {SPECIAL}")
        # The file may have changed by now: do not follow a link, do not block on a pipe.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(last, flags, dir_fd=here)
    finally:
        os.close(here)


class Zip:
    """The files in a zip; each is read up to a limit, whatever size the zip claims.

    If `faults` is a list, each unsafe file adds a line to it and is not in `names`.
    """

    def __init__(
        self,
        file: bytes | Path,
        bounds: Bounds = SUBMISSION,
        faults: list[str] | None = None,
    ) -> None:
        """Open the zip; raise Unreadable if it is damaged, encrypted, too big or unsafe.

        A path that occurs twice is refused, because nobody can tell which file is meant.
        """
        try:
            self._zip = _opened(file)
        except BROKEN:
            raise Unreadable(CORRUPT) from None
        members_by_path: dict[str, list[zipfile.ZipInfo]] = {}
        for member in self._zip.infolist():
            members_by_path.setdefault(path_of(member), []).append(member)
        members = self._zip.infolist()
        check_size("zip", len(members), sum(member.file_size for member in members), bounds)
        self._members: dict[str, zipfile.ZipInfo] = {}
        for path, (member, *others) in sorted(members_by_path.items()):
            try:
                _check_member(member)
                if others:
                    raise Unreadable(f"the zip holds {path} {len(others) + 1} times; zip it once")
            except Unreadable as problem:
                if faults is None:
                    raise
                line = str(problem)
                if not line.startswith(path):
                    line = f"{path}: {line}"
                faults.append(safe_line(line))
                continue
            if not path.endswith("/") and not any(map(bounds.is_clutter, path.split("/"))):
                self._members[path] = member
        self.names = tuple(self._members)

    def read(self, name: str, limit: int) -> bytes:
        """Return the file's content; raise Unreadable if this fails or exceeds `limit` bytes.

        The sizes that the zip states may be false, so reading stops after the limit.
        """
        member = self._members[name]
        file_name = posixpath.basename(name)
        if member.compress_type not in METHODS:
            raise Unreadable(f"{file_name} is compressed in a rare way; make an ordinary zip")
        try:
            with self._zip.open(member) as stream:
                data = stream.read(limit + 1)
        except BROKEN:
            raise Unreadable(CORRUPT) from None
        if len(data) > limit:
            raise Unreadable(too_big(file_name, max(member.file_size, len(data)), limit))
        return data

    def time(self, name: str) -> str:
        """Return when the file was last changed."""
        return TIME.format(*self._members[name].date_time)


def _opened(file: bytes | Path) -> zipfile.ZipFile:
    """Open a zip from memory or from a file; raise one of BROKEN if it is damaged."""
    if isinstance(file, bytes):
        return zipfile.ZipFile(io.BytesIO(file))
    return zipfile.ZipFile(file)


def check_size(kind: str, members: int, unpacked: int, bounds: Bounds) -> None:
    """Raise Unreadable if an archive of that kind holds too many members or bytes."""
    if members > bounds.members:
        size = f"holds {members} files (at most {bounds.members})"
    elif bounds.unpacked is not None and unpacked > bounds.unpacked:
        size = f"unpacks to {_mebibytes(unpacked)} (at most {_mebibytes(bounds.unpacked)})"
    else:
        return
    raise Unreadable(f"the {kind} {size}: hand in the program only")


def check_path(kind: str, path: str) -> None:
    """Raise Unreadable if a path in an archive leads to a place outside of the archive."""
    if path.startswith("/") or path[1:2] == ":" or ".." in path.split("/"):
        raise Unreadable(f"the {kind} contains an unsafe path ({path}); {kind} the files again")


def _check_member(member: zipfile.ZipInfo) -> None:
    """Raise Unreadable for an unsafe path, an encrypted member, or a special file.

    A link in a zip is also refused: its content is a path, not a program.
    """
    path = path_of(member)
    check_path("zip", path)
    if not path:
        raise Unreadable("the zip holds a file without a name; zip the files again")
    if member.flag_bits & ENCRYPTED:
        raise Unreadable("the zip is locked with a password; make one without")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        kind_name = "special file"
        if kind == stat.S_IFLNK:
            kind_name = "symbolic link"
        raise Unreadable(f"{path} is a {kind_name} in the zip; zip the file itself")


def path_of(member: zipfile.ZipInfo) -> str:
    r"""Return the member's path with `/`, where some systems write `\`.

    macOS writes UTF-8 without saying so; Python then decodes the name with another encoding.
    """
    name = member.filename
    if not member.flag_bits & UTF_8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/").removeprefix("./")


def too_big(name: str, size: int, limit: int) -> str:
    """Return a message which says that a file is too big, and what to do."""
    sizes = f"{_mebibytes(size)}; at most {_mebibytes(limit)}"
    return f"{name} is too big ({sizes}): hand in the program only"


def _mebibytes(size: int) -> str:
    """Return a size in words for students, such as "1.5 MiB" or "2 MiB"."""
    return f"{size / 2**20:.1f}".removesuffix(".0") + " MiB"
