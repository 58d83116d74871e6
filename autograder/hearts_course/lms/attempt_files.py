"""A student's files for a stage, as they are placed.

Done        what became of an attempt
Origin      where one that was placed comes from
Attempt     the files, and where they come from
safe_path   a path in a student's folder
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from hearts_course.grading.cache import digest
from hearts_course.text import safe_name


class Done(StrEnum):
    """What became of an attempt."""

    PLACED = "placed"
    REPLACED = "placed, in place of another"
    UNCHANGED = "there already"
    OLDER = "older than what is there"


@dataclass(frozen=True)
class AttemptSource:
    """Where the files of a stage come from: `plain` is the student's own name, `order` sorts
    attempts of one platform, `late` is its mark.
    """

    digest: str
    platform: str
    order: str
    source: str
    plain: str
    late: bool = False


@dataclass(frozen=True)
class PlacedFiles:
    """A student's files for a stage, by their paths in its folder.

    `when` is the time that the platform tells, "" if it tells none; `late` is its own mark.
    """

    student: str
    stage: str
    files: Mapping[str, bytes]
    platform: str
    order: str
    source: str
    plain: str
    when: str
    late: bool = False

    @property
    def digest(self) -> str:
        """Of names and contents."""
        return digest(*(part for name in sorted(self.files) for part in (name, self.files[name])))

    @property
    def origin(self) -> AttemptSource:
        """Where they come from."""
        return AttemptSource(
            self.digest, self.platform, self.order, self.source, self.plain, self.late
        )


def safe_path(name: str) -> str:
    """The path of a student's file in its folder: no part of it leads elsewhere."""
    parts = [safe_name(part) for part in name.split("/") if part not in ("", ".")]
    return "/".join(parts[-3:])
