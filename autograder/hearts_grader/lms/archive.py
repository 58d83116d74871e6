"""An instructor's download, as a zip or a folder: nothing is unpacked, no link is followed.

Students made the files in a download, so each file is checked. An unsafe file is reported, and the
other files are collected. The module `downloads` sorts an archive's files into attempts.
"""

import zipfile
from dataclasses import dataclass
from pathlib import Path

from hearts_course.errors import UsageError
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.packed import open_packed
from hearts_course.submissions.read import MAX_ZIP
from hearts_course.submissions.untrusted import TIMESTAMP, Bounds, FileSource, Folder, Zip

MAX_FILES = 50_000
# The total size is not bounded, because a download holds a whole class. The size of each file is
# bounded when the file is read. Files named `timestamp.txt` are kept, because nbgrader may have
# written them.
BOUNDS = Bounds(
    files=MAX_FILES, depth=10, members=MAX_FILES, unpacked=None, kept=frozenset({TIMESTAMP})
)


class Opened:
    """The files of a download, and the files inside the archives that the download contains.

    The name of a file in an archive begins with the archive's name: `ada.zip/cards.py` is the file
    `cards.py` in the archive `ada.zip`.
    """

    def __init__(self, files: FileSource) -> None:
        """Open no archive among the files yet, because most archives are never looked into."""
        self._files = files
        self.names = files.names
        self._known = frozenset(files.names)

    def inside(self, name: str) -> tuple[str, ...]:
        """Return the names of the files in the archive `name`; none if it cannot be read."""
        try:
            return open_packed(name, self.read(name, MAX_ZIP)).names
        except Unreadable:
            return ()

    def read(self, name: str, limit: int) -> bytes:
        """Return a file's content; raise Unreadable if it is damaged or exceeds `limit` bytes."""
        if name in self._known:
            return self._files.read(name, limit)
        packed, inner = self._split(name)
        return open_packed(packed, self.read(packed, MAX_ZIP)).read(inner, limit)

    def _split(self, name: str) -> tuple[str, str]:
        """Return the archive that the name begins with, and the path of the file in it."""
        packed, *parts = name.split("/")
        while packed not in self._known:
            packed = f"{packed}/{parts.pop(0)}"
        return packed, "/".join(parts)

    def time(self, name: str) -> str:
        """Return when a file was last changed; sorting these texts sorts the files by time."""
        return self._files.time(name)


@dataclass(frozen=True)
class Archive:
    """The files of a download.

    `faults` lists the files that were refused. `repositories` names the cloned Git repositories
    that lie directly in the download's folder. If all these names have a prefix in common, the
    prefix is not part of a student's name.
    """

    name: str
    files: Opened
    faults: tuple[str, ...]
    repositories: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """The files' paths, without clutter."""
        return self.files.names


@dataclass(frozen=True)
class Submitter:
    """A student as the platform knows them.

    If `lasting`, the student has the same number in every assignment. In Moodle, the number is
    different in each assignment.
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

    `order` sorts the attempts of one platform. `stage` is "" unless the layout names a stage.
    `time` is "" unless the platform says when the attempt came. `late` says whether the platform
    marked the attempt as late. `group` has the students who handed in together, according to the
    platform.
    """

    submitter: Submitter
    files: tuple[AttemptFile, ...]
    order: str
    stage: str = ""
    time: str = ""
    late: bool = False
    group: tuple[Submitter, ...] = ()


@dataclass(frozen=True)
class Download:
    """The attempts that were found in an archive.

    `unplaced` lists the files that belong to no attempt, one line for each. `one_assignment` is
    true if everybody handed in for the same stage, as in a platform's download. `notes` tells the
    instructor how the archive was read, if this may be unexpected.
    """

    platform: str
    attempts: tuple[Attempt, ...]
    one_assignment: bool
    unplaced: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def open_archive(path: Path) -> Archive:
    """Return the archive at the path; raise UsageError if it is missing or cannot be read."""
    if not path.is_dir() and not path.is_file():
        raise UsageError(f"{path}: no such zip or folder; name what you downloaded")
    if not path.is_dir() and not zipfile.is_zipfile(path):
        raise UsageError(f"{path}: not a zip, or a damaged one; download it again")
    faults: list[str] = []
    clones: frozenset[str] = frozenset()
    source: FileSource
    try:
        if path.is_dir():
            source = Folder(path, BOUNDS, faults)
            clones = frozenset(git.parent.name for git in path.glob("*/.git"))
        else:
            source = Zip(path, BOUNDS, faults)
    except Unreadable as problem:
        raise UsageError(f"{path}: {problem}") from None
    return Archive(path.resolve().name, Opened(source), tuple(sorted(faults)), clones)
