"""Scoring, written with every liberty that the brief leaves: other types, orders and words.

tally     a Counter of points by seat
refusal   NotThisDeal, a ValueError with a text of its own
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import legal
from cards import Card
from legal import Rules
from rulebook import Book, Moon

MOON = 26
SUN = 52


class NotThisDeal(ValueError):
    """Scores that are not those of a deal; a refusal of this module's own."""


def costs(taken: Sequence[Iterable[Card]], rules: Rules) -> list[int]:
    """Return what the cards of each seat cost."""
    tally = Counter(dict.fromkeys(range(len(taken)), 0))
    for seat, cards in enumerate(taken):
        for card in cards:
            tally[seat] += legal.points(card, rules)
    return [tally[seat] for seat in range(len(taken))]


def deal_scores(
    taken: Sequence[Sequence[Card]], book: Book, totals: Sequence[int] | None = None
) -> list[int]:
    """Return the scores of a deal; without `totals`, everybody has none."""
    paid = costs(taken, book.play)
    shooters = [seat for seat in (3, 2, 1, 0) if paid[seat] == MOON]
    if not shooters or book.moon is Moon.NOTHING:
        return paid
    [shooter] = shooters
    tricks = [seat for seat, cards in enumerate(taken) if list(cards)]
    stake = SUN if book.sun and tricks == [shooter] else MOON
    charged = [stake] * shooter + [0] + [stake] * (3 - shooter)
    charge = book.moon is Moon.OTHERS or (
        book.moon is Moon.EITHER
        and not backfires(shooter, stake, totals or [0, 0, 0, 0], book.limit)
    )
    return charged if charge else [each - stake for each in charged]


def backfires(shooter: int, stake: int, totals: Sequence[int], limit: int) -> bool:
    """Return whether charging the others ends the match without a win for the shooter alone."""
    after = {seat: total + stake * (seat != shooter) for seat, total in enumerate(totals)}
    own = after.pop(shooter)
    if not any(total >= limit for total in after.values()):
        return False
    return any(total <= own for total in after.values())


def deal_sums(book: Book) -> set[int]:
    """Return all possible sums of the scores of a deal: written down, not computed."""
    moons = {
        Moon.NOTHING: {26},
        Moon.OTHERS: {26, 78},
        Moon.SHOOTER: {26, -26},
        Moon.EITHER: {26, 78, -26},
    }[book.moon]
    return moons | {2 * total for total in moons if book.sun and total != 26}


class ScoreSheet:
    """A score sheet that keeps running totals, and computes the rows from them."""

    def __init__(self, names: Iterable[str], book: Book) -> None:
        """Make an empty sheet."""
        self.book = book
        self.players = tuple(names)
        self.history: tuple[tuple[int, ...], ...] = ((0, 0, 0, 0),)

    def __repr__(self) -> str:
        return f"ScoreSheet({self.history[-1]})"

    def __len__(self) -> int:
        return len(self.history) - 1  # so an empty sheet is false

    @property
    def names(self) -> list[str]:
        """The players' names."""
        return [*self.players]

    @property
    def rows(self) -> list[list[int]]:
        """The scores of each deal."""
        pairs = zip(self.history, self.history[1:], strict=False)
        return [[new - old for old, new in zip(*pair, strict=True)] for pair in pairs]

    @property
    def totals(self) -> list[int]:
        """The totals so far."""
        return [*self.history[-1]]

    @property
    def running(self) -> list[list[int]]:
        """The totals after each deal."""
        return [[*totals] for totals in self.history[1:]]

    def enter(self, scores: Sequence[int]) -> None:
        """Write down the scores of a deal, or raise NotThisDeal."""
        row = tuple(scores)
        if len(row) != 4 or sum(row) not in deal_sums(self.book):
            raise NotThisDeal
        totals = tuple(old + new for old, new in zip(self.history[-1], row, strict=True))
        self.history = (*self.history, totals)

    def is_over(self) -> bool:
        """Return whether somebody has reached the limit."""
        return any(total >= self.book.limit for total in self.totals)

    def winners(self) -> list[int]:
        """Return the seats with the lowest total."""
        return lowest(self.totals)

    def show(self) -> str:
        """Return the sheet as a text, joined column by column."""
        columns = []
        for name, *totals in zip(self.players, *self.history[1:], strict=True):
            texts = [name, *map(str, totals)]
            columns.append([format(text, f">{max(map(len, texts))}") for text in texts])
        return "\n".join("  ".join(line) for line in zip(*columns, strict=True))


def lowest(costs: Sequence[int]) -> list[int]:
    """Return the seats whose costs are the lowest."""
    by_cost: dict[int, list[int]] = {}
    for seat, cost in enumerate(costs):
        by_cost.setdefault(cost, []).append(seat)
    return by_cost[min(by_cost)]


spotless: Callable[[Sequence[int]], list[int]] = lambda costs: [  # noqa: E731
    seat for seat, cost in enumerate(costs) if cost == 0
]


class Chips(list[Any]):
    """A game for chips that is a list of its chips; its last entry is the pot."""

    def __init__(self, held: Sequence[int], takers: Callable[[list[int]], list[int]]) -> None:
        """Begin with these chips, and an empty pot."""
        super().__init__([*held, 0])
        self.takers = takers

    @property
    def held(self) -> list[int]:
        """The chips of each seat."""
        return [*self[:-1]]

    @property
    def pot(self) -> int:
        """The chips in the pot."""
        return self[-1]

    def settle(self, costs: Sequence[int]) -> None:
        """Pay into the pot, and share it chip by chip, as people do."""
        seats = list(self.takers(list(costs)))
        for seat, cost in enumerate(costs):
            self[seat] -= cost
            self[-1] += cost
        while seats and self[-1] >= len(seats):
            for seat in seats:
                self[seat] += 1
                self[-1] -= 1
