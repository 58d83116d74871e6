"""What coming late costs, as `autograder/late.toml` says: the one place for all graders.

LatePolicy     when each stage is due, how many days are free, what each further day costs
load_policy    the course's; without the file nothing is ever late
handed_in      when a submission was, as nbgrader's `timestamp.txt` says
marked_late    which submissions a platform marks as late without a time; this costs nothing
"""

import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from hearts_course.course import Course
from hearts_course.errors import StageError
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import TIMESTAMP, read_beneath

FILE = "late.toml"
COLLECTED = ".hearts/collected.json"  # in a folder of submissions: where `hearts collect` got them
MOST = 200  # bytes of a time
WRITTEN = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?) ?(\S*)")
DAY = timedelta(days=1).total_seconds()
NUMBER = (int, float)
KEYS: dict[str, type | tuple[type, ...]] = {
    "grace_days": NUMBER,
    "percent_per_day": NUMBER,
    "due": dict,
}


@dataclass(frozen=True)
class LatePolicy:
    """What coming late costs: so many percent of the score for each day begun after the grace."""

    grace_days: float = 0.0
    percent_per_day: float = 0.0
    due: Mapping[str, datetime] = field(default_factory=dict)

    def days(self, seconds_late: float) -> int:
        """How many days count."""
        return max(0, math.ceil(seconds_late / DAY - self.grace_days))

    def share(self, seconds_late: float) -> float:
        """The share of the score that this costs, from 0 to 1."""
        return min(100.0, self.percent_per_day * self.days(seconds_late)) / 100

    def penalty(self, score: float, seconds_late: float) -> float:
        """The points that this costs of the score; never more than all."""
        return round(max(score, 0.0) * self.share(seconds_late), 2)

    def seconds_late(self, stage: str, stamp: datetime | None, extension: timedelta) -> float:
        """How late a submission came; none for what has no time, or is never due."""
        due = self.due.get(stage)
        if due is None or stamp is None:
            return 0.0
        return max(0.0, (stamp - due - extension).total_seconds())


def load_policy(course: Course) -> LatePolicy:
    """The course's policy; raises StageError for anything in the file that it does not know."""
    path = course.root / "autograder" / FILE
    if not path.exists():
        return LatePolicy()
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StageError(f"{path}: not TOML: {error}") from None
    for key, value in data.items():
        if key not in KEYS or not isinstance(value, KEYS[key]) or isinstance(value, bool):
            raise StageError(f"{path}: {key} = {value!r}; known are {', '.join(KEYS)}")
    due = {course.stage(name).name: _due(path, name, t) for name, t in data.pop("due", {}).items()}
    policy = LatePolicy(due=due, **data)
    if policy.grace_days < 0 or not 0 <= policy.percent_per_day <= 100:
        raise StageError(f"{path}: days are not below 0, percent from 0 to 100")
    return policy


def _due(path: Path, stage: str, when: object) -> datetime:
    """As nbgrader keeps times: in UTC, and not saying so."""
    if not isinstance(when, datetime) or when.tzinfo is None:
        example = "2026-10-01T23:59:00+02:00"
        raise StageError(f"{path}: due.{stage}: write date, time and offset, as in {example}")
    return when.astimezone(UTC).replace(tzinfo=None)


def handed_in(place: Path | None) -> datetime | None:
    """When the submission in the folder was handed in, in UTC; None if nobody can tell."""
    try:
        if place is None or not place.is_dir() or place.is_symlink():
            return None
        return parse_time(read_beneath(place, TIMESTAMP, MOST).decode("ascii").strip())
    except (Unreadable, OSError, ValueError, OverflowError):
        return None


def marked_late(root: Path) -> tuple[tuple[str, str], ...]:
    """Student and stage of each submission in the folder that was collected with such a mark."""
    try:
        collected = json.loads((root / COLLECTED).read_text(encoding="utf-8"))
        marked = (key.split("/") for key, about in collected.items() if about.get("late") is True)
        return tuple((student, stage) for student, stage in marked)
    except (OSError, ValueError, AttributeError):
        return ()


def parse_time(text: str) -> datetime:
    """The time in UTC: `2026-09-30 14:58:23.9 Europe/Berlin`, or with an offset, or none for UTC.

    Raises ValueError for what is no time.
    """
    found = WRITTEN.fullmatch(text)
    if not found:
        raise ValueError(f"no time: {text}")
    date, time, zone = found.groups()
    if re.fullmatch(r"[+-]\d\d:?\d\d|Z|", zone):
        zone, known = zone or "Z", None
    else:
        zone, known = "", _zone(zone)
    when = datetime.fromisoformat(f"{date}T{time}{zone}")
    when = when.replace(tzinfo=known) if known else when
    return when.astimezone(UTC).replace(tzinfo=None)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (OSError, LookupError, ValueError):
        raise ValueError(f"no time zone: {name}") from None
