"""Final scores: autograder score plus manual points minus late penalty.

Adjustment    the manual points and the late penalty of one result; `apply` gives the final result
Adjustments   those of a class, by student and stage; results keep the autograder's own scores
LatePolicy    `late.toml`: due times, extensions, what each day costs, which attempt counts
HandedIn      when the attempt that counts came, and what attempts there are
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo

from hearts_course.course import Course, Stage
from hearts_course.errors import CourseError, StageError, UsageError
from hearts_course.files import read_json, read_toml, to_dataclass
from hearts_course.results import Result, ScoreParts, Status, TaskResult
from hearts_course.submissions.find import LATE_FILE
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import TIMESTAMP, read_beneath
from hearts_course.text import count_of

CHECK, MANUAL = "check-", "manual-"  # prefixes of the names of cells with points
AWAITS = "awaits manual grading"
MAX_TIME_BYTES = 200
DAY = timedelta(days=1).total_seconds()
NO_TIME = timedelta()

Name = tuple[str, str]  # of a student and of a stage


@dataclass(frozen=True)
class GradebookEntry:
    """When a submission was handed in, if known, and manual points by cell."""

    stamp: datetime | None = None
    extension: timedelta = NO_TIME
    given: Mapping[str, float] = field(default_factory=dict)


NO_ENTRY = GradebookEntry()


@dataclass(frozen=True)
class ManualScore:
    """Manual points; None until a person has given them."""

    id: str
    title: str
    points: int
    score: float | None = None


@dataclass(frozen=True)
class Lateness:
    """How late a submission came: `seconds`, of which `days` count and cost this `fraction`.

    If a platform `marked` it as late without a time, the seconds are unknown.
    """

    seconds: float = 0.0
    days: int = 0
    fraction: float = 0.0
    marked: bool = False

    @property
    def words(self) -> str:
        """How late it came, such as "1 day 3 hours late"; "" if it came in time."""
        if self.marked:
            return "marked late by Canvas"
        hours, minutes = math.ceil(self.seconds / 3600), math.ceil(self.seconds / 60)
        if minutes < 60:
            return f"{count_of(minutes, 'minute')} late" if minutes else ""
        days, hours = divmod(hours, 24)
        parts = (count_of(days, "day") if days else "", count_of(hours, "hour") if hours else "")
        return f"{' '.join(filter(None, parts))} late"


IN_TIME = Lateness()


def lost_fraction(late: Lateness, renamed: float | None) -> float:
    """Return the fraction of the score that is lost, by coming late and by a wrong file name."""
    return min(1.0, late.fraction + (renamed or 0.0))


@dataclass(frozen=True)
class AttemptSummary:
    """One of several attempts: when it came, how late, and its score if the scores decide.

    In a group, it was handed in `by` one of them.
    """

    time: str = ""
    late: Lateness = IN_TIME
    score: float | None = None
    by: str = ""


@dataclass(frozen=True)
class Adjustment:
    """The manual points and late penalty that make a result final.

    `overrides` are points that a person gave for a task in place of the autograder's. Of several
    `attempts` the one of that number `counts`, counted from 1, by the rule `rule`. It was handed in
    `by` one student for a `group`. If a file was `renamed`, that costs this fraction.
    """

    manual: tuple[ManualScore, ...] = ()
    overrides: Mapping[str, float] = field(default_factory=dict)
    late: Lateness = IN_TIME
    attempts: tuple[AttemptSummary, ...] = ()
    counts: int = 0
    rule: str = ""
    group: tuple[str, ...] = ()
    by: str = ""
    renamed: float | None = None

    def __bool__(self) -> bool:
        said = self.manual or self.overrides or self.attempts or self.group
        return bool(said or self.late != IN_TIME or self.renamed is not None)

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
        keep = 1 - self._lost(result) if spread else 1.0
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
        parts = self.parts(result)
        return replace(
            result,
            score=round(parts.raw + parts.manual - parts.penalty, 2),
            max_score=result.max_score + sum(one.points for one in self.manual),
            message="; ".join(filter(None, (result.message, AWAITS if awaits else ""))),
            tasks=tuple(tasks),
            awaits_manual=awaits,
            parts=parts,
        )

    def parts(self, result: Result) -> ScoreParts:
        """Return what the result's final score is made of."""
        tasks = sum(self.overrides.get(task.task, task.score) for task in result.tasks)
        before = round(tasks + sum(one.score or 0.0 for one in self.manual), 2)
        late, lost = self._late(result), self._lost(result)
        penalty = round(before * lost, 2)
        names = round(before * (lost - late.fraction), 2)
        manual = round(before - result.score, 2)
        said = late.words, self.attempt_that_counts, self.by
        return ScoreParts(result.score, manual, penalty, *said, names)

    def _lost(self, result: Result) -> float:
        return lost_fraction(self._late(result), self.renamed)

    @property
    def attempt_that_counts(self) -> str:
        """Which of several attempts counts, and why; "" if there is one only."""
        if not self.attempts:
            return ""
        why = RULES[Counts(self.rule)]
        if self.rule == Counts.IN_TIME and self.late.days:
            why = "the latest, because none came in time"
        return f"attempt {self.counts} of {len(self.attempts)}, {why}"

    @property
    def authors(self) -> tuple[str, ...]:
        """Who of a group handed in a program, if several did."""
        found = sorted({one.by for one in self.attempts})
        return tuple(found) if len(found) > 1 else ()

    def _late(self, result: Result) -> Lateness:
        """Return how late it is; a missing submission is not late."""
        return IN_TIME if result.status is Status.MISSING else self.late


Adjustments = Mapping[Name, Adjustment]
NO_ADJUSTMENT = Adjustment()


class Counts(StrEnum):
    """Which of a student's attempts counts."""

    LATEST = "latest"
    IN_TIME = "latest-in-time"
    BEST = "best"


RULES = {
    Counts.LATEST: "the latest",
    Counts.IN_TIME: "the latest in time",
    Counts.BEST: "the best after the late penalty",
}


@dataclass(frozen=True)
class Dates:
    """Due times and extensions by stage, of one student or section."""

    due: Mapping[str, datetime] = field(default_factory=dict)
    extension_days: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SectionDates(Dates):
    """The dates of a section, and its students, unless a roster names them."""

    students: tuple[str, ...] = ()


NO_DATES = SectionDates()
T = TypeVar("T")
D = TypeVar("D", bound=Dates)


@dataclass(frozen=True)
class LatePolicy:
    """When stages are due, what coming late costs, and which attempt counts.

    Each day begun after the grace costs `percent_per_day` of the score, `max_percent` at most. A
    file that was collected under another name costs `name_penalty` percent. What
    a `student` is given goes before what the `section` is given, and that before `due`. `roster`
    is a table with the students' sections and addresses. The report shows `course` and `addresses`.
    """

    grace_days: float = 0.0
    grace_minutes: float = 0.0
    percent_per_day: float = 0.0
    max_percent: float = 100.0
    name_penalty: float = 0.0
    counts: Counts = Counts.LATEST
    roster: str = ""
    course: str = "Hearts"
    addresses: Mapping[str, str] = field(default_factory=dict)
    due: Mapping[str, datetime] = field(default_factory=dict)
    section: Mapping[str, SectionDates] = field(default_factory=dict)
    student: Mapping[str, Dates] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for what is impossible."""
        if min(self.grace_days, self.grace_minutes) < 0:
            raise ValueError("grace_days and grace_minutes must not be negative")
        if not all(0 <= p <= 100 for p in (self.percent_per_day, self.max_percent)):
            raise ValueError("percent_per_day and max_percent must be from 0 to 100")
        if not 0 <= self.name_penalty <= 100:
            raise ValueError("name_penalty must be from 0 to 100 percent")
        listed = Counter(name for one in self.section.values() for name in one.students)
        if twice := next((name for name, count in listed.items() if count > 1), ""):
            raise ValueError(f"{twice} is in two sections")

    @property
    def students(self) -> set[str]:
        """The students that the policy names."""
        named = (one.students for one in self.section.values())
        return {*self.student, *(name for names in named for name in names)}

    @property
    def name_fraction(self) -> float:
        """The fraction of the score that a wrong file name costs."""
        return self.name_penalty / 100

    def days(self, seconds_late: float) -> int:
        """Return how many days count."""
        grace = self.grace_days * DAY + self.grace_minutes * 60
        return max(0, math.ceil((seconds_late - grace) / DAY))

    def late_fraction(self, seconds_late: float) -> float:
        """Return the fraction of the score that is lost, from 0 to 1."""
        return min(self.max_percent, self.percent_per_day * self.days(seconds_late)) / 100

    def lateness(
        self,
        name: Name,
        stamp: datetime | None,
        extension: timedelta = NO_TIME,
        *,
        marked: bool = False,
    ) -> Lateness:
        """Return how late a student's stage came; `extension` is the gradebook's.

        A mark without a time counts as one second, unless the student was given more time.
        """
        student, stage = name
        own, dates = self.student.get(student, Dates()), self._section(student)
        usual = dates.due.get(stage, self.due.get(stage))
        days = own.extension_days.get(stage, dates.extension_days.get(stage, 0.0))
        due = own.due.get(stage, usual)
        if stamp is None:
            is_known = stage in own.due or days > 0 or extension > NO_TIME
            seconds, marked = (0.0, False) if is_known or not marked else (1.0, True)
        elif due is None or usual is None:
            seconds, marked = 0.0 if due is None else (stamp - due).total_seconds(), False
        else:
            until = due + timedelta(days=days)
            until = max(until, usual + extension) if extension > NO_TIME else until
            seconds, marked = (stamp - until).total_seconds(), False
        if seconds <= 0:
            return IN_TIME
        return Lateness(seconds, self.days(seconds), self.late_fraction(seconds), marked)

    def group_lateness(
        self,
        name: Name,
        group: Sequence[str],
        stamp: datetime | None,
        extension: timedelta = NO_TIME,
        *,
        marked: bool = False,
    ) -> Lateness:
        """Return how late it came for a group: what one of them is given, all have."""
        student, stage = name
        each = (
            self.lateness((member, stage), stamp, extension, marked=marked)
            for member in group or (student,)
        )
        return min(each, key=lambda late: late.seconds)

    def _section(self, student: str) -> SectionDates:
        found = (one for one in self.section.values() if student in one.students)
        return next(found, NO_DATES)

    def with_members(
        self, sections: Mapping[str, str], addresses: Mapping[str, str]
    ) -> "LatePolicy":
        """Return the policy with what a roster says of students; what is in the file wins."""
        listed = {name for one in self.section.values() for name in one.students}
        new: dict[str, list[str]] = {}
        for student, section in sections.items():
            if student not in listed:
                new.setdefault(section, []).append(student)
        both = {
            name: replace(one, students=(*one.students, *new.get(name, ())))
            for name, one in self.section.items()
        }
        return replace(self, section=both, addresses={**addresses, **self.addresses})


def load_policy(course: Course, path: Path | None = None) -> LatePolicy:
    """Return the late policy in the file, by default the course's own. Without a file it is empty.

    Raise StageError if it is invalid.
    """
    path = path or course.root / "autograder" / LATE_FILE
    if not path.exists():
        return LatePolicy()
    policy = to_dataclass(LatePolicy, read_toml(path), path)

    def by_stage(table: Mapping[str, T]) -> dict[str, T]:
        try:
            return {course.stage(name).name: value for name, value in table.items()}
        except UsageError as error:
            raise StageError(f"{path}: {error}") from None

    def times(due: Mapping[str, datetime], where: str = "") -> Mapping[str, datetime]:
        return by_stage({name: _due(f"{path}: {where}due.{name}", t) for name, t in due.items()})

    def dates(one: D, where: str) -> D:
        return replace(one, due=times(one.due, where), extension_days=by_stage(one.extension_days))

    section = {name: dates(one, f"section.{name}.") for name, one in policy.section.items()}
    student = {name: dates(one, f"student.{name}.") for name, one in policy.student.items()}
    return replace(policy, due=times(policy.due), section=section, student=student)


def _due(where: str, when: datetime) -> datetime:
    """Return the time as nbgrader stores it: in UTC, without a time zone."""
    if when.tzinfo is None:
        example = "2026-10-01T23:59:00+02:00"
        raise StageError(f"{where}: write date, time and offset, as in {example}")
    return when.astimezone(UTC).replace(tzinfo=None)


@dataclass(frozen=True)
class HandedIn:
    """When the attempt that counts came: the time, or else a platform's mark that it is late.

    Of several `attempts`, the one of that number `counts`, by the rule `rule`. It was handed in
    `by` one student for a `group`; `renamed` says that it has a file of a wrong name.
    """

    stamp: datetime | None = None
    marked: bool = False
    attempts: tuple[AttemptSummary, ...] = ()
    counts: int = 0
    rule: str = ""
    group: tuple[str, ...] = ()
    by: str = ""
    renamed: bool = False


UNKNOWN = HandedIn()


def entry_of(
    name: Name, group: Sequence[str], entries: Mapping[Name, GradebookEntry]
) -> GradebookEntry:
    """Return what the gradebook says of a submission: for a group, what it says of any of them.

    What a person gave this student goes first.
    """
    student, stage = name
    members = dict.fromkeys((student, *group))
    said = [entries[one, stage] for one in members if (one, stage) in entries] or [NO_ENTRY]
    return GradebookEntry(
        max((one.stamp for one in said if one.stamp), default=None),
        max(one.extension for one in said),
        {cell: points for one in reversed(said) for cell, points in one.given.items()},
    )


def adjustment(
    student: str,
    stage: Stage,
    entry: GradebookEntry,
    policy: LatePolicy,
    came: HandedIn = UNKNOWN,
) -> Adjustment:
    """Return the adjustment of a result of the stage."""
    given = entry.given
    manual = (
        ManualScore(one.id, one.title, one.points, given.get(f"{MANUAL}{one.id}"))
        for one in stage.manual
    )
    tasks = {task.id: given.get(f"{CHECK}{task.id}") for task in stage.tasks}
    overrides = {task: points for task, points in tasks.items() if points is not None}
    stamp, name = came.stamp or entry.stamp, (student, stage.name)
    late = policy.group_lateness(name, came.group, stamp, entry.extension, marked=came.marked)
    renamed = policy.name_fraction if came.renamed else None
    which = came.attempts, came.counts, came.rule, came.group, came.by
    return Adjustment(tuple(manual), overrides, late, *which, renamed)


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
