"""The class as one table, a row a student: for a spreadsheet, or a system that takes any CSV.

table   its text
"""

from hearts_course.export.marks import Marks
from hearts_course.export.sheet import Sheet


def table(marks: Marks) -> str:
    """A column for each stage, the total, and how many points there are; empty is no result."""
    names = tuple(marks.stages)
    rows = [("student", *names, "total", "max_total")]
    most = sum(stage.most for stage, _ in marks.stages.values())
    for student in marks.students:
        results = [scores.get(student) for _, scores in marks.stages.values()]
        total = round(sum(result.score for result in results if result), 2)
        cells = (f"{result.score:g}" if result else "" for result in results)
        rows.append((student, *cells, f"{total:g}", str(most)))
    return Sheet("table", tuple(rows)).as_text()
