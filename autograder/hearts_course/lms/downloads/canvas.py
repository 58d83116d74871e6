"""Canvas: one folder, and all that matters in the names of its files.

    lovelaceada_1201_88001_cards.py
    lovelaceada_LATE_1201_88001_cards-1.py
    LATE_anon_a1B2c_88001_cards.py               in an anonymous assignment

The first number is the student's, the second the file's, which grows. `-1` is Canvas's own, for a
second upload of one name. Names are in lower case, so `LATE` is always Canvas's mark. In an
anonymous assignment five letters and digits of base 58 stand for the student.
"""

import re

from hearts_course.lms.archive import Archive
from hearts_course.lms.attempt import TYPED, Attempt, Download, HandedFile, Who, padded
from hearts_course.text import safe_line

STUDENT = r"(?P<name>.*?)(?P<late>_LATE)?_(?P<user>\d+)"
UNKNOWN = r"(?P<name>)(?P<late>LATE_)?anon_(?P<user>[1-9A-HJ-NP-Za-km-z]{5})"
WHO = (UNKNOWN, STUDENT)
FILE = r"_(?P<file>\d+)_(?P<own>.+)"
TEXT = r"_(?:text|link)\.html"


def look(crate: Archive) -> Download | None:
    """What the crate holds, None if it is laid out in another way."""
    found: dict[tuple[str, str], list[HandedFile]] = {}
    late: set[HandedFile] = set()
    lost = []
    for name in crate.names:
        file = name.rpartition("/")[2]
        if match := _match(file, FILE):
            piece = HandedFile(name, match["own"], int(match["file"][:30]))
            found.setdefault((_name(match), match["user"]), []).append(piece)
            if match["late"]:
                late.add(piece)
        elif typed := _match(file, TEXT):
            lost.append(f"{safe_line(_name(typed))}_{typed['user']}: {TYPED}")
        else:
            lost.append(f"{safe_line(name)}: not named as Canvas names files")
    named = sum(map(len, found.values())) + sum(TYPED in line for line in lost)
    if 2 * named <= len(crate.names):  # a student's file may be called so by chance
        return None
    handed = []
    for (name, number), pieces in found.items():
        last = max(pieces, key=lambda piece: piece.number)
        order = padded(str(last.number))
        handed.append(Attempt(Who(name, number), tuple(pieces), order, late=last in late))
    return Download("Canvas", tuple(handed), True, tuple(lost))


def _match(file: str, rest: str) -> re.Match[str] | None:
    return next(filter(None, (re.fullmatch(who + rest, file, re.DOTALL) for who in WHO)), None)


def _name(match: re.Match[str]) -> str:
    return match["name"] or "anonymous"
