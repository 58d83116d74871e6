"""Final scores: autograder score plus manual points minus late penalty.

Adjustment    the manual points and the late penalty of one result; `apply` gives the final result
Adjustments   those of a class, by student and stage; results keep the autograder's own scores
LatePolicy    `autograder/late.toml`: due times, free days, what each further day costs
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError, StageError
from hearts_course.files import read_json, read_toml, to_dataclass
from hearts_course.results import Result, Status, TaskResult
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import TIMESTAMP, read_beneath

CHECK, MANUAL = "check-", "manual-"  # prefixes of the names of cells with points
AWAITS = "awaits manual grading"
LATE_FILE = "late.toml"
MAX_TIME_BYTES = 200
DAY = timedelta(days=1).total_seconds()

Name = tuple[str, str]  # of a student and of a stage


@dataclass(frozen=True)
class GradebookEntry:
    """When a submission was handed in, if known, and manual points by cell."""

    stamp: datetime | None = None
    extension: timedelta = timedelta()
    given: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ManualScore:
    """Manual points; None until a person has given them."""

    id: str
    title: str
    points: int
    score: float | None = None


@dataclass(frozen=True)
class Adjustment:
    """The manual points and late penalty that make a result final.

    `overrides` are points that a person gave for a task in place of the autograder's. A submission
    that comes `days_late` days late loses `late_fraction` (0 to 1) of its score.
    """

    manual: tuple[ManualScore, ...] = ()
    overrides: Mapping[str, float] = field(default_factory=dict)
    days_late: int = 0
    late_fraction: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.manual or self.overrides or self.late_fraction)

    @property
    def has_manual_points(self) -> bool:
        """Whether a person gave points."""
        return bool(self.overrides) or any(one.score is not None for one in self.manual)

    def apply(self, result: Result, *, spread: bool = False) -> Result:
        """Return the final result; a grader error stays as it is.

        With `spread` its tasks add up to the score: manual points become a task, and each task
        loses its share of the late penalty.
        """
        if result.status is Status.GRADER_ERROR or not self:
            return result
        keep = 1 - self._late_fraction(result) if spread else 1.0
        tasks = [
            replace(task, score=self.overrides.get(task.task, task.score) * keep)
            for task in result.tasks
        ]
        if spread:
            tasks += (
                TaskResult(one.id, one.title, (one.score or 0.0) * keep, one.points, ())
                for one in self.manual
            )
        awaits = result.status is Status.GRADED and any(one.score is None for one in self.manual)
        penalty = self.late_penalty(result)
        notes = (result.message, AWAITS if awaits else "", self._late_note(result, penalty))
        return replace(
            result,
            score=round(self._before_penalty(result) - penalty, 2),
            max_score=result.max_score + sum(one.points for one in self.manual),
            message="; ".join(filter(None, notes)),
            tasks=tuple(tasks),
            awaits_manual=awaits,
        )

    def late_penalty(self, result: Result) -> float:
        """Return the points that the late penalty takes off."""
        return round(self._before_penalty(result) * self._late_fraction(result), 2)

    def _late_fraction(self, result: Result) -> float:
        """Return the fraction that is lost; a missing submission is not late."""
        return 0.0 if result.status is Status.MISSING else self.late_fraction

    def _before_penalty(self, result: Result) -> float:
        tasks = sum(self.overrides.get(task.task, task.score) for task in result.tasks)
        return round(tasks + sum(one.score or 0.0 for one in self.manual), 2)

    def _late_note(self, result: Result, penalty: float) -> str:
        days = f"{self.days_late} day{'' if self.days_late == 1 else 's'}"
        return f"{days} late, which costs {penalty:g}" if self._late_fraction(result) else ""


Adjustments = Mapping[Name, Adjustment]
NO_ADJUSTMENT = Adjustment()


@dataclass(frozen=True)
class LatePolicy:
    """The late penalty: percent of the score for each day begun after the grace days."""

    grace_days: float = 0.0
    percent_per_day: float = 0.0
    due: Mapping[str, datetime] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for impossible numbers."""
        if self.grace_days < 0 or not 0 <= self.percent_per_day <= 100:
            raise ValueError("grace_days must not be negative, percent_per_day from 0 to 100")

    def days(self, seconds_late: float) -> int:
        """Return how many days count."""
        return max(0, math.ceil(seconds_late / DAY - self.grace_days))

    def late_fraction(self, seconds_late: float) -> float:
        """Return the fraction of the score that is lost, from 0 to 1."""
        return min(100.0, self.percent_per_day * self.days(seconds_late)) / 100

    def penalty(self, score: float, seconds_late: float) -> float:
        """Return the points lost, at most the whole score."""
        return round(max(score, 0.0) * self.late_fraction(seconds_late), 2)

    def seconds_late(self, stage: str, stamp: datetime | None, extension: timedelta) -> float:
        """Return how late a submission came; 0 without a time or a due time."""
        due = self.due.get(stage)
        if due is None or stamp is None:
            return 0.0
        return max(0.0, (stamp - due - extension).total_seconds())


def load_policy(course: Course) -> LatePolicy:
    """Return the course's late policy, none without the file; raise StageError if it is invalid."""
    path = course.root / "autograder" / LATE_FILE
    if not path.exists():
        return LatePolicy()
    policy = to_dataclass(LatePolicy, read_toml(path), path)
    due = {course.stage(name).name: _due(path, name, when) for name, when in policy.due.items()}
    return replace(policy, due=due)


def _due(path: Path, stage: str, when: datetime) -> datetime:
    """Return the time as nbgrader stores it: in UTC, without a time zone."""
    if when.tzinfo is None:
        example = "2026-10-01T23:59:00+02:00"
        raise StageError(f"{path}: due.{stage}: write date, time and offset, as in {example}")
    return when.astimezone(UTC).replace(tzinfo=None)


def adjustment(stage: Stage, entry: GradebookEntry, policy: LatePolicy) -> Adjustment:
    """Return the adjustment of a result of the stage."""
    given = entry.given
    manual = (
        ManualScore(one.id, one.title, one.points, given.get(f"{MANUAL}{one.id}"))
        for one in stage.manual
    )
    tasks = {task.id: given.get(f"{CHECK}{task.id}") for task in stage.tasks}
    overrides = {task: points for task, points in tasks.items() if points is not None}
    late = policy.seconds_late(stage.name, entry.stamp, entry.extension)
    return Adjustment(tuple(manual), overrides, policy.days(late), policy.late_fraction(late))


def apply_all(results: Iterable[Result], adjustments: Adjustments) -> tuple[Result, ...]:
    """Return the final results."""
    return tuple(
        adjustments.get((one.student, one.stage), NO_ADJUSTMENT).apply(one) for one in results
    )


def adjustments_text(adjustments: Adjustments) -> str:
    """Return the content of the file of adjustments, without those that change nothing."""
    data: dict[str, dict[str, object]] = {}
    for (student, stage), one in sorted(adjustments.items()):
        if one:
            data.setdefault(student, {})[stage] = asdict(one)
    return json.dumps(data, indent=1) + "\n"


def read_adjustments(path: Path) -> Adjustments:
    """Return the adjustments in the file; none if there is no file, or a damaged one."""
    try:
        return {
            (student, stage): to_dataclass(Adjustment, value, path, lenient=True)
            for student, stages in read_json(path).items()
            for stage, value in stages.items()
        }
    except (CourseError, AttributeError):
        return {}


def handed_in(folder: Path | None) -> datetime | None:
    """Return when the submission in the folder was handed in, in UTC; None if that is unknown."""
    try:
        if folder is None or not folder.is_dir() or folder.is_symlink():
            return None
        return parse_time(read_beneath(folder, TIMESTAMP, MAX_TIME_BYTES).decode("ascii").strip())
    except (Unreadable, OSError, ValueError, OverflowError):
        return None


def parse_time(text: str) -> datetime:
    """Return the time in UTC; raise ValueError if it is not one.

    It is written `2026-09-30 14:58:23.9 Europe/Berlin` or with an offset; without, it is UTC.
    """
    try:
        when = datetime.fromisoformat(text.replace(" +", "+").replace(" -", "-"))
    except ValueError:
        moment, _, zone = text.rpartition(" ")
        when = datetime.fromisoformat(moment).replace(tzinfo=_zone(zone))
    return when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC).replace(tzinfo=None)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (OSError, LookupError, ValueError):
        raise ValueError(f"unknown time zone: {name}") from None
