"""One test for the complaint: it fails on their program, and passes on every correct one."""

from cards import Card, Hand
from their_passing import IllegalPass, Pass, pass_cards


def hold(codes: str) -> list[Card]:
    """Return the cards with these codes, such as `2C QS`."""
    return [Card.parse(code) for code in codes.split()]


# %% complaint
def test_a_card_moves_once() -> None:
    """A seat cannot pass on a card that it receives in the same pass."""
    held = ["QS 2C 3C", "2D 3D 4D", "2H 3H 4H", "2S 3S 4S"]
    hands = [Hand(hold(codes)) for codes in held]
    chosen = [hold(codes) for codes in ["QS 2C 3C", "QS 2D 3D", "2H 3H 4H", "2S 3S 4S"]]
    try:
        pass_cards(hands, chosen, Pass.LEFT)
    except IllegalPass:
        return
    raise AssertionError("seat 1 has passed on the queen that it received")
