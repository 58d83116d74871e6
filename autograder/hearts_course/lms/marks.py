"""The results in an output folder, by stage and student.

Marks   them, and a line for each that cannot be exported
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.grading.final_scores import AWAITS
from hearts_course.grading.store import Store
from hearts_course.results import Result, Status

Scores = Mapping[str, Result]


@dataclass(frozen=True)
class StageResults:
    """By stage, in the course's order, each student's result, without what its tests say.

    A `fault` is a result that cannot be exported, as one line.
    """

    stages: Mapping[str, tuple[Stage, Scores]]
    faults: tuple[str, ...]

    @property
    def students(self) -> tuple[str, ...]:
        """Whoever has a result."""
        return tuple(sorted({name for _, scores in self.stages.values() for name in scores}))

    @property
    def notes(self) -> tuple[str, ...]:
        """A line for each stage in which scores still await points that a person gives."""
        every = ((name, scores.values()) for name, (_, scores) in self.stages.items())
        counts = {name: (sum(map(_awaits, results)), len(results)) for name, results in every}
        return tuple(f"{name}: {AWAITS}: {n} of {of}" for name, (n, of) in counts.items() if n)


def _awaits(result: Result) -> bool:
    return result.awaits_manual


def read_marks(root: Path, course: Course, only: Sequence[str] = ()) -> StageResults:
    """What `hearts grade` has written into the folder, for all stages or only these.

    A result in which the grader failed says nothing about the student, and is a fault. Raises
    UsageError if there is no result, or a stage is unknown.
    """
    chosen = {course.stage(name).name for name in only}
    results, damaged = Store(root).load_final()
    known = {stage.name: stage for stage in course.stages}
    faults = list(damaged)
    found: dict[str, dict[str, Result]] = {}
    for result in results:
        if chosen and result.stage not in chosen:
            continue
        if fault := _fault(result, known):
            faults.append(fault)
        else:
            found.setdefault(result.stage, {})[result.student] = result
    if not found and not faults:
        what = f"no result for {', '.join(sorted(chosen))}" if results else "no results here"
        raise UsageError(f"{root}: {what}; name the folder that `hearts grade --out` wrote")
    stages = {name: (stage, found[name]) for name, stage in known.items() if name in found}
    return StageResults(stages, tuple(faults))


def _fault(result: Result, known: Mapping[str, Stage]) -> str:
    whose = f"{result.stage} of {result.student}"
    if result.stage not in known:
        return f"{whose}: the course has no such stage; left out"
    if result.status is Status.GRADER_ERROR:
        return f"{whose}: the grader failed, so there is no score; grade it again"
    return ""
