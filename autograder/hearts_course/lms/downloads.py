"""The layouts in which platforms hand out a class's submissions.

Each recogniser returns None for an archive in another layout. Students choose the names of their
own files, so no layout is recognised by what one student could have named so.

Gradescope   assignment_7_export/submission_9/cards.py
             assignment_7_export/submission_metadata.yml
Moodle       Ada Lovelace_501_assignsubmission_file/cards.py   (older: `file_/` or `file_cards.py`)
Canvas       lovelaceada_1201_88001_cards.py   (student's number, then file's number)
             lovelaceada_LATE_1201_88001_cards-1.py   (`-1`: the second upload of one name)
             LATE_anon_a1B2c_88001_cards.py   (anonymous: five characters of base 58)
nbgrader     inbound/ada+01-cards+2026-11-21 10:00:00.000000 UTC+x1/cards.py
folders      ada/01-cards/cards.py, ada/cards.py, ada.zip   (also in nbgrader's `submitted/`)
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hearts_course.course import Course
from hearts_course.errors import CourseError, UsageError
from hearts_course.grading.late import parse_time
from hearts_course.lms.archive import Archive
from hearts_course.lms.attempt import Attempt, AttemptFile, Download, Submitter
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import TIMESTAMP
from hearts_course.text import safe_line

TYPED = "typed into the platform instead of handing in a file; ask for the file"
METADATA = "submission_metadata.yml"
MAX_METADATA = 100 * 2**20
MOODLE = re.compile(
    r"(?P<name>[^/]+)_(?P<user>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_?/|_)(?P<own>.+)",
    re.DOTALL,
)
# Canvas writes names in lower case, so `LATE` is always its own mark.
CANVAS = re.compile(
    r"(?:(?P<late>LATE_)?anon_(?P<code>[1-9A-HJ-NP-Za-km-z]{5})"
    r"|(?P<name>.*?)(?P<late_>_LATE)?_(?P<user>\d+))"
    r"_(?:(?P<file>\d+)_(?P<own>.+)|(?:text|link)\.html)",
    re.DOTALL,
)
EXCHANGE = re.compile(
    r"(?:^|/)(?P<user>[^+/]+)\+(?P<stage>[^+/]+)\+(?P<time>\d{4}-\d\d-\d\d [^+/]+)[^/]*"
    r"/(?P<own>.+)",
    re.DOTALL,
)
SUBMITTED = "submitted"


@dataclass(frozen=True)
class Named:
    """What a path says of its file; `own` is "" for text that was typed into the platform."""

    submitter: Submitter
    own: str
    number: int = 0
    late: bool = False
    stage: str = ""
    time: str = ""


def recognise(archive: Archive, course: Course) -> Download:
    """Return what the archive holds; raise UsageError if it is empty."""
    if not archive.names:
        but = f" but {archive.faults[0]}" if archive.faults else ""
        raise UsageError(f"{archive.name}: nothing in it{but}")
    by_names = (_by_names(archive, platform) for platform in LAYOUTS)
    found = (download for download in (_gradescope(archive), *by_names) if download)
    return next(found, None) or _folders(archive, course)


def _gradescope(archive: Archive) -> Download | None:
    """A group's submission is each of its members'."""
    home = _gradescope_home(archive.names)
    if home is None:
        return None
    listed = _metadata(archive, f"{home}{METADATA}")
    submitters = {folder: _submitters(data) for folder, data in listed.items()}
    files: dict[str, list[AttemptFile]] = {}
    unplaced = []
    for path in archive.names:
        folder, _, own = path.removeprefix(home).partition("/")
        if own and submitters.get(folder):
            files.setdefault(folder, []).append(AttemptFile(path, own))
        elif path != f"{home}{METADATA}":
            unplaced.append(f"{safe_line(path)}: {METADATA} does not say whose it is")
    attempts = [
        Attempt(
            submitter,
            tuple(own),
            re.sub(r"\D", "", folder).zfill(30),
            time=_valid_time(str(listed[folder].get(":created_at"))),
        )
        for folder, own in files.items()
        for submitter in submitters[folder]
    ]
    return Download("Gradescope", tuple(attempts), True, tuple(unplaced))


def _gradescope_home(names: Sequence[str]) -> str | None:
    """Return the folder of the metadata, where no student can put a file; None if there is none."""
    if METADATA in names:
        return ""
    home = f"{names[0].partition('/')[0]}/"
    alone = home.startswith("assignment_") and all(name.startswith(home) for name in names)
    return home if alone and f"{home}{METADATA}" in names else None


def _metadata(archive: Archive, path: str) -> Mapping[str, Any]:
    try:
        import yaml
    except ImportError:
        install = "pip install 'hearts-course[grade]'"
        raise CourseError(f"Gradescope's archives need PyYAML; run `{install}`") from None

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Reads plain values only; Ruby's own objects become None."""

    Loader.add_multi_constructor("", lambda loader, suffix, node: None)
    try:
        data = yaml.load(archive.read(path, MAX_METADATA), Loader)
    except (yaml.YAMLError, Unreadable, ValueError, RecursionError) as error:
        line = " ".join(str(error).split())
        raise UsageError(f"{archive.name}: {METADATA} cannot be read ({line[:80]})") from None
    if not isinstance(data, dict):
        raise UsageError(f"{archive.name}: {METADATA} lists no submissions; download it again")
    return {str(folder): about for folder, about in data.items() if isinstance(about, dict)}


def _submitters(data: Mapping[str, Any]) -> list[Submitter]:
    listed = data.get(":submitters")
    people = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    said = [[str(one.get(key) or "") for key in (":name", ":sid", ":email")] for one in people]
    return [Submitter(name, number, address) for name, number, address in said]


def _moodle(path: str) -> Named | None:
    match = MOODLE.search(path)
    if match is None:
        return None
    own = match["own"] if match["kind"] == "file" else ""
    return Named(Submitter(match["name"], match["user"], lasting=False), own)


def _canvas(path: str) -> Named | None:
    match = CANVAS.fullmatch(path.rpartition("/")[2])
    if match is None:
        return None
    submitter = Submitter(match["name"] or "anonymous", match["code"] or match["user"])
    number, late = int((match["file"] or "0")[:30]), bool(match["late"] or match["late_"])
    return Named(submitter, match["own"] or "", number, late)


def _exchange(path: str) -> Named | None:
    match = EXCHANGE.search(path)
    if match is None:
        return None
    return Named(Submitter(match["user"]), match["own"], stage=match["stage"], time=match["time"])


LAYOUTS = {"Moodle": _moodle, "Canvas": _canvas, "nbgrader": _exchange}


def _by_names(archive: Archive, platform: str) -> Download | None:
    named = {path: LAYOUTS[platform](path) for path in archive.names}
    if 2 * sum(map(bool, named.values())) <= len(named):  # a student may name a file so by chance
        return None
    found: dict[tuple[Submitter, str, str], list[AttemptFile]] = {}
    late: set[AttemptFile] = set()
    unplaced = []
    for path, one in named.items():
        if one is None:
            unplaced.append(f"{safe_line(path)}: not named as {platform} names files")
        elif not one.own:
            unplaced.append(f"{safe_line(one.submitter.label)}: {TYPED}")
        else:
            file = AttemptFile(path, one.own, one.number)
            found.setdefault((one.submitter, one.stage, one.time), []).append(file)
            late |= {file} if one.late else set()
    attempts = []
    for (submitter, stage, time), files in found.items():
        last = max(files, key=lambda file: file.number)
        order = time or (str(last.number).zfill(30) if last.number else _latest(archive, files))
        valid = _valid_time(time)
        attempts.append(Attempt(submitter, tuple(files), order, stage, valid, last in late))
    return Download(platform, tuple(attempts), platform != "nbgrader", tuple(unplaced))


def _folders(archive: Archive, course: Course) -> Download:
    """Folders of students, with or without folders of stages, perhaps in further folders."""
    stages = {stage.name for stage in course.stages}
    names = [path for path in archive.names if path.startswith(f"{SUBMITTED}/")] or archive.names
    home = _home(names, stages)
    found: dict[tuple[str, str], list[AttemptFile]] = {}
    unplaced = []
    for path in names:
        student, slash, own = path.removeprefix(home).partition("/")
        first, more, rest = own.partition("/")
        if not slash and student.lower().endswith(".zip"):
            found.setdefault((student[:-4], ""), []).append(AttemptFile(path, student))
        elif not slash:
            unplaced.append(f"{safe_line(path)}: not in a student's folder")
        elif more and first in stages:
            found.setdefault((student, first), []).append(AttemptFile(path, rest))
        else:
            found.setdefault((student, ""), []).append(AttemptFile(path, own))
    attempts = []
    for (student, stage), files in found.items():
        program = tuple(file for file in files if file.name != TIMESTAMP)
        if program:
            stamp = _timestamp(archive, files)
            time = _valid_time(stamp) if stage else ""  # a student wrote what is not in a stage's
            order = stamp or _latest(archive, program)
            attempts.append(Attempt(Submitter(student), program, order, stage, time))
    return Download("folders of students", tuple(attempts), False, tuple(unplaced))


def _home(names: Iterable[str], stages: set[str]) -> str:
    """Return the folders above those of the students: single ones, and nbgrader's `submitted`."""
    home = ""
    while True:
        paths = [name.removeprefix(home).split("/") for name in names]
        top, *others = {path[0] for path in paths}
        below = {path[1] for path in paths if len(path) > 2}
        if others or any(len(path) < 3 for path in paths) or below & stages:
            return home
        stages_below = any(len(path) > 3 and path[2] in stages for path in paths)
        if top != SUBMITTED and len(below) < 2 and not stages_below:
            return home
        home += f"{top}/"


def _timestamp(archive: Archive, files: Iterable[AttemptFile]) -> str:
    """Return the time that nbgrader wrote beside the attempt, "" if there is none."""
    stamp = next((file for file in files if file.name == TIMESTAMP), None)
    try:
        return safe_line(archive.read(stamp.path, 1000).decode()) if stamp else ""
    except (Unreadable, UnicodeDecodeError):
        return ""


def _latest(archive: Archive, files: Iterable[AttemptFile]) -> str:
    return max(archive.time(file.path) for file in files)


def _valid_time(text: str) -> str:
    """Return the text if it says when something was handed in, else ""."""
    try:
        parse_time(text)
    except (ValueError, OverflowError):
        return ""
    return text
