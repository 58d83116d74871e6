"""`hearts doctor`: which sandbox is active, whether it holds, and what else grading needs."""

import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from hearts_course.cli.instructor import SANDBOXES
from hearts_course.cli.screen import say
from hearts_course.course import Course, find_course
from hearts_course.grading.pool import processors

if TYPE_CHECKING:
    from hearts_course.sandbox.selftest import ProbeResult

GOOD, BAD = Text("✓", style="green"), Text("✗", style="bold red")
PACKAGES = ("pytest", "pytest-timeout", "nbgrader")
Row = tuple[Text, str, str]


def register(group: click.Group) -> None:
    """Add the verb."""
    group.add_command(doctor)


@click.command()
@click.option(
    "--sandbox",
    "asked",
    type=click.Choice(SANDBOXES),
    default="auto",
    help="Try this one; the one that `hearts grade` would take if not given.",
)
def doctor(asked: str) -> int:
    """Say whether programs can be graded safely here, and prove it.

    A program in the sandbox that is active tries some thirty ways out. Exit status 0 if all are
    blocked; 1 if one is not, or if no sandbox works.
    """
    from hearts_course.sandbox.backends import PREFERENCE, unavailable_reason, warnings
    from hearts_course.sandbox.selftest import run_probes

    course = find_course()
    faults = {name: unavailable_reason(name) for name in PREFERENCE}
    chosen = _chosen(asked, faults)
    weak = warnings(chosen)
    say("Sandboxes", _table(_sandboxes(faults, asked, chosen, weak)), "")
    verdicts = tuple(run_probes(chosen, course)) if chosen else ()
    if chosen:
        say(f"A program in {chosen} tries to", _table(_attempts(verdicts)))
        refused = sum(verdict.held for verdict in verdicts)
        say(f"{refused} of {len(verdicts)} attempts were blocked.", "")
    say("This machine", _table(_machine(course)))
    return 0 if chosen and all(verdict.held for verdict in verdicts) and not weak else 1


def _chosen(asked: str, faults: Mapping[str, str]) -> str:
    """The sandbox to try; empty if there is none that works."""
    from hearts_course.sandbox.backends import best_of

    if asked == "auto":
        return best_of(name for name, fault in faults.items() if not fault)
    return "" if faults.get(asked) else asked


def _sandboxes(
    faults: Mapping[str, str], asked: str, chosen: str, weak: Iterable[str]
) -> Iterator[Row]:
    from hearts_course.sandbox.backends import FIXES

    for name, fault in faults.items():
        if fault:
            yield BAD, name, f"{fault}; {FIXES[name]}"
        else:
            yield GOOD, name, "active" if name == chosen else "available"
    if not chosen:
        option = "" if asked == "auto" else f" --sandbox {asked}"
        yield BAD, "none", f"active: `hearts grade{option}` refuses to run programs"
    if chosen == "none":
        yield BAD, "none", "active, as you asked: programs run with all your rights"
    for line in weak:
        yield BAD, chosen, line


def _attempts(verdicts: Iterable["ProbeResult"]) -> Iterator[Row]:
    for verdict in verdicts:
        yield GOOD if verdict.held else BAD, verdict.title, verdict.how


def _machine(course: Course) -> Iterator[Row]:
    yield GOOD, "system", f"{platform.system()} {platform.release()}, {platform.machine()}"
    yield GOOD, "python", f"{platform.python_version()}, {sys.executable}"
    yield GOOD, "processors", f"{len(processors())}, so many programs are graded at a time"
    for package in PACKAGES:
        version = _version(package)
        yield (
            (GOOD, package, version)
            if version
            else (BAD, package, 'not installed; `pip install "hearts-course[grade]"`')
        )
    lacking = [stage.name for stage in course.stages if not stage.hidden_tests]
    yield (
        (BAD, "hidden tests", f"none for {', '.join(lacking)}; grade in a checkout of the course")
        if lacking
        else (GOOD, "hidden tests", f"for all {len(course.stages)} stages")
    )


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _table(rows: Iterable[Row]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row(*row)
    return table
