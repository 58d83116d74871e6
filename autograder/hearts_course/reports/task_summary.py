"""A result task by task and topic by topic: the summary that every page and export shows.

topic    a rule that a task is checked for; several checks may share it
stub     a definition that is not written yet, and raises an error when it is called
cause    a task whose mistake makes checks of another task fail
follow   a task follows from another task if the other task is the cause of its failures
apart    failures of a task that are not known to follow from another task
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import compress
from textwrap import dedent, indent

from hearts_course.course import Course, Stage, name_tasks
from hearts_course.misconceptions import Diagnosis, Match, Pattern, diagnose, meet_own_stub
from hearts_course.results import (
    Outcome,
    Result,
    SourcePosition,
    TaskResult,
    TestResult,
    passed,
    weights_of,
)
from hearts_course.testing.messages import NEAR_EXAMPLE, TO_TRY, WHY, YOUR_PROGRAM
from hearts_course.testing.steps import clip
from hearts_course.text import agreeing, count_of, listed

TRY = "Try it:"
BEGIN = "Begin with"
# Begins a line that names one finding of a check. A short summary shows only the first finding.
FOUND = "  found "
# Beginnings of the lines that show what to type, and not a result.
OF_A_SCRIPT = ("  run ", "  type ", "  then ", "  its input ")
# Matches the beginning of a line that shows a result; lines of OF_A_SCRIPT match as well.
FACT = re.compile(r"  \S")
WITHOUT_MESSAGE = {
    Outcome.FAILED: "this check fails",
    Outcome.TIMEOUT: "this took too long",
    Outcome.CRASHED: "the program ended early",
    Outcome.NOT_REACHED: "this was not reached",
}


class TopicStatus(Enum):
    """How far a task or one of its topics is: a mark and words, which are always shown together.

    So a reader needs no colours to see the status.
    """

    PASSED = "✓", "passed"
    PARTLY = "◐", "partly correct"
    FAILED = "✗", "not correct yet"
    UNWRITTEN = "○", "not written yet"
    BEGUN = "◐", "not finished yet"
    NOT_REACHED = "–", "not reached"

    def __init__(self, mark: str, words: str) -> None:
        self.mark = mark
        self.words = words


# These words follow the names of tasks that failures may follow from, because the cause may also be
# elsewhere.
OR_OWN = "or another task, or have a mistake of its own"
AHEAD = (TopicStatus.UNWRITTEN, TopicStatus.NOT_REACHED)
FAILING = (TopicStatus.FAILED, TopicStatus.PARTLY)
UNFINISHED = (TopicStatus.UNWRITTEN, TopicStatus.BEGUN)


@dataclass(frozen=True)
class Note:
    """A message, the number of checks of a topic with this message, and an example.

    The example is code to try, which fails on this program too. Checks of a topic often fail with
    the same message, and a page shows this message only once.
    """

    message: str
    count: int
    example: str = ""

    @property
    def pasteable(self) -> str:
        """The message, with the lines to type at the left margin, as Python wants them."""
        said, to_try, lines_to_type = self.message.partition(f"{TO_TRY}\n")
        return said + to_try + dedent(lines_to_type)

    @property
    def text(self) -> str:
        """The message, and below it the example."""
        if not self.example:
            return self.message
        return "\n".join(filter(None, (self.message, TRY, indent(self.example, "    "))))


@dataclass(frozen=True)
class TopicSummary:
    """The checks of one topic: how many pass, their points, and the messages of failing checks.

    `where` is a line of the program: the line of the first check that names one, None if no check
    does. `not_run` is how many of the checks were not run.
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
class Causes:
    """The tasks and stages that a task's failures come from, and that should be fixed first.

    follows      numbers of tasks from which all failures of this task were shown to follow
    may_follow   numbers of tasks from which failures of this task may follow
    waits        the tasks in `follows` are not written yet
    unfinished   earlier stages that the task's checks need and that are not written yet
    """

    follows: tuple[int, ...] = ()
    may_follow: tuple[int, ...] = ()
    waits: bool = False
    unfinished: tuple[Stage, ...] = ()

    @property
    def tasks(self) -> tuple[int, ...]:
        """The numbers of the tasks to fix first."""
        return self.follows or self.may_follow

    @property
    def explain_all(self) -> bool:
        """Whether it was shown that all failures come from other tasks or an earlier stage."""
        return self.follows != () or self.unfinished != ()

    @property
    def sentence(self) -> str:
        """A sentence on the tasks in `may_follow`; "" if there are none."""
        if not self.may_follow:
            return ""
        return f"It {self.words} {OR_OWN}."

    @property
    def words(self) -> str:
        """What the failures come from, such as "fails along with task 1"; "" without known causes.

        Even with known causes, the task may have a mistake of its own.
        """
        if self.unfinished:
            return f"waits for {listed(map(_files, self.unfinished))}"
        if self.waits:
            return f"waits for {name_tasks(self.follows)}"
        if self.follows:
            return f"fails along with {name_tasks(self.follows)}"
        if self.may_follow:
            return f"may follow from {name_tasks(self.may_follow)}"
        return ""


NO_CAUSES = Causes()


@dataclass(frozen=True)
class FirstFailure:
    """A failing check, shown for a task whose failures may follow from other tasks.

    `lines` are the rule, then lines of the result. `lead` stands above them, after the task's name.
    """

    lead: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class TaskSummary:
    """A task; `skipped` has the reasons why checks could not be run.

    `mistake` is a sentence on the known mistake that fits the task's failures. `causes` are the
    tasks and stages that its failures come from. If only some failures were shown to follow from
    other tasks, `apart` is the topic of the first of the remaining failures.
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
    causes: Causes = NO_CAUSES
    apart: TopicSummary | None = None

    @property
    def folds(self) -> bool:
        """Whether one line is enough: the task passes, or all its failures come from elsewhere."""
        return self.status is TopicStatus.PASSED or self.causes.explain_all

    @property
    def first_failure(self) -> FirstFailure | None:
        """A failing check to show if the task may follow from another task; otherwise None.

        The task may also have a mistake of its own, so the student sees one of its failures: the
        first that was not shown to follow from another task, or else the first of all.
        """
        if not self.causes.may_follow or not self._tried:
            return None
        causes = name_tasks(self.causes.may_follow)
        lead = f"may follow from {causes} {OR_OWN}. Its first failing check:"
        if self.apart:
            lead = f"follows in part from {causes}. A check to look at again after that:"
        return FirstFailure(lead, _in_short(self.apart or self._tried[0]))

    @property
    def count(self) -> str:
        """How many checks pass, and how many were not tried: "1 of 2 checks pass, 1 not tried"."""
        passing = sum(topic.passed for topic in self.topics)
        total = sum(topic.total for topic in self.topics)
        count = f"{passing} of {count_of(total, 'check')} {agreeing(total, 'passes', 'pass')}"
        not_run = sum(topic.not_run for topic in self.topics)
        return f"{count}, {not_run} not tried" if not_run else count

    @property
    def sentence(self) -> str:
        """How the points are made up, such as "1 of 2 checks pass: 3 of 6 points"."""
        return f"{self.count}: {self.score:g} of {count_of(self.max_score, 'point')}"

    @property
    def failing(self) -> tuple[TopicSummary, ...]:
        """The topics to fix, in a task that was written and reached.

        There are none if all failures were shown to come from elsewhere. Otherwise all failing
        topics are here, because the task may have a mistake of its own.
        """
        if self.causes.explain_all or self.status in AHEAD:
            return ()
        if self.status is TopicStatus.BEGUN:
            return tuple(topic for topic in self._tried if topic.status not in UNFINISHED)
        return self._tried

    @property
    def folded(self) -> tuple[TopicSummary, ...]:
        """The failing topics, if all failures come from other tasks or stages; otherwise ()."""
        if self.causes.explain_all:
            return self._tried
        return ()

    @property
    def ahead(self) -> tuple[TopicSummary, ...]:
        """The topics that fail because the task is not fully written, or was not reached."""
        if self.status is TopicStatus.BEGUN:
            return tuple(topic for topic in self.topics if topic.status in UNFINISHED)
        if self.status not in AHEAD:
            return ()
        return tuple(topic for topic in self.topics if not topic.passes)

    @property
    def not_tried(self) -> str:
        """One line on checks that were not tried; "" if each topic has a check that was tried.

        It is also "" for a task that is not written or was not reached.
        """
        topics = [topic for topic in self.topics if topic.status is TopicStatus.NOT_REACHED]
        if not topics or self.status in AHEAD:
            return ""
        reasons: dict[str, None] = {}  # reasons, each once, in the order of the topics
        for topic in topics:
            reasons |= dict.fromkeys(note.message for note in topic.notes)
        checks = sum(topic.not_run for topic in self.topics)
        return f"{count_of(checks, 'check')} not tried: {'; '.join(reasons)}"

    @property
    def checks_ahead(self) -> int:
        """How many checks of the topics in `ahead` do not pass yet."""
        return sum(topic.total - topic.passed for topic in self.ahead)

    @property
    def checks_passing(self) -> int:
        """How many checks pass, in all topics of the task."""
        return sum(topic.passed for topic in self.topics)

    @property
    def passing(self) -> tuple[TopicSummary, ...]:
        """The topics whose checks all pass."""
        return tuple(topic for topic in self.topics if topic.passes)

    @property
    def _tried(self) -> tuple[TopicSummary, ...]:
        """The topics that do not pass, except those whose status is NOT_REACHED."""
        ends = (TopicStatus.PASSED, TopicStatus.NOT_REACHED)
        return tuple(topic for topic in self.topics if topic.status not in ends)


def summarise(result: Result, stage: Stage, patterns: Iterable[Pattern]) -> tuple[TaskSummary, ...]:
    """Return the summaries of all tasks.

    `patterns` are the known mistakes, each with the tests that fail because of it. Without
    patterns, no summary names a known mistake.
    """
    diagnosis = diagnose(result, stage, patterns)
    statuses: dict[str, TopicStatus] = {}
    for number, task in enumerate(result.tasks, start=1):
        status = _status(task.tests, number, _only_own_stubs(stage, task))
        if task.untouched and status not in (TopicStatus.PASSED, TopicStatus.NOT_REACHED):
            status = TopicStatus.UNWRITTEN  # nothing was written that could have a fault
        elif status is TopicStatus.UNWRITTEN and not task.untouched:
            status = TopicStatus.BEGUN  # a definition was written, and another one was not
        statuses[task.task] = status
    return tuple(_summary(task, stage, statuses, diagnosis) for task in result.tasks)


def _only_own_stubs(stage: Stage, task: TaskResult) -> bool:
    """Return whether only stubs of the task itself are a sign that the task is not finished.

    Return False for an untouched task without blanks. Such a task is about definitions of other
    tasks, so their stubs are a sign too.
    """
    # A final result may also have a task that a person marks, which is not in `stage.tasks`.
    has_blanks = any(each.id == task.task and each.blanks for each in stage.tasks)
    return has_blanks or not task.untouched


def _summary(
    task: TaskResult, stage: Stage, statuses: Mapping[str, TopicStatus], diagnosis: Diagnosis
) -> TaskSummary:
    """Return the summary of a task.

    `statuses` maps the id of every task to its status, in the order of the tasks.
    """
    number = [*statuses].index(task.task) + 1
    topics = _topics(task, number, _only_own_stubs(stage, task))
    not_explained = diagnosis.apart.get(task.task, ())
    apart: TopicSummary | None = None
    for test in task.tests:
        if apart is None and test.name in not_explained:
            apart = topics[test.topic, test.hidden]
    causes = _causes(task.task, stage, statuses, diagnosis)
    if causes.tasks or causes.unfinished:
        topics = {key: _without_advice(topic) for key, topic in topics.items()}
        apart = apart and _without_advice(apart)
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
        causes=causes,
        apart=apart,
    )


def _causes(
    task_id: str, stage: Stage, statuses: Mapping[str, TopicStatus], diagnosis: Diagnosis
) -> Causes:
    """Return the causes of a task's failures.

    `statuses` maps the id of every task to its status, in the order of the tasks. If the task
    itself is not written or not reached, name no tasks to fix first, because the student has to
    write this task anyway.
    """
    waits = task_id in diagnosis.waits
    if statuses[task_id] in AHEAD:
        return Causes(waits=waits)
    numbers = {name: number for number, name in enumerate(statuses, start=1)}
    follows = [numbers[cause] for cause in diagnosis.follows.get(task_id, ())]
    may_follow: list[int] = []
    for cause in diagnosis.may_follow.get(task_id, ()):
        # A task that was not reached may be right, so it is not named as a task to fix.
        if statuses[cause] is not TopicStatus.NOT_REACHED:
            may_follow.append(numbers[cause])
    unfinished: list[Stage] = []
    for name in diagnosis.unfinished.get(task_id, ()):
        unfinished.append(Course(stage.root).stage(name))
    return Causes(
        follows=tuple(sorted(follows)),
        may_follow=tuple(sorted(may_follow)),
        waits=waits,
        unfinished=tuple(unfinished),
    )


def _without_advice(topic: TopicSummary) -> TopicSummary:
    """Return the topic. If it is hidden, leave out the advice in its messages.

    A line that begins with NEAR_EXAMPLE is advice. Nobody has tried this advice on the program. If
    failures may follow from another task, the program may already do what the advice says.
    """
    if not topic.hidden:
        return topic
    notes = []
    for note in topic.notes:
        lines = [line for line in note.message.split("\n") if not line.startswith(NEAR_EXAMPLE)]
        notes.append(replace(note, message="\n".join(lines)))
    return replace(topic, notes=tuple(notes))


def _files(stage: Stage) -> str:
    """Return the names of a stage's files, in words."""
    return listed(stage.files)


def _unfinished_sentences(tasks: Iterable[TaskSummary], check: str) -> Iterator[str]:
    """Yield sentences on earlier stages that are not written yet, and the tasks that need them."""
    needed: dict[str, tuple[Stage, list[int]]] = {}
    for task in tasks:
        for stage in task.causes.unfinished:
            needed.setdefault(stage.name, (stage, []))[1].append(task.number)
    for stage, numbers in needed.values():
        number = stage.name.partition("-")[0]
        needs = agreeing(len(numbers), "needs", "need")
        how = f" ({check.format(stage.name)})" if check else ""
        yield (
            f"Begin with stage {number}: {_files(stage)} is not finished, and "
            f"{name_tasks(numbers)} {needs} it{how}."
        )


@dataclass
class Consequences:
    """The numbers of tasks with the same causes, grouped by what the causes do to them.

    Tasks in `waiting` wait for unwritten causes. Tasks in `failing` fail because of the causes, and
    tasks in `perhaps` may fail because of them.
    """

    waiting: list[int] = field(default_factory=list)
    failing: list[int] = field(default_factory=list)
    perhaps: list[int] = field(default_factory=list)

    def parts(self, causes: Sequence[int], *, in_full: bool = False) -> list[str]:
        """Return the parts of a sentence on these tasks, to put after the names of the causes.

        With `in_full`, each part names the causes again, because the sentence does not begin with
        all of them.
        """
        them = name_tasks(causes) if in_full else agreeing(len(causes), "it", "them")
        there = f"in {them}" if in_full else "there"
        parts = []
        if self.waiting:
            wait = agreeing(len(self.waiting), "waits", "wait")
            parts.append(f"{name_tasks(self.waiting)} {wait} for {them}")
        if self.failing:
            parts.append(f"what fails {there} makes {name_tasks(self.failing)} fail, too")
        if self.perhaps:
            parts.append(f"{name_tasks(self.perhaps)} may follow from {them}")
        return parts


@dataclass(frozen=True)
class Beginning:
    """Where to look first: sentences, and the number of the task that they begin with.

    sentences   the tasks and stages to look at, the first of them first
    waiting     sentences on tasks that only wait for unwritten tasks
    task        the first task that the first sentence names, 0 if it names none
    """

    sentences: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    task: int = 0

    @property
    def words(self) -> str:
        """All sentences, "" if there are none."""
        return " ".join((*self.sentences, *self.waiting))


def begin_with(tasks: Collection[TaskSummary], check: str = "", unproven: str = "") -> Beginning:
    """Return where to look first.

    - Earlier stages that are not written yet come first. `check` is the template of the command
      that checks these stages, "" for a reader who cannot run the command.
    - `unproven` is a sentence on earlier stages or tasks that may be wrong, "" if there are none.
      It comes first if all earlier stages are written.
    - Then come failing tasks without causes, if their numbers are lower than those of all causes. A
      cause may build on such a task.
    - Then come the causes of other failures, each with the tasks that fail or may fail because of
      it. A task that has causes itself is not named as a cause. No sentence sends the reader to a
      task to which an earlier sentence has sent them.
    - Tasks that only wait for unwritten tasks come last.
    """
    sentences = list(_unfinished_sentences(tasks, check))
    if unproven and not sentences:
        sentences.append(unproven)
    waiting_sentences: list[str] = []
    named: list[int] = []  # the tasks to look at, in the order of the sentences
    begins_with_task = not sentences
    groups = _consequences(tasks)
    first_cause = min(set[int]().union(*groups), default=0)
    for task in tasks:
        if task.failing and not task.causes.tasks and task.number < first_cause:
            named.append(task.number)
    if named:
        sentences.append(f"{_begin(sentences)} {name_tasks(named)}.")
    for causes, group in sorted(groups.items()):
        if group.failing or group.perhaps:
            new = [cause for cause in causes if cause not in named]
            parts = ", and ".join(group.parts(causes, in_full=len(new) < len(causes)))
            if new:
                parts = f"{_begin(sentences)} {name_tasks(new)}: {parts}"
            sentences.append(f"{parts[0].upper()}{parts[1:]}.")
            named += new
        else:
            waiting = name_tasks(group.waiting).capitalize()
            wait = agreeing(len(group.waiting), "waits", "wait")
            are = agreeing(len(causes), "is", "are")
            waiting_sentences.append(
                f"{waiting} {wait} for {name_tasks(causes)}, which {are} not finished yet."
            )
    first = named[0] if named and begins_with_task else 0
    return Beginning(tuple(sentences), tuple(waiting_sentences), first)


def _begin(sentences: Collection[str]) -> str:
    """Return the beginning of the next sentence on where to look; `sentences` come before it."""
    if sentences:
        return "Then look at"
    return BEGIN


def _consequences(tasks: Collection[TaskSummary]) -> dict[tuple[int, ...], Consequences]:
    """Return the tasks that have causes, grouped by their first causes (see `_first_causes`)."""
    causes_by_number = {task.number: task.causes.tasks for task in tasks}
    shown = {task.number for task in tasks if task.causes.follows}
    groups: dict[tuple[int, ...], Consequences] = {}
    for task in tasks:
        if task.causes.tasks:
            causes, between = _first_causes(task.number, causes_by_number)
            group = groups.setdefault(causes, Consequences())
            if task.causes.waits and not between:
                group.waiting.append(task.number)
            elif task.causes.follows and between <= shown:
                group.failing.append(task.number)
            else:  # the task or a cause between may fail for another reason
                group.perhaps.append(task.number)
    return groups


def _first_causes(
    number: int, causes_by_number: Mapping[int, tuple[int, ...]]
) -> tuple[tuple[int, ...], set[int]]:
    """Return a task's first causes, which have no causes themselves, and then its other causes.

    A sentence names only the first causes: once they are fixed, the other causes may be gone.
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
    """Return the sentence for the student about a known mistake; "" if none or too many fit."""
    if match is None or not match.tells:
        return ""
    names = " or ".join(f"“{name}”" for name in match.names)
    return f"Your program fails the same checks as a known mistake: {names}. Could that be it?"


def _topics(task: TaskResult, number: int, blanks: bool) -> dict[tuple[str, bool], TopicSummary]:
    """Map each topic of a task to its summary.

    A key is the topic's text and whether the topic's checks are hidden. Visible and hidden checks
    with the same topic are kept apart, because a page may show less about a hidden check.
    """
    weighed: dict[tuple[str, bool], list[tuple[TestResult, float]]] = {}
    for test, weight in zip(task.tests, weights_of(task.tests), strict=True):
        points = weight * task.max_score
        weighed.setdefault((test.topic, test.hidden), []).append((test, points))
    return {key: _topic(number, tests, blanks) for key, tests in weighed.items()}


def _topic(number: int, weighed: Iterable[tuple[TestResult, float]], blanks: bool) -> TopicSummary:
    """Return the summary of a topic; `weighed` are its tests, each with the points it can give."""
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
        status=_status(tests, number, blanks),
        passed=sum(passing),
        total=len(tests),
        score=round(sum(compress(points, passing)), 4),
        max_score=round(sum(points), 4),
        notes=_notes(messages),
        where=where,
        not_run=sum(test.outcome is Outcome.NOT_REACHED for test in tests),
    )


def _message_of(test: TestResult) -> str:
    """Return a failing test's message; a standard text if it has neither message nor example."""
    if test.message or test.example:
        return test.message
    return WITHOUT_MESSAGE[test.outcome]


def _in_short(topic: TopicSummary) -> tuple[str, ...]:
    """Return the rule, and at most two lines of the first message that show the result.

    The call itself is left out, because it may need names that only the whole message explains. For
    a hidden check, return the rule and its example, if the example is one line of code.
    """
    note = topic.notes[0]
    if topic.hidden:
        lines = note.example.splitlines()
        calls = [line for line in lines if not line.startswith(("from ", "import "))]
        if len(calls) == 1:
            return topic.topic, f"{TRY} {clip(calls[0])}"
        return (topic.topic,)
    lines = note.message.split(WHY)[0].split(TO_TRY)[0].splitlines()
    facts = []
    for line in lines:
        if line.startswith(YOUR_PROGRAM) or (FACT.match(line) and not line.startswith(OF_A_SCRIPT)):
            facts.append(line)
    if not facts:  # a message may be a single sentence, such as "not written yet"
        facts = lines[-1:]
    elif facts[0].startswith(FOUND):
        facts = facts[:1]
    return topic.topic, *map(clip, facts[:2])


def _status(tests: Iterable[TestResult], number: int, blanks: bool) -> TopicStatus:
    """Return the status that these tests give to the task with this `number`, or to its topic.

    The status is UNWRITTEN or BEGUN if every failing visible test calls a stub of the task. A stub
    of another task counts only if this task has no `blanks`.
    """
    tests = tuple(tests)
    outcomes = {test.outcome for test in tests}
    if outcomes == {Outcome.PASSED}:
        return TopicStatus.PASSED
    if outcomes <= {Outcome.NOT_REACHED}:
        return TopicStatus.NOT_REACHED
    visible = [test for test in tests if not test.hidden and test.outcome is not Outcome.PASSED]
    unwritten = meet_own_stub(visible, number, blanks=blanks)
    if Outcome.PASSED in outcomes:
        return TopicStatus.BEGUN if unwritten else TopicStatus.PARTLY
    return TopicStatus.UNWRITTEN if unwritten else TopicStatus.FAILED


def _notes(messages: Iterable[tuple[str, str]]) -> tuple[Note, ...]:
    """Return a note for each different pair of message and example, with the number of checks."""
    counts = Counter(messages)
    return tuple(Note(message, count, example) for (message, example), count in counts.items())
