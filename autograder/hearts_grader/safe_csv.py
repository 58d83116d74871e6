"""Tables for spreadsheets, in which no cell is a formula."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

Cell = str | int | float | None
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
# A spreadsheet may also split a text at these characters, even if the file has another separator.
OTHER_SEPARATOR = re.compile(r"([;|\t])")
NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


def as_csv(rows: Iterable[Sequence[Cell]], *, separator: str = ",", ending: str = "\n") -> str:
    """Return the table as text, with a quote before each text that a spreadsheet would execute.

    Students choose their names and the names of files, so any cell may begin with `=`.
    """
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator=ending)
    for row in rows:
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return text.getvalue()


def safe_cell(cell: str) -> str:
    """Return the cell with a quote before each part that a spreadsheet would execute."""
    safe = "".join(map(_quoted, OTHER_SEPARATOR.split(cell)))
    # No part of a cell such as `=|x` is executed, but the whole cell is.
    if _is_executed(cell) and not safe.startswith("'"):
        return f"'{safe}"
    return safe


def _quoted(part: str) -> str:
    """Return a part of a cell; a formula gets a quote in front, so that it is only shown."""
    if _is_executed(part):
        return f"'{part}"
    return part


def is_formula(cell: str) -> bool:
    """Return whether a spreadsheet would execute the cell, or a part of it, as a formula."""
    return safe_cell(cell) != cell


def _is_executed(text: str) -> bool:
    """Return whether a spreadsheet would execute the text; a number or a single sign is safe."""
    bare = text.lstrip('"')
    return bare.startswith(FORMULA) and len(bare) > 1 and not NUMBER.fullmatch(bare)
