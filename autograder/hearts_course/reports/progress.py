"""How far the batch is: a moving bar on a terminal, a line now and then elsewhere.

follow   passes results on as they come and shows how many there are
spell    a time in words
"""

import time
from collections.abc import Callable, Iterable, Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from hearts_course.results import Result

SECONDS_BETWEEN_LINES = 10.0
MINUTE, HOUR = 60, 3600


def follow(
    results: Iterable[Result],
    total: int,
    console: Console,
    workers: int,
    usual_seconds: float | None = None,
    max_seconds: float | None = None,
) -> Iterator[Result]:
    """The results, unchanged; `console` shows how far they are, and how long it may still take.

    What is known of that beforehand is said before the first one.
    """
    times = []
    if usual_seconds is not None:
        times.append(f"usually about {spell(usual_seconds)}")
    if max_seconds is not None:
        times.append(f"at most {spell(max_seconds)}, if every program uses up all its time")
    known = f": {'; '.join(times)}" if times else ""
    console.print(f"{total} to grade, {workers} at a time{known}", highlight=False)
    if console.is_terminal:
        return _bar(results, total, console)
    return _lines(results, total, console)


def spell(seconds: float) -> str:
    """The time, rounded up, as people say it."""
    for unit, name in ((HOUR, "h"), (MINUTE, "min")):
        if seconds >= 2 * unit:
            return f"{-int(-seconds // unit)} {name}"
    return f"{-int(-seconds // 1)} s"


class RateColumn(ProgressColumn):
    """Submissions per second."""

    def render(self, task: Task) -> Text:
        """The rate, once there is one."""
        return Text(f"{task.speed:.1f}/s" if task.speed else "", style="dim")


def _bar(results: Iterable[Result], total: int, console: Console) -> Iterator[Result]:
    columns = (
        TextColumn("grading"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("grading", total=total)
        for result in results:
            yield result
            progress.advance(task)


def _lines(
    results: Iterable[Result],
    total: int,
    console: Console,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Result]:
    start = said = clock()
    for done, result in enumerate(results, start=1):
        yield result
        now = clock()
        if now - said >= SECONDS_BETWEEN_LINES:
            said = now
            left = (now - start) / done * (total - done)
            console.print(f"{done} of {total} graded, about {spell(left)} to go", highlight=False)
