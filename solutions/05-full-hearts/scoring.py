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
from itertools import accumulate
from operator import add
from typing import TypeAlias, TypeVar

from cards import Card
from legal import Rules, points
from rulebook import SEATS, Book, Moon

T = TypeVar("T")

MOON = 26
SUN = 52
NO_TOTALS = tuple(0 for _ in SEATS)


# %% moon-and-sun
def costs(taken: Sequence[Iterable[Card]], rules: Rules) -> list[int]:
    """What the cards that each seat has taken cost it."""
    return [sum(points(card, rules) for card in cards) for cards in taken]


def charge_others(shooter: int, stake: int) -> list[int]:
    """The scores where all but the shooter are charged the stake."""
    return [0 if seat == shooter else stake for seat in SEATS]


def reward_shooter(shooter: int, stake: int) -> list[int]:
    """The scores where the shooter gets the stake off."""
    return [-stake if seat == shooter else 0 for seat in SEATS]


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
    scores, ways = costs(taken, book.play), WAYS[book.moon]
    if MOON not in scores or not ways:
        return scores
    shooter = scores.index(MOON)
    stake = SUN if book.sun and not any(all_but(shooter, taken)) else MOON
    spoiled = backfires(shooter, stake, totals, book.limit)
    way = ways[-1] if spoiled else ways[0]
    return way(shooter, stake)


def all_but(seat: int, things: Iterable[T]) -> list[T]:
    """Of things by seat, those of all the other seats."""
    others = list(things)
    del others[seat]
    return others


# %% careful-moon
def backfires(shooter: int, stake: int, totals: Sequence[int], limit: int) -> bool:
    """Would charging the others the stake end the game, and not with the shooter as only winner?"""
    others = [total + stake for total in all_but(shooter, totals)]
    return max(others) >= limit and min(others) <= totals[shooter]


# %% score-sheet
def deal_sums(book: Book) -> set[int]:
    """All that the scores of a deal can add up to under this book: what a sheet is checked by."""
    stakes = (MOON, SUN) if book.sun else (MOON,)
    return {MOON, *(sum(way(SEATS[0], stake)) for way in WAYS[book.moon] for stake in stakes)}


def fewest(points: Sequence[int]) -> list[int]:
    """The seats that have the fewest of these points, in order."""
    return [seat for seat, number in enumerate(points) if number == min(points)]


class ScoreSheet:
    """The sheet on which a game is scored: a column for each player, a row for each deal."""

    def __init__(self, names: Sequence[str], book: Book) -> None:
        """An empty sheet for the players of these names, seat 0's first."""
        self._names = list(names)
        self._book = book
        self._rows: list[list[int]] = []

    @property
    def names(self) -> list[str]:
        """The players' names, by seat."""
        return list(self._names)

    @property
    def rows(self) -> list[list[int]]:
        """The scores of each deal so far, by seat."""
        return [list(row) for row in self._rows]

    @property
    def totals(self) -> list[int]:
        """The sum of all scores so far, by seat."""
        *_, totals = self._history()
        return totals

    @property
    def running(self) -> list[list[int]]:
        """The totals as they were after each deal, by seat."""
        _, *running = self._history()
        return running

    def enter(self, scores: Sequence[int]) -> None:
        """Write down the scores of a deal.

        Raises ValueError if that is not one for each player, or adds up to what no deal does.
        """
        if len(scores) != len(self._names):
            raise ValueError(f"{len(scores)} scores for {len(self._names)} players")
        if sum(scores) not in deal_sums(self._book):
            raise ValueError(f"{list(scores)} adds up to {sum(scores)}: count again")
        self._rows.append(list(scores))

    def is_over(self) -> bool:
        """Has somebody reached the book's limit?"""
        return max(self.totals) >= self._book.limit

    def winners(self) -> list[int]:
        """The seats with the lowest total, in order."""
        return fewest(self.totals)

    def show(self) -> str:
        """The sheet as people keep it: the names, and under them the totals after each deal."""
        lines = [self._names, *self.running]
        columns = [[str(line[seat]) for line in lines] for seat in SEATS]
        widths = [max(map(len, column)) for column in columns]
        return "\n".join("  ".join(map(right, line, widths)) for line in lines)

    def _history(self) -> list[list[int]]:
        """The totals before the first deal, and after each one."""
        return list(accumulate(self._rows, self._add, initial=list(NO_TOTALS)))

    def _add(self, totals: Sequence[int], scores: Sequence[int]) -> list[int]:
        """The totals after a deal with these scores."""
        return list(map(add, totals, scores))


def right(entry: str | int, width: int) -> str:
    """The entry at the right of a column of that width."""
    return str(entry).rjust(width)


# %% chips
Takers: TypeAlias = Callable[[Sequence[int]], list[int]]


def lowest(costs: Sequence[int]) -> list[int]:
    """Who takes the pot in a common game: the seats whose cards cost least."""
    return fewest(costs)


def spotless(costs: Sequence[int]) -> list[int]:
    """Who takes the pot in Sweepstakes: the seats whose cards cost nothing, if any."""
    return [seat for seat, cost in enumerate(costs) if not cost]


class Chips:
    """What the players hold in chips, and what lies in the pot; not a chip is ever lost."""

    def __init__(self, held: Sequence[int], takers: Takers) -> None:
        """The chips that each seat begins with, and the rule that says who takes the pot."""
        self._held = list(held)
        self._takers = takers
        self._pot = 0

    @property
    def held(self) -> list[int]:
        """The chips that each seat holds; below zero, what it owes."""
        return list(self._held)

    @property
    def pot(self) -> int:
        """The chips that lie in the pot, for the next deal."""
        return self._pot

    def settle(self, costs: Sequence[int]) -> None:
        """Everybody pays what their cards cost, and who takes the pot shares it; odd chips stay."""
        for seat, cost in enumerate(costs):
            self._held[seat] -= cost
        self._pot += sum(costs)
        takers = self._takers(costs)
        if takers:
            share, self._pot = divmod(self._pot, len(takers))
            for seat in takers:
                self._held[seat] += share
