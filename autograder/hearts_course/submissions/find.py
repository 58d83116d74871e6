"""What lies in a folder of submissions: who handed in what, and where it is.

Layout              the students, the stages to grade, a slot for each of both
Slot                one student's stage: where it lies, or why there is nothing
find_submissions    the layout of `<student>/<stage>/`, `<student>/<stage>.zip`, and of nbgrader's
                    `submitted/<student>/<assignment>/`, also seen from the folder above
"""

import difflib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.grading.late import marked_late
from hearts_course.results import NOTHING
from hearts_course.submissions.untrusted import CLOSED, LINK, is_clutter
from hearts_course.text import safe_line, safe_name

NBGRADER = "submitted"
SHAPE = "<student>/<stage>/ is expected"
NEAR = 0.5


@dataclass(frozen=True)
class SubmissionPath:
    """One student's stage: where it lies; None, and perhaps a `problem`, if it is not there.

    `earlier` is where the student's own work for the stages lies that this one builds on.
    """

    student: str
    stage: Stage
    path: Path | None
    problem: str = ""
    earlier: tuple[tuple[Stage, Path], ...] = ()
    missing: bool = False


@dataclass(frozen=True)
class Layout:
    """Everything to grade, by student and stage, and a line for whatever was left out.

    `late` has student and stage of what Canvas has marked so.
    """

    slots: tuple[SubmissionPath, ...]
    warnings: tuple[str, ...]
    late: tuple[tuple[str, str], ...] = ()

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages to grade, in the course's order."""
        return tuple({slot.stage.name: slot.stage for slot in self.slots}.values())


@dataclass
class _Student:
    """What lies in one student's folder: paths by stage, names that are no stage."""

    name: str
    folder: Path
    problem: str = ""
    paths: dict[str, Path] = field(default_factory=dict)
    strays: list[str] = field(default_factory=list)
    doubles: list[str] = field(default_factory=list)


def find_submissions(root: Path, course: Course, only: Sequence[str] = ()) -> Layout:
    """The layout of the folder; `only` restricts it to some stages.

    Without `only` every stage counts that at least one student has; a student who lacks one has an
    empty slot for it. Raises UsageError if there is nothing to grade or a stage is unknown.
    """
    chosen = {course.stage(name).name for name in only}
    names = [stage.name for stage in course.stages]
    folder, loose, entries = _top(root, names)
    students = [_look_into(folder / name, names) for name in entries]
    chosen = chosen or {stage for student in students for stage in student.paths}
    stages = [stage for stage in course.stages if stage.name in chosen]
    warnings = [*loose, *(line for student in students for line in _warnings(student, names))]
    if not students or not stages:
        raise UsageError(f"{root}: nothing to grade; {_because(warnings)}")
    slots = (_slot(student, stage, course) for student in students for stage in stages)
    return Layout(tuple(slots), tuple(warnings), marked_late(folder))


def _because(warnings: Sequence[str]) -> str:
    return warnings[0] if warnings else SHAPE


def _top(root: Path, names: Sequence[str]) -> tuple[Path, list[str], list[str]]:
    """The folder that holds the students, warnings about files beside them, the students' names."""
    inner = root / NBGRADER
    if inner.is_dir() and not any((inner / name).exists() for name in names):
        root = inner
    folders, files = _listing(root)
    if misplaced := next((name for name in folders if name in names), None):
        raise UsageError(f"{root}: holds {misplaced} itself; name the folder above, or {SHAPE}")
    loose = [f"{safe_line(name)} is no student's folder and was left out" for name in files]
    return root, loose, folders


def _listing(folder: Path) -> tuple[list[str], list[str]]:
    """The names of folders (and links, which are not followed) and of files, without clutter."""
    try:
        with os.scandir(folder) as found:
            entries = sorted((e for e in found if not is_clutter(e.name)), key=lambda e: e.name)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}; {SHAPE} in a folder") from None
    folders = [e.name for e in entries if e.is_symlink() or e.is_dir(follow_symlinks=False)]
    return folders, [e.name for e in entries if e.name not in folders]


def _look_into(folder: Path, names: Sequence[str]) -> _Student:
    student = _Student(safe_name(folder.name), folder)
    if folder.is_symlink():
        student.problem = f"the folder of {student.name} {LINK}"
        return student
    try:
        entries = sorted(entry.name for entry in folder.iterdir() if not is_clutter(entry.name))
    except OSError as error:
        student.problem = f"the folder of {student.name} {CLOSED.format(error.strerror)}"
        return student
    for entry in entries:  # a folder comes before the zip of its name, and wins
        stage = entry if entry in names else _without_zip(entry)
        if stage not in names:
            student.strays.append(entry)
        elif student.paths.setdefault(stage, folder / entry) != folder / entry:
            student.doubles.append(entry)
    return student


def _without_zip(name: str) -> str:
    return name[:-4] if name.lower().endswith(".zip") else name


def _slot(student: _Student, stage: Stage, course: Course) -> SubmissionPath:
    path = student.paths.get(stage.name)
    problem = student.problem
    missing = False
    if path is None and not problem:
        problem = _misplaced(student, stage)
        if missing := not problem:
            problem = f"{NOTHING} for {stage.name}"
    earlier = tuple(
        (before, student.paths[before.name])
        for before in course.prerequisites(stage)
        if before.name in student.paths
    )
    return SubmissionPath(student.name, stage, path, problem, earlier, missing)


def _misplaced(student: _Student, stage: Stage) -> str:
    """Return what to do with a file that seems to be the stage's and lies elsewhere, or ""."""
    for stray in student.strays:
        if stray in (*stage.files, f"{stage.name}.ipynb"):
            return f"{stray} lies outside the folder {stage.name}; put it in there"
        if _near(stray, [stage.name]):
            return f"there is no {stage.name}, but {safe_line(stray)}; rename it to {stage.name}"
    return ""


def _warnings(student: _Student, names: Sequence[str]) -> list[str]:
    lines = [student.problem] if student.problem else []
    for stray in student.strays:
        near = _near(stray, names)
        advice = f"did you mean {near}?" if near else f"there are: {', '.join(names)}"
        lines.append(f"{safe_line(stray)} of {student.name} is no stage; {advice}")
    for double in student.doubles:
        lines.append(f"{double} of {student.name} was left out: there is a folder of that stage")
    return lines


def _near(name: str, names: Sequence[str]) -> str:
    close = difflib.get_close_matches(_without_zip(name).lower(), names, n=1, cutoff=NEAR)
    return close[0] if close else ""
