"""Students whom somebody should ask how it is going: silent, stuck, failing, falling behind.

Sign     why, and at which stage
Need     a student, and all signs about them
needs    those of a class
RULES    when each sign is given, in words
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hearts_course.course import Stage
from hearts_course.results import Result, Status

LOW = 0.4  # of a stage's points
FALL = 0.25  # of all points, from one stage to the next that was handed in
MOST = 0.6  # of the students who were graded
LEAST_STUDENTS = 5  # before "most students" means something

RULES = {
    "silent": "handed in nothing for a stage that at least half of the others handed in",
    "unreadable": "handed in something that could not be read as a program",
    "failing": f"has less than {LOW:.0%} of a stage’s points",
    "stuck": "is not failing, but "
    f"has no point in a task in which {MOST:.0%} of the students have at least half",
    "falling": f"has {FALL:.0%} of the points less than in the stage handed in before",
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


def needs(results: Iterable[Result], stages: Iterable[Stage]) -> tuple[AtRiskStudent, ...]:
    """The students with any sign; those with the most come first."""
    found: dict[str, list[WarningSign]] = {}
    before: dict[str, tuple[str, float]] = {}
    results = tuple(results)
    for stage in stages:
        here = [result for result in results if result.stage == stage.name]
        for student, sign in (*_absences(here), *_results(here, stage), *_falls(here, before)):
            found.setdefault(student, []).append(sign)
    return tuple(
        AtRiskStudent(student, tuple(found[student]))
        for student in sorted(found, key=lambda name: (-len(found[name]), name.casefold(), name))
    )


def _absences(here: Sequence[Result]) -> Iterator[tuple[str, WarningSign]]:
    silent = [result for result in here if result.status is Status.MISSING]
    most_did = len(here) - len(silent) >= len(here) / 2
    for result in here:
        if result in silent and most_did:
            words = f"{len(here) - len(silent)} of {len(here)} students handed it in"
            yield result.student, WarningSign("silent", result.stage, words)
        elif result.status is Status.UNREADABLE and result not in silent:
            yield result.student, WarningSign("unreadable", result.stage, result.message)


def _results(here: Sequence[Result], stage: Stage) -> Iterator[tuple[str, WarningSign]]:
    graded = [result for result in here if result.status is Status.GRADED]
    usual = _usually_done(graded)
    for result in graded:
        share = _share(result)
        if share < LOW:
            words = f"{result.score:g} of {result.max_score} points"
            yield result.student, WarningSign("failing", stage.name, words)
            continue
        for scored in result.tasks:
            if scored.score == 0 and scored.task in usual:
                task = stage.task(scored.task)
                words = f"task {stage.number(task)}, {task.title}"
                yield result.student, WarningSign("stuck", stage.name, words)
                break


def _usually_done(graded: Sequence[Result]) -> set[str]:
    """The tasks in which most students have at least half of the points."""
    if len(graded) < LEAST_STUDENTS:
        return set()
    done: dict[str, int] = {}
    for result in graded:
        for scored in result.tasks:
            done[scored.task] = done.get(scored.task, 0) + (2 * scored.score >= scored.max_score)
    return {task for task, count in done.items() if count >= MOST * len(graded)}


def _falls(
    here: Iterable[Result], before: dict[str, tuple[str, float]]
) -> Iterator[tuple[str, WarningSign]]:
    """`before` is each student's last stage and share of its points, and is kept up to date."""
    for result in here:
        if result.status is Status.GRADED:
            share = _share(result)
            stage, last = before.get(result.student, ("", 0.0))
            if last - share >= FALL:
                words = f"from {last:.0%} in {stage} to {share:.0%}"
                yield result.student, WarningSign("falling", result.stage, words)
            before[result.student] = (result.stage, share)


def _share(result: Result) -> float:
    return result.score / result.max_score if result.max_score else 1.0
