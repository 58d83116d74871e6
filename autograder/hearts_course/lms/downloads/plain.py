"""Folders of students, as somebody has put them by hand, or nbgrader's `submitted/`.

ada/01-cards/cards.py
ada/cards.py
ada.zip
"""

from collections.abc import Iterable

from hearts_course.course import Course
from hearts_course.lms.archive import Archive
from hearts_course.lms.attempt import Attempt, Download, HandedFile, Who, latest, told
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import TIMESTAMP
from hearts_course.text import safe_line

SUBMITTED = "submitted"


def look(crate: Archive, course: Course) -> Download:
    """Folders of students, with or without folders of stages, perhaps all in one more folder."""
    stages = {stage.name for stage in course.stages}
    course_of_nbgrader = [name for name in crate.names if name.startswith(f"{SUBMITTED}/")]
    names = course_of_nbgrader or crate.names
    home = _home(names, stages)
    found: dict[tuple[str, str], list[HandedFile]] = {}
    lost = []
    for name in names:
        student, slash, own = name.removeprefix(home).partition("/")
        first, more, rest = own.partition("/")
        if not slash and student.lower().endswith(".zip"):
            found.setdefault((student[:-4], ""), []).append(HandedFile(name, student))
        elif not slash:
            lost.append(f"{safe_line(name)}: in no student's folder")
        elif more and first in stages:
            found.setdefault((student, first), []).append(HandedFile(name, rest))
        else:
            found.setdefault((student, ""), []).append(HandedFile(name, own))
    handed = []
    for (student, stage), pieces in found.items():
        program = tuple(piece for piece in pieces if piece.name != TIMESTAMP)
        if program:
            stamp = _stamp(crate, pieces)
            when = told(stamp) if stage else ""  # a student's own folder may hold anything
            order = stamp or latest(crate, program)
            handed.append(Attempt(Who(student), program, order, stage, when))
    return Download("folders of students", tuple(handed), False, tuple(lost))


def _home(names: Iterable[str], stages: set[str]) -> str:
    """The folders above those of the students: a lone one that holds folders, and `submitted`."""
    home = ""
    while True:
        rest = [name.removeprefix(home) for name in names]
        tops = {name.partition("/")[0] for name in rest}
        (top, *others) = tops
        below = {name.split("/")[1] for name in rest if name.count("/") >= 2}
        if others or not all(name.count("/") >= 2 for name in rest) or below & stages:
            return home
        if top != SUBMITTED and len(below) < 2 and not _deeper(rest, stages):
            return home
        home += f"{top}/"


def _deeper(names: list[str], stages: set[str]) -> bool:
    """Whether stages' folders lie where those of students would."""
    return any(name.count("/") >= 3 and name.split("/")[2] in stages for name in names)


def _stamp(crate: Archive, pieces: Iterable[HandedFile]) -> str:
    """nbgrader's own time of the attempt, "" if there is none."""
    for piece in pieces:
        if piece.name == TIMESTAMP:
            try:
                return safe_line(crate.read(piece.path, 1000).decode())
            except (Unreadable, UnicodeDecodeError):
                return ""
    return ""
