"""Command for instructors: doctor."""

import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata

import click
from hearts_course.cli.common import say
from hearts_course.course import Course
from hearts_course.sandbox.processors import processors
from hearts_course.text import count_of
from rich.table import Table
from rich.text import Text

from hearts_grader.cli.options import SANDBOXES
from hearts_grader.sandbox import backends, selftest

GOOD, BAD = Text("✓", style="green"), Text("✗", style="bold red")
PACKAGES = ("pytest", "pytest-timeout", "sqlalchemy")
Row = tuple[Text, str, str]


@click.command()
@click.option(
    "--sandbox",
    "asked",
    type=click.Choice(SANDBOXES),
    default="auto",
    help="The sandbox to test; default: the one that `hearts grade` would use.",
)
@click.pass_obj
def doctor(course: Course, asked: str) -> int:
    """Test whether submissions can be graded safely on this machine.

    A program in the sandbox tries about thirty ways to break out. Exit status: 0 if all are
    blocked; 1 if one is not, if the sandbox has a known weakness here, or if no sandbox works.
    """
    reasons = {name: backends.unavailable_reason(name) for name in backends.PREFERENCE}
    chosen = _chosen(asked, reasons)
    # A sandbox that works may still be weak, for example if the kernel lacks a feature.
    weaknesses = backends.warnings(chosen)
    say("Sandboxes", _table(_sandbox_rows(reasons, asked, chosen, weaknesses)), "")
    # Without a sandbox no attempt is made, so the attempts do not count as blocked.
    all_blocked = False
    if chosen:
        probes = tuple(selftest.run_probes(chosen, course))
        blocked = sum(probe.held for probe in probes)
        all_blocked = blocked == len(probes)
        rows = []
        for probe in probes:
            mark = GOOD if probe.held else BAD
            rows.append((mark, probe.title, probe.how))
        say(f"A program in {chosen} tries to", _table(rows))
        say(f"{blocked} of {len(probes)} attempts were blocked.", "")
    say("This machine", _table(machine_rows(course)))
    return 0 if all_blocked and not weaknesses else 1


def _chosen(asked: str, reasons: Mapping[str, str]) -> str:
    """Return the name of the sandbox to test; "" if none works.

    `reasons` says why each sandbox cannot be used here, "" if it can be used. `none` is chosen only
    if it was asked for, and a sandbox that was asked for is never replaced by another one.
    """
    if asked == "auto":
        return backends.best_of(name for name, reason in reasons.items() if not reason)
    return "" if reasons.get(asked) else asked


def _sandbox_rows(
    reasons: Mapping[str, str], asked: str, chosen: str, weaknesses: Iterable[str]
) -> Iterator[Row]:
    """Yield a row for each sandbox: its state, or why it does not work and what to do.

    The last rows are the weaknesses of the chosen sandbox.
    """
    for name, reason in reasons.items():
        if reason:
            yield BAD, name, backends.with_cure(name, reason)
        else:
            yield GOOD, name, "active" if name == chosen else "available"
    if not chosen:
        option = "" if asked == "auto" else f" --sandbox {asked}"
        yield BAD, "none", f"no sandbox works: `hearts grade{option}` will not run programs"
    if chosen == "none":
        yield BAD, "none", "active, as you asked: programs run with all your rights"
    for line in weaknesses:
        yield BAD, chosen, line


def machine_rows(course: Course, packages: Iterable[str] = PACKAGES) -> Iterator[Row]:
    """Yield what else grading needs: Python, processors, packages and the hidden tests.

    Missing hidden tests are a fault, because grading would then use the visible checks alone. A
    student's installation has no hidden tests.
    """
    yield GOOD, "system", f"{platform.system()} {platform.release()}, {platform.machine()}"
    yield GOOD, "python", f"{platform.python_version()}, {sys.executable}"
    yield GOOD, "processors", f"{len(processors())}: the number of programs graded at a time"
    for package in packages:
        try:
            yield GOOD, package, metadata.version(package)
        except metadata.PackageNotFoundError:
            yield BAD, package, 'not installed; `pip install "hearts-course[grade]"`'
    lacking = ", ".join(stage.name for stage in course.stages if not stage.hidden_tests)
    if lacking:
        yield BAD, "hidden tests", f"none for {lacking}; grade in a checkout of the course"
    else:
        counts = count_of(len(course.counted), "stage")
        if clinics := len(course.stages) - len(course.counted):
            counts += f" and {count_of(clinics, 'clinic')}"
        yield GOOD, "hidden tests", f"for {counts}"


def _table(rows: Iterable[Row]) -> Table:
    """Return the rows in columns, without lines around them."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row(*row)
    return table
