"""A result as other graders show it: a line for each topic of each task.

A task's points are those of its topics together. A hidden test shows its topic and no more than the
student's own page does: the name of a test may tell its inputs.

Line        one topic: where it stands, what it is about, its share of the points, what it says
lines_of    those of a result
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hearts_course.course import Stage
from hearts_course.reports.task_summary import TopicStatus, TopicSummary, summarise
from hearts_course.results import Result, Status, TaskResult
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
    for place, topic in enumerate(summarise(number, task).topics, 1):
        yield TopicResult(
            number,
            f"{number}.{place}",
            task.task,
            task.title,
            safe_block(topic.topic),
            topic.hidden,
            topic.passes,
            topic.status is not TopicStatus.NOT_REACHED,
            topic.score,
            topic.max_score,
            "" if topic.passes else safe_block(_said(topic)),
            tuple(
                test.name
                for test in task.tests
                if (test.topic, test.hidden) == (topic.topic, topic.hidden)
            ),
        )


def _said(topic: TopicSummary) -> str:
    """How many checks pass, and what the others say."""
    notes = [note.message for note in topic.notes if note.message][:FEW]
    count = f"{topic.passed} of {topic.total} checks pass." if topic.total > 1 else ""
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
