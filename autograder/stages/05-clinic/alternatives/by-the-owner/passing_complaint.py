"""The complaint, told for a pass to the right and as a whole pack, with unittest's help."""

from unittest import TestCase

import their_passing
from cards import Deck

raises = TestCase().assertRaises


def test_a_card_moves_once():
    """Each seat but the first tries to pass on one card that is coming."""
    hands, _ = Deck().deal(4, 3)
    for direction in (their_passing.Pass.RIGHT, their_passing.Pass.ACROSS):
        first = [list(hand)[:3] for hand in hands]
        there = direction.receiver(0)
        first[there] = [*first[0][:1], *list(hands[there])[5:7]]
        with raises(their_passing.IllegalPass):
            their_passing.pass_cards(hands, first, direction)
