"""The autograder's points for one stage, as in nbgrader's gradebook: a row for each cell."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from hearts_course.course import Stage
from hearts_course.results import Result, Status

from hearts_grader.grading.final_scores import CHECK, MANUAL
from hearts_grader.grading.late_policy import Name
from hearts_grader.nbgrader.gradebook_tables import Row, Tables

Points = tuple[float | None, bool]  # the autograder's points; whether a person has to grade


class StageScores:
    """The rows of one stage: its notebook and cells, the submissions, and their points."""

    def __init__(self, tables: Tables, stage: Stage, assignment: str) -> None:
        """Keep the stage; `assignment` is the id of the stage's assignment in the gradebook."""
        self._tables = tables
        self._stage = stage
        self._assignment = assignment

    def save(self, results: Sequence[Result], stamps: Mapping[Name, datetime | None]) -> None:
        """Save the stage's results, with one statement for all students where possible.

        `stamps` says when each submission came.
        """
        stage = self._stage
        tables = self._tables
        of_assignment = {"assignment_id": self._assignment}
        notebook = tables.add_missing("notebook", "name", [stage.name], of_assignment)[stage.name]
        cells = self._update_cells(notebook)
        students = [result.student for result in results]
        ids = tables.add_missing("submitted_assignment", "student_id", students, of_assignment)
        submissions = [ids[student] for student in students]
        # If this run does not know a submission's time, the time in the gradebook stays.
        times = {ids[student]: stamps.get((student, stage.name)) for student in students}
        tables.update(
            "submitted_assignment",
            [{"row": row, "timestamp": time} for row, time in times.items() if time],
        )
        # In this table of nbgrader's, `assignment_id` is the id of the submission.
        notebook_ids = tables.add_missing(
            "submitted_notebook",
            "assignment_id",
            submissions,
            {"notebook_id": notebook},
            flagged=False,
        )
        notebooks = [notebook_ids[submission] for submission in submissions]
        self._add_empty_comments(notebook, notebooks)
        points_by_cell: dict[str, dict[str, Points]] = {cell: {} for cell in cells}
        # Group the points by cell, so that one statement saves a cell for the whole class.
        for id_, result in zip(notebooks, results, strict=True):
            for cell, points in _points(result, stage).items():
                if cell in cells:
                    points_by_cell[cell][id_] = points
        for cell, points_by_notebook in points_by_cell.items():
            self._save_points(cells[cell], points_by_notebook)

    def _update_cells(self, notebook: str) -> dict[str, str]:
        """Update the cells that carry points; return their ids by name.

        A cell without a task in the stage is kept with a maximum of 0 points. Deleting the cell
        would also delete its manual points.
        """
        points = {f"{CHECK}{task.id}": task.points for task in self._stage.tasks}
        points |= {f"{MANUAL}{part.id}": part.points for part in self._stage.manual}
        graded = {"notebook_id": notebook, "type": "GradeCell"}
        ids = self._tables.add_missing("base_cell", "name", points, graded)
        for name, cell in ids.items():
            if name.startswith((CHECK, MANUAL)):
                kind = "markdown" if name.startswith(MANUAL) else "code"
                self._tables.add_missing("grade_cells", "id", [cell], max_score=0, cell_type=kind)
                most = {"row": cell, "max_score": points.get(name, 0)}
                self._tables.update("grade_cells", [most])
                if name not in points:
                    self._retire(cell)
        return {name: ids[name] for name in points}

    def _retire(self, cell: str) -> None:
        """Set a cell that is no longer in the stage to zero points; keep manual points."""
        grade = self._tables["grade"]
        of_cell = grade.update().where(grade.c.cell_id == cell)
        self._tables.execute(of_cell.values(auto_score=0, needs_manual_grade=False))

    def _add_empty_comments(self, notebook: str, notebooks: Sequence[str]) -> None:
        """Add an empty comment to every cell that students write in, because nbgrader needs it."""
        for kind in ("SolutionCell", "TaskCell"):
            cells = self._tables.ids("base_cell", "name", notebook_id=notebook, type=kind)
            for cell in cells.values():
                self._tables.add_missing("comment", "notebook_id", notebooks, {"cell_id": cell})

    def _save_points(self, cell: str, points: Mapping[str, Points]) -> None:
        """Save a cell's points.

        `points` maps the id of each submitted notebook to its points. A cell that has manual points
        does not wait for a person.
        """
        ids = self._tables.add_missing(
            "grade", "notebook_id", points, {"cell_id": cell}, needs_manual_grade=False
        )
        rows: list[Row] = []
        for notebook, (score, waits) in points.items():
            rows.append({"row": ids[notebook], "auto_score": score, "waits": waits})
        has_no_points = self._tables["grade"].c.manual_score.is_(None)
        needs_person = sa.and_(sa.bindparam("waits"), has_no_points)
        self._tables.update("grade", rows, needs_manual_grade=needs_person)


def _points(result: Result, stage: Stage) -> dict[str, Points]:
    """Map the names of the cells to their points.

    In an unreadable submission, the first task's cell waits for a person.
    """
    graded = result.status is Status.GRADED
    waiting_task = ""  # formgrader lists a submission if a cell waits for a person's points
    if result.status is Status.UNREADABLE:
        waiting_task = stage.tasks[0].id
    points: dict[str, Points] = {}
    for part in stage.manual:
        points[f"{MANUAL}{part.id}"] = (None, True) if graded else (0.0, False)
    for task in result.tasks:
        points[f"{CHECK}{task.task}"] = task.score, task.task == waiting_task
    return points
