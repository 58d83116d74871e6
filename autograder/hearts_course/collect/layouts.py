"""How platforms lay out the files of a class.

    Canvas       lovelaceada_1201_88001_cards.py, lovelaceada_LATE_1201_88001_cards-1.py
                 (the second number is the file's, and grows; `-1` is Canvas's, for a second upload)
    Moodle       Ada Lovelace_501_assignsubmission_file/cards.py, with `_` at the end in older ones;
                 Ada Lovelace_501_assignsubmission_file_cards.py without folders
    Gradescope   assignment_7_export/submission_9/cards.py, and submission_metadata.yml
    nbgrader     inbound/ada+01-cards+2026-11-21 10:00:00.000000 UTC+x1/cards.py
                 submitted/ada/01-cards/cards.py, and timestamp.txt
    plain        ada/01-cards/cards.py, ada/cards.py, ada.zip

recognise   what a crate holds
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from hearts_course.collect.crate import TIMESTAMP, Crate
from hearts_course.collect.handed import Handed, Load, Piece, Who
from hearts_course.course import Course
from hearts_course.errors import CourseError, UsageFault
from hearts_course.grading.safe import safe_line
from hearts_course.grading.submission import Unreadable

CANVAS = re.compile(r"(?P<name>.*?)(?:_LATE)?_(?P<user>\d+)_(?P<file>\d+)_(?P<own>.+)", re.DOTALL)
CANVAS_ANONYMOUS = re.compile(r"(?P<name>)(?:LATE_)?anon_?(?P<user>\w+?)_(?P<file>\d+)_(?P<own>.+)")
CANVAS_TYPED = re.compile(r"(.*?)(?:_LATE)?_(\d+)_(text|link)\.html")
MOODLE = re.compile(
    r"(?P<name>[^/]+)_(?P<user>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_?/|_)(?P<own>.+)",
    re.DOTALL,
)
METADATA = "submission_metadata.yml"
MAX_METADATA = 100 * 2**20
TYPED = "typed into the platform, no file; ask for the file"
SUBMITTED = "submitted"


def recognise(crate: Crate, course: Course) -> Load:
    """What the crate holds, by the first layout that any of its files has.

    Raises UsageFault if it holds nothing.
    """
    if not crate.names:
        raise UsageFault(f"{crate.name}: nothing in it{_first(crate.faults)}")
    for look in (_gradescope, _moodle, _canvas, _exchange):
        if load := look(crate):
            return load
    return _plain(crate, course)


def _first(faults: tuple[str, ...]) -> str:
    return f" but {faults[0]}" if faults else ""


def _gradescope(crate: Crate) -> Load | None:
    listing = next((n for n in crate.names if n.rpartition("/")[2] == METADATA), None)
    if listing is None:
        return None
    home = listing[: -len(METADATA)]
    people = _submitters(crate, listing)
    folders: dict[str, list[Piece]] = {}
    lost = []
    for name in crate.names:
        folder, _, own = name.removeprefix(home).partition("/")
        if name == listing:
            continue
        if own and folder in people:
            folders.setdefault(folder, []).append(Piece(name, own))
        else:
            lost.append(f"{safe_line(name)}: {METADATA} does not say whose it is")
    handed = [
        Handed(who, tuple(pieces), _padded(folder))
        for folder, pieces in folders.items()
        for who in people[folder]
    ]
    return Load("Gradescope", tuple(handed), True, tuple(lost))


def _submitters(crate: Crate, listing: str) -> dict[str, list[Who]]:
    """Who handed in what, by folder; several for a group."""
    people: dict[str, list[Who]] = {}
    for folder, data in _yaml(crate, listing).items():
        told = data.get(":submitters") if isinstance(data, dict) else None
        for one in told if isinstance(told, list) else []:
            if isinstance(one, dict):
                name, sid, address = (str(one.get(f":{k}") or "") for k in ("name", "sid", "email"))
                people.setdefault(str(folder), []).append(Who(name, sid, address))
    return people


def _yaml(crate: Crate, listing: str) -> Mapping[str, Any]:
    try:
        import yaml
    except ImportError:
        install = "pip install 'hearts-course[grade]'"
        raise CourseError(f"Gradescope's archives need PyYAML; run `{install}`") from None

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Plain values only; what Ruby writes beside them is None."""

    Loader.add_multi_constructor("", lambda loader, suffix, node: None)
    try:
        data = yaml.load(crate.read(listing, MAX_METADATA), Loader)  # noqa: S506: a safe one
    except (yaml.YAMLError, Unreadable, ValueError, RecursionError) as error:
        line = " ".join(str(error).split())
        raise UsageFault(f"{crate.name}: {METADATA} cannot be read ({line[:80]})") from None
    if not isinstance(data, dict):
        raise UsageFault(f"{crate.name}: {METADATA} lists no submissions; download it again")
    return data


def _moodle(crate: Crate) -> Load | None:
    found: dict[tuple[str, str], list[Piece]] = {}
    lost = []
    for name in crate.names:
        match = MOODLE.search(name)
        if match is None:
            lost.append(f"{safe_line(name)}: not named as Moodle names files")
        elif match["kind"] != "file":
            lost.append(f"{safe_line(match['name'])}: {TYPED}")
        else:
            person = (match["name"], match["user"])
            found.setdefault(person, []).append(Piece(name, match["own"]))
    if not found and not any(TYPED in line for line in lost):
        return None
    handed = [
        Handed(Who(name, number, lasting=False), tuple(pieces), _latest(crate, pieces))
        for (name, number), pieces in found.items()
    ]
    return Load("Moodle", tuple(handed), True, tuple(lost))


def _canvas(crate: Crate) -> Load | None:
    found: dict[tuple[str, str], list[Piece]] = {}
    lost = []
    for name in crate.names:
        file = name.rpartition("/")[2]
        match = CANVAS_ANONYMOUS.fullmatch(file) or CANVAS.fullmatch(file)
        if match is not None:
            piece = Piece(name, match["own"], int(match["file"][:30]))
            found.setdefault((match["name"] or "anonymous", match["user"]), []).append(piece)
        elif typed := CANVAS_TYPED.fullmatch(file):
            lost.append(f"{safe_line(typed[1])}_{typed[2]}: {TYPED}")
        else:
            lost.append(f"{safe_line(name)}: not named as Canvas names files")
    named = sum(map(len, found.values())) + sum(TYPED in line for line in lost)
    if 2 * named <= len(crate.names):  # a student's file may be called so by chance
        return None
    handed = [
        Handed(Who(name, number), tuple(pieces), _padded(str(max(p.number for p in pieces))))
        for (name, number), pieces in found.items()
    ]
    return Load("Canvas", tuple(handed), True, tuple(lost))


def _exchange(crate: Crate) -> Load | None:
    """nbgrader's exchange: each attempt has a folder of its own."""
    found: dict[str, list[Piece]] = {}
    lost = []
    for name in crate.names:
        parts = name.split("/")
        place = next((i for i, part in enumerate(parts[:-1]) if part.count("+") >= 2), None)
        if place is None:
            lost.append(f"{safe_line(name)}: in no folder of nbgrader's exchange")
        elif parts[-1] != TIMESTAMP:
            own = "/".join(parts[place + 1 :])
            found.setdefault(parts[place], []).append(Piece(name, own))
    if not found:
        return None
    handed = []
    for folder, pieces in found.items():
        student, stage, when, *_ = folder.split("+")
        handed.append(Handed(Who(student), tuple(pieces), when, stage))
    return Load("nbgrader", tuple(handed), False, tuple(lost))


def _plain(crate: Crate, course: Course) -> Load:
    """Folders of students, with or without folders of stages, perhaps all in one more folder."""
    stages = {stage.name for stage in course.stages}
    course_of_nbgrader = [name for name in crate.names if name.startswith(f"{SUBMITTED}/")]
    names = course_of_nbgrader or crate.names
    home = _home(names, stages)
    found: dict[tuple[str, str], list[Piece]] = {}
    lost = []
    for name in names:
        student, slash, own = name.removeprefix(home).partition("/")
        first, more, rest = own.partition("/")
        if not slash and student.lower().endswith(".zip"):
            found.setdefault((student[:-4], ""), []).append(Piece(name, student))
        elif not slash:
            lost.append(f"{safe_line(name)}: in no student's folder")
        elif more and first in stages:
            found.setdefault((student, first), []).append(Piece(name, rest))
        else:
            found.setdefault((student, ""), []).append(Piece(name, own))
    handed = []
    for (student, stage), pieces in found.items():
        program = tuple(piece for piece in pieces if piece.name != TIMESTAMP)
        if program:
            order = _stamp(crate, pieces) or _latest(crate, program)
            handed.append(Handed(Who(student), program, order, stage))
    return Load("folders of students", tuple(handed), False, tuple(lost))


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


def _stamp(crate: Crate, pieces: Iterable[Piece]) -> str:
    """nbgrader's own time of the attempt, "" if there is none."""
    for piece in pieces:
        if piece.name == TIMESTAMP:
            try:
                return safe_line(crate.read(piece.path, 1000).decode())
            except (Unreadable, UnicodeDecodeError):
                return ""
    return ""


def _latest(crate: Crate, pieces: Iterable[Piece]) -> str:
    return max(crate.time(piece.path) for piece in pieces)


def _padded(text: str) -> str:
    """The text's number, so that later ones sort later."""
    return re.sub(r"\D", "", text).zfill(30)
