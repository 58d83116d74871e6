"""The class as a table for a gradebook or a spreadsheet.

grades_csv   the table
"""

import csv
import io
from collections.abc import Iterable

from hearts_course.grading.results import Result
from hearts_course.grading.safe import safe_cell

COLUMNS = ("student", "stage", "score", "max_score", "status")


def grades_csv(results: Iterable[Result]) -> str:
    """The table of results; no cell of it is a formula to a spreadsheet."""
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(COLUMNS)
    for r in results:
        table.writerow(
            [safe_cell(r.student), safe_cell(r.stage), r.score, r.max_score, r.status.value]
        )
    return buffer.getvalue()
