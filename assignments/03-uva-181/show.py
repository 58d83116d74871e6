"""What `hearts play 03` shows: a game of the five players.

A number after the command is the seed, and the same seed shows the same game.
"""

import sys
from random import Random

from cards import Deck
from uva181 import play_out


def watch(seed: int) -> None:
    """Show a game of the five players."""
    deck = Deck()
    deck.shuffle(Random(seed))
    for trick in play_out(deck):
        print("Seat", trick.leader, "leads:", *(card.symbols for card in trick.cards))
        print("    Seat", trick.taker, "takes the trick.")


watch(int(sys.argv[1]) if sys.argv[1:] else 181)
