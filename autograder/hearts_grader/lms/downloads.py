"""The layouts of the downloads that platforms offer.

Each recogniser returns None for an archive in another layout. Students choose the names of their
own files, so a layout is never recognised by the files of a single student.

Gradescope   assignment_7_export/submission_9/cards.py
             assignment_7_export/submission_metadata.yml
Moodle       Ada Lovelace_501_assignsubmission_file/cards.py   (older: `file_/` or `file_cards.py`)
             Group A-Ada Lovelace_501_assignsubmission_file/cards.py   (each member has the team's)
Canvas       lovelaceada_1201_88001_cards.py   (student's number, then file's number)
             lovelaceada_LATE_1201_88001_cards-1.py   (`-1`: the second upload of one name)
             LATE_anon_a1B2c_88001_cards.py   (anonymous: five characters of base 58)
nbgrader     inbound/ada+01-cards+2026-11-21 10:00:00.000000 UTC+x1/cards.py
folders      ada/01-cards/cards.py, ada/cards.py, ada.zip
             submitted/ada/01-cards/cards.py, .../timestamp.txt   (nbgrader's, with the time)
clones       hw1-ada/cards.py, hw1-ada/.git/...   (cloned repositories of one assignment)
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hearts_course.course import Course
from hearts_course.errors import CourseError, UsageError
from hearts_course.submissions.find import (
    INSIDE,
    NBGRADER,
    NBGRADER_CONFIG,
    NBGRADER_FOLDERS,
)
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.packed import is_packed, without_ending
from hearts_course.submissions.untrusted import TIMESTAMP
from hearts_course.text import safe_line

from hearts_grader.grading.late_policy import parse_time
from hearts_grader.lms.archive import Archive, Attempt, AttemptFile, Download, Submitter

TYPED = "typed into the platform instead of handing in a file; ask for the file"
SUBMITTED = f"{NBGRADER}/"
METADATA = "submission_metadata.yml"
MAX_METADATA = 100 * 2**20
MOODLE = re.compile(
    r"(?P<name>[^/]+)_(?P<user>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_?/|_)(?P<own>.+)",
    re.DOTALL,
)
# Canvas writes names in lower case, so `LATE` is always Canvas's mark.
CANVAS = re.compile(
    r"(?:(?P<late>LATE_)?anon_(?P<code>[1-9A-HJ-NP-Za-km-z]{5})"
    r"|(?P<name>.*?)(?P<late_>_LATE)?_(?P<user>\d+))"
    r"_(?:(?P<file>\d+)_(?P<own>.+)|(?:text|link)\.html)",
    re.DOTALL,
)
EXCHANGE = re.compile(
    r"(?:^|/)(?P<user>[^+/]+)\+(?P<stage>[^+/]+)"
    r"\+(?P<order>(?P<time>\d{4}-\d\d-\d\d [^+/]+)[^/]*)/(?P<own>.+)",
    re.DOTALL,
)


# A parser returns the attempts that a path belongs to, or a line that says why the path fits
# nowhere. It returns None for a path of another layout.
Parsed = Sequence[Attempt] | str | None


def recognise(archive: Archive, course: Course) -> Download:
    """Return what the archive holds; raise UsageError if it is empty."""
    if not archive.names:
        problem = f"{archive.name}: nothing in it"
        if archive.faults:
            problem += f" but {archive.faults[0]}"
        raise UsageError(problem)
    for recogniser in LAYOUTS:
        if download := recogniser(archive):
            return download
    return _folders(archive, course)


def _download(
    platform: str,
    paths: Sequence[str],
    parse: Callable[[str], Parsed],
    *,
    one_assignment: bool = True,
    ordered: bool = False,
) -> Download | None:
    """Return the attempts with the files at the paths; None if the download has another layout.

    The download has another layout if at least half of its entries are not named as in this layout.
    An entry is a file or folder at the top. Entries are counted, not files: a student may put many
    files with any names into one entry, but cannot add a second entry.

    A student's files for a stage are one attempt. With `ordered`, files with a different `order`
    are different attempts.
    """
    by_submitter: dict[tuple[Submitter, str, str], list[Attempt]] = {}
    unplaced: list[str] = []
    entries = _entries(paths)
    unnamed: set[str] = set()
    for path in paths:
        parsed = parse(path)
        if parsed is None:
            unnamed.add(entries[path])
            parsed = f"{path}: not named as {platform} names files"
        if isinstance(parsed, str):
            unplaced.append(safe_line(parsed))
            continue
        for attempt in parsed:
            key = (attempt.submitter, attempt.stage, attempt.order if ordered else "")
            by_submitter.setdefault(key, []).append(attempt)
    if unnamed and 2 * len(unnamed) >= len({*entries.values()}):
        return None
    attempts = tuple(map(_joined, by_submitter.values()))
    return Download(platform, attempts, one_assignment, tuple(unplaced))


def _joined(parts: Sequence[Attempt]) -> Attempt:
    """Join attempts of one file each into one attempt.

    The joined attempt has the time and order of the newest of them.
    """
    newest = max(parts, key=lambda part: part.order)
    return replace(newest, files=tuple(part.files[0] for part in parts))


def _entries(paths: Sequence[str]) -> dict[str, str]:
    """Map each path to its first part below the folder that all paths have in common."""
    folders = [path.split("/")[:-1] for path in paths]
    depth = 0
    for names in zip(*folders, strict=False):
        if len({*names}) > 1:
            break
        depth += 1
    return {path: path.split("/")[depth] for path in paths}


def _moodle(archive: Archive) -> Download | None:
    """Return the attempts in Moodle's download of an assignment.

    The number in Moodle's names is the participant number. A student's participant number is
    different in each assignment.
    """
    matches = filter(None, map(MOODLE.search, archive.names))
    teams = _teams({(match["name"], match["user"]) for match in matches})

    def parse(path: str) -> Parsed:
        """Return the attempt of the student in the path; its group is the student's team."""
        match = MOODLE.search(path)
        if match is None:
            return None
        submitter, *others = teams[match["name"], match["user"]]
        if match["kind"] != "file":
            return f"{submitter.name}: {TYPED}"
        file = AttemptFile(path, match["own"])
        return [Attempt(submitter, (file,), archive.files.time(path), group=(submitter, *others))]

    return _download("Moodle", archive.names, parse)


def _teams(names: Collection[tuple[str, str]]) -> dict[tuple[str, str], list[Submitter]]:
    """Return the team of each student, with the student first.

    The keys are the students' names and numbers as in the names of the files.

    If students hand in as teams, Moodle puts the team and a hyphen before every name. So there are
    teams only if every name has a hyphen and some names begin alike. `Jean-Luc` alone is not in a
    team.
    """
    hyphens = min((name.count("-") for name, _ in names), default=0)
    people: dict[tuple[str, str], Submitter] = {}
    members: dict[tuple[str, ...], list[Submitter]] = {}
    for name, user in sorted(names):
        parts = name.split("-")
        person = Submitter("-".join(parts[hyphens:]), user, lasting=False)
        people[name, user] = person
        members.setdefault(tuple(parts[:hyphens]), []).append(person)
    if not hyphens or len(members) == len(people):
        return {(name, user): [Submitter(name, user, lasting=False)] for name, user in names}
    teams = {}
    for name, user in people:
        person = people[name, user]
        team = members[tuple(name.split("-")[:hyphens])]
        teams[name, user] = [person, *(other for other in team if other is not person)]
    return teams


def _canvas(archive: Archive) -> Download | None:
    """Return the attempts in Canvas's download, whose files are all in one folder.

    Canvas numbers its files as they are uploaded, so the number of a file is its order.
    """

    def parse(path: str) -> Parsed:
        """Return an attempt with only this file; `_download` joins the attempts of a student."""
        match = CANVAS.fullmatch(path.rpartition("/")[2])
        if match is None:
            return None
        submitter = Submitter(match["name"] or "anonymous", match["code"] or match["user"])
        if not match["file"]:
            return f"{submitter.name}_{submitter.number}: {TYPED}"
        # A student can choose a name with many digits; Python refuses to convert too many.
        number = int(match["file"][:30])
        late = bool(match["late"] or match["late_"])
        file = AttemptFile(path, match["own"], number)
        order = str(number).zfill(30)  # orders are compared as texts
        return [Attempt(submitter, (file,), order, late=late)]

    return _download("Canvas", archive.names, parse)


def _exchange(archive: Archive) -> Download | None:
    """Return all attempts in the inbound folder of nbgrader's exchange."""

    def parse(path: str) -> Parsed:
        """Return an attempt with only this file; nbgrader named the file's folder."""
        match = EXCHANGE.search(path)
        if match is None:
            return None
        submitter = Submitter(match["user"])
        files = (AttemptFile(path, match["own"]),)
        time = _valid_time(match["time"])
        return [Attempt(submitter, files, match["order"], match["stage"], time)]

    return _download("nbgrader", archive.names, parse, one_assignment=False, ordered=True)


def _gradescope(archive: Archive) -> Download | None:
    """Return the attempts in Gradescope's download.

    Only the metadata says who made a submission, because several students may submit together.
    """
    home = _gradescope_home(archive.names)
    if home is None:
        return None
    listed = _metadata(archive, f"{home}{METADATA}")

    def parse(path: str) -> Parsed:
        """Return an attempt for each student of the submission, with the same file."""
        folder, _, name = path.removeprefix(home).partition("/")
        submitters = _submitters(listed.get(folder, {}))
        if not name or not submitters:
            return f"{path}: {METADATA} does not say whose it is"
        order = re.sub(r"\D", "", folder).zfill(30)
        time = _valid_time(str(listed[folder].get(":created_at")))
        file = AttemptFile(path, name)
        group = tuple(submitters)
        return [Attempt(who, (file,), order, time=time, group=group) for who in submitters]

    paths = [path for path in archive.names if path != f"{home}{METADATA}"]
    return _download("Gradescope", paths, parse, ordered=True)


LAYOUTS = (_gradescope, _moodle, _canvas, _exchange)


def _gradescope_home(names: Sequence[str]) -> str | None:
    """Return the metadata's folder with a slash, "" for the top, None if there is no metadata.

    A student's own file may have the metadata's name, so a student's folder never counts.
    """
    if METADATA in names:
        return ""
    home = f"{names[0].partition('/')[0]}/"
    if not home.startswith("assignment_") or f"{home}{METADATA}" not in names:
        return None
    if not all(name.startswith(home) for name in names):
        return None
    return home


def _metadata(archive: Archive, path: str) -> Mapping[str, Mapping[str, Any]]:
    """Map the name of each submission's folder to the submission's metadata.

    Raise UsageError if the metadata cannot be read, CourseError if PyYAML is missing.
    """
    try:
        import yaml
    except ImportError:
        install = "pip install 'hearts-course[grade]'"
        raise CourseError(f"Gradescope's archives need PyYAML; run `{install}`") from None

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Reads plain values only; Ruby's own objects become None."""

    Loader.add_multi_constructor("", lambda loader, suffix, node: None)
    try:
        data = yaml.load(archive.files.read(path, MAX_METADATA), Loader)
    except (yaml.YAMLError, Unreadable, ValueError, RecursionError) as error:
        line = " ".join(str(error).split())
        raise UsageError(f"{archive.name}: {METADATA} cannot be read ({line[:80]})") from None
    if not isinstance(data, dict):
        raise UsageError(f"{archive.name}: {METADATA} lists no submissions; download it again")
    return {str(folder): about for folder, about in data.items() if isinstance(about, dict)}


def _submitters(data: Mapping[str, Any]) -> list[Submitter]:
    """Return the students of a submission; none if the metadata has an unexpected form."""
    listed = data.get(":submitters")
    submitters: list[Submitter] = []
    if not isinstance(listed, list):
        return submitters
    for person in listed:
        if isinstance(person, dict):
            name = str(person.get(":name") or "")
            number = str(person.get(":sid") or "")
            address = str(person.get(":email") or "")
            submitters.append(Submitter(name, number, address))
    return submitters


def _folders(archive: Archive, course: Course) -> Download:
    """Return the attempts in students' folders, which may have a folder for each stage.

    The students' folders may be inside other folders.
    """
    stages = {stage.name for stage in course.stages}
    paths: Sequence[str] = archive.names
    if _is_nbgrader_course(paths, stages):
        paths = [path for path in paths if path.startswith(SUBMITTED)]
    home = _home(paths, stages)
    prefix = ""
    if archive.repositories.issuperset(path.split("/")[0] for path in paths):
        prefix = _common_prefix(archive.repositories)
    stamps, notes = _stamps(archive, paths, home)

    def parse(path: str) -> Parsed:
        """Return the attempt in the student's folder or archive; none for a `timestamp.txt`."""
        student, slash, name = path.removeprefix(home).partition("/")
        if not slash:
            if not is_packed(student):
                return f"{path}: not in a student's folder"
            name = student
            student = without_ending(name)
        stage, slash, below = name.partition("/")
        if slash and stage in stages:
            name = below
        else:
            stage = ""
        if name == TIMESTAMP:
            return []
        stamp = ""  # the time when nbgrader collected the files
        beside = f"{path.removesuffix(name)}{TIMESTAMP}"
        if beside in stamps:
            stamp = _text(archive, beside)
        time = _valid_time(stamp) if stage else ""
        order = stamp or archive.files.time(path)
        submitter = Submitter(student.removeprefix(prefix))
        return [Attempt(submitter, (AttemptFile(path, name),), order, stage, time)]

    download = _download("folders of students", paths, parse, one_assignment=False)
    assert download is not None
    return replace(download, notes=tuple(notes))


def _stamps(archive: Archive, paths: Sequence[str], home: str) -> tuple[set[str], list[str]]:
    """Return the paths of nbgrader's files `timestamp.txt`, and notes on how the archive was read.

    nbgrader writes such a file beside each submission in its folder `submitted`. Anywhere else, a
    student may have written the file, so it does not count.
    """
    notes = []
    if is_nbgrader := home.endswith(SUBMITTED):
        notes.append(INSIDE.format(f"{archive.name}/{home}".rstrip("/")))
    stamps = {path for path in paths if path.rpartition("/")[2] == TIMESTAMP}
    if stamps and not is_nbgrader and archive.name != NBGRADER:
        stamps = set()
        notes.append(f"{TIMESTAMP} was left out: it may be the student's own")
    return stamps, notes


def _is_nbgrader_course(paths: Sequence[str], stages: set[str]) -> bool:
    """Return whether this is nbgrader's course folder, whose `submitted/` holds the students.

    If not, `submitted` is the folder of a student with that name. A config file of nbgrader's is
    proof of a course folder. Without a config file, all programs must be in nbgrader's folders.
    """
    inside = [path.split("/")[1:] for path in paths if path.startswith(SUBMITTED)]
    if not inside:
        return False
    for path in inside:
        if len(path) < 2 or without_ending(path[0]) in stages:
            return False
    if NBGRADER_CONFIG in paths:
        return True
    others = [path for path in paths if path.split("/")[0] not in NBGRADER_FOLDERS]
    return not any(map(_is_work, others))


def _is_work(path: str) -> bool:
    """Return whether the path may be a student's: a program in a folder, or an archive."""
    return is_packed(path) or ("/" in path and path.endswith((".py", ".ipynb")))


def _common_prefix(repositories: Iterable[str]) -> str:
    """Return the prefix before the student's name in the names of repositories, such as `hw1-`.

    A single repository has no prefix, because its name alone does not show where a prefix ends.
    """
    names = list(repositories)
    if len(names) < 2:
        return ""
    prefix = ""
    for characters in zip(*names, strict=False):
        if len({*characters}) > 1:
            break
        prefix += characters[0]
    return prefix[: prefix.rfind("-") + 1]


def _home(names: Iterable[str], stages: set[str]) -> str:
    """Return the path above the students' folders, such as `class/` or `course/submitted/`.

    Go down while everything is in one folder. A folder that directly holds stages' folders is a
    student's. Any other folder is above the students in three cases: it is nbgrader's `submitted`,
    it holds several folders, or it has stages' folders two levels below.
    """
    home = ""
    while True:
        paths = [name.removeprefix(home).split("/") for name in names]
        top, *others = {path[0] for path in paths}
        if others or any(len(path) < 3 for path in paths):
            return home
        below = {path[1] for path in paths}
        if below & stages:
            return home
        stages_below = any(len(path) > 3 and path[2] in stages for path in paths)
        if top != NBGRADER and len(below) < 2 and not stages_below:
            return home
        home += f"{top}/"


def _text(archive: Archive, path: str) -> str:
    """Return the file's text as one line, "" if it cannot be read."""
    try:
        return safe_line(archive.files.read(path, 1000).decode())
    except (Unreadable, UnicodeDecodeError):
        return ""


def _valid_time(text: str) -> str:
    """Return the text if it is a time, else ""."""
    try:
        parse_time(text)
    except (ValueError, OverflowError):
        return ""
    return text
