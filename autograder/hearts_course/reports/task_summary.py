"""One task of a result, topic by topic: the summary that every page, table and export shows."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import compress

from hearts_course.results import Outcome, TaskResult, TestResult, weights_of

WITHOUT_MESSAGE = {
    Outcome.FAILED: "this check fails",
    Outcome.TIMEOUT: "this took too long",
    Outcome.CRASHED: "the program ended early",
    Outcome.NOT_REACHED: "this was not reached",
}


class TopicStatus(Enum):
    """How far a task or one of its topics is; the mark never stands without the words."""

    PASSED = "✓", "passed"
    PARTLY = "◐", "partly correct"
    FAILED = "✗", "not correct yet"
    UNWRITTEN = "○", "not written yet"
    NOT_REACHED = "–", "not reached"

    def __init__(self, mark: str, words: str) -> None:
        self.mark, self.words = mark, words


AHEAD = (TopicStatus.UNWRITTEN, TopicStatus.NOT_REACHED)


@dataclass(frozen=True)
class Note:
    """A message, and how many checks of a topic have it."""

    message: str
    count: int


@dataclass(frozen=True)
class TopicSummary:
    """The checks of one topic: how many pass, their share of the points, what the others say."""

    topic: str
    hidden: bool
    status: TopicStatus
    passed: int
    total: int
    score: float
    max_score: float
    notes: tuple[Note, ...]

    @property
    def passes(self) -> bool:
        """Whether every check of the topic passes."""
        return self.status is TopicStatus.PASSED


@dataclass(frozen=True)
class TaskSummary:
    """A task; `skipped` has the reasons why checks were not run."""

    number: int
    id: str
    title: str
    status: TopicStatus
    score: float
    max_score: int
    topics: tuple[TopicSummary, ...]
    skipped: tuple[Note, ...] = ()

    @property
    def sentence(self) -> str:
        """How the points come about, such as "1 of 2 checks pass: 3 of 6 points"."""
        passed = sum(topic.passed for topic in self.topics)
        total = sum(topic.total for topic in self.topics)
        verb = "passes" if total == 1 else "pass"
        return (
            f"{passed} of {count_of(total, 'check')} {verb}: "
            f"{self.score:g} of {count_of(self.max_score, 'point')}"
        )

    @property
    def failing(self) -> tuple[TopicSummary, ...]:
        """The topics that need work, if the task was written and reached."""
        return () if self.status in AHEAD else self._not_passing

    @property
    def ahead(self) -> tuple[TopicSummary, ...]:
        """The topics of a task that is not written yet or was not reached."""
        return self._not_passing if self.status in AHEAD else ()

    @property
    def passing(self) -> tuple[TopicSummary, ...]:
        """The topics of which every check passes."""
        return tuple(topic for topic in self.topics if topic.passes)

    @property
    def _not_passing(self) -> tuple[TopicSummary, ...]:
        return tuple(topic for topic in self.topics if not topic.passes)


def summarise(number: int, task: TaskResult) -> TaskSummary:
    """Return the task's summary; `number` is its number in the brief."""
    topics: dict[tuple[str, bool], list[tuple[TestResult, float]]] = {}
    for test, weight in zip(task.tests, weights_of(task.tests), strict=True):
        topics.setdefault((test.topic, test.hidden), []).append((test, weight * task.max_score))
    return TaskSummary(
        number,
        task.task,
        task.title,
        _status(task.tests),
        task.score,
        task.max_score,
        tuple(_topic(*zip(*tests, strict=True)) for tests in topics.values()),
        _notes(task.skipped),
    )


def count_of(number: float, noun: str) -> str:
    """Return the number with its noun: "1 point", "2.5 points"."""
    return f"{number:g} {noun}{'' if number == 1 else 's'}"


def _topic(tests: tuple[TestResult, ...], points: tuple[float, ...]) -> TopicSummary:
    passed = [test.outcome is Outcome.PASSED for test in tests]
    return TopicSummary(
        tests[0].topic,
        tests[0].hidden,
        _status(tests),
        sum(passed),
        len(tests),
        round(sum(compress(points, passed)), 4),
        round(sum(points), 4),
        _notes(_message(test) for test in tests if test.outcome is not Outcome.PASSED),
    )


def _status(tests: Iterable[TestResult]) -> TopicStatus:
    outcomes = {test.outcome for test in tests}
    if Outcome.PASSED in outcomes:
        return TopicStatus.PASSED if len(outcomes) == 1 else TopicStatus.PARTLY
    if outcomes <= {Outcome.NOT_REACHED}:
        return TopicStatus.NOT_REACHED
    visible = [test for test in tests if not test.hidden]
    if visible and all(test.stub is not None for test in visible):
        return TopicStatus.UNWRITTEN
    return TopicStatus.FAILED


def _message(test: TestResult) -> str:
    """Return the test's message without the topic, which is shown above it."""
    return test.message.removeprefix(test.topic).strip() or WITHOUT_MESSAGE[test.outcome]


def _notes(messages: Iterable[str]) -> tuple[Note, ...]:
    return tuple(Note(message, count) for message, count in Counter(messages).items())
