"""What a check tells the student, as frozen values; text and HTML are renderings of these.

Report       a whole check
TaskReport   one task of it: how it stands and what went wrong
Failure      one thing that went wrong: its topic, what happened, how many checks say so
Ways         how one asks for a check or a hint where the report is read
report_on    the report on a result
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from enum import Enum
from itertools import groupby

from hearts_course.course import Stage, Task
from hearts_course.results import Outcome, Result, TaskResult, TestResult

UNWRITTEN = "not written yet"
MOST_FAILURES = 3  # topics per task, where more than one task was asked for
PART_OF_ALL = "Your grade comes from these visible checks and from others about the same rules."


class TaskStatus(Enum):
    """How a task stands; the value is its mark, which words always go with."""

    PASSED = "✓"
    FAILED = "✗"
    UNWRITTEN = "○"
    NOT_REACHED = "?"


@dataclass(frozen=True)
class Ways:
    """The commands of the place where a report is read; `{}` stands for the task's id."""

    check: str
    hint: str


TERMINAL = Ways("hearts check {}", "hearts hint {}")
NOTEBOOK = Ways('check("{}")', 'hint("{}")')


@dataclass(frozen=True)
class Failure:
    """What went wrong about one topic; `more` further checks of the topic failed as well."""

    topic: str
    message: str
    more: int

    @property
    def others(self) -> str:
        """How many further checks of the topic failed, in words; empty if none did."""
        if self.more == 1:
            return "1 more check of this fails"
        return f"{self.more} more checks of this fail" if self.more else ""


@dataclass(frozen=True)
class TaskReport:
    """How one task stands; `left_out` counts the failures that are not among `failures`."""

    number: int
    title: str
    score: float
    most: int
    face: TaskStatus
    words: str
    failures: tuple[Failure, ...]
    left_out: int
    check: str
    hint: str


@dataclass(frozen=True)
class CheckReport:
    """A whole check; `fault` is why the program could not be checked, empty if it could.

    `notes` are what the student should know about what was checked.
    """

    title: str
    where: str
    fault: str
    tasks: tuple[TaskReport, ...]
    notes: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """The points of the visible checks that passed."""
        return round(sum(task.score for task in self.tasks), 2)

    @property
    def most(self) -> int:
        """The points there are."""
        return sum(task.most for task in self.tasks)

    @property
    def passed(self) -> bool:
        """Whether every visible check passed."""
        return not self.fault and all(task.face is TaskStatus.PASSED for task in self.tasks)


def numbered(stage: Stage) -> str:
    """The stage's number and title, as its brief is headed."""
    return f"{stage.name.split('-')[0]} {stage.title}"


def report_on(
    stage: Stage,
    result: Result,
    *,
    where: str,
    ways: Ways,
    task: Task | None = None,
    untouched: Set[str] = frozenset(),
    notes: tuple[str, ...] = (),
) -> CheckReport:
    """The report on a stage's result, or on one task of it.

    `untouched` are the ids of the tasks whose definitions are still the starter's, as far as known.
    """
    most = None if task else MOST_FAILURES
    tasks = {
        done.task: _report(stage, done, ways, most, done.task in untouched)
        for done in result.tasks
        if task is None or done.task == task.id
    }
    shown = tasks.values() if task else _waiting(stage, tasks)
    skipped = (_skipped(stage, done) for done in result.tasks if done.task in tasks)
    notes = (*notes, *(note for note in skipped if note))
    return CheckReport(numbered(stage), where, result.message, tuple(shown), notes)


def _skipped(stage: Stage, done: TaskResult) -> str:
    """Which checks of the task were not made, and why; empty if all were."""
    if not done.skipped:
        return ""
    reasons = "; ".join(dict.fromkeys(done.skipped))
    number = stage.number(stage.task(done.task))
    return f"{_checks(len(done.skipped))} of task {number} could not be made here: {reasons}"


def _checks(number: int) -> str:
    return "1 check" if number == 1 else f"{number} checks"


def _waiting(stage: Stage, tasks: Mapping[str, TaskReport]) -> Iterator[TaskReport]:
    """Every task; one that builds on a task that does not pass waits for it, without details."""
    for task_id, report in tasks.items():
        needs = [tasks[name] for name in stage.task(task_id).builds_on if name in tasks]
        needs = [other for other in needs if other.face is not TaskStatus.PASSED]
        if report.face is TaskStatus.FAILED and needs:
            words = f"{report.words}; needs task {needs[0].number}"
            report = replace(report, words=words, failures=(), left_out=0)
        yield report


def _report(
    stage: Stage, done: TaskResult, ways: Ways, most: int | None, untouched: bool
) -> TaskReport:
    number = stage.number(stage.task(done.task))
    face, words = _verdict(done, number, untouched)
    found = _failures(done) if face in (TaskStatus.FAILED, TaskStatus.NOT_REACHED) else ()
    return TaskReport(
        number=number,
        title=done.title,
        score=done.score,
        most=done.max_score,
        face=face,
        words=words,
        failures=found[:most],
        left_out=len(found) - len(found[:most]),
        check=ways.check.format(done.task),
        hint=ways.hint.format(done.task),
    )


def _verdict(done: TaskResult, number: int, untouched: bool) -> tuple[TaskStatus, str]:
    passed = sum(test.outcome is Outcome.PASSED for test in done.tests)
    whole = len(done.tests)
    if passed == whole > 0:
        return (
            TaskStatus.PASSED,
            f"passed, {_checks(len(done.skipped))} not made" if done.skipped else "passed",
        )
    if all(test.outcome is Outcome.NOT_REACHED for test in done.tests):
        return TaskStatus.NOT_REACHED, "could not be checked"
    if not passed and (untouched or _stops_at_its_stubs(done, number)):
        return TaskStatus.UNWRITTEN, UNWRITTEN
    return TaskStatus.FAILED, f"{passed} of {whole} checks pass"


def _stops_at_its_stubs(done: TaskResult, number: int) -> bool:
    """Whether every test ended at a stub, and none at a stub of another task."""
    return all(test.stub in (0, number) for test in done.tests)


def _failures(done: TaskResult) -> tuple[Failure, ...]:
    """What went wrong, topic by topic; the first failing test of a topic speaks for it."""
    failed = [test for test in done.tests if test.outcome is not Outcome.PASSED]
    first = {test.topic: i for i, test in reversed(list(enumerate(failed)))}
    failed.sort(key=lambda test: first[test.topic])
    return tuple(_failure(topic, tests) for topic, tests in groupby(failed, lambda t: t.topic))


def _failure(topic: str, tests: Iterable[TestResult]) -> Failure:
    speaks, *others = tests
    return Failure(topic, speaks.message or "could not be checked", len(others))
