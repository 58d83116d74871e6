"""HEARTS 1.5: the three-handed game that DYNACOMP sold in 1980, and what it said on the screen.

    seat      0, 1 or 2, clockwise: YOU, PLAYER 2 (or HAND 2) and PLAYER 3 (or HAND 3)
    Deal      three hands of 17 cards by seat, and the hidden card, which goes with the first trick
    gifts     the three cards that a player gives to the left before the first trick
    seen      the cards of the tricks so far, in order, and behind them the hidden card, once shown
    Talk      who answers and listens: a Terminal, or a Script that was written in advance
    Player    who gives and plays cards: a Person, a Computer, or hands that are Prepared

The game knows neither keyboard nor screen. It talks to whom it is given, deals what it is given,
and plays against whom it is given; so a game of 1980 can be played once more, letter for letter.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import TextIOWrapper
from typing import NamedTuple, Protocol, TypeVar

from cards import Card, Hand, Rank
from legal import HeartsNotBroken, IllegalPlay, NotHeld, Revoke, Turn, WrongOpening

SEATS = range(3)
YOU = SEATS[0]
NAMES = ("YOU", "PLAYER 2", "PLAYER 3")
HANDS = ("YOU", "HAND 2", "HAND 3")
ALL_POINTS = 26
VERBS = {"YOU": "WIN"}  # everybody else WINS
HEADER = ("*****", "**** HEARTS 1.5 ****", "*****")
COPYRIGHT = ("(C) 1979 BY DYNACOMP", "ROCHESTER, NY 14618")
TYPING_ERROR = "ERROR IN TYPING, TRY AGAIN."
PASS_ERROR = "ERROR IN PASS, TRY AGAIN."
OPENING = "YOU MUST LEAD THE {}"
COMPLAINTS: dict[type[IllegalPlay], str] = {
    NotHeld: "ERROR IN LEAD, TRY AGAIN.",
    WrongOpening: OPENING,
    Revoke: "RENEGE, TRY AGAIN.",
    HeartsNotBroken: "ILLEGAL TO PLAY A HEART NOW",
}
UNFINISHED = 1
PRINT_ZONE = 14  # columns from one tab to the next where BASIC printed a table

Answer = TypeVar("Answer")
Number = TypeVar("Number", int, float)


class Talk(Protocol):
    """Whoever the program talks to."""

    def ask(self, prompt: str) -> str:
        """The line that is typed behind the prompt; raises EOFError if there is none."""

    def say(self, line: str = "") -> None:
        """Show a line, or several with a line break between them."""


class Terminal:
    """A talk with somebody at the keyboard."""

    def __init__(self) -> None:
        """A talk with whoever is there; what is no text at all will be a typing error as well."""
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

    def ask(self, prompt: str) -> str:
        """The line that is typed behind the prompt; raises EOFError at the end of input."""
        return input(prompt)

    def say(self, line: str = "") -> None:
        """Print the line; on a screen, a tab goes on to the next print zone."""
        print(line.expandtabs(PRINT_ZONE) if sys.stdout.isatty() else line)


class Script:
    """A talk that was written in advance: these lines are typed, and then the input ends."""

    def __init__(self, typed: Iterable[str]) -> None:
        """A script for whoever types these lines; `lines` is what the screen shows at the end."""
        self._typed = iter(typed)
        self.lines: list[str] = []

    def ask(self, prompt: str) -> str:
        """The next line; on the screen it stands behind the prompt."""
        for line in self._typed:
            self.lines.append(f"{prompt}{line}")
            return line
        self.lines.append(prompt)
        raise EOFError

    def say(self, line: str = "") -> None:
        """Put the line on the screen."""
        self.lines += line.split("\n")


def tell(talk: Talk, *lines: str) -> None:
    """Say a paragraph: these lines, and an empty one."""
    for line in (*lines, ""):
        talk.say(line)


class Player(Protocol):
    """Whoever holds one of the three hands."""

    def give(self, hand: Hand) -> list[Card]:
        """The three cards of the hand that the player gives to the left."""

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """The card that the player plays."""


class Prepared:
    """A player whose cards were chosen in advance, by their codes."""

    def __init__(self, gifts: str, plays: str) -> None:
        """A player of these cards, such as `"KS AH KH", "2C QD"`; `gifts` are three per deal."""
        self._gifts = map(Card.parse, gifts.split())
        self._plays = map(Card.parse, plays.split())

    def give(self, hand: Hand) -> list[Card]:
        """The next three gifts."""
        return [next(self._gifts) for _ in "123"]

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """The next card."""
        return next(self._plays)


class Deal(NamedTuple):
    """A pack that was dealt to three: the hands by seat, and the card left over."""

    hands: list[Hand]
    hidden: Card


def score_table(scores: Sequence[int], totals: Sequence[int]) -> list[str]:
    """The five lines that show everybody's points in this deal and in all deals."""
    raise NotImplementedError("Task 1: Add up the points")


def verdict(totals: Sequence[int]) -> str:
    """The line that tells who has the fewest points, alone or together."""
    raise NotImplementedError("Task 1: Add up the points")


def shuffled_deals(seed: float) -> Iterator[Deal]:
    """Deal after deal without an end; the seed decides them all."""
    raise NotImplementedError("Task 2: Deal to three")


def ask_until(talk: Talk, prompt: str, read: Callable[[str], Answer]) -> Answer:
    """What `read` makes of the answer, without blanks around it.

    As long as it raises a ValueError, its text is said, and the question asked again.
    """
    raise NotImplementedError("Task 3: Ask again")


def read_number(text: str, kind: Callable[[str], Number], least: int, most: int) -> Number:
    """The number of that kind within the limits; raises ValueError for all else."""
    raise NotImplementedError("Task 3: Ask again")


def ask_limit(talk: Talk) -> int:
    """The points to play to."""
    raise NotImplementedError("Task 3: Ask again")


def ask_seed(talk: Talk) -> float:
    """The number that decides the deals."""
    raise NotImplementedError("Task 3: Ask again")


def read_card(text: str) -> Card:
    """The card of that name; raises ValueError, in the program's words, if there is none."""
    raise NotImplementedError("Task 4: Play a card")


def read_play(text: str, turn: Turn) -> Card:
    """The card of that name, to be played; raises ValueError with the first complaint about it."""
    raise NotImplementedError("Task 4: Play a card")


def read_gift(text: str, hand: Hand) -> Card:
    """The card of that name, to be given away; raises ValueError with the first complaint."""
    raise NotImplementedError("Task 5: Give three cards")


class Person:
    """YOU: a player who is asked."""

    def __init__(self, talk: Talk) -> None:
        """A player who is asked in that talk."""
        raise NotImplementedError("Task 4: Play a card")

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """The card that is typed; asks until it may be played."""
        raise NotImplementedError("Task 4: Play a card")

    def give(self, hand: Hand) -> list[Card]:
        """The three cards that are typed, all of them different and of this hand."""
        raise NotImplementedError("Task 5: Give three cards")


class Table:
    """A deal that is played out, trick by trick."""

    def __init__(self, talk: Talk, players: Sequence[Player], deal: Deal) -> None:
        """A table with these players, whose cards have been passed."""
        raise NotImplementedError("Task 6: Play seventeen tricks")

    def play_out(self) -> list[int]:
        """Play until all points are taken; returns everybody's."""
        raise NotImplementedError("Task 6: Play seventeen tricks")


def play_tricks(talk: Talk, players: Sequence[Player], deal: Deal) -> list[int]:
    """Play a deal whose cards have been passed; returns everybody's points, by seat."""
    raise NotImplementedError("Task 6: Play seventeen tricks")


def show_hand(talk: Talk, hand: Hand) -> None:
    """Show the user's cards."""
    raise NotImplementedError("Task 6: Play seventeen tricks")


def exchange(hands: Sequence[Hand], gifts: Sequence[Sequence[Card]]) -> list[Hand]:
    """New hands, after each seat's gifts have gone to the left, all at the same time."""
    raise NotImplementedError("Task 5: Give three cards")


def play_deal(talk: Talk, players: Sequence[Player], deal: Deal) -> list[int]:
    """Play a deal from its shuffling to its last trick; returns everybody's points, by seat."""
    raise NotImplementedError("Task 7: Pass and play")


def play_game(talk: Talk, players: Sequence[Player], deals: Iterable[Deal], limit: int) -> None:
    """Play deal after deal, up to the one after which somebody has as many points as the limit."""
    raise NotImplementedError("Task 8: Run the program")


def main(
    talk: Talk,
    opponents: Sequence[Player] | None = None,
    deals: Iterable[Deal] | None = None,
) -> int:
    """Run the program; returns its exit status. Computers and shuffled deals come unless given."""
    raise NotImplementedError("Task 8: Run the program")


class Computer:
    """An opponent who gives trouble away as soon as may be, and takes none if it can be helped."""

    def give(self, hand: Hand) -> list[Card]:
        """The three most dangerous cards."""
        raise NotImplementedError("Task 9: Play quite well")

    def play(self, turn: Turn, seen: Sequence[Card]) -> Card:
        """The most dangerous card that does not take the trick; or else, the least dangerous."""
        raise NotImplementedError("Task 9: Play quite well")


def danger(card: Card) -> tuple[int, Rank]:
    """How dearly one wants to be rid of the card: the greater, the more."""
    raise NotImplementedError("Task 9: Play quite well")


if __name__ == "__main__":
    sys.exit(main(Terminal()))
