"""What a result comes to in the end: with what a person gave, and without what coming late costs.

Entry         when a submission came, and what a person gave for it
ManualScore        points that a person gives: given, or still awaited
Adjustment    what is to be added to a result and taken from it; `apply` does
Adjustments   those of a class, by student and stage; results keep what the grader itself found
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from hearts_course.course import Stage
from hearts_course.grading.late import LatePolicy
from hearts_course.results import Result, Status, TaskResult

CHECK, MANUAL = "check-", "manual-"  # how the names of cells begin that carry points
Name = tuple[str, str]  # of a student and of a stage
AWAITS = "awaits manual grading"


@dataclass(frozen=True)
class GradebookEntry:
    """When a submission came, if that is known, and the points that a person gave, by cell."""

    stamp: datetime | None = None
    extension: timedelta = timedelta()
    given: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ManualScore:
    """Points for what no program can judge; None until a person has given them."""

    id: str
    title: str
    points: int
    score: float | None = None


@dataclass(frozen=True)
class Adjustment:
    """What a result is to be adjusted by.

    `instead` are tasks whose points a person gave in place of the grader's; `share` of the score,
    from 0 to 1, is lost by coming so many `days` late.
    """

    by_hand: tuple[ManualScore, ...] = ()
    instead: Mapping[str, float] = field(default_factory=dict)
    days: int = 0
    share: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.by_hand or self.instead or self.share)

    @property
    def given(self) -> bool:
        """Whether a person gave points."""
        return bool(self.instead) or any(one.score is not None for one in self.by_hand)

    def apply(self, result: Result, *, spread: bool = False) -> Result:
        """The result as it counts; one that we failed to grade stays as it is.

        With `spread` its tasks add up to it: what people give is a task, too, and each loses its
        share of what coming late costs.
        """
        if result.status is Status.GRADER_ERROR or not self:
            return result
        keep = 1 - self.share if spread else 1.0
        tasks = tuple(_with(task, self.instead, keep) for task in result.tasks)
        if spread:
            tasks += tuple(_task(one, keep) for one in self.by_hand)
        lost = self.lost(result)
        notes = (result.message, self._awaited(result), self._late(lost))
        return replace(
            result,
            score=round(self._before(result) - lost, 2),
            max_score=result.max_score + sum(one.points for one in self.by_hand),
            message="; ".join(filter(None, notes)),
            tasks=tasks,
        )

    def lost(self, result: Result) -> float:
        """The points that coming late costs."""
        return round(self._before(result) * self.share, 2)

    def _before(self, result: Result) -> float:
        tasks = sum(self.instead.get(task.task, task.score) for task in result.tasks)
        return round(tasks + sum(one.score or 0.0 for one in self.by_hand), 2)

    def _awaited(self, result: Result) -> str:
        awaited = result.status is Status.GRADED and any(one.score is None for one in self.by_hand)
        return AWAITS if awaited else ""

    def _late(self, lost: float) -> str:
        if not self.share:
            return ""
        return f"{self.days} day{'' if self.days == 1 else 's'} late, which costs {lost:g}"


Adjustments = Mapping[Name, Adjustment]
NONE = Adjustment()


def adjustment(stage: Stage, entry: GradebookEntry, policy: LatePolicy) -> Adjustment:
    """What becomes of a result of the stage."""
    given = entry.given
    by_hand = (
        ManualScore(one.id, one.title, one.points, given.get(f"{MANUAL}{one.id}"))
        for one in stage.manual
    )
    tasks = {task.id: given.get(f"{CHECK}{task.id}") for task in stage.tasks}
    instead = {task: points for task, points in tasks.items() if points is not None}
    late = policy.seconds_late(stage.name, entry.stamp, entry.extension)
    return Adjustment(tuple(by_hand), instead, policy.days(late), policy.share(late))


def adjusted(results: Iterable[Result], by: Adjustments) -> tuple[Result, ...]:
    """The results as they count."""
    return tuple(by.get((one.student, one.stage), NONE).apply(one) for one in results)


def as_text(adjustments: Adjustments) -> str:
    """The adjustments as a file keeps them; those that change nothing are left out."""
    data: dict[str, dict[str, object]] = {}
    for (student, stage), adjustment in sorted(adjustments.items()):
        if adjustment:
            data.setdefault(student, {})[stage] = asdict(adjustment)
    return json.dumps(data, indent=1) + "\n"


def read_manual_scores(path: Path) -> Adjustments:
    """The adjustments in the file; none if there is no file, or a damaged one."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {
            (student, stage): _from_json(value)
            for student, stages in data.items()
            for stage, value in stages.items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _from_json(data: dict[str, object]) -> Adjustment:
    by_hand = data["by_hand"]
    assert isinstance(by_hand, list)
    return Adjustment(**{**data, "by_hand": tuple(ManualScore(**one) for one in by_hand)})  # type: ignore[arg-type]


def _with(task: TaskResult, instead: Mapping[str, float], keep: float) -> TaskResult:
    return replace(task, score=instead.get(task.task, task.score) * keep)


def _task(one: ManualScore, keep: float) -> TaskResult:
    return TaskResult(one.id, one.title, (one.score or 0.0) * keep, one.points, ())
