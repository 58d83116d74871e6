"""Show an instructor why a student lost points in a task.

A question is a test, or a case of a test. The text contains hidden questions, so it is for the
instructor alone.
"""

from collections.abc import Iterator

from hearts_course.course import Stage, Task, pick
from hearts_course.errors import CourseError, UsageError
from hearts_course.reports.source_excerpt import Excerpt, Excerpts
from hearts_course.results import Outcome, Status, TaskResult, TestResult, reference_note
from hearts_course.submissions.find import Layout
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_found
from hearts_course.text import count_of

from hearts_grader.grading.grade import REVEALED, GradeJob, grade_one


def case_text(stage: Stage, task: Task, student: str, layout: Layout, sandbox: str) -> str:
    """Return a text: a task's failed questions, and the task's lines in program and reference.

    The program runs again in the sandbox, this time with the hidden questions revealed. Raise
    UsageError if there is no such student or no readable program, and CourseError if the program
    cannot be run.
    """
    paths = {path.student: path for path in layout.paths}
    submission = read_found(pick(student, paths, "student"))
    if submission.problem:
        raise UsageError(f"{student}: {submission.problem}")
    tasks = frozenset({task.id})
    job = GradeJob(stage, submission, sandbox, REVEALED, tasks=tasks, examples=False)
    result = grade_one(job)
    if result.status is Status.GRADER_ERROR:
        raise CourseError(f"{student}: {result.message}")
    (scored,) = (scored for scored in result.tasks if scored.task == task.id)
    places = [test.where for test in scored.tests if test.where]
    reference = Submission("", stage.name, stage.reference())
    parts = [f"{student}, {stage.name}, task {stage.number(task)}: {task.title}"]
    note = reference_note(result)
    if note:
        # Do not quote the note: it compares the scores of the whole stage, but only this task was
        # graded.
        files = result.prerequisites.files if result.prerequisites else ""
        parts.append(f"asked beside the course's {files}, with which the program does better")
    # The message repeats the note, so remove the note from it.
    other_notes = result.message.replace(note, "").strip("; ")
    if other_notes:
        parts.append(other_notes)
    parts += _questions(scored)
    parts += _lines(f"The program of {student}", Excerpts(submission, stage).of_task(task, places))
    parts += _lines("The reference", Excerpts(reference, stage).of_task(task, ()))
    return "\n\n".join(parts) + "\n"


def _questions(scored: TaskResult) -> Iterator[str]:
    """Yield a line with the points and the counts, then each failed question with its message."""
    failed = [test for test in scored.tests if test.outcome is not Outcome.PASSED]
    points = f"{scored.score:g} of {count_of(scored.max_score, 'point')} by the checks"
    yield f"{points}; {len(failed)} of {count_of(len(scored.tests), 'question')} failed"
    for test in failed:
        yield _question(test)


def _question(test: TestResult) -> str:
    """Return the topic and the name of a test, and its message below, indented.

    A test without a message, such as one that was stopped, shows its outcome.
    """
    message = test.message or test.outcome.value
    lines = [f"✗ {test.topic}  ({test.name})"]
    lines += [f"  {line}" for line in message.splitlines()]
    return "\n".join(lines)


def _lines(title: str, excerpt: Excerpt) -> Iterator[str]:
    """Yield the passages of the excerpt, and then its remarks.

    Above each passage are the title and the passage's place.
    """
    for passage in excerpt.passages:
        lines = "\n".join(map(str, passage.lines))
        yield f"{title}, {passage.place}, {passage.span}:\n{lines}"
    yield from excerpt.remarks
