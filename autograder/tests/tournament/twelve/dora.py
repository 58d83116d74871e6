"""Weak: always plays high."""

from players import Player, by_rank, highest

ALIAS = "High Society"


class High(Player):
    """Win everything."""

    def pass_cards(self, view):
        """Pass the lowest cards."""
        return sorted(view.hand, key=by_rank)[:3]

    def play(self, view):
        """Play a highest card."""
        return highest(view.legal, 1)[0]


def enter():
    """Return the player."""
    return High()
