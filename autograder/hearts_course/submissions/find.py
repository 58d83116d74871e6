"""Find the submissions in a folder: student, stage and path.

The layout is `<student>/<stage>/` or `<student>/<stage>.zip`, as in nbgrader's `submitted/`; the
folder above `submitted/` is found too.
"""

import difflib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import read_json
from hearts_course.submissions.model import NothingSubmitted
from hearts_course.submissions.untrusted import CLOSED, LINK, is_clutter
from hearts_course.text import safe_line, safe_name

NBGRADER = "submitted"
COLLECTED = ".hearts/collected.json"  # written by `hearts collect`: where it got the submissions
EXPECTED = "<student>/<stage>/ is expected"
MIN_SIMILARITY = 0.5


@dataclass(frozen=True)
class SubmissionPath:
    """Where one student's stage is; None, and a `problem`, if it is not there.

    It is `missing` if nothing was handed in. `earlier` are the places where the student's own work
    for the stages that this one builds on may be: handed in for that stage, or packed with this
    one. Of two for one stage the last counts.
    """

    student: str
    stage: Stage
    path: Path | None
    problem: str = ""
    earlier: tuple[tuple[Stage, Path], ...] = ()
    missing: bool = False


@dataclass(frozen=True)
class Layout:
    """Everything to grade, by student and stage, and warnings about what is left out.

    `late` has student and stage of submissions that a platform marked as late without a time.
    """

    paths: tuple[SubmissionPath, ...]
    warnings: tuple[str, ...]
    late: tuple[tuple[str, str], ...] = ()

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages to grade, in the course's order."""
        return tuple({path.stage.name: path.stage for path in self.paths}.values())


@dataclass
class _Student:
    """One student's folder: paths by stage, and names that are not a stage's."""

    name: str
    problem: str = ""
    paths: dict[str, Path] = field(default_factory=dict)
    unknown_entries: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)


def find_submissions(root: Path, course: Course, only: Sequence[str] = ()) -> Layout:
    """Return the layout of the folder; `only` restricts it to some stages.

    Without `only`, grade every stage that at least one student handed in, except clinics; for the
    others it is missing. Raise UsageError if there is nothing to grade or a stage is unknown.
    """
    chosen = {course.stage(name).name for name in only}
    names = [stage.name for stage in course.stages]
    inner = root / NBGRADER
    if inner.is_dir() and not any((inner / name).exists() for name in names):
        root = inner
    folders, files = _listing(root)
    if misplaced := next((name for name in folders if name in names), None):
        raise UsageError(
            f"{root}: contains {misplaced} itself; give the folder above it, or {EXPECTED}"
        )
    students = [_student(root / name, names) for name in folders]
    given = {stage for student in students for stage in student.paths}
    clinics = [] if chosen else [s.name for s in course.stages if s.clinic and s.name in given]
    chosen = chosen or given.difference(clinics)
    stages = [stage for stage in course.stages if stage.name in chosen]
    warnings = [f"{safe_line(name)} is not a student's folder and was left out" for name in files]
    warnings += [f"{name} counts only if you name it: --stage {name}" for name in clinics]
    warnings += (line for student in students for line in _warnings(student, names))
    if not students or not stages:
        raise UsageError(f"{root}: nothing to grade; {[*warnings, EXPECTED][0]}")
    paths = (_path(student, stage, course) for student in students for stage in stages)
    return Layout(tuple(paths), tuple(warnings), marked_late(root))


def _listing(folder: Path) -> tuple[list[str], list[str]]:
    """Return the names of folders (and links, which are not followed) and of other files."""
    try:
        with os.scandir(folder) as found:
            entries = sorted((e for e in found if not is_clutter(e.name)), key=lambda e: e.name)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}; {EXPECTED} in a folder") from None
    folders = [e.name for e in entries if e.is_symlink() or e.is_dir(follow_symlinks=False)]
    return folders, [e.name for e in entries if e.name not in folders]


def _student(folder: Path, names: Sequence[str]) -> _Student:
    student = _Student(safe_name(folder.name))
    entries: list[str] = []
    try:
        if folder.is_symlink():
            student.problem = f"the folder of {student.name} {LINK}"
        else:
            entries = sorted(path.name for path in folder.iterdir() if not is_clutter(path.name))
    except OSError as error:
        student.problem = f"the folder of {student.name} {CLOSED.format(error.strerror)}"
    for entry in entries:  # a folder comes before the zip of its name
        stage = entry if entry in names else _without_zip(entry)
        if stage not in names:
            student.unknown_entries.append(entry)
        elif student.paths.setdefault(stage, folder / entry) != folder / entry:
            student.duplicates.append(entry)
    return student


def _without_zip(name: str) -> str:
    return name[:-4] if name.lower().endswith(".zip") else name


def _path(student: _Student, stage: Stage, course: Course) -> SubmissionPath:
    path = student.paths.get(stage.name)
    problem = "" if path else student.problem or _misplaced(student.unknown_entries, stage)
    missing = path is None and not problem
    if missing:
        problem = str(NothingSubmitted(stage))
    earlier = tuple(
        (before, place)
        for before in course.prerequisites(stage)
        for place in (student.paths.get(before.name), path)
        if path and place
    )
    return SubmissionPath(student.name, stage, path, problem, earlier, missing)


def _misplaced(entries: Iterable[str], stage: Stage) -> str:
    """Return what to do with an entry that looks like the stage, or ""."""
    for entry in entries:
        if entry in (*stage.files, f"{stage.name}.ipynb"):
            return f"{entry} is outside the folder {stage.name}; move it there"
        if _similar(entry, [stage.name]):
            return f"there is no {stage.name}, but {safe_line(entry)}; rename it to {stage.name}"
    return ""


def _warnings(student: _Student, names: Sequence[str]) -> Iterator[str]:
    if student.problem:
        yield student.problem
    for entry in student.unknown_entries:
        near = _similar(entry, names)
        advice = f"did you mean {near}?" if near else f"there are: {', '.join(names)}"
        yield f"{safe_line(entry)} of {student.name} is not a stage; {advice}"
    for entry in student.duplicates:
        yield f"{entry} of {student.name} was left out: there is a folder of that stage"


def _similar(name: str, names: Sequence[str]) -> str:
    wanted = _without_zip(name).lower()
    return next(iter(difflib.get_close_matches(wanted, names, 1, MIN_SIMILARITY)), "")


def marked_late(root: Path) -> tuple[tuple[str, str], ...]:
    """Return student and stage of each submission that was collected with a mark for lateness."""
    try:
        collected = read_json(root / COLLECTED).items()
        marked = (key.split("/") for key, about in collected if about.get("late") is True)
        return tuple((student, stage) for student, stage in marked)
    except (CourseError, ValueError, AttributeError):
        return ()
