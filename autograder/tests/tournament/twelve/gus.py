"""Too slow: loops without end if it leads and holds the queen of spades."""

from legal import is_queen_of_spades
from players import Player, by_rank, highest

ALIAS = "Endless Gus"


class Endless(Player):
    """Look for a way out that does not exist."""

    def pass_cards(self, view):
        """Pass the highest cards."""
        return highest(view.hand, 3)

    def play(self, view):
        """Play low, but never come to an end when leading with the queen in hand."""
        while not view.trick and view.tricks and any(map(is_queen_of_spades, view.hand)):
            pass
        return min(view.legal, key=by_rank)


def enter():
    """Return the player."""
    return Endless()
