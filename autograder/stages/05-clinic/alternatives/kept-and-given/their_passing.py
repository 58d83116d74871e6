"""The same passing as two heaps for each seat: what it keeps, and what it gives away."""

from enum import IntEnum

from cards import Hand


class Pass(IntEnum):
    """A direction; its number says how far the cards go to the left."""

    LEFT = 1
    ACROSS = 2
    RIGHT = 3

    def receiver(self, giver):
        """Return to which seat the cards of the giver go."""
        seats = [0, 1, 2, 3]
        return seats[giver - 4 + self]


class IllegalPass(ValueError):
    """A player wants to pass what may not be passed."""


def check_pass(cards, hand):
    """Take the cards out of a copy of the hand, one by one; refuse what is not there."""
    left = list(hand)
    for card in cards:
        if card not in left:
            raise IllegalPass(f"{card} is not in the hand, or not any more")
        left.remove(card)
    if len(left) + 3 != len(list(hand)):
        raise IllegalPass("three cards, not more and not fewer")


def pass_cards(hands, chosen, direction):
    """Return the hands after the pass."""
    kept = []
    for cards, hand in zip(chosen, hands, strict=True):
        check_pass(cards, hand)
        kept.append([card for card in hand if card not in cards])
    for giver, cards in enumerate(chosen):
        kept[direction.receiver(giver)].extend(cards)
    return [Hand(cards) for cards in kept]
