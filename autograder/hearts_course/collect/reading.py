"""A student's files, read from a crate.

Reader   reads them, and keeps a line for each that cannot be
"""

from collections.abc import Collection

from hearts_course.collect.attempts import safe_path
from hearts_course.collect.crate import Crate
from hearts_course.collect.handed import Handed, Piece
from hearts_course.collect.stages import File, Sorter
from hearts_course.grading.files import TIMESTAMP
from hearts_course.grading.reader import MAX_ZIP
from hearts_course.grading.safe import safe_line
from hearts_course.grading.submission import Unreadable

MAX_FILES = 100
MAX_BYTES = 20 * 2**20


class Reader:
    """Reads files of a crate; `notes` and `lost` grow by a line for what is left out."""

    def __init__(self, crate: Crate, sorter: Sorter, notes: list[str], lost: list[str]) -> None:
        """Nothing is read yet."""
        self.crate, self.sorter, self.notes, self.lost = crate, sorter, notes, lost

    def files(self, handed: Handed, name: str) -> list[File]:
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

    def _tidy(self, piece: Piece, plain: Collection[str]) -> str:
        tidy = self.sorter.tidy(piece.name)
        taken = tidy != piece.name and tidy in plain and not piece.number
        return safe_path(piece.name if taken else tidy)

    def _read(self, piece: Piece, name: str) -> bytes | None:
        try:
            return self.crate.read(piece.path, MAX_ZIP)
        except Unreadable as problem:
            self.lost.append(f"{name}: {safe_line(str(problem))}")
            return None
