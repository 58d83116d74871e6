"""What `hearts play 05` shows: a match of players who pass and play by lot.

A word after the command is the seed, and the same seed plays the same match.
"""

import sys
from random import Random

from match import Match
from rulebook import HEART_BOOK


def watch(rng: Random) -> None:
    """Play deal after deal, and print the directions, the scores and the winners."""
    match = Match(HEART_BOOK)
    names = "".join(f"{name:>7}" for name in match.sheet.names)
    print(f"Deal  Passed      {names}")
    number = 0
    while not match.is_over():
        number += 1
        deal = match.start_shuffled(rng)
        for seat in deal.still_to_pass:
            deal.give(seat, rng.sample(deal.hand(seat), 3))
        while deal.turn is not None:
            deal.play(rng.choice(deal.legal_plays()))
        direction = deal.direction.name.lower()
        scores = "".join(f"{score:>7}" for score in match.finish())
        print(f"{number:>4}  {direction:<12}{scores}")
    totals = "".join(f"{total:>7}" for total in match.sheet.totals)
    print(f"      {'together':<12}{totals}")
    print("Fewest points:", *(match.sheet.names[seat] for seat in match.winners()))


watch(Random(sys.argv[1]) if sys.argv[1:] else Random())
