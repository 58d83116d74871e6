"""What a student reads about one stage, computed; the pages are renderings of it.

Feedback     a result with the student's own lines, what it looks like, and what to read next
feedback     makes it
pages        its renderings, by the ending of their names: page, Markdown, plain text
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from hearts_course.course import Stage
from hearts_course.grading.misconceptions import Match, Pattern, likenesses
from hearts_course.reports import feedback_markdown, feedback_text
from hearts_course.reports.advice import Step, first_step, section
from hearts_course.reports.html import page
from hearts_course.reports.source_excerpt import Excerpt, Extracts
from hearts_course.reports.task_summary import Summary, TopicStatus, summarise
from hearts_course.results import Result, Status
from hearts_course.submissions.model import Submission

SHOWN = 3  # different messages of one topic before the rest is folded away
NOT_RUN = "Your program could not be run"
ABOUT_MESSAGE = {
    Status.GRADED: "Please note",
    Status.MISSING: "Nothing was handed in",
    Status.UNREADABLE: "Your program could not be read",
    Status.GRADER_ERROR: "This is no fault of yours",
}
NOT_READ = Submission("", "")


@dataclass(frozen=True)
class TaskFeedback:
    """A task: how it stands, the student's own lines, what it looks like, where to read."""

    summary: Summary
    code: Excerpt
    likeness: Match | None
    section: str

    @property
    def reached(self) -> bool:
        """Whether there is more to say than that nothing got as far as this."""
        return self.summary.face is not TopicStatus.NOT_REACHED

    @property
    def open(self) -> bool:
        """Whether there is something left to do that a hint may help with."""
        return bool(self.summary.failing) or self.summary.face is TopicStatus.UNWRITTEN


@dataclass(frozen=True)
class Feedback:
    """All that the pages say."""

    result: Result
    stage: Stage
    tasks: tuple[TaskFeedback, ...]
    about_message: str
    place: Excerpt  # the line that the verdict is about
    step: Step

    @property
    def reached(self) -> tuple[TaskFeedback, ...]:
        """The tasks that the program got as far as."""
        return tuple(task for task in self.tasks if task.reached)

    @property
    def unfinished(self) -> tuple[TaskFeedback, ...]:
        """Those of them that lack points."""
        return tuple(task for task in self.reached if task.summary.face is not TopicStatus.PASSED)

    @property
    def earlier(self) -> str:
        """What the student's own earlier stages mean for the score; empty if nothing."""
        before = self.result.prerequisites
        if before is None or before.own is None or before.reference is None:
            return ""
        return (
            f"With your own earlier stages this comes to {before.own:g} points, with ours to "
            f"{before.reference:g}. The better counts."
        )


def feedback(
    result: Result,
    stage: Stage,
    submission: Submission = NOT_READ,
    patterns: Iterable[Pattern] = (),
    after: Stage | None = None,
) -> Feedback:
    """What the student reads about this result.

    The submission is what it is the result of, `after` the course's next stage, if there is one.
    """
    result = result.for_student()
    extracts = Extracts(submission, stage)
    alike = likenesses(result, stage, patterns)
    tasks = []
    for number, scored in enumerate(result.tasks, start=1):
        summary, task = summarise(number, scored), stage.task(scored.task)
        notes = [note.message for found in summary.failing for note in found.notes]
        code = extracts.of_task(task, notes) if notes else Excerpt()
        like = alike.get(task.id)
        likeness = like if like and like.tells and summary.failing else None
        tasks.append(TaskFeedback(summary, code, likeness, section(stage, task)))
    not_run = result.status is Status.GRADED and not any(task.reached for task in tasks)
    return Feedback(
        result,
        stage,
        tuple(tasks),
        NOT_RUN if not_run else ABOUT_MESSAGE[result.status],
        extracts.of_verdict(result.message),
        first_step(result, stage, after),
    )


def as_page(told: Feedback) -> str:
    """The feedback as a page that needs nothing but a browser."""
    return page("feedback.html.j2", told=told, result=told.result, stage=told.stage, shown=SHOWN)


RENDERINGS: Mapping[str, Callable[[Feedback], str]] = {
    ".html": as_page,
    ".md": feedback_markdown.as_markdown,
    ".txt": feedback_text.as_text,
}


def pages(told: Feedback) -> dict[str, str]:
    """Each rendering, by the ending of its file's name."""
    return {ending: render(told) for ending, render in RENDERINGS.items()}
