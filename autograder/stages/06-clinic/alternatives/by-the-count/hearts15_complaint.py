"""The complaint, told with more cards: the leader may lead all but the hearts."""

import their_hearts15
from cards import Card, Hand


def test_the_hidden_heart():
    """First with a hidden heart, and then with hearts that were really played."""
    held = ("KC QC 5S 2H 3H", "2C 6C 8S 9S TS", "4C 6H 7H 8H 9H")
    hands = [Hand(map(Card.parse, codes.split())) for codes in held]
    tricks = their_hearts15.Tricks(hands, Card.parse("AH"))
    for code in ("2C", "4C", "KC"):
        assert Card.parse(code) in tricks.legal_plays()
        tricks.play(Card.parse(code))
    assert tricks.seat == 0
    assert {str(card) for card in tricks.legal_plays()} == {"QC", "5S"}
    for code in ("QC", "6C", "6H"):
        tricks.play(Card.parse(code))
    assert {str(card) for card in tricks.legal_plays()} == {"5S", "2H", "3H"}
    assert sum(tricks.scores()) == 2
