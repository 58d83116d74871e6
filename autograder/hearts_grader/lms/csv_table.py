"""A table that an instructor downloaded, read and written back in its own format."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from hearts_course.errors import UsageError
from hearts_course.text import is_formula, safe_cell

MAX_BYTES = 50 * 2**20
BYTE_ORDER_MARK = "\ufeff"
SEPARATORS = ",;\t"

Row = tuple[str, ...]


@dataclass(frozen=True)
class CsvTable:
    """A table, whose first row holds the titles of its columns, and the format of its file.

    `aliases` says what other title a column goes by, such as its title in English.
    """

    name: str
    rows: tuple[Row, ...]
    separator: str = ","
    marked: bool = False
    ending: str = "\n"
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def header(self) -> Row:
        """The titles of the columns."""
        return self.rows[0]

    @cached_property
    def titles(self) -> Row:
        """The titles to search by: aliases where there are any, in lower case."""
        bare = (title.strip() for title in self.header)
        return tuple(self.aliases.get(title, title).casefold() for title in bare)

    def cell(self, row: int, column: int | None) -> str:
        """Return the cell's text; "" if the row is too short or `column` is None."""
        cells = self.rows[row]
        return cells[column] if column is not None and column < len(cells) else ""

    def column(self, *titles: str) -> int | None:
        """Return the first column with one of these titles, in lower case, or None."""
        return next((self.titles.index(title) for title in titles if title in self.titles), None)

    def with_cells(self, column: int, texts: Mapping[int, str]) -> "CsvTable":
        """Return the table with other texts in some rows of a column."""
        rows = list(self.rows)
        for i, text in texts.items():
            row = [*rows[i], *[""] * (column + 1 - len(rows[i]))]
            row[column] = text
            rows[i] = tuple(row)
        return replace(self, rows=tuple(rows))

    @property
    def formulas(self) -> int:
        """How many cells a spreadsheet would execute."""
        return sum(is_formula(cell) for row in self.rows for cell in row)

    def as_text(self) -> str:
        """Return the file's content; formulas in it are made harmless."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, delimiter=self.separator, lineterminator=self.ending)
        writer.writerows([safe_cell(cell) for cell in row] for row in self.rows)
        return (BYTE_ORDER_MARK if self.marked else "") + buffer.getvalue()


def read_table(path: Path, aliases: Mapping[str, str] = MappingProxyType({})) -> CsvTable:
    """Return the table in the file; raise UsageError if it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; name the table that you downloaded") from None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path}: too big for a class's table; is it the file you downloaded?")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(
            f"{path}: not UTF-8 text; download it again as CSV, or save it as `CSV UTF-8`"
        ) from None
    marked = text.startswith(BYTE_ORDER_MARK)
    text = text.removeprefix(BYTE_ORDER_MARK)
    first = io.StringIO(text, newline="").readline()
    try:
        widths = {s: len(next(csv.reader([first], delimiter=s), ())) for s in SEPARATORS}
        separator = max(SEPARATORS, key=widths.__getitem__)
        rows = tuple(map(tuple, csv.reader(io.StringIO(text, newline=""), delimiter=separator)))
    except csv.Error as error:
        raise UsageError(f"{path}: not CSV ({error}); download it again") from None
    if not rows or len(rows[0]) < 2:
        raise UsageError(
            f"{path}: not a table; a CSV with column titles in its first row is needed"
        )
    ending = "\r\n" if first.endswith("\r\n") else "\n"
    return CsvTable(path.name, rows, separator, marked, ending, aliases)
