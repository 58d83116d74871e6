"""How far grading is: a moving bar on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable, Iterable, Iterator
from math import ceil

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hearts_course.results import Result

SECONDS_BETWEEN_LINES = 10.0
UNITS = ((3600, "h"), (60, "min"))


def follow(
    results: Iterable[Result],
    total: int,
    console: Console,
    workers: int,
    usual_seconds: float | None = None,
    max_seconds: float | None = None,
) -> Iterator[Result]:
    """Pass the results on; show how many there are so far and how long the rest may take."""
    line = f"{total} to grade, {workers} at a time"
    if usual_seconds is not None:
        line += f"; usually about {in_words(usual_seconds)}"
    if max_seconds is not None:
        line += f"; at most {in_words(max_seconds)}, if every program uses up all its time"
    console.print(line, highlight=False)
    return (_bar if console.is_terminal else _lines)(results, total, console)


def in_words(seconds: float) -> str:
    """Return the time, rounded up, in the unit that people would use."""
    for unit, name in UNITS:
        if seconds >= 2 * unit:
            return f"{ceil(seconds / unit)} {name}"
    return f"{ceil(seconds)} s"


def _bar(results: Iterable[Result], total: int, console: Console) -> Iterator[Result]:
    columns = (
        TextColumn("grading"),
        BarColumn(),
        MofNCompleteColumn(),
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
    start = last = clock()
    for done, result in enumerate(results, start=1):
        yield result
        now = clock()
        if now - last >= SECONDS_BETWEEN_LINES:
            last = now
            left = in_words((now - start) / done * (total - done))
            console.print(f"{done} of {total} graded, about {left} left", highlight=False)
