"""Rule books for a whole game, and the passing of cards before each deal.

    Book         a rule book: the rules of play of stage 02, and how to pass, score and end a game
    Pass         which way cards are passed: not at all, left, across or right
    Moon         how a player who shoots the moon is scored
    seat         0 to 3, clockwise
    deal         one pack, dealt, passed and played out; the deals of a game are counted from 0

There are five rule books: ESTELL_BOOK, HEART_BOOK, NEW_HEART_BOOK, CIT590_BOOK and DYNACOMP_BOOK.
Cards that may not be passed raise IllegalPass, which is a ValueError.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum

import legal
from cards import Card, Hand

SEATS = range(4)
PASSED = 3  # how many cards each player passes


# %% pass-directions
def clockwise(seat: int, steps: int) -> int:
    """Return the seat that many steps clockwise from this one."""
    return (seat + steps) % len(SEATS)


class Pass(IntEnum):
    """Which way cards are passed; as a number, how many seats clockwise."""

    HOLD = 0
    LEFT = 1
    ACROSS = 2
    RIGHT = 3

    def receiver(self, giver: int) -> int:
        """Return the seat that gets the cards of this giver."""
        return clockwise(giver, self)


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
        return self.passes[deal % len(self.passes)]


ESTELL_BOOK = Book(play=legal.ESTELL, passes=(Pass.LEFT, Pass.RIGHT, Pass.ACROSS))
HEART_BOOK = Book(play=legal.HEART, moon=Moon.SHOOTER, sun=True)
NEW_HEART_BOOK = replace(HEART_BOOK, moon=Moon.EITHER)
CIT590_BOOK = Book(play=legal.CIT590, passes=(Pass.HOLD,))
DYNACOMP_BOOK = Book(play=legal.DYNACOMP, passes=(Pass.LEFT,), moon=Moon.NOTHING, limit=75)


# %% pass-cards
class IllegalPass(ValueError):
    """Cards that may not be passed; its text says why."""


def check_pass(cards: Sequence[Card], hand: Hand) -> None:
    """Raise IllegalPass unless these are three different cards of the hand."""
    if len(cards) != PASSED:
        raise IllegalPass(f"you pass {PASSED} cards, not {len(cards)}")
    for card in cards:
        if card not in hand:
            raise IllegalPass(f"you cannot pass {card}: you do not hold it")
        if cards.count(card) > 1:
            raise IllegalPass(f"you cannot pass {card} twice")


def pass_cards(
    hands: Sequence[Hand], chosen: Sequence[Sequence[Card]], direction: Pass
) -> list[Hand]:
    """Return new hands, after all seats have passed their chosen cards at once.

    Raise IllegalPass if one seat may not pass its cards. The given hands do not change.
    """
    for cards, hand in zip(chosen, hands, strict=True):
        check_pass(cards, hand)
    passed = [
        Hand(card for card in hand if card not in cards)
        for cards, hand in zip(chosen, hands, strict=True)
    ]
    for giver in SEATS:
        for card in chosen[giver]:
            passed[direction.receiver(giver)].add(card)
    return passed
