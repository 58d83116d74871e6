"""Which of a student's attempts counts, and when it was handed in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import product, zip_longest

from hearts_course.results import Result, Status
from hearts_course.submissions.find import Layout, SubmissionPath
from hearts_course.submissions.read import read_found

from hearts_grader.grading.cache import CacheKey
from hearts_grader.grading.final_scores import (
    AttemptSummary,
    GradebookEntry,
    HandedIn,
    entry_of,
    lost_fraction,
    penalty,
)
from hearts_grader.grading.late_policy import Counts, Lateness, LatePolicy, Name, handed_in
from hearts_grader.grading.plan import rescored
from hearts_grader.grading.store import Record, Store

Scores = Sequence[float | None]  # of a student's attempts; None if they do not matter


@dataclass(frozen=True)
class DatedAttempt:
    """One of several attempts; it came when the first one with the same program came.

    `lost` is the fraction of its score that lateness and a wrong file name cost.
    """

    path: SubmissionPath
    came: HandedIn
    late: Lateness
    lost: float


def attempts_of(
    layout: Layout, policy: LatePolicy, entries: Mapping[Name, GradebookEntry]
) -> dict[Name, tuple[DatedAttempt, ...]]:
    """Return all attempts of each student with several, oldest first."""
    return {
        name: tuple(_attempts(paths, policy, entry_of(name, paths[0].group, entries).extension))
        for name, paths in layout.attempts.items()
    }


def _attempts(
    paths: Sequence[SubmissionPath], policy: LatePolicy, extension: timedelta
) -> Iterator[DatedAttempt]:
    first: dict[str, HandedIn] = {}
    before = None
    for path in paths:
        came = _came(path)
        if program := read_found(path).digest:
            if path.group and before == (program, came.stamp):  # each member was given it
                continue
            before = program, came.stamp
            same = first.setdefault(program, came)
            came = replace(came, stamp=same.stamp, marked=same.marked)
        when = came.stamp, extension
        late = policy.group_lateness(path.name, path.group, *when, marked=came.marked)
        lost = lost_fraction(late, policy.name_fraction if came.renamed else None)
        yield DatedAttempt(path, came, late, lost)


def _came(path: SubmissionPath) -> HandedIn:
    return HandedIn(
        handed_in(path.path),
        path.note.late,
        group=path.group,
        by=path.by,
        renamed=bool(path.note.renamed),
    )


def choose(
    layout: Layout,
    attempts: Mapping[Name, tuple[DatedAttempt, ...]],
    rule: Counts,
    scores: Mapping[Name, Scores],
) -> tuple[Layout, dict[Name, HandedIn]]:
    """Return the layout of the attempts that count, and when each submission came.

    `scores` are those of all attempts, before their penalties, where the best one counts.
    """
    paths, came = [], {}
    for path in layout.paths:
        if several := attempts.get(path.name):
            final = [
                None if score is None else round(score - penalty(score, one.lost), 2)
                for one, score in zip(several, scores.get(path.name, ()), strict=False)
            ]
            number = _counting(several, rule, final)
            path, when = several[number].path, several[number].came
            if len(several) > 1:
                summaries = _summaries(several, final)
                when = replace(when, attempts=summaries, counts=number + 1, rule=rule)
            came[path.name] = when
        else:
            came[path.name] = _came(path)
        paths.append(path)
    return replace(layout, paths=tuple(paths)), came


def _counting(attempts: Sequence[DatedAttempt], rule: Counts, scores: Scores) -> int:
    """Return the index of the attempt that counts; of equal ones the latest."""
    indexes = range(len(attempts))
    if rule is Counts.IN_TIME:
        in_time = [i for i in indexes if not attempts[i].late.days]
        return max(in_time, default=indexes[-1])
    known = [(score, i) for i, score in enumerate(scores) if score is not None]
    return max(known, default=(0.0, indexes[-1]))[1]


def _summaries(attempts: Sequence[DatedAttempt], scores: Scores) -> tuple[AttemptSummary, ...]:
    padded = [*scores, *[None] * (len(attempts) - len(scores))]
    times = (f"{one.came.stamp:%Y-%m-%d %H:%M} UTC" if one.came.stamp else "" for one in attempts)
    return tuple(
        AttemptSummary(time, one.late, score, one.path.by, one.lost > one.late.fraction)
        for one, time, score in zip(attempts, times, padded, strict=True)
    )


def graded_before(store: Store, path: SubmissionPath, key: CacheKey, sandbox: str) -> Record | None:
    """Return the record of an attempt, with the points of now; None if it has to run.

    A group has the records of its members. Keep it among the attempts, because the result of
    another one may take its place.
    """
    own = store.attempts(key)
    for records, student in product((own, store.results), (path.student, *path.group)):
        record: Record | None = records.read(student, path.stage.name)
        if record is None or not record.key:
            continue
        if key.changed(record.key) == ("points",):
            record = rescored(records, replace(path, student=student), key)
        if record is not None and record.is_current(key, sandbox):
            record = replace(record, result=replace(record.result, student=path.student))
            own.save(record)
            return record
    return None


def scores_of(
    attempts: Mapping[Name, Sequence[DatedAttempt]],
    grade: Callable[[Sequence[SubmissionPath]], Mapping[Name, Result]],
) -> dict[Name, Scores]:
    """Return the raw scores of all attempts; None for one that could not be graded.

    `grade` is called with at most one attempt of each student at a time.
    """
    scores: dict[Name, list[float | None]] = {name: [] for name in attempts}
    for together in zip_longest(*attempts.values()):
        paths = [one.path for one in together if one]
        found = grade(paths)
        for path in paths:
            scores[path.name].append(_score(found.get(path.name)))
    return dict(scores)


def _score(result: Result | None) -> float | None:
    return None if result is None or result.status is Status.GRADER_ERROR else result.score
