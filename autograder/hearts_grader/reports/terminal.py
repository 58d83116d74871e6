"""Progress, results, changes and history on the terminal, in 80 columns and without colour.

Texts that students chose, such as the names of their folders, pass `safe_line` first, because they
could control the terminal.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from math import ceil
from statistics import fmean

from hearts_course.results import Result, Status
from hearts_course.text import listed, safe_line
from rich import box
from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from hearts_grader.grading.final_scores import AWAITS
from hearts_grader.grading.history import AGAIN, FIRST, Change, HistoryEntry, TestChange

BAR = 8  # width of a bar, in characters
MAX_ROWS = 40  # with more results, only rows with a remark are shown
MAX_MISSING = 10  # names shown of the students who handed in nothing for a stage
MAX_NAMED = 3  # tests named beside a student; the table of changed tests has all of them
STATUS: dict[Status, tuple[str, str]] = {  # words and style of each status
    Status.GRADED: ("graded", ""),
    Status.MISSING: ("missing", "yellow"),
    Status.UNREADABLE: ("unreadable", "yellow"),
    Status.GRADER_ERROR: ("grader error", "bold red"),
}
SECONDS_BETWEEN_LINES = 10.0  # time between two lines in a log file
# The remaining time is estimated once this many results are known, or half of all results if that
# is fewer. Before that there is no estimate, because the first results may be slow.
MIN_GRADED = 20
UNITS = ((3600, "h"), (60, "min"))
CAUSES = {
    "submission": "the submission",
    "suite": "the suite",
    "limits": "the limits",
    "tool": "the tool",
    "sandbox": "the sandbox",
    "points": "the points",
    "manual": "the manual points",
    "late": "the lateness",
    "names": "the penalty for file names",
    "group": "the group",
}


def results_table(results: Sequence[Result]) -> RenderableType:
    """Return a table of the results, in the order given, and the totals below it.

    A student who handed in nothing has no row, but is named below the totals: up to MAX_MISSING
    students for each stage. If there would be more than MAX_ROWS rows, return only rows with a
    remark, and a summary of each stage.
    """
    by_stage: dict[str, list[Result]] = {}
    for result in results:
        by_stage.setdefault(result.stage, []).append(result)
    rows = [result for result in results if result.status is not Status.MISSING]
    has_many_rows = len(rows) > MAX_ROWS
    if has_many_rows:
        rows = list(filter(_is_remarkable, rows))
    parts: list[RenderableType] = []
    if rows or not has_many_rows:
        parts.append(_rows_table(rows, several=len(by_stage) > 1))
    if has_many_rows:
        parts.append(_stages_table(by_stage))
    return Group(*parts, Text("\n".join([class_totals(results), *_missing(results)])))


def _is_remarkable(result: Result) -> bool:
    """Return whether the row has a remark.

    Missing manual points are usual, so they do not count as a remark.
    """
    return result.status is not Status.GRADED or _remark(result) not in ("", AWAITS)


def _missing(results: Iterable[Result]) -> Iterator[str]:
    """Yield a line for each stage with the students who handed in nothing for it.

    A line has at most MAX_MISSING names, and the number of students who are not named.
    """
    names: dict[str, list[str]] = {}
    for result in results:
        if result.status is Status.MISSING:
            names.setdefault(result.stage, []).append(safe_line(result.student))
    for stage, students in sorted(names.items()):
        named = students[:MAX_MISSING]
        more = len(students) - MAX_MISSING
        if more > 0:
            named.append(f"{more} more")
        yield f"{stage}: nothing from {listed(named)}"


def _stages_table(stages: Mapping[str, Sequence[Result]]) -> Table:
    """Return a table with a row for each stage: how many results have each status, and the mean.

    The columns of counts are in the order of STATUS.
    """
    table = _table()
    table.add_column("Stage", overflow="fold")
    for words in ("Graded", "Missing", "Unreadable", "Errors", "Mean"):
        table.add_column(words, justify="right")
    for stage, results in sorted(stages.items()):
        counted = Counter(result.status for result in results)
        counts = [str(counted[status]) for status in STATUS]
        table.add_row(stage, *counts, _mean(results))
    return table


def _rows_table(results: Sequence[Result], several: bool) -> Table:
    """Return a table with a row for each result; `several` says whether to show the stage.

    Names come from students' folders, so they are never read as rich's markup.
    """
    table = _table()
    table.add_column("Student", max_width=22 if several else 26, overflow="fold")
    if several:
        table.add_column("Stage", no_wrap=True)
    table.add_column("Score", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, width=BAR)
    table.add_column("Status", overflow="fold")
    for result in results:
        cells = [Text(safe_line(result.student))]
        if several:
            cells.append(Text(result.stage))
        cells.append(Text(f"{result.score:g}/{result.max_score}"))
        cells.append(Text(bar(result), style="green"))
        table.add_row(*cells, _status(result))
    return table


def _table() -> Table:
    """Return an empty table without a frame, because a frame would take some of 80 columns."""
    return Table(box=box.SIMPLE_HEAD, pad_edge=False)


def _status(result: Result) -> Text:
    """Return the status in its colour, and the remark after it without colour."""
    words, style = STATUS[result.status]
    text = Text(words, style=style)
    if remark := _remark(result):
        text.append(f": {remark}", style="default")
    return text


def _remark(result: Result) -> str:
    """Return the message, and the parts of the score other than the points of the checks."""
    return "; ".join(filter(None, (safe_line(result.message), result.score_parts.words)))


def bar(result: Result) -> str:
    """Return the score as a bar of eight characters, "" without a score.

    The bar is full only for full points, and empty only for no points.
    """
    if result.status is not Status.GRADED or not result.max_score:
        return ""
    share = result.score / result.max_score
    filled = round(share * BAR)
    # Rounding alone would show 97 % as full, and 3 % as nothing.
    if 0 < share < 1:
        filled = min(max(filled, 1), BAR - 1)
    return "#" * filled + "." * (BAR - filled)


def class_totals(results: Sequence[Result]) -> str:
    """Return how many results have each status, and the mean share of points of graded results."""
    counted = Counter(result.status for result in results)
    counts = ", ".join(f"{counted[status]} {words}" for status, (words, _) in STATUS.items())
    # "grader error" stands last and is the only status that has a plural.
    if counted[Status.GRADER_ERROR] != 1:
        counts += "s"
    mean = _mean(results)
    return f"{counts}; mean of the graded: {mean}" if mean else counts


def _mean(results: Iterable[Result]) -> str:
    """Return the mean share of points of graded results, in percent; "" if nothing is graded.

    The mean is rounded to whole percents. Every result has the same weight, whatever its maximum.
    """
    shares = []
    for result in results:
        if result.status is Status.GRADED and result.max_score:
            shares.append(result.score / result.max_score)
    return f"{100 * fmean(shares):.0f} %" if shares else ""


def changes_table(changes: Sequence[Change]) -> RenderableType:
    """Return tables of the students and the tests that changed, and a line of totals.

    If no score changed, return only the line of totals.
    """
    moved = [change for change in changes if change.difference]
    parts: list[RenderableType] = []
    if moved:
        parts.append(_changed_students(moved))
    if any(change.tests for change in moved):
        parts.append(_changed_tests(moved))
    return Group(*parts, Text(change_totals(changes)))


def change_totals(changes: Sequence[Change]) -> str:
    """Return how many students gain points, lose points or keep their score, and why."""
    gain = sum(change.difference > 0 for change in changes)
    lose = sum(change.difference < 0 for change in changes)
    parts = dict.fromkeys(chain.from_iterable(change.why for change in changes))
    return (
        f"{gain} gain, {lose} lose, {len(changes) - gain - lose} keep their score, "
        f"because {_causes(parts)} changed"
    )


def _causes(parts: Iterable[str]) -> str:
    """Return the words for the changed parts of a result's key or of a final score."""
    return listed(CAUSES[part] for part in parts)


def _changed_students(changes: Iterable[Change]) -> Table:
    """Return a table with a row for each changed score, and the tests that explain the change."""
    table = _table()
    table.add_column("Student", max_width=26, overflow="fold")
    table.add_column("Stage", max_width=14, overflow="fold")
    table.add_column("Score", justify="right", no_wrap=True)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("Tests", overflow="fold")
    for change in changes:
        style = "green" if change.difference > 0 else "red"
        table.add_row(
            Text(safe_line(change.student)),
            change.stage,
            f"{change.before:g} → {change.after:g} of {change.max_score}",
            Text(f"{change.difference:+g}", style=style),
            _named(change),
        )
    return table


def _named(change: Change) -> str:
    """Return up to MAX_NAMED tests that explain the change of the score.

    If the score rose, only tests that raised it explain the change; if it fell, only tests that
    lowered it. If no test explains the change, the text says what else has changed.
    """
    tests = [test for test in change.tests if test.gains == (change.difference > 0)]
    if not tests:
        return f"no test; {_causes(change.why)} changed"
    named = ", ".join(test.name.rpartition("::")[2] for test in tests[:MAX_NAMED])
    if len(tests) > MAX_NAMED:
        named += f" and {len(tests) - MAX_NAMED} more"
    return named


def _changed_tests(changes: Iterable[Change]) -> Table:
    """Return a table with a row for each changed test; tests of the most students come first.

    A test that changed in the same way for two students is an equal `TestChange` in both, so
    counting these objects counts the students.
    """
    students: Counter[TestChange] = Counter()
    for change in changes:
        students.update(change.tests)
    table = _table()
    table.add_column("Test", overflow="fold")
    table.add_column("Students", justify="right")
    table.add_column("", overflow="fold")
    table.add_column("Topic", overflow="fold")
    for test, count in sorted(students.items(), key=lambda item: (-item[1], item[0].name)):
        table.add_row(test.name, str(count), test.what, Text(safe_line(test.topic)))
    return table


def history_table(entries: Iterable[HistoryEntry]) -> RenderableType:
    """Return a table of a submission's scores: when, why it was graded, and which tests changed."""
    table = _table()
    table.add_column("When", no_wrap=True)
    table.add_column("Score", justify="right", no_wrap=True)
    table.add_column("Why, and in which tests", overflow="fold")
    for entry in entries:
        when = f"{datetime.fromisoformat(entry.when).astimezone():%Y-%m-%d %H:%M}"  # local time
        table.add_row(when, f"{entry.final_score:g} of {entry.max_score}", _why(entry))
    return table


def _why(entry: HistoryEntry) -> Text:
    """Return the lines of one grading: the reason, what was remarkable, the tests that changed."""
    lines = [_reason(entry.why)]
    if entry.status is not Status.GRADED:
        lines[0] += f": {STATUS[entry.status][0]}"
    if entry.message:
        lines.append(safe_line(entry.message))
    if entry.parts and entry.parts.words:
        lines.append(entry.parts.words)
    if entry.receipt:
        lines.append(f"receipt {entry.receipt}, read with Python {entry.python}")
    for test in entry.tests:
        sign = "+" if test.gains else "-"
        lines.append(f"{sign} {test.name} {test.what}: {safe_line(test.topic)}")
    return Text("\n".join(lines))


def _reason(why: tuple[str, ...]) -> str:
    """Return in words why a submission was graded, for the first time or again."""
    if why == (FIRST,):
        return "graded for the first time"
    if why == (AGAIN,):
        return "graded again, nothing changed"
    return f"{_causes(why)} changed"


def follow(
    results: Iterable[Result],
    total: int,
    console: Console,
    workers: int,
    usual_seconds: float | None = None,
    max_seconds: float | None = None,
) -> Iterator[Result]:
    """Pass the results on; show how many are graded so far, and how long the rest may take.

    On a terminal, show a bar; in a log file, write a line from time to time.

    `total` is the number of results to come, and `workers` how many are graded at a time.
    `usual_seconds` and `max_seconds` are the times for all results, None if unknown.
    """
    line = f"{total} to grade, {workers} at a time"
    if usual_seconds is not None:
        line += f"; usually about {in_words(usual_seconds)}"
    if max_seconds is not None:
        line += f"; at most {in_words(max_seconds)}, if every program uses up all its time"
    console.print(line, highlight=False)
    if console.is_terminal:
        return _bar(results, total, console)
    return _lines(results, total, console)


def in_words(seconds: float) -> str:
    """Return the time, rounded up, in the unit that people would use.

    A time of less than two units is given in the next smaller unit: 100 s, 2 min, 119 min, 2 h.
    """
    for unit, name in UNITS:
        if seconds >= 2 * unit:
            return f"{ceil(seconds / unit)} {name}"
    return f"{ceil(seconds)} s"


def _bar(results: Iterable[Result], total: int, console: Console) -> Iterator[Result]:
    """Pass the results on, and show a bar that disappears when all are graded."""
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
    """Pass the results on, and print a line every ten seconds.

    The estimate of the remaining time ignores the first result, because it also waits for the
    workers to start.
    """
    last = clock()
    first: float | None = None
    for done, result in enumerate(results, start=1):
        yield result
        now = clock()
        first = first or now
        if now - last >= SECONDS_BETWEEN_LINES:
            last = now
            line = f"{done} of {total} graded"
            if done > 1 and done >= min(MIN_GRADED, total / 2):
                left = in_words((now - first) / (done - 1) * (total - done))
                line += f", about {left} left"
            console.print(line, highlight=False)
