"""What a check tells the student, as values that a terminal and a notebook show."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from enum import Enum

from hearts_course.course import Stage, Task
from hearts_course.results import Outcome, Result, TaskResult, TestResult

MAX_FAILURES = 3  # topics per task, where more than one task is checked
GRADE_NOTE = "Your grade comes from these visible checks and from others about the same rules."


class TaskStatus(Enum):
    """How far a task is; the value is its mark, which is never shown without words."""

    PASSED = "✓"
    FAILED = "✗"
    UNWRITTEN = "○"
    NOT_REACHED = "?"


@dataclass(frozen=True)
class CommandNames:
    """How to ask for a check and a hint where the report is read; `{}` is the task's id."""

    check: str
    hint: str


TERMINAL = CommandNames("hearts check {}", "hearts hint {}")
NOTEBOOK = CommandNames('check("{}")', 'hint("{}")')


@dataclass(frozen=True)
class Failure:
    """A topic that fails: the message of its first failing check, and how many others fail."""

    topic: str
    message: str
    others: str  # in words, "" if none


@dataclass(frozen=True)
class TaskReport:
    """One task; `left_out` is the number of failing topics that are not in `failures`."""

    number: int
    title: str
    score: float
    max_score: int
    status: TaskStatus
    words: str
    failures: tuple[Failure, ...]
    left_out: int
    check: str
    hint: str


@dataclass(frozen=True)
class CheckReport:
    """A whole check; `error` says why the program could not be checked, "" if it could.

    `notes` are what the student should know about the program that was checked.
    """

    title: str
    where: str
    error: str
    tasks: tuple[TaskReport, ...]
    notes: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """The points of the visible checks that passed."""
        return round(sum(task.score for task in self.tasks), 2)

    @property
    def max_score(self) -> int:
        """The points of all tasks in the report."""
        return sum(task.max_score for task in self.tasks)

    @property
    def passed(self) -> bool:
        """Whether every visible check passed."""
        return not self.error and all(task.status is TaskStatus.PASSED for task in self.tasks)


def stage_title(stage: Stage) -> str:
    """Return the stage's number and title, as its brief begins."""
    return f"{stage.name.split('-')[0]} {stage.title}"


def report_on(
    stage: Stage,
    result: Result,
    *,
    where: str,
    commands: CommandNames,
    task: Task | None = None,
    untouched: Set[str] = frozenset(),
    notes: tuple[str, ...] = (),
) -> CheckReport:
    """Return the report on a stage's result, or on one task of it.

    `untouched` are the ids of the tasks whose definitions are known to be the starter's.
    """
    limit = None if task else MAX_FAILURES
    tasks: dict[str, TaskReport] = {}
    for done in result.tasks:
        if task is None or done.task == task.id:
            tasks[done.task] = _report(stage, done, commands, limit, done.task in untouched)
            if done.skipped:
                reasons = "; ".join(dict.fromkeys(done.skipped))
                what = f"{_checks(len(done.skipped))} of task {tasks[done.task].number}"
                notes += (f"{what} could not be run here: {reasons}",)
    shown = tasks.values() if task else _without_consequences(stage, tasks)
    return CheckReport(stage_title(stage), where, result.message, tuple(shown), notes)


def _checks(number: int) -> str:
    return "1 check" if number == 1 else f"{number} checks"


def _without_consequences(stage: Stage, tasks: Mapping[str, TaskReport]) -> Iterator[TaskReport]:
    """Yield every task, without details if it builds on one that does not pass."""
    for task_id, report in tasks.items():
        needs = [tasks[name] for name in stage.task(task_id).builds_on if name in tasks]
        needs = [other for other in needs if other.status is not TaskStatus.PASSED]
        if report.status is TaskStatus.FAILED and needs:
            words = f"{report.words}; needs task {needs[0].number}"
            report = replace(report, words=words, failures=(), left_out=0)
        yield report


def _report(
    stage: Stage, done: TaskResult, commands: CommandNames, limit: int | None, untouched: bool
) -> TaskReport:
    number = stage.number(stage.task(done.task))
    status, words = _status(done, number, untouched)
    failures = _failures(done) if status is not TaskStatus.UNWRITTEN else ()
    return TaskReport(
        number=number,
        title=done.title,
        score=done.score,
        max_score=done.max_score,
        status=status,
        words=words,
        failures=failures[:limit],
        left_out=len(failures) - len(failures[:limit]),
        check=commands.check.format(done.task),
        hint=commands.hint.format(done.task),
    )


def _status(done: TaskResult, number: int, untouched: bool) -> tuple[TaskStatus, str]:
    passed = sum(test.outcome is Outcome.PASSED for test in done.tests)
    if passed == len(done.tests) > 0:
        not_run = f", {_checks(len(done.skipped))} not run" if done.skipped else ""
        return TaskStatus.PASSED, f"passed{not_run}"
    if all(test.outcome is Outcome.NOT_REACHED for test in done.tests):
        return TaskStatus.NOT_REACHED, "could not be checked"
    only_stubs = all(test.stub in (0, number) for test in done.tests)  # and no other task's
    if not passed and (untouched or only_stubs):
        return TaskStatus.UNWRITTEN, "not written yet"
    return TaskStatus.FAILED, f"{passed} of {len(done.tests)} checks pass"


def _failures(done: TaskResult) -> tuple[Failure, ...]:
    """Return the topics that fail; the first failing test of a topic gives the message."""
    topics: dict[str, list[TestResult]] = {}
    for test in done.tests:
        if test.outcome is not Outcome.PASSED:
            topics.setdefault(test.topic, []).append(test)
    others = {0: "", 1: "1 more check of this fails"}
    return tuple(
        Failure(
            topic,
            first.message or "could not be checked",
            others.get(len(rest), f"{len(rest)} more checks of this fail"),
        )
        for topic, (first, *rest) in topics.items()
    )
