"""Keep results and a gradebook in step: scores go in, manual points come out."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.files import write_whole
from hearts_course.grading.final_scores import (
    NO_ENTRY,
    UNKNOWN,
    Adjustment,
    Adjustments,
    GradebookEntry,
    HandedIn,
    adjustment,
    adjustments_text,
    apply_all,
    entry_of,
    read_adjustments,
)
from hearts_course.grading.late_policy import LatePolicy, Name, load_policy
from hearts_course.grading.store import Store
from hearts_course.lms.roster import Roster, read_roster
from hearts_course.results import Result
from hearts_course.submissions.find import LATE_FILE

if TYPE_CHECKING:
    from hearts_course.nbgrader.gradebook import Gradebook

FILE = "sqlite:///"
INSTALL = "`pip install 'hearts-course[grade]'`"
Came = Mapping[Name, HandedIn]
HIDDEN = ":***@"  # what SQLAlchemy shows of a password


@dataclass(frozen=True)
class GradebookSync:
    """The results in `store`, the late policy, and the gradebook.

    `asked` is the URL that was asked for, or "", and `asked_late` the file of dates; `late_file` is
    the one beside the submissions of these `students`. Without SQLAlchemy there is no gradebook, so
    final scores have late penalties only.
    """

    store: Store
    course: Course
    asked: str = ""
    asked_late: Path | None = None
    late_file: Path | None = None
    students: frozenset[str] = frozenset()

    @cached_property
    def url(self) -> str:
        """The gradebook asked for now, else the last one, else the store's own; "" for none.

        Raise UsageError if it cannot be used: without SQLAlchemy, or without its password.
        """
        if find_spec("sqlalchemy") is None:
            if self.asked:
                raise UsageError(f"`--gradebook` needs {INSTALL}")
            return ""
        named = self.store.named_gradebook
        last = named.read_text(encoding="utf-8").strip() if named.exists() else ""
        if not self.asked and HIDDEN in last:
            raise UsageError(
                f"the gradebook {last}: its password is not kept; name it again with --gradebook"
            )
        return absolute_url(self.asked) or last or absolute_url(f"{FILE}{self.store.gradebook}")

    @cached_property
    def policy(self) -> LatePolicy:
        """The late policy: of the file asked for now, else the last time, else of the one found.

        Raise UsageError if that file is missing.
        """
        path = self._dates
        if path and not path.is_file():
            raise UsageError(f"{path}: missing; put it back, or name another file with --late")
        return policy_of_class(self.course, path, self._students)

    @property
    def _dates(self) -> Path | None:
        named = self.store.late_file
        last = Path(named.read_text(encoding="utf-8").strip()) if named.exists() else None
        return self.asked_late or last or self.late_file

    @property
    def _students(self) -> set[str]:
        return {folder.name for folder in self.store.results.folder.glob("*")} | self.students

    def check(self) -> None:
        """Raise CourseError now for anything that would stop `settle` later.

        A lost gradebook with manual points is included, because they would no longer count.
        """
        if not self.asked and self._has_manual_points():
            if not self.url:
                raise UsageError(f"the manual points are in a gradebook, which needs {INSTALL}")
            if self._is_missing():
                raise UsageError(
                    f"{_file_of(self.url)}: missing, and the manual points with it; "
                    "put it back, or name another gradebook with --gradebook"
                )
        if self.url:
            with self._open():
                pass

    def fingerprint(self) -> str:
        """Return a text that changes whenever manual points or the late policy do."""
        file = _file_of(self.url)
        if file is not None and file.exists():
            seen = f"{file.stat().st_size} {file.stat().st_mtime_ns}"
        elif file is not None or not self.url:
            seen = ""
        else:
            seen = repr(sorted(self._entries().items()))
        return f"{self.url} {seen} {self.policy}"

    def entries(self) -> Mapping[Name, GradebookEntry]:
        """Return what the gradebook says, nothing if there is none yet."""
        return {} if not self.url or self._is_missing() else self._entries()

    def adjustments(self, came: Came) -> Adjustments:
        """Return the adjustments of these submissions, by what the gradebook says now."""
        return self._adjustments(came, self.entries(), came)

    def settle(self, results: Sequence[Result], came: Came) -> tuple[Result, ...]:
        """Return the final results, once scores and times are in the gradebook; raise CourseError.

        Without a gradebook, a submission without a stamp is as late as it was the last time.
        """
        self._remember()
        if not self.url:
            return self._save(results, self._updated(results, dict.fromkeys(came, NO_ENTRY), came))
        stamps = {name: one.stamp for name, one in came.items()}
        with self._open() as gradebook:
            gradebook.save_scores(results, self.course.stages, stamps, self.policy)
            gradebook.name_students(roster_of_class(self.course, self._dates))
            by_name = self._adjustments(map(_name, results), gradebook.entries(), came)
            gradebook.set_late_penalties(
                {
                    name: by_name[name].parts(one).penalty
                    for one in results
                    if (name := _name(one)) in by_name
                }
            )
        return self._save(results, by_name)

    def refresh(self) -> str:
        """Fetch manual points given since the last time; raise CourseError if that fails.

        If the gradebook is missing, keep those fetched last, and return a line that says so.
        """
        if not self.url or not self.store.adjustments.exists():
            return ""
        if self._is_missing():
            return f"{_file_of(self.url)}: missing; the scores saved last still count"
        results, _ = self.store.load()
        came = {
            name: HandedIn(
                *(None, one.late.marked, one.attempts, one.counts, one.rule, one.group, one.by),
                one.renamed is not None,
            )
            for name, one in read_adjustments(self.store.adjustments).items()
        }
        self._save(results, self._updated(results, self._entries(create=False), came))
        return ""

    def _has_manual_points(self) -> bool:
        former = read_adjustments(self.store.adjustments)
        return any(one.has_manual_points for one in former.values())

    def _is_missing(self) -> bool:
        file = _file_of(self.url)
        return file is not None and not file.exists()

    def _open(self, create: bool = True) -> "AbstractContextManager[Gradebook]":
        """Open the gradebook; never replace one with manual points that was lost."""
        from hearts_course.nbgrader.gradebook import open_gradebook

        create = create and (bool(self.asked) or not self._has_manual_points())
        return open_gradebook(self.url, create)

    def _entries(self, create: bool = True) -> Mapping[Name, GradebookEntry]:
        with self._open(create) as gradebook:
            return gradebook.entries()

    def _save(self, results: Iterable[Result], by_name: Adjustments) -> tuple[Result, ...]:
        write_whole(self.store.adjustments, adjustments_text(by_name))
        return apply_all(results, by_name)

    def _updated(
        self, results: Iterable[Result], entries: Mapping[Name, GradebookEntry], came: Came
    ) -> Adjustments:
        """Return adjustments from these entries; keep the former one where there is no entry."""
        former = read_adjustments(self.store.adjustments).items()
        kept = {name: one for name, one in former if name not in entries}
        return self._adjustments(map(_name, results), entries, came) | kept

    def _adjustments(
        self, names: Iterable[Name], entries: Mapping[Name, GradebookEntry], came: Came
    ) -> dict[Name, Adjustment]:
        stages = {stage.name: stage for stage in self.course.stages}
        return {
            (student, stage): adjustment(
                student,
                stages[stage],
                entry_of((student, stage), one.group, entries),
                self.policy,
                one,
            )
            for student, stage in names
            if stage in stages
            for one in [came.get((student, stage), UNKNOWN)]
        }

    def _remember(self) -> None:
        """Note which gradebook was asked for, without its password, and which file of dates."""
        if self.asked_late:
            write_whole(self.store.late_file, f"{self.asked_late.resolve()}\n")
        if self.asked:
            from hearts_course.nbgrader.gradebook import without_password

            write_whole(self.store.named_gradebook, f"{without_password(self.url)}\n")


def policy_of_class(course: Course, path: Path | None, students: Iterable[str]) -> LatePolicy:
    """Return the late policy with the students' sections and addresses from its roster.

    Raise CourseError if the file or the roster is invalid.
    """
    roster, students = roster_of_class(course, path), sorted(students)
    addresses = {name: parts[-1] for name, parts in roster.names(students).items() if parts[-1]}
    return load_policy(course, path).with_members(roster.sections(students), addresses)


def roster_of_class(course: Course, path: Path | None) -> Roster:
    """Return the roster that the late policy names, else an empty one; raise CourseError."""
    name = load_policy(course, path).roster
    folder = (path or course.root / "autograder" / LATE_FILE).parent
    return read_roster(folder / name) if name else Roster(())


def absolute_url(url: str) -> str:
    """Return the URL with the absolute path of the file that it names, if it names one."""
    path = url.removeprefix(FILE)
    return url if path in (url, "") else f"{FILE}{Path(path).resolve()}"


def _name(result: Result) -> Name:
    return result.student, result.stage


def _file_of(url: str) -> Path | None:
    path = url.removeprefix(FILE)
    return Path(path.partition("?")[0]) if path != url else None
