"""What regrading changes, and the history of each submission's results.

DIR/history/<student>/<stage>.jsonl has one entry per line, oldest first; entries are never changed.
"""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from hearts_course.errors import CourseError
from hearts_course.files import to_dataclass, write_whole
from hearts_course.results import Outcome, Result, ScoreParts, Status, TestResult

from hearts_grader.grading.cache import CacheKey
from hearts_grader.grading.final_scores import NO_ADJUSTMENT, Adjustment
from hearts_grader.grading.records import Record

FIRST = "first"  # there was no result before
AGAIN = "again"  # graded again, although nothing has changed
# The keys are (passed before, passes now), with None where the test does not exist. The values are
# the text, and whether the student gains points.
KINDS: dict[tuple[bool | None, bool | None], tuple[str, bool]] = {
    (False, True): ("passes now", True),
    (True, False): ("passes no longer", False),
    (None, True): ("is new and passes", True),
    (None, False): ("is new and does not pass", False),
    (True, None): ("is gone and had passed", False),
    (False, None): ("is gone and had not passed", True),
}


@dataclass(frozen=True)
class TestChange:
    """A test that changed a score, and how."""

    __test__ = False

    name: str
    topic: str
    what: str
    gains: bool


@dataclass(frozen=True)
class Change:
    """A student's score before and after.

    `why` names what differs: parts of the cache key, the sandbox, or parts of the final score.
    """

    student: str
    stage: str
    why: tuple[str, ...]
    before: float
    after: float
    max_score: int
    tests: tuple[TestChange, ...]

    @property
    def difference(self) -> float:
        """The points that the student gains; negative if the student loses some."""
        return round(self.after - self.before, 2)


_shared = cache(TestChange)  # to save memory, students whose test changed alike share one object


def change_between(old_result: Result, new_result: Result, why: tuple[str, ...] = ()) -> Change:
    """Return what has changed in a result.

    Tests that pass in both results, or fail in both, are left out. `why` goes into the change.
    """
    old = _by_name(old_result)
    new = _by_name(new_result)
    tests = []
    for name in old | new:
        kind = KINDS.get((_passed(old.get(name)), _passed(new.get(name))))
        if kind is not None:
            tests.append(_shared(name, (new.get(name) or old[name]).topic, *kind))
    return Change(
        new_result.student,
        new_result.stage,
        why,
        old_result.score,
        new_result.score,
        new_result.max_score,
        tuple(tests),
    )


def _by_name(result: Result) -> dict[str, TestResult]:
    """Return the tests of all tasks by their names, which are unique in a stage."""
    tests = {}
    for task in result.tasks:
        for test in task.tests:
            tests[test.name] = test
    return tests


def _passed(test: TestResult | None) -> bool | None:
    """Return whether the test passed; None for a test that does not exist, as in `KINDS`."""
    return None if test is None else test.outcome is Outcome.PASSED


@dataclass(frozen=True)
class HistoryEntry:
    """One result; `why` is FIRST, AGAIN, or the names of what has changed, as in `Change`.

    `when` is a time in UTC, and `tests` are the tests that changed the score. `score` is the raw
    score. `parts` are the parts of the final score; None if there was no adjustment.
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
    receipt: str = ""
    python: str = ""
    parts: ScoreParts | None = None

    @property
    def final_score(self) -> float:
        """The score with manual points and late penalty."""
        return (self.parts or ScoreParts(self.score)).final

    def is_about(self, record: Record, parts: ScoreParts) -> bool:
        """Return whether the entry is about this record, and its final score has these parts."""
        result = record.result
        # Without parts, the final score is the score of the checks.
        same_parts = (self.parts or ScoreParts(self.score)) == parts
        ours = (self.key, self.status, self.message, self.score, self.sandbox)
        theirs = (record.key, result.status, result.message, result.score, result.sandbox)
        return ours == theirs and same_parts


def add(
    path: Path,
    record: Record,
    tests: tuple[TestChange, ...] = (),
    adjustment: Adjustment = NO_ADJUSTMENT,
) -> None:
    """Add the record to the history, unless the last entry has the same result and final score.

    Raise CourseError if the file cannot be written.
    """
    entries = read_history(path)
    text = _text(path)
    last = entries[-1] if entries else None
    result = record.result
    final = adjustment.apply(record.result)
    if last is None or not last.is_about(record, final.score_parts):
        entry = HistoryEntry(
            datetime.now(UTC).isoformat(timespec="seconds"),
            result.status,
            result.message,
            result.score,
            final.max_score,
            result.sandbox,
            _why(record, last, final.score_parts),
            tests,
            record.key,
            result.receipt,
            result.python,
            final.parts,
        )
        line = json.dumps(asdict(entry)) + "\n"
        # If the last line was cut off, the new line must not continue it.
        if text and not text.endswith("\n"):
            text += "\n"
        write_whole(path, text + line)


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
    """Return the file's content, "" if the file does not exist.

    Bytes that are not UTF-8 are replaced, so that one damaged line does not make the others
    unreadable.
    """
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def _why(record: Record, last: HistoryEntry | None, parts: ScoreParts) -> tuple[str, ...]:
    """Return what has changed since the last entry.

    Return FIRST if there is no last entry, and AGAIN if nothing has changed.
    """
    if last is None:
        return (FIRST,)
    changed = record.key.changed(last.key) if record.key and last.key else ()
    sandbox = () if record.result.sandbox == last.sandbox else ("sandbox",)
    return (*changed, *sandbox, *changed_parts(last.parts, parts)) or (AGAIN,)


def changed_parts(old: ScoreParts | None, new: ScoreParts) -> tuple[str, ...]:
    """Return the names of the parts of the final score that a person or a date changed.

    Each name is a key of `CAUSES` in `reports.terminal`, which has the words for it.
    """
    # Before the first adjustment the final score was the raw score.
    old = old or ScoreParts(new.raw)
    # A penalty is a share of the points, so it also changes when the points change.
    same_points = (old.raw, old.manual) == (new.raw, new.manual)
    names = old.names != new.names  # the penalty for a wrong file name
    # If points and names are the same, only other dates can have changed the penalty.
    late = old.late != new.late or (same_points and not names and old.penalty != new.penalty)
    group = old.by != new.by
    manual = (old.manual, old.because) != (new.manual, new.because)
    changed = {"manual": manual, "late": late, "names": names, "group": group}
    return tuple(name for name, is_changed in changed.items() if is_changed)
