"""Every result that a submission ever had, when, and why it was graded again.

DIR/history/<student>/<stage>.jsonl has an entry a line, the oldest first; entries are only added.
"""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from hearts_course.errors import CourseError
from hearts_course.files import to_dataclass, write_whole
from hearts_course.grading.cache import CacheKey
from hearts_course.grading.changes import TestChange
from hearts_course.grading.store import Record
from hearts_course.results import Status

FIRST = "first"
AGAIN = "again"


@dataclass(frozen=True)
class HistoryEntry:
    """One result; `why` is "first", "again", or the parts of the key that had changed.

    `when` is in UTC; `tests` are those that changed the score.
    """

    when: str
    status: Status
    message: str
    score: float
    max_score: int
    sandbox: str
    why: tuple[str, ...]
    tests: tuple[TestChange, ...]
    key: CacheKey | None

    def is_about(self, record: Record) -> bool:
        """Return whether the entry is about this record."""
        result = record.result
        ours = (self.key, self.status, self.message, self.score, self.sandbox)
        return ours == (record.key, result.status, result.message, result.score, result.sandbox)


def add(path: Path, record: Record, tests: tuple[TestChange, ...] = ()) -> None:
    """Add the record to the history, unless it is the last one there; raise CourseError."""
    entries, text = read_history(path), _text(path)
    last = entries[-1] if entries else None
    if last is None or not last.is_about(record):
        result = record.result
        entry = HistoryEntry(
            datetime.now(UTC).isoformat(timespec="seconds"),
            result.status,
            result.message,
            result.score,
            result.max_score,
            result.sandbox,
            _why(record, last),
            tests,
            record.key,
        )
        line = json.dumps(asdict(entry)) + "\n"
        write_whole(path, text + ("" if text.endswith("\n") or not text else "\n") + line)


def read_history(path: Path) -> list[HistoryEntry]:
    """Return the entries, the oldest first, without damaged lines."""
    entries = []
    for line in _text(path).splitlines():
        try:
            entries.append(to_dataclass(HistoryEntry, json.loads(line), path))
        except (CourseError, ValueError):
            continue
    return entries


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def _why(record: Record, last: HistoryEntry | None) -> tuple[str, ...]:
    if last is None:
        return (FIRST,)
    changed = record.key.changed(last.key) if record.key and last.key else ()
    sandbox = () if record.result.sandbox == last.sandbox else ("sandbox",)
    return (*changed, *sandbox) or (AGAIN,)
