"""One test for the complaint: it fails on their program, and passes on every correct one."""

from cards import Card


def hold(codes: str) -> list[Card]:
    """Return the cards with these codes, such as `2C QS`."""
    return [Card.parse(code) for code in codes.split()]


def test_a_card_moves_once() -> None:
    """A seat cannot pass on a card that it receives in the same pass."""
    raise NotImplementedError("Task 1: Show the slip")
