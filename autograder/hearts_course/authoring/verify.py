"""Proving a stage: every check in turn, each with a line per fault.

verify    all checks of some stages, one after another, as they are done
Verdict   a check and its faults; none means that it holds
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from hearts_course.authoring.checks import files, suite, survivors, trials
from hearts_course.authoring.checks.examples import examples
from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError

COURSE_CHECKS: dict[str, Callable[[Course], Iterable[str]]] = {
    "no stray folder": files.strays,
    "modules, test files and tasks have names of their own": files.unique,
}
STAGE_CHECKS: dict[str, Callable[[Course, Stage], Iterable[str]]] = {
    "the four places match": files.places,
    "every blank exists": files.blanks,
    "points add up": files.points,
    "brief and hints match stage.toml": files.prose,
    "generated files are current": files.current,
    "what each chaff fails is written down": files.patterns,
    "every task has a visible test": suite.marks,
    "every test has a topic, every hidden one a near example": suite.topics,
    "the brief's examples hold": examples,
}
MUTANTS = "every mutant is killed or listed as equivalent"
NOT_TRIED = "not tried, since the reference does not score full"


@dataclass(frozen=True)
class CheckResult:
    """A check of a stage, or of the whole course, and its faults."""

    where: str
    check: str
    faults: tuple[str, ...]


def verify(
    course: Course, stages: Iterable[Stage], grade: trials.Grade, *, mutants: bool = True
) -> Iterator[CheckResult]:
    """Every check's verdict, as soon as it is known; `grade` grades all works that it is given."""
    for label, course_check in COURSE_CHECKS.items():
        yield _verdict("course", label, partial(course_check, course))
    for stage in stages:
        for label, stage_check in STAGE_CHECKS.items():
            yield _verdict(stage.name, label, partial(stage_check, course, stage))
        yield from _graded(course, stage, grade, mutants)


def _graded(
    course: Course, stage: Stage, grade: trials.Grade, mutants: bool
) -> Iterator[CheckResult]:
    found = trials.run_trials(stage, grade)
    yield from (CheckResult(stage.name, label, tuple(faults)) for label, faults in found.items())
    if not mutants:
        return
    if found[trials.REFERENCE]:
        yield CheckResult(stage.name, MUTANTS, (f"{stage.name}: {NOT_TRIED}",))
    else:
        yield _verdict(stage.name, MUTANTS, partial(survivors.survivors, course, stage, grade))


def _verdict(where: str, check: str, find: Callable[[], Iterable[str]]) -> CheckResult:
    try:
        return CheckResult(where, check, tuple(find()))
    except CourseError as fault:
        return CheckResult(where, check, (str(fault),))
