"""The complaint, told for a pass to the left: the second seat passes on what the first gives."""

from cards import Card, Hand
from their_passing import IllegalPass, Pass, pass_cards


def test_a_card_moves_once():
    """Each seat holds one suit, so a card of another suit has just come."""
    hands = [Hand([Card.parse(rank + suit) for rank in "234"]) for suit in "CDSH"]
    chosen = [list(hand) for hand in hands]
    chosen[1] = [chosen[0][0], *chosen[1][:2]]
    try:
        pass_cards(hands, chosen, Pass.LEFT)
    except IllegalPass:
        return
    raise AssertionError("a card has moved twice")
