"""Keep results and a gradebook in step: scores go in, manual points come out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hearts_course.course import Course
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import digest, write_whole
from hearts_course.results import Result, Status
from hearts_course.text import listed

from hearts_grader.grading.final_scores import (
    NO_ADJUSTMENT,
    NO_ENTRY,
    Adjustment,
    Adjustments,
    GradebookEntry,
    HandIns,
    adjustment,
    adjustments_text,
    apply_all,
    entry_of,
    read_adjustments,
)
from hearts_grader.grading.late_policy import (
    Lateness,
    LatePolicy,
    Name,
    dates_file,
    load_policy,
)
from hearts_grader.grading.store import Store
from hearts_grader.lms.manual import read_given
from hearts_grader.lms.roster import Roster, read_roster
from hearts_grader.reports.comments import Comment

if TYPE_CHECKING:
    from hearts_grader.nbgrader.gradebook import Gradebook

FILE = "sqlite:///"
INSTALL = "`pip install 'hearts-course[grade]'`"
HIDDEN = ":***@"  # what SQLAlchemy shows of a password


@dataclass(frozen=True)
class GradebookSync:
    """The results in `store`, the late policy, and the gradebook.

    `asked` is the gradebook's URL that was asked for, or "". `asked_late` is the file of dates that
    was asked for. `late_file` is a file of dates beside the submissions of these `students`.
    Without SQLAlchemy there is no gradebook, so final scores have late penalties only.

    Only a run of `hearts grade` applies dates, and only to the submissions that it grades. The
    lateness stays with the results: a later run for another stage keeps it, and so does every
    export.
    """

    store: Store
    course: Course
    asked: str = ""
    asked_late: Path | None = None
    late_file: Path | None = None
    students: frozenset[str] = frozenset()

    @cached_property
    def url(self) -> str:
        """The gradebook asked for now, else the last gradebook, else the store's own; "" for none.

        Raise UsageError if the gradebook cannot be used, because SQLAlchemy is not installed or its
        password is unknown.
        """
        if find_spec("sqlalchemy") is None:
            if self.asked:
                raise UsageError(f"`--gradebook` needs {INSTALL}")
            return ""
        named = self.store.named_gradebook
        last = named.read_text(encoding="utf-8").strip() if named.exists() else ""
        # The URL was stored without its password, and cannot be opened as it is.
        if not self.asked and HIDDEN in last:
            raise UsageError(
                f"the gradebook {last}: its password is not kept; name it again with --gradebook"
            )
        return absolute_url(self.asked) or last or absolute_url(f"{FILE}{self.store.gradebook}")

    @cached_property
    def policy(self) -> LatePolicy:
        """The late policy in the file of dates that counts, which `_dates` chooses.

        Raise UsageError if the file is missing, also if it was found the last time: without it, the
        penalties would silently be gone.
        """
        path = self._dates
        if path and not path.is_file():
            raise UsageError(f"{path}: missing; put it back, or name another file with --late")
        return policy_of_class(self.course, path, self._students)

    @property
    def roster(self) -> Roster:
        """The roster that the late policy names, else an empty one; raise CourseError."""
        return roster_of_class(self.course, self._dates)

    @property
    def _dates(self) -> Path | None:
        """The file of dates that counts: a file that was asked for wins over a file found."""
        named_before = _path_in(self.store.late_file)
        found_before = _path_in(self.store.found_late_file)
        return self.asked_late or named_before or self.late_file or found_before

    @property
    def _students(self) -> set[str]:
        """The students of this run and of all runs before."""
        return {folder.name for folder in self.store.results.folder.glob("*")} | self.students

    def check(self) -> None:
        """Raise CourseError now for anything that would stop `settle` later, after the grading.

        Also raise it if the gradebook with manual points is lost, because the points would no
        longer count.
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
            # Size and time are enough for a file. A server has to be asked for all points.
            seen = f"{file.stat().st_size} {file.stat().st_mtime_ns}"
        elif file is not None or not self.url:
            seen = ""
        else:
            seen = repr(sorted(self._entries().items()))
        return f"{self.url} {seen} {self.policy} {sorted(self._given.items())}"

    def entries(self) -> Mapping[Name, GradebookEntry]:
        """Return what the gradebook says, and points from files, which win over it."""
        entries = {} if not self.url or self._is_missing() else self._entries()
        return self._with_files(entries)

    @cached_property
    def _given(self) -> Mapping[Name, GradebookEntry]:
        """The points that persons gave in files among the grades."""
        return read_given(self.store, self.course)

    def _given_to(self, names: Iterable[Name], hand_ins: HandIns) -> dict[Name, GradebookEntry]:
        """Return the points from files for each submission.

        Points for one member count for the whole group. Points in a gradebook count for a single
        member only.
        """
        former = self._former
        entries = {}
        for name in names:
            hand_in = hand_ins.get(name)
            group = hand_in.group if hand_in else former.get(name, NO_ADJUSTMENT).group
            entries[name] = entry_of(name, group, self._given)
        return entries

    def _with_files(self, entries: Mapping[Name, GradebookEntry]) -> dict[Name, GradebookEntry]:
        """Return the gradebook's entries with the points from files."""
        merged = dict(entries)
        for name, entry in self._given.items():
            merged[name] = entries.get(name, NO_ENTRY).with_given(entry)
        return merged

    def adjustments(self, hand_ins: HandIns) -> Adjustments:
        """Return the adjustments of these submissions, and of all results of earlier runs.

        Points in files win over points in the gradebook.
        """
        return self._adjustments(self._former.keys() | hand_ins.keys(), self.entries(), hand_ins)

    def settle(
        self, results: Sequence[Result], hand_ins: HandIns, comments: Sequence[Comment] = ()
    ) -> tuple[Result, ...]:
        """Save scores, times and comments in the gradebook and return the final results.

        Results without a submission in this run keep their dates. Raise CourseError if the
        gradebook cannot be used.
        """
        self._remember()
        names = [*map(_name, results)]
        if not self.url:
            return self._save(results, self._adjustments(names, self.entries(), hand_ins))
        stamps = {name: hand_in.stamp for name, hand_in in hand_ins.items()}
        with self._open() as gradebook:
            gradebook.save_scores(results, self.course.stages, stamps, self.policy)
            gradebook.name_students(roster_of_class(self.course, self._dates))
            # Save these points before the entries are read, so that the entries include them.
            gradebook.give(self._given_to(names, hand_ins))
            gradebook.comment(results, self.course.stages, comments)
            entries = self._with_files(gradebook.entries())
            by_name = self._adjustments(names, entries, hand_ins)
            gradebook.set_late_penalties(self._penalties(results, by_name, entries))
        return self._save(results, by_name)

    def _penalties(
        self,
        results: Iterable[Result],
        by_name: Adjustments,
        entries: Mapping[Name, GradebookEntry],
    ) -> dict[Name, float]:
        """Return the late penalties for nbgrader's gradebook, by student and stage.

        nbgrader subtracts a penalty from the points that its gradebook has for the student. Points
        that another member of the group was given are not among them. So they cost no penalty here.
        """
        stages = {stage.name: stage for stage in self.course.stages}
        penalties = {}
        for result in results:
            name = _name(result)
            if result.stage in stages and result.status is not Status.GRADER_ERROR:
                entry = entries.get(name, NO_ENTRY)
                mine = by_name[name].with_points(stages[result.stage], entry)
                penalties[name] = mine.parts(result).penalty
        return penalties

    def refresh(self) -> Iterator[str]:
        """Fetch manual points given since the last time; raise CourseError if that fails.

        Dates stay as `hearts grade` applied them. Yield a line if the gradebook is missing, because
        then the points fetched last count. Yield another line if the pages do not show some points
        yet.
        """
        if not self.store.adjustments.exists():
            return
        used = self.store.used_dates
        if used.exists() and used.read_text(encoding="utf-8") != self._dates_digest():
            path = dates_file(self.course, self._dates)
            yield f"{path}: changed since these scores were made; run `hearts grade` again"
        if self.url and self._is_missing():
            yield f"{_file_of(self.url)}: missing; the scores saved last still count"
            return
        names = [_name(result) for result in self.store.load()[0]]
        entries = self._entries(create=False) if self.url else {}
        by_name = self._adjustments(names, self._with_files(entries), {})
        write_whole(self.store.adjustments, adjustments_text(by_name))
        if newer := self.newer_than_pages(by_name):
            points = f"manual points of {listed(newer)} are newer than their pages"
            yield f"{points} and than {self.store.grades}; run `hearts grade` again"

    def take_back(self, name: Name, cell: str) -> None:
        """Remove points for a cell from the gradebook, where `settle` had saved them.

        Without a gradebook, or if its file is missing, there is nothing to remove. All members of a
        group lose the points.
        """
        if self.url and not self._is_missing():
            with self._open(create=False) as gradebook:
                student, stage = name
                group = self._former.get(name, NO_ADJUSTMENT).group
                gradebook.take_back({(member, stage) for member in (student, *group)}, cell)

    def forget(self, student: str) -> None:
        """Delete what gradebook and adjustments have of a student.

        The adjustments of the final scores and those of the pages are two files, and both are
        written anew.
        """
        if self.url and not self._is_missing():
            with self._open(create=False) as gradebook:
                gradebook.forget(student)
        for path in (self.store.adjustments, self.store.page_adjustments):
            if path.exists():
                others = {}
                for name, adjusted in read_adjustments(path).items():
                    if name[0] != student:
                        others[name] = adjusted
                write_whole(path, adjustments_text(others))

    def newer_than_pages(self, by_name: Adjustments) -> list[str]:
        """Return the students whose pages show other adjustments than these.

        Before any pages are written, there is nothing to compare, and the list is empty.
        """
        if not self.store.page_adjustments.exists():
            return []
        shown = read_adjustments(self.store.page_adjustments)
        newer = set()
        for name, adjusted in by_name.items():
            if adjusted != shown.get(name, NO_ADJUSTMENT):
                student, _ = name
                newer.add(student)
        return sorted(newer)

    def _dates_digest(self) -> str:
        """Return a digest of the file of dates, and of the roster that it names; "" if invalid."""
        dates = dates_file(self.course, self._dates)
        files = [dates]
        try:
            if name := load_policy(self.course, self._dates).roster:
                files.append(dates.parent / name)
            return digest(*(path.read_bytes() for path in files if path.exists()))
        except (CourseError, OSError):
            return ""

    def _has_manual_points(self) -> bool:
        """Return whether the last run knew of points that a person gave.

        The answer comes from the adjustments, because the gradebook may be lost.
        """
        return any(adjusted.has_manual_points for adjusted in self._former.values())

    def _is_missing(self) -> bool:
        """Return whether the gradebook is a file that does not exist; False for a server."""
        file = _file_of(self.url)
        return file is not None and not file.exists()

    def _open(self, create: bool = True) -> "AbstractContextManager[Gradebook]":
        """Open the gradebook; if a gradebook with manual points was lost, create no new one."""
        from hearts_grader.nbgrader.gradebook import open_gradebook

        create = create and (bool(self.asked) or not self._has_manual_points())
        return open_gradebook(self.url, create)

    def _entries(self, create: bool = True) -> Mapping[Name, GradebookEntry]:
        """Return the gradebook's entry for each submission, read in a transaction of its own."""
        with self._open(create) as gradebook:
            return gradebook.entries()

    def _save(self, results: Iterable[Result], by_name: Adjustments) -> tuple[Result, ...]:
        """Write the adjustments, which an export applies again; return the final results."""
        write_whole(self.store.adjustments, adjustments_text(by_name))
        return apply_all(results, by_name)

    @property
    def _former(self) -> Adjustments:
        """The adjustments as the last run left them, without any gradebook."""
        return read_adjustments(self.store.adjustments)

    def _adjustments(
        self, names: Iterable[Name], entries: Mapping[Name, GradebookEntry], hand_ins: HandIns
    ) -> dict[Name, Adjustment]:
        """Return adjustments: new ones by the policy for `hand_ins`, former ones for the others.

        New and former adjustments get the manual points of the entries. A former adjustment without
        an entry keeps its points.
        """
        stages = {stage.name: stage for stage in self.course.stages}
        former = self._former
        by_name = {}
        for name in names:
            student, stage_name = name
            stage = stages.get(stage_name)
            hand_in = hand_ins.get(name)
            adjusted = former.get(name, NO_ADJUSTMENT)
            if stage is None:
                by_name[name] = adjusted
            elif hand_in is not None:
                entry = entry_of(name, hand_in.group, entries)
                by_name[name] = adjustment(student, stage, entry, self.policy, hand_in)
            elif any((member, stage_name) in entries for member in (student, *adjusted.group)):
                entry = entry_of(name, adjusted.group, entries)
                by_name[name] = adjusted.with_points(stage, entry)
            else:
                by_name[name] = adjusted
        return self._with_late_days(by_name, hand_ins) if hand_ins else by_name

    def _with_late_days(
        self, by_name: Mapping[Name, Adjustment], hand_ins: HandIns
    ) -> dict[Name, Adjustment]:
        """Return the adjustments with the late days spent on the hand-ins of this run.

        Late days that earlier results have spent stay spent.
        """
        spent: dict[str, int] = {}
        fresh: dict[str, dict[str, Lateness]] = {}
        for (student, stage), adjusted in by_name.items():
            if (student, stage) in hand_ins:
                fresh.setdefault(student, {})[stage] = adjusted.late
            else:
                spent[student] = spent.get(student, 0) + adjusted.late.spent
        paid = dict(by_name)
        for student, late in fresh.items():
            for stage, lateness in self.policy.spend(student, late, spent.get(student, 0)).items():
                paid[student, stage] = replace(by_name[student, stage], late=lateness)
        return paid

    def _remember(self) -> None:
        """Note the gradebook that was asked for, without its password, and the file of dates."""
        if self.asked_late:
            write_whole(self.store.late_file, f"{self.asked_late.resolve()}\n")
        if self.late_file:
            write_whole(self.store.found_late_file, f"{self.late_file.resolve()}\n")
        write_whole(self.store.used_dates, self._dates_digest())
        if self.asked:
            from hearts_grader.nbgrader.gradebook import without_password

            write_whole(self.store.named_gradebook, f"{without_password(self.url)}\n")


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
    """Return the roster that the late policy names, else an empty one; raise CourseError."""
    name = load_policy(course, path).roster
    return read_roster(dates_file(course, path).parent / name) if name else Roster(())


def absolute_url(url: str) -> str:
    """Return the URL with the absolute path of the file that it names, if it names one."""
    names_no_file = not url.startswith(FILE) or url == FILE
    if names_no_file:
        return url
    return f"{FILE}{Path(url.removeprefix(FILE)).resolve()}"


def _path_in(file: Path) -> Path | None:
    """Return the path that was written into the file; None if there is no file."""
    return Path(file.read_text(encoding="utf-8").strip()) if file.exists() else None


def _name(result: Result) -> Name:
    """Return student and stage, by which entries and adjustments are kept."""
    return result.student, result.stage


def _file_of(url: str) -> Path | None:
    """Return the file of an SQLite gradebook; None for another database."""
    path = url.removeprefix(FILE)
    return Path(path.partition("?")[0]) if path != url else None
