"""The dates of a class: the file of dates that counts, and the roster that it names."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hearts_course.course import Course
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import digest, write_whole

from hearts_grader.grading.late_policy import LatePolicy, dates_file, load_policy
from hearts_grader.grading.store import Store
from hearts_grader.lms.roster import Roster, read_roster


@dataclass(frozen=True)
class ClassDates:
    """The late policy of a class, from the file of dates that counts.

    `asked` is the file of dates that was asked for. `found` is a file of dates beside the
    submissions of these `students`.
    """

    store: Store
    course: Course
    asked: Path | None = None
    found: Path | None = None
    students: frozenset[str] = frozenset()

    @property
    def file(self) -> Path:
        """The file of dates that counts; by default the course's own, which may be missing."""
        return dates_file(self.course, self._path)

    @cached_property
    def policy(self) -> LatePolicy:
        """The late policy in the file of dates that counts.

        Raise UsageError if this run or an earlier run was asked to use a file of dates, or found
        one, and this file is now missing. Otherwise the penalties would disappear silently.
        """
        path = self._path
        if path and not path.is_file():
            raise UsageError(f"{path}: missing; put it back, or name another file with --late")
        return policy_of_class(self.course, path, self._all_students)

    @property
    def roster(self) -> Roster:
        """The roster that the late policy names, else an empty roster.

        Raise CourseError if the late policy or the roster is invalid.
        """
        return roster_of_class(self.course, self._path)

    def have_changed(self) -> bool:
        """Return whether the dates differ from those that the last run used."""
        used = self.store.used_dates
        return used.exists() and used.read_text(encoding="utf-8") != self._digest()

    def remember(self) -> None:
        """Record which file of dates was used, and its content; raise CourseError if that fails."""
        if self.asked:
            write_whole(self.store.late_file, f"{self.asked.resolve()}\n")
        if self.found:
            write_whole(self.store.found_late_file, f"{self.found.resolve()}\n")
        write_whole(self.store.used_dates, self._digest())

    @property
    def _path(self) -> Path | None:
        """The file asked for, now or earlier, else the file found; None for the course's own."""
        asked_before = _path_in(self.store.late_file)
        found_before = _path_in(self.store.found_late_file)
        return self.asked or asked_before or self.found or found_before

    @property
    def _all_students(self) -> set[str]:
        """The students of this run and of all runs before."""
        return {folder.name for folder in self.store.results.folder.glob("*")} | self.students

    def _digest(self) -> str:
        """Return a digest of the file of dates and its roster; "" if one of them is invalid."""
        files = [self.file]
        try:
            if name := load_policy(self.course, self._path).roster:
                files.append(self.file.parent / name)
            return digest(*(path.read_bytes() for path in files if path.exists()))
        except (CourseError, OSError):
            return ""


def policy_of_class(course: Course, path: Path | None, students: Iterable[str]) -> LatePolicy:
    """Return the late policy with the students' sections and addresses from its roster.

    Raise CourseError if the file or the roster is invalid.
    """
    roster = roster_of_class(course, path)
    students = sorted(students)
    addresses = {}
    for name, (_, _, address) in roster.names(students).items():
        if address:
            addresses[name] = address
    return load_policy(course, path).with_members(roster.sections(students), addresses)


def roster_of_class(course: Course, path: Path | None) -> Roster:
    """Return the roster that the late policy names, else an empty roster.

    Raise CourseError if the late policy or the roster is invalid.
    """
    name = load_policy(course, path).roster
    return read_roster(dates_file(course, path).parent / name) if name else Roster(())


def _path_in(file: Path) -> Path | None:
    """Return the path that is written in `file`; None if `file` does not exist."""
    return Path(file.read_text(encoding="utf-8").strip()) if file.exists() else None
