"""The misconceptions of a class, by frequency: whose programs behave like which chaff.

Slip          misconceptions that fail the same tests, and the students whose programs do, too
class_slips   those of a stage
"""

from collections.abc import Iterable
from dataclasses import dataclass

from hearts_course.course import Stage
from hearts_course.grading.misconceptions import Pattern, likenesses
from hearts_course.results import Result


@dataclass(frozen=True)
class MisconceptionCount:
    """A misconception, or several that the suite cannot tell apart.

    `exactly` are the students whose programs fail just these tests, `nearly` those whose programs
    come closer to it than to anything else that is known.
    """

    task: str
    number: int
    names: tuple[str, ...]
    exactly: tuple[str, ...]
    nearly: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many students there are."""
        return len(self.exactly) + len(self.nearly)


def class_slips(
    results: Iterable[Result], stage: Stage, patterns: Iterable[Pattern]
) -> tuple[MisconceptionCount, ...]:
    """The stage's misconceptions that somebody's program behaves like, the most frequent first."""
    patterns = tuple(patterns)
    found: dict[tuple[str, tuple[str, ...]], tuple[list[str], list[str]]] = {}
    for result in results:
        for like in likenesses(result, stage, patterns).values():
            exactly, nearly = found.setdefault((like.task, like.names), ([], []))
            (exactly if like.exact else nearly).append(result.student)
    slips = (
        MisconceptionCount(
            task, stage.number(stage.task(task)), names, tuple(exactly), tuple(nearly)
        )
        for (task, names), (exactly, nearly) in found.items()
    )
    return tuple(sorted(slips, key=lambda slip: (-slip.count, slip.number, slip.names)))
