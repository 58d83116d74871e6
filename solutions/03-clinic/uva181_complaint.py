"""One test for the complaint: it fails on their program, and passes on every correct one."""

from cards import Card, Deck
from their_uva181 import play_out


# %% complaint
def test_the_next_leader() -> None:
    """The seat that takes a trick leads to the next one."""
    codes = "2C 3C 4C 5C AC 2D 3D 4D 5D AD 2S 3S"
    first, second = play_out(Deck(Card.parse(code) for code in codes.split()))
    assert second.leader == first.taker
