"""The complaint, told with the queen of hearts under the table and a heart in the leader's hand."""

from cards import Card, Hand
from their_hearts15 import Tricks


def parse(text):
    """Return the cards with these codes."""
    return [Card.parse(code) for code in text.split()]


def test_the_hidden_heart():
    """After a first trick without hearts, the taker leads none."""
    hands = [Hand(parse("3C JD 4H")), Hand(parse("AC 9D 5H")), Hand(parse("7C TD 6H"))]
    (hidden,) = parse("QH")
    tricks = Tricks(hands, hidden)
    for card in parse("3C AC 7C"):
        tricks.play(card)
    assert (tricks.seat, tricks.scores()) == (1, [0, 1, 0])
    assert tricks.legal_plays() == parse("9D")
