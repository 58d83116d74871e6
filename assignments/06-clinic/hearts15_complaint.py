"""One test for the complaint: it fails on their program, and passes on every correct one."""

from cards import Card, Hand


def hold(codes: str) -> Hand:
    """Return a hand of the cards with these codes, such as `2C QS`."""
    return Hand(Card.parse(code) for code in codes.split())


def test_the_hidden_heart() -> None:
    """A hidden heart does not break hearts."""
    raise NotImplementedError("Task 1: Show the slip")
