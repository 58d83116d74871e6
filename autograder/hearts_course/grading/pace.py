"""How long submissions have taken in an output folder, to say how long others will usually take.

It is kept apart from results, which are the same however long they took.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hearts_course.files import write_whole


@dataclass(frozen=True)
class Pace:
    """For each stage: how many submissions have been graded, and a worker's seconds for them."""

    stages: Mapping[str, tuple[int, float]]

    def with_result(self, stage: str, seconds: float) -> "Pace":
        """The same with one more submission."""
        count, total = self.stages.get(stage, (0, 0.0))
        return Pace({**self.stages, stage: (count + 1, total + seconds)})

    def usual_seconds(self, stages: Iterable[str], workers: int) -> float | None:
        """How long one submission for each of the stages takes; None if nobody knows."""
        total = 0.0
        for stage in stages:
            count, seconds = self.stages.get(stage, (0, 0.0))
            if not count:
                return None
            total += seconds / count
        return total / workers


def read_pace(path: Path) -> Pace:
    """What `write_pace` wrote; where that is missing or damaged, nothing is known."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        stages = json.loads(path.read_text(encoding="utf-8"))
        return Pace({str(name): (int(n), float(s)) for name, (n, s) in stages.items()})
    return Pace({})


def write_pace(path: Path, pace: Pace) -> None:
    """Keep it; raises CourseError if that fails."""
    write_whole(path, json.dumps(pace.stages) + "\n")
