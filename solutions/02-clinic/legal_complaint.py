"""One test for the complaint: it fails on their program, and passes on every correct one."""

from cards import Card, Hand
from their_legal import Rules, Turn, legal_plays


# %% complaint
def test_the_complaint() -> None:
    """On the first trick, a void player keeps the queen of spades while another card is free."""
    void_in_clubs = Hand([Card.parse("QS"), Card.parse("4D")])
    turn = Turn(void_in_clubs, Rules(), [Card.parse("2C")], first_trick=True)
    assert legal_plays(turn) == [Card.parse("4D")]
