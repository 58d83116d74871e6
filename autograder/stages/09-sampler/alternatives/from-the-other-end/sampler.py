"""A player that imagines: it deals the unseen cards again and again, and tries its cards on them.

    world     four tuples of cards, seat 0's first: what the four hands may be now
    clues     what a seat knows about the worlds: sizes of hands, voids, and cards that it passed
    home      a seat that can hold a certain unseen card
    value     a function that says what an ending costs a seat, such as `sure_cost` or a `Playout`
    playout   an ending that is played to its end, once, by a simple player in all four seats
    regret    what a card costs more than the best card, in the mean over all worlds

Nobody knows the other hands. But a card that is good in most of the worlds that fit the clues is a
good card, whichever of them is true.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from statistics import fmean
from typing import TypeAlias

from cards import Card, Hand
from legal import Turn, hearts_broken
from players import Ending, Memory, Player, View, Wrapped, costs_so_far, leader_of, sure_cost
from rulebook import SEATS, Book, Moon

ALL_POINTS = 26  # what the cards of a deal cost together

World: TypeAlias = tuple[tuple[Card, ...], ...]
Value: TypeAlias = Callable[[Ending, int], float]


# %% given
def other_seats(view: View) -> list[int]:
    """Return the three seats whose cards the view does not show."""
    return [seat for seat in SEATS if seat != view.seat]


def world_of(view: View, owners: Mapping[Card, int]) -> World:
    """Return the world in which each unseen card is in the hand of its owner."""
    hands: list[list[Card]] = [[] for _ in SEATS]
    hands[view.seat] = list(view.hand)
    for card in sorted(owners):
        hands[owners[card]].append(card)
    return tuple(tuple(hand) for hand in hands)


def ending_of(view: View, world: World) -> Ending:
    """Return the view's situation with the cards open, if this world is true."""
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
    """Return the scores of a deal with these costs; a sun counts like a moon."""
    if ALL_POINTS not in costs or book.moon == Moon.NOTHING:
        return list(costs)
    if book.moon == Moon.SHOOTER:
        return [-cost for cost in costs]
    return [ALL_POINTS - cost for cost in costs]


# %% clues
class Clues:
    """What a seat knows about the other hands."""

    def __init__(self, view: View) -> None:
        """Collect what follows from the view."""
        self.view = view
        self.sizes = hand_sizes(view)
        memory = Memory(view)
        self.homes = {card: homes_of(card, view, memory) for card in sorted(memory.unseen)}

    def fits(self, world: World) -> bool:
        """Return whether nothing that the seat has seen speaks against this world."""
        unseen = [card for seat in other_seats(self.view) for card in world[seat]]
        if sorted(world[self.view.seat]) != sorted(self.view.hand):
            return False
        if sorted(unseen) != sorted(self.homes):
            return False
        if [len(hand) for hand in world] != self.sizes:
            return False
        return all(
            seat in self.homes[card] for seat in other_seats(self.view) for card in world[seat]
        )


def hand_sizes(view: View) -> list[int]:
    """Return how many cards each seat holds; the seats that have played to the trick hold less."""
    sizes = [len(view.hand) for _ in SEATS]
    for place in range(len(view.trick)):
        sizes[(leader_of(view) + place) % len(SEATS)] -= 1
    return sizes


def homes_of(card: Card, view: View, memory: Memory) -> set[int]:
    """Return the seats that can hold this unseen card."""
    if card in view.gave:
        return {view.direction.receiver(view.seat)}
    return {seat for seat in other_seats(view) if not memory.is_void(seat, card.suit)}


def every_world(clues: Clues) -> Iterator[World]:
    """Yield all worlds that fit; for the last two or three tricks, or else it takes too long."""
    cards = sorted(clues.homes)
    for seats in product(other_seats(clues.view), repeat=len(cards)):
        world = world_of(clues.view, dict(zip(cards, seats, strict=True)))
        if clues.fits(world):
            yield world


# %% guess-and-reject
def guess(clues: Clues, rng: Random) -> World:
    """Return a world with hands of the right sizes, whether the rest of it fits or not."""
    cards = sorted(clues.homes)
    seats = [seat for seat in other_seats(clues.view) for _ in range(clues.sizes[seat])]
    rng.shuffle(seats)
    return world_of(clues.view, dict(zip(cards, seats, strict=True)))


def by_rejection(clues: Clues, rng: Random, tries: int) -> World | None:
    """Return the first guess that fits, or None if none of so many guesses does."""
    for _ in range(tries):
        world = guess(clues, rng)
        if clues.fits(world):
            return world
    return None


# %% count-and-deal
class Dealer:
    """A ladder of counts, one rung for each card, which is climbed once and descended by each deal.

    Rung n says in how many ways the first n cards can use up so much of each hand.
    """

    def __init__(self, clues: Clues) -> None:
        """Climb the ladder."""
        self._view = clues.view
        self._homes = [(card, sorted(clues.homes[card])) for card in sorted(clues.homes)]
        top = [clues.sizes[seat] if seat != clues.view.seat else 0 for seat in SEATS]
        self._top = tuple(top)
        self._rungs: list[dict[tuple[int, ...], int]] = [{(0, 0, 0, 0): 1}]
        for _, homes in self._homes:
            rung: dict[tuple[int, ...], int] = {}
            for used, ways in self._rungs[-1].items():
                for seat in homes:
                    if used[seat] < top[seat]:
                        more = moved(used, seat, 1)
                        rung[more] = rung.get(more, 0) + ways
            self._rungs.append(rung)

    @property
    def number(self) -> int:
        """How many worlds fit."""
        return self._rungs[-1].get(self._top, 0)

    def deal(self, rng: Random) -> World:
        """Return one of the worlds that fit, from the last card to the first."""
        used = self._top
        owners = {}
        for place in reversed(range(len(self._homes))):
            card, homes = self._homes[place]
            below = {seat: moved(used, seat, -1) for seat in homes}
            ways = [self._rungs[place].get(less, 0) for less in below.values()]
            owners[card] = rng.choices(list(below), ways)[0]
            used = below[owners[card]]
        return world_of(self._view, owners)


def moved(used: tuple[int, ...], seat: int, by: int) -> tuple[int, ...]:
    """Return the numbers with that of the seat moved."""
    return tuple(number + by * (other == seat) for other, number in enumerate(used))


# %% play-a-world
@dataclass(frozen=True, kw_only=True)
class Glimpse(View):
    """What the seat that plays next sees of an ending: its hand and the table."""

    broken: bool  # whether hearts are broken; the tricks that would tell are not there

    @property
    def turn(self) -> Turn:
        """The situation as a `Turn`, which is never in the first trick."""
        return Turn(Hand(self.hand), self.book.play, self.trick, hearts_broken=self.broken)


def glimpse(ending: Ending, book: Book) -> View:
    """Return what the seat that plays next sees of the ending."""
    return Glimpse(
        seat=ending.seat,
        hand=ending.hands[ending.seat],
        book=book,
        trick=ending.trick,
        broken=ending.hearts_broken,
    )


class Playout:
    """A value: what a seat scores if a simple player plays the ending in all four seats."""

    def __init__(self, player: Player, book: Book) -> None:
        """Let this player play, and score by this book."""
        self._player = player
        self._book = book

    def __call__(self, ending: Ending, seat: int) -> int:
        """Return what the seat scores at the end."""
        while any(ending.hands):
            ending = ending.after(self._player.play(glimpse(ending, self._book)))
        return scores_for(ending.costs, self._book)[seat]


# %% mean-of-worlds
def means(view: View, worlds: list[World], value: Value) -> dict[Card, float]:
    """Return for each legal card its mean value, over the same worlds for all cards."""
    endings = [ending_of(view, world) for world in worlds]
    return {
        card: fmean(value(ending.after(card), view.seat) for ending in endings)
        for card in view.legal
    }


def regret(view: View, card: Card) -> float:
    """Return how much more this card is sure to cost than the best one, in the mean of all worlds.

    With all cards open, that is: `sure_cost` is the judge.
    """
    results = means(view, list(every_world(Clues(view))), sure_cost)
    return results[card] - min(results.values())


class Sampler(Wrapped):
    """A player that imagines worlds and plays the card that is best in the mean."""

    def __init__(self, inner: Player, value: Value, budget: int, rng: Random) -> None:
        """Ask the value `budget` times for a card at most; the inner player passes and opens."""
        super().__init__(inner)
        self._value = value
        self._budget = budget
        self._rng = rng

    def play(self, view: View) -> Card:
        """Return the card with the best mean.

        In the first trick, or if the budget allows no world, return what the inner player plays.
        """
        if not view.tricks:
            return super().play(view)
        if len(view.legal) == 1:
            return view.legal[0]
        number = self._budget // len(view.legal)
        if not number:
            return super().play(view)
        dealer = Dealer(Clues(view))
        worlds = [dealer.deal(self._rng) for _ in range(number)]
        results = means(view, worlds, self._value)
        return min(results, key=results.__getitem__)
