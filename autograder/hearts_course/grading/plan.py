"""What is to be done for each submission, and what is not.

State   whether a result still holds, waits to be put in place, or is to be made
Item    a slot of the layout, its key, its state
Plan    the items of a class
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from hearts_course.grading.cache import CacheKey, CacheKeys
from hearts_course.grading.records import Record, allows
from hearts_course.grading.store import Store
from hearts_course.results import Status
from hearts_course.submissions.find import SubmissionPath


class WorkState(Enum):
    """What is to be done."""

    HOLDS = "nothing: the result is there, and nothing that it rests on has changed"
    NEW = "grade, and keep: there is no result, or one of another submission, or a fault of ours"
    AGAIN = "grade, and replace once all is known: the submission is the same, what judges it not"
    WAITS = "replace once all is known: that was graded already, but not yet put in place"

    @property
    def to_grade(self) -> bool:
        """Whether the submission has to run."""
        return self in (WorkState.NEW, WorkState.AGAIN)

    @property
    def to_replace(self) -> bool:
        """Whether a result of the same submission is to give way."""
        return self in (WorkState.AGAIN, WorkState.WAITS)


@dataclass(frozen=True)
class Item:
    """A slot of the layout; `why` is what has changed since its last result, if there is one."""

    slot: SubmissionPath
    key: CacheKey
    state: WorkState
    why: tuple[str, ...] = ()

    @property
    def name(self) -> tuple[str, str]:
        """Whose submission, and of which stage."""
        return self.slot.student, self.slot.stage.name


@dataclass(frozen=True)
class GradingPlan:
    """What is to be done for a class."""

    items: tuple[Item, ...]

    @property
    def all_hold(self) -> bool:
        """Whether there is nothing to do."""
        return all(item.state is WorkState.HOLDS for item in self.items)

    @property
    def to_grade(self) -> list[Item]:
        """The submissions that have to run."""
        return [item for item in self.items if item.state.to_grade]

    @property
    def to_replace(self) -> list[Item]:
        """The submissions whose results are to give way to others of the same submission."""
        return [item for item in self.items if item.state.to_replace]

    def count(self, state: WorkState) -> int:
        """How many are in that state."""
        return sum(item.state is state for item in self.items)


def plan(
    slots: Iterable[SubmissionPath],
    keys: CacheKeys,
    store: Store,
    sandbox: str,
    *,
    sound: bool = False,
) -> GradingPlan:
    """What is to be done for the slots, as everything lies there now.

    A damaged result is to be made again. Where all are known to be `sound` only their heads are
    read.
    """
    before = store.results.head if sound else store.results.read
    return GradingPlan(
        tuple(
            _item(slot, keys.of(slot), before(slot.student, slot.stage.name), store, sandbox)
            for slot in slots
        )
    )


def _item(
    slot: SubmissionPath, key: CacheKey, before: Record | None, store: Store, sandbox: str
) -> Item:
    if before is None:
        return Item(slot, key, WorkState.NEW)
    if before.holds(key, sandbox):
        return Item(slot, key, WorkState.HOLDS)
    why = _why(key, before, sandbox)
    if "submission" in why or before.result.status is Status.GRADER_ERROR:
        return Item(slot, key, WorkState.NEW, why)
    waiting = store.pending.head(slot.student, slot.stage.name)
    waits = waiting is not None and waiting.holds(key, sandbox)
    return Item(slot, key, WorkState.WAITS if waits else WorkState.AGAIN, why)


def _why(key: CacheKey, before: Record, sandbox: str) -> tuple[str, ...]:
    changed = key.changed(before.key) if before.key else ("tool",)
    fits = allows(sandbox, before.result.sandbox)
    return (*changed, *(() if fits else ("sandbox",)))
