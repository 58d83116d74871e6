"""What a check tells the student, as values that a terminal and a notebook show."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace

from hearts_course.course import Stage, Task
from hearts_course.reports.task_summary import (
    TaskSummary,
    TopicStatus,
    TopicSummary,
    count_of,
    summarise,
)
from hearts_course.results import Result, TaskResult

MAX_FAILURES = 3  # topics per task, where more than one task is checked
GRADE_NOTE = "Your grade comes from these visible checks and from others about the same rules."
TERMINAL = "hearts {} {}"  # how a check or a hint is asked for, and for which task
NOTEBOOK = '{}("{}")'


@dataclass(frozen=True)
class TaskReport:
    """One task: its summary, how far it is, the topics that fail, the commands to go on with.

    `left_out` is the number of failing topics that are not in `failures`.
    """

    summary: TaskSummary
    status: TopicStatus
    words: str
    failures: tuple[TopicSummary, ...]
    left_out: int
    check: str
    hint: str


@dataclass(frozen=True)
class CheckReport:
    """A whole check; `error` says why the program could not be checked, "" if it could.

    `notes` are what the student should know about the program that was checked, and `unsaved` how
    the notebook's file differs from it.
    """

    title: str
    where: str
    error: str
    tasks: tuple[TaskReport, ...]
    notes: tuple[str, ...] = ()
    unsaved: str = ""

    @property
    def score(self) -> float:
        """The points of the visible checks that passed."""
        return round(sum(task.summary.score for task in self.tasks), 2)

    @property
    def max_score(self) -> int:
        """The points of all tasks in the report."""
        return sum(task.summary.max_score for task in self.tasks)

    @property
    def passed(self) -> bool:
        """Whether every visible check passed."""
        return not self.error and all(task.status is TopicStatus.PASSED for task in self.tasks)


def stage_title(stage: Stage) -> str:
    """Return the stage's number and title, as its brief begins."""
    return f"{stage.name.split('-')[0]} {stage.title}"


def others_failing(topic: TopicSummary) -> str:
    """Return how many checks of the topic fail besides the first, in words; "" if none."""
    number = topic.total - topic.passed - 1
    verb = "fails" if number == 1 else "fail"
    return f"{count_of(number, 'more check')} of this {verb}" if number else ""


def report_on(
    stage: Stage,
    result: Result,
    *,
    where: str,
    commands: str,
    task: Task | None = None,
    untouched: Set[str] = frozenset(),
    notes: tuple[str, ...] = (),
    unsaved: str = "",
) -> CheckReport:
    """Return the report on a stage's result, or on one task of it.

    `untouched` are the ids of the tasks whose definitions are known to be the starter's.
    """
    limit = None if task else MAX_FAILURES
    tasks: dict[str, TaskReport] = {}
    for done in result.tasks:
        if task is None or done.task == task.id:
            number = stage.number(stage.task(done.task))
            tasks[done.task] = _report(number, done, commands, limit, done.task in untouched)
            if done.skipped:
                reasons = "; ".join(dict.fromkeys(done.skipped))
                what = f"{count_of(len(done.skipped), 'check')} of task {number}"
                notes += (f"{what} could not be run here: {reasons}",)
    shown = tasks.values() if task else _without_consequences(stage, tasks)
    return CheckReport(stage_title(stage), where, result.message, tuple(shown), notes, unsaved)


def _without_consequences(stage: Stage, tasks: Mapping[str, TaskReport]) -> Iterator[TaskReport]:
    """Yield every task, without its failures if it builds on one that does not pass."""
    for task_id, report in tasks.items():
        needs = [tasks[name] for name in stage.task(task_id).builds_on if name in tasks]
        needs = [other for other in needs if other.status is not TopicStatus.PASSED]
        if report.status in (TopicStatus.PARTLY, TopicStatus.FAILED) and needs:
            words = f"{report.words}; needs task {needs[0].summary.number}"
            report = replace(report, words=words, failures=(), left_out=0)
        yield report


def _report(
    number: int, done: TaskResult, commands: str, limit: int | None, untouched: bool
) -> TaskReport:
    summary = summarise(number, done)
    status, words = _status(summary, done, untouched)
    unwritten = status is TopicStatus.UNWRITTEN
    failures = () if unwritten else tuple(t for t in summary.topics if not t.passes)
    return TaskReport(
        summary,
        status,
        words,
        failures[:limit],
        len(failures) - len(failures[:limit]),
        commands.format("check", done.task),
        commands.format("hint", done.task),
    )


def _status(summary: TaskSummary, done: TaskResult, untouched: bool) -> tuple[TopicStatus, str]:
    """Return how far the task is; one that only meets the stub of another task is written."""
    status = summary.status
    if status in (TopicStatus.UNWRITTEN, TopicStatus.FAILED):
        own_stubs = all(test.stub in (0, summary.number) for test in done.tests)
        status = TopicStatus.UNWRITTEN if untouched or own_stubs else TopicStatus.FAILED
    if status in (TopicStatus.PARTLY, TopicStatus.FAILED):
        passed = sum(topic.passed for topic in summary.topics)
        return status, f"{passed} of {len(done.tests)} checks pass"
    not_run = f", {count_of(len(done.skipped), 'check')} not run" if done.skipped else ""
    return status, status.words + (not_run if status is TopicStatus.PASSED else "")
