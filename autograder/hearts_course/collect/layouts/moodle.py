"""Moodle: a folder for each student, or in older ones no folders.

    Ada Lovelace_501_assignsubmission_file/cards.py     (with a `_` at the end in older ones)
    Ada Lovelace_501_assignsubmission_file_cards.py

The number is a participant's, and another in each assignment.
"""

import re

from hearts_course.collect.crate import Crate
from hearts_course.collect.handed import TYPED, Handed, Load, Piece, Who, latest
from hearts_course.grading.safe import safe_line

NAMED = re.compile(
    r"(?P<name>[^/]+)_(?P<user>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_?/|_)(?P<own>.+)",
    re.DOTALL,
)


def look(crate: Crate) -> Load | None:
    """What the crate holds, None if it is laid out in another way."""
    found: dict[tuple[str, str], list[Piece]] = {}
    lost = []
    for name in crate.names:
        match = NAMED.search(name)
        if match is None:
            lost.append(f"{safe_line(name)}: not named as Moodle names files")
        elif match["kind"] != "file":
            lost.append(f"{safe_line(match['name'])}: {TYPED}")
        else:
            person = (match["name"], match["user"])
            found.setdefault(person, []).append(Piece(name, match["own"]))
    named = sum(map(len, found.values())) + sum(TYPED in line for line in lost)
    if 2 * named <= len(crate.names):  # a student's folder may be called so by chance
        return None
    handed = [
        Handed(Who(name, number, lasting=False), tuple(pieces), latest(crate, pieces))
        for (name, number), pieces in found.items()
    ]
    return Load("Moodle", tuple(handed), True, tuple(lost))
