"""Points that people give in files of the grades' folder; they win over a gradebook's points.

    GRADES/overrides.csv   student,stage,task,points,because      by `hearts case --give`
    GRADES/manual/*.csv    student,stage,title,points,comment     by `hearts export --to manual`

A row with an empty cell of points has no effect. A second reading, in `*-second.csv`, never
counts: it is only compared with the first reading.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.files import write_whole

from hearts_grader.grading.final_scores import CHECK, MANUAL, GradebookEntry
from hearts_grader.grading.late_policy import Name
from hearts_grader.grading.store import Store
from hearts_grader.lms.csv_table import CsvTable, read_table

OVERRIDES = ("student", "stage", "task", "points", "because")
MANUAL_POINTS = ("student", "stage", "title", "points", "comment")
SECOND = "-second"  # the end of the name of a file with second readings


@dataclass(frozen=True)
class Given:
    """Points that a person gave a student for a task, and the person's words about them.

    `points` is None while there are no points. `what` is the task's title or id as the person wrote
    it, and `cell` is the name of the task's cell in the gradebook.
    """

    student: str
    stage: str
    what: str
    cell: str
    points: float | None
    words: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Student, stage and cell."""
        return self.student, self.stage, self.cell


def read_given(store: Store, course: Course) -> dict[Name, GradebookEntry]:
    """Map student and stage to the points and reasons in all files.

    Raise UsageError for an invalid row.
    """
    rows = [*read_manual(store, course), *read_overrides(store.overrides, course)]
    points: dict[Name, dict[str, float]] = {}
    reasons: dict[Name, dict[str, str]] = {}
    for row in rows:
        if row.points is not None:
            name = row.student, row.stage
            points.setdefault(name, {})[row.cell] = row.points
            reasons.setdefault(name, {})[row.cell] = row.words
    return {name: GradebookEntry(given=points[name], reasons=reasons[name]) for name in points}


def read_overrides(path: Path, course: Course) -> list[Given]:
    """Return the points that a person gave for tasks in place of the autograder's."""
    return list(_rows(path, course, OVERRIDES)) if path.exists() else []


def read_manual(store: Store, course: Course) -> list[Given]:
    """Return the manual points of first readings.

    Raise UsageError if two files give different points for the same cell of a student.
    """
    readings: dict[tuple[str, str, str], tuple[Given, Path]] = {}
    for path in sorted(store.manual.glob("*.csv")):
        if path.stem.endswith(SECOND):
            continue
        for row in _rows(path, course, MANUAL_POINTS):
            earlier, place = readings.get(row.key, (row, path))
            both_given = earlier.points is not None and row.points is not None
            if both_given and earlier.points != row.points:
                whose = f"{row.student} {row.stage} {row.what!r}"
                both = f"{earlier.points:g} in {place.name} and {row.points:g} in {path.name}"
                raise UsageError(f"{store.manual}: {whose} has {both}; correct one")
            if row.key not in readings or earlier.points is None:
                readings[row.key] = row, path
    return [row for row, _ in readings.values()]


def read_table_of(path: Path, course: Course) -> list[Given]:
    """Return the rows of the table in which one reader gives manual points."""
    return list(_rows(path, course, MANUAL_POINTS))


def write_overrides(path: Path, rows: list[Given]) -> Path:
    """Write the file of overrides; raise CourseError if that fails."""
    return write_whole(path, as_table(path.name, OVERRIDES, rows))


def as_table(name: str, titles: tuple[str, ...], rows: list[Given]) -> str:
    """Return the rows as a table, sorted by stage, title and student."""
    lines = []
    for row in sorted(rows, key=lambda row: (row.stage, row.what, row.student)):
        points = "" if row.points is None else f"{row.points:g}"
        lines.append((row.student, row.stage, row.what, points, row.words))
    return CsvTable(name, (titles, *lines)).as_text()


def cells_of(stage: Stage) -> Mapping[str, tuple[str, int]]:
    """Map each name that a person may write to a cell's name and maximum points in nbgrader.

    A person may write the id of a task, or the title or the id of a manual task.
    """
    cells = {task.id: (f"{CHECK}{task.id}", task.points) for task in stage.tasks}
    for manual in stage.manual:
        for what in (manual.title, manual.id):
            cells[what] = f"{MANUAL}{manual.id}", manual.points
    return cells


def _rows(path: Path, course: Course, titles: tuple[str, ...]) -> Iterator[Given]:
    """Yield the rows of a file.

    If a row is invalid, raise UsageError with its place in the file.
    """
    table = read_table(path)
    columns = [table.column(title) for title in titles]
    if None in columns[:4]:
        raise UsageError(f"{path}: needs the columns {', '.join(titles)}")
    stages = {stage.name: cells_of(stage) for stage in course.stages}
    for number in range(1, len(table.rows)):
        cells = [table.cell(number, column).strip() for column in columns]
        # Exported cells may begin with an apostrophe, so that no spreadsheet executes a formula.
        student, stage, what, text, words = (cell.removeprefix("'") for cell in cells)
        if not (student or stage or what):
            continue
        where = f"{path}, row {number + 1}"
        if stage not in stages:
            raise UsageError(f"{where}: no stage is called {stage!r}")
        if what not in stages[stage]:
            raise UsageError(f"{where}: {stage} has nothing called {what!r} to give points for")
        cell, most = stages[stage][what]
        yield Given(student, stage, what, cell, _points(where, text, most), words)


def _points(where: str, text: str, most: int) -> float | None:
    """Return the points in a cell, None for an empty one; raise UsageError if they are invalid."""
    if not text:
        return None
    try:
        points = float(text.replace(",", "."))
    except ValueError:
        raise UsageError(f"{where}: {text!r} is not a number of points") from None
    if not 0 <= points <= most:
        raise UsageError(f"{where}: {text} points; write 0 to {most}")
    return points
