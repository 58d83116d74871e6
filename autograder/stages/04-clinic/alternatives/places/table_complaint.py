"""The complaint, told in the order of an evening: a deal is played, and then comes the next."""

from cards import Card, Hand
from their_table import Deal, Seat


def new_deal():
    """Return a deal with two cards for each seat."""
    codes = ("KH 5D", "2C 6D", "QS 7D", "3C 8D")
    return Deal([Hand([Card.parse(code) for code in pair.split()]) for pair in codes])


def test_the_second_deal():
    """The second deal begins with nothing taken."""
    first = new_deal()
    assert [first.play(Card.parse(code)) for code in ("2C", "QS", "3C", "KH")][-1] == Seat.WEST
    assert first.scores() == [0, 0, 0, 14]
    second = new_deal()
    assert second.scores() == [0, 0, 0, 0]
    assert [second.taken(seat) for seat in Seat] == [[], [], [], []]
