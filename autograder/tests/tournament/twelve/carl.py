"""Weak: plays at random, as in the brief."""

from random import Random

from players import RandomPlayer

ALIAS = "Lucky Lou"


def enter():
    """Return the player."""
    return RandomPlayer(Random())
