"""Rule books for a whole game, and the passing of cards before each deal.

    Book         a rule book: the rules of play of stage 02, and how one passes, scores and ends
    Pass         which way cards are passed: not at all, left, across or right
    Moon         what happens to who shoots the moon
    seat         0 to 3, clockwise
    deal         one pack, dealt, passed and played out; the deals of a game are counted from 0

Five rule books are at hand: ESTELL_BOOK, HEART_BOOK, NEW_HEART_BOOK, CIT590_BOOK and DYNACOMP_BOOK.
Cards that may not be passed are refused with an IllegalPass, which is a ValueError.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum

import legal
from cards import Card, Hand

SEATS = range(4)
PASSED = 3  # cards that everybody passes


# %% pass-directions
def clockwise(seat: int, steps: int) -> int:
    """The seat that is so many steps further round the table."""
    return (seat + steps) % len(SEATS)


class Pass(IntEnum):
    """Which way cards are passed; as a number, how many seats clockwise."""

    HOLD = 0
    LEFT = 1
    ACROSS = 2
    RIGHT = 3

    def receiver(self, giver: int) -> int:
        """The seat that gets the cards which this seat passes."""
        return clockwise(giver, self)


class Moon(Enum):
    """What happens to who takes all 26 points of a deal, and so shoots the moon."""

    NOTHING = "they cost the shooter 26 points"
    OTHERS = "the others get 26 points each, and the shooter none"
    SHOOTER = "26 points are taken off the shooter, and the others get none"
    EITHER = "as OTHERS; but as SHOOTER where OTHERS would end a game and others win, or share it"


@dataclass(frozen=True, kw_only=True)
class Book:
    """A rule book for a whole game of four. What it does not say is as most tables play it."""

    play: legal.Rules
    passes: tuple[Pass, ...] = (Pass.LEFT, Pass.RIGHT, Pass.ACROSS, Pass.HOLD)
    moon: Moon = Moon.OTHERS
    sun: bool = False  # does all this count double for who takes all the tricks as well?
    limit: int = 100  # whoever reaches it ends the game

    def pass_for(self, deal: int) -> Pass:
        """Which way one passes in this deal of a game; the first is deal 0."""
        return self.passes[deal % len(self.passes)]


ESTELL_BOOK = Book(play=legal.ESTELL, passes=(Pass.LEFT, Pass.RIGHT, Pass.ACROSS))
HEART_BOOK = Book(play=legal.HEART, moon=Moon.SHOOTER, sun=True)
NEW_HEART_BOOK = replace(HEART_BOOK, moon=Moon.EITHER)
CIT590_BOOK = Book(play=legal.CIT590, passes=(Pass.HOLD,))
DYNACOMP_BOOK = Book(play=legal.DYNACOMP, passes=(Pass.LEFT,), moon=Moon.NOTHING, limit=75)


# %% pass-cards
class IllegalPass(ValueError):
    """Cards that may not be passed; as a text, why."""


def check_pass(cards: Sequence[Card], hand: Hand) -> None:
    """Raises IllegalPass unless these are three different cards of the hand."""
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
    """New hands, after every seat has passed the cards that it has chosen, all at once.

    Raises IllegalPass if one of the seats may not pass its cards. The hands given do not change.
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
