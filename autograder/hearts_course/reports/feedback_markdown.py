"""Feedback as Markdown, for a mail, an issue or a learning platform.

as_markdown   the text
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hearts_course.reports import feedback_words as words
from hearts_course.reports.source_excerpt import Excerpt
from hearts_course.text import safe_block

if TYPE_CHECKING:
    from hearts_course.reports.feedback import Feedback, TaskFeedback

SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$^:@-])")
TICKS = re.compile(r"`+")


def as_markdown(told: "Feedback") -> str:
    """The feedback; nothing that a student wrote is markup in it, nor HTML, nor a link."""
    return safe_block("\n".join(_lines(told))) + "\n"


def _lines(told: "Feedback") -> Iterator[str]:
    result = told.result
    yield from (
        f"# {result.stage}: {told.stage.title}",
        "",
        f"Student: {plain(result.student)}",
        "",
    )
    yield f"**{result.score:g} of {result.max_score} points**"
    if told.earlier:
        yield from ("", told.earlier)
    for manual in told.stage.manual:
        yield from ("", words.by_hand(manual))
    if result.message:
        yield from ("", f"> **{told.about_message}:** {plain(result.message)}")
        yield from _code(told.place)
    if told.tasks:
        yield from ("", "| Task | How it stands | Points |", "|---|---|--:|")
    for task in told.tasks:
        one = task.summary
        stands = f"{one.face.mark} {one.face.words}"
        yield f"| {one.number} {one.title} | {stands} | {one.score:g} of {one.most} |"
    yield from ("", "## What next", "", told.step.words)
    if told.step.read:
        yield from ("", f"Read {told.step.read}.")
    if told.step.command:
        yield from ("", f"For a hint: `{told.step.command}`")
    for task in told.unfinished:
        yield from _task(task)
    yield from ("", "---", "", words.FOOT)


def _task(task: "TaskFeedback") -> Iterator[str]:
    one = task.summary
    yield from ("", f"## Task {one.number}: {one.title}", "")
    yield f"{one.sentence}{f'; {one.worth}' if one.worth else ''}."
    for note in one.left_out:
        yield from ("", f"Not made ({note.count}): {plain(note.message)}")
    for finding in one.failing:
        kind = "hidden" if finding.hidden else "visible"
        yield from ("", f"### {finding.topic}", "")
        yield f"*{kind}, {finding.passed} of {finding.total} pass*"
        for note in finding.notes:
            yield from ("", *_fenced(note.message))
            if note.count > 1:
                yield from ("", f"{note.count} checks say so.")
    if task.likeness:
        yield from ("", f"> {words.likeness(task.likeness)}")
    yield from _code(task.code)
    for title, findings in (("To be checked", one.waiting), ("Holds already", one.passing)):
        if findings:
            yield from ("", f"{title}:", "", *(f"- {finding.topic}" for finding in findings))
    if task.open:
        yield from ("", f"Read {task.section}. For a hint: `hearts hint {one.id}`")


def _code(code: Excerpt) -> Iterator[str]:
    for passage in code.passages:
        marked = (
            f"{'>' if line.concerned else ' '}{line.number or '':>4}  {line.text}".rstrip()
            for line in passage.lines
        )
        yield from ("", f"Your code, {passage.place}, {passage.span}:", "")
        yield from _fenced("\n".join(marked))
    for line in filter(None, (words.left_out(code), words.missing(code))):
        yield from ("", line)


def _fenced(text: str) -> list[str]:
    """The text as a block of code, in a fence that it cannot close."""
    longest = max(map(len, TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", text, fence]


def plain(text: str) -> str:
    """The text on one line, as nothing but text."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))
