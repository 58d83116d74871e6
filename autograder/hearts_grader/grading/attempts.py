"""Which of a student's attempts counts, and when it was handed in.

Platforms keep every attempt, and the late policy says which attempt counts. A student's page lists
all attempts, so that the student sees why one of them counts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import zip_longest

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
from hearts_grader.grading.late_policy import Counts, Lateness, LatePolicy, Name, hand_in_time
from hearts_grader.grading.plan import rescored
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store

# Scores of a student's attempts; None stands for an attempt without a score.
Scores = Sequence[float | None]


@dataclass(frozen=True)
class DatedAttempt:
    """One of several attempts, dated by the first attempt with the same program.

    `lost` is the fraction of the attempt's score that lateness and a wrong file name cost.
    """

    path: SubmissionPath
    hand_in: HandedIn
    late: Lateness
    lost: float


def attempts_of(
    layout: Layout, policy: LatePolicy, entries: Mapping[Name, GradebookEntry]
) -> dict[Name, tuple[DatedAttempt, ...]]:
    """Return all attempts of each student who has several, oldest first."""
    attempts: dict[Name, tuple[DatedAttempt, ...]] = {}
    for name, paths in layout.attempts.items():
        entry = entry_of(name, paths[0].group, entries)
        attempts[name] = tuple(_attempts(paths, policy, entry.extension))
    return attempts


def _attempts(
    paths: Sequence[SubmissionPath], policy: LatePolicy, extension: timedelta
) -> Iterator[DatedAttempt]:
    """Yield one student's attempts, each dated by the first attempt with the same program.

    So a student who hands in the same program again after the deadline loses nothing.
    """
    first: dict[str, HandedIn] = {}
    previous = None
    for path in paths:
        hand_in = _hand_in(path)
        if program := read_found(path).digest:
            # If a group hands in once, some platforms give each member a copy. A copy is not a new
            # attempt.
            if path.group and previous == (program, hand_in.stamp):
                continue
            previous = program, hand_in.stamp
            earliest = first.setdefault(program, hand_in)
            hand_in = replace(hand_in, stamp=earliest.stamp, marked=earliest.marked)
        late = policy.group_lateness(
            path.name, path.group, hand_in.stamp, extension, marked=hand_in.marked
        )
        lost = lost_fraction(late, policy.name_fraction if hand_in.renamed else None)
        yield DatedAttempt(path, hand_in, late, lost)


def _hand_in(path: SubmissionPath) -> HandedIn:
    """Return when and by whom the attempt was handed in, with the platform's marks."""
    return HandedIn(
        hand_in_time(path.path),
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
    """Return a layout with only the attempts that count, and when each of them was handed in.

    `scores` has the scores of all attempts before penalties. It is empty unless the best attempt
    counts.
    """
    paths = []
    hand_ins = {}
    for path in layout.paths:
        if several := attempts.get(path.name):
            final = _after_penalties(several, scores.get(path.name, ()))
            number = _counting(several, rule, final)
            path = several[number].path
            hand_in = several[number].hand_in
            # A team's copies count as one attempt, so `several` may have only one.
            if len(several) > 1:
                summaries = _summaries(several, final)
                hand_in = replace(hand_in, attempts=summaries, counts=number + 1, rule=rule)
            hand_ins[path.name] = hand_in
        else:
            hand_ins[path.name] = _hand_in(path)
        paths.append(path)
    return replace(layout, paths=tuple(paths)), hand_ins


def _after_penalties(attempts: Sequence[DatedAttempt], scores: Scores) -> Scores:
    """Return each score after penalties; an empty list if there are no scores."""
    final: list[float | None] = []
    for attempt, score in zip(attempts, scores, strict=False):
        if score is None:
            final.append(None)
        else:
            final.append(round(score - penalty(score, attempt.lost), 2))
    return final


def _counting(attempts: Sequence[DatedAttempt], rule: Counts, scores: Scores) -> int:
    """Return the index of the attempt that counts.

    If several attempts are equally good, the latest of them counts. If no attempt came in time, or
    if none has a score, the latest attempt counts.
    """
    indexes = range(len(attempts))
    if rule is Counts.IN_TIME:
        in_time = [i for i in indexes if not attempts[i].late.days]
        return max(in_time, default=indexes[-1])
    scored = [(score, i) for i, score in enumerate(scores) if score is not None]
    if not scored:
        return indexes[-1]
    _, best = max(scored)
    return best


def _summaries(attempts: Sequence[DatedAttempt], scores: Scores) -> tuple[AttemptSummary, ...]:
    """Return what a student's page says of each attempt.

    The summaries have scores only if the best attempt counts.
    """
    padded = list(scores)
    padded += [None] * (len(attempts) - len(scores))
    summaries = []
    for attempt, score in zip(attempts, padded, strict=True):
        stamp = attempt.hand_in.stamp
        time = f"{stamp:%Y-%m-%d %H:%M} UTC" if stamp else ""
        costs_more = attempt.lost > attempt.late.fraction  # a wrong file name costs points
        summaries.append(AttemptSummary(time, attempt.late, score, attempt.path.by, costs_more))
    return tuple(summaries)


def graded_before(store: Store, path: SubmissionPath, key: CacheKey, sandbox: str) -> Record | None:
    """Return the record of an attempt with the current points; None if the program has to run.

    The record may come from another member of the group. It is also saved with the attempts,
    because `store.results` holds only one record of a student, which another attempt may replace.
    """
    attempts_store = store.attempts(key)
    for records in (attempts_store, store.results):
        for student in (path.student, *path.group):
            record = records.read(student, path.stage.name)
            if record is None or not record.key:
                continue
            if key.changed(record.key) == ("points",):
                record = rescored(records, replace(path, student=student), key)
            if record is not None and record.is_current(key, sandbox):
                record = replace(record, result=replace(record.result, student=path.student))
                attempts_store.save(record)
                return record
    return None


def scores_of(
    attempts: Mapping[Name, Sequence[DatedAttempt]],
    grade: Callable[[Sequence[SubmissionPath]], Mapping[Name, Result]],
) -> dict[Name, Scores]:
    """Return the raw scores of all attempts; None for an attempt that could not be graded.

    Only student and stage tell results apart. So call `grade` with at most one attempt of each
    student for each stage.
    """
    scores: dict[Name, list[float | None]] = {name: [] for name in attempts}
    for together in zip_longest(*attempts.values()):
        paths = [attempt.path for attempt in together if attempt]
        results = grade(paths)
        for path in paths:
            scores[path.name].append(_score(results.get(path.name)))
    return dict(scores)


def _score(result: Result | None) -> float | None:
    """Return the score that decides between attempts; None where the grader failed.

    A failure of the grader says nothing about the program, so its 0 must not count as a low score.
    """
    return None if result is None or result.status is Status.GRADER_ERROR else result.score
