"""The class as one table, a row a student: for a spreadsheet, or a system that takes any CSV.

table   its text
"""

from hearts_course.lms.csv_table import CsvTable
from hearts_course.lms.marks import StageResults


def table(marks: StageResults) -> str:
    """A column for each stage, the total, and how many points there are; empty is no result."""
    names = tuple(marks.stages)
    rows = [("student", *names, "total", "max_total")]
    most = sum(stage.most for stage, _ in marks.stages.values())
    for student in marks.students:
        results = [scores.get(student) for _, scores in marks.stages.values()]
        total = round(sum(result.score for result in results if result), 2)
        cells = (f"{result.score:g}" if result else "" for result in results)
        rows.append((student, *cells, f"{total:g}", str(most)))
    return CsvTable("table", tuple(rows)).as_text()
