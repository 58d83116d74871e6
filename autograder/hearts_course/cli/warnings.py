"""What an instructor must know before or beside the results: lines on the error stream."""

from collections.abc import Iterable

import click

from hearts_course.course import Stage


def warn(line: str) -> None:
    """Say it."""
    click.echo(f"hearts: {line}", err=True)


def warn_of_stages(stages: Iterable[Stage]) -> None:
    """Say which stages can only be judged by what students see, too."""
    for stage in stages:
        if not stage.hidden_tests:
            warn(f"{stage.name}: no hidden tests here, so only the visible ones count")


def warn_of_sandbox(asked: str, chosen: str) -> None:
    """Say what is active if it is less than the best there is."""
    from hearts_course.sandbox.backends import sandbox_warnings

    for line in sandbox_warnings(asked, chosen):
        warn(line)
