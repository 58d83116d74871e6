"""Passing three cards, as somebody else wrote it: who gets them, and which may be passed."""

from collections.abc import Sequence
from enum import IntEnum

from cards import Card, Hand

SEATS = range(4)
PASSED = 3


class Pass(IntEnum):
    """Which way cards are passed; as a number, how many seats clockwise."""

    LEFT = 1
    ACROSS = 2
    RIGHT = 3

    def receiver(self, giver: int) -> int:
        """Return the seat that gets the cards of this giver."""
        seat = giver + self
        return seat if seat < len(SEATS) else seat - len(SEATS)


class IllegalPass(ValueError):
    """Cards that may not be passed; its text says why."""


def check_pass(cards: Sequence[Card], hand: Hand) -> None:
    """Raise IllegalPass unless these are three different cards of the hand."""
    if len(cards) != PASSED or len(set(cards)) != PASSED:
        raise IllegalPass(f"pass {PASSED} different cards")
    for card in cards:
        if card not in hand:
            raise IllegalPass(f"you do not hold {card}")


def pass_cards(
    hands: Sequence[Hand], chosen: Sequence[Sequence[Card]], direction: Pass
) -> list[Hand]:
    """Return new hands, after all seats have passed their chosen cards at once.

    Raise IllegalPass if one seat may not pass its cards. The given hands do not change.
    """
    new = [Hand(hand) for hand in hands]
    for giver in SEATS:
        neighbour = new[direction.receiver(giver)]
        check_pass(chosen[giver], new[giver])
        for card in chosen[giver]:
            new[giver].remove(card)
            neighbour.add(card)
    return new
