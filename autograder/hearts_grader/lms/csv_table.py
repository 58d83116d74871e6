"""Read a table that an instructor downloaded, and write it back in the same format."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from hearts_course.errors import UsageError

from hearts_grader.safe_csv import as_csv, is_formula

MAX_BYTES = 50 * 2**20  # far above any class's table: a larger file was named by mistake
BYTE_ORDER_MARK = "\ufeff"
SEPARATORS = ",;\t"

Row = tuple[str, ...]


@dataclass(frozen=True)
class CsvTable:
    """A table and the format of its file; the first row holds the titles of the columns.

    A platform takes a table back only in the format that it wrote. The format is the `separator`,
    the `ending` of the lines, and whether the file is `marked` by a byte order mark. `aliases` maps
    titles to other titles by which a column is found, such as the English title.
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
        titles = []
        for title in map(str.strip, self.header):
            titles.append(self.aliases.get(title, title).casefold())
        return tuple(titles)

    def cell(self, row: int, column: int | None) -> str:
        """Return the cell's text; "" if the row is too short or `column` is None.

        `column` is None if the table lacks the column, so all its cells are empty.
        """
        cells = self.rows[row]
        if column is None or column >= len(cells):
            return ""
        return cells[column]

    def column(self, *titles: str) -> int | None:
        """Return the number of the first of these columns that the table has, or None.

        Write the titles in lower case, and the preferred one first.
        """
        for title in titles:
            if title in self.titles:
                return self.titles.index(title)
        return None

    def with_cells(self, column: int, texts: Mapping[int, str]) -> "CsvTable":
        """Return the table with new texts in a column; `texts` maps row numbers to these texts.

        A row that ends before the column gets empty cells up to the column.
        """
        rows = list(self.rows)
        for number, text in texts.items():
            cells = list(rows[number])
            cells += [""] * (column + 1 - len(cells))
            cells[column] = text
            rows[number] = tuple(cells)
        return replace(self, rows=tuple(rows))

    @property
    def formulas(self) -> int:
        """How many cells a spreadsheet would execute."""
        return sum(map(is_formula, chain.from_iterable(self.rows)))

    def as_text(self) -> str:
        """Return the file's content; formulas in it are made harmless."""
        text = as_csv(self.rows, separator=self.separator, ending=self.ending)
        return f"{BYTE_ORDER_MARK}{text}" if self.marked else text


def read_table(path: Path, aliases: Mapping[str, str] = MappingProxyType({})) -> CsvTable:
    """Return the table in the file; raise UsageError if it cannot be read.

    The separator and the lines' ending are guessed from the first line, which has the titles.
    """
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
        separator = max(SEPARATORS, key=lambda separator: _cell_count(first, separator))
        rows = tuple(map(tuple, csv.reader(io.StringIO(text, newline=""), delimiter=separator)))
    except csv.Error as error:
        raise UsageError(f"{path}: not CSV ({error}); download it again") from None
    if not rows or len(rows[0]) < 2:
        raise UsageError(
            f"{path}: not a table; a CSV with column titles in its first row is needed"
        )
    ending = "\r\n" if first.endswith("\r\n") else "\n"
    return CsvTable(path.name, rows, separator, marked, ending, aliases)


def _cell_count(line: str, separator: str) -> int:
    """Return how many cells the line has with this separator."""
    return len(next(csv.reader([line], delimiter=separator), ()))
