"""Every result that a submission ever had, when, and why it was graded again.

DIR/history/<student>/<stage>.jsonl holds an entry a line, the oldest first; entries are only ever
added. An entry is written before the result that it tells of: if the grader dies between the two,
the next one comes to the same result and finds that it has been told.

Entry   one result that there was
"""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hearts_course.files import write_whole
from hearts_course.grading.cache import CacheKey
from hearts_course.grading.changes import TestChange
from hearts_course.grading.records import Record
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

    def tells_of(self, record: Record) -> bool:
        """Whether this is what the record says."""
        result = record.result
        ours = (self.key, self.status, self.message, self.score, self.sandbox)
        return ours == (record.key, result.status, result.message, result.score, result.sandbox)


def add(path: Path, record: Record, tests: tuple[TestChange, ...] = ()) -> None:
    """Add the record to the history, unless it is the last one there; raises CourseError."""
    entries, text = read_history(path), _text(path)
    last = entries[-1] if entries else None
    if last is None or not last.tells_of(record):
        line = json.dumps(asdict(_entry(record, last, tests))) + "\n"
        write_whole(path, text + ("" if text.endswith("\n") or not text else "\n") + line)


def read_history(path: Path) -> list[HistoryEntry]:
    """The entries, the oldest first; without lines that somebody has damaged."""
    entries = []
    for line in _text(path).splitlines():
        try:
            entries.append(_read_entry(json.loads(line)))
        except (ValueError, KeyError, TypeError):
            continue
    return entries


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def _entry(
    record: Record, last: HistoryEntry | None, tests: tuple[TestChange, ...]
) -> HistoryEntry:
    result = record.result
    return HistoryEntry(
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


def _why(record: Record, last: HistoryEntry | None) -> tuple[str, ...]:
    if last is None:
        return (FIRST,)
    changed = record.key.changed(last.key) if record.key and last.key else ()
    sandbox = () if record.result.sandbox == last.sandbox else ("sandbox",)
    return (*changed, *sandbox) or (AGAIN,)


def _read_entry(data: dict[str, Any]) -> HistoryEntry:
    key = data["key"]
    return HistoryEntry(
        **{
            **data,
            "status": Status(data["status"]),
            "why": tuple(data["why"]),
            "tests": tuple(TestChange(**test) for test in data["tests"]),
            "key": key and CacheKey(**key),
        }
    )
