"""Inside Gradescope's container: grade the submission and write what Gradescope shows.

    /autograder/submission/                  what the student handed in
    /autograder/submission_metadata.json     who the student is
    /autograder/results/results.json         the result, which this module writes

If the grader is at fault, nothing is written. Gradescope then gives no points and tells the student
to ask the staff. Only the staff see what is printed.
"""

import json
import sys
from pathlib import Path

from hearts_course.course import Course, find_course
from hearts_course.errors import CourseError
from hearts_course.files import write_whole
from hearts_course.results import Result, Status
from hearts_course.submissions.find import SubmissionPath
from hearts_course.text import safe_line, safe_name

from hearts_grader.grading.grade import GradeJob, grade_one
from hearts_grader.lms.documents import gradescope
from hearts_grader.sandbox.backends import sandbox_warnings

ROOT = Path("/autograder")
UNKNOWN = "student"  # the student's name if the metadata does not say who handed in


def main(
    stage: str, root: Path = ROOT, *, course: Course | None = None, sandbox: str = "auto"
) -> int:
    """Grade the submission; return the exit status, 1 if the grader is at fault."""
    try:
        course = course or find_course()
        result = grade_there(course, root, stage, sandbox)
    except CourseError as fault:
        print(f"hearts: {fault}", file=sys.stderr)
        return 1
    if result.status is Status.GRADER_ERROR:
        print(f"hearts: the grader failed: {result.message}", file=sys.stderr)
        return 1
    notes = sandbox_warnings(sandbox, result.sandbox)
    for note in notes:
        print(f"hearts: {note}")
    print(f"{result.stage} of {result.student}: {result.score:g} of {result.max_score} points")
    text = gradescope(result, course.stage(stage), notes)
    write_whole(root / "results" / "results.json", text)
    return 0


def grade_there(course: Course, root: Path, name: str, sandbox: str) -> Result:
    """Return the result of the submission for the stage with this name.

    Gradescope hands over one assignment, so earlier stages can only be in the submission itself.
    """
    stage = course.stage(name)
    folder = root / "submission"
    earlier = tuple((prerequisite, folder) for prerequisite in course.prerequisites(stage))
    student = _student(root / "submission_metadata.json")
    slot = SubmissionPath(student, stage, folder, earlier=earlier)
    return grade_one(GradeJob(stage, slot, sandbox))


def _student(path: Path) -> str:
    """Return the addresses of the students who handed in, or UNKNOWN if the file has no address."""
    try:
        users = json.loads(path.read_text(encoding="utf-8"))["users"]
        addresses = [str(user["email"]) for user in users]
    except (OSError, ValueError, LookupError, TypeError):
        return UNKNOWN
    if not addresses:
        return UNKNOWN
    return safe_name(safe_line(", ".join(addresses)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
