"""The class as a table on the terminal, readable in 80 columns and without colour.

summary   the table, a row for each result, and the totals
totals    how many were graded and how they did, in one line
"""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hearts_course.results import Result, Status
from hearts_course.text import safe_line

BAR = 8
STYLES = {
    Status.GRADED: "",
    Status.MISSING: "yellow",
    Status.UNREADABLE: "yellow",
    Status.GRADER_ERROR: "bold red",
}
WORDS = {
    Status.GRADED: "graded",
    Status.MISSING: "missing",
    Status.UNREADABLE: "unreadable",
    Status.GRADER_ERROR: "grader error",
}


def summary(results: Sequence[Result]) -> RenderableType:
    """The results, a row each in the order given, and the totals.

    Who handed in nothing for a stage is not in the table, but counted below it.
    """
    stages = {result.stage for result in results}
    absent = [result for result in results if result.status is Status.MISSING]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Student", max_width=26, overflow="fold")
    if len(stages) > 1:
        table.add_column("Stage", max_width=14, overflow="fold")
    table.add_column("Score", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, width=BAR)
    table.add_column("Status", overflow="fold")
    for result in results:
        if result not in absent:
            table.add_row(*_row(result, with_stage=len(stages) > 1))
    return Group(table, *map(Text, _absences(absent)), Text(totals(results)))


def _absences(absent: Sequence[Result]) -> list[str]:
    counted = Counter(result.stage for result in absent)
    return [f"{stage}: {number} handed in nothing" for stage, number in sorted(counted.items())]


def _row(result: Result, *, with_stage: bool) -> list[Text]:
    score = f"{result.score:g}/{result.max_score}"
    return [
        Text(safe_line(result.student)),
        *([Text(result.stage)] if with_stage else []),
        Text(score),
        Text(bar(result), style="green"),
        _status(result),
    ]


def _status(result: Result) -> Text:
    text = Text(WORDS[result.status], style=STYLES[result.status])
    return text.append(f": {safe_line(result.message)}" if result.message else "", style="default")


def bar(result: Result) -> str:
    """The score as a row of eight marks; only full points fill it, only none leave it empty."""
    if result.status is not Status.GRADED or not result.max_score:
        return ""
    share = result.score / result.max_score
    filled = round(share * BAR)
    if 0 < share < 1:
        filled = min(max(filled, 1), BAR - 1)
    return "#" * filled + "." * (BAR - filled)


def totals(results: Sequence[Result]) -> str:
    """How many of those handed in were graded, and the mean share of the points that they have."""
    graded = [result for result in results if result.status is Status.GRADED]
    handed_in = [result for result in results if result.status is not Status.MISSING]
    counted = Counter(result.status for result in handed_in)
    errors = counted[Status.GRADER_ERROR]
    line = (
        f"{len(graded)} graded, {counted[Status.UNREADABLE]} unreadable, "
        f"{errors} grader error{'' if errors == 1 else 's'}"
    )
    shares = [result.score / result.max_score for result in graded if result.max_score]
    if not shares:
        return line
    return f"{line}; the graded reach {100 * fmean(shares):.0f} % on average"
