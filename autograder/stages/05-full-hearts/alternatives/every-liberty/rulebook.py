"""Rule books for a whole game, and the passing of cards before each deal.

    Book         a rule book: the rules of play of stage 02, and how to pass, score and end a game
    Pass         which way cards are passed: not at all, left, across or right
    Moon         how a player who shoots the moon is scored
    seat         0 to 3, clockwise
    deal         one pack, dealt, passed and played out; the deals of a game are counted from 0

There are five rule books: ESTELL_BOOK, HEART_BOOK, NEW_HEART_BOOK, CIT590_BOOK and DYNACOMP_BOOK.
Cards that may not be passed raise IllegalPass, which is a ValueError.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from itertools import cycle, islice

import legal
from cards import Card, Hand

SEATS = range(4)
PASSED = 3  # how many cards each player passes


class Pass(IntEnum):
    """Which way cards are passed; as a number, how many seats clockwise."""

    HOLD = 0
    LEFT = 1
    ACROSS = 2
    RIGHT = 3

    def receiver(self, giver: int) -> int:
        """Return the seat that gets the cards of this giver."""
        seat = giver
        for _ in range(self):
            seat = 0 if seat == SEATS[-1] else seat + 1
        return seat


class Moon(Enum):
    """How a player who takes all 26 points of a deal, and so shoots the moon, is scored."""

    NOTHING = "the shooter is charged 26 points"
    OTHERS = "each of the others is charged 26 points, the shooter nothing"
    SHOOTER = "26 points are taken off the shooter; the others get nothing"
    EITHER = "like SHOOTER if OTHERS would end the game without a win for the shooter alone"


@dataclass(frozen=True, kw_only=True)
class Book:
    """A rule book for a whole game of four; its defaults are what most tables play."""

    play: legal.Rules
    passes: tuple[Pass, ...] = (Pass.LEFT, Pass.RIGHT, Pass.ACROSS, Pass.HOLD)
    moon: Moon = Moon.OTHERS
    sun: bool = False  # whether taking all the tricks as well counts double
    limit: int = 100  # a total that reaches it ends the game

    def pass_for(self, deal: int) -> Pass:
        """Return which way cards are passed in this deal of a game; the first is deal 0."""
        return next(islice(cycle(self.passes), deal, None))


ESTELL_BOOK = Book(play=legal.ESTELL, passes=(Pass.LEFT, Pass.RIGHT, Pass.ACROSS))
HEART_BOOK = Book(play=legal.HEART, moon=Moon.SHOOTER, sun=True)
NEW_HEART_BOOK = replace(HEART_BOOK, moon=Moon.EITHER)
CIT590_BOOK = Book(play=legal.CIT590, passes=(Pass.HOLD,))
DYNACOMP_BOOK = Book(play=legal.DYNACOMP, passes=(Pass.LEFT,), moon=Moon.NOTHING, limit=75)


class IllegalPass(ValueError):
    """Cards that may not be passed; its text says why."""


def complaints(cards: Sequence[Card], hand: Hand) -> Iterator[str]:
    """Yield everything that is wrong with these cards, for a Dutch reader."""
    if len(cards) != PASSED:
        yield f"geef {PASSED} kaarten, niet {len(cards)}"
    yield from (f"{card} zit niet in je hand" for card in cards if card not in hand)
    yield from (f"{card} kan maar een keer" for card, times in Counter(cards).items() if times > 1)


def check_pass(cards: Sequence[Card], hand: Hand) -> None:
    """Raise IllegalPass, with all complaints in one text, unless the cards may be passed."""
    if found := " / ".join(complaints(cards, hand)):
        raise IllegalPass(found)


def pass_cards(
    hands: Sequence[Hand], chosen: Sequence[Sequence[Card]], direction: Pass
) -> list[Hand]:
    """Return new hands, the received cards first, after all seats have passed at once."""
    for seat in reversed(SEATS):
        check_pass(chosen[seat], hands[seat])
    givers = {direction.receiver(giver): giver for giver in SEATS}
    return [
        Hand(
            reversed(
                [*(card for card in hands[seat] if card not in chosen[seat]), *chosen[givers[seat]]]
            )
        )
        for seat in SEATS
    ]
