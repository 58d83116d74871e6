"""The console: a game of Hearts at the keyboard. It reads and writes, and knows no rule.

    read        shows a prompt and returns the line that was typed, as `input` does
    write       shows something on its own line, as `print` does
    commands    a dictionary from a command, such as `?`, to the lines that it shows
    offers      the cards that the user offers in one turn, as the table wants them

The table decides what is legal, who takes a trick and who wins. The user may leave at any prompt,
by Ctrl-C or by ending the input. Then `main` says goodbye.
"""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias, TypeVar

from cards import Card
from table import RULES_IN_SHORT, Offers, Player, Seat, Sight, new_game

FINISHED = 0
UNFINISHED = 1

SEAT_PROMPT = "Watch, or play which seat? "
SEAT_WRONG = "That is no answer: write watch, North, East, South or West, or ? for help"
SEAT_HELP = [
    "watch                       four computer players play, and you see what happens",
    "North, East, South, West    you play that seat yourself; N, E, S or W will do",
]

CARD_PROMPT = "Your card? "
CARD_WRONG = "That is no card: write one of your hand, such as {example}, or ? for help"
CARD_HELP = [
    "Write a card as it stands in your hand. It is a rank (2 to 9, T for the ten, J, Q, K, A),",
    "then a suit (C clubs, D diamonds, H hearts, S spades). Small letters will do, and words, too:",
    "QS, qs and queen of spades are the same. To leave the game, press Ctrl-C.",
    *RULES_IN_SHORT.splitlines(),
]

Read: TypeAlias = Callable[[str], str]
Write: TypeAlias = Callable[[str], object]
Commands: TypeAlias = Mapping[str, Iterable[str]]
Answer = TypeVar("Answer")


class Console:
    """A conversation with the user, in which a question is repeated until it is answered."""

    def __init__(self, read: Read, write: Write) -> None:
        """Make a conversation that reads and writes with these two functions."""
        self._read = read
        self._write = write

    def tell(self, lines: Iterable[str]) -> None:
        """Show each of the texts on its own line."""
        for line in lines:
            self._write(line)

    def ask(
        self, prompt: str, parse: Callable[[str], Answer], commands: Commands, wrong: str
    ) -> Answer:
        """Return what `parse` makes of the answer; show `wrong` for an answer that it refuses.

        A command is not an answer: it shows its lines.
        """
        while True:
            typed = self._read(prompt).strip()
            if typed in commands:
                self.tell(commands[typed])
                continue
            try:
                return parse(typed)
            except ValueError:
                self.tell([wrong])


def ask_seat(console: Console) -> Seat | None:
    """Return the seat that the user wants to play, None to watch."""
    return console.ask(SEAT_PROMPT, seat_or_watch, {"?": SEAT_HELP}, SEAT_WRONG)


def seat_or_watch(text: str) -> Seat | None:
    """Return the seat in the text, None for `watch`; raise ValueError for other texts."""
    return None if text.lower() == "watch" else Seat.parse(text)


def offers(console: Console, sight: Sight) -> Offers:
    """Yield what the user offers, which may be any card; the table says why it refuses one."""
    console.tell([f"Your hand: {codes(sight.hand)}"])
    while True:
        refusal = yield ask_card(console, sight)
        console.tell([str(refusal)])


def ask_card(console: Console, sight: Sight) -> Card:
    """Return the card that the user names; the table decides whether it may be played."""
    commands = {"?": [f"You may play: {codes(sight.allowed)}", *CARD_HELP]}
    wrong = CARD_WRONG.format(example=min(sight.allowed))
    return console.ask(CARD_PROMPT, Card.parse, commands, wrong)


def codes(cards: Iterable[Card]) -> str:
    """Return the codes of the cards, sorted by suit and rank."""
    return " ".join(str(card) for card in sorted(cards))


def read_flags(arguments: Sequence[str]) -> Namespace:
    """Return what the flags say; end the program with status 2 if they make no sense."""
    parser = ArgumentParser(description="A game of Hearts.", allow_abbrev=False)
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--watch", action="store_true", help="four computer players play")
    who.add_argument("--play", type=seat_flag, metavar="SEAT", help="the seat that you play")
    parser.add_argument("--seed", type=int, metavar="N", help="a number: the same game each time")
    return parser.parse_args(arguments)


def seat_flag(text: str) -> Seat:
    """Return the seat of that name, or raise an error that argparse shows to the user."""
    try:
        return Seat.parse(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def run(flags: Namespace, console: Console) -> None:
    """Play one game, or show it, from the choice of a seat to the winners."""
    seat = flags.play if flags.watch or flags.play is not None else ask_seat(console)
    people: dict[Seat, Player] = {}
    if seat is not None:
        people[seat] = partial(offers, console)
        console.tell([f"You play {seat.word}. Write ? whenever you want help."])
    console.tell(new_game(people, flags.seed))


def main(arguments: Sequence[str], read: Read = input, write: Write = print) -> int:
    """Play one game, or show it; return the exit status."""
    flags = read_flags(arguments)
    console = Console(read, write)
    try:
        run(flags, console)
    except (EOFError, KeyboardInterrupt):
        console.tell(["", "Goodbye. The game was not finished."])
        return UNFINISHED
    return FINISHED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
