"""nbgrader's exchange: a folder for each attempt.

inbound/ada+01-cards+2026-11-21 10:00:00.000000 UTC+x1/cards.py
"""

import re

from hearts_course.lms.archive import Archive
from hearts_course.lms.attempt import Attempt, Download, HandedFile, Who, told
from hearts_course.submissions.untrusted import TIMESTAMP
from hearts_course.text import safe_line

ATTEMPT = re.compile(r"[^+]+\+[^+]+\+\d{4}-\d\d-\d\d .+")


def look(crate: Archive) -> Download | None:
    """nbgrader's exchange: each attempt has a folder of its own."""
    found: dict[str, list[HandedFile]] = {}
    lost = []
    for name in crate.names:
        parts = name.split("/")
        place = next((i for i, part in enumerate(parts[:-1]) if ATTEMPT.fullmatch(part)), None)
        if place is None:
            lost.append(f"{safe_line(name)}: in no folder of nbgrader's exchange")
        elif parts[-1] != TIMESTAMP:
            own = "/".join(parts[place + 1 :])
            found.setdefault(parts[place], []).append(HandedFile(name, own))
    if 2 * len(lost) >= len(crate.names):  # a student's folder may be called so by chance
        return None
    handed = []
    for folder, pieces in found.items():
        student, stage, when, *_ = folder.split("+")
        handed.append(Attempt(Who(student), tuple(pieces), when, stage, told(when)))
    return Download("nbgrader", tuple(handed), False, tuple(lost))
