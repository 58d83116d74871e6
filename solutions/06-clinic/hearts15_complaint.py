"""One test for the complaint: it fails on their program, and passes on every correct one."""

from cards import Card, Hand
from their_hearts15 import Tricks


def hold(codes: str) -> Hand:
    """Return a hand of the cards with these codes, such as `2C QS`."""
    return Hand(Card.parse(code) for code in codes.split())


# %% complaint
def test_the_hidden_heart() -> None:
    """A hidden heart does not break hearts."""
    tricks = Tricks([hold("2C 5D"), hold("3C 6D"), hold("AC 7D 4H")], Card.parse("9H"))
    for card in hold("2C 3C AC"):
        tricks.play(card)
    assert tricks.legal_plays() == [Card.parse("7D")]
