"""The class as a table for a gradebook or a spreadsheet.

grades_csv   the table
"""

import csv
import io
from collections.abc import Iterable

from hearts_course.grading.results import Result

COLUMNS = ("student", "stage", "score", "max_score", "status")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def grades_csv(results: Iterable[Result]) -> str:
    """The table of results; no cell of it is a formula to a spreadsheet."""
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(COLUMNS)
    for r in results:
        table.writerow([_plain(r.student), _plain(r.stage), r.score, r.max_score, r.status.value])
    return buffer.getvalue()


def _plain(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell
