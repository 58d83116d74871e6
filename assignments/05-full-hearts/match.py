"""A match: deal after deal, passed and played by a rule book, until a player reaches its limit.

    FullDeal    one pack that was dealt to four players: first cards are passed, then played
    Phase       what a deal is waiting for: cards to pass, a card to play, or nothing more
    Passing     the first half of a deal: what each seat has chosen to pass
    Playing     the second half of a deal: hands, the trick on the table, the full tricks
    Trick       four cards that were played, and who led them
    Match       the deals of a game, and its score sheet

Nothing is printed and nobody is asked. A program that shows a deal finds here everything it can
show, and calls `give` and `play` with what a player has chosen.
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


class Passing:
    """What each seat has chosen to pass; in a hold, all have chosen nothing from the start."""


class Playing:
    """Hands that are played out, trick by trick."""


class FullDeal:
    """One pack that was dealt to four players, to be passed and played by a rule book."""

    def __init__(self, hands: Iterable[Hand], book: Book, direction: Pass = Pass.HOLD) -> None:
        """Begin with copies of these four hands, seat 0's first, before cards are passed."""
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
        """Return the cards that the seat holds; chosen cards stay until all seats have chosen."""
        raise NotImplementedError("Task 7: Pass in a deal")

    def give(self, seat: int, cards: Sequence[Card]) -> None:
        """Choose the cards that the seat passes; when all seats have chosen, the cards move.

        Raise IllegalPass, and change nothing, if the seat may not pass these cards now.
        """
        raise NotImplementedError("Task 7: Pass in a deal")

    def received(self, seat: int) -> list[Card]:
        """Return the cards that were passed to the seat; none before the cards have moved."""
        raise NotImplementedError("Task 7: Pass in a deal")

    @property
    def leader(self) -> int | None:
        """The seat that leads, or has led, the trick on the table; None unless PLAYING."""
        raise NotImplementedError("Task 8: Play the deal")

    @property
    def turn(self) -> int | None:
        """The seat that plays the next card; None unless PLAYING."""
        raise NotImplementedError("Task 8: Play the deal")

    @property
    def trick(self) -> list[Card]:
        """The cards on the table, in the order in which they were played."""
        raise NotImplementedError("Task 8: Play the deal")

    @property
    def tricks(self) -> list[Trick]:
        """The full tricks so far, in order."""
        raise NotImplementedError("Task 8: Play the deal")

    def view(self) -> Turn:
        """Return what the player whose turn it is may know; raise ValueError unless PLAYING."""
        raise NotImplementedError("Task 8: Play the deal")

    def legal_plays(self) -> list[Card]:
        """Return the cards that may be played now; none unless PLAYING."""
        raise NotImplementedError("Task 8: Play the deal")

    def play(self, card: Card) -> int | None:
        """Play the card for the seat whose turn it is, and return who takes a full trick.

        Raise ValueError, and change nothing, if the card may not be played now. If a rule of play
        forbids it, the error is an IllegalPlay.
        """
        raise NotImplementedError("Task 8: Play the deal")

    def costs(self) -> list[int]:
        """Return what the cards cost that each seat has taken so far; the moon is ignored."""
        raise NotImplementedError("Task 8: Play the deal")

    def scores(self, totals: Sequence[int] = NO_TOTALS) -> list[int]:
        """Return the scores of the deal, given the totals before it.

        Raise ValueError before the deal is over.
        """
        raise NotImplementedError("Task 8: Play the deal")


class Match:
    """Deals by one rule book, scored on one sheet, until a player reaches the limit."""

    def __init__(self, book: Book, names: Sequence[str] = NAMES) -> None:
        """Begin a match by this book for players with these names, seat 0's first."""
        raise NotImplementedError("Task 9: Play a match")

    @property
    def book(self) -> Book:
        """The rule book."""
        raise NotImplementedError("Task 9: Play a match")

    @property
    def sheet(self) -> ScoreSheet:
        """The score sheet of all finished deals."""
        raise NotImplementedError("Task 9: Play a match")

    @property
    def deal(self) -> FullDeal | None:
        """The deal that was started and is not finished yet, if there is one."""
        raise NotImplementedError("Task 9: Play a match")

    def start(self, hands: Iterable[Hand]) -> FullDeal:
        """Start the next deal with these hands, and return it.

        Raise ValueError if another deal is not finished yet, or the match is over.
        """
        raise NotImplementedError("Task 9: Play a match")

    def start_shuffled(self, rng: int | Random) -> FullDeal:
        """Start the next deal with a full pack that only `rng`, a seed or a generator, shuffles.

        Seat 0 deals first; then the deal goes around clockwise.
        """
        raise NotImplementedError("Task 9: Play a match")

    def finish(self) -> list[int]:
        """Enter the scores of the deal on the sheet, and return them.

        Raise ValueError if no deal was started, or it is not over.
        """
        raise NotImplementedError("Task 9: Play a match")

    def is_over(self) -> bool:
        """Return whether a player's total has reached the book's limit."""
        raise NotImplementedError("Task 9: Play a match")

    def winners(self) -> list[int]:
        """Return the seats with the lowest total, in order."""
        raise NotImplementedError("Task 9: Play a match")
