"""What regrading has changed: whose score, and in which tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from hearts_course.results import Outcome, Result, TestResult

# (passed before, passes now), None where there was or is no such test, and whether that gains
# points or loses some.
KINDS: dict[tuple[bool | None, bool | None], tuple[str, bool]] = {
    (False, True): ("passes now", True),
    (True, False): ("passes no longer", False),
    (None, True): ("is new and passes", True),
    (None, False): ("is new and does not pass", False),
    (True, None): ("is gone and had passed", False),
    (False, None): ("is gone and had not passed", True),
}


@dataclass(frozen=True)
class TestChange:
    """A test that changed a score, and how."""

    __test__ = False

    name: str
    topic: str
    what: str
    gains: bool


@dataclass(frozen=True)
class Change:
    """A student's stage before and after; `why` are the parts of its key that differ."""

    student: str
    stage: str
    why: tuple[str, ...]
    before: float
    after: float
    max_score: int
    tests: tuple[TestChange, ...]

    @property
    def difference(self) -> float:
        """The points that the student gains, or loses if it is below zero."""
        return round(self.after - self.before, 2)


def compare(before: Result, after: Result, why: tuple[str, ...] = ()) -> Change:
    """Return what has changed in a result."""
    return Change(
        after.student,
        after.stage,
        why,
        before.score,
        after.score,
        after.max_score,
        tuple(_tests(before, after)),
    )


def _tests(before: Result, after: Result) -> Iterator[TestChange]:
    old, new = _by_name(before), _by_name(after)
    for name in {**old, **new}:
        kind = KINDS.get((_passed(old.get(name)), _passed(new.get(name))))
        if kind is not None:
            known = new.get(name) or old[name]
            yield _shared(name, known.topic, *kind)


@cache
def _shared(name: str, topic: str, what: str, gains: bool) -> TestChange:
    """Return one object for all students whose test changed like this, to save memory."""
    return TestChange(name, topic, what, gains)


def _by_name(result: Result) -> dict[str, TestResult]:
    return {test.name: test for task in result.tasks for test in task.tests}


def _passed(test: TestResult | None) -> bool | None:
    return None if test is None else test.outcome is Outcome.PASSED
