"""The table: a game of Hearts for four, from the first deal to the winners. Nothing is printed.

    Seat      North, East, South or West, clockwise; as a number 0 to 3
    Deal      one pack, dealt and played out: whose turn it is, what lies there, who took what
    scores    penalty points of one deal, by seat; totals are those of all deals so far
    View      what a player may know when it is their turn
    Player    whoever chooses a card: a person, a Bot, or a list of cards that a test has prepared
    Event     something that everybody at the table sees; as a text, the sentence that tells it

The game hands out events and never asks who looks at them. So the same game can be watched in a
terminal, drawn on a screen, or played a thousand times over in a test.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from random import Random
from typing import Protocol

from cards import Card, Hand

MOON = 26
GAME = 100


class Seat(IntEnum):
    """One of the four places at the table; as a number, counted clockwise from North."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    @property
    def word(self) -> str:
        """The seat's name in a sentence, such as `North`."""
        return self.name.capitalize()

    @property
    def left(self) -> "Seat":
        """The next seat, clockwise."""
        return Seat((self + 1) % len(Seat))

    @classmethod
    def parse(cls, text: str) -> "Seat":
        """The seat that the text names, whole or by its first letter, in any case.

        Raises ValueError, naming the text and what was wanted, if it names none.
        """
        for seat in cls:
            if text.upper() in (seat.name, seat.name[0]):
                return seat
        raise ValueError(f"{text!r} is not a seat: write North, East, South or West")


def deal_scores(taken: Sequence[Iterable[Card]]) -> list[int]:
    """Each seat's points for a deal, given the cards that each has taken, North's first.

    Who takes all points has shot the moon: that costs nothing, and all others 26 each.
    """
    raise NotImplementedError("Task 1: Score a deal")


def game_over(totals: Sequence[int]) -> bool:
    """Has somebody 100 points or more?"""
    raise NotImplementedError("Task 2: End the game")


def winners(totals: Sequence[int]) -> list[Seat]:
    """The seats with the fewest points, clockwise from North."""
    raise NotImplementedError("Task 2: End the game")


class Deal:
    """One pack that was dealt to four players and is played out, card by card."""

    def __init__(self, hands: Iterable[Hand]) -> None:
        """A deal of copies of these four hands, North's first; who must open it has the turn."""
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
        """The cards that the seat still holds, in any order."""
        raise NotImplementedError("Task 3: Play a deal")

    def taken(self, seat: Seat) -> list[Card]:
        """The cards of all tricks that the seat has taken, in any order."""
        raise NotImplementedError("Task 3: Play a deal")

    def play(self, card: Card) -> Seat | None:
        """Play the card for the seat whose turn it is; returns who takes the trick if it is full.

        Raises IllegalPlay, a ValueError, if the card may not be played; then nothing changes.
        """
        raise NotImplementedError("Task 3: Play a deal")

    def is_over(self) -> bool:
        """Have all cards been played?"""
        raise NotImplementedError("Task 3: Play a deal")

    def scores(self) -> list[int]:
        """Each seat's points for the cards taken so far, North's first."""
        raise NotImplementedError("Task 3: Play a deal")

    def legal_plays(self) -> list[Card]:
        """The cards that the seat whose turn it is may play, in any order."""
        raise NotImplementedError("Task 4: Hold to the rules")

    def view(self) -> "View":
        """What the player whose turn it is may know."""
        raise NotImplementedError("Task 5: Play a whole game")


class View:
    """What the player at a seat may know when it is their turn: nobody else's cards."""


class Player(Protocol):
    """Whoever can choose a card."""

    def choose(self, view: View) -> Card:
        """The card that the player plays, one of `view.legal`."""


class Bot:
    """A computer player: any card that is allowed will do."""

    def __init__(self, chance: Random) -> None:
        """A bot that leaves its choices to that generator."""
        raise NotImplementedError("Task 5: Play a whole game")

    def choose(self, view: View) -> Card:
        """One of the legal cards."""
        raise NotImplementedError("Task 5: Play a whole game")


class Event:
    """Something that everybody at the table sees; as a text, the sentence that tells it."""


class Dealt(Event):
    """The cards have been dealt."""


class Played(Event):
    """A card lies on the table."""


class Taken(Event):
    """A trick is full and taken."""


class Scored(Event):
    """A deal is over and counted."""


class Won(Event):
    """The game is over."""


def new_game(people: Mapping[Seat, Player], seed: int | None) -> Iterator[Event]:
    """All that happens in a game of these people, with bots at all other seats.

    A bot deals, so there must be one. The seed decides all that is left to chance, if it is given.
    """
    raise NotImplementedError("Task 5: Play a whole game")


def play_game(players: Sequence[Player], dealer: Seat, chance: Random) -> Iterator[Event]:
    """All that happens until somebody has 100 points."""
    raise NotImplementedError("Task 5: Play a whole game")


def deal_hands(dealer: Seat, chance: Random) -> list[Hand]:
    """A full pack, shuffled and dealt, North's hand first."""
    raise NotImplementedError("Task 5: Play a whole game")


def play_out(deal: Deal, players: Sequence[Player]) -> Iterator[Event]:
    """All that happens from the first lead to the last trick."""
    raise NotImplementedError("Task 5: Play a whole game")
