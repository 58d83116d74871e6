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
PASSED = 3  # how many cards each player passes


class Pass(IntEnum):
    """Which way cards are passed; as a number, how many seats clockwise."""

    HOLD = 0
    LEFT = 1
    ACROSS = 2
    RIGHT = 3

    def receiver(self, giver: int) -> int:
        """Return the seat that gets the cards of this giver."""
        return (giver + self.value) % len(SEATS)


class Moon(Enum):
    """How a player who takes all 26 points of a deal, and so shoots the moon, is scored."""

    NOTHING = "they cost the shooter 26 points"
    OTHERS = "the others get 26 points each, and the shooter none"
    SHOOTER = "26 points are taken off the shooter, and the others get none"
    EITHER = "as OTHERS; but as SHOOTER where OTHERS would end a game and others win, or share it"


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
        place = deal % len(self.passes)
        return self.passes[place]


ESTELL_BOOK = Book(play=legal.ESTELL, passes=(Pass.LEFT, Pass.RIGHT, Pass.ACROSS))
HEART_BOOK = Book(play=legal.HEART, moon=Moon.SHOOTER, sun=True)
NEW_HEART_BOOK = replace(HEART_BOOK, moon=Moon.EITHER)
CIT590_BOOK = Book(play=legal.CIT590, passes=(Pass.HOLD,))
DYNACOMP_BOOK = Book(play=legal.DYNACOMP, passes=(Pass.LEFT,), moon=Moon.NOTHING, limit=75)


class IllegalPass(ValueError):
    """Cards that may not be passed; its text says why."""


def check_pass(cards: Sequence[Card], hand: Hand) -> None:
    """Raise IllegalPass unless these are three different cards of the hand.

    Its text says everything that is wrong, and names every wrong card.
    """
    reasons = []
    seen = set()
    for card in cards:
        if card in seen:
            reasons.append(f"you cannot pass {card} twice")
        elif card not in hand:
            reasons.append(f"you cannot pass {card}: you do not hold it")
        seen.add(card)
    if len(cards) != PASSED:
        reasons.append(f"pass {PASSED} cards, not {len(cards)}")
    if reasons:
        raise IllegalPass("; ".join(reasons))


def pass_cards(
    hands: Sequence[Hand], chosen: Sequence[Sequence[Card]], direction: Pass
) -> list[Hand]:
    """Return new hands, after all seats have passed their chosen cards at once.

    Raise IllegalPass if one seat may not pass its cards. The given hands do not change.
    """
    for seat in SEATS:
        check_pass(chosen[seat], hands[seat])
    kept = []
    for seat in SEATS:
        kept.append([card for card in hands[seat] if card not in chosen[seat]])
    for giver in SEATS:
        kept[direction.receiver(giver)].extend(chosen[giver])
    return [Hand(cards) for cards in kept]
