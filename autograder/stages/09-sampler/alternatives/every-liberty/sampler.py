"""A player that imagines, written with every liberty that the brief leaves.

Clues are properties, a dealer lists small situations and counts large ones from the other end, a
glimpse is made by hand, and ties are broken the other way round.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from statistics import mean
from types import MappingProxyType
from typing import TypeAlias

from cards import Card, Hand
from legal import Turn, hearts_broken, legal_plays
from players import Ending, Memory, Player, View, Wrapped, costs_so_far, leader_of, sure_cost
from rulebook import SEATS, Book, Moon

ALL_POINTS = 26  # what the cards of a deal cost together

World: TypeAlias = tuple[tuple[Card, ...], ...]
Value: TypeAlias = Callable[[Ending, int], float]


def other_seats(view: View) -> list[int]:
    """Return the seats beside the view's."""
    return [seat for seat in SEATS if seat != view.seat]


def world_of(view: View, owners: Mapping[Card, int]) -> World:
    """Return the world of these owners."""
    hands: list[list[Card]] = [[] for _ in SEATS]
    hands[view.seat] = list(view.hand)
    for card in sorted(owners):
        hands[owners[card]].append(card)
    return tuple(tuple(hand) for hand in hands)


def ending_of(view: View, world: World) -> Ending:
    """Return the ending of the world."""
    rules = view.book.play
    return Ending(
        hands=world,
        rules=rules,
        leader=leader_of(view),
        trick=view.trick,
        hearts_broken=hearts_broken(view.played, rules),
        costs=tuple(costs_so_far(view)),
    )


def scores_for(costs: tuple[int, ...], book: Book) -> list[int]:
    """Return the scores for these costs."""
    if ALL_POINTS not in costs or book.moon == Moon.NOTHING:
        return list(costs)
    if book.moon == Moon.SHOOTER:
        return [-cost for cost in costs]
    return [ALL_POINTS - cost for cost in costs]


class Clues:
    """Everything is computed from the view when it is asked for."""

    __slots__ = ("_memory", "view")

    def __init__(self, view):
        self.view = view
        self._memory = Memory(view)

    @property
    def sizes(self):
        """Who plays later in the trick has all cards still."""
        to_play = len(SEATS) - len(self.view.trick)
        coming = {(self.view.seat + step) % 4 for step in range(to_play)}
        return [len(self.view.hand) - (seat not in coming) for seat in SEATS]

    @property
    def homes(self):
        """The homes of each unseen card."""
        found = {}
        for card in self._memory.unseen:
            found[card] = {
                seat
                for seat in {0, 1, 2, 3} - {self.view.seat}
                if not self._memory.is_void(seat, card.suit)
            }
        for card in found.keys() & set(self.view.gave):
            found[card] = {self.view.direction.receiver(self.view.seat)}
        return found

    def fits(self, world):
        """Look at each card and its owner."""
        owners = [(card, seat) for seat, hand in enumerate(world) for card in hand]
        if len(owners) != sum(self.sizes) or len(dict(owners)) != len(owners):
            return False
        if Counter(seat for _, seat in owners) != +Counter(dict(enumerate(self.sizes))):
            return False
        homes = self.homes | {card: {self.view.seat} for card in self.view.hand}
        return all(seat in homes.get(card, ()) for card, seat in owners)


def every_world(clues: Clues) -> Iterator[World]:
    """Yield all worlds that fit."""
    cards = sorted(clues.homes)
    for seats in product(other_seats(clues.view), repeat=len(cards)):
        world = world_of(clues.view, dict(zip(cards, seats, strict=True)))
        if clues.fits(world):
            yield world


def guess(clues, rng):
    """Sample one hand after the other."""
    cards = sorted(clues.homes, reverse=True)
    hands = [list(clues.view.hand) if seat == clues.view.seat else [] for seat in SEATS]
    for seat in reversed(other_seats(clues.view)):
        hands[seat] = rng.sample(cards, clues.sizes[seat])
        cards = [card for card in cards if card not in hands[seat]]
    return tuple(map(tuple, hands))


def by_rejection(clues, rng, tries):
    """Return the first guess that fits."""
    guesses = (guess(clues, rng) for _ in range(tries))
    return next(filter(clues.fits, guesses), None)


class Dealer:
    """Counts kinds of cards: those with the same homes can be exchanged for each other."""

    def __init__(self, clues):
        homes = clues.homes
        self._view = clues.view
        self._cards = sorted(homes, key=lambda card: (sorted(homes[card]), card), reverse=True)
        self._homes = [sorted(homes[card], reverse=True) for card in self._cards]
        self._rooms = list(clues.sizes)
        self._rooms[clues.view.seat] = 0

        @cache
        def ways(left, *rooms):
            if min(rooms) < 0:
                return 0
            if left == 0:
                return 1
            return sum(ways(left - 1, *without(rooms, seat)) for seat in self._homes[left - 1])

        self._ways = ways
        self.number = ways(len(self._cards), *self._rooms)

    def deal(self, rng):
        """Draw the number of a world, and find that world."""
        rooms, owners = tuple(self._rooms), {}
        for left in range(len(self._cards), 0, -1):
            ticket = rng.randrange(self._ways(left, *rooms))
            for seat in self._homes[left - 1]:
                ticket -= self._ways(left - 1, *without(rooms, seat))
                if ticket < 0:
                    break
            owners[self._cards[left - 1]] = seat
            rooms = without(rooms, seat)
        return world_of(self._view, owners)


def without(rooms, seat):
    """Return the rooms with one place less."""
    return tuple(room - (other == seat) for other, room in enumerate(rooms))


class Glimpse(View):
    """A view that asks its ending."""

    def __init__(self, ending, book):
        super().__init__(
            seat=ending.seat, hand=ending.hands[ending.seat], book=book, trick=ending.trick
        )
        object.__setattr__(self, "_broken", ending.hearts_broken)

    @property
    def turn(self):
        """The situation, with the ending's hearts."""
        return Turn(Hand(self.hand), self.book.play, self.trick, hearts_broken=self._broken)

    @property
    def legal(self):
        """The legal cards, in another order."""
        return legal_plays(self.turn)[::-1]


def glimpse(ending, book):
    """Return what the next seat sees."""
    return Glimpse(ending, book)


class Playout:
    """Plays on by calling itself."""

    def __init__(self, player, book):
        self.player, self.book = player, book

    def __call__(self, ending, seat):
        """Play a card, and ask again."""
        if sum(map(len, ending.hands)) == 0:
            return scores_for(ending.costs, self.book)[seat]
        return self(ending.after(self.player.play(glimpse(ending, self.book))), seat)


def means(view, worlds, value):
    """Return the mean of each column."""
    columns = {card: [] for card in view.legal[::-1]}
    for world in worlds:
        for card, column in columns.items():
            column.append(value(ending_of(view, world).after(card), view.seat))
    return MappingProxyType({card: mean(column) for card, column in columns.items()}).copy()


def regret(view, card):
    """Return the greatest difference to another card."""
    results = means(view, [*every_world(Clues(view))], sure_cost)
    return max(results[card] - result for result in results.values())


class Sampler(Wrapped):
    """Draws few worlds by rejection where that is cheap, and deals the others."""

    def __init__(self, inner, value, budget, rng):
        self.inner: Player = inner
        self.value, self.budget, self.rng = value, budget, rng

    def play(self, view):
        """Return the best card; of equal ones, the highest."""
        if len(view.tricks) == 0:
            return self.inner.play(view)
        cards = view.legal
        if len(cards) < 2:
            return cards[0]
        if self.budget < len(cards):
            return self.inner.play(view)
        clues = Clues(view)
        dealer = Dealer(clues)
        worlds = []
        while len(worlds) < self.budget // len(cards):
            worlds.append(by_rejection(clues, self.rng, 2) or dealer.deal(self.rng))
        results = means(view, worlds, self.value)
        return sorted(cards, key=lambda card: (results[card], -card.rank))[0]
