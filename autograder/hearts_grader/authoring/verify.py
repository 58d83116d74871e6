"""Verify a stage: run all its checks; each check reports one line per problem.

The checks themselves are in `checks`, which mostly reads texts, and in `trials`, which grades
programs. A chaff is a copy of the reference with one plausible mistake, and its pattern is the list
of tests that it fails. A mutant is the reference with one small automatic change.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from multiprocessing import get_context

from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError

from hearts_grader.authoring import checks, trials
from hearts_grader.authoring.chaffs import Grade

COURSE_CHECKS: dict[str, Callable[[Course], Iterable[str]]] = {
    "every folder and notebook belongs to a stage": checks.unknown_files,
    "modules, test files and tasks have unique names": checks.unique_names,
}
STAGE_CHECKS: dict[str, Callable[[Course, Stage], Iterable[str]]] = {
    "the four places match": checks.needed_files,
    "every blank exists": checks.existing_blanks,
    "points add up": checks.valid_points,
    "brief and hints match stage.toml": checks.brief_and_hints,
    "lines to put in order are mixed, in the hint before the last": checks.lines_to_order,
    "every task has an idea, then a contract": checks.ideas,
    "objectives, brief and tasks match": checks.objectives,
    "every question for discussion has a model answer": checks.model_answers,
    "generated files are current": checks.current_files,
    "patterns.json knows every chaff": checks.known_patterns,
    "every task has a visible test": checks.marked_tests,
    "every test has a topic, every hidden one a near example": checks.explained_tests,
    "house rules are rule books": checks.house_rules,
    "no mistake in the first task costs more than a third": checks.fair_points,
    "a clinic holds no solution of another stage": checks.no_solutions_in_clinics,
}
# These checks run many small programs, one after another. They run at the same time as the grading,
# because some processors are free while the grading waits for its last programs.
RUNNING_CHECKS: dict[str, Callable[[Course, Stage], Iterable[str]]] = {
    "the brief's examples hold": checks.examples,
    "every near example shows what its test finds": checks.near_examples,
    "every question tells a mistake from the reference": checks.answered_questions,
}
MUTANTS_DIE = "every mutant is killed or listed as equivalent"
NOT_TRIED = "not tried, because the reference does not score full"


class Mutants(StrEnum):
    """The stages whose mutants are tried."""

    CHANGED = "changed"
    ALL = "all"
    NONE = "none"


@dataclass(frozen=True)
class CheckResult:
    """A check of a stage, or of the whole course, and its problems: none if the check passes."""

    where: str
    check: str
    problems: tuple[str, ...]
    note: str = ""


def verify(
    course: Course,
    stages: Iterable[Stage],
    grade: Grade,
    *,
    mutants: Mutants = Mutants.CHANGED,
) -> Iterator[CheckResult]:
    """Yield the results of all checks, stage by stage; `grade` grades the programs of the trials.

    While `grade` works, another process runs the checks in `RUNNING_CHECKS`. A problem does not end
    the run, because it is part of a result. `mutants` says for which stages mutants are tried.
    Trying them takes longer than any other check.
    """
    for label, course_check in COURSE_CHECKS.items():
        yield _result("course", label, partial(course_check, course))
    stages = tuple(stages)
    # A forked process would inherit the threads and pipes of the grader in an unknown state.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as beside:
        running: dict[str, list[Future[CheckResult]]] = {}
        for stage in stages:
            running[stage.name] = [
                beside.submit(_running_check, course, stage, label) for label in RUNNING_CHECKS
            ]
        try:
            for stage in stages:
                for label, stage_check in STAGE_CHECKS.items():
                    yield _result(stage.name, label, partial(stage_check, course, stage))
                # While these programs are graded, the other process runs its checks of this stage.
                tried = list(_tried(course, stage, grade, mutants))
                yield from (check.result() for check in running[stage.name])
                yield from tried
        finally:
            # After Ctrl-C the checks that have not begun must not begin.
            beside.shutdown(cancel_futures=True)


def _running_check(course: Course, stage: Stage, label: str) -> CheckResult:
    """Return the result of the check with this label; the other process calls this function."""
    return _result(stage.name, label, partial(RUNNING_CHECKS[label], course, stage))


def _tried(course: Course, stage: Stage, grade: Grade, mutants: Mutants) -> Iterator[CheckResult]:
    """Yield the result of each check that grades programs."""
    problems_by_check = trials.run_trials(stage, grade)
    for label, problems in problems_by_check.items():
        yield CheckResult(stage.name, label, tuple(problems))
    if mutants is Mutants.NONE:
        return
    # If the tests fail the reference, they fail every mutant as well, which proves nothing.
    if problems_by_check[trials.REFERENCE]:
        yield CheckResult(stage.name, MUTANTS_DIE, (f"{stage.name}: {NOT_TRIED}",))
        return
    again = mutants is Mutants.ALL
    note = ""
    try:
        survivors, note = trials.try_mutants(course, stage, grade, again=again)
    except CourseError as error:
        survivors = [str(error)]
    yield CheckResult(stage.name, MUTANTS_DIE, tuple(survivors), note)


def _result(where: str, check: str, find: Callable[[], Iterable[str]]) -> CheckResult:
    """Return the check's result; a stage that cannot be read is a problem like any other."""
    try:
        return CheckResult(where, check, tuple(find()))
    except CourseError as error:
        return CheckResult(where, check, (str(error),))
