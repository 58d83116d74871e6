"""Hostile: breaks what it can reach, floods the output, and answers with cards that lie."""

import builtins
import os
import sys

import legal
from players import Player, View

ALIAS = "Vandal"


class Liar(str):
    """A false card, which equals every card."""

    __slots__ = ()

    def __eq__(self, other):
        """Say yes."""
        return True

    def __hash__(self):
        """Return the same number for every card."""
        return 0


class Vandal(Player):
    """Spoil the game."""

    def pass_cards(self, view):
        """Pass false cards, which equal any card."""
        return [Liar("AS"), Liar("KS"), Liar("QS")]

    def play(self, view):
        """Spoil everything, then play a false card."""
        print("x" * 100_000)
        object.__setattr__(view, "hand", ())
        legal.legal_plays = View.legal = None
        builtins.len = lambda thing: 13
        sys.stderr.write("y" * 100_000)
        for attack in (os.fork, lambda: os.kill(os.getppid(), 9)):
            try:
                attack()
            except OSError:
                continue
        return Liar("AS")


def enter():
    """Return the player."""
    return Vandal()
