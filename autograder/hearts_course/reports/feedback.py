"""What a student reads about one stage: as data, as a page and as Markdown."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hearts_course.course import Stage, Task
from hearts_course.misconceptions import Pattern
from hearts_course.reports.html import markdown_page, page
from hearts_course.reports.source_excerpt import Excerpt, Excerpts
from hearts_course.reports.task_summary import (
    BEGIN,
    TaskSummary,
    TopicStatus,
    begin_with,
    summarise,
)
from hearts_course.results import Result, Status, TaskResult, points_in_words
from hearts_course.submissions.model import Submission

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
# A topic is a rule that a task is checked for. A page shows this many messages of a topic, and
# folds the others away.
MAX_NOTES = 3
FOOT = (
    "All rules of a task count the same. If half of the checks of a rule pass, you get half of its "
    "points. A hidden check shows its rule, and a similar example if one fails here too, but not "
    "its own input."
)


@dataclass(frozen=True)
class NextStep:
    """What to do next, where to `read` about it, and a `command` to type.

    `read` and `command` are "" if there is nothing to read or to type.
    """

    words: str
    read: str = ""
    command: str = ""


@dataclass(frozen=True)
class TaskFeedback:
    """A task: its summary, the student's own lines, and where the task is described.

    `code` is empty if `summary.failing` is empty, or if the program could not be read.
    """

    summary: TaskSummary
    code: Excerpt
    section: str

    @property
    def reached(self) -> bool:
        """Whether the task was reached. If not, only the page's table of tasks shows it."""
        return self.summary.status is not TopicStatus.NOT_REACHED


@dataclass(frozen=True)
class Feedback:
    """All that the pages say; `final` is the result with manual points and late penalty.

    `verdict` is the message about the whole program, and `verdict_code` the lines that it is about.
    `open_points` are manual points that were not given yet. After the deadline, `revealed` has the
    hidden checks that failed. An entry of `revealed` is a pair: a heading with the task and the
    rule, and the check's message, which shows the question and the answer.
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
    revealed: tuple[tuple[str, str], ...] = ()

    @property
    def known_points(self) -> int:
        """The largest possible score without the manual points that were not given yet."""
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
    *,
    score_notes: Sequence[str] | None = None,
    open_points: int = 0,
) -> Feedback:
    """Return what the student reads about the final result of the submission.

    `after` is the course's next stage. `score_notes` say what the score is made of. By default they
    are `own_score_notes`, for a result that no person has changed. `open_points` are manual points
    that were not given yet.
    """
    result = result.for_student()
    if score_notes is None:
        score_notes = tuple(own_score_notes(result, stage))
    excerpts = Excerpts(submission, stage)
    summaries = summarise(result, stage, patterns)
    pairs = zip(result.tasks, summaries, strict=True)
    tasks = [_task_feedback(scored, summary, stage, excerpts) for scored, summary in pairs]
    heading = HEADINGS[result.status]
    if result.status is Status.GRADED and not any(task.reached for task in tasks):
        heading = "Your program could not be run"
    return Feedback(
        student=result.student,
        stage=stage,
        final=result,
        score_notes=tuple(score_notes),
        heading=heading,
        verdict=result.message,
        verdict_code=excerpts.around(result.where),
        tasks=tuple(tasks),
        step=_next_step(result, stage, after, summaries),
        answers=submission.answers,
        open_points=open_points,
    )


def _task_feedback(
    scored: TaskResult, summary: TaskSummary, stage: Stage, excerpts: Excerpts
) -> TaskFeedback:
    """Return what the student reads about a task, with code only if the task has topics to fix."""
    task = stage.task(scored.task)
    code = Excerpt()
    if summary.failing:
        code = excerpts.of_task(task, [test.where for test in scored.tests if test.where])
    return TaskFeedback(summary, code, _section(stage, task))


def own_score_notes(result: Result, stage: Stage) -> Iterator[str]:
    """Yield notes on the program's own score, before a person gives or takes points."""
    yield from modules_note(result)
    if result.status is not Status.GRADER_ERROR:
        yield from house_rules_note(result, stage)
        yield from receipt_note(result)


def modules_note(result: Result) -> Iterator[str]:
    """Yield a note if the program was graded with the student's own modules of earlier stages."""
    scores = result.prerequisites
    if scores is not None and scores.own_counts:
        yield f"This was graded with your own {scores.files}."


def house_rules_note(result: Result, stage: Stage) -> Iterator[str]:
    """Yield the student's rule book, if the stage has house rules."""
    if stage.variants and result.student:
        book = stage.variants.of(result.student).python
        yield f"Your house rules, which the end of the brief asks for: {book}"


def receipt_note(result: Result) -> Iterator[str]:
    """Yield the receipt, if there is one: its letters show which program was graded."""
    if result.receipt:
        yield f"Receipt: {result.receipt}, read with Python {result.python}."


def _next_step(
    result: Result, stage: Stage, after: Stage | None, tasks: Sequence[TaskSummary]
) -> NextStep:
    """Return the first task to fix, or the next stage.

    A task that makes other tasks fail comes first, because fixing it may fix the others.
    """
    if result.status in WITHOUT_GRADE:
        return NextStep(WITHOUT_GRADE[result.status])
    lacking = [task.number for task in tasks if task.score < task.max_score]
    nothing_tested = all(task.status is TopicStatus.NOT_REACHED for task in tasks)
    if nothing_tested or (lacking and result.where is not None):  # a file cannot be imported
        return NextStep("Fix the error that is shown above, and check the whole stage again.")
    if lacking:
        beginning = begin_with(tasks)
        task = stage.tasks[(beginning.task or lacking[0]) - 1]
        words = beginning.words
        # Without `sentences`, `words` says which tasks wait for other tasks, but not where to
        # begin.
        if not beginning.sentences:
            words = f"{BEGIN} task {stage.number(task)}, {task.title}. {words}".rstrip()
        return NextStep(words, _section(stage, task), f"hearts hint {task.id}")
    if after is None:
        return NextStep("Everything passes, and this was the last stage.")
    words = f"Everything passes. The next stage is {after.title}."
    return NextStep(words, f"briefs/{after.name}.md")


def _section(stage: Stage, task: Task) -> str:
    """Return a text that says where to read about the task: in the brief or in the notebook."""
    heading = f"Task {stage.number(task)}: {task.title}"
    return f"“{heading}”, in briefs/{stage.name}.md or in the notebook"


def as_page(feedback: Feedback) -> str:
    """Return the feedback as a page in HTML that needs only a browser.

    The page contains its style, so it can be sent by mail and opened without a network.
    """
    return page(
        "feedback.html.j2", said=feedback, final=feedback.final, max_notes=MAX_NOTES, foot=FOOT
    )


def as_markdown(feedback: Feedback) -> str:
    """Return the feedback for a mail, an issue or a learning platform."""
    return markdown_page("feedback.md.j2", said=feedback, final=feedback.final, foot=FOOT)


RENDERINGS: Mapping[str, Callable[[Feedback], str]] = {".html": as_page, ".md": as_markdown}


def pages(feedback: Feedback) -> dict[str, str]:
    """Map the file ending of each format, such as `.html`, to the feedback in this format."""
    return {ending: render(feedback) for ending, render in RENDERINGS.items()}
