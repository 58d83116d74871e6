"""Programs that go through the grader, each with what must come out.

the starter         imports, and scores nothing in a task that has blanks
the reference       scores full, as files and as a notebook
a chaff             loses points in its own task and in none that does not build on it
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
from hearts_course.course import Course, Stage, Task
from hearts_course.grading.reader import read_submission
from hearts_course.grading.results import Outcome, Result, Status, TaskResult
from hearts_course.grading.submission import Submission
from hearts_course.grading.work import Work

Grade = Callable[[Iterable[Work]], Iterable[Result]]
Judge = Callable[[Result], Iterable[str]]

STARTER = "the starter imports and scores 0"
REFERENCE = "the reference scores full, as .py and as notebook"
CHAFFS = "every chaff is caught, and where it should be"
ALTERNATIVES = "correct programs written differently score full"
CHECKS = (STARTER, REFERENCE, CHAFFS, ALTERNATIVES)


@dataclass(frozen=True)
class Trial:
    """A program to grade, the check it belongs to, and what must come out."""

    check: str
    name: str
    submission: Submission
    judge: Judge


def trials(course: Course, stage: Stage) -> Iterator[Trial]:
    """Every program of the stage that can be tried; raises StageFault."""
    starter = Submission("", stage.name, join(starter_cells(stage)))
    yield Trial(STARTER, "the starter", starter, partial(_scores_nothing, stage))
    for name, submission in _references(stage):
        yield Trial(REFERENCE, name, submission, partial(_scores_full, stage))
    for chaff in load_chaffs(stage):
        submission = Submission("", stage.name, chaff.modules)
        judge = partial(_is_caught, stage, chaff)
        yield Trial(CHAFFS, f"the chaff {chaff.name!r}", submission, judge)
    for folder in sorted((stage.autograder / "alternatives").glob("*/")):
        submission = read_submission(folder, "", stage)
        name = f"the alternative {folder.name!r}"
        yield Trial(ALTERNATIVES, name, submission, partial(_scores_full, stage))


def run_trials(course: Course, stage: Stage, grade: Grade) -> dict[str, list[str]]:
    """The faults of each check, in the order of the trials; raises StageFault."""
    todo = list(trials(course, stage))
    works = [work(course, stage, trial.submission, str(i)) for i, trial in enumerate(todo)]
    faults: dict[str, list[str]] = {check: [] for check in CHECKS}
    results = {int(result.student): result for result in grade(works)}
    for number, result in sorted(results.items()):
        trial = todo[number]
        lines = _ungraded(result) or trial.judge(result)
        faults[trial.check] += [f"{stage.name}: {trial.name} {line}" for line in lines]
    return faults


def work(
    course: Course, stage: Stage, submission: Submission, name: str, *, stop_early: bool = False
) -> Work:
    """The submission, together with the reference of the stages before, as work for the grader."""
    modules = {
        module: source
        for earlier in course.prerequisites(stage)
        for module, source in earlier.reference().items()
    }
    whole = replace(submission, student=name, modules={**modules, **submission.modules})
    return Work(stage, whole, stop_early=stop_early)


def _references(stage: Stage) -> Iterator[tuple[str, Submission]]:
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
            yield name, read_submission(Path(folder), "", stage)


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


def _is_caught(stage: Stage, chaff: Chaff, result: Result) -> Iterator[str]:
    lost = {scored.task for scored in result.tasks if scored.score < scored.max_score}
    if chaff.task not in lost:
        yield f"loses nothing in {chaff.task}; write a test that catches it"
    for task in stage.tasks:
        if task.id in lost and chaff.task not in (task.id, *_ground(stage, task)):
            yield (
                f"also loses points in {task.id}, which does not build on {chaff.task}; "
                "make its tests ask less, or say so in stage.toml"
            )


def _ground(stage: Stage, task: Task) -> set[str]:
    """The tasks that the task builds on, directly or not."""
    found: set[str] = set()
    todo = list(task.builds_on)
    while todo:
        if (name := todo.pop()) not in found:
            found.add(name)
            todo += stage.task(name).builds_on
    return found
