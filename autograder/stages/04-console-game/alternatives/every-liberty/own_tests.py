"""Tests of the table, in five groups of facts; a test may stand anywhere at the top level."""

import unittest
from collections.abc import Iterable

from cards import Card, Hand
from table import Deal, Seat, deal_scores, game_over, winners

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


def fact_hearts_and_the_queen_of_spades_cost_points() -> None:
    """A heart costs 1, whatever its rank, the queen of spades 13, and other cards nothing."""
    assert deal_scores([hold("2H AH QH"), [], [], hold("9H")]) == [3, 0, 0, 1]
    assert deal_scores([hold("QS"), [], [], []]) == [13, 0, 0, 0]
    assert deal_scores([hold("KS AS QD 2C"), [], [], []]) == [0, 0, 0, 0]


def fact_shooting_the_moon_costs_the_others_26() -> None:
    """A player who takes all points pays nothing, and each of the others pays 26."""
    assert deal_scores([hold("2C"), [], hold(f"{HEARTS} QS 3D"), []]) == [26, 26, 0, 26]


def fact_one_card_short_is_not_the_moon() -> None:
    """A player who misses the queen, or a single heart, has not shot the moon."""
    assert deal_scores([[], hold(HEARTS), [], hold("QS")]) == [0, 13, 0, 13]
    assert deal_scores([hold("2H"), hold(f"QS {HEARTS[3:]}"), [], []]) == [1, 25, 0, 0]


def fact_a_game_ends_at_100_points() -> None:
    """A game is over as soon as one player has 100 points; all players together do not count."""
    assert not game_over([0, 99, 42, 7])
    assert game_over([0, 7, 42, 100])
    assert game_over([101, 5, 5, 5])
    assert not game_over([60, 60, 0, 36])


def fact_the_fewest_points_win() -> None:
    """The fewest points win; players who share them win together, in the order of their seats."""
    assert winners([100, 42, 7, 99]) == [Seat.SOUTH]
    assert winners([42, 7, 100, 7]) == [Seat.EAST, Seat.WEST]


def fact_the_two_of_clubs_opens() -> None:
    """The player with the two of clubs begins, and can play no other card."""
    deal = deal_of("3C 4C", "AC KS", "2D 5S", "9D 2C")
    assert deal.turn == Seat.WEST
    assert codes(deal.legal_plays()) == "2C"


def fact_the_turn_goes_clockwise() -> None:
    """A card that is played lies in the trick, and the next seat clockwise has the turn."""
    deal = deal_of("3C 4S", "AS 5S", "9C 7S", "2C 8S")
    deal.play(Card.parse("2C"))
    assert deal.trick == hold("2C")
    assert deal.turn == Seat.NORTH


def fact_the_highest_card_of_the_suit_led_takes_the_trick() -> None:
    """The fourth card completes the trick; an ace of another suit does not take it."""
    deal = deal_of("3C 4S", "AS 5S", "9C 7S", "2C 8S")
    assert played(deal, "2C 3C AS 9C") == [None, None, None, Seat.SOUTH]
    assert codes(deal.taken(Seat.SOUTH)) == "2C 3C 9C AS"
    assert deal.taken(Seat.EAST) == []


def fact_the_taker_leads() -> None:
    """Whoever takes a trick leads to the next one, and the table is empty then."""
    deal = deal_of("3C 4S", "AS 5S", "9C 7S", "2C 8S")
    played(deal, "2C 3C AS 9C")
    assert deal.turn == Seat.SOUTH
    assert deal.trick == []


def fact_a_deal_ends_with_its_last_card() -> None:
    """A deal goes on while there is a trick to play; after the last card, all points count."""
    deal = deal_of("3C 9H", "4C QS", "5C 9S", "2C TH")
    played(deal, "2C 3C 4C 5C")
    assert not deal.is_over()
    assert deal.scores() == [0, 0, 0, 0]
    played(deal, "9S TH 9H QS")
    assert deal.is_over()
    assert deal.scores() == [0, 15, 0, 0]


def fact_a_player_who_can_follow_suit_must() -> None:
    """A player with cards of the suit led may play only those."""
    deal = deal_of("3C KD", "QS TH", "9C 4S", "2C 8H")
    played(deal, "2C")
    assert codes(deal.legal_plays()) == "3C"


def fact_a_player_who_is_void_may_play_anything() -> None:
    """A player with no card of the suit led may play any card, points as well."""
    deal = deal_of("3C KD", "QS TH", "9C 4S", "2C 8H")
    played(deal, "2C 3C")
    assert codes(deal.legal_plays()) == "QS TH"


def fact_the_leader_may_lead_any_card() -> None:
    """From the second trick on, the leader may play any card, even a heart."""
    deal = deal_of("3C KD", "4C 5D", "KC 4S TH", "2C 8D")
    played(deal, "2C 3C 4C KC")
    assert codes(deal.legal_plays()) == "4S TH"


def fact_an_illegal_card_is_refused() -> None:
    """The deal refuses a wrong opening, a card of another suit and a card of another hand."""
    deal = deal_of("3C KD", "4C 5D", "9C 4S", "2C 8H")
    with raises(ValueError):
        deal.play(Card.parse("8H"))
    played(deal, "2C")
    with raises(ValueError):
        deal.play(Card.parse("KD"))
    with raises(ValueError):
        deal.play(Card.parse("9C"))


def fact_a_refused_card_changes_nothing() -> None:
    """After a refusal, the turn, the trick and the hand are as before."""
    deal = deal_of("3C KD", "4C 5D", "9C 4S", "2C 8H")
    played(deal, "2C")
    with raises(ValueError):
        deal.play(Card.parse("KD"))
    assert deal.turn == Seat.NORTH
    assert deal.trick == hold("2C")
    assert codes(deal.hand(Seat.NORTH)) == "3C KD"


def fact_a_card_that_is_played_leaves_the_hand() -> None:
    """A card is in the hand until it is played, and not after that."""
    deal = deal_of("3C KD", "4C 5D", "9C 4S", "2C 8H")
    played(deal, "2C 3C")
    assert codes(deal.hand(Seat.NORTH)) == "KD"


def test_scores() -> None:
    """Hold these facts together."""
    fact_hearts_and_the_queen_of_spades_cost_points()
    fact_shooting_the_moon_costs_the_others_26()
    fact_one_card_short_is_not_the_moon()


if HEARTS:

    def test_the_end() -> None:
        """Hold these facts together."""
        fact_a_game_ends_at_100_points()
        fact_the_fewest_points_win()


def test_tricks() -> None:
    """Hold these facts together."""
    fact_the_two_of_clubs_opens()
    fact_the_turn_goes_clockwise()
    fact_the_highest_card_of_the_suit_led_takes_the_trick()
    fact_the_taker_leads()
    fact_a_deal_ends_with_its_last_card()


try:

    def test_the_rules() -> None:
        """Hold these facts together."""
        fact_a_player_who_can_follow_suit_must()
        fact_a_player_who_is_void_may_play_anything()
        fact_the_leader_may_lead_any_card()
finally:
    pass


def fact_the_rest() -> None:
    """Hold the last facts together."""
    fact_an_illegal_card_is_refused()
    fact_a_refused_card_changes_nothing()
    fact_a_card_that_is_played_leaves_the_hand()


test_the_rest = fact_the_rest
