"""When a submission came, and what coming late costs: `late.toml`.

LatePolicy      due times, extensions, what each day costs, which attempt counts
DatesOfStudent  when each stage is due for one student, and the student's late days
Lateness        how late one submission came, and what that costs
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from hearts_course.course import Course
from hearts_course.errors import StageError, UsageError
from hearts_course.files import read_toml, to_dataclass
from hearts_course.submissions.find import LATE_FILE
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import TIMESTAMP, read_beneath
from hearts_course.text import count_of

MAX_TIME_BYTES = 200
DAY = timedelta(days=1).total_seconds()
NO_TIME = timedelta()

Name = tuple[str, str]  # names of a student and of a stage


@dataclass(frozen=True)
class Lateness:
    """How late a submission came, in `seconds`, and what that costs.

    The `days` that count cost a `fraction` of the score. If a platform `marked` the submission as
    late without a time, the seconds are unknown. The student's budget for the term pays for the
    `spent` days; `left` days remain in the budget.
    """

    seconds: float = 0.0
    days: int = 0
    fraction: float = 0.0
    marked: bool = False
    spent: int = 0
    left: int = 0

    @property
    def charged(self) -> int:
        """The days that cost points."""
        return self.days - self.spent

    @property
    def words(self) -> str:
        """The lateness in words, such as "1 day 3 hours late"; "" for a submission in time."""
        paid = f"{count_of(self.spent, 'late day')} spent, " if self.spent else ""
        return f"{paid}{self._how_late}"

    @property
    def _how_late(self) -> str:
        """Return the time in minutes, or in days and hours, rounded up; "" if it is zero."""
        if self.marked:
            return "marked late by Canvas"
        hours = math.ceil(self.seconds / 3600)
        minutes = math.ceil(self.seconds / 60)
        if minutes < 60:
            return f"{count_of(minutes, 'minute')} late" if minutes else ""
        days, hours = divmod(hours, 24)
        parts = (count_of(days, "day") if days else "", count_of(hours, "hour") if hours else "")
        return f"{' '.join(filter(None, parts))} late"


IN_TIME = Lateness()


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
    """Due times and extensions by stage, and a budget of late days, of one student or section."""

    due: Mapping[str, datetime] = field(default_factory=dict)
    extension_days: Mapping[str, float] = field(default_factory=dict)
    late_days: int | None = None


@dataclass(frozen=True)
class SectionDates(Dates):
    """The dates of a section, and its students, unless a roster names them."""

    students: tuple[str, ...] = ()


@dataclass(frozen=True)
class DatesOfStudent:
    """The dates that count for one student: their `own`, then the section's, then everybody's."""

    own: Dates
    section: Dates
    everybody: Dates

    @property
    def late_days(self) -> int:
        """How many late days of the term cost the student nothing."""
        budgets = (self.own.late_days, self.section.late_days, self.everybody.late_days)
        return next((days for days in budgets if days is not None), 0)

    def extension_days(self, stage: str) -> float:
        """Return the extension that the student or the section has for the stage, in days."""
        of_section = self.section.extension_days.get(stage, 0.0)
        return self.own.extension_days.get(stage, of_section)

    def has_more_time(self, stage: str) -> bool:
        """Return whether the student has a due time or an extension unknown to the platform."""
        return stage in self.own.due or self.extension_days(stage) > 0

    def until(self, stage: str, extension: timedelta = NO_TIME) -> datetime | None:
        """Return when the stage is due with all extensions, in UTC; None without a due time.

        `extension` is the extension that the gradebook has for the student.
        """
        usual = self.section.due.get(stage, self.everybody.due.get(stage))
        due = self.own.due.get(stage, usual)
        if due is None:
            return None
        until = due + timedelta(days=self.extension_days(stage))
        if extension <= NO_TIME:
            return until
        # The gradebook's extension counts from the usual due time. It never shortens the time that
        # the policy gives.
        extended_from = due if usual is None else usual
        return max(until, extended_from + extension)


NO_DATES = SectionDates()
D = TypeVar("D", bound=Dates)


@dataclass(frozen=True)
class LatePolicy:
    """When stages are due, what coming late costs, and which attempt counts.

    Each day begun after the grace costs `percent_per_day` of the score, `max_percent` at most. A
    file that was collected under another name costs `name_penalty` percent. `late_days` is how many
    late days of the term cost nothing. The dates of a `student` win over those of the `section`,
    and these win over `due` and `late_days`. `roster` is a table with the students' sections and
    addresses. The report shows `course` and `addresses`.
    """

    grace_days: float = 0.0
    grace_minutes: float = 0.0
    percent_per_day: float = 0.0
    max_percent: float = 100.0
    name_penalty: float = 0.0
    late_days: int = 0
    counts: Counts = Counts.LATEST
    roster: str = ""
    course: str = "Hearts"
    addresses: Mapping[str, str] = field(default_factory=dict)
    due: Mapping[str, datetime] = field(default_factory=dict)
    section: Mapping[str, SectionDates] = field(default_factory=dict)
    student: Mapping[str, Dates] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for an impossible value, or for a student in two sections."""
        if min(self.grace_days, self.grace_minutes) < 0:
            raise ValueError("grace_days and grace_minutes must not be negative")
        if not all(0 <= p <= 100 for p in (self.percent_per_day, self.max_percent)):
            raise ValueError("percent_per_day and max_percent must be from 0 to 100")
        if not 0 <= self.name_penalty <= 100:
            raise ValueError("name_penalty must be from 0 to 100 percent")
        dates = (*self.section.values(), *self.student.values())
        budgets = [self.late_days, *(dated.late_days for dated in dates)]
        if any(days is not None and days < 0 for days in budgets):
            raise ValueError("late_days must not be negative")
        listed = Counter(self._listed())
        if twice := next((name for name, count in listed.items() if count > 1), ""):
            raise ValueError(f"{twice} is in two sections")

    @property
    def students(self) -> set[str]:
        """The students that the policy names."""
        return {*self.student, *self._listed()}

    def _listed(self) -> Iterator[str]:
        """Yield the students that the sections list; a student in two sections comes twice."""
        for section in self.section.values():
            yield from section.students

    @property
    def name_fraction(self) -> float:
        """The fraction of the score that a wrong file name costs."""
        return self.name_penalty / 100

    def days(self, seconds_late: float) -> int:
        """Return how many late days count: each day that has begun after the grace."""
        grace = self.grace_days * DAY + self.grace_minutes * 60
        return max(0, math.ceil((seconds_late - grace) / DAY))

    def late_fraction(self, days: int) -> float:
        """Return the fraction of the score that these days cost, from 0 to 1."""
        return min(self.max_percent, self.percent_per_day * days) / 100

    def dates_of(self, student: str) -> DatesOfStudent:
        """Return the student's own dates, those of the section that lists them, and everybody's."""
        sections = (section for section in self.section.values() if student in section.students)
        return DatesOfStudent(
            own=self.student.get(student, NO_DATES),
            section=next(sections, NO_DATES),
            everybody=Dates(due=self.due, late_days=self.late_days),
        )

    def spend(
        self, student: str, late: Mapping[str, Lateness], already_spent: int = 0
    ) -> dict[str, Lateness]:
        """Pay late days from the student's budget; return the lateness of each stage after that.

        The budget pays in the order of the due times. `already_spent` is the number of days that
        other stages have taken from the budget.
        """
        left = self.dates_of(student).late_days - already_spent
        paid = {}
        for stage in sorted(late, key=lambda name: (self.due.get(name, datetime.max), name)):
            lateness = late[stage]
            spent = max(0, min(left, lateness.days)) if lateness.fraction else 0
            left -= spent
            cost = self.late_fraction(lateness.days - spent)
            if spent:
                lateness = replace(lateness, spent=spent, left=left, fraction=cost)
            paid[stage] = lateness
        return paid

    def lateness(
        self,
        name: Name,
        stamp: datetime | None,
        extension: timedelta = NO_TIME,
        *,
        marked: bool = False,
    ) -> Lateness:
        """Return how late a student's stage came; `extension` is the extension in the gradebook.

        If the time is unknown but a platform `marked` the submission as late, it counts as one
        second late. The mark does not count for a student who was given more time.
        """
        student, stage = name
        dates = self.dates_of(student)
        if stamp is None:
            # The platform does not know these extensions, so ignore its mark for a student who was
            # given more time.
            has_more_time = dates.has_more_time(stage) or extension > NO_TIME
            marked = marked and not has_more_time
            seconds = 1.0 if marked else 0.0
        else:
            until = dates.until(stage, extension)
            seconds = 0.0 if until is None else (stamp - until).total_seconds()
            marked = False  # the time is known, so the mark is not needed
        if seconds <= 0:
            return IN_TIME
        days = self.days(seconds)
        return Lateness(seconds, days, self.late_fraction(days), marked)

    def group_lateness(
        self,
        name: Name,
        group: Sequence[str],
        stamp: datetime | None,
        extension: timedelta = NO_TIME,
        *,
        marked: bool = False,
    ) -> Lateness:
        """Return how late a group's submission came.

        The member who may hand in last decides for the whole group.
        """
        student, stage = name
        each = []
        for member in group or (student,):
            each.append(self.lateness((member, stage), stamp, extension, marked=marked))
        return min(each, key=lambda late: late.seconds)

    def with_members(
        self, sections: Mapping[str, str], addresses: Mapping[str, str]
    ) -> "LatePolicy":
        """Return the policy with the sections and addresses of a roster.

        If the policy already has a student's section or address, the roster's is ignored.
        """
        listed = set(self._listed())
        new: dict[str, list[str]] = {}
        for student, section in sections.items():
            if student not in listed:
                new.setdefault(section, []).append(student)
        merged = {}
        for name, section_dates in self.section.items():
            students = (*section_dates.students, *new.get(name, ()))
            merged[name] = replace(section_dates, students=students)
        return replace(self, section=merged, addresses={**addresses, **self.addresses})


def dates_file(course: Course, path: Path | None = None) -> Path:
    """Return the file of dates: the one at the path, by default the course's own."""
    return path or course.root / "autograder" / LATE_FILE


def load_policy(course: Course, path: Path | None = None) -> LatePolicy:
    """Return the late policy in the file, by default the course's file.

    Without a file, return a policy without dates. Raise UsageError if the file is invalid.
    """
    path = dates_file(course, path)
    if not path.exists():
        return LatePolicy()
    try:
        return _read_policy(course, path)
    except StageError as error:
        raise UsageError(str(error)) from None


def _read_policy(course: Course, path: Path) -> LatePolicy:
    """Return the late policy in the file; raise CourseError if the file is invalid."""
    data = read_toml(path)
    for where, tables in (("", data), *_tables_of(data, "section"), *_tables_of(data, "student")):
        for key in ("due", "extension_days"):
            for name in tables.get(key, ()):
                _stage_name(course, f"{path}: {where}{key}", name)
    policy = to_dataclass(LatePolicy, data, path)

    # The file may name a stage by its number; the policy has the whole name.
    def times(due: Mapping[str, datetime], where: str = "") -> Mapping[str, datetime]:
        times_in_utc = {}
        for name, time in due.items():
            times_in_utc[course.stage(name).name] = _due(f"{path}: {where}due.{name}", time)
        return times_in_utc

    def checked(dates: D, where: str) -> D:
        extension_days = {}
        for name, days in dates.extension_days.items():
            extension_days[course.stage(name).name] = days
        return replace(dates, due=times(dates.due, where), extension_days=extension_days)

    section = {name: checked(dates, f"section.{name}.") for name, dates in policy.section.items()}
    student = {name: checked(dates, f"student.{name}.") for name, dates in policy.student.items()}
    return replace(policy, due=times(policy.due), section=section, student=student)


def _tables_of(data: Mapping[str, Any], key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each section's or student's table, with the place to name in an error."""
    tables = data.get(key)
    for name, table in tables.items() if isinstance(tables, dict) else ():
        if isinstance(table, dict):
            yield f"{key}.{name}.", table


def _stage_name(course: Course, where: str, name: str) -> str:
    """Return the stage's name; raise UsageError, with a suggestion, if there is no such stage."""
    try:
        return course.stage(name).name
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None


def _due(where: str, when: datetime) -> datetime:
    """Return the time as nbgrader stores it: in UTC, without a time zone.

    Raise StageError for a time without an offset: students would read it in another time zone.
    """
    if when.tzinfo is None:
        example = "2026-10-01T23:59:00+02:00"
        raise StageError(f"{where}: write date, time and offset, as in {example}")
    return when.astimezone(UTC).replace(tzinfo=None)


def hand_in_time(folder: Path | None) -> datetime | None:
    """Return when the submission in the folder was handed in, in UTC; None if that is unknown."""
    try:
        if folder is None or not folder.is_dir() or folder.is_symlink():
            return None
        return parse_time(read_beneath(folder, TIMESTAMP, MAX_TIME_BYTES).decode("ascii").strip())
    except (Unreadable, OSError, ValueError, OverflowError):
        return None


def parse_time(text: str) -> datetime:
    """Return the time in UTC; raise ValueError if the text is not a time.

    The text is like `2026-09-30 14:58:23.9 Europe/Berlin`, or ends with an offset such as `+02:00`.
    A text without zone and offset is in UTC.
    """
    try:
        when = datetime.fromisoformat(text.replace(" +", "+").replace(" -", "-"))
    except ValueError:
        moment, _, zone = text.rpartition(" ")
        when = datetime.fromisoformat(moment).replace(tzinfo=_zone(zone))
    return when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC).replace(tzinfo=None)


def _zone(name: str) -> ZoneInfo:
    """Return the time zone; raise ValueError if no zone has this name.

    For some texts, `zoneinfo` itself raises other errors.
    """
    try:
        return ZoneInfo(name)
    except (OSError, LookupError, ValueError):
        raise ValueError(f"unknown time zone: {name}") from None
