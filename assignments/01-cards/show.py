"""What `hearts play 01` shows: a pack is shuffled and dealt to four players.

A word after the command is the seed, and the same seed deals the same cards.
"""

import sys
from random import Random

from cards import Deck

NAMES = ("North", "East", "South", "West")


def deal(rng: Random) -> None:
    """Deal a full pack, and print the sorted hands."""
    deck = Deck()
    deck.shuffle(rng)
    hands, _ = deck.deal(len(NAMES), dealer=0)
    for name, hand in zip(NAMES, hands, strict=True):
        hand.sort()
        print(f"{name} holds {len(hand)} cards:")
        print(f"{hand.show()}\n")


deal(Random(sys.argv[1]) if sys.argv[1:] else Random())
