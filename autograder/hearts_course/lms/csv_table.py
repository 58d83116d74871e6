"""A table that an instructor downloaded, read as it is and written back as it was.

Sheet        its rows, and how its file is written
read_sheet   the table in a file
"""

import csv
import io
from dataclasses import dataclass, replace
from pathlib import Path

from hearts_course.errors import UsageError
from hearts_course.text import is_formula, safe_cell

MOST = 50 * 2**20  # bytes
MARK = "\ufeff"
SEPARATORS = ",;\t"

Row = tuple[str, ...]


@dataclass(frozen=True)
class CsvTable:
    """A table: the first row names the columns. `name` is the file's."""

    name: str
    rows: tuple[Row, ...]
    separator: str = ","
    marked: bool = False
    ending: str = "\n"

    @property
    def header(self) -> Row:
        """The names of the columns."""
        return self.rows[0]

    def cell(self, row: int, column: int | None) -> str:
        """The cell's text; "" where a row is short, or there is no such column."""
        cells = self.rows[row]
        return cells[column] if column is not None and column < len(cells) else ""

    def column(self, *names: str) -> int | None:
        """The first column with one of these names, in any case; None if there is none."""
        folded = [cell.strip().casefold() for cell in self.header]
        return next((folded.index(name) for name in names if name in folded), None)

    def with_cells(self, column: int, texts: dict[int, str]) -> "CsvTable":
        """The table with other texts in some rows of a column."""
        return replace(
            self, rows=tuple(_with(row, column, texts.get(i)) for i, row in enumerate(self.rows))
        )

    @property
    def formulas(self) -> int:
        """How many of its cells a spreadsheet would execute."""
        return sum(is_formula(cell) for row in self.rows for cell in row)

    def as_text(self) -> str:
        """The file's content; no cell of it is a formula to a spreadsheet."""
        buffer = io.StringIO()
        table = csv.writer(buffer, delimiter=self.separator, lineterminator=self.ending)
        table.writerows([safe_cell(cell) for cell in row] for row in self.rows)
        return (MARK if self.marked else "") + buffer.getvalue()


def _with(row: Row, column: int, text: str | None) -> Row:
    if text is None:
        return row
    padded = (*row, *[""] * (column + 1 - len(row)))
    return (*padded[:column], text, *padded[column + 1 :])


def read_sheet(path: Path) -> CsvTable:
    """The table in the file; raises UsageError, with what mends it, for what is none."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; name the table that you downloaded") from None
    if len(data) > MOST:
        raise UsageError(f"{path}: too big for a class's table; is it the file you downloaded?")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(
            f"{path}: no UTF-8 text; download it again as CSV, or save it as `CSV UTF-8`"
        ) from None
    return replace(_table(path, text.removeprefix(MARK)), marked=text.startswith(MARK))


def _table(path: Path, text: str) -> CsvTable:
    first = io.StringIO(text, newline="").readline()
    try:
        separator = _separator(first)
        rows = tuple(map(tuple, csv.reader(io.StringIO(text, newline=""), delimiter=separator)))
    except csv.Error as error:
        raise UsageError(f"{path}: no CSV ({error}); download it again") from None
    if not rows or len(rows[0]) < 2:
        raise UsageError(
            f"{path}: no table; a CSV with names of columns in its first row is needed"
        )
    ending = next((ending for ending in ("\r\n", "\r") if first.endswith(ending)), "\n")
    return CsvTable(path.name, rows, separator, ending=ending)


def _separator(header: str) -> str:
    """Whatever parts the header into most cells."""
    widths = {mark: len(next(csv.reader([header], delimiter=mark), ())) for mark in SEPARATORS}
    return max(widths, key=lambda mark: widths[mark])
