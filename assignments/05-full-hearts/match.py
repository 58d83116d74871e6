"""A match: one deal after the other, passed and played by a rule book, until somebody has enough.

    FullDeal    one pack that was dealt to four players: cards are passed, then played, one by one
    Phase       what a deal is waiting for: cards to pass, a card to play, or nothing more
    Trick       four cards that were played, and who led them
    Match       the deals of a game, and its score sheet

Nothing is printed and nobody is asked. Whoever shows a deal on a screen finds here all that there
is to show, and hands in what a player has chosen by `give` and `play`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from random import Random

from cards import Card, Hand
from legal import Turn, winner
from rulebook import Book, Pass
from scoring import NO_TOTALS, ScoreSheet

NAMES = ("North", "East", "South", "West")


class Phase(Enum):
    """What a deal is waiting for."""

    PASSING = auto()
    PLAYING = auto()
    OVER = auto()


@dataclass(frozen=True)
class Trick:
    """A full trick: the seat that led, and the cards in the order in which they were played."""

    leader: int
    cards: tuple[Card, ...]

    @property
    def taker(self) -> int:
        """The seat that takes the trick."""
        return winner(self.cards, self.leader)


class FullDeal:
    """One pack that was dealt to four players, is passed by a rule book and played out by it."""

    def __init__(self, hands: Iterable[Hand], book: Book, direction: Pass = Pass.HOLD) -> None:
        """A deal of copies of these four hands, seat 0's first, before cards are passed."""
        raise NotImplementedError("Task 7: Pass in a deal")

    @property
    def direction(self) -> Pass:
        """Which way cards are passed in this deal."""
        raise NotImplementedError("Task 7: Pass in a deal")

    @property
    def phase(self) -> Phase:
        """What the deal is waiting for."""
        raise NotImplementedError("Task 7: Pass in a deal")

    @property
    def still_to_pass(self) -> list[int]:
        """The seats that must still choose cards to pass, in order."""
        raise NotImplementedError("Task 7: Pass in a deal")

    def hand(self, seat: int) -> list[Card]:
        """The cards that the seat holds. Chosen ones are among them until all seats have chosen."""
        raise NotImplementedError("Task 7: Pass in a deal")

    def give(self, seat: int, cards: Sequence[Card]) -> None:
        """Choose the cards that the seat passes. When all seats have chosen, the cards move.

        Raises IllegalPass, and changes nothing, if the seat may not pass these cards now.
        """
        raise NotImplementedError("Task 7: Pass in a deal")

    def received(self, seat: int) -> list[Card]:
        """The cards that were passed to the seat; none before the cards have moved."""
        raise NotImplementedError("Task 7: Pass in a deal")

    @property
    def leader(self) -> int | None:
        """The seat that has led to the trick on the table, or is to lead; None unless one plays."""
        raise NotImplementedError("Task 8: Play the deal")

    @property
    def turn(self) -> int | None:
        """The seat whose turn it is to play; None unless one plays."""
        raise NotImplementedError("Task 8: Play the deal")

    @property
    def trick(self) -> list[Card]:
        """The cards on the table, in the order in which they were played."""
        raise NotImplementedError("Task 8: Play the deal")

    @property
    def tricks(self) -> list[Trick]:
        """The full tricks so far, in order."""
        raise NotImplementedError("Task 8: Play the deal")

    @property
    def hearts_broken(self) -> bool:
        """Have the cards that were played so far broken hearts?"""
        raise NotImplementedError("Task 8: Play the deal")

    def view(self) -> Turn:
        """What the player whose turn it is may know. Raises ValueError unless one plays."""
        raise NotImplementedError("Task 8: Play the deal")

    def legal_plays(self) -> list[Card]:
        """The cards that may be played now; none unless one plays."""
        raise NotImplementedError("Task 8: Play the deal")

    def play(self, card: Card) -> int | None:
        """Play the card for the seat whose turn it is; returns who takes the trick if it is full.

        Raises ValueError, and changes nothing, if the card may not be played now: IllegalPlay if
        it is for a rule of play.
        """
        raise NotImplementedError("Task 8: Play the deal")

    def taken(self, seat: int) -> list[Card]:
        """The cards of all tricks that the seat has taken."""
        raise NotImplementedError("Task 8: Play the deal")

    def costs(self) -> list[int]:
        """What the cards cost that each seat has taken so far, with no regard to the moon."""
        raise NotImplementedError("Task 8: Play the deal")

    def scores(self, totals: Sequence[int] = NO_TOTALS) -> list[int]:
        """What each seat is charged, given the totals before the deal.

        Raises ValueError before the deal is over.
        """
        raise NotImplementedError("Task 8: Play the deal")


class Match:
    """Deals by one rule book until somebody reaches its limit, and the sheet they are scored on."""

    def __init__(self, book: Book, names: Sequence[str] = NAMES) -> None:
        """A match by this book, of the players of these names, seat 0's first."""
        raise NotImplementedError("Task 9: Play a match")

    @property
    def book(self) -> Book:
        """The rule book."""
        raise NotImplementedError("Task 9: Play a match")

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet of all deals that are finished."""
        raise NotImplementedError("Task 9: Play a match")

    @property
    def deal(self) -> FullDeal | None:
        """The deal that has been started and not yet finished."""
        raise NotImplementedError("Task 9: Play a match")

    def start(self, hands: Iterable[Hand]) -> FullDeal:
        """The next deal, of these hands.

        Raises ValueError if another deal is not finished, or the match is over.
        """
        raise NotImplementedError("Task 9: Play a match")

    def start_shuffled(self, chance: int | Random) -> FullDeal:
        """The next deal, of a full pack that only `chance` has shuffled: a seed, or a generator.

        Seat 0 deals first, and the deal goes round clockwise.
        """
        raise NotImplementedError("Task 9: Play a match")

    def finish(self) -> list[int]:
        """Enter the scores of the deal that has been played out on the sheet, and return them.

        Raises ValueError if no deal was started, or it is not over.
        """
        raise NotImplementedError("Task 9: Play a match")

    def is_over(self) -> bool:
        """Has somebody reached the book's limit?"""
        raise NotImplementedError("Task 9: Play a match")

    def winners(self) -> list[int]:
        """The seats with the lowest total, in order."""
        raise NotImplementedError("Task 9: Play a match")
