"""Inside Gradescope's container: grade the submission there, and write what Gradescope shows.

    /autograder/submission/                  what the student handed in
    /autograder/submission_metadata.json     who that is
    /autograder/results/results.json         what is written

Where the grader is at fault nothing is written: Gradescope then tells the student to ask the staff,
and gives no points. What is printed is for the staff.
"""

import json
import sys
from pathlib import Path

from hearts_course.course import Stage, find_course
from hearts_course.errors import CourseError
from hearts_course.files import write_whole
from hearts_course.grading.job import GradeJob, grade_one
from hearts_course.lms.gradescope import gradescope
from hearts_course.results import Result, Status
from hearts_course.sandbox.backends import sandbox_warnings
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.read import read_slot
from hearts_course.text import safe_line, safe_name

ROOT = Path("/autograder")
UNKNOWN = "student"


def main(stage: str, root: Path = ROOT) -> int:
    """Grade the submission; returns the exit status, 1 if the grader is at fault."""
    try:
        result = grade_there(root, stage)
    except CourseError as fault:
        print(f"hearts: {fault}", file=sys.stderr)
        return 1
    if result.status is Status.GRADER_ERROR:
        print(f"hearts: the grader failed: {result.message}", file=sys.stderr)
        return 1
    notes = sandbox_warnings("auto", result.sandbox)
    for note in notes:
        print(f"hearts: {note}")
    print(f"{result.stage} of {result.student}: {result.score:g} of {result.max_score} points")
    text = gradescope(result, find_course().stage(stage), notes)
    write_whole(root / "results" / "results.json", text)
    return 0


def grade_there(root: Path, name: str) -> Result:
    """The result of what lies there; earlier stages are taken from it, too, if they are in it."""
    course = find_course()
    stage: Stage = course.stage(name)
    folder = root / "submission"
    earlier = tuple((before, folder) for before in course.prerequisites(stage))
    slot = SubmissionPath(
        _student(root / "submission_metadata.json"), stage, folder, earlier=earlier
    )
    return grade_one(GradeJob(stage, read_slot(slot)))


def _student(path: Path) -> str:
    """Who handed it in, by address; Gradescope knows anyway."""
    try:
        users = json.loads(path.read_text(encoding="utf-8"))["users"]
        addresses = [str(user["email"]) for user in users]
    except (OSError, ValueError, LookupError, TypeError):
        return UNKNOWN
    return safe_name(safe_line(", ".join(addresses))) if addresses else UNKNOWN


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
