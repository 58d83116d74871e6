"""A result task by task and topic by topic: the summary that every page and export shows."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import compress
from textwrap import indent

from hearts_course.course import Stage, name_tasks
from hearts_course.misconceptions import Match, Pattern, diagnose
from hearts_course.results import Outcome, Result, SourcePosition, TestResult, weights_of
from hearts_course.testing.messages import TO_TRY, WHY
from hearts_course.testing.steps import RUN, clip
from hearts_course.text import count_of

TRY = "Try it:"
FOUND = "  found "  # a line for each thing that was found: the first of them is enough
LABEL = re.compile(" {2,}")  # between what a fact is, such as "came back", and its value
FACT = re.compile(r"  \S")  # a line of a message that says what came of the call above it
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
        self.mark = mark
        self.words = words


AHEAD = (TopicStatus.UNWRITTEN, TopicStatus.NOT_REACHED)


@dataclass(frozen=True)
class Note:
    """A message, how many checks of a topic have it, and code to try, which fails here too."""

    message: str
    count: int
    example: str = ""

    @property
    def text(self) -> str:
        """The message, and below it the example."""
        if not self.example:
            return self.message
        return "\n".join(filter(None, (self.message, TRY, indent(self.example, "    "))))


@dataclass(frozen=True)
class TopicSummary:
    """The checks of one topic: how many pass, their share of the points, what the others say.

    `where` is the line of the program that the first failing check names, if it names one.
    `not_run` is how many of the checks were not run.
    """

    topic: str
    hidden: bool
    status: TopicStatus
    passed: int
    total: int
    score: float
    max_score: float
    notes: tuple[Note, ...]
    where: SourcePosition | None = None
    not_run: int = 0

    @property
    def passes(self) -> bool:
        """Whether every check of the topic passes."""
        return self.status is TopicStatus.PASSED


@dataclass(frozen=True)
class TaskSummary:
    """A task; `skipped` has the reasons why checks were not run.

    `mistake` says which known mistake it looks like. `follows` has the numbers of the tasks that
    its failures are shown to follow from, `may_follow` those that they may follow from. `apart` is
    a topic with a check that is not shown to follow, in a task of which other checks are.
    """

    number: int
    id: str
    title: str
    status: TopicStatus
    score: float
    max_score: int
    topics: tuple[TopicSummary, ...]
    skipped: tuple[Note, ...] = ()
    mistake: str = ""
    follows: tuple[int, ...] = ()
    may_follow: tuple[int, ...] = ()
    apart: TopicSummary | None = None

    @property
    def causes(self) -> tuple[int, ...]:
        """The numbers of the tasks to fix before this one."""
        return self.follows or self.may_follow

    @property
    def consequence(self) -> str:
        """What the task fails along with, or may follow from; "" if nothing is known to be first.

        It may have a mistake of its own as well.
        """
        if self.follows:
            return f"fails along with {name_tasks(self.follows)}"
        return f"may follow from {name_tasks(self.may_follow)}" if self.may_follow else ""

    @property
    def folds(self) -> bool:
        """Whether one line is enough: the task passes, or others have to be fixed before it."""
        return self.status is TopicStatus.PASSED or self.causes != ()

    @property
    def first_failure(self) -> tuple[str, ...]:
        """Two lines about the first check that fails, in a task that may follow from another.

        Its failures may be its own, so the student sees one of them, and best one that is not
        shown to follow.
        """
        if not self.may_follow or not self._tried:
            return ()
        return _in_two_lines(self.apart or self._tried[0])

    @property
    def lead(self) -> str:
        """What stands above `first_failure`, after the task's name."""
        causes = name_tasks(self.may_follow)
        if self.apart:
            return f"follows in part from {causes}. A check that may not:"
        return f"may follow from {causes}, or have a mistake of its own. Its first failing check:"

    @property
    def count(self) -> str:
        """How many checks pass, such as "1 of 2 checks pass"."""
        passed = sum(topic.passed for topic in self.topics)
        total = sum(topic.total for topic in self.topics)
        return f"{passed} of {count_of(total, 'check')} {'passes' if total == 1 else 'pass'}"

    @property
    def sentence(self) -> str:
        """How the points come about, such as "1 of 2 checks pass: 3 of 6 points"."""
        return f"{self.count}: {self.score:g} of {count_of(self.max_score, 'point')}"

    @property
    def failing(self) -> tuple[TopicSummary, ...]:
        """The topics to fix, in a task that was written and reached, with no other to fix first."""
        return () if self.causes or self.status in AHEAD else self._tried

    @property
    def folded(self) -> tuple[TopicSummary, ...]:
        """The topics that pass or may pass once the tasks in `causes` are fixed."""
        return self._tried if self.causes else ()

    @property
    def ahead(self) -> tuple[TopicSummary, ...]:
        """The topics of a task that is not written yet or was not reached."""
        topics = self.topics if self.status in AHEAD else ()
        return tuple(topic for topic in topics if not topic.passes)

    @property
    def not_tried(self) -> str:
        """One line about the topics that were not reached, in a task that was; "" if none."""
        topics = [topic for topic in self.topics if topic.status is TopicStatus.NOT_REACHED]
        if not topics or self.status in AHEAD:
            return ""
        reasons = dict.fromkeys(note.message for topic in topics for note in topic.notes)
        return f"{count_of(len(topics), 'topic')} not tried: {'; '.join(reasons)}"

    @property
    def passing(self) -> tuple[TopicSummary, ...]:
        """The topics of which every check passes."""
        return tuple(topic for topic in self.topics if topic.passes)

    @property
    def _tried(self) -> tuple[TopicSummary, ...]:
        ends = (TopicStatus.PASSED, TopicStatus.NOT_REACHED)
        return tuple(topic for topic in self.topics if topic.status not in ends)


def summarise(result: Result, stage: Stage, patterns: Iterable[Pattern]) -> tuple[TaskSummary, ...]:
    """Return the summaries of all tasks; without the stage's patterns they name no mistakes."""
    diagnosis = diagnose(result, stage, patterns)
    numbers = {task.task: number for number, task in enumerate(result.tasks, start=1)}
    # What was not tried may be right: it is no reason to fix it first.
    tried = {
        task.task
        for task in result.tasks
        if _status(task.tests, numbers[task.task]) is not TopicStatus.NOT_REACHED
    }
    summaries = []
    for task in result.tasks:
        topics: dict[tuple[str, bool], list[tuple[TestResult, float]]] = {}
        for test, weight in zip(task.tests, weights_of(task.tests), strict=True):
            topics.setdefault((test.topic, test.hidden), []).append((test, weight * task.max_score))
        number = numbers[task.task]
        topics_by_key = {key: _topic(number, tests) for key, tests in topics.items()}
        apart = [test for test in task.tests if test.name in diagnosis.apart.get(task.task, ())]
        status = _status(task.tests, number)
        written = status not in AHEAD
        follows = diagnosis.follows.get(task.task, ()) if written else ()
        may_follow = diagnosis.may_follow.get(task.task, ()) if written else ()
        may_follow = tuple(cause for cause in may_follow if cause in tried)
        summaries.append(
            TaskSummary(
                number,
                task.task,
                task.title,
                status,
                task.score,
                task.max_score,
                tuple(topics_by_key.values()),
                _notes((reason, "") for reason in task.skipped),
                _mistake(diagnosis.matches.get(task.task)),
                tuple(sorted(numbers[cause] for cause in follows)),
                tuple(sorted(numbers[cause] for cause in may_follow)),
                topics_by_key[apart[0].topic, apart[0].hidden] if apart else None,
            )
        )
    return tuple(summaries)


def begin_with(tasks: Collection[TaskSummary]) -> str:
    """Return which tasks to look at before those that fail because of them, or may; "" if none.

    A task with others to look at first is not named as a cause. One that fails by itself comes
    before the causes after it, because these may build on it in a way that nothing shows.
    """
    causes_by_number = {task.number: task.causes for task in tasks}
    shown = {task.number for task in tasks if task.follows}
    groups: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
    for task in tasks:
        if task.causes:
            causes, between = _first_causes(task.number, causes_by_number)
            failing, perhaps = groups.setdefault(causes, ([], []))
            if task.follows and between <= shown:
                failing.append(task.number)
            else:  # a cause that only may follow from another one makes the whole chain uncertain
                perhaps.append(task.number)
    sentences: list[str] = []
    first_cause = min((cause for causes in groups for cause in causes), default=0)
    earlier = [task.number for task in tasks if task.failing and task.number < first_cause]
    if earlier:
        sentences.append(f"Begin with {name_tasks(earlier)}.")
    for causes, (failing, perhaps) in sorted(groups.items()):
        begin = "Then look at" if sentences else "Begin with"
        them = "it" if len(causes) == 1 else "them"
        parts = []
        if failing:
            parts.append(f"what fails there makes {name_tasks(failing)} fail, too")
        if perhaps:
            parts.append(f"{name_tasks(perhaps)} may follow from {them}")
        sentences.append(f"{begin} {name_tasks(causes)}: {', and '.join(parts)}.")
    return " ".join(sentences)


def _first_causes(
    number: int, causes_by_number: Mapping[int, tuple[int, ...]]
) -> tuple[tuple[int, ...], set[int]]:
    """Return the causes of a task that have no causes themselves, in order, and the others."""
    first: set[int] = set()
    seen: set[int] = set()
    todo = list(causes_by_number[number])
    while todo:
        cause = todo.pop()
        if cause in seen:
            continue
        seen.add(cause)
        earlier = causes_by_number.get(cause, ())
        todo += earlier
        if not earlier:
            first.add(cause)
    return tuple(sorted(first)), seen - first


def _mistake(match: Match | None) -> str:
    if match is None or not match.tells:
        return ""
    names = " or ".join(f"“{name}”" for name in match.names)
    return f"Your program fails the same checks as a known mistake: {names}. Could that be it?"


def _topic(number: int, weighed: Iterable[tuple[TestResult, float]]) -> TopicSummary:
    tests, points = zip(*weighed, strict=True)
    passed = [test.outcome is Outcome.PASSED for test in tests]
    return TopicSummary(
        tests[0].topic,
        tests[0].hidden,
        _status(tests, number),
        sum(passed),
        len(tests),
        round(sum(compress(points, passed)), 4),
        round(sum(points), 4),
        _notes(
            (_message_of(test), test.example)
            for test in tests
            if test.outcome is not Outcome.PASSED
        ),
        next((test.where for test in tests if test.where), None),
        sum(test.outcome is Outcome.NOT_REACHED for test in tests),
    )


def _message_of(test: TestResult) -> str:
    """Return what a failing test says; an example speaks for itself."""
    if test.message or test.example:
        return test.message
    return WITHOUT_MESSAGE[test.outcome]


def _in_two_lines(topic: TopicSummary) -> tuple[str, str]:
    """Return a call and what came of it; of a hidden check its rule and its example."""
    lines = topic.notes[0].text.split(WHY)[0].split(TO_TRY)[0].splitlines()
    fact_lines = [line.strip() for line in lines if FACT.match(line)]
    # One blank after the label; those in a value may be what is wrong.
    facts = [LABEL.sub(" ", line, count=1) for line in fact_lines]
    facts = facts[:1] if lines[0].startswith(FOUND) else facts
    calls = [line.strip() for line in lines if line and not FACT.match(line)]
    last = calls[-1] if calls else topic.status.words
    if topic.hidden:
        return clip(topic.topic), clip(" ".join(facts[-1:]) or last)
    commands = [line.removeprefix(RUN) for line in lines if line.startswith(RUN)]
    if commands:
        return clip(commands[0]), clip(", ".join(facts[-2:]))
    if not facts:
        call = calls[-2] if len(calls) > 1 else topic.topic
        return clip(call), clip(last)
    if len(facts) > 1 and not LABEL.search(fact_lines[1]):
        facts = facts[:1]  # advice has no label; it stands in the whole message
    return clip(calls[-1] if calls else topic.topic), clip(", ".join(facts[:2]))


def _status(tests: Iterable[TestResult], number: int) -> TopicStatus:
    """Return how far tests of this task are; one that meets another task's stub is written."""
    outcomes = {test.outcome for test in tests}
    if Outcome.PASSED in outcomes:
        return TopicStatus.PASSED if len(outcomes) == 1 else TopicStatus.PARTLY
    if outcomes <= {Outcome.NOT_REACHED}:
        return TopicStatus.NOT_REACHED
    visible = [test for test in tests if not test.hidden]
    if visible and all(test.stub in (0, number) for test in visible):
        return TopicStatus.UNWRITTEN
    return TopicStatus.FAILED


def _notes(messages: Iterable[tuple[str, str]]) -> tuple[Note, ...]:
    """Return the notes of these messages and examples, the same ones counted."""
    counts = Counter(messages)
    return tuple(Note(message, count, example) for (message, example), count in counts.items())
