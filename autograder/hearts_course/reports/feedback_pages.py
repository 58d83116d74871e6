"""Feedback as a page and as Markdown: nothing that a student wrote is markup in either."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from hearts_course.course import Course, Stage
from hearts_course.grading.final_scores import Adjustments
from hearts_course.grading.misconceptions import Pattern, load_patterns
from hearts_course.reports.feedback import NOT_READ, Feedback, TaskFeedback, feedback
from hearts_course.reports.html import page
from hearts_course.reports.source_excerpt import Excerpt
from hearts_course.results import Result, Status
from hearts_course.submissions.find import SubmissionPath
from hearts_course.submissions.read import read_submission
from hearts_course.text import safe_block

MAX_NOTES = 3  # messages of one topic before the rest is folded away
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$^:@-])")
FOOT = (
    "The points of a task are divided evenly among its checks. A hidden check shows its rule and "
    "a similar example to try, never what it really checks."
)


def as_page(said: Feedback) -> str:
    """Return the feedback as a page that needs nothing but a browser."""
    return page("feedback.html.j2", said=said, final=said.final, max_notes=MAX_NOTES, foot=FOOT)


def as_markdown(said: Feedback) -> str:
    """Return the feedback for a mail, an issue or a learning platform."""
    return safe_block("\n".join(_lines(said))) + "\n"


RENDERINGS: Mapping[str, Callable[[Feedback], str]] = {".html": as_page, ".md": as_markdown}


def pages(said: Feedback) -> dict[str, str]:
    """Return each rendering, by the ending of its file's name."""
    return {ending: render(said) for ending, render in RENDERINGS.items()}


class FeedbackWriter:
    """Makes the pages of a class's results; what they share is read once."""

    def __init__(self, course: Course, adjustments: Adjustments | None = None) -> None:
        """Note which manual points and late penalties the pages are to show."""
        self._course, self._adjustments = course, adjustments or {}

    def pages(self, result: Result, slot: SubmissionPath) -> dict[str, str]:
        """Return the pages of a result, by the endings of their files' names."""
        stage, submission = slot.stage, NOT_READ
        if result.status is not Status.GRADED or result.score != result.max_score:
            submission = read_submission(slot.path, slot.student, stage)
        patterns, after = self._of_stages[stage.name]
        adjustment = self._adjustments.get((slot.student, stage.name))
        return pages(feedback(result, stage, submission, patterns, after, adjustment))

    @cached_property
    def _of_stages(self) -> dict[str, tuple[tuple[Pattern, ...], Stage | None]]:
        course = self._course
        return {stage.name: (load_patterns(stage), course.after(stage)) for stage in course.stages}


def _lines(said: Feedback) -> Iterator[str]:
    final, stage = said.final, said.stage
    yield from (
        f"# {stage.name}: {stage.title}",
        "",
        f"Student: {escape_markdown(said.student)}",
        "",
    )
    yield f"**{final.score:g} of {final.max_score} points**"
    for note in said.score_notes:
        yield from ("", note)
    if said.verdict:
        yield from ("", f"> **{said.heading}:** {escape_markdown(said.verdict)}")
        yield from _code(said.verdict_code)
    if said.tasks:
        yield from ("", "| Task | Status | Points |", "|---|---|--:|")
    for task in said.tasks:
        one = task.summary
        status = f"{one.status.mark} {one.status.words}"
        yield f"| {one.number} {one.title} | {status} | {one.score:g} of {one.max_score} |"
    yield from ("", "## What next", "", said.step.words)
    if said.step.read:
        yield from ("", f"Read {said.step.read}.")
    if said.step.command:
        yield from ("", f"For a hint: `{said.step.command}`")
    for task in said.tasks:
        if task.unfinished:
            yield from _task(task)
    yield from ("", "---", "", FOOT)


def _task(task: TaskFeedback) -> Iterator[str]:
    one = task.summary
    yield from ("", f"## Task {one.number}: {one.title}", "", f"{one.sentence}.")
    for note in one.skipped:
        yield from ("", f"Not run ({note.count}): {escape_markdown(note.message)}")
    for topic in one.failing:
        kind = "hidden" if topic.hidden else "visible"
        yield from ("", f"### {topic.topic}", "")
        yield f"*{kind}, {topic.passed} of {topic.total} pass*"
        for note in topic.notes:
            yield from ("", *_fenced(note.message))
            if note.count > 1:
                yield from ("", f"{note.count} checks say this.")
    if task.mistake:
        yield from ("", f"> {task.mistake}")
    yield from _code(task.code)
    for title, topics in (("To be checked", one.ahead), ("Already passing", one.passing)):
        if topics:
            yield from ("", f"{title}:", "", *(f"- {topic.topic}" for topic in topics))
    yield from ("", f"Read {task.section}. For a hint: `hearts hint {one.id}`")


def _code(code: Excerpt) -> Iterator[str]:
    for passage in code.passages:
        yield from ("", f"Your code, {passage.place}, {passage.span}:", "")
        yield from _fenced("\n".join(map(str, passage.lines)))
    for remark in code.remarks:
        yield from ("", remark)


def _fenced(text: str) -> list[str]:
    """Return the text as a block of code, in a fence that it cannot close."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", text, fence]


def escape_markdown(text: str) -> str:
    """Return the text on one line, with everything escaped that Markdown would take for markup."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))
