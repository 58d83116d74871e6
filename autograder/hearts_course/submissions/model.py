"""What a student handed in, read without running it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hearts_course.notebook import CellText


@dataclass(frozen=True)
class Submission:
    """One student's program for one stage: module name to source text.

    `problem` is the verdict of a submission that could not be read or, where it is `missing`, was
    never handed in; then `modules` is empty.
    `note` is something the student should know about one that could. `earlier` are the student's
    own modules of the stages that this one builds on, as far as they could be read. `pieces` says
    where in a notebook the lines are; it is empty for a program in files.
    """

    student: str
    stage: str
    modules: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    note: str = ""
    earlier: Mapping[str, str] = field(default_factory=dict)
    pieces: tuple[CellText, ...] = ()
    missing: bool = False

    def place(self, module: str, line: int) -> tuple[str, int]:
        """Where the student finds a line of a module, and its number there."""
        for piece in self.pieces:
            if piece.module == module and piece.first <= line <= piece.last:
                return f"cell {piece.cell}", piece.line(line)
        return f"{module}.py", line


class Unreadable(Exception):
    """A submission that cannot be read; the text is one line that tells the student what to do."""
