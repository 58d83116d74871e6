"""Put a student's files where `hearts grade` reads them, and keep the files that were there.

DIR/<student>/<stage>/                the attempt that counts
DIR/<student>/<stage>/timestamp.txt   when it was handed in, if the platform says so
DIR/.hearts/attempts/<student>/<stage>/<digest>/   all other attempts
DIR/.hearts/collected.json            a note on each of these attempts: where it came from

A note is an `AttemptSource`. `hearts grade` ignores everything that begins with a dot.
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from hearts_course.errors import CourseError, UsageError
from hearts_course.files import digest, write_whole
from hearts_course.submissions.find import ATTEMPTS, COLLECTED
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.read import MAX_ZIP
from hearts_course.submissions.untrusted import TIMESTAMP, Folder, read_beneath
from hearts_course.text import safe_line

from hearts_grader.grading.late_policy import hand_in_time, parse_time
from hearts_grader.lms.archive import Archive, Attempt

OWN = ".hearts"
MAX_FILE = 20 * 2**20  # bytes; a folder with a larger file counts as different from every attempt

Files = Mapping[str, bytes]


class Placed(StrEnum):
    """What became of an attempt."""

    FIRST = "placed"
    REPLACED = "placed, replacing another"
    UNCHANGED = "unchanged"
    OLDER = "older than the one that counts"


@dataclass(frozen=True)
class AttemptSource:
    """A note on where a student's files for a stage come from; `digest` is the files' digest.

    `order` sorts the attempts of one platform, and cannot be compared with another platform's.
    `late` says whether the platform marked the attempt as late. `renamed` says which files were
    taken under another name.
    """

    digest: str
    platform: str
    order: str
    archive: str
    display_name: str
    late: bool = False
    renamed: str = ""

    def is_newer(self, other: "AttemptSource | None") -> bool:
        """Return whether this attempt came after the other one, by their platform's order."""
        return other is not None and self.platform == other.platform and self.order > other.order

    def merged(self, other: "AttemptSource | None") -> "AttemptSource":
        """Return a single note for equal files that were handed in twice on one platform.

        The files count as late only if they were late both times: a student who had them in time
        loses nothing by handing them in again. If the files or the platforms differ, return this
        note.
        """
        if other is None or (self.digest, self.platform) != (other.digest, other.platform):
            return self
        late = self.late and other.late
        return replace(self, order=max(self.order, other.order), late=late)


@dataclass(frozen=True)
class Placement:
    """A student's files for a stage, to be put in place.

    `files` maps each path in the stage's folder to the file's path in the archive. `renamed` says
    which files no longer have the name that the student gave them.
    """

    archive: Archive
    platform: str
    attempt: Attempt
    student: str
    stage: str
    files: Mapping[str, str]
    renamed: str = ""

    def read(self) -> Files:
        """Map each file's path in the stage's folder to the file's content.

        A folder named after the stage is dropped from the paths, unless two paths would be the
        same. Raise CourseError if a file cannot be read, because it changed since it was listed.
        """
        contents: dict[str, bytes] = {}
        try:
            for name, path in self.files.items():
                contents[name] = self.archive.files.read(path, MAX_ZIP)
        except Unreadable as problem:
            raise CourseError(f"{safe_line(str(problem))}; try again") from None
        flat = {}
        for name, data in contents.items():
            short_name = name.removeprefix(f"{self.stage}/")
            if short_name in contents:
                flat[name] = data
            else:
                flat[short_name] = data
        return flat

    def source(self, files: Files) -> AttemptSource:
        """Return the note on where the files come from; its digest identifies the same files."""
        return AttemptSource(
            _digest_of(files),
            self.platform,
            self.attempt.order,
            self.archive.name,
            self.attempt.submitter.name,
            self.attempt.late,
            self.renamed,
        )


class SubmissionStore:
    """The folder that submissions are placed in."""

    def __init__(self, root: Path, *, dry: bool = False) -> None:
        """Read what was placed in the folder before; a `dry` store writes nothing.

        Raise UsageError if the path is a file.
        """
        self._root = root
        self._dry = dry
        if root.exists() and not root.is_dir():
            raise UsageError(f"{root}: not a folder; choose another with --into")
        self._sources = _read_sources(root / COLLECTED)

    @property
    def attempts(self) -> Path:
        """The folder of the attempts that do not count."""
        return self._root / ATTEMPTS

    @property
    def display_names(self) -> dict[str, str]:
        """The platform's name for each student whose attempts were collected."""
        return {key.split("/")[0]: source.display_name for key, source in self._sources.items()}

    def holds(self, student: str, stage: str) -> bool:
        """Return whether the student has a submission for the stage.

        It may have been collected, or put there by hand.
        """
        return any(self._present(student, stage))

    def is_late(self, student: str, stage: str) -> bool:
        """Return whether the attempt that counts has the platform's mark for being late."""
        source = self._sources.get(f"{student}/{stage}")
        return source is not None and source.late

    def place(self, placement: Placement) -> Placed:
        """Make the attempt count, or only keep it if a newer attempt counts already.

        If both attempts are from one platform, `order` says which is newer. If they are from two
        platforms, the attempt that is placed last counts. An attempt that is already among the kept
        attempts stays there, unless it is newer than the attempt that counts. Raise CourseError if
        placing fails; then the old submission stays.
        """
        files = placement.read()
        source = placement.source(files)
        key = f"{placement.student}/{placement.stage}"
        target = self._root / key
        for path in (target.parent, target):
            # A link could lead out of the folder of submissions.
            if path.is_symlink() or (path.exists() and not path.is_dir()):
                raise CourseError(f"{path}: not a folder; nothing is put in its place")
        digest_there = _digest_there(target)
        noted = self._sources.get(key)
        # The folder is named after its content, so that equal files are kept only once.
        kept = self.attempts / key / source.digest
        if digest_there == source.digest:
            self._keep_earlier_time(target, placement.attempt.time)
            self._sources[key] = source.merged(noted)
            return Placed.UNCHANGED
        key_of_kept = f"{key}/{kept.name}"
        if digest_there and kept.is_dir() and not source.is_newer(noted):
            self._keep_earlier_time(kept, placement.attempt.time)
            self._sources[key_of_kept] = source.merged(self._sources.get(key_of_kept))
            return Placed.UNCHANGED
        if noted and digest_there == noted.digest and noted.is_newer(source):
            self._write(files, placement.attempt.time, kept)
            self._sources[key_of_kept] = source
            return Placed.OLDER
        if noted and digest_there == noted.digest and noted.order != source.order:
            # `_put` moves the present submission to the other attempts, so its note moves as well.
            # If the orders are equal, this is the same attempt again and keeps a single note.
            self._sources[f"{key}/{digest_there}"] = noted
        done = Placed.REPLACED if self.holds(placement.student, placement.stage) else Placed.FIRST
        self._put(placement, files, target, digest_there)
        self._sources[key] = source
        return done

    def _keep_earlier_time(self, folder: Path, time: str) -> None:
        """Write the time into the folder's `timestamp.txt` if that file has a later time."""
        noted = hand_in_time(folder)
        if time and noted and parse_time(time) < noted and not self._dry:
            write_whole(folder / TIMESTAMP, f"{time}\n")

    def close(self) -> None:
        """Save the notes on what was placed; raise CourseError if they cannot be written."""
        if not self._dry and self._sources:
            data = {key: asdict(source) for key, source in sorted(self._sources.items())}
            write_whole(self._root / COLLECTED, json.dumps(data, indent=1) + "\n")

    def _put(self, placement: Placement, files: Files, target: Path, digest_there: str) -> None:
        """Move the present submission to the other attempts, and the files into its place.

        The new folder is written completely before it is renamed to the target, so that `hearts
        grade` never finds half a submission. A failure undoes every move. Raise CourseError if
        files cannot be moved.
        """
        fresh = self._root / OWN / f"new-{os.getpid()}"
        self._write(files, placement.attempt.time, fresh)
        if self._dry:
            return
        moved: list[tuple[Path, Path]] = []
        try:
            for old in self._present(placement.student, placement.stage):
                name = digest(str(old.lstat()))
                if old == target and digest_there:
                    name = digest_there
                kept = self.attempts / placement.student / placement.stage / name
                _move(old, kept)
                moved.append((old, kept))
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh.rename(target)
        except OSError as error:
            for old, kept in moved:
                with suppress(OSError):
                    # Report the first error, and ignore any error while moves are undone.
                    kept.rename(old)
            shutil.rmtree(fresh, ignore_errors=True)
            raise CourseError(f"{target}: {error.strerror}; is the folder yours?") from None

    def _present(self, student: str, stage: str) -> Iterator[Path]:
        """Yield the stage's folder and its zip, if they exist."""
        folder = self._root / student
        for path in (folder / stage, folder / f"{stage}.zip"):
            if os.path.lexists(path):  # even a broken link would be in the way
                yield path

    def _write(self, files: Files, time: str, folder: Path) -> None:
        """Write the files and the time into an empty folder; raise CourseError if that fails."""
        if self._dry:
            return
        contents = dict(files)
        if time:
            contents[TIMESTAMP] = f"{time}\n".encode()
        try:
            shutil.rmtree(folder, ignore_errors=True)
            for name, data in contents.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise CourseError(f"{folder}: {error.strerror}; make room and try again") from None


def _move(old: Path, place: Path) -> None:
    """Move a file or folder; replace an older copy at `place`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir():
        shutil.rmtree(place)
    elif place.exists():
        place.unlink()
    old.rename(place)


def _digest_there(folder: Path) -> str:
    """Return a digest of what the folder holds, "" if it does not exist.

    A folder that cannot be read gets a digest that no attempt has.
    """
    if not folder.exists():
        return ""
    files = {}
    try:
        for name in Folder(folder).names:
            files[name] = read_beneath(folder, name, MAX_FILE)
    except Unreadable as problem:
        return digest(str(folder), str(problem))
    return _digest_of(files)


def _digest_of(files: Files) -> str:
    """Return a digest of names and contents; it does not depend on the order of the files."""
    parts: list[str | bytes] = []
    for name in sorted(files):
        parts += [name, files[name]]
    return digest(*parts)


def _read_sources(path: Path) -> dict[str, AttemptSource]:
    """Return the notes on what was placed before; none if the file is missing or damaged."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {str(key): AttemptSource(**value) for key, value in data.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
