"""What grading found out, as frozen values; text, HTML, JSON and CSV are made from these values.

Result       how one student's program for a stage was graded
TaskResult   one task of the stage: its points times the share of its tests that passed
TestResult   one test: what it was about, how it ended, what the student may read
rule         a test function with all its cases; all rules of a task weigh the same
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import compress
from math import fsum
from types import MappingProxyType
from typing import Any

from hearts_course.course import Stage, Task, name_tasks
from hearts_course.files import to_dataclass
from hearts_course.text import count_of, listed

# Why a check was not run on a student's own machine. A message puts the name of a function before
# the first text: "`total` (coins.py, line 9) did not end in another check".
DID_NOT_END = "did not end in another check"
TWO_TOO_SLOW = "two other checks took too long"
NOT_GRADED = "the grader failed, and your instructor has been told"  # the student's message
NONE_SKIPPED: Mapping[str, Iterable[str]] = MappingProxyType({})
MAX_LINES = 10**7  # a program has fewer lines, so a larger line number is made up
OPTIONAL = {
    "skipped",
    "untouched",
    "where",
    "beside",
    "stub",
    "unfinished",
    "ends_in",
    "example",
    "awaits_manual",
    "modules",
    "other",
    "receipt",
    "python",
    "parts",
}  # fields that are left out of the JSON if they are not set


class Outcome(StrEnum):
    """How a test ended; a test that was not reached counts as not passed."""

    PASSED = "passed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    NOT_REACHED = "not-reached"


class Status(StrEnum):
    """What became of a submission: graded, nothing handed in, unreadable, or the grader failed."""

    GRADED = "graded"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    GRADER_ERROR = "grader-error"


@dataclass(frozen=True)
class SourcePosition:
    """A line of the student's program, such as line 25 of `cards.py`.

    Messages name the line as `str` writes it, so that a cell's name can replace it.
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"

    @property
    def module(self) -> str:
        """The name of the file's module."""
        return self.file.removesuffix(".py")

    @classmethod
    def of(cls, where: tuple[str, int, str] | None) -> "SourcePosition | None":
        """Return the position from file, line number and code; None if no such line can exist."""
        if not where or not 0 < where[1] < MAX_LINES:
            return None
        return cls(*where[:2])


@dataclass(frozen=True)
class TestResult:
    """One test. `message` is what the student may read besides the topic, without hidden inputs.

    For a visible test, `where` is the line to look at if the program raised an exception. `beside`
    is another line that the message names. `ends_in` is the id of the task whose definition raised
    the exception. If the test called an unwritten definition, `stub` is the number of its task, or
    0 if the definition names no task. If that definition belongs to an earlier stage, `unfinished`
    is the stage's name instead. For a hidden test, `example` is code that the student may try: it
    fails on this program too.
    """

    __test__ = False

    name: str
    topic: str
    hidden: bool
    outcome: Outcome
    message: str = ""
    where: SourcePosition | None = None
    stub: int | None = None
    beside: SourcePosition | None = None
    ends_in: str = ""
    example: str = ""
    unfinished: str = ""


@dataclass(frozen=True)
class TaskResult:
    """One task's points and the tests they come from.

    `skipped` has a reason for each test that was left out; such a test does not change the points.
    `untouched` says that the task's definitions are still those of the starter.
    """

    task: str
    title: str
    score: float
    max_score: int
    tests: tuple[TestResult, ...]
    skipped: tuple[str, ...] = ()
    untouched: bool = False

    @property
    def share(self) -> float:
        """The share of its tests that passed, from 0 to 1."""
        return share_of(self.tests)

    @property
    def not_run(self) -> list[str]:
        """The messages of the tests that were not run because another test took too long."""
        reasons: list[str] = []
        for test in self.tests:
            too_slow = test.message.endswith((DID_NOT_END, TWO_TOO_SLOW))
            if too_slow and test.outcome is Outcome.NOT_REACHED:
                reasons.append(test.message)
        return reasons


@dataclass(frozen=True)
class Prerequisites:
    """A stage's two scores: `own` with the student's earlier stages, `reference` with the course's.

    Each score comes from its own run. The better run counts. `own` is None if no earlier stage was
    handed in. It is also None if an earlier stage cannot be loaded and both runs have no points.
    `reference` is None if the `own` run lost no points. `modules` are the student's modules of
    earlier stages. `other` has, for each task, the share of its tests that passed in the run that
    does not count.
    """

    own: float | None
    reference: float | None
    modules: tuple[str, ...] = ()
    other: tuple[float, ...] = ()

    @property
    def files(self) -> str:
        """The names of the student's files of earlier stages: "cards.py and legal.py"."""
        return listed(f"{name}.py" for name in self.modules) or "earlier stages"

    @property
    def own_counts(self) -> bool:
        """Whether the score with the student's own earlier stages counts."""
        return self.own is not None and (self.reference is None or self.own >= self.reference)


@dataclass(frozen=True)
class ScoreParts:
    """What a final score is made of: the tests' `raw` points plus `manual` minus `penalty`.

    `late` says how late the submission came. `attempt` says which attempt counts, and why. `by`
    says which member of a group handed in the submission. Each of these is "" if there is nothing
    to say. `names` is the part of `penalty` for wrong file names. `because` has a person's
    reasons for changed points.
    """

    raw: float
    manual: float = 0.0
    penalty: float = 0.0
    late: str = ""
    attempt: str = ""
    by: str = ""
    names: float = 0.0
    because: str = ""

    @property
    def final(self) -> float:
        """The final score."""
        return round(self.raw + self.manual - self.penalty, 2)

    @property
    def words(self) -> str:
        """The parts, such as "checks 8, manual +3, 2 days late -1.1"; "" for raw points alone."""
        parts = list(self._parts_beside_checks())
        if not parts:
            return ""
        return ", ".join((f"checks {self.raw:g}", *parts))

    def _parts_beside_checks(self) -> Iterator[str]:
        """Yield, in words, each part that is not empty, except the raw points."""
        if self.manual:
            yield f"manual {self.manual:+g}"
        if self.because:
            yield f"because {self.because}"
        late_penalty = round(self.penalty - self.names, 2)
        if late_penalty:
            yield f"{self.late} {-late_penalty:g}"
        elif self.late:
            yield self.late
        if self.names:
            yield f"wrong file name {-self.names:g}"
        if self.attempt:
            yield self.attempt
        if self.by:
            yield f"handed in by {self.by}"


AFTER_HIDDEN = "This check ran after hidden ones, so it does not show what your program answered."


@dataclass(frozen=True)
class Result:
    """How one student's program was graded; `message` is a one-line verdict, "" if all went well.

    If the grader failed, the message is for the instructor only. `where` is the line that keeps the
    program from being imported. `awaits_manual` says that manual points are still missing.
    `receipt` has letters that stand for the files that the grader read, and `python` is the version
    of Python that graded them. A final result has `parts`, unless the raw score is the only part.
    """

    student: str
    stage: str
    status: Status
    message: str
    score: float
    max_score: int
    prerequisites: Prerequisites | None
    sandbox: str
    tasks: tuple[TaskResult, ...]
    where: SourcePosition | None = None
    awaits_manual: bool = False
    receipt: str = ""
    python: str = ""
    parts: ScoreParts | None = None

    @property
    def timed_out(self) -> bool:
        """Whether a test took too long."""
        return any(test.outcome is Outcome.TIMEOUT for test in self.tests)

    @property
    def tests(self) -> Iterator[TestResult]:
        """The tests of all tasks, in the order of the tasks."""
        for task in self.tasks:
            yield from task.tests

    @property
    def score_parts(self) -> ScoreParts:
        """What the score is made of; if the result has no `parts`, the score is raw points."""
        return self.parts or ScoreParts(self.score)

    @property
    def fails_hidden(self) -> bool:
        """Whether the program was graded and a hidden test did not pass."""
        failed = any(test.hidden and test.outcome is not Outcome.PASSED for test in self.tests)
        return self.status is Status.GRADED and failed

    @property
    def has_hidden(self) -> bool:
        """Whether hidden tests were run as well as visible ones."""
        return any(test.hidden for test in self.tests)

    def with_places(self, words: Callable[[SourcePosition], str]) -> "Result":
        """Return the result with other words for the places in its messages.

        Tests name lines of modules. A student who works in a notebook needs cells instead, and
        `words` returns the words for the cell of a line.
        """

        def with_words(message: str, *places: SourcePosition | None) -> str:
            """Return the message with these places replaced; "line 2" does not match "line 25"."""
            for place in filter(None, places):
                parts = re.split(rf"\b{re.escape(str(place))}(?!\d)", message)
                message = words(place).join(parts)
            return message

        tasks = []
        for task in self.tasks:
            tests = []
            for test in task.tests:
                message = with_words(test.message, test.where, test.beside)
                tests.append(replace(test, message=message))
            tasks.append(replace(task, tests=tuple(tests)))
        return replace(self, message=with_words(self.message, self.where), tasks=tuple(tasks))

    def with_untouched(self, untouched: Collection[str]) -> "Result":
        """Return the result with exactly these tasks marked as not begun by the student."""
        tasks = (replace(task, untouched=task.task in untouched) for task in self.tasks)
        return replace(self, tasks=tuple(tasks))

    def without_messages(self) -> "Result":
        """Return the result without the messages and places that may hold a text of the program.

        Messages about hidden tests stay, because they never show a text of the program. Examples of
        hidden tests are removed, because the program can choose which hidden test fails.
        """
        tasks = []
        for task in self.tasks:
            tests = tuple(map(_without_message, task.tests))
            tasks.append(replace(task, tests=tests))
        return replace(self, message="", where=None, tasks=tuple(tasks))

    def naming_course_files(self, modules: Collection[str]) -> "Result":
        """Return the result with "the course's cards.py" for each place in a file of these modules.

        A student does not have these files. So the numbers of their lines say nothing to the
        student, and the text of a line would show a part of the course's solution.
        """
        if not modules:
            return self
        place = re.compile(rf"\b({'|'.join(modules)})\.py, line \d+(?:: [^\n]*)?")
        tasks = []
        for task in self.tasks:
            tests = []
            for test in task.tests:
                message = place.sub(r"the course's \1.py", test.message)
                where = _outside(test.where, modules)
                beside = _outside(test.beside, modules)
                tests.append(replace(test, message=message, where=where, beside=beside))
            tasks.append(replace(task, tests=tuple(tests)))
        return replace(self, tasks=tuple(tasks))

    def for_student(self) -> "Result":
        """Return the result as its student may see it: without the text of a grader error.

        That text may quote a program's answer, and so the inputs of a hidden test. Every text or
        page that can reach a student must be made from this result.
        """
        if self.status is Status.GRADER_ERROR:
            return replace(self, message=NOT_GRADED)
        return self

    def as_json(self) -> dict[str, Any]:
        """Return the result as plain dicts and lists, without OPTIONAL fields that are unset."""
        return asdict(self, dict_factory=_without_unset)

    @classmethod
    def from_json(cls, data: Any) -> "Result":
        """Return the result that `as_json` wrote; raise StageError for anything else."""
        return to_dataclass(cls, data, "result")


def _outside(position: SourcePosition | None, modules: Collection[str]) -> SourcePosition | None:
    """Return the position; None if it is in one of these modules."""
    if position is None or position.module in modules:
        return None
    return position


def _without_message(test: TestResult) -> TestResult:
    """Return the test without any text of the program.

    A visible test that did not pass gets the message AFTER_HIDDEN and loses its places. A hidden
    test loses its example but keeps its message, because the message has no text of the program.
    """
    if test.hidden or test.outcome is Outcome.PASSED:
        return replace(test, example="")
    return replace(test, message=AFTER_HIDDEN, where=None, beside=None, ends_in="", unfinished="")


def _without_unset(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a dataclass as a dict, without the OPTIONAL fields that are unset."""
    kept: dict[str, Any] = {}
    for key, value in items:
        is_unset = value is None or value is False or value in ((), "")
        if not (is_unset and key in OPTIONAL):
            kept[key] = value
    return kept


def points_in_words(score: float, max_score: int, unknown: int = 0, by: str = "the grader") -> str:
    """Return points in the words that every report uses.

    The `unknown` points are not part of `max_score`, because only `by` can give them.
    """
    parts = []
    if max_score or not unknown:
        parts.append(f"{score:g} of {count_of(max_score, 'point')}")
    if unknown:
        parts.append(f"{count_of(unknown, 'point')} can only be given by {by}")
    return "; ".join(parts)


def weights_of(tests: Sequence[TestResult]) -> list[float]:
    """Return each test's weight in its task, so that all weights add up to 1.

    All rules weigh the same, and so do all cases of one rule. So a rule with more cases does not
    weigh more.
    """
    rules = [test.name.partition("[")[0] for test in tests]
    cases = Counter(rules)
    return [1 / len(cases) / cases[rule] for rule in rules]


def share_of(tests: Sequence[TestResult]) -> float:
    """Return the share of the tests that passed, from 0 to 1; 0 if there are none."""
    return fsum(compress(weights_of(tests), passed(tests)))


def passed(tests: Iterable[TestResult]) -> list[bool]:
    """Return for each test whether it passed."""
    return [test.outcome is Outcome.PASSED for test in tests]


def points_of(tests: Sequence[TestResult], points: int) -> float:
    """Return the points times the share of the tests that passed; 0.0 if there are no tests."""
    return round(points * share_of(tests), 2)


def score_task(task: Task, tests: Iterable[TestResult], skipped: Iterable[str] = ()) -> TaskResult:
    """Return the task's result, with points for its tests."""
    tests = tuple(tests)
    score = points_of(tests, task.points)
    return TaskResult(task.id, task.title, score, task.points, tests, tuple(skipped))


def score_stage(
    stage: Stage,
    student: str,
    tests: dict[str, list[TestResult]],
    *,
    sandbox: str,
    message: str = "",
    status: Status = Status.GRADED,
    skipped: Mapping[str, Iterable[str]] = NONE_SKIPPED,
    where: SourcePosition | None = None,
) -> Result:
    """Return the result of a stage. `tests` maps the id of each task to its tests.

    A task without tests gets no points. `skipped` maps the id of a task to reasons, one for each
    test that was not run and does not count.
    """
    tasks: list[TaskResult] = []
    for task in stage.tasks:
        tests_of_task = tests.get(task.id, ())
        tasks.append(score_task(task, tests_of_task, skipped.get(task.id, ())))
    return Result(
        student=student,
        stage=stage.name,
        status=status,
        message=message,
        score=_total(tasks),
        max_score=stage.points,
        prerequisites=None,
        sandbox=sandbox,
        tasks=tuple(tasks),
        where=where,
    )


def _total(tasks: Iterable[TaskResult]) -> float:
    """Return the points of all tasks, rounded to two digits like every score."""
    return round(sum(task.score for task in tasks), 2)


def rescore(result: Result, stage: Stage) -> Result | None:
    """Return the result with the points that the stage gives now for the same tests.

    Changed points need no new run. But they may change which run counts: the run with the student's
    own earlier stages, or the run with the course's. Return None then, because the tests of the
    other run were not kept.
    """
    tasks: list[TaskResult] = []
    for task, old in zip(stage.tasks, result.tasks, strict=True):
        points = points_of(old.tests, task.points)
        tasks.append(replace(old, score=points, max_score=task.points))
    score = _total(tasks)
    rescored = replace(result, score=score, max_score=stage.points, tasks=tuple(tasks))
    scores = result.prerequisites
    if scores is None:
        return rescored
    other_score = None  # the score of the run that does not count
    if scores.other:
        shares = zip(stage.tasks, scores.other, strict=False)
        points_by_task = [round(task.points * share, 2) for task, share in shares]
        other_score = round(sum(points_by_task), 2)
    if scores.own_counts:
        new_scores = replace(scores, own=score, reference=other_score)
    else:
        new_scores = replace(scores, own=other_score, reference=score)
    if new_scores.own_counts != scores.own_counts:
        return None
    rescored = replace(rescored, prerequisites=new_scores)
    if old_note := reference_note(result):
        message = rescored.message.replace(old_note, reference_note(rescored))
        rescored = replace(rescored, message=message)
    return rescored


def reference_note(result: Result) -> str:
    """Return why the course's earlier stages count instead of the student's.

    The text also names the tasks in which the student's own earlier stages cost points. Return ""
    if the student's own earlier stages count, or if there are none.
    """
    scores = result.prerequisites
    if scores is None or scores.own is None or scores.own_counts:
        return ""
    worse: list[int] = []
    for number, (share, task) in enumerate(zip(scores.other, result.tasks, strict=True), start=1):
        if share < task.share:
            worse.append(number)
    return (
        f"graded with the course's {scores.files}; it scored more than with yours "
        f"in {name_tasks(worse)} ({scores.own:g} of {result.max_score} points)"
    )
