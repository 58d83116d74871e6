"""Programs that go through the grader, each with what must come out.

the starter         imports, and scores nothing in a task that has blanks
the reference       scores full, as files and as a notebook
a chaff             loses points in its own task and in none that does not build on it, and fails
                    first what `patterns.json` says that it fails
an alternative      a correct program, written differently, scores full
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from hearts_course.authoring.blank import starter_cells
from hearts_course.authoring.cells import join
from hearts_course.authoring.chaffs import Chaff, load_chaffs
from hearts_course.authoring.notebook import as_text, build_notebook, solve
from hearts_course.course import Stage
from hearts_course.errors import CourseError
from hearts_course.grading.grade import GradeJob
from hearts_course.grading.misconceptions import load_patterns, path_of
from hearts_course.results import Outcome, Result, Status, TaskResult
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_submission
from hearts_course.testing.job import StopAfter

Grade = Callable[[Iterable[GradeJob]], Iterable[Result]]
Judge = Callable[[Result], Iterable[str]]


@dataclass(frozen=True)
class Trial:
    """A program to grade, in these tasks (None: in all), and the judge of its result."""

    name: str
    submission: Submission
    judge: Judge
    tasks: frozenset[str] | None = None

    def work(self, stage: Stage, number: int) -> GradeJob:
        """What the grader is to do, for the student with that number."""
        submission = replace(self.submission, student=str(number))
        stop = StopAfter.NEVER if self.tasks is None else StopAfter.TASK
        return GradeJob(stage, submission, tasks=self.tasks, stop=stop)


def run_trials(stage: Stage, grade: Grade) -> dict[str, list[str]]:
    """The faults of each check of `CHECKS`, in the order of its trials."""
    faults: dict[str, list[str]] = {check: [] for check in CHECKS}
    todo: list[tuple[str, Trial]] = []
    for check, make in CHECKS.items():
        try:
            todo += [(check, trial) for trial in make(stage)]
        except CourseError as fault:
            faults[check].append(str(fault))
    works = [trial.work(stage, number) for number, (_, trial) in enumerate(todo)]
    for result in sorted(grade(works), key=lambda result: int(result.student)):
        check, trial = todo[int(result.student)]
        lines = _ungraded(result) or trial.judge(result)
        faults[check] += [f"{stage.name}: {trial.name} {line}" for line in lines]
    return faults


def _starter(stage: Stage) -> Iterator[Trial]:
    submission = Submission("", stage.name, join(starter_cells(stage)))
    yield Trial("the starter", submission, partial(_scores_nothing, stage))


def _references(stage: Stage) -> Iterator[Trial]:
    """The reference as students would hand it in."""
    notebook = as_text(solve(build_notebook(stage), stage.reference()))
    forms = {
        "the reference": {f"{name}.py": text for name, text in stage.reference().items()},
        "the reference as a notebook": {stage.notebook.name: notebook},
    }
    for name, files in forms.items():
        with tempfile.TemporaryDirectory() as folder:
            for file, text in files.items():
                (Path(folder) / file).write_text(text, encoding="utf-8")
            submission = read_submission(Path(folder), "", stage)
        yield Trial(name, submission, partial(_scores_full, stage))


def _chaffs(stage: Stage) -> Iterator[Trial]:
    """Each chaff, in its own task and in those where it must not show."""
    fails = {p.name: p.fails.get(p.task, frozenset()) for p in load_patterns(stage)}
    for chaff in load_chaffs(stage):
        submission = Submission("", stage.name, chaff.modules)
        judge = partial(_is_caught, stage, chaff, fails.get(chaff.name))
        above = {task.id for task in stage.tasks if chaff.task in stage.ground(task)}
        tasks = frozenset(task.id for task in stage.tasks) - above
        yield Trial(f"the chaff {chaff.name!r}", submission, judge, tasks)


def _alternatives(stage: Stage) -> Iterator[Trial]:
    for folder in sorted((stage.autograder / "alternatives").glob("*/")):
        submission = read_submission(folder, "", stage)
        judge = partial(_scores_full, stage)
        yield Trial(f"the alternative {folder.name!r}", submission, judge)


def _ungraded(result: Result) -> list[str]:
    if result.status is Status.GRADED:
        return []
    return [f"cannot be graded: {result.message}"]


def _scores_nothing(stage: Stage, result: Result) -> Iterator[str]:
    outcomes = [test.outcome for task in result.tasks for test in task.tests]
    if Outcome.NOT_REACHED in outcomes:
        yield f"does not import: {result.message}"
    for task, scored in zip(stage.tasks, result.tasks, strict=True):
        if task.blanks and scored.score:
            passed = next(test for test in scored.tests if test.outcome is Outcome.PASSED)
            yield f"scores in {task.id}, since {passed.name} passes; make that test ask more"


def _scores_full(stage: Stage, result: Result) -> Iterator[str]:
    for scored in result.tasks:
        if scored.score != scored.max_score:
            yield f"scores {scored.score} of {scored.max_score} in {scored.task}{_why(scored)}"
    if result.max_score != stage.points:
        yield f"could score {result.max_score}, but the tasks add up to {stage.points}"


def _why(scored: TaskResult) -> str:
    for test in scored.tests:
        if test.outcome is not Outcome.PASSED:
            shown = " ".join(test.message.split())
            return f": {test.name}: {shown or test.outcome.value}"
    return ", which has no test"


def _is_caught(
    stage: Stage, chaff: Chaff, fails: frozenset[str] | None, result: Result
) -> Iterator[str]:
    """`fails` are the tests of its task that it is known to fail."""
    if fails is not None:
        yield from _fails_otherwise(stage, chaff, fails, result)
    lost = {task.task for task in result.tasks if task.tests and task.score < task.max_score}
    if chaff.task not in lost:
        yield f"loses nothing in {chaff.task}; write a test that catches it"
    for name in sorted(lost - {chaff.task}):
        yield (
            f"also loses points in {name}, which does not build on {chaff.task}; "
            "make its tests ask less, or say so in stage.toml"
        )


def _fails_otherwise(
    stage: Stage, chaff: Chaff, fails: frozenset[str], result: Result
) -> Iterator[str]:
    (scored,) = (scored for scored in result.tasks if scored.task == chaff.task)
    made = [test for test in scored.tests if test.outcome is not Outcome.NOT_REACHED]
    for test in made:
        if (test.outcome is Outcome.PASSED) == (test.name in fails):
            yield (
                f"fails other tests than {path_of(stage)} says, such as {test.name}; "
                f"run `hearts build {stage.name} --patterns`"
            )
            return


REFERENCE = "the reference scores full, as .py and as notebook"
CHECKS: dict[str, Callable[[Stage], Iterable[Trial]]] = {
    "the starter imports and scores 0": _starter,
    REFERENCE: _references,
    "every chaff is caught, and where it should be": _chaffs,
    "correct programs written differently score full": _alternatives,
}
