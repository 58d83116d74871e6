"""What nbgrader calls by its own plugin points.

LatePenalty   the course's late policy
Export        scores as a table that a spreadsheet reads as it is meant
"""

import csv
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin, LateSubmissionPlugin

from hearts_course.grading.final_scores import load_policy
from hearts_course.nbgrader.settings import CourseConfig
from hearts_course.text import safe_cell

COLUMNS = ("student", "stage", "score", "max_score", "late_penalty", "status")


class LatePenalty(CourseConfig, LateSubmissionPlugin):  # type: ignore[misc]
    """What coming late costs, by `autograder/late.toml`."""

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        """The points that it costs; None if nothing."""
        policy = load_policy(self.the_course())
        return policy.penalty(score, total_seconds_late) or None


class Export(ExportPlugin):  # type: ignore[misc]
    """A row for each submission; names with commas, and those that are formulas, do no harm.

    `nbgrader export --exporter=hearts_course.nbgrader.hooks.Export --to FILE`
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write the table to `to`, or `scores.csv`."""
        path = Path(self.to or "scores.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(COLUMNS)
            for assignment in sorted(gradebook.assignments, key=lambda one: str(one.name)):
                for student in sorted(gradebook.students, key=lambda one: str(one.id)):
                    if self._wanted(assignment.name, student.id):
                        table.writerow(_row(gradebook, assignment, student.id))
        self.log.info("wrote %s", path)

    def _wanted(self, assignment: str, student: str) -> bool:
        chosen = [str(name) for name in self.assignment], [str(name) for name in self.student]
        pairs = zip((assignment, student), chosen, strict=True)
        return all(not names or name in names for name, names in pairs)


def _row(gradebook: Gradebook, assignment: Any, student: str) -> list[Any]:
    try:
        submission = gradebook.find_submission(assignment.name, student)
    except MissingEntry:
        score, penalty, status = 0.0, 0.0, "nothing was handed in"
    else:
        penalty = round(submission.late_submission_penalty or 0.0, 2)
        score = round(max(0.0, submission.score - penalty), 2)
        waits = any(g.needs_manual_grade and g.manual_score is None for g in _grades(submission))
        status = "awaits manual grading" if waits else "graded"
    most = round(assignment.max_score, 2)
    return [safe_cell(student), safe_cell(assignment.name), score, most, penalty, status]


def _grades(submission: Any) -> list[Any]:
    return [grade for notebook in submission.notebooks for grade in notebook.grades]
