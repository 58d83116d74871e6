"""What a task's tests come to, a topic at a time, in words that never blame.

Face      how a task stands: a mark and the words that always go with it
Finding   one topic: how many of its checks pass, and what the others say
Note      one thing that checks say, and how many of them say it
Summary   a task: its face, its findings and the sentence that explains its points
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from hearts_course.results import Outcome, TaskResult, TestResult

UNWRITTEN = "not written yet"
ENDINGS = {
    Outcome.PASSED: "",
    Outcome.FAILED: "this does not hold yet",
    Outcome.TIMEOUT: "this took too long",
    Outcome.CRASHED: "the program ended early",
    Outcome.NOT_REACHED: "this was not reached",
}


class TopicStatus(Enum):
    """How a task stands."""

    PASSED = ("✓", "passed")
    PARTLY = ("◐", "partly there")
    FAILED = ("✗", "not there yet")
    UNWRITTEN = ("○", UNWRITTEN)
    NOT_REACHED = ("–", "not reached")

    @property
    def mark(self) -> str:
        """The mark that goes with the words."""
        return self.value[0]

    @property
    def words(self) -> str:
        """The words that go with the mark."""
        return self.value[1]


@dataclass(frozen=True)
class Note:
    """What `count` checks of a topic say."""

    message: str
    count: int


@dataclass(frozen=True)
class Finding:
    """One topic of a task."""

    topic: str
    hidden: bool
    passed: int
    total: int
    notes: tuple[Note, ...]

    @property
    def holds(self) -> bool:
        """Whether every check of the topic passes."""
        return self.passed == self.total


@dataclass(frozen=True)
class Summary:
    """A task, ready to be shown."""

    number: int
    id: str
    title: str
    face: TopicStatus
    score: float
    most: int
    sentence: str
    findings: tuple[Finding, ...]
    left_out: tuple[Note, ...] = ()  # checks that could not be made, and why

    @property
    def worth(self) -> str:
        """What one check is worth, if there is more than one and some pass: partial credit."""
        total = sum(finding.total for finding in self.findings)
        if self.face is not TopicStatus.PARTLY:
            return ""
        return f"each of them is worth {_count_of(self.most / total)}"

    @property
    def failing(self) -> tuple[Finding, ...]:
        """The topics with something to say, if the program got as far as them."""
        if self.face in (TopicStatus.UNWRITTEN, TopicStatus.NOT_REACHED):
            return ()
        return tuple(finding for finding in self.findings if not finding.holds)

    @property
    def passing(self) -> tuple[Finding, ...]:
        """The topics of which every check passes."""
        return tuple(finding for finding in self.findings if finding.holds)

    @property
    def waiting(self) -> tuple[Finding, ...]:
        """The topics of a task that is not written or was not reached."""
        return () if self.failing else tuple(f for f in self.findings if not f.holds)


def summarise(number: int, task: TaskResult) -> Summary:
    """The task's summary; `number` is the one it has in the brief."""
    passed = _passed(task.tests)
    return Summary(
        number,
        task.task,
        task.title,
        _face(task, passed),
        task.score,
        task.max_score,
        f"{passed} of {_count(len(task.tests), 'check')} "
        f"{'passes' if len(task.tests) == 1 else 'pass'}: "
        f"{task.score:g} of {_count(task.max_score, 'point')}",
        tuple(_finding(tests) for tests in by_topic(task.tests)),
        tuple(Note(why, count) for why, count in Counter(task.skipped).items()),
    )


def by_topic(tests: Iterable[TestResult]) -> list[list[TestResult]]:
    """The tests, those of one topic together, visible and hidden ones apart."""
    groups: dict[tuple[str, bool], list[TestResult]] = {}
    for test in tests:
        groups.setdefault((test.topic, test.hidden), []).append(test)
    return list(groups.values())


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _count_of(points: float) -> str:
    return f"{points:.2g} {'point' if points == 1 else 'points'}"


def _passed(tests: Iterable[TestResult]) -> int:
    return sum(test.outcome is Outcome.PASSED for test in tests)


def _face(task: TaskResult, passed: int) -> TopicStatus:
    if task.tests and passed == len(task.tests):
        return TopicStatus.PASSED
    if passed:
        return TopicStatus.PARTLY
    if all(test.outcome is Outcome.NOT_REACHED for test in task.tests):
        return TopicStatus.NOT_REACHED
    visible = [test for test in task.tests if not test.hidden]
    if visible and all(test.message.startswith(UNWRITTEN) for test in visible):
        return TopicStatus.UNWRITTEN
    return TopicStatus.FAILED


def _finding(tests: list[TestResult]) -> Finding:
    first = tests[0]
    said = Counter(_said(test) for test in tests if test.outcome is not Outcome.PASSED)
    notes = tuple(Note(message, count) for message, count in said.items())
    return Finding(first.topic, first.hidden, _passed(tests), len(tests), notes)


def _said(test: TestResult) -> str:
    """What the test says, without the topic, which stands above it anyway."""
    return test.message.removeprefix(test.topic).strip() or ENDINGS[test.outcome]
