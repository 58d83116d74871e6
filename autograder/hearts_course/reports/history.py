"""Every result that a submission ever had, as a table on the terminal.

history_shown   the table, the oldest first
"""

from collections.abc import Iterable
from datetime import datetime

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hearts_course.grading.history import AGAIN, FIRST, HistoryEntry
from hearts_course.reports.changes import WHY
from hearts_course.reports.terminal import WORDS
from hearts_course.results import Status
from hearts_course.text import safe_line


def history_shown(entries: Iterable[HistoryEntry]) -> RenderableType:
    """When, which score, why it was graded, and which tests changed."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("When", no_wrap=True)
    table.add_column("Score", justify="right", no_wrap=True)
    table.add_column("Why, and in which tests", overflow="fold")
    for entry in entries:
        table.add_row(_when(entry), f"{entry.score:g} of {entry.max_score}", _why(entry))
    return table


def _when(entry: HistoryEntry) -> str:
    """In the time of the place where it is read."""
    return f"{datetime.fromisoformat(entry.when).astimezone():%Y-%m-%d %H:%M}"


def _why(entry: HistoryEntry) -> Text:
    lines = [_reason(entry.why)]
    if entry.status is not Status.GRADED:
        lines[0] += f": {WORDS[entry.status]}"
    if entry.message:
        lines.append(safe_line(entry.message))
    lines += [
        f"{'+' if t.gains else '-'} {t.name} {t.what}: {safe_line(t.topic)}" for t in entry.tests
    ]
    return Text("\n".join(lines))


def _reason(why: tuple[str, ...]) -> str:
    if why == (FIRST,):
        return "graded for the first time"
    if why == (AGAIN,):
        return "graded again, with nothing changed"
    return f"{' and '.join(WHY[part] for part in why)} changed"
