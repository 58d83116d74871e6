"""The complaint, told by pairs of tricks, one right after the other."""

from itertools import pairwise
from random import Random

from cards import Deck
from their_uva181 import play_out


def test_the_next_leader():
    """Whoever takes a trick leads to the next one, in ten games."""
    for seed in range(10):
        deck = Deck()
        deck.shuffle(Random(seed))
        tricks = list(play_out(deck))
        assert len(tricks) == 10
        for before, after in pairwise(tricks):
            assert after.leader == before.taker
