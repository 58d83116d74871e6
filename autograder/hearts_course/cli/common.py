"""What several commands share: the type of their path options, and printing."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

PATH = click.Path(path_type=Path)
INTERRUPTED = 130  # exit status of an interrupted command


def screen() -> "Console":
    """Return a console that prints every text to standard output as it is: nothing is markup.

    The console writes colours only if standard output is a terminal.
    """
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def say(*lines: "RenderableType") -> None:
    """Print each item on its own line; an item that forbids wrapping stays on one line.

    Items with a path or a command forbid wrapping, because users may copy them.
    """
    from rich.console import Group

    console = screen()
    for line in lines:
        # Print a group, because rich wraps a bare text even if the text forbids it.
        console.print(Group(line), crop=False)


def warn(*lines: str) -> None:
    """Print to stderr what the user must know in addition to the results.

    So stdout has only the results, and a program can read them.
    """
    for line in lines:
        click.echo(f"hearts: {line}", err=True)
