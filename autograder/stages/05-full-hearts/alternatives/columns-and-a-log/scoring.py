"""Scoring: what a deal costs under a rule book, the score sheet, and playing for chips.

    taken     the cards of all tricks that each seat has taken in a deal, seat 0's first
    costs     what these cards cost each seat; the moon is ignored
    scores    what is written down for the deal: the costs, unless a player shoots the moon
    totals    the sum of all scores of a game so far, one for each seat
    moon      taking all 26 points of a deal
    sun       taking all its tricks as well

Functions say who takes a pot of chips: `lowest` and `spotless` are two.
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
    """Return what the cards of each seat cost."""
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
    """Return the scores of a deal that has been played out.

    Only under `Moon.EITHER` do the totals before the deal matter.
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
    """Return whether no other seat has taken a card."""
    return all(len(pile) == 0 for other, pile in enumerate(taken) if other != seat)


def _shares(moon: Moon, stake: int) -> tuple[int, int]:
    """Return the scores of the shooter and of each other seat for this way to score a moon."""
    if moon == Moon.SHOOTER:
        return -stake, 0
    return 0, stake


def _all_but(seat: int, own: int, others: int) -> list[int]:
    """Return four numbers: `own` for the seat, and `others` for the other seats."""
    numbers = [others] * len(SEATS)
    numbers[seat] = own
    return numbers


def _best(totals: Sequence[int]) -> list[int]:
    """Return the indices of the lowest of these numbers, in order."""
    least = min(totals)
    return [seat for seat, total in enumerate(totals) if total == least]


def _reached(totals: Sequence[int], limit: int) -> bool:
    """Return whether one of the totals is equal to the limit or above it."""
    return max(totals) >= limit


def backfires(shooter: int, stake: int, totals: Sequence[int], limit: int) -> bool:
    """Return whether charging the others ends the game, but not as a win for the shooter alone."""
    after = []
    for before, charge in zip(totals, _all_but(shooter, 0, stake), strict=True):
        after.append(before + charge)
    return _reached(after, limit) and _best(after) != [shooter]


def deal_sums(book: Book) -> set[int]:
    """Return all numbers to which the scores of a deal can add up under this book."""
    sums = {MOON}  # without a moon, the costs add up to all the points
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
    """The score sheet of a game: a column for each player, a row for each deal."""

    def __init__(self, names: Sequence[str], book: Book) -> None:
        """Make an empty sheet for players with these names, seat 0's first."""
        self._names = tuple(names)
        self._book = book
        self._columns: list[list[int]] = [[] for _ in SEATS]

    @property
    def names(self) -> list[str]:
        """The players' names, one for each seat."""
        return list(self._names)

    @property
    def rows(self) -> list[list[int]]:
        """The scores of each deal so far, four in each row."""
        return [list(row) for row in zip(*self._columns, strict=True)]

    @property
    def totals(self) -> list[int]:
        """The sum of all scores so far, one for each seat."""
        return [sum(column) for column in self._columns]

    @property
    def running(self) -> list[list[int]]:
        """The totals after each deal, four in each row."""
        grown = [accumulate(column) for column in self._columns]
        return [list(row) for row in zip(*grown, strict=True)]

    def enter(self, scores: Sequence[int]) -> None:
        """Write down the scores of a deal.

        Raise ValueError if there is not one for each player, or if no deal adds up to their sum.
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
        """Return whether a player's total has reached the book's limit."""
        return _reached(self.totals, self._book.limit)

    def winners(self) -> list[int]:
        """Return the seats with the lowest total, in order."""
        return _best(self.totals)

    def show(self) -> str:
        """Return the sheet as a text: the names, and below them the totals after each deal."""
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
    """Return who takes the pot in the common game: the seats whose cards cost the least."""
    return _best(costs)


def spotless(costs: Sequence[int]) -> list[int]:
    """Return who takes the pot in Sweepstakes: the seats whose cards cost nothing, if any."""
    seats = []
    for seat, cost in enumerate(costs):
        if cost == 0:
            seats.append(seat)
    return seats


class Chips:
    """The chips that the players hold, and those in the pot; no chip is ever lost."""

    def __init__(self, held: Sequence[int], takers: Takers) -> None:
        """Begin with these chips for each seat; `takers` says who takes the pot."""
        self._held = dict(enumerate(held))
        self._all = sum(held)
        self._takers = takers

    @property
    def held(self) -> list[int]:
        """The chips that each seat holds now; a number below zero is a debt."""
        return list(self._held.values())

    @property
    def pot(self) -> int:
        """The chips in the pot: all that no player holds."""
        return self._all - sum(self._held.values())

    def settle(self, costs: Sequence[int]) -> None:
        """Let every seat pay its costs, and the takers share the pot; odd chips stay in it."""
        seats = self._takers(list(costs))
        for seat, cost in enumerate(costs):
            self._held[seat] -= cost
        if seats:
            share = self.pot // len(seats)
            for seat in seats:
                self._held[seat] += share
