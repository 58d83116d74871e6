"""What a student reads about one stage, computed; `feedback_pages` has its renderings."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hearts_course.course import Stage, Task
from hearts_course.grading.final_scores import Adjustment, ManualScore
from hearts_course.grading.misconceptions import Match, Pattern, matches_of
from hearts_course.reports.source_excerpt import Excerpt, Excerpts
from hearts_course.reports.task_summary import TaskSummary, TopicStatus, count_of, summarise
from hearts_course.results import Result, Status
from hearts_course.submissions.model import Submission

HEADINGS = {
    Status.GRADED: "Please note",
    Status.MISSING: "Nothing was handed in",
    Status.UNREADABLE: "Your program could not be read",
    Status.GRADER_ERROR: "This is not your fault",
}
WITHOUT_GRADE = {
    Status.MISSING: "Hand in your program.",
    Status.UNREADABLE: "Fix this and submit again.",
    Status.GRADER_ERROR: "There is nothing for you to do.",
}
NOT_READ = Submission("", "")


@dataclass(frozen=True)
class NextStep:
    """What to do next, and what to read and to type for it; both may be empty."""

    words: str
    read: str = ""
    command: str = ""


@dataclass(frozen=True)
class TaskFeedback:
    """A task: its summary, the student's own lines, a known mistake it looks like, what to read."""

    summary: TaskSummary
    code: Excerpt
    mistake: str
    section: str

    @property
    def reached(self) -> bool:
        """Whether there is more to say than that the program did not get as far as this."""
        return self.summary.status is not TopicStatus.NOT_REACHED

    @property
    def unfinished(self) -> bool:
        """Whether the program got as far as this, and something is left to do."""
        return self.reached and self.summary.status is not TopicStatus.PASSED


@dataclass(frozen=True)
class Feedback:
    """All that the pages say; `final` is the result with manual points and late penalty."""

    student: str
    stage: Stage
    final: Result
    score_notes: tuple[str, ...]
    heading: str
    verdict: str
    verdict_code: Excerpt
    tasks: tuple[TaskFeedback, ...]
    step: NextStep


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
    matches = matches_of(result, stage, patterns)
    tasks = []
    for scored in final.tasks:
        task = stage.task(scored.task)
        summary = summarise(stage.number(task), scored)
        code, mistake = Excerpt(), ""
        if summary.failing:
            code = excerpts.of_task(task, [test.where for test in scored.tests if test.where])
            mistake = _mistake(matches.get(task.id))
        tasks.append(TaskFeedback(summary, code, mistake, _section(stage, task)))
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
        _next_step(final, stage, after),
    )


def _mistake(match: Match | None) -> str:
    if match is None or not match.tells:
        return ""
    same = "the same" if match.exact else "almost the same"
    names = " or ".join(f"“{name}”" for name in match.names)
    return f"Your program fails {same} checks as a known mistake: {names}. Could that be it?"


def _score_notes(result: Result, stage: Stage, adjustment: Adjustment) -> Iterator[str]:
    """Yield what the final score is made of, where it is more than the checks."""
    before = result.prerequisites
    if before is not None and before.own_counts:
        yield f"This was graded with your own {before.files}."
    if result.status is Status.GRADER_ERROR:
        return
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
    if adjustment.late_fraction:
        lost = count_of(adjustment.late_penalty(result), "point")
        yield f"Late penalty: {lost}, for {count_of(adjustment.days_late, 'day')}."


def _next_step(result: Result, stage: Stage, after: Stage | None) -> NextStep:
    """Return the first task that lacks points and builds on none that does, or the next stage."""
    if result.status in WITHOUT_GRADE:
        return NextStep(WITHOUT_GRADE[result.status])
    lacking = [scored.task for scored in result.tasks if scored.score < scored.max_score]
    ready = [name for name in lacking if not set(stage.task(name).builds_on) & set(lacking)]
    for task in map(stage.task, (ready or lacking)[:1]):
        words = f"Begin with task {stage.number(task)}, {task.title}."
        return NextStep(words, _section(stage, task), f"hearts hint {task.id}")
    if after is None:
        return NextStep("Everything passes, and this was the last stage.")
    words = f"Everything passes. The next stage is {after.title}."
    return NextStep(words, f"briefs/{after.name}.md")


def _section(stage: Stage, task: Task) -> str:
    """Return where the task is described."""
    heading = f"Task {stage.number(task)}: {task.title}"
    return f"“{heading}”, in briefs/{stage.name}.md or in the notebook"
