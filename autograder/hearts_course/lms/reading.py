"""A student's files, read from a crate.

Reader   reads them, and keeps a line for each that cannot be
"""

from collections.abc import Collection

from hearts_course.lms.archive import Archive
from hearts_course.lms.attempt import Attempt, HandedFile
from hearts_course.lms.attempt_files import safe_path
from hearts_course.lms.stages import File, Sorter
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.read import MAX_ZIP
from hearts_course.submissions.untrusted import TIMESTAMP
from hearts_course.text import safe_line

MAX_FILES = 100
MAX_BYTES = 20 * 2**20


class Reader:
    """Reads files of a crate; `notes` and `lost` grow by a line for what is left out."""

    def __init__(self, crate: Archive, sorter: Sorter, notes: list[str], lost: list[str]) -> None:
        """Nothing is read yet."""
        self.crate, self.sorter, self.notes, self.lost = crate, sorter, notes, lost

    def files(self, handed: Attempt, name: str) -> list[File]:
        """The files that can be read, the latest of those that get one name."""
        found: dict[str, File] = {}
        plain = {piece.name for piece in handed.pieces}
        room = MAX_BYTES
        for piece in sorted(handed.pieces, key=lambda piece: (piece.number, piece.path)):
            if len(found) >= MAX_FILES or room <= 0:
                self.lost.append(f"{name}: more than a program; the rest was left out")
                break
            tidy = self._tidy(piece, plain)
            if tidy.rpartition("/")[2] == TIMESTAMP:  # when it came is not the student's to say
                continue
            data = self._read(piece, name)
            if data is None:
                continue
            room -= len(data)
            if tidy in found:
                self.notes.append(f"{name}: {safe_line(piece.name)} counts, uploaded last")
            found[tidy] = File(piece.path, tidy, piece.number, data)
        return list(found.values())

    def _tidy(self, piece: HandedFile, plain: Collection[str]) -> str:
        tidy = self.sorter.tidy(piece.name)
        taken = tidy != piece.name and tidy in plain and not piece.number
        return safe_path(piece.name if taken else tidy)

    def _read(self, piece: HandedFile, name: str) -> bytes | None:
        try:
            return self.crate.read(piece.path, MAX_ZIP)
        except Unreadable as problem:
            self.lost.append(f"{name}: {safe_line(str(problem))}")
            return None
