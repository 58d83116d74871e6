"""Find the submissions in a folder: student, stage and path.

The layout is `<student>/<stage>/` or `<student>/<stage>.zip`, as in nbgrader's `submitted/`. The
folder above `submitted/` is accepted too, unless `submitted` seems to be the folder of a student.

A note is what `hearts collect` has written down about an attempt. A clinic is a stage to practise
in: its starter is a program with a mistake to find.
"""

import difflib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import read_json, to_dataclass
from hearts_course.submissions.model import NothingSubmitted
from hearts_course.submissions.packed import without_ending
from hearts_course.submissions.untrusted import CLOSED, LINK, is_clutter
from hearts_course.text import safe_line, safe_name

# The folder of the older attempts, which do not count. It lies beside the students' folders.
ATTEMPTS = ".hearts/attempts"
LATE_FILE = "late.toml"  # deadlines and late penalties
GROUPS_FILE = "groups.csv"  # the students who work together
COMMENTS_FILE = "comments.toml"
INSTRUCTORS_FILES = (LATE_FILE, GROUPS_FILE, COMMENTS_FILE)  # they lie beside students' folders
NBGRADER, SOURCE = "submitted", "source"  # folders of an nbgrader course
NBGRADER_FOLDERS = {NBGRADER, SOURCE, "release", "autograded", "feedback"}
NBGRADER_CONFIG = "nbgrader_config.py"
INSIDE = "the students are those in {}, as in an nbgrader course"
# In this file, `hearts collect` records where each attempt came from.
COLLECTED = ".hearts/collected.json"
COLLECT = (
    "if a platform gave you this, or these are students' repositories, collect them first: "
    "hearts collect {} --into submissions"
)
EXPECTED = "<student>/<stage>/ is expected"
# Similarity, from 0 to 1, of an entry's name to the name of the stage that the student may mean.
MIN_SIMILARITY = 0.5


@dataclass(frozen=True)
class CollectedNote:
    """What `hearts collect` noted about an attempt.

    `order` sorts the attempts that came from the same platform. `late` says that the platform
    marked the attempt as late without giving a time. `renamed` says which files were collected
    under another name.
    """

    platform: str = ""
    order: str = ""
    late: bool = False
    renamed: str = ""


NO_NOTE = CollectedNote()


@dataclass(frozen=True)
class SubmissionPath:
    """Where one student's work for a stage is; if it is nowhere, `path` is None.

    `problem` then says why, and `missing` says that nothing was handed in. `earlier` lists where
    the student's own work for earlier stages may be: handed in for the earlier stage, or packed
    with this stage. If an earlier stage has two places, the last one counts. `note` is what
    `hearts collect` noted about the attempt. If a `group` hands in together, `path` is where
    the group's program is, and `by` names the member who handed it in.
    """

    student: str
    stage: Stage
    path: Path | None
    problem: str = ""
    earlier: tuple[tuple[Stage, Path], ...] = ()
    missing: bool = False
    note: CollectedNote = NO_NOTE
    group: tuple[str, ...] = ()
    by: str = ""

    @property
    def name(self) -> tuple[str, str]:
        """Student and stage."""
        return self.student, self.stage.name

    def at(self, path: Path, note: CollectedNote) -> "SubmissionPath":
        """Return a copy for another attempt, which lies at `path` and has this note."""
        earlier: list[tuple[Stage, Path]] = []
        for stage, place in self.earlier:
            if place == self.path:  # the earlier stage is packed with each attempt at this stage
                place = path
            earlier.append((stage, place))
        return replace(self, path=path, earlier=tuple(earlier), note=note)


@dataclass(frozen=True)
class Layout:
    """Everything to grade, by student and stage, and warnings about what is left out.

    If there are several attempts, `attempts` maps student and stage to all of them, oldest first.
    `late_file`, `groups_file` and `comments_file` are the instructor's files beside the
    submissions, or None. `places` maps student and stage to the work's path, for all work that was
    found, even for stages that are not graded.
    """

    paths: tuple[SubmissionPath, ...]
    warnings: tuple[str, ...]
    attempts: Mapping[tuple[str, str], tuple[SubmissionPath, ...]] = field(default_factory=dict)
    late_file: Path | None = None
    groups_file: Path | None = None
    comments_file: Path | None = None
    places: Mapping[tuple[str, str], Path] = field(default_factory=dict)

    @property
    def late(self) -> tuple[tuple[str, str], ...]:
        """Student and stage of each submission that a platform marked as late without a time."""
        return tuple(path.name for path in self.paths if path.note.late)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages to grade, in the course's order."""
        return tuple({path.stage.name: path.stage for path in self.paths}.values())


@dataclass
class _Student:
    """One student's folder: paths by stage, and names of entries that match no stage.

    `duplicates` are archives that do not count, because a folder of the same stage is there.
    """

    name: str
    problem: str = ""
    paths: dict[str, Path] = field(default_factory=dict)
    unknown_entries: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)


def find_submissions(root: Path, course: Course, only: Sequence[str] = ()) -> Layout:
    """Return the layout of the folder; `only` restricts it to some stages.

    Without `only`, take every stage that somebody handed in, except clinics. List these stages for
    every student; a stage that the student did not hand in is `missing`. Raise UsageError if there
    is nothing to grade or a name in `only` is not a stage.
    """
    chosen = {course.stage(name).name for name in only}
    names = course.stage_names
    if root.is_file():
        raise UsageError(f"{root}: a file; {COLLECT.format(root)}")
    warnings = []
    if _is_nbgrader_course(root, course):
        root = root / NBGRADER
        warnings.append(INSIDE.format(root))
    folders, files = _listing(root)
    _refuse_stages(root, folders, names)
    assignments = _nbgrader_assignments(root).difference(names)
    students = [_student(root / name, names, assignments) for name in folders]
    handed_in = set[str]().union(*(student.paths for student in students))
    warnings += [f"{safe_line(name)} is not a student's folder and was left out" for name in files]
    if not chosen:  # a clinic is practice, so it counts only if it is named
        clinics = [s.name for s in course.stages if s.clinic and s.name in handed_in]
        chosen = handed_in.difference(clinics)
        warnings += [f"{name} counts only if you name it: --stage {name}" for name in clinics]
    stages = [stage for stage in course.stages if stage.name in chosen]
    for student in students:
        warnings += _warnings(student, names)
    if not students or not stages:
        advice = EXPECTED
        if folders or files:
            advice = "; ".join([*warnings[:1], COLLECT.format(root)])
        raise UsageError(f"{root}: nothing to grade; {advice}")
    collected = _Collected(root)
    attempts: list[tuple[SubmissionPath, ...]] = []
    for student, folder in zip(students, folders, strict=True):
        for stage in stages:
            path = _path(student, stage, course)
            attempts.append(collected.attempts(path, f"{folder}/{stage.name}"))
    return _layout(root, students, attempts, warnings)


def _refuse_stages(root: Path, folders: Iterable[str], names: Collection[str]) -> None:
    """Raise UsageError if a folder has a stage's name: then `root` is one student's folder."""
    for name in folders:
        if name in names:
            raise UsageError(
                f"{root}: contains {name} itself; give the folder above it, or {EXPECTED}"
            )


def _layout(
    root: Path,
    students: Iterable[_Student],
    all_attempts: Iterable[tuple[SubmissionPath, ...]],
    warnings: Iterable[str],
) -> Layout:
    """Return the layout that grades the last attempt of each student and stage.

    The layout's `places` have all work that was found, even if it is not graded.
    """
    paths: list[SubmissionPath] = []
    several: dict[tuple[str, str], tuple[SubmissionPath, ...]] = {}
    for attempts in all_attempts:
        path = attempts[-1]
        paths.append(path)
        if len(attempts) > 1:
            several[path.name] = attempts
    places: dict[tuple[str, str], Path] = {}
    for student in students:
        for stage_name, place in student.paths.items():
            places[student.name, stage_name] = place
    return Layout(
        paths=tuple(paths),
        warnings=tuple(warnings),
        attempts=several,
        late_file=find_late_file(root),
        groups_file=_find_beside(root, GROUPS_FILE),
        comments_file=_find_beside(root, COMMENTS_FILE),
        places=places,
    )


def _nbgrader_assignments(root: Path) -> set[str]:
    """Return the names of all assignments of the nbgrader course to which the folder belongs.

    The course may have assignments that are not our stages. Students have folders for these as
    well, and such a folder needs no warning.
    """
    if root.name != NBGRADER:
        return set()
    return {path.name for path in (root.parent / SOURCE).glob("*")}


def _is_nbgrader_course(root: Path, course: Course) -> bool:
    """Return whether the folder is an nbgrader course, with its students in `submitted`.

    If not, `submitted` and the folders beside it are students' folders.
    """
    names = course.stage_names
    inner = root / NBGRADER
    if inner.is_symlink() or not inner.is_dir() or _student(inner, names, ()).paths:
        return False
    others = set(_listing(root)[0]) - NBGRADER_FOLDERS
    is_course = (root / NBGRADER_CONFIG).is_file()
    return is_course or not any(_is_student(root / name, course, names) for name in others)


def _is_student(folder: Path, course: Course, names: Sequence[str]) -> bool:
    """Return whether the folder holds a stage, or something that was meant as a stage."""
    student = _student(folder, names, ())
    misplaced = (_misplaced(student.unknown_entries, stage) for stage in course.stages)
    return bool(student.paths or student.problem) or any(misplaced)


def find_late_file(root: Path) -> Path | None:
    """Return the path of late.toml, None if there is none.

    The file lies among the submissions or, for nbgrader, beside their folder.
    """
    return _find_beside(root, LATE_FILE)


def _find_beside(root: Path, name: str) -> Path | None:
    """Return the path of the instructor's file of that name, None if there is none.

    In an nbgrader course the file may also lie beside the folder with the students' work.
    """
    places = [root]
    if root.name == NBGRADER:
        places.append(root.parent)
    for place in places:
        file = place / name
        if file.is_file():
            return file
    return None


def _listing(folder: Path) -> tuple[list[str], list[str]]:
    """Return the sorted names of the folders and of the files, without the instructor's files.

    A link counts as a folder, because it may stand for a student; it is not followed.
    """
    try:
        with os.scandir(folder) as listing:
            entries = [entry for entry in listing if not is_clutter(entry.name)]
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}; {EXPECTED} in a folder") from None
    folders: list[str] = []
    files: list[str] = []
    for entry in sorted(entries, key=lambda entry: entry.name):
        if entry.is_symlink() or entry.is_dir(follow_symlinks=False):
            folders.append(entry.name)
        elif entry.name not in INSTRUCTORS_FILES:
            files.append(entry.name)
    return folders, files


def _student(folder: Path, names: Sequence[str], assignments: Collection[str]) -> _Student:
    """Return what is in a student's folder; leave out entries named in `assignments`.

    If the folder cannot be read, `problem` says so, and no error stops the search. The student's
    name is made safe, because it goes into messages, pages and the names of files.
    """
    student = _Student(safe_name(folder.name))
    entries: list[str] = []
    try:
        if folder.is_symlink():
            student.problem = f"the folder of {student.name} {LINK}"
        else:
            inside = {path.name for path in folder.iterdir() if not is_clutter(path.name)}
            entries = sorted(inside.difference(assignments))
    except OSError as error:
        student.problem = f"the folder of {student.name} {CLOSED.format(error.strerror)}"
    for entry in entries:  # `entries` are sorted, so a folder comes before its zip
        stage = entry
        if stage not in names:
            stage = without_ending(entry)
        if stage not in names:
            student.unknown_entries.append(entry)
        elif stage in student.paths:
            student.duplicates.append(entry)
        else:
            student.paths[stage] = folder / entry
    return student


def _path(student: _Student, stage: Stage, course: Course) -> SubmissionPath:
    """Return where the student's work for the stage is, or why it is not there.

    Look for earlier work only if there is work for the stage itself.
    """
    path = student.paths.get(stage.name)
    if path is None:
        problem = student.problem or _misplaced(student.unknown_entries, stage)
        if problem:
            return SubmissionPath(student.name, stage, None, problem)
        return SubmissionPath(student.name, stage, None, str(NothingSubmitted(stage)), missing=True)
    earlier: list[tuple[Stage, Path]] = []
    for prerequisite in course.prerequisites(stage):
        if own_place := student.paths.get(prerequisite.name):
            earlier.append((prerequisite, own_place))
        earlier.append((prerequisite, path))  # earlier modules may be packed with this stage
    return SubmissionPath(student.name, stage, path, earlier=tuple(earlier))


def _misplaced(entries: Iterable[str], stage: Stage) -> str:
    """Return advice about the first entry that looks like the stage; "" if none does."""
    for entry in entries:
        if entry in (*stage.files, f"{stage.name}.ipynb"):
            return f"{entry} is outside the folder {stage.name}; move it there"
        if _similar(entry, [stage.name]):
            return f"there is no {stage.name}, but {safe_line(entry)}; rename it to {stage.name}"
    return ""


def _warnings(student: _Student, names: Sequence[str]) -> Iterator[str]:
    """Yield a line for everything in a student's folder that is not graded."""
    if student.problem:
        yield student.problem
    for entry in student.unknown_entries:
        advice = f"there are: {', '.join(names)}"
        if near := _similar(entry, names):
            advice = f"did you mean {near}?"
        yield f"{safe_line(entry)} of {student.name} is not a stage; {advice}"
    for entry in student.duplicates:
        yield f"{entry} of {student.name} was left out: there is a folder of that stage"


def _similar(name: str, names: Sequence[str]) -> str:
    """Return the name in `names` that is most similar to `name`; "" if none is similar enough.

    Capital letters in `name` are ignored, and so is the ending of an archive.
    """
    wanted = without_ending(name).lower()
    return next(iter(difflib.get_close_matches(wanted, names, 1, MIN_SIMILARITY)), "")


class _Collected:
    """The notes and the older attempts that `hearts collect` put into a folder of submissions.

    The attempt that counts lies in the student's folder, the older ones in ATTEMPTS.
    """

    def __init__(self, root: Path) -> None:
        """Read the notes about the attempts."""
        self._root = root
        # Maps "student/stage" to the notes on each attempt; the attempt "" is the one that counts.
        self._notes: dict[str, dict[str, CollectedNote]] = {}
        for key, note in read_collected(root).items():
            student, _, stage_and_attempt = key.partition("/")
            stage, _, attempt = stage_and_attempt.partition("/")
            self._notes.setdefault(f"{student}/{stage}", {})[attempt] = note

    def attempts(self, path: SubmissionPath, key: str) -> tuple[SubmissionPath, ...]:
        """Return all attempts, oldest first; the attempt that counts comes last.

        Attempts from different platforms cannot be compared by their `order`. So if an attempt is
        from the same platform as the attempt that counts, it is taken to be later than all others.
        """
        notes = dict(self._notes.get(key, {}))
        current = notes.pop("", NO_NOTE)
        if path.path is None:
            return (path,)

        def age(attempt: str) -> tuple[bool, str, str]:
            """Return a key that sorts attempts; attempts of the current platform come last."""
            note = notes[attempt]
            return note.platform == current.platform, note.order, attempt

        attempts = []
        for attempt in sorted(notes, key=age):
            place = self._root / ATTEMPTS / key / attempt
            if os.path.lexists(place):
                attempts.append(path.at(place, notes[attempt]))
        return (*attempts, path.at(path.path, current))


def read_collected(root: Path) -> dict[str, CollectedNote]:
    """Return the notes of `hearts collect`. A key is "student/stage" or "student/stage/attempt".

    Return no notes if the file is missing or damaged.
    """
    try:
        notes: dict[str, CollectedNote] = {}
        for key, note in read_json(root / COLLECTED).items():
            notes[key] = to_dataclass(CollectedNote, note, COLLECTED, lenient=True)
        return notes
    except (CourseError, AttributeError):
        return {}
