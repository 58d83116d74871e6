"""The complaint, told card by card: each card that is allowed must be harmless."""

from cards import Card, Hand
from their_legal import Rules, Turn, legal_plays


def test_the_complaint():
    """The player has no club, and two cards without points."""
    hand = Hand([Card.parse("KH"), Card.parse("3S"), Card.parse("QS"), Card.parse("3D")])
    turn = Turn(hand, Rules(), [Card.parse("9C"), Card.parse("AC")], first_trick=True)
    for card in legal_plays(turn):
        assert str(card) in ("3S", "3D")
