"""Broken: plays the second legal card, even if there is only one."""

from players import Player

ALIAS = "Off By One"


class Second(Player):
    """Play the second card."""

    def pass_cards(self, view):
        """Pass three cards."""
        return list(view.hand[1:4])

    def play(self, view):
        """Play the second legal card, if the hand is not over."""
        return view.legal[1 if len(view.hand) > 1 and len(view.legal) > 1 else len(view.hand)]


def enter():
    """Return the player."""
    return Second()
