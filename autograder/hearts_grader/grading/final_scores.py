"""Final scores: autograder score plus manual points minus late penalty.

Every page, table, export and gradebook gets its final scores from `Adjustment.apply`, and every
penalty is computed by `penalty`.

Adjustment    the manual points and the late penalty of one result; `apply` gives the final result
Adjustments   a class's adjustments, by student and stage; `hearts grade` writes them to a file, and
              stored results keep the autograder's scores
HandedIn      the time of the attempt that counts, and a summary of each attempt
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from hearts_course.course import Stage
from hearts_course.errors import CourseError
from hearts_course.files import read_json, to_dataclass
from hearts_course.results import Result, ScoreParts, Status, TaskResult

from hearts_grader.grading.late_policy import (
    IN_TIME,
    NO_TIME,
    RULES,
    Counts,
    Lateness,
    LatePolicy,
    Name,
)

CHECK = "check-"  # the names of a notebook's cells with points begin with `CHECK` or `MANUAL`
MANUAL = "manual-"
AWAITS = "awaits manual grading"


@dataclass(frozen=True)
class GradebookEntry:
    """What a gradebook has about a submission: its time if known, its extension, manual points.

    `given` maps a notebook's cell to the points that a person gave, and `reasons` maps the cell to
    the reason for these points.
    """

    stamp: datetime | None = None
    extension: timedelta = NO_TIME
    given: Mapping[str, float] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def with_given(self, other: "GradebookEntry") -> "GradebookEntry":
        """Return the entry with the points and reasons of both entries.

        If both entries have points for a cell, those of `other` count.
        """
        return replace(
            self,
            given={**self.given, **other.given},
            reasons={**self.reasons, **other.reasons},
        )


NO_ENTRY = GradebookEntry()


@dataclass(frozen=True)
class ManualScore:
    """A part that a person grades, for at most `points`; `score` is None until it is graded."""

    id: str
    title: str
    points: int
    score: float | None = None


def lost_fraction(late: Lateness, renamed: float | None) -> float:
    """Return the fraction of the score that lateness and a wrong file name cost, 1 at most."""
    return min(1.0, late.fraction + (renamed or 0.0))


def penalty(points: float, lost: float) -> float:
    """Return how many points are taken off if this fraction of the points is lost."""
    return round(round(points, 2) * lost, 2)


@dataclass(frozen=True)
class AttemptSummary:
    """One of several attempts: when it came, how late, and perhaps its score.

    `score` is None unless the scores decide which attempt counts. The penalties are already taken
    off the score. `by` is the member of a group who handed the attempt in; `renamed` says that a
    wrong file name costs points.
    """

    time: str = ""
    late: Lateness = IN_TIME
    score: float | None = None
    by: str = ""
    renamed: bool = False


@dataclass(frozen=True)
class Adjustment:
    """The manual points and late penalty that make a result final.

    `overrides` maps a task to the points that a person gave in place of the autograder's points.
    `reasons` maps a cell, which belongs to a task or to manual points, to the reason for the points
    that a person gave. `counts` is the number of the attempt that counts, and `rule` is the rule
    that chose this attempt; the first attempt has number 1. If a `group` handed in the attempt,
    `by` is the member who handed it in. `renamed` is the fraction that a file with a wrong name
    costs, None without such a file.
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
    reasons: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        if self.manual or self.overrides or self.attempts or self.group:
            return True
        return self.late != IN_TIME or self.renamed is not None

    @property
    def has_manual_points(self) -> bool:
        """Whether a person gave points."""
        return bool(self.overrides) or any(points.score is not None for points in self.manual)

    def apply(self, result: Result, *, spread: bool = False) -> Result:
        """Return the final result; a grader error stays as it is.

        With `spread`, the result's tasks add up to its score: manual points become a task, and each
        task loses its share of the late penalty.
        """
        if result.status is Status.GRADER_ERROR or not self:
            return result
        keep = 1 - self._lost(result) if spread else 1.0
        tasks = []
        for task in result.tasks:
            points = self.overrides.get(task.task, task.score)
            tasks.append(replace(task, score=points * keep))
        if spread:
            for manual in self.manual:
                points = manual.score or 0.0
                tasks.append(TaskResult(manual.id, manual.title, points * keep, manual.points, ()))
        is_ungraded = any(manual.score is None for manual in self.manual)
        awaits = is_ungraded and result.status is Status.GRADED
        parts = self.parts(result)
        return replace(
            result,
            score=parts.final,
            max_score=result.max_score + sum(manual.points for manual in self.manual),
            message="; ".join(filter(None, (result.message, AWAITS if awaits else ""))),
            tasks=tuple(tasks),
            awaits_manual=awaits,
            parts=parts,
        )

    def parts(self, result: Result) -> ScoreParts:
        """Return what the result's final score is made of."""
        tasks = sum(self.overrides.get(task.task, task.score) for task in result.tasks)
        points = round(tasks + sum(manual.score or 0.0 for manual in self.manual), 2)
        late = self._late(result)
        lost = self._lost(result)
        # An override may take points away, and then this difference is negative.
        manual = round(points - result.score, 2)
        # `lost` covers both penalties, and is 1 at most. So a wrong file name costs the part of
        # `lost` that lateness does not cost.
        names = penalty(points, lost - late.fraction)
        return ScoreParts(
            result.score,
            manual,
            penalty(points, lost),
            late.words,
            self.attempt_that_counts,
            self.by,
            names,
            "; ".join(self.reasons.values()),
        )

    def with_points(self, stage: Stage, entry: GradebookEntry) -> "Adjustment":
        """Return the adjustment with the points that a person gave; everything else stays."""
        points_by_cell = entry.given
        manual = []
        for part in stage.manual:
            points = points_by_cell.get(f"{MANUAL}{part.id}")
            manual.append(ManualScore(part.id, part.title, part.points, points))
        overrides = {}
        for task in stage.tasks:
            points = points_by_cell.get(f"{CHECK}{task.id}")
            if points is not None:
                overrides[task.id] = points
        reasons = {}
        for cell, why in entry.reasons.items():
            if why and cell in points_by_cell:
                reasons[cell] = why
        return replace(self, manual=tuple(manual), overrides=overrides, reasons=reasons)

    @property
    def lost(self) -> float:
        """The fraction of a submission's score that is lost, from 0 to 1."""
        return lost_fraction(self.late, self.renamed)

    def _lost(self, result: Result) -> float:
        """Return the fraction of this result's score that is lost.

        It is 0 for a missing submission, and `lost` for any other.
        """
        return 0.0 if result.status is Status.MISSING else self.lost

    @property
    def attempt_that_counts(self) -> str:
        """Which of several attempts counts, and why; "" if there is only one."""
        if not self.attempts:
            return ""
        why = RULES[Counts(self.rule)]
        if self.rule == Counts.IN_TIME and self.late.days:
            why = "the latest, because none came in time"
        return f"attempt {self.counts} of {len(self.attempts)}, {why}"

    @property
    def authors(self) -> tuple[str, ...]:
        """The members of a group who handed in a program; () if only one member did."""
        names = sorted({attempt.by for attempt in self.attempts})
        return tuple(names) if len(names) > 1 else ()

    def _late(self, result: Result) -> Lateness:
        """Return how late the result's submission came; a missing submission is not late."""
        return IN_TIME if result.status is Status.MISSING else self.late


Adjustments = Mapping[Name, Adjustment]
NO_ADJUSTMENT = Adjustment()


@dataclass(frozen=True)
class HandedIn:
    """The time of the attempt that counts, or a platform's mark that it came late.

    `counts` is the number of the attempt that counts, and `rule` is the rule that chose this
    attempt; the first attempt has number 1. If a `group` handed in the attempt, `by` is the member
    who handed it in. `renamed` says that a file of the attempt has a wrong name.
    """

    stamp: datetime | None = None
    marked: bool = False
    attempts: tuple[AttemptSummary, ...] = ()
    counts: int = 0
    rule: str = ""
    group: tuple[str, ...] = ()
    by: str = ""
    renamed: bool = False


HandIns = Mapping[Name, HandedIn]
UNKNOWN = HandedIn()


def entry_of(
    name: Name, group: Sequence[str], entries: Mapping[Name, GradebookEntry]
) -> GradebookEntry:
    """Return the gradebook's entry for a submission.

    For a group, combine the entries of all members. If several members have manual points for a
    cell, the student's own points count.
    """
    student, stage = name
    members = dict.fromkeys((student, *group))
    theirs = [entries[member, stage] for member in members if (member, stage) in entries]
    points: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for entry in reversed(theirs):  # the student's entry comes last, so it wins
        points.update(entry.given)
        reasons.update(entry.reasons)
    stamps = (entry.stamp for entry in theirs if entry.stamp)
    extension = max((entry.extension for entry in theirs), default=NO_ENTRY.extension)
    return GradebookEntry(max(stamps, default=None), extension, points, reasons)


def adjustment(
    student: str,
    stage: Stage,
    entry: GradebookEntry,
    policy: LatePolicy,
    hand_in: HandedIn = UNKNOWN,
) -> Adjustment:
    """Return the adjustment of a result of the stage."""
    name = student, stage.name
    # The gradebook was written by an earlier run, so the submission's own time wins.
    stamp = hand_in.stamp or entry.stamp
    dated = Adjustment(
        late=policy.group_lateness(
            name, hand_in.group, stamp, entry.extension, marked=hand_in.marked
        ),
        attempts=hand_in.attempts,
        counts=hand_in.counts,
        rule=hand_in.rule,
        group=hand_in.group,
        by=hand_in.by,
        renamed=policy.name_fraction if hand_in.renamed else None,
    )
    return dated.with_points(stage, entry)


def apply_all(results: Iterable[Result], adjustments: Adjustments) -> tuple[Result, ...]:
    """Return the final results."""
    final = []
    for result in results:
        adjusted = adjustments.get((result.student, result.stage), NO_ADJUSTMENT)
        final.append(adjusted.apply(result))
    return tuple(final)


def adjustments_text(adjustments: Adjustments) -> str:
    """Return the content of the file of adjustments, without adjustments that change nothing."""
    data: dict[str, dict[str, object]] = {}
    for (student, stage), adjusted in sorted(adjustments.items()):
        if adjusted:
            data.setdefault(student, {})[stage] = asdict(adjusted)
    return json.dumps(data, indent=1) + "\n"


def read_adjustments(path: Path) -> Adjustments:
    """Return the adjustments in the file; none if the file is missing or damaged."""
    adjustments: dict[Name, Adjustment] = {}
    try:
        for student, stages in read_json(path).items():
            for stage, value in stages.items():
                adjusted = to_dataclass(Adjustment, value, path, lenient=True)
                adjustments[student, stage] = adjusted
    except (CourseError, AttributeError):  # AttributeError: the file's JSON has another form
        return {}
    return adjustments
