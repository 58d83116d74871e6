"""Who sits with whom, and where: in each round everybody plays the same deal from every seat.

All draws depend only on the tournament's seed and on what is drawn, such as the deal of a round. So
the seed is a secret: whoever knows the seed knows all cards.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import TypeVar

SEATS = 4  # seats at a table
HOUSE = "house"  # the alias of players that fill the last table and are not ranked
FILLER = "cautious"  # which of the course's players fills the last table
Player = TypeVar("Player")


def lot(seed: str, *purpose: object) -> str:
    """Return a seed for this purpose alone. Nobody can compute the tournament's `seed` from it.

    Each purpose has its own hash, so a draw that is left out or added changes no other draw.
    """
    return sha256(json.dumps([seed, *purpose]).encode()).hexdigest()


def tables_of(
    players: Sequence[Player], house: Player, seed: str, number: int
) -> list[list[Player]]:
    """Return the SEATS players of each table in the round; `house` fills the last table.

    The tables are drawn anew in each round, so that everybody meets different players.
    """
    order = list(players)
    Random(lot(seed, "tables", number)).shuffle(order)
    order += [house] * (-len(order) % SEATS)
    return [order[first : first + SEATS] for first in range(0, len(order), SEATS)]


def seating(turn: int) -> list[int]:
    """Return, for each seat, the index of its player after all have moved on by `turn` seats."""
    return [(place - turn) % SEATS for place in range(SEATS)]
