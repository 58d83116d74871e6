"""The late penalties of a stage, in the gradebook that nbgrader itself opens."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from hearts_course.course import Course
from hearts_course.text import safe_line
from nbgrader.api import Gradebook

from hearts_grader.grading.final_scores import GradebookEntry, adjustment, entry_of, penalty
from hearts_grader.grading.late_policy import NO_TIME, Lateness, LatePolicy, Name
from hearts_grader.nbgrader.hooks import status_of
from hearts_grader.nbgrader.stage_submissions import StageSubmissions


def set_late_penalties(
    gradebook: Gradebook, submissions: StageSubmissions, course: Course
) -> dict[str, list[str]]:
    """Set the stage's due date, and all late penalties, from the current dates.

    Return, for each status of a submission, the names of the students with this status. The names
    are safe to print.

    One budget of late days is for all stages, so the lateness in other stages is read from the
    gradebook first. Submissions of another class in the same gradebook keep their penalties.
    """
    policy = submissions.policy
    stage = submissions.stage.name
    by_status: dict[str, list[str]] = {}
    students = {folder: student for student, folder in submissions.folders.items()}
    entries: dict[Name, GradebookEntry] = {}
    if due := policy.due.get(stage):
        gradebook.update_or_create_assignment(stage, duedate=due)
    every = gradebook.assignment_submissions(stage)
    for submission in every:
        name = students.get(submission.student.id, submission.student.id), stage
        entries[name] = GradebookEntry(submission.timestamp, submission.extension or NO_TIME)
    other_stages = {other.name for other in course.stages} - {stage}
    others = lateness_by_stage(gradebook, other_stages, policy, students)
    for submission in every:
        name = students.get(submission.student.id, submission.student.id), stage
        by_status.setdefault(status_of(submission), []).append(safe_line(submission.student.id))
        hand_in = submissions.hand_ins.get(name)
        if hand_in is None:  # the submission is of another class in the same gradebook
            continue
        entry = entry_of(name, hand_in.group, entries)
        dated = adjustment(name[0], submissions.stage, entry, policy, hand_in)
        late = {stage: dated.late, **others.get(name[0], {})}
        dated = replace(dated, late=policy.spend(name[0], late)[stage])
        for notebook in submission.notebooks:
            points = penalty(notebook.score, dated.lost)
            notebook.late_submission_penalty = points or None
    gradebook.db.commit()
    return by_status


def lateness_by_stage(
    gradebook: Gradebook, stages: Collection[str], policy: LatePolicy, students: Mapping[str, str]
) -> dict[str, dict[str, Lateness]]:
    """Return each student's lateness in these stages: by student, and then by stage.

    `students` maps names in the gradebook to the students' names, where the two differ. Assignments
    of the instructor's own are left out.
    """
    late: dict[str, dict[str, Lateness]] = {}
    for assignment in gradebook.assignments:
        if assignment.name not in stages:
            continue
        for submission in gradebook.assignment_submissions(assignment.name):
            student = students.get(submission.student.id, submission.student.id)
            extension = submission.extension or NO_TIME
            name = student, assignment.name
            lateness = policy.lateness(name, submission.timestamp, extension)
            late.setdefault(student, {})[assignment.name] = lateness
    return late
