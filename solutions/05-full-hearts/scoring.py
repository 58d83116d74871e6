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
    """Return what the cards of each seat cost."""
    return [sum(points(card, rules) for card in cards) for cards in taken]


def charge_others(shooter: int, stake: int) -> list[int]:
    """Return the scores if all seats but the shooter are charged the stake."""
    return [0 if seat == shooter else stake for seat in SEATS]


def reward_shooter(shooter: int, stake: int) -> list[int]:
    """Return the scores if the stake is taken off the shooter."""
    return [-stake if seat == shooter else 0 for seat in SEATS]


def deal_scores(
    taken: Sequence[Sequence[Card]], book: Book, totals: Sequence[int] = NO_TOTALS
) -> list[int]:
    """Return the scores of a deal that has been played out.

    Only under `Moon.EITHER` do the totals before the deal matter.
    """
    scores = costs(taken, book.play)
    if MOON not in scores:
        return scores
    shooter = scores.index(MOON)
    stake = SUN if book.sun and not any(all_but(shooter, taken)) else MOON
    match book.moon:
        case Moon.NOTHING:
            return scores
        case Moon.EITHER if backfires(shooter, stake, totals, book.limit):
            return reward_shooter(shooter, stake)
        case Moon.OTHERS | Moon.EITHER:
            return charge_others(shooter, stake)
        case Moon.SHOOTER:
            return reward_shooter(shooter, stake)


def all_but(seat: int, things: Iterable[T]) -> list[T]:
    """Return the things of all the other seats; `things` has one for each seat."""
    others = list(things)
    del others[seat]
    return others


# %% careful-moon
def backfires(shooter: int, stake: int, totals: Sequence[int], limit: int) -> bool:
    """Return whether charging the others ends the game, but not as a win for the shooter alone."""
    others = [total + stake for total in all_but(shooter, totals)]
    return max(others) >= limit and min(others) <= totals[shooter]


# %% score-sheet
def deal_sums(book: Book) -> set[int]:
    """Return all numbers to which the scores of a deal can add up under this book."""
    stakes = (MOON, SUN) if book.sun else (MOON,)
    charged = {sum(charge_others(SEATS[0], stake)) for stake in stakes}
    rewarded = {sum(reward_shooter(SEATS[0], stake)) for stake in stakes}
    match book.moon:
        case Moon.NOTHING:
            return {MOON}
        case Moon.OTHERS:
            return {MOON, *charged}
        case Moon.SHOOTER:
            return {MOON, *rewarded}
        case Moon.EITHER:
            return {MOON, *charged, *rewarded}


def fewest(points: Sequence[int]) -> list[int]:
    """Return the seats with the fewest of these points, in order."""
    return [seat for seat, number in enumerate(points) if number == min(points)]


class ScoreSheet:
    """The score sheet of a game: a column for each player, a row for each deal."""

    def __init__(self, names: Sequence[str], book: Book) -> None:
        """Make an empty sheet for players with these names, seat 0's first."""
        self._names = list(names)
        self._book = book
        self._rows: list[list[int]] = []

    @property
    def names(self) -> list[str]:
        """The players' names, one for each seat."""
        return list(self._names)

    @property
    def rows(self) -> list[list[int]]:
        """The scores of each deal so far, four in each row."""
        return [list(row) for row in self._rows]

    @property
    def totals(self) -> list[int]:
        """The sum of all scores so far, one for each seat."""
        *_, totals = self._history()
        return totals

    @property
    def running(self) -> list[list[int]]:
        """The totals after each deal, four in each row."""
        _, *running = self._history()
        return running

    def enter(self, scores: Sequence[int]) -> None:
        """Write down the scores of a deal.

        Raise ValueError if there is not one for each player, or if no deal adds up to their sum.
        """
        if len(scores) != len(self._names):
            raise ValueError(f"{len(scores)} scores for {len(self._names)} players")
        if sum(scores) not in deal_sums(self._book):
            raise ValueError(f"{list(scores)} adds up to {sum(scores)}: count again")
        self._rows.append(list(scores))

    def is_over(self) -> bool:
        """Return whether a player's total has reached the book's limit."""
        return max(self.totals) >= self._book.limit

    def winners(self) -> list[int]:
        """Return the seats with the lowest total, in order."""
        return fewest(self.totals)

    def show(self) -> str:
        """Return the sheet as a text: the names, and below them the totals after each deal."""
        lines = [self._names, *self.running]
        columns = [[str(line[seat]) for line in lines] for seat in SEATS]
        widths = [max(map(len, column)) for column in columns]
        return "\n".join("  ".join(map(right, line, widths)) for line in lines)

    def _history(self) -> list[list[int]]:
        """Return the totals before the first deal, and after each one."""
        return list(accumulate(self._rows, self._add, initial=list(NO_TOTALS)))

    def _add(self, totals: Sequence[int], scores: Sequence[int]) -> list[int]:
        """Return the totals after a deal with these scores."""
        return list(map(add, totals, scores))


def right(entry: str | int, width: int) -> str:
    """Return the entry, right-aligned in a column of this width."""
    return str(entry).rjust(width)


# %% chips
Takers: TypeAlias = Callable[[Sequence[int]], list[int]]


def lowest(costs: Sequence[int]) -> list[int]:
    """Return who takes the pot in the common game: the seats whose cards cost the least."""
    return fewest(costs)


def spotless(costs: Sequence[int]) -> list[int]:
    """Return who takes the pot in Sweepstakes: the seats whose cards cost nothing, if any."""
    return [seat for seat, cost in enumerate(costs) if not cost]


class Chips:
    """The chips that the players hold, and those in the pot; no chip is ever lost."""

    def __init__(self, held: Sequence[int], takers: Takers) -> None:
        """Begin with these chips for each seat; `takers` says who takes the pot."""
        self._held = list(held)
        self._takers = takers
        self._pot = 0

    @property
    def held(self) -> list[int]:
        """The chips that each seat holds now; a number below zero is a debt."""
        return list(self._held)

    @property
    def pot(self) -> int:
        """The chips in the pot."""
        return self._pot

    def settle(self, costs: Sequence[int]) -> None:
        """Let every seat pay its costs, and the takers share the pot; odd chips stay in it."""
        for seat, cost in enumerate(costs):
            self._held[seat] -= cost
        self._pot += sum(costs)
        takers = self._takers(costs)
        if takers:
            share, self._pot = divmod(self._pot, len(takers))
            for seat in takers:
                self._held[seat] += share
