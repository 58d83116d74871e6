"""Tests of the table. Each one shows something that every correct table does.

    hold      the cards with these codes: hold("2C QS")
    codes     the codes of cards, sorted: for lists whose order the brief does not promise
    deal_of   a deal of four hands, North's first: deal_of("3C KD", "QS TH", "9C 4S", "2C 8H")
    played    what a deal answers to cards that are played one after the other
    raises    passes if its block raises the error, like `pytest.raises`: with raises(ValueError):

A good test is short, its name says what must be true, and each `assert` checks one fact. It calls
only what the brief describes. So it accepts every correct table, and not just yours.
"""

import unittest
from collections.abc import Iterable

from cards import Card, Hand
from table import Deal, Seat

HEARTS = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"

raises = unittest.TestCase().assertRaises  # where the grader runs, pytest is not installed


def hold(text: str) -> list[Card]:
    """Return the cards with these codes, such as `2C QS`."""
    return [Card.parse(code) for code in text.split()]


def codes(cards: Iterable[Card]) -> str:
    """Return the codes of the cards, sorted as texts."""
    return " ".join(sorted(str(card) for card in cards))


def deal_of(*hands: str) -> Deal:
    """Return a deal of these four hands, North's first."""
    return Deal([Hand(hold(hand)) for hand in hands])


def played(deal: Deal, text: str) -> list[Seat | None]:
    """Play these cards one after the other; return what the deal answers to each."""
    return [deal.play(card) for card in hold(text)]


def test_hearts_and_the_queen_of_spades_cost_points() -> None:
    """A heart costs 1, whatever its rank, the queen of spades 13, and other cards nothing."""
    raise NotImplementedError("Task 10: Test the table")


def test_shooting_the_moon_costs_the_others_26() -> None:
    """A player who takes all points pays nothing, and each of the others pays 26."""
    raise NotImplementedError("Task 10: Test the table")


def test_one_card_short_is_not_the_moon() -> None:
    """A player who misses the queen, or a single heart, has not shot the moon."""
    raise NotImplementedError("Task 10: Test the table")


def test_a_game_ends_at_100_points() -> None:
    """A game is over as soon as one player has 100 points; all players together do not count."""
    raise NotImplementedError("Task 10: Test the table")


def test_the_fewest_points_win() -> None:
    """The fewest points win; players who share them win together, in the order of their seats."""
    raise NotImplementedError("Task 10: Test the table")


def test_the_two_of_clubs_opens() -> None:
    """The player with the two of clubs begins, and can play no other card."""
    raise NotImplementedError("Task 10: Test the table")


def test_the_turn_goes_clockwise() -> None:
    """A card that is played lies in the trick, and the next seat clockwise has the turn."""
    raise NotImplementedError("Task 10: Test the table")


def test_the_highest_card_of_the_suit_led_takes_the_trick() -> None:
    """The fourth card completes the trick; an ace of another suit does not take it."""
    raise NotImplementedError("Task 10: Test the table")


def test_the_taker_leads() -> None:
    """Whoever takes a trick leads to the next one, and the table is empty then."""
    raise NotImplementedError("Task 10: Test the table")


def test_a_deal_ends_with_its_last_card() -> None:
    """A deal goes on while there is a trick to play; after the last card, all points count."""
    raise NotImplementedError("Task 10: Test the table")


def test_a_player_who_can_follow_suit_must() -> None:
    """A player with cards of the suit led may play only those."""
    raise NotImplementedError("Task 10: Test the table")


def test_a_player_who_is_void_may_play_anything() -> None:
    """A player with no card of the suit led may play any card, points as well."""
    raise NotImplementedError("Task 10: Test the table")


def test_the_leader_may_lead_any_card() -> None:
    """From the second trick on, the leader may play any card, even a heart."""
    raise NotImplementedError("Task 10: Test the table")


def test_an_illegal_card_is_refused() -> None:
    """The deal refuses a wrong opening, a card of another suit and a card of another hand."""
    raise NotImplementedError("Task 10: Test the table")


def test_a_refused_card_changes_nothing() -> None:
    """After a refusal, the turn, the trick and the hand are as before."""
    raise NotImplementedError("Task 10: Test the table")


def test_a_card_that_is_played_leaves_the_hand() -> None:
    """A card is in the hand until it is played, and not after that."""
    raise NotImplementedError("Task 10: Test the table")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name} passes")
