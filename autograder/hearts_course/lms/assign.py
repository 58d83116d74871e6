"""A crate's files by student and stage, and a line for what has no place.

Sorted   the plans, what was left out on purpose, and what has found no place
sort     a crate's
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.lms.archive import Archive
from hearts_course.lms.attempt import Attempt, Download
from hearts_course.lms.names import Namer
from hearts_course.lms.plans import Placement
from hearts_course.lms.reading import Reader
from hearts_course.lms.stages import File, Sorter
from hearts_course.text import safe_line


@dataclass(frozen=True)
class Sorted:
    """What a crate comes to; `notes` and `lost` are lines."""

    stages: tuple[str, ...]
    plans: tuple[Placement, ...]
    notes: tuple[str, ...]
    lost: tuple[str, ...]


@dataclass
class _Student:
    """An attempt of a student's while it is sorted: the files of each stage, and the rest."""

    handed: Attempt
    name: str
    stages: dict[str, list[File]] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    strange: list[File] = field(default_factory=list)


class _Sorting:
    """One crate being sorted."""

    def __init__(self, crate: Archive, load: Download, course: Course) -> None:
        self.crate, self.load, self.sorter = crate, load, Sorter(course)
        self.order = {stage.name: number for number, stage in enumerate(course.stages)}
        self.notes: list[str] = []
        self.lost: list[str] = [*crate.faults, *load.lost]
        self.reader = Reader(crate, self.sorter, self.notes, self.lost)

    def look_into(self, handed: Attempt, name: str) -> _Student:
        """The student's files, read, each with the stages that it belongs to."""
        student = _Student(handed, name)
        for file in self.reader.files(handed, name):
            belongs = self.sorter.of(file)
            if belongs.given:
                continue
            file = replace(file, data=b"")
            for stage in belongs.stages:
                student.stages.setdefault(stage, []).append(file)
            student.written |= belongs.written
            if not belongs.stages:
                student.strange.append(file)
        return student

    def about(self, students: Iterable[_Student], asked: tuple[str, ...]) -> tuple[str, ...]:
        """The stages that the crate is about: those asked for, or for one assignment the one that
        most of its students have written something for. Raises UsageError if it could be two.
        """
        if asked or not self.load.one_assignment:
            return asked
        last = [max(s.written, key=self.order.__getitem__) for s in students if s.written]
        ranking = Counter(last).most_common(2)
        if len(ranking) == 2 and ranking[0][1] == ranking[1][1]:
            both = " or ".join(sorted(name for name, _ in ranking))
            raise UsageError(
                f"{self.crate.name}: {both}? Say by --stage which it was handed in for"
            )
        return tuple(name for name, _ in ranking[:1])

    def plans(
        self, student: _Student, about: tuple[str, ...], holds: Callable[[str, str], bool]
    ) -> list[Placement]:
        """The student's plans; what is of no stage goes where all else went."""
        said = student.handed.stage
        if said and said not in self.order:
            if len(about) != 1:
                what = f"{safe_line(said)} is no stage of the course; say --stage"
                self.lost.append(f"{student.name}: {what}")
                return []
            said = about[0]
        if said and about and said not in about:
            self.notes.append(f"{student.name}: {said} left out: you asked for {', '.join(about)}")
            return []
        wanted = (said,) if said else about
        wanted = wanted or tuple(sorted(student.written or student.stages))
        chosen = {stage: student.stages.get(stage, []) for stage in wanted}
        others = {s: files for s, files in student.stages.items() if s not in wanted}
        if len(wanted) == 1:
            lone = student.strange
            if said:  # a folder that is named so holds whatever it holds
                lone = [*lone, *(f for files in others.values() for f in files)]
                others = {}
            chosen[wanted[0]] = [*chosen[wanted[0]], *lone]
        elif student.strange:
            self._lose(student, "belongs to no stage, by its name; say --stage", student.strange)
        found = [self._plan(student, stage, files) for stage, files in chosen.items() if files]
        return found + self._aside(student, others, bool(found), holds)

    def _aside(
        self,
        student: _Student,
        others: dict[str, list[File]],
        something: bool,
        holds: Callable[[str, str], bool],
    ) -> list[Placement]:
        """What belongs to other stages than the crate is about: taken where nothing is there yet.

        To replace it would change the grade of an assignment that is over.
        """
        taken = []
        for stage, files in others.items():
            own = [
                f
                for f in files
                if not any(f in kept for kept in student.stages.values() if kept is not files)
            ]
            if stage not in student.written or not own:
                continue
            if not holds(student.name, stage):
                self.notes.append(
                    f"{student.name}: {_names(own)} went to {stage}, where nothing was"
                )
                taken.append(self._plan(student, stage, own))
            elif something:
                self.notes.append(
                    f"{student.name}: {_names(own)} left out: {stage} is there already"
                )
            else:
                self._lose(student, f"is of {stage}, which is there already; say --stage", own)
        return taken

    def _lose(self, student: _Student, why: str, files: Iterable[File]) -> None:
        self.lost.extend(f"{student.name}: {safe_line(file.name)} {why}" for file in files)

    def _plan(self, student: _Student, stage: str, files: list[File]) -> Placement:
        handed = student.handed
        return Placement(self.crate, self.load.platform, handed, student.name, stage, tuple(files))


def sort(
    crate: Archive,
    load: Download,
    course: Course,
    namer: Namer,
    asked: tuple[str, ...],
    holds: Callable[[str, str], bool],
) -> Sorted:
    """The crate's plans, the oldest first. Raises UsageError if its stage cannot be told."""
    sorting = _Sorting(crate, load, course)
    students = []
    for handed in sorted(load.handed, key=lambda handed: (handed.order, handed.who.name)):
        name, fault = namer.name(handed.who)
        if fault:
            sorting.lost.append(f"{safe_line(handed.who.name)}: {fault}")
        else:
            students.append(sorting.look_into(handed, name))
    about = sorting.about(students, asked)
    plans: list[Placement] = []
    for student in students:
        before = len(sorting.lost) + len(sorting.notes)
        found = sorting.plans(student, about, holds)
        plans += found
        if not found and len(sorting.lost) + len(sorting.notes) == before:
            sorting.lost.append(f"{student.name}: nothing that was written for a stage")
    return Sorted(about, tuple(plans), tuple(sorting.notes), tuple(sorting.lost))


def _names(files: Iterable[File]) -> str:
    return ", ".join(safe_line(file.name) for file in files)
