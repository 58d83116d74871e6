"""A crate's files by student and stage, and a line for what has no place.

Sorted   the attempts, what was left out on purpose, and what has found no place
sort     a crate's
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from hearts_course.collect.crate import Crate
from hearts_course.collect.handed import Handed, Load, Piece
from hearts_course.collect.names import Namer
from hearts_course.collect.placing import Attempt, safe_path
from hearts_course.collect.stages import File, Sorter
from hearts_course.course import Course
from hearts_course.errors import UsageFault
from hearts_course.grading.reader import MAX_ZIP
from hearts_course.grading.safe import safe_line
from hearts_course.grading.submission import Unreadable

MAX_FILES = 100
MAX_BYTES = 20 * 2**20


@dataclass(frozen=True)
class Sorted:
    """What a crate comes to; `notes` and `lost` are lines."""

    stages: tuple[str, ...]
    attempts: tuple[Attempt, ...]
    notes: tuple[str, ...]
    lost: tuple[str, ...]


@dataclass
class _Student:
    """An attempt of a student's while it is sorted: the files of each stage, and the rest."""

    handed: Handed
    name: str
    stages: dict[str, list[File]] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    strange: list[File] = field(default_factory=list)


class _Sorting:
    """One crate being sorted."""

    def __init__(self, crate: Crate, load: Load, course: Course) -> None:
        self.crate, self.load, self.sorter = crate, load, Sorter(course)
        self.order = {stage.name: number for number, stage in enumerate(course.stages)}
        self.notes: list[str] = []
        self.lost: list[str] = [*crate.faults, *load.lost]

    def look_into(self, handed: Handed, name: str) -> _Student:
        """The student's files, read, each with the stages that it belongs to."""
        student = _Student(handed, name)
        for file in self._files(handed, name):
            belongs = self.sorter.of(file)
            if belongs.given:
                continue
            for stage in belongs.stages:
                student.stages.setdefault(stage, []).append(file)
            student.written |= belongs.written
            if not belongs.stages:
                student.strange.append(file)
        return student

    def _files(self, handed: Handed, name: str) -> list[File]:
        """The files that can be read, the latest of those that get one name."""
        found: dict[str, File] = {}
        plain = {piece.name for piece in handed.pieces}
        room = MAX_BYTES
        for piece in sorted(handed.pieces, key=lambda piece: (piece.number, piece.path)):
            if len(found) >= MAX_FILES or room <= 0:
                self.lost.append(f"{name}: more than a program; the rest was left out")
                break
            data = self._read(piece, name)
            if data is None:
                continue
            room -= len(data)
            tidy = self._tidy(piece, plain)
            if tidy in found:
                self.notes.append(f"{name}: {safe_line(piece.name)} counts, uploaded last")
            found[tidy] = File(piece.path, tidy, piece.number, data)
        return list(found.values())

    def _tidy(self, piece: Piece, plain: Collection[str]) -> str:
        tidy = self.sorter.tidy(piece.name)
        taken = tidy != piece.name and tidy in plain and not piece.number
        return safe_path(piece.name if taken else tidy)

    def _read(self, piece: Piece, name: str) -> bytes | None:
        try:
            return self.crate.read(piece.path, MAX_ZIP)
        except Unreadable as problem:
            self.lost.append(f"{name}: {safe_line(str(problem))}")
            return None

    def about(self, students: Iterable[_Student], asked: tuple[str, ...]) -> tuple[str, ...]:
        """The stages that the crate is about: those asked for, or for one assignment the one that
        most of its students have written something for. Raises UsageFault if it could be two.
        """
        if asked or not self.load.one_assignment:
            return asked
        last = [max(s.written, key=self.order.__getitem__) for s in students if s.written]
        ranking = Counter(last).most_common(2)
        if len(ranking) == 2 and ranking[0][1] == ranking[1][1]:
            both = " or ".join(sorted(name for name, _ in ranking))
            raise UsageFault(
                f"{self.crate.name}: {both}? Say by --stage which it was handed in for"
            )
        return tuple(name for name, _ in ranking[:1])

    def attempts(
        self, student: _Student, about: tuple[str, ...], holds: Callable[[str, str], bool]
    ) -> list[Attempt]:
        """The student's attempts; what is of no stage goes where all else went."""
        said = student.handed.stage
        if said and said not in self.order:
            self.lost.append(f"{student.name}: {safe_line(said)} is no stage of the course")
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
        found = [self._attempt(student, stage, files) for stage, files in chosen.items() if files]
        return found + self._aside(student, others, bool(found), holds)

    def _aside(
        self,
        student: _Student,
        others: dict[str, list[File]],
        something: bool,
        holds: Callable[[str, str], bool],
    ) -> list[Attempt]:
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
                taken.append(self._attempt(student, stage, own))
            elif something:
                self.notes.append(
                    f"{student.name}: {_names(own)} left out: {stage} is there already"
                )
            else:
                self._lose(student, f"is of {stage}, which is there already; say --stage", own)
        return taken

    def _lose(self, student: _Student, why: str, files: Iterable[File]) -> None:
        self.lost.extend(f"{student.name}: {safe_line(file.name)} {why}" for file in files)

    def _attempt(self, student: _Student, stage: str, files: list[File]) -> Attempt:
        handed = student.handed
        contents = {file.name: file.data for file in files}
        return Attempt(
            student.name,
            stage,
            _flat(contents, stage),
            self.load.platform,
            handed.order,
            self.crate.name,
            handed.who.name,
        )


def sort(
    crate: Crate,
    load: Load,
    course: Course,
    namer: Namer,
    asked: tuple[str, ...],
    holds: Callable[[str, str], bool],
) -> Sorted:
    """The crate's attempts, the oldest first. Raises UsageFault if its stage cannot be told."""
    sorting = _Sorting(crate, load, course)
    students = []
    for handed in sorted(load.handed, key=lambda handed: (handed.order, handed.who.name)):
        name, fault = namer.name(handed.who)
        if fault:
            sorting.lost.append(f"{safe_line(handed.who.name)}: {fault}")
        else:
            students.append(sorting.look_into(handed, name))
    about = sorting.about(students, asked)
    attempts: list[Attempt] = []
    for student in students:
        before = len(sorting.lost)
        found = sorting.attempts(student, about, holds)
        attempts += found
        if not found and len(sorting.lost) == before:
            sorting.lost.append(f"{student.name}: nothing that was written for a stage")
    return Sorted(about, tuple(attempts), tuple(sorting.notes), tuple(sorting.lost))


def _flat(contents: dict[str, bytes], stage: str) -> dict[str, bytes]:
    """The files without a folder of the stage's name around them."""
    return {name.removeprefix(f"{stage}/"): data for name, data in contents.items()}


def _names(files: Iterable[File]) -> str:
    return ", ".join(safe_line(file.name) for file in files)
