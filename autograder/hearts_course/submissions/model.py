"""The values of a submission, and the errors raised if a submission cannot be read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase

from hearts_course.course import Stage
from hearts_course.notebook import CellText, place_in_cells
from hearts_course.text import listed

EARLIER = "earlier"  # folder in a zip for the student's modules of earlier stages
ANSWERS = "answers.md"  # the student's answers, in a section `## NN-name` for each stage
RECEIPT_LETTERS = 10  # few, because people compare receipts by eye
STILL_STARTER = "still the starter as it was handed out"


@dataclass(frozen=True)
class Submission:
    """One student's program for one stage: module name to source text.

    `problem` says why the program cannot be read, or why it is `missing`; then `modules` is empty.
    `note` is a remark for the student about a submission that was read. `earlier` holds the
    student's own modules of earlier stages; modules that cannot be read are left out. `pieces` says
    which notebook cell each line comes from; it is empty for a program in files. `answers` is what
    the student wrote on the stage's question for discussion. `digest` is a hash of the program, the
    answers and the modules packed with them; it is "" if there is no program.
    """

    student: str
    stage: str
    modules: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    note: str = ""
    earlier: Mapping[str, str] = field(default_factory=dict)
    pieces: tuple[CellText, ...] = ()
    missing: bool = False
    answers: str = ""
    digest: str = ""

    @property
    def receipt(self) -> str:
        """Ten letters made from the digest, which people can compare.

        A tool must compare the whole digest. Otherwise a student could make two programs with the
        same receipt, submit one in time, and replace it by the other after the deadline.
        """
        first = bytes.fromhex(self.digest)[:RECEIPT_LETTERS]
        return "".join(ascii_lowercase[byte % 26] for byte in first)

    def place(self, module: str, line: int) -> tuple[str, int]:
        """Return where the student finds a line of a module: the file or cell, and the line."""
        return place_in_cells(self.pieces, module, line) or (f"{module}.py", line)


class Unreadable(Exception):
    """Raised for a submission that cannot be read; the text tells the student what to do."""


class NothingSubmitted(Unreadable):
    """Nothing was handed in, or only an empty folder."""

    def __init__(self, stage: Stage) -> None:
        expected = expected_files(stage)
        super().__init__(f"nothing was handed in for {stage.name}; expected {expected}")


def expected_files(stage: Stage) -> str:
    """Return the names of the files that a student hands in for the stage, in words."""
    files = listed(stage.files)
    if len(stage.files) > 1:
        files += ","  # in "a.py and b.py, or ..." the comma shows that both are needed
    return f"{files} or {stage.name}.ipynb"
