"""A result as other graders show it: a line for each topic of each task.

A task's points are those of its topics together. A hidden test shows its topic and no more than the
student's own page does: the name of a test may tell its inputs.

Line        one topic: where it stands, what it is about, its share of the points, what it says
lines_of    those of a result
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hearts_course.course import Stage
from hearts_course.reports.task_summary import Finding, by_topic, summarise
from hearts_course.results import Outcome, Result, Status, TaskResult
from hearts_course.text import safe_block

FEW = 3  # different messages of one topic


@dataclass(frozen=True)
class TopicResult:
    """One topic of a task; `number` is `2.3` for the third topic of the second task."""

    task_number: int
    number: str
    task: str
    title: str
    topic: str
    hidden: bool
    passed: bool
    reached: bool
    score: float
    most: float
    output: str
    tests: tuple[str, ...]


def lines_of(result: Result) -> Iterator[TopicResult]:
    """The lines of a result that was graded, or none where nothing was run."""
    for number, task in enumerate(result.tasks, start=1):
        yield from _lines(number, task)


def _lines(number: int, task: TaskResult) -> Iterator[TopicResult]:
    findings = summarise(number, task).findings
    for place, (finding, tests) in enumerate(zip(findings, by_topic(task.tests), strict=True), 1):
        worth = task.max_score / len(task.tests)
        yield TopicResult(
            number,
            f"{number}.{place}",
            task.task,
            task.title,
            safe_block(finding.topic),
            finding.hidden,
            finding.holds,
            any(test.outcome is not Outcome.NOT_REACHED for test in tests),
            round(worth * finding.passed, 4),
            round(worth * finding.total, 4),
            "" if finding.holds else safe_block(_said(finding)),
            tuple(test.name for test in tests),
        )


def _said(finding: Finding) -> str:
    """How many checks pass, and what the others say."""
    notes = [note.message for note in finding.notes if note.message][:FEW]
    count = f"{finding.passed} of {finding.total} checks pass." if finding.total > 1 else ""
    return "\n\n".join(filter(None, (count, *notes)))


def verdict(result: Result, stage: Stage) -> str:
    """The result in a sentence or two."""
    what = {
        Status.GRADED: f"{result.score:g} of {result.max_score} points",
        Status.MISSING: "nothing was handed in",
        Status.UNREADABLE: "your program could not be read",
        Status.GRADER_ERROR: "no score",
    }[result.status]
    said = (f"{stage.title}: {what}", result.for_student().message)
    return safe_block("\n".join(filter(None, said)))
