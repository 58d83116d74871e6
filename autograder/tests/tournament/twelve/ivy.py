"""Broken: forgets to follow suit."""

from cards import Suit
from players import Player, by_rank, highest

ALIAS = "Rule Bender"


class Revoker(Player):
    """Play hearts first."""

    def pass_cards(self, view):
        """Pass the highest cards."""
        return highest(view.hand, 3)

    def play(self, view):
        """Play a heart, whatever was led."""
        hearts = [card for card in view.hand if card.suit == Suit.HEARTS]
        return min(hearts or view.legal, key=by_rank)


def enter():
    """Return the player."""
    return Revoker()
