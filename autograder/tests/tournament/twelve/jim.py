"""Broken: its module cannot be imported, since it needs a library that nobody has."""

import deep_hearts_engine
from players import Player

ALIAS = "Engine Trouble"


def enter():
    """Return the player."""
    return deep_hearts_engine.player(Player)
