"""A class in numbers, a stage at a time; the report, its plots and its tables show these."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean, median

from hearts_course.course import Stage
from hearts_course.grading.misconceptions import Pattern, diagnose
from hearts_course.results import Outcome, Result, Status, TaskResult, TestResult

BINS = 10
MIN_STUDENTS = 10  # before a correlation is computed
MIN_CORRELATION = 0.1  # below it a check tells little about the rest of the stage


@dataclass(frozen=True)
class Bin:
    """How many students have a tenth of the points."""

    label: str
    count: int


@dataclass(frozen=True)
class CheckStats:
    """A check with all its cases: `share` passes, in percent.

    `tells` is the correlation between passing it and passing the rest of the stage; None where
    there are too few students, or all have the same result.
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
        if self.tells is None or self.tells >= MIN_CORRELATION:
            return ""
        return "passed by the weaker ones" if self.tells < -MIN_CORRELATION else "tells little"


@dataclass(frozen=True)
class TaskStats:
    """A task: the mean score, and `counts` of students with all, some and none of its points."""

    number: int
    id: str
    title: str
    max_score: int
    mean: float
    counts: tuple[int, int, int]
    checks: tuple[CheckStats, ...]


@dataclass(frozen=True)
class MisconceptionCount:
    """A misconception, or several that fail the same tests, and the students who may have it.

    The programs of `exactly` fail just these tests. Those of `nearly` fail almost these, and come
    closer to this than to any other known mistake.
    """

    task: str
    number: int
    names: tuple[str, ...]
    exactly: tuple[str, ...]
    nearly: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many students there are."""
        return len(self.exactly) + len(self.nearly)


@dataclass(frozen=True)
class StageStats:
    """One stage; everything but `results` and `counts` is about graded results only."""

    stage: Stage
    results: tuple[Result, ...]
    counts: dict[Status, int]
    mean: float
    median: float
    bins: tuple[Bin, ...]
    tasks: tuple[TaskStats, ...]
    misconceptions: tuple[MisconceptionCount, ...]


def stage_stats(
    stage: Stage, results: Sequence[Result], patterns: Iterable[Pattern] = ()
) -> StageStats:
    """Return the numbers of a stage's results."""
    graded = [result for result in results if result.status is Status.GRADED]
    counted = Counter(result.status for result in results)
    tenths = Counter(tenth(result.score, result.max_score) for result in graded)
    scores = [result.score for result in graded] or [0.0]
    return StageStats(
        stage,
        tuple(results),
        {status: counted[status] for status in Status},
        fmean(scores),
        median(scores),
        tuple(Bin(f"{10 * i}–{10 * (i + 1)} %", tenths[i]) for i in reversed(range(BINS))),
        tuple(_tasks(stage, graded)),
        _misconceptions(results, stage, tuple(patterns)),
    )


def tenth(score: float, max_score: int) -> int:
    """Return the tenth of the points that a score lies in, 0 to 9; full points are in the last."""
    return min(int(BINS * score / max_score), BINS - 1) if max_score else 0


def _tasks(stage: Stage, graded: Sequence[Result]) -> Iterator[TaskStats]:
    passed = [
        sum(test.outcome is Outcome.PASSED for task in result.tasks for test in task.tests)
        for result in graded
    ]
    for number, task in enumerate(stage.tasks, start=1):
        found = [
            (scored, total)
            for result, total in zip(graded, passed, strict=True)
            for scored in result.tasks
            if scored.task == task.id
        ]
        scores = [scored.score for scored, _ in found]
        full = sum(score == task.points for score in scores)
        nothing = sum(score == 0 for score in scores)
        yield TaskStats(
            number,
            task.id,
            task.title,
            task.points,
            fmean(scores or [0.0]),
            (full, len(scores) - full - nothing, nothing),
            tuple(_checks(found)),
        )


def _checks(found: Sequence[tuple[TaskResult, int]]) -> Iterator[CheckStats]:
    """Yield the numbers of each test function: `test_x[1]` and `test_x[2]` are cases of `test_x`.

    `found` has each student's task, and how many tests of the whole stage the student passes.
    """
    first: dict[str, TestResult] = {}
    cases: Counter[str] = Counter()
    passed: list[Counter[str]] = []  # by student: how many cases of each check pass
    for task, _ in found:
        passed.append(Counter())
        for test in task.tests:
            name = test.name.partition("[")[0]
            first.setdefault(name, test)
            cases[name] += 1
            passed[-1][name] += test.outcome is Outcome.PASSED
    for name, test in first.items():
        own = [counts[name] for counts in passed]
        rest = [total - mine for (_, total), mine in zip(found, own, strict=True)]
        share = 100 * sum(own) / cases[name]
        each = round(cases[name] / len(found))
        yield CheckStats(name, test.topic, test.hidden, each, share, _correlation(own, rest))


def _correlation(own: Sequence[int], rest: Sequence[int]) -> float | None:
    try:
        return correlation(own, rest) if len(own) >= MIN_STUDENTS else None
    except StatisticsError:  # all have the same result
        return None


def _misconceptions(
    results: Iterable[Result], stage: Stage, patterns: tuple[Pattern, ...]
) -> tuple[MisconceptionCount, ...]:
    """Return the misconceptions that programs look like, the most frequent first."""
    found: dict[tuple[str, tuple[str, ...]], tuple[list[str], list[str]]] = {}
    for result in results:
        for match in diagnose(result, stage, patterns).matches.values():
            exactly, nearly = found.setdefault((match.task, match.names), ([], []))
            (exactly if match.exact else nearly).append(result.student)
    counts = (
        MisconceptionCount(task, stage.number(stage.task(task)), names, tuple(same), tuple(near))
        for (task, names), (same, near) in found.items()
    )
    return tuple(sorted(counts, key=lambda one: (-one.count, one.number, one.names)))
