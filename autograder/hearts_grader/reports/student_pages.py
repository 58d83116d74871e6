"""Make the pages that students of a class get: final scores, and the parts of each score.

`hearts_course.reports.feedback` makes a page of one result. This module adds what is known only
after grading a class: manual points, dates, attempts, comments and advice.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hearts_course.course import Course, Stage
from hearts_course.misconceptions import Pattern, load_patterns
from hearts_course.reports.feedback import (
    Feedback,
    feedback,
    house_rules_note,
    modules_note,
    pages,
    receipt_note,
)
from hearts_course.results import Outcome, Result, Status
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_submission
from hearts_course.text import count_of, listed

from hearts_grader.grading.final_scores import (
    CHECK,
    MANUAL,
    Adjustment,
    Adjustments,
    ManualScore,
)
from hearts_grader.grading.records import Records
from hearts_grader.reports.comments import Comment, comments_on
from hearts_grader.reports.structure import Rule, advice

MAX_REVEALED = 3  # hidden questions that a page shows for a task


class FeedbackWriter:
    """Makes the pages of a class's final results; each stage's known mistakes are read once."""

    def __init__(
        self,
        course: Course,
        adjustments: Adjustments | None = None,
        comments: Sequence[Comment] = (),
        revealed: Records | None = None,
        rules: Sequence[Rule] = (),
    ) -> None:
        """Keep what the pages show: points, penalties, comments, hidden questions, advice."""
        self._course = course
        self._adjustments = adjustments or {}
        self._comments = comments
        self._revealed = revealed
        self._rules = rules
        self._patterns: dict[str, tuple[Pattern, ...]] = {}

    def pages(self, result: Result, slot: SubmissionPath) -> dict[str, str]:
        """Map the endings of the pages' file names to the pages of a result.

        `slot` says where the submission is. Hidden questions are shown only if they were revealed
        for the same program as this result's.
        """
        stage = slot.stage
        submission = read_submission(slot.path, slot.student, stage)
        if stage.name not in self._patterns:
            self._patterns[stage.name] = load_patterns(stage)
        patterns = self._patterns[stage.name]
        later_stages = self._course.after(stage)
        adjustment = self._adjustments.get((slot.student, stage.name))
        if adjustment is None:
            adjustment = awaiting(stage)
        page = final_feedback(result, stage, adjustment, submission, patterns, later_stages)
        comments = [text for _, text in comments_on(result, stage, patterns, self._comments)]
        hints = advice(submission.modules, stage, self._rules)
        page = replace(page, score_notes=(*page.score_notes, *comments, *hints))
        if self._revealed:
            record = self._revealed.read(slot.student, stage.name)
            if record and record.result.receipt == result.receipt:
                questions = revealed_questions(result, record.result, stage)
                page = replace(page, revealed=tuple(questions))
        return pages(page)


def revealed_questions(result: Result, revealed: Result, stage: Stage) -> Iterator[tuple[str, str]]:
    """Yield some failed hidden questions of each task.

    Each question is a pair of texts: its task and topic, and what was asked and answered.
    `revealed` is the result of a run in which hidden tests were explained.

    At most MAX_REVEALED questions of a task are shown, because more would give the hidden suite
    away. A test has the same name in both results. A test without a message is left out.
    """
    answers: dict[str, str] = {}
    for task in revealed.tasks:
        answers |= {test.name: test.message for test in task.tests}
    for task in result.tasks:
        number = stage.number(stage.task(task.task))
        # Count each task's questions separately, so that every task with failures shows some.
        shown = 0
        for test in task.tests:
            answer = answers.get(test.name)
            if answer and test.hidden and test.outcome is not Outcome.PASSED:
                yield f"Task {number}, {test.topic}", answer
                shown += 1
            if shown == MAX_REVEALED:
                break


def final_feedback(
    result: Result,
    stage: Stage,
    adjustment: Adjustment,
    submission: Submission,
    patterns: Iterable[Pattern] = (),
    after: Stage | None = None,
) -> Feedback:
    """Return what the student reads about the result, with final scores."""
    result = result.for_student()
    notes = tuple(score_notes(result, stage, adjustment))
    final = adjustment.apply(result)
    open_points = 0
    if final.awaits_manual:
        open_points = sum(manual.points for manual in adjustment.manual if manual.score is None)
    return feedback(
        # Keep the message about the checks: the score notes say what awaits manual grading.
        replace(final, message=result.message),
        stage,
        submission,
        patterns,
        after,
        score_notes=notes,
        open_points=open_points,
    )


def awaiting(stage: Stage) -> Adjustment:
    """Return the adjustment of a result that waits for all its manual points.

    If a result has no adjustment yet, the student still has to read that manual points will follow.
    """
    awaited = [ManualScore(manual.id, manual.title, manual.points) for manual in stage.manual]
    return Adjustment(tuple(awaited))


def score_notes(result: Result, stage: Stage, adjustment: Adjustment) -> Iterator[str]:
    """Yield notes on the program, and on the parts of the final score beside the checks' points.

    After a grader error there is no score, so there are no notes on its parts.
    """
    yield from modules_note(result)
    if result.status is Status.GRADER_ERROR:
        return
    parts = adjustment.parts(result)
    if adjustment.group:
        yield f"Handed in by {adjustment.by}, for {listed(adjustment.group)}."
    if parts.attempt:
        yield from _attempts(adjustment)
    if adjustment:
        yield f"Checks: {result.score:g} of {count_of(result.max_score, 'point')}."
    for number, task in enumerate(stage.tasks, start=1):
        if task.id in adjustment.overrides:
            score = adjustment.overrides[task.id]
            why = _reason(adjustment, f"{CHECK}{task.id}")
            yield f"Task {number}: {score:g} of {task.points}, given by your instructor{why}."
    for manual in adjustment.manual:
        points = count_of(manual.points, "point")
        if manual.score is None:
            yield f"{manual.title}: up to {points} more, given by your instructor; not graded yet."
        else:
            why = _reason(adjustment, f"{MANUAL}{manual.id}")
            yield f"{manual.title}: {manual.score:g} of {points}, given by your instructor{why}."
    yield from house_rules_note(result, stage)
    if parts.late:
        penalty = round(parts.penalty - parts.names, 2)  # without the penalty for a file's name
        cost = "costs no points"
        if penalty:
            days = count_of(adjustment.late.charged, "day")
            cost = f"counts as {days} and costs {count_of(penalty, 'point')}"
        yield f"{parts.late[:1].upper()}{parts.late[1:]}: this {cost}."
        if adjustment.late.spent:
            yield f"{count_of(adjustment.late.left, 'late day')} left for the term."
    if parts.names:
        yield f"A wrong file name costs {count_of(parts.names, 'point')}."
    yield from receipt_note(result)


def _reason(adjustment: Adjustment, cell: str) -> str:
    """Return why a person gave these points, as the end of a sentence.

    Return "" if the person gave no reason. A full stop at the end is removed, because the caller
    adds one.
    """
    why = adjustment.reasons.get(cell, "").rstrip(".")
    return f": {why}" if why else ""


def _attempts(adjustment: Adjustment) -> Iterator[str]:
    """Yield which attempt counts and why, and what is known about each attempt."""
    yield f"This is {adjustment.attempt_that_counts}."
    for number, attempt in enumerate(adjustment.attempts, start=1):
        parts = [attempt.time] if attempt.time else []
        parts.append(attempt.late.words or "in time")
        if attempt.score is not None:
            penalties = []
            if attempt.late.fraction:
                penalties.append("the late penalty")
            if attempt.renamed:
                penalties.append("the penalty for a wrong file name")
            score = f"{count_of(attempt.score, 'point')} by the checks"
            parts.append(f"{score} less {listed(penalties)}" if penalties else score)
        if attempt.by:
            parts.append(f"handed in by {attempt.by}")
        yield f"Attempt {number}: {', '.join(parts)}."
