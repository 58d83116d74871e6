"""One test for the complaint: it fails on their program, and passes on every correct one."""

from cards import Card, Hand
from their_table import Deal


def deal_of(codes: str) -> Deal:
    """Return a deal in which each seat holds one of these cards, North the first."""
    return Deal([Hand([Card.parse(code)]) for code in codes.split()])


def test_the_second_deal() -> None:
    """A new deal begins without points, whatever happened in the deal before."""
    raise NotImplementedError("Task 1: Show the slip")
