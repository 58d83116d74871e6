"""One test for the complaint: it fails on their program, and passes on every correct one."""

from cards import Card, Hand
from their_players import Sly


def hold(codes: str) -> list[Card]:
    """Return the cards with these codes, such as `2C QS`."""
    return [Card.parse(code) for code in codes.split()]


# %% complaint
def test_sly_can_take_the_place_of_low() -> None:
    """A Sly player answers wherever a Low player does, also when it leads."""
    assert Sly().choose(Hand(hold("9D 4C KS")), []) == Card.parse("4C")
