"""One test for the complaint: it fails on their program, and passes on every correct one."""

from cards import Card, Hand
from their_table import Deal


def deal_of(codes: str) -> Deal:
    """Return a deal in which each seat holds one of these cards, North the first."""
    return Deal([Hand([Card.parse(code)]) for code in codes.split()])


# %% complaint
def test_the_second_deal() -> None:
    """A new deal begins without points, whatever happened in the deal before."""
    first = deal_of("2C 3C QS 4C")
    for code in ("2C", "3C", "QS", "4C"):
        first.play(Card.parse(code))
    second = deal_of("2C 3C QS 4C")
    assert second.scores() == [0, 0, 0, 0]
