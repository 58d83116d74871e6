"""What a check tells the student, as values that a terminal and a notebook show.

A task "may follow" from another task if its failures may come from a mistake in the other task.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from hearts_course.course import Stage, Task, name_tasks
from hearts_course.edition import HERE
from hearts_course.misconceptions import load_patterns
from hearts_course.questions import load_questions
from hearts_course.reports.task_summary import (
    FAILING,
    FirstFailure,
    TaskSummary,
    TopicStatus,
    TopicSummary,
    begin_with,
    summarise,
)
from hearts_course.results import Outcome, Result, TaskResult, points_in_words
from hearts_course.student.state import StudentState
from hearts_course.testing.messages import WHY
from hearts_course.text import agreeing, count_of

if TYPE_CHECKING:
    from hearts_course.student.brief_examples import DifferingExample

MAX_FAILURES = 3  # failing topics shown for a task, if more than one task is checked
ALL_NOTE = "The hidden checks are included."
GRADE_NOTE = HERE.text(
    "<!-- if terminal -->Your grade comes from these visible checks and from others about the same "
    "rules.<!-- else These are the visible checks; a teacher may have others of the same rules. -->"
)
KINDS = {
    "  came back": "came",
    "  found": "came",
    "  raised": "came",
    "your program took longer": "came",
    "  expected": "expected",
    "  must contain": "expected",
    WHY: "why",
}
TERMINAL = "hearts {} {}"  # a command: its verb, such as `check`, then a task or stage
NOTEBOOK = '{}("{}")'
NONE_DIFFER: "Mapping[str, DifferingExample]" = MappingProxyType({})
FULL = {TERMINAL: "hearts check --full {}", NOTEBOOK: 'check("{}", full=True)'}


@dataclass(frozen=True)
class TaskReport:
    """A task: its summary, status, points and failing topics, and the commands to go on with.

    `left_out` is the number of failing topics that are not in `failures`. A task that may follow
    from another task has a `first_failure` instead of `failures`, unless it was checked alone.
    `check` and `hint` are commands. `other_hints` are commands for hints to other tasks that may be
    at fault. `example` is an example of the brief for which the program's output differs, although
    the visible checks pass.
    """

    summary: TaskSummary
    status: TopicStatus
    words: str
    points: str
    failures: tuple[TopicSummary, ...]
    left_out: int
    check: str
    hint: str
    first_failure: FirstFailure | None = None
    other_hints: tuple[str, ...] = ()
    example: "DifferingExample | None" = None


@dataclass(frozen=True)
class CheckReport:
    """A whole check; `where` names the checked files.

    error        why the program could not be checked, "" if it could
    tested       whether any check was run; some may run even if one module has an `error`
    notes        what the student should know about the checked program
    not_run      for each reason why checks were not run, a sentence with their number
    begin_with   the tasks to look at first, because other tasks may fail because of them
    unsaved      how the notebook's file differs from the program
    grade_note   what the points mean
    offers       commands to go on with, each after its purpose

    `not_run` is about the checks of all tasks. If a task's own report does not mention checks that
    were not run, `notes` mentions them.
    """

    title: str
    where: str
    error: str
    tasks: tuple[TaskReport, ...]
    notes: tuple[str, ...] = ()
    begin_with: str = ""
    unsaved: str = ""
    grade_note: str = GRADE_NOTE
    offers: tuple[tuple[str, str], ...] = ()
    not_run: tuple[str, ...] = ()
    tested: bool = True

    @property
    def score(self) -> float:
        """The points of all checks that passed; hidden checks are run only in a full check.

        A task with a check that could not be run does not count.
        """
        return round(sum(task.summary.score for task in self.tasks if not task.summary.skipped), 2)

    @property
    def max_score(self) -> int:
        """The points of all tasks in the report whose checks could all be run."""
        return sum(task.summary.max_score for task in self.tasks if not task.summary.skipped)

    @property
    def points(self) -> str:
        """The points in words; a task has unknown points if one of its checks could not be run.

        If another check of such a task fails, the words say that the task cannot get all its
        points.
        """
        unknown = [task for task in self.tasks if task.summary.skipped]
        points = sum(task.summary.max_score for task in unknown)
        words = points_in_words(self.score, self.max_score, points)
        failing = [task.summary.number for task in unknown if task.status in FAILING]
        if failing:
            fail = agreeing(len(failing), "fails", "fail")
            them = agreeing(points, "it", "them")
            words += f", and not all of {them}: {name_tasks(failing)} {fail} a check"
        return words

    @property
    def passed(self) -> bool:
        """Whether every check in the report passed, except checks that could not be run here."""
        return not self.error and all(task.status is TopicStatus.PASSED for task in self.tasks)


def stage_title(stage: Stage) -> str:
    """Return the stage's number and title, such as "05 Full Hearts"."""
    return f"{stage.name.split('-')[0]} {stage.title}"


def lines_by_kind(message: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each line of a failure's message; kinds decide colours.

    The kind is "came" for what came back or was raised, "expected" for what was expected, "why" for
    the reason, and "" for the rest.
    """
    for line in message.split("\n"):
        yield _kind(line), line


def _kind(line: str) -> str:
    """Return the kind of a message's line, judged by how the line begins; "" for the rest."""
    for begin, kind in KINDS.items():
        if line.startswith(begin):
            return kind
    return ""


def others_failing(topic: TopicSummary) -> str:
    """Return how many checks of the topic fail besides the first, in words; "" if none."""
    number = topic.total - topic.passed - topic.not_run - 1
    if number <= 0:
        return ""
    return f"{count_of(number, 'more check')} of this {agreeing(number, 'fails', 'fail')}"


def report_on(
    stage: Stage,
    result: Result,
    *,
    where: str,
    commands: str,
    task: Task | None = None,
    notes: tuple[str, ...] = (),
    if_wrong: Callable[[], str] = str,
    unsaved: str = "",
    state: StudentState | None = None,
    page: str = "",
    examples: "Mapping[str, DifferingExample]" = NONE_DIFFER,
) -> CheckReport:
    """Return the report on a stage's result, or on a single task of it.

    `commands` is TERMINAL or NOTEBOOK. With the student's `state`, the report on a task that passes
    offers the next task. `page` is the feedback page's path. If a written task fails, `if_wrong`
    returns what to check before this stage. `examples` maps a task's id to an example of the brief
    for which the program's output differs. No points depend on the examples.
    """
    tasks = _task_reports(stage, result, task, commands, examples)
    notes = (*notes, *_skipped_notes(result, task))
    is_wrong = any(task.status in FAILING for task in tasks)
    unproven = if_wrong() if is_wrong else ""
    if task and state and is_wrong:
        unproven = " ".join(filter(None, (unproven, _unproven_below(stage, task, state))))
    first = _begin_with(tasks, commands, unproven)
    # These tasks' own reports say which checks were not run.
    explained = {task.summary.id for task in tasks if task.summary.not_tried}
    unexplained = (done for done in result.tasks if done.task not in explained)
    checked = CheckReport(
        title=stage_title(stage),
        where=where,
        error=result.message,
        tasks=tuple(tasks),
        notes=(*notes, *_not_run_notes(unexplained, more=bool(explained))),
        begin_with=first,
        unsaved=unsaved,
        grade_note=grade_note_of(stage, commands, full=result.has_hidden),
        not_run=_not_run_notes(result.tasks),
        tested=not result.message or _is_tested(result),
    )
    if page:
        checked = replace(checked, offers=(("Your page", page),))
    if checked.passed:
        offers = _offers(stage, task, result, commands, state)
        checked = replace(checked, offers=(*checked.offers, *offers))
    return checked


def _task_reports(
    stage: Stage,
    result: Result,
    only: Task | None,
    commands: str,
    examples: "Mapping[str, DifferingExample]",
) -> list[TaskReport]:
    """Return the reports on all tasks, or on task `only` with all its failures."""
    patterns = load_patterns(stage, visible=not result.has_hidden)
    reports: list[TaskReport] = []
    for summary, done in zip(summarise(result, stage, patterns), result.tasks, strict=True):
        if only is None or done.task == only.id:
            report = _report(stage, summary, done, commands, all_failures=only is not None)
            reports.append(_with_example(report, examples.get(done.task)))
    return reports


def _begin_with(tasks: Iterable[TaskReport], commands: str, unproven: str) -> str:
    """Return sentences on which tasks to look at first; "" if no task comes first.

    Tasks that are not written yet are left out: their failures do not come from other tasks.
    `unproven` says what to check before this stage, "" if nothing.
    """
    written = [task.summary for task in tasks if task.status is not TopicStatus.UNWRITTEN]
    return begin_with(written, commands.replace("{}", "check", 1), unproven).words


def _unproven_below(stage: Stage, task: Task, state: StudentState) -> str:
    """Return a sentence on tasks that `task` builds on and that failed when last checked.

    Return "" if there are none.
    """
    below = stage.tasks_below(task)
    checked = [other for other in stage.tasks if other.id in below & state.checks.keys()]
    wrong = [stage.number(other) for other in checked if not state.passes(other)]
    if not wrong:
        return ""
    did = f"{name_tasks(wrong).capitalize()} did not pass when last checked"
    it = agreeing(len(wrong), "it", "them")
    return f"{did}, and task {stage.number(task)} may build on {it}."


def _skipped_notes(result: Result, only: Task | None) -> Iterator[str]:
    """Yield a note on each task with checks that could not be run here, with each reason once."""
    for number, done in enumerate(result.tasks, start=1):
        if done.skipped and (only is None or done.task == only.id):
            reasons = "; ".join(dict.fromkeys(done.skipped))
            checks = f"{count_of(len(done.skipped), 'check')} of task {number}"
            yield f"{checks} could not be run here: {reasons}"


def _offers(
    stage: Stage, task: Task | None, result: Result, commands: str, state: StudentState | None
) -> Iterator[tuple[str, str]]:
    """Yield what to do after a task or a stage passes: purpose and command of each offer."""
    if task and state:
        yield _next_step(stage, task, state.with_checks(result), commands)
    if task:
        return
    if not stage.clinic:
        yield "Explain it", commands.format("explain", stage.name)
    if load_questions(stage).calls:
        yield "Catch mistakes", commands.format("catch", stage.name)
    if result.has_hidden:
        yield "Compare it", commands.format("compare", stage.name)


def _is_tested(result: Result) -> bool:
    """Return whether any check was run."""
    return any(test.outcome is not Outcome.NOT_REACHED for test in result.tests)


def _not_run_notes(tasks: Iterable[TaskResult], *, more: bool = False) -> tuple[str, ...]:
    """Return a note for each reason why checks were not run, with their number.

    `more` says that other checks, which were not run either, are counted elsewhere.
    """
    counts: Counter[str] = Counter()
    for task in tasks:
        counts.update(task.not_run)
    notes = []
    for reason, number in counts.items():
        verb = agreeing(number, "was", "were")
        noun = "more check" if more else "check"
        notes.append(f"{count_of(number, noun)} {verb} not run: {reason}")
    return tuple(notes)


def grade_note_of(stage: Stage, commands: str, *, full: bool = False) -> str:
    """Return what the points of a check mean; `full` says that hidden checks were run as well."""
    if full:
        return ALL_NOTE
    if stage.for_self_study:
        return f"Hidden checks of the same rules: {FULL[commands].format(stage.name)}"
    return GRADE_NOTE


def _next_step(stage: Stage, task: Task, state: StudentState, commands: str) -> tuple[str, str]:
    """Return what to do after a task passes, and the command for it.

    Next is a task that does not pass: an earlier task that was checked, or else a later task, or
    else any other task. If all tasks pass, next is a check of the whole stage.
    """
    number = stage.number(task)
    checked_before = [other for other in stage.tasks[:number] if other.id in state.checks]
    others = (*checked_before, *stage.tasks[number:], *stage.tasks[:number])
    left = [other for other in others if other.points and not state.passes(other)]
    if not left:
        check = commands.replace("{}", "check", 1)
        if stage.for_self_study:
            check = FULL[commands]
        return f"Every task of {stage.name} passed at its last check. All together", check.format(
            stage.name
        )
    following = left[0]
    words = f"Next is task {stage.number(following)}, {following.title}"
    return words, commands.format("check", following.id)


def _report(
    stage: Stage, summary: TaskSummary, done: TaskResult, commands: str, *, all_failures: bool
) -> TaskReport:
    """Return the report on a task. `all_failures` says that the task was checked alone."""
    status, words = _status(summary, done)
    failures = summary.failing
    first_failure: FirstFailure | None = None
    if status is TopicStatus.UNWRITTEN:  # failures of an unwritten task say nothing yet
        failures = ()
    elif summary.causes.may_follow and not all_failures:
        failures = ()
        first_failure = summary.first_failure
    shown = failures
    if not all_failures:
        shown = failures[:MAX_FAILURES]
    score = f"{summary.score:g}"
    if done.skipped:
        score = "?"
    hints = (done.task, *_also_at_fault(stage, done.task))
    if summary.not_tried and not failures:  # what was tried passes, so another task comes first
        hints = (*hints[1:], *hints[:1])
    hint, *others = [commands.format("hint", task_id) for task_id in hints]
    return TaskReport(
        summary=summary,
        status=status,
        words=words,
        points=f"{score} of {count_of(summary.max_score, 'point')}",
        failures=shown,
        left_out=len(failures) - len(shown),
        check=commands.format("check", done.task),
        hint=hint,
        first_failure=first_failure,
        other_hints=tuple(others),
    )


def _with_example(report: TaskReport, example: "DifferingExample | None") -> TaskReport:
    """Return the report with the example.

    No points depend on the example, because a program could forge what the example shows.
    """
    if example is None:
        return report
    words = report.words
    if report.status is TopicStatus.PASSED:
        words += f", but {example.words}"
    return replace(report, words=words, example=example)


def _also_at_fault(stage: Stage, task: str) -> tuple[str, ...]:
    """Return the ids of other tasks that may be at fault if this task fails.

    Only a clinic has such tasks. There a student writes a test and repairs a program. The clinic
    tries the repair with the student's test, and either of them may be wrong.
    """
    if not stage.clinic:
        return ()
    return stage.task(task).builds_on


def _status(summary: TaskSummary, done: TaskResult) -> tuple[TopicStatus, str]:
    """Return how far the task is, as a status and in words."""
    status = summary.status
    if status in (TopicStatus.PARTLY, TopicStatus.FAILED):
        return status, summary.causes.words or summary.count
    words = status.words
    if done.skipped and status is TopicStatus.PASSED:
        words += f", {count_of(len(done.skipped), 'check')} not run"
    return status, words
