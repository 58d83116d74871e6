"""Our replacements for parts of nbgrader: its releases, its export and its feedback pages."""

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from hearts_course.files import write_whole
from nbconvert.exporters import HTMLExporter
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions, NbGraderPreprocessor
from nbgrader.utils import is_grade, is_locked

from hearts_grader.authoring.notebook import build_notebook
from hearts_grader.grading.final_scores import AWAITS
from hearts_grader.nbgrader.course import CourseConfig
from hearts_grader.nbgrader.grader_view import GRADERS_ONLY
from hearts_grader.safe_csv import as_csv

NO_KERNEL = {
    "name": "hearts-sandbox-only",
    "display_name": "None: this is graded in the sandbox, with the settings by `hearts nbgrader`",
    "language": "python",
}
UNREAD = "could not be read"
COLUMNS = (
    *("student", "stage", "score", "max_score", "late_penalty", "status"),
    *("raw_score", "manual_points"),
)


class StarterCells(CourseConfig, ClearSolutions):  # type: ignore[misc]
    """nbgrader's ClearSolutions, but each solution cell gets its starter, not nbgrader's stub."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Return the notebook without solutions; raise CourseError if it is not a stage's."""
        stage = self.stage(resources["nbgrader"]["assignment"])
        self._starter = {cell.id: cell.source for cell in build_notebook(stage).cells}
        done: tuple[Any, Any] = super().preprocess(nb, resources)
        return done

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Return the cell with the starter; nbgrader clears cells that are not the course's."""
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution") and marks.get("grade_id") in self._starter:
            cell.source = self._starter[marks["grade_id"]]
            return cell, resources
        done: tuple[Any, Any] = super().preprocess_cell(cell, resources, cell_index)
        return done


class NoKernel(NbGraderPreprocessor):  # type: ignore[misc]
    """Replaces the kernel that nbgrader has just saved in the gradebook by one that does not exist.

    nbgrader writes the gradebook's kernel into each submission before it runs the submission.
    nbgrader may fail to find our settings, or drop them because of an error elsewhere in the file.
    Even then no student's cell can run, because the kernel does not exist.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Change the kernel in the gradebook; return the notebook as it is."""
        ids = resources["nbgrader"]
        with Gradebook(ids["db_url"]) as gradebook:
            notebook = gradebook.find_notebook(ids["notebook"], ids["assignment"])
            notebook.kernelspec = json.dumps(NO_KERNEL)
            gradebook.db.commit()
        return nb, resources


class Export(ExportPlugin):  # type: ignore[misc]
    """A CSV with a row for each assignment and student; no cell can be a formula.

    `nbgrader export --exporter=hearts_grader.nbgrader.hooks.Export --to FILE`
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write the table to `to`, or to `scores.csv`."""
        path = Path(self.to or "scores.csv")
        stages = list(map(str, self.assignment))
        students = list(map(str, self.student))
        rows: list[Sequence[Any]] = [COLUMNS]
        for assignment in sorted(gradebook.assignments, key=lambda one: str(one.name)):
            for student in sorted(gradebook.students, key=lambda one: str(one.id)):
                if (not stages or assignment.name in stages) and (
                    not students or student.id in students
                ):
                    rows.append(_row(gradebook, assignment, student.id))
        write_whole(path, as_csv(rows))
        self.log.info("wrote %s", path)


def _row(gradebook: Gradebook, assignment: Any, student: str) -> list[Any]:
    """Return a student's row for an assignment; a missing submission scores 0."""
    try:
        submission = gradebook.find_submission(assignment.name, student)
    except MissingEntry:
        score = 0.0
        penalty = 0.0
        status = "nothing was handed in"
        raw = 0.0
        manual = 0.0
    else:
        penalty = round(submission.late_submission_penalty or 0.0, 2)
        score = round(max(0.0, submission.score - penalty), 2)
        raw = round(sum(grade.auto_score or 0.0 for grade in _grades(submission)), 2)
        manual = round(submission.score - raw, 2)
        status = status_of(submission)
    max_score = round(assignment.max_score, 2)
    names = student, assignment.name
    return [*names, score, max_score, penalty, status, raw, manual]


def status_of(submission: Any) -> str:
    """Return the status of the gradebook's submission: graded, awaiting points, or unreadable.

    An unreadable submission is marked in this way: one of its cells has the autograder's points and
    still waits for a person. See `_ask_for_a_look` in `autograde`.
    """
    status = "graded"
    for grade in _grades(submission):
        if grade.needs_manual_grade and grade.manual_score is None:
            if grade.auto_score is not None:
                return UNREAD
            status = AWAITS
    return status


def _grades(submission: Any) -> list[Any]:
    """Return the rows of points in all notebooks of the submission."""
    return list(chain.from_iterable(notebook.grades for notebook in submission.notebooks))


class FeedbackPage(HTMLExporter):  # type: ignore[misc]
    """nbgrader's feedback page without hidden tests and without cells for graders only."""

    def from_notebook_node(self, nb: Any, resources: Any = None, **more: Any) -> tuple[Any, Any]:
        """Return the page, with the checks' messages."""
        clear = ClearHiddenTests()
        nb.cells = [cell for cell in nb.cells if GRADERS_ONLY not in cell.metadata.get("tags", ())]
        for cell in nb.cells:
            if is_grade(cell) and is_locked(cell):  # students can change other cells
                clear.preprocess_cell(cell, resources, 0)
        page: tuple[Any, Any] = super().from_notebook_node(nb, resources, **more)
        return page
