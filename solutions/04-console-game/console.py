"""The console: a game of Hearts at the keyboard. It reads and writes, and knows no rule.

    read     shows a prompt and returns the line that was typed, as `input` does
    write    shows something on its own line, as `print` does
    Person   a player at the keyboard

The table decides what is legal, who takes a trick and who wins. The user may leave at any prompt,
by Ctrl-C or by ending the input. Then `main` says goodbye.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence

from cards import Card
from table import BOOKS, Scored, Seat, Taken, View, new_game

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


# %% take-a-seat
class Person:
    """A player at the keyboard."""

    def __init__(self, read: Read, write: Write) -> None:
        """Make a player who is asked with `read` and answered with `write`."""
        self._read = read
        self._write = write

    def choose(self, view: View) -> Card:
        """Ask until the person writes a card that may be played; return that card."""
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
        """Write the label and the codes of the cards."""
        self._write(f"{label}: {' '.join(str(card) for card in cards)}")


def ask_seat(read: Read, write: Write) -> Seat | None:
    """Ask until the user names a seat or watches; return the seat, or None to watch."""
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
    """Return what the flags say; end the program with status 2 if they make no sense."""
    parser = ArgumentParser("console.py", description="Four players play Hearts to 100 points.")
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--watch", action="store_true", help="watch four computer players")
    who.add_argument("--play", metavar="SEAT", type=seat, help="play North, East, South or West")
    parser.add_argument("--seed", type=int, help="a number that makes the game repeatable")
    parser.add_argument("--book", choices=BOOKS, default="CIT590", help="the rule book")
    return parser.parse_args(arguments)


def seat(text: str) -> Seat:
    """Return the seat of that name; argparse shows this function's name in its error message."""
    return Seat.parse(text)


def main(arguments: Sequence[str], read: Read = input, write: Write = print) -> int:
    """Play one game, or show it; return the exit status."""
    flags = read_flags(arguments)
    write(WELCOME)
    try:
        tell_game(flags, read, write)
    except (EOFError, KeyboardInterrupt):
        write(FAREWELL)
        return UNFINISHED
    return 0


def tell_game(flags: Namespace, read: Read, write: Write) -> None:
    """Write a game to its end, event by event; ask the user where the flags leave a question."""
    mine = chosen_seat(flags, read, write)
    people = {} if mine is None else {mine: Person(read, write)}
    for event in new_game(people, flags.seed, BOOKS[flags.book]):
        write(event)
        if isinstance(event, Taken | Scored):
            write("")


def chosen_seat(flags: Namespace, read: Read, write: Write) -> Seat | None:
    """Return the seat that the user plays, None to watch; ask if the flags do not say."""
    if flags.watch:
        return None
    if flags.play is None:
        return ask_seat(read, write)
    return Seat(flags.play)


# %% script
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
