"""Students who may need help, and the signs of it, over all stages."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hearts_course.course import Stage
from hearts_course.results import Result, Status

LOW = 0.4  # of a stage's points
FALL = 0.25  # of all points, from one stage to the next that was handed in
MOST = 0.6  # of the students who were graded
MIN_STUDENTS = 5  # before "most students" means something

RULES = {
    "silent": "handed in nothing for a stage that at least half of the others handed in",
    "unreadable": "handed in something that could not be read as a program",
    "failing": f"has less than {LOW:.0%} of a stage’s points",
    "stuck": "is not failing, but has no points in a task in which "
    f"{MOST:.0%} of the students have at least half",
    "falling": f"lost {FALL:.0%} of the points or more from one stage to the next",
}


@dataclass(frozen=True)
class WarningSign:
    """Why a student may need help; `kind` is a key of RULES."""

    kind: str
    stage: str
    words: str


@dataclass(frozen=True)
class AtRiskStudent:
    """A student and the signs, in the order of the stages."""

    student: str
    signs: tuple[WarningSign, ...]


def at_risk(results: Iterable[Result], stages: Iterable[Stage]) -> tuple[AtRiskStudent, ...]:
    """Return the students with any sign; those with the most signs come first."""
    found: dict[str, list[WarningSign]] = {}
    shares: dict[str, tuple[str, float]] = {}
    results = tuple(results)
    for stage in stages:
        here = [result for result in results if result.stage == stage.name]
        for student, kind, words in (
            *_absences(here),
            *_scores(here, stage),
            *_falls(here, shares),
        ):
            found.setdefault(student, []).append(WarningSign(kind, stage.name, words))
    students = (AtRiskStudent(student, tuple(signs)) for student, signs in found.items())
    return tuple(
        sorted(students, key=lambda one: (-len(one.signs), one.student.casefold(), one.student))
    )


Sign = tuple[str, str, str]  # student, kind, words


def _absences(here: Sequence[Result]) -> Iterator[Sign]:
    handed_in = sum(result.status is not Status.MISSING for result in here)
    for result in here:
        if result.status is Status.MISSING and 2 * handed_in >= len(here):
            yield result.student, "silent", f"{handed_in} of {len(here)} students handed it in"
        elif result.status is Status.UNREADABLE:
            yield result.student, "unreadable", result.message


def _scores(here: Sequence[Result], stage: Stage) -> Iterator[Sign]:
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
    """Return the tasks in which most students have at least half of the points."""
    if len(graded) < MIN_STUDENTS:
        return set()
    tasks = (task for result in graded for task in result.tasks)
    solved = Counter(task.task for task in tasks if 2 * task.score >= task.max_score)
    return {task for task, count in solved.items() if count >= MOST * len(graded)}


def _falls(here: Iterable[Result], shares: dict[str, tuple[str, float]]) -> Iterator[Sign]:
    """Yield falls since each student's last stage; `shares` has that and its share of points."""
    for result in here:
        if result.status is Status.GRADED:
            share = _share(result)
            stage, last = shares.get(result.student, ("", 0.0))
            if last - share >= FALL:
                yield result.student, "falling", f"from {last:.0%} in {stage} to {share:.0%}"
            shares[result.student] = (result.stage, share)


def _share(result: Result) -> float:
    return result.score / result.max_score if result.max_score else 1.0
