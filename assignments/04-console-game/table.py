"""The table: a game of Hearts for four, from the first deal to the winners. It prints nothing.

    Seat      North, East, South or West, clockwise; also a number from 0 to 3
    Deal      one pack, dealt and played card by card: the turn, the trick, hands and cards taken
    scores    the points of one deal, a list by seat
    totals    the points of all deals so far, a list by seat
    View      what a player may know when it is their turn
    Player    anything that can choose a card: a person, a Bot, or cards that a test has prepared
    Event     something that everybody at the table sees; `str(event)` is a sentence about it

The game yields events and does not know who reads them. So a terminal can print the same game, a
window can draw it, and a test can play it a thousand times.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from random import Random
from typing import Protocol

from cards import Card, Hand
from legal import CIT590, DYNACOMP, ESTELL, HEART, Rules, Turn, check_play, legal_plays

GAME = 100
BOOKS = {"CIT590": CIT590, "DYNACOMP": DYNACOMP, "ESTELL": ESTELL, "HEART": HEART}


class Seat(IntEnum):
    """One of the four places at the table, numbered clockwise from North."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    @property
    def word(self) -> str:
        """The seat's name, such as `North`."""
        return self.name.capitalize()

    @property
    def left(self) -> "Seat":
        """The next seat, clockwise."""
        return Seat((self + 1) % len(Seat))

    @classmethod
    def parse(cls, text: str) -> "Seat":
        """Return the seat with this name, or with this first letter, in any case.

        Raise ValueError if there is none; the message says what the text was and what is allowed.
        """
        for seat in cls:
            if text.upper() in (seat.name, seat.name[0]):
                return seat
        raise ValueError(f"{text!r} is not a seat: write North, East, South or West")


def deal_scores(taken: Sequence[Iterable[Card]], rules: Rules = CIT590) -> list[int]:
    """Return each seat's points for a deal, given the cards that each has taken, North's first.

    A seat that takes all points has shot the moon: it pays nothing, and each of the others pays all
    the points of the pack, usually 26.
    """
    raise NotImplementedError("Task 1: Score a deal")


def game_over(totals: Sequence[int]) -> bool:
    """Return whether some seat has 100 points or more."""
    raise NotImplementedError("Task 2: End the game")


def winners(totals: Sequence[int]) -> list[Seat]:
    """Return the seats with the fewest points, clockwise from North."""
    raise NotImplementedError("Task 2: End the game")


class Deal:
    """One pack that was dealt to four players and is now played, card by card."""

    def __init__(self, hands: Iterable[Hand], rules: Rules = CIT590) -> None:
        """Make a deal of copies of these four hands, North's first; the opener has the turn."""
        raise NotImplementedError("Task 3: Play a deal")

    @property
    def turn(self) -> Seat:
        """The seat whose turn it is."""
        raise NotImplementedError("Task 3: Play a deal")

    @property
    def trick(self) -> list[Card]:
        """The cards on the table, in the order in which they were played."""
        raise NotImplementedError("Task 3: Play a deal")

    def hand(self, seat: Seat) -> list[Card]:
        """Return the cards that the seat still holds, in any order."""
        raise NotImplementedError("Task 3: Play a deal")

    def taken(self, seat: Seat) -> list[Card]:
        """Return the cards of all tricks that the seat has taken, in any order."""
        raise NotImplementedError("Task 3: Play a deal")

    def play(self, card: Card) -> Seat | None:
        """Play the card for the seat whose turn it is; return who takes the trick if it is full.

        Raise ValueError if the card may not be played; then nothing changes.
        """
        raise NotImplementedError("Task 3: Play a deal")

    def is_over(self) -> bool:
        """Return whether all cards have been played."""
        raise NotImplementedError("Task 3: Play a deal")

    def scores(self) -> list[int]:
        """Return each seat's points for the cards taken so far, North's first."""
        raise NotImplementedError("Task 3: Play a deal")

    def legal_plays(self) -> list[Card]:
        """Return the cards that the seat whose turn it is may play, in any order."""
        raise NotImplementedError("Task 4: Keep to the rules")

    def view(self) -> "View":
        """Return what the player whose turn it is may know."""
        raise NotImplementedError("Task 5: Report a deal")


@dataclass(frozen=True)
class View:
    """What a player may know when it is their turn. It does not show other players' cards."""

    seat: Seat
    turn: Turn

    @property
    def hand(self) -> list[Card]:
        """The player's cards, in the order of the turn's hand."""
        return list(self.turn.hand)

    @property
    def legal(self) -> list[Card]:
        """The cards of the hand that may be played."""
        return legal_plays(self.turn)

    def check(self, card: Card) -> None:
        """Raise IllegalPlay, which says why, if the card may not be played."""
        check_play(card, self.turn)


class Player(Protocol):
    """Anything that can choose a card."""

    def choose(self, view: View) -> Card:
        """Return the card to play, one of `view.legal`."""


class Bot:
    """A computer player that plays any legal card."""

    def __init__(self, rng: Random) -> None:
        """Make a bot that draws its cards with this generator."""
        raise NotImplementedError("Task 5: Report a deal")

    def choose(self, view: View) -> Card:
        """Return one of the legal cards."""
        raise NotImplementedError("Task 5: Report a deal")


class Event:
    """Something that everybody at the table sees; `str(event)` is a sentence about it."""


class Dealt(Event):
    """The cards have been dealt."""


class Played(Event):
    """A card was played."""


class Taken(Event):
    """A full trick was taken."""


class Scored(Event):
    """A deal is over and has been scored."""


class Won(Event):
    """The game is over."""


def new_game(
    people: Mapping[Seat, Player], seed: int | None, rules: Rules = CIT590
) -> Iterator[Event]:
    """Yield the events of a game of these people, with bots in all other seats.

    A bot deals, so at least one seat must be free. The seed, if given, decides everything random.
    """
    raise NotImplementedError("Task 5: Report a deal")


def play_game(
    players: Sequence[Player], dealer: Seat, rng: Random, rules: Rules
) -> Iterator[Event]:
    """Yield the events of deal after deal, until some seat has 100 points."""
    raise NotImplementedError("Task 5: Report a deal")


def deal_hands(dealer: Seat, rng: Random) -> list[Hand]:
    """Shuffle and deal a full pack; return the hands, North's first."""
    raise NotImplementedError("Task 5: Report a deal")


def play_out(deal: Deal, players: Sequence[Player]) -> Iterator[Event]:
    """Yield the events of a deal, from the first lead to the last trick."""
    raise NotImplementedError("Task 5: Report a deal")
