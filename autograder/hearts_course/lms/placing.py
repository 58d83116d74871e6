"""Putting a student's files of a stage in place; what was there is kept.

DIR/<student>/<stage>/                       the attempt that counts
DIR/<student>/<stage>/timestamp.txt          when it was handed in, if the platform tells
DIR/.hearts/attempts/<student>/<stage>/<digest>/   every other
DIR/.hearts/collected.json                   what was placed, from where, in which order, and
                                             whether the platform marks it as late

Whatever begins with a dot is no student's to `hearts grade`.

Shelf   the folder
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from hearts_course.errors import CourseError, UsageError
from hearts_course.files import write_whole
from hearts_course.grading.cache import digest
from hearts_course.lms.attempt_files import AttemptSource, Done, PlacedFiles
from hearts_course.submissions.find import COLLECTED
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import TIMESTAMP, Folder, read_beneath

OWN = ".hearts"
MAX_FILE = 20 * 2**20


class SubmissionStore:
    """The folder that submissions are placed in."""

    def __init__(self, root: Path, *, dry: bool = False) -> None:
        """Read what was placed there; `dry` writes nothing. Raises UsageError for a file."""
        self._root, self._dry = root, dry
        if root.exists() and not root.is_dir():
            raise UsageError(f"{root}: is no folder; choose another with --into")
        self._origins = _read(root / COLLECTED)

    @property
    def attempts(self) -> Path:
        """Where the attempts are that do not count."""
        return self._root / OWN / "attempts"

    @property
    def names(self) -> dict[str, str]:
        """The students that were placed, and their own names."""
        return {key.split("/")[0]: origin.plain for key, origin in self._origins.items()}

    def holds(self, student: str, stage: str) -> bool:
        """Whether something of the student's lies there for the stage."""
        return os.path.lexists(self._root / student / stage) or bool(self._zip(student, stage))

    def is_late(self, student: str, stage: str) -> bool:
        """Whether what was placed there last is marked late by its platform."""
        origin = self._origins.get(f"{student}/{stage}")
        return origin is not None and origin.late

    def place(self, attempt: PlacedFiles) -> Done:
        """Put the attempt in place, or among the others, if it is older than what is there.

        Raises CourseError if that fails; what was there is there then.
        """
        key = f"{attempt.student}/{attempt.stage}"
        target = self._root / attempt.student / attempt.stage
        self._refuse_link(target)
        there = self._there(target)
        before = self._origins.get(key)
        kept = self._place_of(attempt.student, attempt.stage, attempt.digest)
        if there == attempt.digest:
            self._origins[key] = _latest(attempt.origin, before)
            return Done.UNCHANGED
        if there and kept.is_dir() and not (before and _is_newer(attempt, before)):
            return Done.UNCHANGED
        if before and there == before.digest and _is_newer(before, attempt):
            self._write(attempt, kept)
            return Done.OLDER
        return self._put(attempt, target, there)

    def close(self) -> None:
        """Keep what was placed in mind; raises CourseError if that fails."""
        if not self._dry and self._origins:
            data = {key: asdict(origin) for key, origin in sorted(self._origins.items())}
            write_whole(self._root / COLLECTED, json.dumps(data, indent=1) + "\n")

    def _put(self, attempt: PlacedFiles, target: Path, there: str) -> Done:
        done = Done.REPLACED if self.holds(attempt.student, attempt.stage) else Done.PLACED
        fresh = self._root / OWN / f"new-{os.getpid()}"
        self._write(attempt, fresh)
        if not self._dry:
            moved: list[tuple[Path, Path]] = []
            try:
                for old, place in self._others(attempt, target, there):
                    _move(old, place)
                    moved.append((old, place))
                target.parent.mkdir(parents=True, exist_ok=True)
                fresh.rename(target)
            except OSError as error:
                for old, place in moved:
                    with suppress(OSError):
                        place.rename(old)
                shutil.rmtree(fresh, ignore_errors=True)
                raise CourseError(f"{target}: {error.strerror}; is the folder yours?") from None
        self._origins[f"{attempt.student}/{attempt.stage}"] = attempt.origin
        return done

    def _others(
        self, attempt: PlacedFiles, target: Path, there: str
    ) -> Iterator[tuple[Path, Path]]:
        """What is there, and where it is to be among the other attempts."""
        for old in filter(None, (target, self._zip(attempt.student, attempt.stage))):
            if os.path.lexists(old):
                name = there if old == target and there else digest(str(old.lstat()))
                yield old, self._place_of(attempt.student, attempt.stage, name)

    def _zip(self, student: str, stage: str) -> Path | None:
        path = self._root / student / f"{stage}.zip"
        return path if os.path.lexists(path) else None

    def _place_of(self, student: str, stage: str, name: str) -> Path:
        return self.attempts / student / stage / name[:16]

    def _refuse_link(self, target: Path) -> None:
        for path in (target.parent, target):
            if path.is_symlink() or (path.exists() and not path.is_dir()):
                raise CourseError(f"{path}: is no folder; nothing is put in its place")

    def _there(self, target: Path) -> str:
        """A digest of what lies there, "" if there is nothing."""
        if not target.exists():
            return ""
        try:
            names = Folder(target).names
            parts = [(name, read_beneath(target, name, MAX_FILE)) for name in names]
            return digest(*(part for pair in parts for part in pair))
        except Unreadable as problem:
            return digest(str(target), str(problem))

    def _write(self, attempt: PlacedFiles, folder: Path) -> None:
        if self._dry:
            return
        try:
            shutil.rmtree(folder, ignore_errors=True)
            stamp = {TIMESTAMP: f"{attempt.when}\n".encode()} if attempt.when else {}
            for name, data in {**attempt.files, **stamp}.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise CourseError(f"{folder}: {error.strerror}; make room, and try again") from None


def _move(old: Path, place: Path) -> None:
    """Move it; what is in that place already is the same."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    old.rename(place)


def _is_newer(one: PlacedFiles | AttemptSource, other: PlacedFiles | AttemptSource) -> bool:
    return one.platform == other.platform and one.order > other.order


def _latest(origin: AttemptSource, before: AttemptSource | None) -> AttemptSource:
    """Where the content comes from, with order and mark of the later time that it came in."""
    if before and _is_newer(before, origin):
        return replace(origin, order=before.order, late=before.late)
    return origin


def _read(path: Path) -> dict[str, AttemptSource]:
    """What was placed before; nothing if that is not known any more."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {str(key): AttemptSource(**value) for key, value in data.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
