"""The console: a game of Hearts at the keyboard. It reads and writes, and knows no rule.

    read     shows a prompt and returns the line that was typed, as `input` does
    write    shows something on its own line, as `print` does
    Person   a player at the keyboard

The table decides what is legal, who takes a trick and who wins. The user may leave at any prompt,
by Ctrl-C or by ending the input. Then `main` says goodbye.
"""

import sys
from argparse import Namespace
from collections.abc import Callable, Sequence

from cards import Card
from table import Seat, View

SEAT_PROMPT = "Watch, or play which seat? "
CARD_PROMPT = "Your card? "
WELCOME = """Hearts for four. Every heart that you take costs a point, the queen of spades 13;
whoever has the fewest points wins. At any question, ? helps, and Ctrl-C leaves.
"""
SEAT_HELP = """You may watch four computer players: write watch.
Or you may play a seat yourself: write North, East, South or West, or N, E, S or W."""
CARD_HELP = "Write a card as QS or as Queen of Spades, large or small; the ten is T or 10."
FAREWELL = "\nGoodbye. The game was not finished."
UNFINISHED = 1

Read = Callable[[str], str]
Write = Callable[[object], object]


class Person:
    """A player at the keyboard."""

    def __init__(self, read: Read, write: Write) -> None:
        """Make a player who is asked with `read` and answered with `write`."""
        raise NotImplementedError("Task 9: Play your cards")

    def choose(self, view: View) -> Card:
        """Ask until the person writes a card that may be played; return that card."""
        raise NotImplementedError("Task 9: Play your cards")


def ask_seat(read: Read, write: Write) -> Seat | None:
    """Ask until the user names a seat or watches; return the seat, or None to watch."""
    raise NotImplementedError("Task 8: Take a seat")


def read_flags(arguments: Sequence[str]) -> Namespace:
    """Return what the flags say; end the program with status 2 if they make no sense."""
    raise NotImplementedError("Task 8: Take a seat")


def seat(text: str) -> Seat:
    """Return the seat of that name; argparse shows this function's name in its error message."""
    raise NotImplementedError("Task 8: Take a seat")


def main(arguments: Sequence[str], read: Read = input, write: Write = print) -> int:
    """Play one game, or show it; return the exit status."""
    raise NotImplementedError("Task 8: Take a seat")


def tell_game(flags: Namespace, read: Read, write: Write) -> None:
    """Write a game to its end, event by event; ask the user where the flags leave a question."""
    raise NotImplementedError("Task 8: Take a seat")


def chosen_seat(flags: Namespace, read: Read, write: Write) -> Seat | None:
    """Return the seat that the user plays, None to watch; ask if the flags do not say."""
    raise NotImplementedError("Task 8: Take a seat")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
