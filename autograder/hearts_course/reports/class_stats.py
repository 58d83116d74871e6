"""What a class comes to, in numbers; a page is a rendering of these.

ClassStage   one stage: who has which points, how the points are spread, what each check comes to
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean, median

from hearts_course.course import Stage
from hearts_course.results import Outcome, Result, Status, TaskResult, TestResult

BINS = 10
LEAST_STUDENTS = 10  # before a check is said to tell students apart, or not to
LITTLE = 0.1  # of a correlation: what a check tells about the rest of the stage


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
    full: int
    partly: int
    nothing: int

    @property
    def share(self) -> float:
        """The mean as a share of the task's points, in percent."""
        return 100 * self.mean / self.most if self.most else 0.0


@dataclass(frozen=True)
class CheckRow:
    """What a check, with all its cases, comes to over all graded results.

    `share` is how many pass, in percent: how easy it is. `tells` is the correlation between passing
    it and passing the rest of the stage; None where there are too few students, or all do the same.
    """

    name: str
    topic: str
    hidden: bool
    cases: int
    share: float
    tells: float | None = None

    @property
    def remark(self) -> str:
        """What an author may want to look at; empty if nothing."""
        if self.share in (0, 100):
            return "nobody passes" if self.share == 0 else "everybody passes"
        if self.tells is None or self.tells >= LITTLE:
            return ""
        return "passed by the wrong ones" if self.tells < -LITTLE else "tells little"


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
        tuple(_tasks(stage, graded)),
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


def _tasks(stage: Stage, graded: Sequence[Result]) -> Iterator[TaskRow]:
    passed = [sum(map(_passing, result.tasks)) for result in graded]
    for number, task in enumerate(stage.tasks, start=1):
        pairs = [
            (found, total)
            for result, total in zip(graded, passed, strict=True)
            for found in result.tasks
            if found.task == task.id
        ]
        scores = [found.score for found, _ in pairs]
        full = sum(score == task.points for score in scores)
        nothing = sum(score == 0 for score in scores)
        yield TaskRow(
            number,
            task.id,
            task.title,
            task.points,
            fmean(scores) if scores else 0.0,
            tuple(_checks(pairs)),
            full,
            len(scores) - full - nothing,
            nothing,
        )


def _checks(pairs: Sequence[tuple[TaskResult, int]]) -> Iterator[CheckRow]:
    """One row for each test function: `test_x[1]` and `test_x[2]` are cases of `test_x`.

    The pairs are each student's task and how many tests of the whole stage the student passes.
    """
    names: dict[str, TestResult] = {}
    counts: list[dict[str, int]] = []  # by student: how many cases of each check pass
    cases: Counter[str] = Counter()
    for task, _ in pairs:
        passed: dict[str, int] = {}
        for test in task.tests:
            name = test.name.partition("[")[0]
            names.setdefault(name, test)
            cases[name] += 1
            passed[name] = passed.get(name, 0) + (test.outcome is Outcome.PASSED)
        counts.append(passed)
    for name, test in names.items():
        own = [passed.get(name, 0) for passed in counts]
        rest = [total - mine for (_, total), mine in zip(pairs, own, strict=True)]
        yield CheckRow(
            name,
            test.topic,
            test.hidden,
            round(cases[name] / len(pairs)),
            100 * sum(own) / cases[name],
            _correlation(own, rest),
        )


def _passing(task: TaskResult) -> int:
    return sum(test.outcome is Outcome.PASSED for test in task.tests)


def _correlation(own: Sequence[int], rest: Sequence[int]) -> float | None:
    if len(own) < LEAST_STUDENTS:
        return None
    try:
        return correlation(own, rest)
    except StatisticsError:  # all do the same
        return None
