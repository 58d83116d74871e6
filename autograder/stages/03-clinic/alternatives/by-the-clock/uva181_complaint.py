"""The complaint, told by whole games: whoever took the last trick leads."""

from random import Random

import their_uva181
from cards import Deck


def test_the_next_leader():
    """Three shuffled packs, and every trick of them."""
    for seed in (1, 8, 1):
        deck = Deck()
        deck.shuffle(Random(seed))
        wanted = 1
        for number, trick in enumerate(their_uva181.play_out(deck), start=1):
            assert trick.leader == wanted, f"trick {number}: {trick.leader} led, not {wanted}"
            wanted = trick.taker
