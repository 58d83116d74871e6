"""The class as a table for a gradebook or a spreadsheet.

grades_csv   the table
"""

from collections.abc import Iterable

from hearts_course.reports.tables import as_csv
from hearts_course.results import Result

COLUMNS = ("student", "stage", "score", "max_score", "status")


def grades_csv(results: Iterable[Result]) -> str:
    """The table of results; no cell of it is a formula to a spreadsheet."""
    rows = ((one.student, one.stage, one.score, one.max_score, one.status) for one in results)
    return as_csv(COLUMNS, rows)
