"""Decide which submissions of a class to grade, and estimate how long that takes.

A result is kept while its cache key is unchanged. So a class can be graded again at any time, and
only changed submissions run.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hearts_course.errors import CourseError
from hearts_course.files import read_json, write_whole
from hearts_course.results import Status, rescore
from hearts_course.submissions.find import SubmissionPath

from hearts_grader.grading.cache import CacheKey, CacheKeys
from hearts_grader.grading.records import Record, Records, allows
from hearts_grader.grading.store import Store


class WorkState(Enum):
    """What to do for a submission."""

    CURRENT = "nothing: its result is there, and no input has changed"
    NEW = "grade: no result yet, or of another submission, or a grader error"
    REGRADE = "grade and stage: same submission, but tests, limits or tool changed"
    RESCORE = "replace: only the points changed, so that the same tests tell the score"
    STAGED = "replace: regraded, but the new result is not in its place yet"

    @property
    def to_grade(self) -> bool:
        """Whether the submission has to run."""
        return self in (WorkState.NEW, WorkState.REGRADE)

    @property
    def to_replace(self) -> bool:
        """Whether a result of the same submission will be replaced."""
        return self in (WorkState.REGRADE, WorkState.RESCORE, WorkState.STAGED)


@dataclass(frozen=True)
class Item:
    """A submission; `why` are the inputs that have changed since its last result."""

    path: SubmissionPath
    key: CacheKey
    state: WorkState
    why: tuple[str, ...] = ()

    @property
    def name(self) -> tuple[str, str]:
        """Student and stage."""
        return self.path.student, self.path.stage.name


@dataclass(frozen=True)
class GradingPlan:
    """What to do for a class."""

    items: tuple[Item, ...]

    @property
    def to_grade(self) -> list[Item]:
        """The submissions that have to run."""
        return [item for item in self.items if item.state.to_grade]

    @property
    def to_replace(self) -> list[Item]:
        """The submissions whose results will be replaced by new ones of the same submission."""
        return [item for item in self.items if item.state.to_replace]

    def count(self, state: WorkState) -> int:
        """Return how many submissions are in that state."""
        return sum(item.state is state for item in self.items)


def plan(
    paths: Iterable[SubmissionPath],
    keys: CacheKeys,
    store: Store,
    sandbox: str,
    *,
    intact: bool = False,
) -> GradingPlan:
    """Return what to do for the submissions.

    A submission with a damaged result is graded again. If all results are `intact`, read only the
    heads of their files, as `Records.head` does.
    """
    read = store.results.head if intact else store.results.read
    items = []
    for path in paths:
        record = read(path.student, path.stage.name)
        items.append(_item(path, keys.of(path), record, store, sandbox))
    return GradingPlan(tuple(items))


def _item(
    path: SubmissionPath, key: CacheKey, before: Record | None, store: Store, sandbox: str
) -> Item:
    """Return what to do for the submission; `before` is the record of its last result.

    A result that a dry run has staged need not be graded again.
    """
    if before is None:
        return Item(path, key, WorkState.NEW)
    if before.is_current(key, sandbox):
        return Item(path, key, WorkState.CURRENT)
    changed = key.changed(before.key) if before.key else ()
    why = changed if allows(sandbox, before.result.sandbox) else (*changed, "sandbox")
    # The last result is about another program, or is a grader error. Neither can be compared with
    # the new result.
    if "submission" in why or before.result.status is Status.GRADER_ERROR:
        return Item(path, key, WorkState.NEW, why)
    # If only points have changed, add them up anew without running the program.
    if why == ("points",) and rescored(store.results, path, key):
        return Item(path, key, WorkState.RESCORE, why)
    staged = store.pending.head(path.student, path.stage.name)
    is_staged = staged is not None and staged.is_current(key, sandbox)
    return Item(path, key, WorkState.STAGED if is_staged else WorkState.REGRADE, why)


def rescored(records: Records, path: SubmissionPath, key: CacheKey) -> Record | None:
    """Return the submission's record with the current points; None if the program has to run."""
    record = records.read(path.student, path.stage.name)
    result = rescore(record.result, path.stage) if record else None
    return Record(result, key) if result else None


@dataclass(frozen=True)
class Pace:
    """For each stage: the number of submissions graded, and the workers' seconds for them."""

    stages: Mapping[str, tuple[int, float]]

    def with_result(self, stage: str, seconds: float) -> "Pace":
        """Return the pace with one more submission."""
        count, total = self.stages.get(stage, (0, 0.0))
        return Pace({**self.stages, stage: (count + 1, total + seconds)})

    def usual_seconds(self, stages: Iterable[str], workers: int) -> float | None:
        """Return how many seconds the submissions usually take, or None.

        Return None if one of the stages has not been graded before. `stages` has the stage of each
        submission, and `workers` is how many submissions run at a time.
        """
        total = 0.0
        for stage in stages:
            count, seconds = self.stages.get(stage, (0, 0.0))
            if not count:
                return None
            total += seconds / count
        return total / workers


def read_pace(path: Path) -> Pace:
    """Return the pace in the file; an empty one if the file is missing or damaged.

    The pace serves only for an estimate, so a damaged file is not an error.
    """
    try:
        stages = read_json(path)
        return Pace({str(name): (int(n), float(s)) for name, (n, s) in stages.items()})
    except (CourseError, ValueError, TypeError, AttributeError):
        return Pace({})


def write_pace(path: Path, pace: Pace) -> None:
    """Write the file; raise CourseError if that fails."""
    write_whole(path, json.dumps(pace.stages) + "\n")
