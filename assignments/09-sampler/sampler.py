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
from itertools import product
from random import Random
from typing import TypeAlias

from cards import Card
from legal import Turn, hearts_broken
from players import Ending, Memory, Player, View, Wrapped, costs_so_far, leader_of
from rulebook import SEATS, Book, Moon

ALL_POINTS = 26  # what the cards of a deal cost together

World: TypeAlias = tuple[tuple[Card, ...], ...]
Value: TypeAlias = Callable[[Ending, int], float]


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


class Clues:
    """What a seat knows about the other hands."""

    def __init__(self, view: View) -> None:
        """Collect what follows from the view."""
        raise NotImplementedError("Task 1: Know what fits")

    def fits(self, world: World) -> bool:
        """Return whether nothing that the seat has seen speaks against this world."""
        raise NotImplementedError("Task 1: Know what fits")


def hand_sizes(view: View) -> list[int]:
    """Return how many cards each seat holds; the seats that have played to the trick hold less."""
    raise NotImplementedError("Task 1: Know what fits")


def homes_of(card: Card, view: View, memory: Memory) -> set[int]:
    """Return the seats that can hold this unseen card."""
    raise NotImplementedError("Task 1: Know what fits")


def every_world(clues: Clues) -> Iterator[World]:
    """Yield all worlds that fit; for the last two or three tricks, or else it takes too long."""
    cards = sorted(clues.homes)
    for seats in product(other_seats(clues.view), repeat=len(cards)):
        world = world_of(clues.view, dict(zip(cards, seats, strict=True)))
        if clues.fits(world):
            yield world


def guess(clues: Clues, rng: Random) -> World:
    """Return a world with hands of the right sizes, whether the rest of it fits or not."""
    raise NotImplementedError("Task 2: Guess and reject")


def by_rejection(clues: Clues, rng: Random, tries: int) -> World | None:
    """Return the first guess that fits, or None if none of so many guesses does."""
    raise NotImplementedError("Task 2: Guess and reject")


class Dealer:
    """All the worlds that fit, counted, so that one of them can be drawn fairly."""

    def __init__(self, clues: Clues) -> None:
        """Prepare to count the worlds that fit these clues."""
        raise NotImplementedError("Task 3: Count, then deal")

    @property
    def number(self) -> int:
        """How many worlds fit."""
        raise NotImplementedError("Task 3: Count, then deal")

    def deal(self, rng: Random) -> World:
        """Return one of the worlds that fit; all of them are equally likely."""
        raise NotImplementedError("Task 3: Count, then deal")

    def _ways(self, place: int, room: tuple[int, ...]) -> int:
        """Return in how many ways the cards from this place on can fill the room that is left."""
        raise NotImplementedError("Task 3: Count, then deal")

    def _rooms_after(self, place: int, room: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
        """Return for each seat that can take this card the room that is left afterwards."""
        raise NotImplementedError("Task 3: Count, then deal")


class Glimpse(View):
    """What the seat that plays next sees of an ending: its hand and the table."""

    @property
    def turn(self) -> Turn:
        """The situation as a `Turn`, which is never in the first trick."""
        raise NotImplementedError("Task 4: Play a world to its end")


def glimpse(ending: Ending, book: Book) -> View:
    """Return what the seat that plays next sees of the ending."""
    raise NotImplementedError("Task 4: Play a world to its end")


class Playout:
    """A value: what a seat scores if a simple player plays the ending in all four seats."""

    def __init__(self, player: Player, book: Book) -> None:
        """Let this player play, and score by this book."""
        raise NotImplementedError("Task 4: Play a world to its end")

    def __call__(self, ending: Ending, seat: int) -> int:
        """Return what the seat scores at the end."""
        raise NotImplementedError("Task 4: Play a world to its end")


def means(view: View, worlds: list[World], value: Value) -> dict[Card, float]:
    """Return for each legal card its mean value, over the same worlds for all cards."""
    raise NotImplementedError("Task 5: Choose by the mean")


def regret(view: View, card: Card) -> float:
    """Return how much more this card is sure to cost than the best one, in the mean of all worlds.

    With all cards open, that is: `sure_cost` is the judge.
    """
    raise NotImplementedError("Task 5: Choose by the mean")


class Sampler(Wrapped):
    """A player that imagines worlds and plays the card that is best in the mean."""

    def __init__(self, inner: Player, value: Value, budget: int, rng: Random) -> None:
        """Ask the value `budget` times for a card at most; the inner player passes and opens."""
        raise NotImplementedError("Task 5: Choose by the mean")

    def play(self, view: View) -> Card:
        """Return the card with the best mean.

        In the first trick, or if the budget allows no world, return what the inner player plays.
        """
        raise NotImplementedError("Task 5: Choose by the mean")
