"""What grading again changes, as tables on the terminal: who gains or loses, and in which tests.

changes_shown   the tables and the totals
"""

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hearts_course.grading.changes import Change, TestChange
from hearts_course.text import safe_line

SHOWN = 3  # tests named beside a student; the second table has all of them
WHY = {
    "submission": "the submission",
    "suite": "the suite",
    "limits": "the limits",
    "tool": "the tool",
    "sandbox": "the sandbox",
}


def changes_shown(changes: Sequence[Change]) -> RenderableType:
    """Whose scores differ, in which tests, and how many keep theirs."""
    moved = [change for change in changes if change.difference]
    parts: list[RenderableType] = [_students(moved), _tests(moved)] if moved else []
    return Group(*parts, Text(totals(changes)))


def totals(changes: Sequence[Change]) -> str:
    """How many gain, lose and keep their score, and what has changed, in one line."""
    gain = sum(change.difference > 0 for change in changes)
    lose = sum(change.difference < 0 for change in changes)
    parts = {part: None for change in changes for part in change.why}
    return (
        f"{gain} gain, {lose} lose, {len(changes) - gain - lose} keep their score, "
        f"since {' and '.join(WHY[part] for part in parts)} changed"
    )


def _students(changes: Iterable[Change]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
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
    """The tests that moved the score its way, shortly; the points alone, if no test did."""
    ways = [test for test in change.tests if test.gains == (change.difference > 0)]
    if not ways:
        return "no test; what tasks are worth"
    more = f" and {len(ways) - SHOWN} more" if len(ways) > SHOWN else ""
    return ", ".join(test.name.rpartition("::")[2] for test in ways[:SHOWN]) + more


def _tests(changes: Iterable[Change]) -> Table:
    students: dict[TestChange, int] = {}
    for test in (test for change in changes for test in change.tests):
        students[test] = students.get(test, 0) + 1
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Test", overflow="fold")
    table.add_column("Students", justify="right")
    table.add_column("", overflow="fold")
    table.add_column("Topic", overflow="fold")
    for test, count in sorted(students.items(), key=lambda item: (-item[1], item[0].name)):
        table.add_row(test.name, str(count), test.what, Text(safe_line(test.topic)))
    return table
