"""A submission as values, and the errors of one that cannot be read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase

from hearts_course.course import Stage
from hearts_course.notebook import CellText, place_in_cells
from hearts_course.text import listed

EARLIER = "earlier"  # in a zip, the folder of the modules of earlier stages that the program uses
ANSWERS = "answers.md"  # with a section `## NN-name` for each stage
RECEIPT_LETTERS = 10  # people compare them, so there are few
STILL_STARTER = "still the starter as it was handed out"


@dataclass(frozen=True)
class Submission:
    """One student's program for one stage: module name to source text.

    `problem` says why it cannot be read or is `missing`; then `modules` is empty. `note` is a
    remark for the student about a submission that was read. `earlier` are the student's own modules
    of the stages below, as far as they can be read. `pieces` are the lines of each notebook cell;
    there are none for a program in files. `answers` is what the student wrote on the stage's
    question for discussion. `digest` stands for all that was read; it is "" if there is no program.
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
        """Ten letters of the digest, for people to compare; a program compares the whole digest.

        Students can make two programs with the same ten letters, and hand in the second one late.
        """
        first = bytes.fromhex(self.digest)[:RECEIPT_LETTERS]
        return "".join(ascii_lowercase[byte % 26] for byte in first)

    def place(self, module: str, line: int) -> tuple[str, int]:
        """Return the file or cell in which the student finds a line of a module, and its number."""
        return place_in_cells(self.pieces, module, line) or (f"{module}.py", line)


class Unreadable(Exception):
    """A submission that cannot be read; the text is one line that tells the student what to do."""


class NothingSubmitted(Unreadable):
    """Nothing was handed in, or only an empty folder."""

    def __init__(self, stage: Stage) -> None:
        expected = expected_files(stage)
        super().__init__(f"nothing was handed in for {stage.name}; expected {expected}")


def expected_files(stage: Stage) -> str:
    """Return the names of the files that a student hands in for the stage, in words."""
    files = listed(stage.files)
    if len(stage.files) > 1:
        files += ","  # "a.py and b.py, or ..." leaves no doubt that both are meant
    return f"{files} or {stage.name}.ipynb"
