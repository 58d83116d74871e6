"""Feedback as plain text, for a terminal, a mail or a printer.

as_text   the text
"""

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hearts_course.reports import feedback_words as words
from hearts_course.reports.source_excerpt import Excerpt
from hearts_course.text import safe_block

if TYPE_CHECKING:
    from hearts_course.reports.feedback import Feedback, TaskFeedback

WIDTH = 78


def as_text(told: "Feedback") -> str:
    """The feedback, no line of prose longer than 78 characters; nothing in it steers a terminal."""
    return safe_block("\n".join(_lines(told))) + "\n"


def _lines(told: "Feedback") -> Iterator[str]:
    result = told.result
    title = f"{result.stage}: {told.stage.title}"
    yield from (title, "=" * len(title), f"Student: {_one_line(result.student)}")
    yield f"Score: {result.score:g} of {result.max_score} points"
    if told.earlier:
        yield from _prose(told.earlier)
    for manual in told.stage.manual:
        yield from _prose(words.by_hand(manual))
    if result.message:
        yield from ("", *_prose(f"{told.about_message}: {result.message}"))
        yield from _code(told.place)
    yield ""
    for task in told.tasks:
        one = task.summary
        points = f"{one.score:g} of {one.most}"
        yield f"{one.face.mark} {points:>10}  {one.number} {one.title} ({one.face.words})"
    yield from ("", *_prose(f"What next: {told.step.words}"))
    if told.step.read:
        yield from _prose(f"Read {told.step.read}.")
    if told.step.command:
        yield f"For a hint: {told.step.command}"
    for task in told.unfinished:
        yield from _task(task)
    yield from ("", "-" * WIDTH, *_prose(words.FOOT))


def _task(task: "TaskFeedback") -> Iterator[str]:
    one = task.summary
    head = f"Task {one.number}: {one.title}"
    yield from ("", head, "-" * len(head))
    yield from _prose(f"{one.sentence}{f'; {one.worth}' if one.worth else ''}.")
    for note in one.left_out:
        yield from _prose(f"Not made ({note.count}): {note.message}")
    for finding in one.failing:
        kind = "hidden" if finding.hidden else "visible"
        count = f"{finding.passed} of {finding.total} pass"
        yield from ("", *_prose(f"* {finding.topic} ({kind}, {count})"))
        for note in finding.notes:
            yield from textwrap.indent(note.message, "    ").split("\n")
            if note.count > 1:
                yield f"    ({note.count} checks say so)"
    if task.likeness:
        yield from ("", *_prose(words.likeness(task.likeness)))
    yield from _code(task.code)
    for title, findings in (("To be checked", one.waiting), ("Holds already", one.passing)):
        if findings:
            yield from ("", f"{title}:", *(f"  - {finding.topic}" for finding in findings))
    if task.open:
        yield from ("", *_prose(f"Read {task.section}. For a hint: hearts hint {one.id}"))


def _code(code: Excerpt) -> Iterator[str]:
    for passage in code.passages:
        yield from ("", f"Your code, {passage.place}, {passage.span}:")
        for line in passage.lines:
            mark = ">" if line.concerned else " "
            yield f"{mark}{line.number or '':>5}  {line.text}".rstrip()
    yield from filter(None, (words.left_out(code), words.missing(code)))


def _prose(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False)


def _one_line(text: str) -> str:
    return " ".join(text.split())
