"""A task's hints, and a student's progress: the last checks, the hints taken, the next task."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from hearts_course.course import Stage, Task
from hearts_course.errors import UsageError
from hearts_course.reports.task_summary import TopicStatus
from hearts_course.results import points_in_words
from hearts_course.student.state import LastCheck, StudentState
from hearts_course.student.work import find_work, last_change
from hearts_course.student.work_checks import check_work
from hearts_course.student.workspace import Workspace
from hearts_course.text import agreeing, count_of, listed

BAR = 30  # width of a bar of squares, in characters


@dataclass(frozen=True)
class Hint:
    """One hint for a task, in Markdown.

    The first hint asks a question, the next points at a place, and the last almost gives the
    answer. `total` is how many hints the task has.
    """

    task: Task
    number: int
    total: int
    text: str

    @property
    def title(self) -> str:
        """The hint's number: "Hint 2 of 4"."""
        return f"Hint {self.number} of {self.total}"


def task_hints(stage: Stage, task: Task) -> tuple[Hint, ...]:
    """Return all hints for the task, the gentlest first."""
    from hearts_course.brief import load_hints  # a check does not need this module

    texts = load_hints(stage)[task.id]
    total = len(texts)
    return tuple(Hint(task, number, total, text) for number, text in enumerate(texts, start=1))


def next_hint(stage: Stage, task: Task, taken: int) -> tuple[Hint, bool]:
    """Return the next hint and True; if all were taken, return the last hint and False."""
    hints = task_hints(stage, task)
    return hints[min(taken, len(hints) - 1)], taken < len(hints)


@dataclass(frozen=True)
class TaskProgress:
    """A task, its last check and its hints.

    `check` is None if the task was never checked. `full` is the last check that ran the hidden
    tests too. `given_up` says that the solution was shown before the task passed.
    """

    number: int
    task: Task
    check: LastCheck | None
    hints_taken: int
    hints: int
    full: LastCheck | None = None
    given_up: bool = False

    @property
    def done(self) -> bool:
        """Whether every visible test passed in the last check."""
        return self.check is not None and self.check.complete

    @property
    def unknown(self) -> int:
        """The points that only the grader can give, because a check could not be run."""
        if self.check and self.check.skipped:
            return self.task.points
        return 0

    @property
    def points(self) -> str:
        """The points of the last check in words, the same as in its report."""
        score = "0"
        if self.unknown:
            score = "?"
        elif self.check:
            score = f"{self.check.score:g}"
        return f"{score} of {self.task.points}"

    @property
    def help(self) -> str:
        """How many hints were taken, and whether the solution was shown."""
        words = f"{self.hints_taken} of {self.hints}"
        if self.given_up:
            words += ", solution"
        return words

    @property
    def status(self) -> tuple[TopicStatus, str]:
        """How the last check ended, as a mark and in words."""
        if self.check is None:
            return TopicStatus.UNWRITTEN, "not checked yet"
        if self.done:
            words = "passed"
            if self.unknown:
                words += f", {count_of(self.check.skipped, 'check')} not run"
            return TopicStatus.PASSED, words
        if self.check.untouched and not self.check.passed:
            return TopicStatus.UNWRITTEN, TopicStatus.UNWRITTEN.words
        status = TopicStatus.FAILED
        if self.check.passed:
            status = TopicStatus.PARTLY
        return status, f"{self.check.passed} of {self.check.tests} pass"


@dataclass(frozen=True)
class StageProgress:
    """The progress in all tasks of a stage."""

    stage: Stage
    tasks: tuple[TaskProgress, ...]

    @property
    def done(self) -> int:
        """The number of tasks that are done."""
        return sum(task.done for task in self.tasks)

    @property
    def score(self) -> float:
        """The points of the last visible checks; tasks with a skipped check do not count."""
        checks = [task.check for task in self.tasks if task.check and not task.unknown]
        return round(sum(check.score for check in checks), 2)

    @property
    def max_score(self) -> int:
        """The points of all tasks, without those that only the grader can give."""
        return self.stage.points - sum(task.unknown for task in self.tasks)

    @property
    def points(self) -> str:
        """The points of the visible checks, in words."""
        return points_in_words(self.score, self.max_score, self.stage.points - self.max_score)

    @property
    def bar(self) -> str:
        """A bar of squares: the filled part is the share of the points that the checks give."""
        filled = 0
        if self.max_score:
            filled = round(BAR * self.score / self.max_score)
        return "■" * filled + "□" * (BAR - filled)

    @property
    def next(self) -> TaskProgress | None:
        """The first task that is not done, None if all tasks are done.

        A task without points was left out of the course, so nobody has to do it.
        """
        return next((task for task in self.tasks if task.task.points and not task.done), None)


def course_progress(workspace: Workspace) -> tuple[StageProgress, ...]:
    """Return the student's progress in every stage."""
    return tuple(stage_progress(workspace.state, stage) for stage in workspace.course.stages)


def stage_progress(state: StudentState, stage: Stage) -> StageProgress:
    """Return the student's progress in one stage.

    The progress comes from the student's saved state, so nothing is checked again.
    """
    tasks = []
    for task in stage.tasks:
        check = state.checks.get(task.id)
        full = state.full.get(task.id)
        taken = state.hints.get(task.id, 0)
        hints = len(task_hints(stage, task))
        given_up = task.id in state.given_up
        progress = TaskProgress(stage.number(task), task, check, taken, hints, full, given_up)
        tasks.append(progress)
    return StageProgress(stage, tuple(tasks))


def unproven_note(workspace: Workspace, stage: Stage, commands: str) -> str:
    """Return a note on programs of earlier stages that may be wrong and that this stage builds on.

    A program may be wrong if its present version has not passed every visible check. Return "" if
    there is no such program. `commands` is the template of a command, such as "hearts {} {}".
    """
    files: list[str] = []
    checks_to_run = []
    for earlier in workspace.course.prerequisites(stage):
        with suppress(UsageError):  # the check of this stage reports missing work
            work = find_work(workspace.root, earlier)
            checks = [workspace.state.checks.get(task.id) for task in earlier.tasks]
            passes = all(last and last.proves(work.digest) for last in checks)
            if not passes and workspace.state.proven.get(earlier.name) != work.digest:
                files += earlier.files
                checks_to_run.append(commands.format("check", earlier.name))
    if not files:
        return ""
    have_not_passed = agreeing(
        len(files),
        "has not passed all checks as it is now",
        "have not passed all checks as they are now",
    )
    return (
        f"This stage is checked with your {listed(files)}, which {have_not_passed}. "
        f"Check that first: {', '.join(checks_to_run)}."
    )


@dataclass(frozen=True)
class CurrentProgress:
    """A workspace whose last checks are up to date with its programs.

    `errors` say, by stage, why a program cannot be checked.
    """

    workspace: Workspace
    errors: Mapping[str, str]


def check_what_changed(workspace: Workspace) -> CurrentProgress:
    """Check each stage whose program has changed since its last checks; save nothing.

    A stage with nothing written and nothing checked is left alone. If a program cannot be read or
    imported, its last checks stay.
    """
    course = workspace.course
    root = workspace.root
    state = workspace.state
    errors = {}
    for stage in course.stages:
        with suppress(UsageError):  # `hearts check` says what is missing
            work = find_work(root, stage)
            checks = [state.checks.get(task.id) for task in stage.tasks]
            if not work.changed and not any(checks):
                continue
            if error := work.syntax_error():
                errors[stage.name] = error
            elif not all(check and check.program == work.digest for check in checks):
                result = check_work(course, root, work)
                if result.message:
                    errors[stage.name] = result.message
                else:
                    state = state.with_checks(result, work.digest)
    return CurrentProgress(replace(workspace, state=state), errors)


def current_stage(workspace: Workspace) -> Stage:
    """Return the stage that the student changed last; the first stage if nothing is changed."""
    stages = workspace.course.stages
    changed: list[tuple[float, str]] = []
    for stage in stages:
        when = last_change(workspace.root, stage)
        if when is not None:
            changed.append((when, stage.name))
    if not changed:
        return stages[0]
    _, last_name = max(changed)
    return workspace.course.stage(last_name)
