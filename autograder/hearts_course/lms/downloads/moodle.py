"""Moodle: a folder for each student, or in older ones no folders.

    Ada Lovelace_501_assignsubmission_file/cards.py     (with a `_` at the end in older ones)
    Ada Lovelace_501_assignsubmission_file_cards.py

The number is a participant's, and another in each assignment.
"""

import re

from hearts_course.lms.archive import Archive
from hearts_course.lms.attempt import TYPED, Attempt, Download, HandedFile, Who, latest
from hearts_course.text import safe_line

NAMED = re.compile(
    r"(?P<name>[^/]+)_(?P<user>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_?/|_)(?P<own>.+)",
    re.DOTALL,
)


def look(crate: Archive) -> Download | None:
    """What the crate holds, None if it is laid out in another way."""
    found: dict[tuple[str, str], list[HandedFile]] = {}
    lost = []
    for name in crate.names:
        match = NAMED.search(name)
        if match is None:
            lost.append(f"{safe_line(name)}: not named as Moodle names files")
        elif match["kind"] != "file":
            lost.append(f"{safe_line(match['name'])}: {TYPED}")
        else:
            person = (match["name"], match["user"])
            found.setdefault(person, []).append(HandedFile(name, match["own"]))
    named = sum(map(len, found.values())) + sum(TYPED in line for line in lost)
    if 2 * named <= len(crate.names):  # a student's folder may be called so by chance
        return None
    handed = [
        Attempt(Who(name, number, lasting=False), tuple(pieces), latest(crate, pieces))
        for (name, number), pieces in found.items()
    ]
    return Download("Moodle", tuple(handed), True, tuple(lost))
