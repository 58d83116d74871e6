"""What a student reads about one stage: computed, as a page and as Markdown."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hearts_course.course import Course, Stage, Task
from hearts_course.grading.final_scores import Adjustment, Adjustments, ManualScore
from hearts_course.grading.misconceptions import Pattern, load_patterns
from hearts_course.reports.html import markdown_page, page
from hearts_course.reports.source_excerpt import Excerpt, Excerpts
from hearts_course.reports.task_summary import (
    TaskSummary,
    TopicStatus,
    fix_first,
    summarise,
)
from hearts_course.results import Result, Status, points_in_words
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_submission
from hearts_course.text import count_of, listed

HEADINGS = {
    Status.GRADED: "Please note",
    Status.MISSING: "Your program is missing",
    Status.UNREADABLE: "Your program could not be read",
    Status.GRADER_ERROR: "This is not your fault",
}
WITHOUT_GRADE = {
    Status.MISSING: "Hand in your program.",
    Status.UNREADABLE: "Fix this and submit again.",
    Status.GRADER_ERROR: "There is nothing for you to do.",
}
NOT_READ = Submission("", "")
MAX_NOTES = 3  # messages of one topic before the rest is folded away
FOOT = (
    "All rules of a task count the same. If half of the checks of a rule pass, you get half of its "
    "points. A hidden check shows its rule, and a similar example if one fails here too, but not "
    "its own input."
)


@dataclass(frozen=True)
class NextStep:
    """What to do next, and what to read and to type for it; both may be empty."""

    words: str
    read: str = ""
    command: str = ""


@dataclass(frozen=True)
class TaskFeedback:
    """A task: its summary, the student's own lines, and where the task is described."""

    summary: TaskSummary
    code: Excerpt
    section: str

    @property
    def reached(self) -> bool:
        """Whether there is more to say than that the program did not get as far as this."""
        return self.summary.status is not TopicStatus.NOT_REACHED


@dataclass(frozen=True)
class Feedback:
    """All that the pages say; `final` is the result with manual points and late penalty.

    `open_points` are manual points that were not given yet.
    """

    student: str
    stage: Stage
    final: Result
    score_notes: tuple[str, ...]
    heading: str
    verdict: str
    verdict_code: Excerpt
    tasks: tuple[TaskFeedback, ...]
    step: NextStep
    answers: str
    open_points: int = 0

    @property
    def known_points(self) -> int:
        """The points that could be given so far."""
        return self.final.max_score - self.open_points

    @property
    def points(self) -> str:
        """The score in words, with the points that are still to come."""
        return points_in_words(
            self.final.score, self.known_points, self.open_points, "your instructor"
        )


def feedback(
    result: Result,
    stage: Stage,
    submission: Submission = NOT_READ,
    patterns: Iterable[Pattern] = (),
    after: Stage | None = None,
    adjustment: Adjustment | None = None,
) -> Feedback:
    """Return what the student reads about this result of the submission.

    `after` is the course's next stage. Without an adjustment manual points are still to come.
    """
    result = result.for_student()
    if adjustment is None:
        awaited = (ManualScore(manual.id, manual.title, manual.points) for manual in stage.manual)
        adjustment = Adjustment(tuple(awaited))
    final = adjustment.apply(result)
    excerpts = Excerpts(submission, stage)
    summaries = summarise(final, stage, patterns)
    tasks = []
    for scored, summary in zip(final.tasks, summaries, strict=True):
        task, code = stage.task(scored.task), Excerpt()
        if summary.failing:
            code = excerpts.of_task(task, [test.where for test in scored.tests if test.where])
        tasks.append(TaskFeedback(summary, code, _section(stage, task)))
    not_run = result.status is Status.GRADED and not any(task.reached for task in tasks)
    return Feedback(
        result.student,
        stage,
        final,
        tuple(_score_notes(result, stage, adjustment)),
        "Your program could not be run" if not_run else HEADINGS[result.status],
        result.message,
        excerpts.around(result.where),
        tuple(tasks),
        _next_step(final, stage, after, summaries),
        submission.answers,
        sum(one.points for one in adjustment.manual if one.score is None) * final.awaits_manual,
    )


def _score_notes(result: Result, stage: Stage, adjustment: Adjustment) -> Iterator[str]:
    """Yield what the final score is made of, where it is more than the checks."""
    before = result.prerequisites
    if before is not None and before.own_counts:
        yield f"This was graded with your own {before.files}."
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
            yield f"Task {number}: {score:g} of {task.points}, given by your instructor."
    for manual in adjustment.manual:
        points = count_of(manual.points, "point")
        if manual.score is None:
            yield f"{manual.title}: up to {points} more, given by your instructor; not graded yet."
        else:
            yield f"{manual.title}: {manual.score:g} of {points}, given by your instructor."
    if stage.variants and result.student:
        book = stage.variants.of(result.student).python
        yield f"Your house rules, which the end of the brief asks for: {book}"
    if parts.late:
        penalty = round(parts.penalty - parts.names, 2)
        days = f"counts as {count_of(adjustment.late.days, 'day')} and " if penalty else ""
        cost = count_of(penalty, "point") if penalty else "no points"
        yield f"{parts.late[:1].upper()}{parts.late[1:]}: this {days}costs {cost}."
    if parts.names:
        yield f"A wrong file name costs {count_of(parts.names, 'point')}."
    if result.receipt:
        yield f"Receipt: {result.receipt}, read with Python {result.python}."


def _attempts(adjustment: Adjustment) -> Iterator[str]:
    """Yield which attempt counts and why, and what is known about each."""
    yield f"This is {adjustment.attempt_that_counts}."
    for number, one in enumerate(adjustment.attempts, start=1):
        score = "" if one.score is None else f"{count_of(one.score, 'point')} by the checks"
        late = "the late penalty" if one.late.fraction else ""
        renamed = "the penalty for a wrong file name" if one.renamed else ""
        less = listed(filter(None, (late, renamed)))
        score += f" less {less}" if score and less else ""
        by = f"handed in by {one.by}" if one.by else ""
        said = filter(None, (one.time, one.late.words or "in time", score, by))
        yield f"Attempt {number}: {', '.join(said)}."


def _next_step(
    result: Result, stage: Stage, after: Stage | None, tasks: Sequence[TaskSummary]
) -> NextStep:
    """Return the first task to fix, or the next stage."""
    if result.status in WITHOUT_GRADE:
        return NextStep(WITHOUT_GRADE[result.status])
    if all(task.status is TopicStatus.NOT_REACHED for task in tasks):
        return NextStep("Fix the error that is shown above, and check the whole stage again.")
    lacking = {task.number for task in tasks if task.score < task.max_score}
    if first := min({number for task in tasks for number in task.causes} or lacking, default=0):
        task = stage.tasks[first - 1]
        words = fix_first(tasks) or f"Begin with task {first}, {task.title}."
        return NextStep(words, _section(stage, task), f"hearts hint {task.id}")
    if after is None:
        return NextStep("Everything passes, and this was the last stage.")
    words = f"Everything passes. The next stage is {after.title}."
    return NextStep(words, f"briefs/{after.name}.md")


def _section(stage: Stage, task: Task) -> str:
    """Return where the task is described."""
    heading = f"Task {stage.number(task)}: {task.title}"
    return f"“{heading}”, in briefs/{stage.name}.md or in the notebook"


def as_page(said: Feedback) -> str:
    """Return the feedback as a page that needs nothing but a browser."""
    return page("feedback.html.j2", said=said, final=said.final, max_notes=MAX_NOTES, foot=FOOT)


def as_markdown(said: Feedback) -> str:
    """Return the feedback for a mail, an issue or a learning platform."""
    return markdown_page("feedback.md.j2", said=said, final=said.final, foot=FOOT)


RENDERINGS: Mapping[str, Callable[[Feedback], str]] = {".html": as_page, ".md": as_markdown}


def pages(said: Feedback) -> dict[str, str]:
    """Return each rendering, by the ending of its file's name."""
    return {ending: render(said) for ending, render in RENDERINGS.items()}


class FeedbackWriter:
    """Makes the pages of a class's results; what they share is read once."""

    def __init__(self, course: Course, adjustments: Adjustments | None = None) -> None:
        """Note which manual points and late penalties the pages are to show."""
        self._course, self._adjustments = course, adjustments or {}
        self._patterns: dict[str, tuple[Pattern, ...]] = {}

    def pages(self, result: Result, slot: SubmissionPath) -> dict[str, str]:
        """Return the pages of a result, by the endings of their files' names."""
        stage = slot.stage
        submission = read_submission(slot.path, slot.student, stage)
        if stage.name not in self._patterns:
            self._patterns[stage.name] = load_patterns(stage)
        patterns, after = self._patterns[stage.name], self._course.after(stage)
        adjustment = self._adjustments.get((slot.student, stage.name))
        return pages(feedback(result, stage, submission, patterns, after, adjustment))
