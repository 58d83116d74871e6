"""The console: a game of Hearts at the keyboard. It reads and writes, and knows no rule.

    read     asks with a prompt and returns the line that was typed, as `input` does
    write    shows something on a line of its own, as `print` does
    Person   the player who is asked

What is legal, who takes a trick and who wins is the table's business. Reading may end at any
prompt, by the end of the input or by Ctrl-C; `main` says goodbye then.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence

from cards import Card
from table import Scored, Seat, Taken, View, new_game

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


# %% take-a-seat
class Person:
    """A player who sits at the keyboard."""

    def __init__(self, read: Read, write: Write) -> None:
        """A player who is asked and told by these two."""
        self._read = read
        self._write = write

    def choose(self, view: View) -> Card:
        """The card that the person writes; asks until it may be played."""
        self._show("Your hand", view.hand)
        while True:
            text = self._read(CARD_PROMPT).strip()
            if text == "?":
                self._write(CARD_HELP)
                self._show("You may play", view.legal)
                continue
            try:
                card = Card.parse(text)
                view.check(card)
                return card
            except ValueError as refusal:
                self._write(refusal)

    def _show(self, label: str, cards: Sequence[Card]) -> None:
        """Write the cards' codes behind the label."""
        self._write(f"{label}: {' '.join(str(card) for card in cards)}")


def ask_seat(read: Read, write: Write) -> Seat | None:
    """The seat that the user wants to play, None to watch; asks until there is an answer."""
    while True:
        text = read(SEAT_PROMPT).strip()
        if text.lower() == "watch":
            return None
        if text == "?":
            write(SEAT_HELP)
            continue
        try:
            return Seat.parse(text)
        except ValueError as refusal:
            write(f"{refusal}, or watch")


def read_flags(arguments: Sequence[str]) -> Namespace:
    """What the flags say; with wrong ones, the program ends with status 2."""
    parser = ArgumentParser("console.py", description="Four players play Hearts to 100 points.")
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--watch", action="store_true", help="watch four computer players")
    who.add_argument("--play", metavar="SEAT", type=seat, help="play North, East, South or West")
    parser.add_argument("--seed", type=int, help="a number that makes the game repeatable")
    return parser.parse_args(arguments)


def seat(text: str) -> Seat:
    """The seat of that name; argparse names this function when it raises ValueError."""
    return Seat.parse(text)


def main(arguments: Sequence[str], read: Read = input, write: Write = print) -> int:
    """Play one game, or show it; returns the exit status."""
    flags = read_flags(arguments)
    write(WELCOME)
    try:
        mine = flags.play if flags.play is not None or flags.watch else ask_seat(read, write)
        people = {} if mine is None else {mine: Person(read, write)}
        for event in new_game(people, flags.seed):
            write(event)
            if isinstance(event, Taken | Scored):
                write("")
    except (EOFError, KeyboardInterrupt):
        write(FAREWELL)
        return UNFINISHED
    return 0


# %% script
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
