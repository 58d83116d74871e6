"""The console: a game of Hearts at the keyboard. It reads and writes, and knows no rule.

    read     asks with a prompt and returns the line that was typed, as `input` does
    write    shows something on a line of its own, as `print` does
    Person   the player who is asked

What is legal, who takes a trick and who wins is the table's business. Reading may end at any
prompt, by the end of the input or by Ctrl-C; `main` says goodbye then.
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
Or you may play one of the seats yourself: write North, East, South or West, or N, E, S or W."""
CARD_HELP = "Write a card as QS or as Queen of Spades, large or small; the ten is T or 10."
FAREWELL = "\nGoodbye. The game was not finished."
UNFINISHED = 1

Read = Callable[[str], str]
Write = Callable[[object], object]


class Person:
    """A player who sits at the keyboard."""

    def __init__(self, read: Read, write: Write) -> None:
        """A player who is asked and told by these two."""
        raise NotImplementedError("Task 7: Play your cards")

    def choose(self, view: View) -> Card:
        """The card that the person writes; asks until it may be played."""
        raise NotImplementedError("Task 7: Play your cards")


def ask_seat(read: Read, write: Write) -> Seat | None:
    """The seat that the user wants to play, None to watch; asks until there is an answer."""
    raise NotImplementedError("Task 6: Take a seat")


def read_flags(arguments: Sequence[str]) -> Namespace:
    """What the flags say; with wrong ones, the program ends with status 2."""
    raise NotImplementedError("Task 6: Take a seat")


def seat(text: str) -> Seat:
    """The seat of that name; argparse names this function when it raises ValueError."""
    raise NotImplementedError("Task 6: Take a seat")


def main(arguments: Sequence[str], read: Read = input, write: Write = print) -> int:
    """Play one game, or show it; returns the exit status."""
    raise NotImplementedError("Task 6: Take a seat")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
