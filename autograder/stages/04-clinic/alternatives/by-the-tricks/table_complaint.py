"""The complaint, told with two deals that are on the table at the same time."""

import their_table
from cards import Card, Hand


def test_the_second_deal():
    """What happens in one deal is no business of the other."""
    held = [Hand([Card.parse(code)]) for code in ("AH", "2C", "QS", "2D")]
    one, other = their_table.Deal(held), their_table.Deal(held)
    for code in ("2C", "QS", "2D", "AH"):
        one.play(Card.parse(code))
    assert len(one.taken(their_table.Seat.EAST)) == 4
    for seat in their_table.Seat:
        assert not other.taken(seat), seat
    assert other.turn == their_table.Seat.EAST
