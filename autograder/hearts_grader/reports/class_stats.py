"""Compute a class's numbers, stage by stage, and find the students who may need help.

All numbers come from results: no program is run or read again for a report. A pattern is a known
mistake with the tests that fail because of it. A program seems to have the mistake if the same
tests fail.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import StatisticsError, correlation, fmean, median

from hearts_course.course import Stage
from hearts_course.misconceptions import Pattern, diagnose
from hearts_course.results import Outcome, Result, Status, TaskResult, TestResult
from hearts_course.text import count_of

from hearts_grader.reports.comments import Group, groups_of

BINS = 10  # tenths of a stage's points
MIN_STUDENTS = 10  # with fewer students, no correlation is computed
MIN_CORRELATION = 0.1  # a check with a lower correlation tells little about the rest of the stage
LOW = 0.4  # a student with a lower share of a stage's points may need help
FALL = 0.25  # a student whose share of the points falls by this between stages may need help
MOST = 0.6  # at least this share of the graded students counts as "most students"
MIN_GRADED = 5  # with fewer graded students, "most students" means nothing

RULES = {
    "silent": "handed in nothing for a stage that at least half of the others handed in",
    "failing": f"has less than {LOW:.0%} of a stage’s points",
    "stuck": "is not failing, but has no points in a task in which "
    f"{MOST:.0%} of the students have at least half",
    "falling": f"lost {FALL:.0%} of the points or more from one stage to the next",
}


@dataclass(frozen=True)
class Bin:
    """One tenth of the points, such as 80–90 %, and how many students' scores are in it."""

    label: str
    count: int


@dataclass(frozen=True)
class CheckStats:
    """A check, the number of its cases, and `share`: the percentage of cases that pass.

    `share` counts the cases of all students. `tells` is the correlation between passing the check
    and passing the rest of the stage. It is None if there are too few students, or if all have the
    same result.
    """

    name: str
    topic: str
    hidden: bool
    cases: int
    share: float
    tells: float | None = None

    @property
    def remark(self) -> str:
        """Why an author may want to look at the check; "" if there is no reason."""
        if self.share == 0:
            return "nobody passes"
        if self.share == 100:
            return "everybody passes"
        if self.tells is None or self.tells >= MIN_CORRELATION:
            return ""
        if self.tells < -MIN_CORRELATION:
            return "passed by the weaker ones"
        return "tells little"


@dataclass(frozen=True)
class TaskStats:
    """A task's mean score, and the `counts` of students with all, some and none of its points."""

    number: int
    id: str
    title: str
    max_score: int
    mean: float
    counts: tuple[int, int, int]
    checks: tuple[CheckStats, ...]


@dataclass(frozen=True)
class ObjectiveStats:
    """An objective, and the tasks that serve it."""

    id: str
    sentence: str
    tasks: tuple[TaskStats, ...]

    @property
    def share(self) -> float:
        """The percentage of the tasks' points that the graded students have, on average."""
        points = sum(task.max_score for task in self.tasks)
        if not points:
            return 0.0
        return 100 * sum(task.mean for task in self.tasks) / points


@dataclass(frozen=True)
class MisconceptionCount:
    """A misconception, or several that fail the same tests, and the students who may have it."""

    task: str
    number: int
    names: tuple[str, ...]
    students: tuple[str, ...]


@dataclass(frozen=True)
class StageStats:
    """The numbers of one stage.

    Means, medians, tenths, tasks and groups are about graded results only.
    """

    stage: Stage
    results: tuple[Result, ...]
    counts: dict[Status, int]
    mean: float
    median: float
    bins: tuple[Bin, ...]
    tasks: tuple[TaskStats, ...]
    misconceptions: tuple[MisconceptionCount, ...]
    groups: tuple[Group, ...]

    @property
    def has_parts(self) -> bool:
        """Whether any score is made of more than the checks' points, such as a late penalty."""
        return any(result.score_parts.words for result in self.results)

    @property
    def objectives(self) -> tuple[ObjectiveStats, ...]:
        """The stage's objectives that some task serves, in the order of the brief."""
        objectives = []
        for name, sentence in self.stage.objectives.items():
            tasks = [task for task in self.tasks if name in self.stage.task(task.id).objectives]
            if tasks:
                objectives.append(ObjectiveStats(name, sentence, tuple(tasks)))
        return tuple(objectives)


def stage_stats(
    stage: Stage, results: Sequence[Result], patterns: Iterable[Pattern] = ()
) -> StageStats:
    """Return the numbers of a stage's results.

    Means, medians and tenths are of graded results only, because a missing program says nothing
    about the tasks. Known mistakes are found by the patterns; without patterns there are none.
    """
    patterns = tuple(patterns)
    graded = [result for result in results if result.status is Status.GRADED]
    counted = Counter(result.status for result in results)
    # A `Counter` returns 0 for a tenth without students.
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
        _misconceptions(results, stage, patterns),
        groups_of(results, stage, patterns),
    )


def tenth(score: float, max_score: int) -> int:
    """Return in which tenth of the points a score lies, from 0 to 9; full points are in tenth 9."""
    if not max_score:
        return 0
    return min(int(BINS * score / max_score), BINS - 1)


def _tasks(stage: Stage, graded: Sequence[Result]) -> Iterator[TaskStats]:
    """Yield the numbers of each task, in the order of the brief."""
    # Count each student's passed tests only once here, because all tasks need the same number.
    with_totals = [(result, _passed_tests(result)) for result in graded]
    for number, task in enumerate(stage.tasks, start=1):
        scored_with_total = []
        for result, total in with_totals:
            for scored in result.tasks:
                if scored.task == task.id:
                    scored_with_total.append((scored, total))
        scores = [scored.score for scored, _ in scored_with_total]
        full = sum(score == task.points for score in scores)
        nothing = sum(score == 0 for score in scores)
        yield TaskStats(
            number,
            task.id,
            task.title,
            task.points,
            fmean(scores or [0.0]),
            (full, len(scores) - full - nothing, nothing),
            tuple(_checks(scored_with_total)),
        )


def _passed_tests(result: Result) -> int:
    """Return how many tests of the whole stage the student passes."""
    count = 0
    for task in result.tasks:
        count += sum(test.outcome is Outcome.PASSED for test in task.tests)
    return count


def _checks(scored_with_total: Sequence[tuple[TaskResult, int]]) -> Iterator[CheckStats]:
    """Yield the numbers of each test function: `test_x[1]` and `test_x[2]` are cases of `test_x`.

    The argument pairs each student's result of the task with a number: how many tests of the whole
    stage the student passes.
    """
    first: dict[str, TestResult] = {}
    cases: Counter[str] = Counter()
    passed: list[Counter[str]] = []  # by student: how many cases of each check pass
    for task, _ in scored_with_total:
        passed.append(Counter())
        for test in task.tests:
            name = test.name.partition("[")[0]
            first.setdefault(name, test)
            cases[name] += 1
            passed[-1][name] += test.outcome is Outcome.PASSED
    for name, test in first.items():
        passed_cases = [counts[name] for counts in passed]
        passed_others = []
        for (_, total), own_cases in zip(scored_with_total, passed_cases, strict=True):
            # Leave out the check's own cases, which would always agree with themselves.
            passed_others.append(total - own_cases)
        share = 100 * sum(passed_cases) / cases[name]
        cases_of_student = round(cases[name] / len(scored_with_total))
        tells = _correlation(passed_cases, passed_others)
        yield CheckStats(name, test.topic, test.hidden, cases_of_student, share, tells)


def _correlation(cases: Sequence[int], others: Sequence[int]) -> float | None:
    """Return Pearson's correlation, from -1 to 1, or None if it says nothing.

    `cases` and `others` have a number for each student, in the same order. With few students, the
    correlation would be chance. If all students have the same number, there is no correlation.
    """
    if len(cases) < MIN_STUDENTS:
        return None
    try:
        return correlation(cases, others)
    except StatisticsError:  # all have the same result
        return None


def _misconceptions(
    results: Iterable[Result], stage: Stage, patterns: tuple[Pattern, ...]
) -> tuple[MisconceptionCount, ...]:
    """Return the misconceptions that programs seem to have, the most frequent first.

    Mistakes that cannot be told apart are one entry with several names. Equal counts are ordered by
    task and name, so that a report does not change from run to run.
    """
    students_by_match: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for result in results:
        for match in diagnose(result, stage, patterns).matches.values():
            students_by_match.setdefault((match.task, match.names), []).append(result.student)
    counts = []
    for (task, names), students in students_by_match.items():
        number = stage.number(stage.task(task))
        counts.append(MisconceptionCount(task, number, names, tuple(students)))
    counts.sort(key=lambda count: (-len(count.students), count.number, count.names))
    return tuple(counts)


@dataclass(frozen=True)
class StudentStage:
    """A cell of the class's table: a result, and the known mistakes that its program may have."""

    result: Result
    mistakes: tuple[str, ...]

    @property
    def remarks(self) -> str:
        """Remarks on the result beside its score, in a few words: "late, 2 mistakes"."""
        remarks = []
        if self.result.status is not Status.GRADED:
            remarks.append(self.result.status.replace("-", " "))
        if self.result.score_parts.late:
            remarks.append("late")
        if self.mistakes:
            remarks.append(count_of(len(self.mistakes), "mistake"))
        return ", ".join(remarks)


@dataclass(frozen=True)
class StudentRow:
    """A student's line in the table of the class; a cell is None where there is no result."""

    student: str
    cells: tuple[StudentStage | None, ...]

    @property
    def results(self) -> tuple[Result, ...]:
        """The results of the stages that have one."""
        return tuple(cell.result for cell in self.cells if cell)

    @property
    def score(self) -> float:
        """The sum of the scores in all stages."""
        return round(sum(result.score for result in self.results), 2)

    @property
    def late(self) -> int:
        """The number of stages that the student handed in late."""
        return sum(bool(result.score_parts.late) for result in self.results)

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The mistakes in all stages; a mistake in two stages is listed twice."""
        return tuple(chain.from_iterable(cell.mistakes for cell in self.cells if cell))


def student_rows(stages: Sequence[StageStats]) -> tuple[StudentRow, ...]:
    """Return a row for each student, ordered by name, with a cell for each stage.

    The cells are in the order of `stages`. A cell is None if the student has no result.
    """
    mistakes: dict[tuple[str, str], list[str]] = {}
    for stats in stages:
        for misconception in stats.misconceptions:
            for student in misconception.students:
                names = mistakes.setdefault((student, stats.stage.name), [])
                names.append("; or: ".join(misconception.names))
    cells: dict[tuple[str, str], StudentStage] = {}
    for stats in stages:
        for result in stats.results:
            key = (result.student, result.stage)
            cells[key] = StudentStage(result, tuple(mistakes.get(key, ())))
    rows = []
    for student in sorted({student for student, _ in cells}, key=by_name):
        row = [cells.get((student, stats.stage.name)) for stats in stages]
        rows.append(StudentRow(student, tuple(row)))
    return tuple(rows)


def by_name(student: str) -> tuple[str, str]:
    """Return the key that sorts students by name; capital letters make no difference."""
    return student.casefold(), student


@dataclass(frozen=True)
class WarningSign:
    """Why a student may need help; `kind` is a key of RULES."""

    kind: str
    stage: str
    words: str


@dataclass(frozen=True)
class AtRiskStudent:
    """A student who may need help, and the warning signs in the order of the stages."""

    student: str
    signs: tuple[WarningSign, ...]


def at_risk(results: Iterable[Result], stages: Iterable[Stage]) -> tuple[AtRiskStudent, ...]:
    """Return the students with any warning sign; students with the most signs come first.

    A student may have several signs in one stage. Equal numbers of signs are ordered by name.
    """
    signs_of: dict[str, list[WarningSign]] = {}
    # By student: the name of the stage handed in last, and the share of its points. `_falls`
    # updates both.
    shares: dict[str, tuple[str, float]] = {}
    results = tuple(results)
    for stage in stages:
        here = [result for result in results if result.stage == stage.name]
        signs = chain(_absences(here), _scores(here, stage), _falls(here, shares))
        for student, kind, words in signs:
            signs_of.setdefault(student, []).append(WarningSign(kind, stage.name, words))
    students = [AtRiskStudent(student, tuple(signs)) for student, signs in signs_of.items()]
    students.sort(key=lambda student: (-len(student.signs), by_name(student.student)))
    return tuple(students)


Sign = tuple[str, str, str]  # student, kind, words


def _absences(here: Sequence[Result]) -> Iterator[Sign]:
    """Yield each student who handed in nothing, once half of the class has handed in.

    Before that, a missing submission is usual and says nothing.
    """
    handed_in = sum(result.status is not Status.MISSING for result in here)
    for result in here:
        if result.status is Status.MISSING and 2 * handed_in >= len(here):
            yield result.student, "silent", f"{handed_in} of {len(here)} students handed it in"


def _scores(here: Sequence[Result], stage: Stage) -> Iterator[Sign]:
    """Yield each student who has few points, and each student who is stuck, with the reason.

    A student is stuck in the first task that gave no points although most others have solved it.
    """
    graded = [result for result in here if result.status is Status.GRADED]
    usual = _usually_solved(graded)
    for result in graded:
        if _share(result) < LOW:
            yield result.student, "failing", f"{result.score:g} of {result.max_score} points"
            continue
        for scored in result.tasks:
            if scored.score == 0 and scored.task in usual:
                task = stage.task(scored.task)
                yield result.student, "stuck", f"task {stage.number(task)}, {task.title}"
                break


def _usually_solved(graded: Sequence[Result]) -> set[str]:
    """Return the tasks in which most students have at least half of the points.

    Return none for fewer than MIN_GRADED graded results, because "most students" would then be two
    or three.
    """
    if len(graded) < MIN_GRADED:
        return set()
    solved: Counter[str] = Counter()
    for result in graded:
        solved.update(task.task for task in result.tasks if 2 * task.score >= task.max_score)
    return {task for task, count in solved.items() if count >= MOST * len(graded)}


def _falls(here: Iterable[Result], shares: dict[str, tuple[str, float]]) -> Iterator[Sign]:
    """Yield each student with a much lower share of points than in the last stage handed in.

    `shares` has each student's last stage and the share of its points. It is updated with these
    results.
    """
    for result in here:
        if result.status is Status.GRADED:
            share = _share(result)
            stage, last = shares.get(result.student, ("", 0.0))
            if last - share >= FALL:
                yield result.student, "falling", f"from {last:.0%} in {stage} to {share:.0%}"
            shares[result.student] = (result.stage, share)


def _share(result: Result) -> float:
    """Return the share of the points; a stage without points counts as solved."""
    return result.score / result.max_score if result.max_score else 1.0
