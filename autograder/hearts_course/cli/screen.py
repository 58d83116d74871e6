"""Printing for people: in colour on a terminal, plain elsewhere, never as markup."""

from rich.console import Console, RenderableType

screen = Console(highlight=False, markup=False, emoji=False)


def say(*lines: RenderableType) -> None:
    """Print each of these on lines of its own."""
    for line in lines:
        screen.print(line)
