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
from typing import TypeAlias

from cards import Card
from legal import Rules, points
from rulebook import SEATS, Book, Moon

MOON = 26
SUN = 52


def costs(taken: Sequence[Iterable[Card]], rules: Rules) -> list[int]:
    """What the cards that each seat has taken cost it."""
    charged = []
    for pile in taken:
        total = 0
        for card in pile:
            total += points(card, rules)
        charged.append(total)
    return charged


def deal_scores(
    taken: Sequence[Sequence[Card]], book: Book, totals: Sequence[int] = (0, 0, 0, 0)
) -> list[int]:
    """What each seat is charged for a deal that has been played out.

    The totals before the deal matter to few rule books.
    """
    charged = costs(taken, book.play)
    if book.moon == Moon.NOTHING or MOON not in charged:
        return charged
    shooter = charged.index(MOON)
    stake = MOON
    if book.sun and _took_alone(shooter, taken):
        stake = SUN
    moon = book.moon
    if moon == Moon.EITHER:
        bad_shot = backfires(shooter, stake, totals, book.limit)
        moon = Moon.SHOOTER if bad_shot else Moon.OTHERS
    for_shooter, for_others = _shares(moon, stake)
    return _all_but(shooter, for_shooter, for_others)


def _took_alone(seat: int, taken: Sequence[Sequence[Card]]) -> bool:
    """Has no other seat taken a card?"""
    return all(len(pile) == 0 for other, pile in enumerate(taken) if other != seat)


def _shares(moon: Moon, stake: int) -> tuple[int, int]:
    """What the shooter is charged, and what each of the others, by this one way to score a moon."""
    if moon == Moon.SHOOTER:
        return -stake, 0
    return 0, stake


def _all_but(seat: int, own: int, others: int) -> list[int]:
    """Four numbers: `own` for the seat, and `others` for all but the seat."""
    numbers = [others] * len(SEATS)
    numbers[seat] = own
    return numbers


def _best(totals: Sequence[int]) -> list[int]:
    """The places of the lowest of these numbers, in order."""
    least = min(totals)
    return [seat for seat, total in enumerate(totals) if total == least]


def _reached(totals: Sequence[int], limit: int) -> bool:
    """Is one of the totals equal to the limit or above it?"""
    return max(totals) >= limit


def backfires(shooter: int, stake: int, totals: Sequence[int], limit: int) -> bool:
    """Would charging the others the stake end the game, and not with the shooter as only winner?"""
    after = []
    for before, charge in zip(totals, _all_but(shooter, 0, stake), strict=True):
        after.append(before + charge)
    return _reached(after, limit) and _best(after) != [shooter]


def deal_sums(book: Book) -> set[int]:
    """All that the scores of a deal can add up to under this book: what a sheet is checked by."""
    sums = {MOON}  # nobody shot anything, so all points are somebody's
    if book.moon == Moon.NOTHING:
        return sums
    ways = [book.moon]
    if book.moon == Moon.EITHER:
        ways = [Moon.SHOOTER, Moon.OTHERS]
    stakes = [MOON]
    if book.sun:
        stakes.append(SUN)
    for way in ways:
        for stake in stakes:
            for_shooter, for_others = _shares(way, stake)
            sums.add(for_shooter + for_others * (len(SEATS) - 1))
    return sums


class ScoreSheet:
    """The sheet on which a game is scored: a column for each player, a row for each deal."""

    def __init__(self, names: Sequence[str], book: Book) -> None:
        """An empty sheet for the players of these names, seat 0's first."""
        self._names = tuple(names)
        self._book = book
        self._columns: list[list[int]] = [[] for _ in SEATS]

    @property
    def names(self) -> list[str]:
        """The players' names, by seat."""
        return list(self._names)

    @property
    def rows(self) -> list[list[int]]:
        """The scores of each deal so far, by seat."""
        return [list(row) for row in zip(*self._columns, strict=True)]

    @property
    def totals(self) -> list[int]:
        """The sum of all scores so far, by seat."""
        return [sum(column) for column in self._columns]

    @property
    def running(self) -> list[list[int]]:
        """The totals as they were after each deal, by seat."""
        grown = [accumulate(column) for column in self._columns]
        return [list(row) for row in zip(*grown, strict=True)]

    def enter(self, scores: Sequence[int]) -> None:
        """Write down the scores of a deal.

        Raises ValueError if that is not one for each player, or adds up to what no deal does.
        """
        scores = list(scores)
        if len(scores) != len(SEATS):
            raise ValueError(f"{scores} is not a score for each of {len(SEATS)} players")
        for score in scores:
            if not isinstance(score, int | float):
                raise ValueError(f"{score!r} is not a number")
        if sum(scores) not in deal_sums(self._book):
            raise ValueError(f"{scores} adds up to {sum(scores)}: count again")
        for column, score in zip(self._columns, scores, strict=True):
            column.append(score)

    def is_over(self) -> bool:
        """Has somebody reached the book's limit?"""
        return _reached(self.totals, self._book.limit)

    def winners(self) -> list[int]:
        """The seats with the lowest total, in order."""
        return _best(self.totals)

    def show(self) -> str:
        """The sheet as people keep it: the names, and under them the totals after each deal."""
        columns = []
        for name, scores in zip(self._names, self._columns, strict=True):
            entries = [name]
            for total in accumulate(scores):
                entries.append(str(total))
            width = max(map(len, entries))
            columns.append([entry.rjust(width) for entry in entries])
        lines = []
        for entries in zip(*columns, strict=True):
            lines.append("  ".join(entries).rstrip(" "))
        return "\n".join(lines)


Takers: TypeAlias = Callable[[Sequence[int]], list[int]]


def lowest(costs: Sequence[int]) -> list[int]:
    """Who takes the pot in a common game: the seats whose cards cost least."""
    return _best(costs)


def spotless(costs: Sequence[int]) -> list[int]:
    """Who takes the pot in Sweepstakes: the seats whose cards cost nothing, if any."""
    seats = []
    for seat, cost in enumerate(costs):
        if cost == 0:
            seats.append(seat)
    return seats


class Chips:
    """What the players hold in chips, and what lies in the pot; not a chip is ever lost."""

    def __init__(self, held: Sequence[int], takers: Takers) -> None:
        """The chips that each seat begins with, and the rule that says who takes the pot."""
        self._held = dict(enumerate(held))
        self._all = sum(held)
        self._takers = takers

    @property
    def held(self) -> list[int]:
        """The chips that each seat holds; below zero, what it owes."""
        return list(self._held.values())

    @property
    def pot(self) -> int:
        """The chips that lie in the pot, for the next deal: all that nobody holds."""
        return self._all - sum(self._held.values())

    def settle(self, costs: Sequence[int]) -> None:
        """Everybody pays what their cards cost, and who takes the pot shares it; odd chips stay."""
        seats = self._takers(list(costs))
        for seat, cost in enumerate(costs):
            self._held[seat] -= cost
        if seats:
            share = self.pot // len(seats)
            for seat in seats:
                self._held[seat] += share
