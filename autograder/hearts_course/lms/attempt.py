"""One student's files of one attempt, as they lie in a crate.

Who      what a platform says of who handed them in
Piece    a file: its path in the crate, and what the student called it
Handed   an attempt
Load     what was recognised in a crate
padded   a number, so that later ones sort later
latest   when the last of some files was changed
told     when something was handed in, if that is what the text says
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hearts_course.grading.final_scores import parse_time
from hearts_course.lms.archive import Archive

TYPED = "typed into the platform, no file; ask for the file"


@dataclass(frozen=True)
class Who:
    """A student to a platform; `lasting` is whether the number is the same in every assignment."""

    name: str
    number: str = ""
    address: str = ""
    lasting: bool = True


@dataclass(frozen=True)
class HandedFile:
    """A file; `number` orders files of one name, as a platform counts them."""

    path: str
    name: str
    number: int = 0


@dataclass(frozen=True)
class Attempt:
    """An attempt; `order` sorts attempts of one platform, `stage` is what the layout calls it.

    `when` is the time that the platform tells, "" if it tells none; `late` is its own mark.
    """

    who: Who
    pieces: tuple[HandedFile, ...]
    order: str
    stage: str = ""
    when: str = ""
    late: bool = False


@dataclass(frozen=True)
class Download:
    """What was recognised; `one_assignment` is whether all of it was handed in for the same.

    `lost` are files that no student's program can be in, a line each.
    """

    platform: str
    handed: tuple[Attempt, ...]
    one_assignment: bool
    lost: tuple[str, ...] = ()


def padded(text: str) -> str:
    """The number in the text, so that later ones sort later."""
    return re.sub(r"\D", "", text).zfill(30)


def latest(crate: Archive, pieces: Iterable[HandedFile]) -> str:
    """When the last of the files was changed."""
    return max(crate.time(piece.path) for piece in pieces)


def told(text: str) -> str:
    """The text, if it says when something was handed in; else ""."""
    try:
        parse_time(text)
    except (ValueError, OverflowError):
        return ""
    return text
