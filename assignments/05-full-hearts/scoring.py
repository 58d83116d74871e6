"""Scoring: what a deal costs under a rule book, the score sheet, and playing for chips.

    taken     the cards of all tricks that each seat has taken in a deal, seat 0's first
    costs     what these cards cost each seat; the moon is ignored
    scores    what is written down for the deal: the costs, unless a player shoots the moon
    totals    the sum of all scores of a game so far, one for each seat
    moon      taking all 26 points of a deal
    sun       taking all its tricks as well
    stake     what the moon or the sun is worth: 26 or 52
    takers    a function that says which seats take a pot of chips

`lowest` and `spotless` are two such functions.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, TypeVar

from cards import Card
from legal import Rules
from rulebook import SEATS, Book

T = TypeVar("T")

MOON = 26
SUN = 52
NO_TOTALS = tuple(0 for _ in SEATS)


def costs(taken: Sequence[Iterable[Card]], rules: Rules) -> list[int]:
    """Return what the cards of each seat cost."""
    raise NotImplementedError("Task 3: Score the moon and the sun")


def charge_others(shooter: int, stake: int) -> list[int]:
    """Return the scores if all seats but the shooter are charged the stake."""
    raise NotImplementedError("Task 3: Score the moon and the sun")


def reward_shooter(shooter: int, stake: int) -> list[int]:
    """Return the scores if the stake is taken off the shooter."""
    raise NotImplementedError("Task 3: Score the moon and the sun")


def deal_scores(
    taken: Sequence[Sequence[Card]], book: Book, totals: Sequence[int] = NO_TOTALS
) -> list[int]:
    """Return the scores of a deal that has been played out.

    Only under `Moon.EITHER` do the totals before the deal matter.
    """
    raise NotImplementedError("Task 3: Score the moon and the sun")


def all_but(seat: int, things: Iterable[T]) -> list[T]:
    """Return the things of all the other seats; `things` has one for each seat."""
    raise NotImplementedError("Task 3: Score the moon and the sun")


def backfires(shooter: int, stake: int, totals: Sequence[int], limit: int) -> bool:
    """Return whether charging the others ends the game, but not as a win for the shooter alone."""
    raise NotImplementedError("Task 4: Shoot with care")


def deal_sums(book: Book) -> set[int]:
    """Return all numbers to which the scores of a deal can add up under this book."""
    raise NotImplementedError("Task 5: Keep the score sheet")


def fewest(points: Sequence[int]) -> list[int]:
    """Return the seats with the fewest of these points, in order."""
    raise NotImplementedError("Task 5: Keep the score sheet")


class ScoreSheet:
    """The score sheet of a game: a column for each player, a row for each deal."""

    def __init__(self, names: Sequence[str], book: Book) -> None:
        """Make an empty sheet for players with these names, seat 0's first."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    @property
    def names(self) -> list[str]:
        """The players' names, one for each seat."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    @property
    def rows(self) -> list[list[int]]:
        """The scores of each deal so far, four in each row."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    @property
    def totals(self) -> list[int]:
        """The sum of all scores so far, one for each seat."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    @property
    def running(self) -> list[list[int]]:
        """The totals after each deal, four in each row."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    def enter(self, scores: Sequence[int]) -> None:
        """Write down the scores of a deal.

        Raise ValueError if there is not one for each player, or if no deal adds up to their sum.
        """
        raise NotImplementedError("Task 5: Keep the score sheet")

    def is_over(self) -> bool:
        """Return whether a player's total has reached the book's limit."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    def winners(self) -> list[int]:
        """Return the seats with the lowest total, in order."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    def show(self) -> str:
        """Return the sheet as a text: the names, and below them the totals after each deal."""
        raise NotImplementedError("Task 5: Keep the score sheet")


def right(entry: str | int, width: int) -> str:
    """Return the entry, right-aligned in a column of this width."""
    raise NotImplementedError("Task 5: Keep the score sheet")


Takers: TypeAlias = Callable[[Sequence[int]], list[int]]


def lowest(costs: Sequence[int]) -> list[int]:
    """Return who takes the pot in the common game: the seats whose cards cost the least."""
    raise NotImplementedError("Task 6: Play for chips")


def spotless(costs: Sequence[int]) -> list[int]:
    """Return who takes the pot in Sweepstakes: the seats whose cards cost nothing, if any."""
    raise NotImplementedError("Task 6: Play for chips")


class Chips:
    """The chips that the players hold, and those in the pot; no chip is ever lost."""

    def __init__(self, held: Sequence[int], takers: Takers) -> None:
        """Begin with these chips for each seat; `takers` says who takes the pot."""
        raise NotImplementedError("Task 6: Play for chips")

    @property
    def held(self) -> list[int]:
        """The chips that each seat holds now; a number below zero is a debt."""
        raise NotImplementedError("Task 6: Play for chips")

    @property
    def pot(self) -> int:
        """The chips in the pot."""
        raise NotImplementedError("Task 6: Play for chips")

    def settle(self, costs: Sequence[int]) -> None:
        """Let every seat pay its costs, and the takers share the pot; odd chips stay in it."""
        raise NotImplementedError("Task 6: Play for chips")
