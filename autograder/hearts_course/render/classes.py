"""What a class comes to, in numbers; a page is a rendering of these.

ClassStage   one stage: who has which points, how the points are spread, what each check comes to
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from hearts_course.course import Stage
from hearts_course.grading.results import Outcome, Result, Status, TaskResult, TestResult

BINS = 10


@dataclass(frozen=True)
class Bin:
    """How many results lie in a tenth of the points; `share` is that of the fullest tenth's."""

    label: str
    count: int
    share: float


@dataclass(frozen=True)
class TaskRow:
    """What a task comes to over all graded results."""

    number: int
    id: str
    title: str
    most: int
    mean: float
    checks: tuple["CheckRow", ...]

    @property
    def share(self) -> float:
        """The mean as a share of the task's points, in percent."""
        return 100 * self.mean / self.most if self.most else 0.0


@dataclass(frozen=True)
class CheckRow:
    """What a check, with all its cases, comes to over all graded results."""

    name: str
    topic: str
    hidden: bool
    cases: int
    share: float


@dataclass(frozen=True)
class ClassStage:
    """One stage of a class, ready to be shown."""

    stage: Stage
    results: tuple[Result, ...]
    counts: dict[Status, int]
    mean: float
    median: float
    bins: tuple[Bin, ...]
    tasks: tuple[TaskRow, ...]


def class_stage(stage: Stage, results: Sequence[Result]) -> ClassStage:
    """The stage's numbers; means, bins and checks are about graded results only."""
    graded = [result for result in results if result.status is Status.GRADED]
    scores = [result.score for result in graded]
    counted = Counter(result.status for result in results)
    return ClassStage(
        stage,
        tuple(results),
        {status: counted[status] for status in Status},
        fmean(scores) if scores else 0.0,
        median(scores) if scores else 0.0,
        _bins(graded),
        tuple(_task(stage, index, graded) for index in range(len(stage.tasks))),
    )


def _bins(graded: Iterable[Result]) -> tuple[Bin, ...]:
    counted = Counter(tenth(result.score, result.max_score) for result in graded)
    fullest = max(counted.values(), default=1)
    return tuple(
        Bin(f"{10 * i}–{10 * (i + 1)} %", counted[i], 100 * counted[i] / fullest)
        for i in reversed(range(BINS))
    )


def tenth(score: float, most: int) -> int:
    """The tenth of the points that a score lies in, 0 to 9; full points are in the last."""
    return min(int(BINS * score / most), BINS - 1) if most else 0


def _task(stage: Stage, index: int, graded: Sequence[Result]) -> TaskRow:
    task = stage.tasks[index]
    done = [found for result in graded for found in result.tasks if found.task == task.id]
    mean = fmean(found.score for found in done) if done else 0.0
    return TaskRow(index + 1, task.id, task.title, task.points, mean, tuple(_checks(done)))


def _checks(done: Sequence[TaskResult]) -> Iterator[CheckRow]:
    """One row for each test function: `test_x[1]` and `test_x[2]` are cases of `test_x`."""
    cases: dict[str, list[TestResult]] = {}
    for test in (test for task in done for test in task.tests):
        cases.setdefault(test.name.partition("[")[0], []).append(test)
    for name, tests in cases.items():
        passed = fmean(test.outcome is Outcome.PASSED for test in tests)
        count = round(len(tests) / len(done))
        yield CheckRow(name, tests[0].topic, tests[0].hidden, count, 100 * passed)
