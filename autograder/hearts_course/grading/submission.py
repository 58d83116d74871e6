"""What a student handed in, read without running it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

NOTHING = "nothing was handed in"


@dataclass(frozen=True)
class Submission:
    """One student's program for one stage: module name to source text.

    `problem` is the verdict of a submission that could not be read, and then `modules` is empty;
    `note` is something the student should know about one that could. `earlier` are the student's
    own modules of the stages that this one builds on, as far as they could be read.
    """

    student: str
    stage: str
    modules: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    note: str = ""
    earlier: Mapping[str, str] = field(default_factory=dict)


class Unreadable(Exception):
    """A submission that cannot be read; the text is one line that tells the student what to do."""
