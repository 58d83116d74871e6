"""The complaint, told with the whole hand and as a set of codes."""

import their_legal
from cards import Card, Hand


def hold(codes):
    """Return the cards with these codes."""
    return [Card.parse(code) for code in codes.split()]


def test_the_complaint():
    """Hearts stay at home as well."""
    for first in ("2C", "KC"):
        turn = their_legal.Turn(
            Hand(hold("QS 9D 4D AH")), their_legal.Rules(), hold(first), first_trick=True
        )
        played = {str(card) for card in their_legal.legal_plays(turn)}
        assert "QS" not in played, played
        assert played <= {"9D", "4D"}
