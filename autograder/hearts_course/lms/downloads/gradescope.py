"""Gradescope: a folder for each submission, and a list of who handed it in.

    assignment_7_export/submission_9/cards.py
    assignment_7_export/submission_metadata.yml

A group's submission is each of its members'.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hearts_course.errors import CourseError, UsageError
from hearts_course.lms.archive import Archive
from hearts_course.lms.attempt import Attempt, Download, HandedFile, Who, padded, told
from hearts_course.submissions.model import Unreadable
from hearts_course.text import safe_line

METADATA = "submission_metadata.yml"
EXPORT = "assignment_"
MAX_METADATA = 100 * 2**20


def look(crate: Archive) -> Download | None:
    """What the crate holds, None if it is laid out in another way."""
    home = _home(crate.names)
    if home is None:
        return None
    listing = f"{home}{METADATA}"
    listed = _yaml(crate, listing)
    people = _submitters(listed)
    folders: dict[str, list[HandedFile]] = {}
    lost = []
    for name in crate.names:
        folder, _, own = name.removeprefix(home).partition("/")
        if name == listing:
            continue
        if own and folder in people:
            folders.setdefault(folder, []).append(HandedFile(name, own))
        else:
            lost.append(f"{safe_line(name)}: {METADATA} does not say whose it is")
    handed = [
        Attempt(who, tuple(pieces), padded(folder), when=_when(listed[folder]))
        for folder, pieces in folders.items()
        for who in people[folder]
    ]
    return Download("Gradescope", tuple(handed), True, tuple(lost))


def _home(names: Sequence[str]) -> str | None:
    """The folder of the listing and of all else; None if there is none.

    Beside the submissions no student can put a file, and one in a student's folder says nothing.
    """
    if METADATA in names:
        return ""
    home = f"{names[0].partition('/')[0]}/"
    lone = home.startswith(EXPORT) and all(name.startswith(home) for name in names)
    return home if lone and f"{home}{METADATA}" in names else None


def _submitters(listed: Mapping[str, Any]) -> dict[str, list[Who]]:
    """Who handed in what, by folder; several for a group."""
    people: dict[str, list[Who]] = {}
    for folder, data in listed.items():
        told = data.get(":submitters") if isinstance(data, dict) else None
        for one in told if isinstance(told, list) else []:
            if isinstance(one, dict):
                name, sid, address = (str(one.get(f":{k}") or "") for k in ("name", "sid", "email"))
                people.setdefault(folder, []).append(Who(name, sid, address))
    return people


def _when(data: Mapping[str, Any]) -> str:
    return told(str(data.get(":created_at")))


def _yaml(crate: Archive, listing: str) -> Mapping[str, Any]:
    try:
        import yaml
    except ImportError:
        install = "pip install 'hearts-course[grade]'"
        raise CourseError(f"Gradescope's archives need PyYAML; run `{install}`") from None

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Plain values only; what Ruby writes beside them is None."""

    Loader.add_multi_constructor("", lambda loader, suffix, node: None)
    try:
        data = yaml.load(crate.read(listing, MAX_METADATA), Loader)
    except (yaml.YAMLError, Unreadable, ValueError, RecursionError) as error:
        line = " ".join(str(error).split())
        raise UsageError(f"{crate.name}: {METADATA} cannot be read ({line[:80]})") from None
    if not isinstance(data, dict):
        raise UsageError(f"{crate.name}: {METADATA} lists no submissions; download it again")
    return {str(folder): told_of for folder, told_of in data.items()}
