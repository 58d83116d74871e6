"""Canvas: one folder, and all that matters in the names of its files.

    lovelaceada_1201_88001_cards.py
    lovelaceada_LATE_1201_88001_cards-1.py

The first number is the student's, the second the file's, which grows. `-1` is Canvas's own, for a
second upload of one name.
"""

import re

from hearts_course.collect.crate import Crate
from hearts_course.collect.handed import TYPED, Handed, Load, Piece, Who, padded
from hearts_course.grading.safe import safe_line

NAMED = re.compile(r"(?P<name>.*?)(?:_LATE)?_(?P<user>\d+)_(?P<file>\d+)_(?P<own>.+)", re.DOTALL)
ANONYMOUS = re.compile(r"(?P<name>)(?:LATE_)?anon_?(?P<user>\w+?)_(?P<file>\d+)_(?P<own>.+)")
WRITTEN = re.compile(r"(.*?)(?:_LATE)?_(\d+)_(text|link)\.html")


def look(crate: Crate) -> Load | None:
    """What the crate holds, None if it is laid out in another way."""
    found: dict[tuple[str, str], list[Piece]] = {}
    lost = []
    for name in crate.names:
        file = name.rpartition("/")[2]
        match = ANONYMOUS.fullmatch(file) or NAMED.fullmatch(file)
        if match is not None:
            piece = Piece(name, match["own"], int(match["file"][:30]))
            found.setdefault((match["name"] or "anonymous", match["user"]), []).append(piece)
        elif typed := WRITTEN.fullmatch(file):
            lost.append(f"{safe_line(typed[1])}_{typed[2]}: {TYPED}")
        else:
            lost.append(f"{safe_line(name)}: not named as Canvas names files")
    named = sum(map(len, found.values())) + sum(TYPED in line for line in lost)
    if 2 * named <= len(crate.names):  # a student's file may be called so by chance
        return None
    handed = [
        Handed(Who(name, number), tuple(pieces), padded(str(max(p.number for p in pieces))))
        for (name, number), pieces in found.items()
    ]
    return Load("Canvas", tuple(handed), True, tuple(lost))
