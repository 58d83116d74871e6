"""A result task by task and topic by topic: the summary that every page and export shows."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import compress
from textwrap import indent

from hearts_course.course import Stage, name_tasks
from hearts_course.misconceptions import Diagnosis, Match, Pattern, diagnose
from hearts_course.results import (
    Outcome,
    Result,
    SourcePosition,
    TaskResult,
    TestResult,
    passed,
    weights_of,
)
from hearts_course.testing.messages import TO_TRY, WHY
from hearts_course.testing.steps import RUN, clip
from hearts_course.text import agreeing, count_of

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
    """How far a task or one of its topics is; the mark never stands without the words.

    Students who do not see colours, and pages without any, have the mark and the words.
    """

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
    """A message, how many checks of a topic have it, and code to try, which fails here too.

    Checks of a rule often fail with the same message, which is then shown once.
    """

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

    `mistake` says which known mistake the task looks like. `follows` has the numbers of the tasks
    that its failures are shown to follow from, `may_follow` those that they may follow from. If
    only some of its checks are shown to follow, `apart` is a topic with a check that is not.
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
        if self.may_follow:
            return f"may follow from {name_tasks(self.may_follow)}"
        return ""

    @property
    def folds(self) -> bool:
        """Whether one line is enough: the task passes, or other tasks come before it."""
        return self.status is TopicStatus.PASSED or self.causes != ()

    @property
    def first_failure(self) -> tuple[str, ...]:
        """Two lines about the first check that fails, in a task that may follow from another.

        Its failures may be its own, so the student sees one of them: if possible, a failure that is
        not shown to follow.
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
        passing = sum(topic.passed for topic in self.topics)
        total = sum(topic.total for topic in self.topics)
        return f"{passing} of {count_of(total, 'check')} {agreeing(total, 'passes', 'pass')}"

    @property
    def sentence(self) -> str:
        """How the points come about, such as "1 of 2 checks pass: 3 of 6 points"."""
        return f"{self.count}: {self.score:g} of {count_of(self.max_score, 'point')}"

    @property
    def failing(self) -> tuple[TopicSummary, ...]:
        """The topics to fix, in a task that was written and reached.

        There are none if another task has to be fixed before this one.
        """
        if self.causes or self.status in AHEAD:
            return ()
        return self._tried

    @property
    def folded(self) -> tuple[TopicSummary, ...]:
        """The topics that pass or may pass once the tasks in `causes` are fixed."""
        if self.causes:
            return self._tried
        return ()

    @property
    def ahead(self) -> tuple[TopicSummary, ...]:
        """The topics of a task that is not written yet or was not reached."""
        if self.status not in AHEAD:
            return ()
        return tuple(topic for topic in self.topics if not topic.passes)

    @property
    def not_tried(self) -> str:
        """One line about the topics that were not reached, in a task that was; "" if none."""
        topics = [topic for topic in self.topics if topic.status is TopicStatus.NOT_REACHED]
        if not topics or self.status in AHEAD:
            return ""
        reasons: dict[str, None] = {}  # each once, in their order
        for topic in topics:
            reasons |= dict.fromkeys(note.message for note in topic.notes)
        return f"{count_of(len(topics), 'topic')} not tried: {'; '.join(reasons)}"

    @property
    def passing(self) -> tuple[TopicSummary, ...]:
        """The topics of which every check passes."""
        return tuple(topic for topic in self.topics if topic.passes)

    @property
    def _tried(self) -> tuple[TopicSummary, ...]:
        """The topics with a check that was run and does not pass."""
        ends = (TopicStatus.PASSED, TopicStatus.NOT_REACHED)
        return tuple(topic for topic in self.topics if topic.status not in ends)


def summarise(result: Result, stage: Stage, patterns: Iterable[Pattern]) -> tuple[TaskSummary, ...]:
    """Return the summaries of all tasks; without the stage's patterns they name no mistakes."""
    diagnosis = diagnose(result, stage, patterns)
    statuses: dict[str, TopicStatus] = {}
    for number, task in enumerate(result.tasks, start=1):
        statuses[task.task] = _status(task.tests, number)
    return tuple(_summary(task, statuses, diagnosis) for task in result.tasks)


def _summary(
    task: TaskResult, statuses: Mapping[str, TopicStatus], diagnosis: Diagnosis
) -> TaskSummary:
    """Return the summary of a task; `statuses` has all tasks in the order of their numbers.

    Tasks to fix first are named only once the task itself was written and reached: before that, it
    has its own work to do.
    """
    numbers = {name: number for number, name in enumerate(statuses, start=1)}
    number = numbers[task.task]
    topics = _topics(task, number)
    not_explained = diagnosis.apart.get(task.task, ())
    apart: TopicSummary | None = None
    for test in task.tests:
        if apart is None and test.name in not_explained:
            apart = topics[test.topic, test.hidden]
    follows: list[int] = []
    may_follow: list[int] = []
    if statuses[task.task] not in AHEAD:
        follows += [numbers[cause] for cause in diagnosis.follows.get(task.task, ())]
        for cause in diagnosis.may_follow.get(task.task, ()):
            # What was not reached may be right, so nobody is sent there first.
            if statuses[cause] is not TopicStatus.NOT_REACHED:
                may_follow.append(numbers[cause])
    return TaskSummary(
        number=number,
        id=task.task,
        title=task.title,
        status=statuses[task.task],
        score=task.score,
        max_score=task.max_score,
        topics=tuple(topics.values()),
        skipped=_notes((reason, "") for reason in task.skipped),
        mistake=_mistake(diagnosis.matches.get(task.task)),
        follows=tuple(sorted(follows)),
        may_follow=tuple(sorted(may_follow)),
        apart=apart,
    )


def begin_with(tasks: Collection[TaskSummary]) -> str:
    """Return which tasks to look at before those that fail because of them, or may; "" if none.

    A task with other tasks to look at first is not named as a cause. A task that fails by itself is
    named first if it comes before all causes, because they may build on it in a way that nothing
    shows.
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
    first_cause = min(set[int]().union(*groups), default=0)
    earlier = [task.number for task in tasks if task.failing and task.number < first_cause]
    if earlier:
        sentences.append(f"Begin with {name_tasks(earlier)}.")
    for causes, (failing, perhaps) in sorted(groups.items()):
        begin = "Begin with"
        if sentences:
            begin = "Then look at"
        them = agreeing(len(causes), "it", "them")
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
    """Return the causes of a task that have no causes themselves, in order, and the others.

    Only these are named: when they are fixed, the causes between them and the task may be gone.
    """
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
    """Return the sentence for the student about a known mistake; "" if too many would fit."""
    if match is None or not match.tells:
        return ""
    names = " or ".join(f"“{name}”" for name in match.names)
    return f"Your program fails the same checks as a known mistake: {names}. Could that be it?"


def _topics(task: TaskResult, number: int) -> dict[tuple[str, bool], TopicSummary]:
    """Return the summaries of a task's topics, by the topic's text and whether it is hidden.

    A visible and a hidden check may have the same topic. They are kept apart, because less may be
    shown of a hidden check.
    """
    weighed: dict[tuple[str, bool], list[tuple[TestResult, float]]] = {}
    for test, weight in zip(task.tests, weights_of(task.tests), strict=True):
        points = weight * task.max_score
        weighed.setdefault((test.topic, test.hidden), []).append((test, points))
    return {key: _topic(number, tests) for key, tests in weighed.items()}


def _topic(number: int, weighed: Iterable[tuple[TestResult, float]]) -> TopicSummary:
    """Return the summary of a topic's tests, each with the points that it can give.

    Its `where` is the first line that a test names.
    """
    tests, points = zip(*weighed, strict=True)
    passing = passed(tests)
    messages: list[tuple[str, str]] = []
    where = None
    for test in tests:
        if test.outcome is not Outcome.PASSED:
            messages.append((_message_of(test), test.example))
        where = where or test.where
    return TopicSummary(
        topic=tests[0].topic,
        hidden=tests[0].hidden,
        status=_status(tests, number),
        passed=sum(passing),
        total=len(tests),
        score=round(sum(compress(points, passing)), 4),
        max_score=round(sum(points), 4),
        notes=_notes(messages),
        where=where,
        not_run=sum(test.outcome is Outcome.NOT_REACHED for test in tests),
    )


def _message_of(test: TestResult) -> str:
    """Return what a failing test says; an example speaks for itself."""
    if test.message or test.example:
        return test.message
    return WITHOUT_MESSAGE[test.outcome]


def _in_two_lines(topic: TopicSummary) -> tuple[str, str]:
    """Return a call and what came of it; of a hidden check its rule and its example.

    A message is the call, what came of it, and then reasons and advice. Of these only the first
    fits into two lines.
    """
    lines = topic.notes[0].text.split(WHY)[0].split(TO_TRY)[0].splitlines()
    fact_lines = [line.strip() for line in lines if FACT.match(line)]
    # One blank after the label; those in a value may be what is wrong.
    facts = [LABEL.sub(" ", line, count=1) for line in fact_lines]
    if lines[0].startswith(FOUND):
        facts = facts[:1]
    calls = [line.strip() for line in lines if line and not FACT.match(line)]
    last = topic.status.words
    if calls:
        last = calls[-1]
    if topic.hidden:
        return clip(topic.topic), clip(" ".join(facts[-1:]) or last)
    commands = [line.removeprefix(RUN) for line in lines if line.startswith(RUN)]
    if commands:
        return clip(commands[0]), clip(", ".join(facts[-2:]))
    what_was_tried = topic.topic
    if not facts:
        if len(calls) > 1:
            what_was_tried = calls[-2]
        return clip(what_was_tried), clip(last)
    if len(facts) > 1 and not LABEL.search(fact_lines[1]):
        facts = facts[:1]  # advice has no label; it stands in the whole message
    if calls:
        what_was_tried = calls[-1]
    return clip(what_was_tried), clip(", ".join(facts[:2]))


def _status(tests: Iterable[TestResult], number: int) -> TopicStatus:
    """Return how far tests of this task are.

    A task is not written yet if every visible test meets its stub. A test that meets the stub of
    another task says nothing of the kind.
    """
    outcomes = {test.outcome for test in tests}
    if Outcome.PASSED in outcomes:
        if len(outcomes) == 1:
            return TopicStatus.PASSED
        return TopicStatus.PARTLY
    if outcomes <= {Outcome.NOT_REACHED}:
        return TopicStatus.NOT_REACHED
    visible = [test for test in tests if not test.hidden]
    if visible and all(test.stub in (0, number) for test in visible):
        return TopicStatus.UNWRITTEN
    return TopicStatus.FAILED


def _notes(messages: Iterable[tuple[str, str]]) -> tuple[Note, ...]:
    """Return the notes of these messages and examples.

    Checks that say the same become one note with their number.
    """
    counts = Counter(messages)
    return tuple(Note(message, count, example) for (message, example), count in counts.items())
