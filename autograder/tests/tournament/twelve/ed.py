"""Weak, and without an alias: plays the first card that it may."""

from players import Player


class First(Player):
    """Do not think."""

    def pass_cards(self, view):
        """Pass the first three."""
        return list(view.hand)[:3]

    def play(self, view):
        """Play the first legal card."""
        return view.legal[0]


def enter():
    """Return the player."""
    return First()
