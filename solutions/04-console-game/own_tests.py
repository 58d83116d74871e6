"""Tests of the table, each a sentence of the rules; none of them knows how the table works inside.

A test is a function without arguments whose name begins with `test_`. It calls what the brief
describes of `table`, and asserts what must come back from every correct one.
"""

from collections.abc import Callable

from cards import Card, Hand
from table import Deal, Seat, deal_scores, game_over, winners

HEARTS = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"


def hold(codes: str) -> list[Card]:
    """The cards of these codes, such as `2C QS`."""
    return [Card.parse(code) for code in codes.split()]


def deal_of(*hands: str) -> Deal:
    """A deal of these four hands, North's first."""
    return Deal([Hand(hold(codes)) for codes in hands])


def played(deal: Deal, codes: str) -> list[Seat | None]:
    """What the deal answers to each of these cards, played one after the other."""
    return [deal.play(card) for card in hold(codes)]


def is_refused(play: Callable[[], object]) -> bool:
    """Does this raise ValueError?"""
    try:
        play()
    except ValueError:
        return True
    return False


# %% test-the-table
def test_what_cards_cost() -> None:
    """A heart costs 1, whatever its rank, the queen of spades 13, and nothing else costs."""
    taken = [hold("2H AH QH"), hold("QS KH"), hold("KS AS QD 2C"), hold("9H")]
    assert deal_scores(taken) == [3, 14, 0, 1]


def test_who_shoots_the_moon() -> None:
    """Only who takes all points shoots the moon, which costs all others 26."""
    assert deal_scores([hold("2C"), [], hold(f"{HEARTS} QS 3D"), []]) == [26, 26, 0, 26]
    assert deal_scores([[], hold(f"{HEARTS}"), [], hold("QS")]) == [0, 13, 0, 13]
    assert deal_scores([hold("2H"), hold(f"QS {HEARTS[3:]}"), [], []]) == [1, 25, 0, 0]


def test_when_a_game_is_over() -> None:
    """A game is over as soon as one player has 100 points."""
    assert [game_over([0, 99, 42, 7]), game_over([0, 7, 42, 100])] == [False, True]
    assert [game_over([101, 5, 5, 5]), game_over([60, 60, 0, 36])] == [True, False]


def test_who_wins() -> None:
    """The fewest points win, and those who share them win together."""
    assert winners([100, 42, 7, 99]) == [Seat.SOUTH]
    assert winners([42, 7, 100, 7]) == [Seat.EAST, Seat.WEST]


def test_who_opens() -> None:
    """The two of clubs opens the deal, wherever it lies."""
    deal = deal_of("3C 4C", "AC KS", "2D 5S", "9D 2C")
    assert deal.turn == Seat.WEST
    assert deal.legal_plays() == hold("2C")


def test_how_a_trick_goes() -> None:
    """The play goes clockwise, and the highest card of the suit led takes the trick."""
    deal = deal_of("3C 4S", "AS 5S", "9C 7S", "2C 8S")
    deal.play(Card.parse("2C"))
    assert [deal.turn, deal.trick] == [Seat.NORTH, hold("2C")]
    assert played(deal, "3C AS 9C") == [None, None, Seat.SOUTH]
    assert [deal.turn, deal.trick] == [Seat.SOUTH, []]
    assert sorted(deal.taken(Seat.SOUTH)) == sorted(hold("2C 3C AS 9C"))
    assert [deal.taken(Seat.NORTH), deal.taken(Seat.EAST), deal.taken(Seat.WEST)] == [[], [], []]


def test_how_a_deal_ends() -> None:
    """A deal is over when the last card has been played, and not before."""
    deal = deal_of("3C 9H", "4C QS", "5C 9S", "2C TH")
    played(deal, "2C 3C 4C 5C")
    assert [deal.is_over(), deal.scores(), deal.turn] == [False, [0, 0, 0, 0], Seat.SOUTH]
    played(deal, "9S TH 9H QS")
    assert [deal.is_over(), deal.scores(), deal.hand(Seat.EAST)] == [True, [0, 15, 0, 0], []]


def test_what_may_be_played() -> None:
    """Who can follow suit must; who cannot may play anything; who leads may do so, too."""
    deal = deal_of("3C KD", "QS TH", "9C 4S", "2C 8H")
    assert is_refused(lambda: deal.play(Card.parse("8H")))
    played(deal, "2C")
    assert deal.legal_plays() == hold("3C")
    played(deal, "3C")
    assert sorted(deal.legal_plays()) == sorted(hold("QS TH"))
    deal = deal_of("3C KD", "4C 5D", "KC 4S TH", "2C 8D")
    played(deal, "2C 3C 4C KC")
    assert sorted(deal.legal_plays()) == sorted(hold("4S TH"))


def test_a_refused_card_changes_nothing() -> None:
    """A card that may not be played, or that somebody else holds, is refused; nothing changes."""
    deal = deal_of("3C KD", "4C 5D", "9C 4S", "2C 8H")
    played(deal, "2C")
    assert is_refused(lambda: deal.play(Card.parse("KD")))
    assert is_refused(lambda: deal.play(Card.parse("9C")))
    assert [deal.turn, deal.trick] == [Seat.NORTH, hold("2C")]
    assert sorted(deal.hand(Seat.NORTH)) == sorted(hold("3C KD"))
    played(deal, "3C")
    assert deal.hand(Seat.NORTH) == hold("KD")
