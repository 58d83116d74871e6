"""Scoring: what a deal costs under a rule book, the sheet it is written on, and playing for chips.

    taken     the cards of all tricks that each seat has taken in a deal, seat 0's first
    costs     what these cards cost each seat, whatever else the rule book says
    scores    what is written down for the deal: the costs, unless somebody shoots the moon
    totals    the sum of all scores of a game so far, by seat
    moon      taking all 26 points of a deal
    sun       taking all its tricks as well

Who takes a pot of chips is a rule, and rules are functions: `lowest` and `spotless` are two.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, TypeVar

from cards import Card
from legal import Rules
from rulebook import SEATS, Book, Moon

T = TypeVar("T")

MOON = 26
SUN = 52
NO_TOTALS = tuple(0 for _ in SEATS)


def costs(taken: Sequence[Iterable[Card]], rules: Rules) -> list[int]:
    """What the cards that each seat has taken cost it."""
    raise NotImplementedError("Task 3: Score the moon and the sun")


def charge_others(shooter: int, stake: int) -> list[int]:
    """The scores where all but the shooter are charged the stake."""
    raise NotImplementedError("Task 3: Score the moon and the sun")


def reward_shooter(shooter: int, stake: int) -> list[int]:
    """The scores where the shooter gets the stake off."""
    raise NotImplementedError("Task 3: Score the moon and the sun")


# How each moon is scored: not at all, in one way, or in the second if the first would backfire.
WAYS = {
    Moon.NOTHING: (),
    Moon.OTHERS: (charge_others,),
    Moon.SHOOTER: (reward_shooter,),
    Moon.EITHER: (charge_others, reward_shooter),
}


def deal_scores(
    taken: Sequence[Sequence[Card]], book: Book, totals: Sequence[int] = NO_TOTALS
) -> list[int]:
    """What each seat is charged for a deal that has been played out.

    The totals before the deal matter to few rule books.
    """
    raise NotImplementedError("Task 3: Score the moon and the sun")


def all_but(seat: int, things: Iterable[T]) -> list[T]:
    """Of things by seat, those of all the other seats."""
    raise NotImplementedError("Task 3: Score the moon and the sun")


def backfires(shooter: int, stake: int, totals: Sequence[int], limit: int) -> bool:
    """Would charging the others the stake end the game, and not with the shooter as only winner?"""
    raise NotImplementedError("Task 4: Shoot with care")


def deal_sums(book: Book) -> set[int]:
    """All that the scores of a deal can add up to under this book: what a sheet is checked by."""
    raise NotImplementedError("Task 5: Keep the score sheet")


def fewest(points: Sequence[int]) -> list[int]:
    """The seats that have the fewest of these points, in order."""
    raise NotImplementedError("Task 5: Keep the score sheet")


class ScoreSheet:
    """The sheet on which a game is scored: a column for each player, a row for each deal."""

    def __init__(self, names: Sequence[str], book: Book) -> None:
        """An empty sheet for the players of these names, seat 0's first."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    @property
    def names(self) -> list[str]:
        """The players' names, by seat."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    @property
    def rows(self) -> list[list[int]]:
        """The scores of each deal so far, by seat."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    @property
    def totals(self) -> list[int]:
        """The sum of all scores so far, by seat."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    @property
    def running(self) -> list[list[int]]:
        """The totals as they were after each deal, by seat."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    def enter(self, scores: Sequence[int]) -> None:
        """Write down the scores of a deal.

        Raises ValueError if that is not one for each player, or adds up to what no deal does.
        """
        raise NotImplementedError("Task 5: Keep the score sheet")

    def is_over(self) -> bool:
        """Has somebody reached the book's limit?"""
        raise NotImplementedError("Task 5: Keep the score sheet")

    def winners(self) -> list[int]:
        """The seats with the lowest total, in order."""
        raise NotImplementedError("Task 5: Keep the score sheet")

    def show(self) -> str:
        """The sheet as people keep it: the names, and under them the totals after each deal."""
        raise NotImplementedError("Task 5: Keep the score sheet")


def right(entry: str | int, width: int) -> str:
    """The entry at the right of a column of that width."""
    raise NotImplementedError("Task 5: Keep the score sheet")


Takers: TypeAlias = Callable[[Sequence[int]], list[int]]


def lowest(costs: Sequence[int]) -> list[int]:
    """Who takes the pot in a common game: the seats whose cards cost least."""
    raise NotImplementedError("Task 6: Play for chips")


def spotless(costs: Sequence[int]) -> list[int]:
    """Who takes the pot in Sweepstakes: the seats whose cards cost nothing, if any."""
    raise NotImplementedError("Task 6: Play for chips")


class Chips:
    """What the players hold in chips, and what lies in the pot; not a chip is ever lost."""

    def __init__(self, held: Sequence[int], takers: Takers) -> None:
        """The chips that each seat begins with, and the rule that says who takes the pot."""
        raise NotImplementedError("Task 6: Play for chips")

    @property
    def held(self) -> list[int]:
        """The chips that each seat holds; below zero, what it owes."""
        raise NotImplementedError("Task 6: Play for chips")

    @property
    def pot(self) -> int:
        """The chips that lie in the pot, for the next deal."""
        raise NotImplementedError("Task 6: Play for chips")

    def settle(self, costs: Sequence[int]) -> None:
        """Everybody pays what their cards cost, and who takes the pot shares it; odd chips stay."""
        raise NotImplementedError("Task 6: Play for chips")
