"""Which of a student's attempts counts, and when it was handed in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from hearts_course.grading.cache import CacheKey
from hearts_course.grading.final_scores import (
    NO_ENTRY,
    AttemptSummary,
    Counts,
    GradebookEntry,
    HandedIn,
    Lateness,
    LatePolicy,
    Name,
    handed_in,
)
from hearts_course.grading.plan import rescored
from hearts_course.grading.store import Record, Store
from hearts_course.results import Result, Status
from hearts_course.submissions.find import Layout, SubmissionPath
from hearts_course.submissions.read import read_found

Scores = Sequence[float | None]  # of a student's attempts; None if they do not matter


@dataclass(frozen=True)
class Attempt:
    """One of several attempts; it came when the first one with the same program came."""

    path: SubmissionPath
    came: HandedIn
    late: Lateness


def attempts_of(
    layout: Layout, policy: LatePolicy, entries: Mapping[Name, GradebookEntry]
) -> dict[Name, tuple[Attempt, ...]]:
    """Return all attempts of each student with several, oldest first."""
    return {
        name: tuple(_attempts(paths, policy, entries.get(name, NO_ENTRY).extension))
        for name, paths in layout.attempts.items()
    }


def _attempts(
    paths: Sequence[SubmissionPath], policy: LatePolicy, extension: timedelta
) -> Iterator[Attempt]:
    first: dict[str, HandedIn] = {}
    for path in paths:
        came = HandedIn(handed_in(path.path), path.late)
        if receipt := read_found(path).receipt:
            came = first.setdefault(receipt, came)
        late = policy.lateness(path.name, came.stamp, extension, marked=came.marked)
        yield Attempt(path, came, late)


def choose(
    layout: Layout,
    attempts: Mapping[Name, tuple[Attempt, ...]],
    rule: Counts,
    scores: Mapping[Name, Scores],
) -> tuple[Layout, dict[Name, HandedIn]]:
    """Return the layout of the attempts that count, and when each submission came.

    `scores` are those of all attempts, before the late penalty, where the best one counts.
    """
    paths, came = [], {}
    for path in layout.paths:
        if several := attempts.get(path.name):
            final = [
                None if score is None else round(score * (1 - one.late.fraction), 2)
                for one, score in zip(several, scores.get(path.name, ()), strict=False)
            ]
            number = _counting(several, rule, final)
            path, when = several[number].path, several[number].came
            summaries = _summaries(several, final)
            came[path.name] = replace(when, attempts=summaries, counts=number + 1, rule=rule)
        else:
            came[path.name] = HandedIn(handed_in(path.path), path.late)
        paths.append(path)
    return replace(layout, paths=tuple(paths)), came


def _counting(attempts: Sequence[Attempt], rule: Counts, scores: Scores) -> int:
    """Return the index of the attempt that counts; of equal ones the latest."""
    indexes = range(len(attempts))
    if rule is Counts.IN_TIME:
        in_time = [i for i in indexes if not attempts[i].late.days]
        return max(in_time, default=indexes[-1])
    known = [(score, i) for i, score in enumerate(scores) if score is not None]
    return max(known, default=(0.0, indexes[-1]))[1]


def _summaries(attempts: Sequence[Attempt], scores: Scores) -> tuple[AttemptSummary, ...]:
    padded = [*scores, *[None] * (len(attempts) - len(scores))]
    times = (f"{one.came.stamp:%Y-%m-%d %H:%M} UTC" if one.came.stamp else "" for one in attempts)
    return tuple(
        AttemptSummary(time, one.late, score)
        for one, time, score in zip(attempts, times, padded, strict=True)
    )


def graded_before(store: Store, path: SubmissionPath, key: CacheKey, sandbox: str) -> Record | None:
    """Return the record of an attempt, with the points of now; None if it has to run.

    Keep it among the attempts, because the result of another one may take its place.
    """
    own = store.attempts(key)
    for records in (own, store.results):
        record = records.read(*path.name)
        if record is None or not record.key:
            continue
        if key.changed(record.key) == ("points",):
            record = rescored(records, path, key)
        if record is not None and record.is_current(key, sandbox):
            own.save(record)
            return record
    return None


def score_of(result: Result | None) -> float | None:
    """Return the raw score of an attempt; None if there is none."""
    return None if result is None or result.status is Status.GRADER_ERROR else result.score
