"""Tests of the table, each a sentence of the rules; none of them knows how the table works inside.

A test is a function without arguments whose name begins with `test_`. It calls what the brief
describes of `table`, and asserts what must come back from every correct one.
"""

from collections.abc import Callable

from cards import Card, Hand
from table import Deal, Seat

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


def test_what_cards_cost() -> None:
    """A heart costs 1, whatever its rank, the queen of spades 13, and nothing else costs."""
    raise NotImplementedError("Task 8: Test the table")


def test_who_shoots_the_moon() -> None:
    """Only who takes all points shoots the moon, which costs all others 26."""
    raise NotImplementedError("Task 8: Test the table")


def test_when_a_game_is_over() -> None:
    """A game is over as soon as one player has 100 points."""
    raise NotImplementedError("Task 8: Test the table")


def test_who_wins() -> None:
    """The fewest points win, and those who share them win together."""
    raise NotImplementedError("Task 8: Test the table")


def test_who_opens() -> None:
    """The two of clubs opens the deal, wherever it lies."""
    raise NotImplementedError("Task 8: Test the table")


def test_how_a_trick_goes() -> None:
    """The play goes clockwise, and the highest card of the suit led takes the trick."""
    raise NotImplementedError("Task 8: Test the table")


def test_how_a_deal_ends() -> None:
    """A deal is over when the last card has been played, and not before."""
    raise NotImplementedError("Task 8: Test the table")


def test_what_may_be_played() -> None:
    """Who can follow suit must; who cannot may play anything; who leads may do so, too."""
    raise NotImplementedError("Task 8: Test the table")


def test_a_refused_card_changes_nothing() -> None:
    """A card that may not be played, or that somebody else holds, is refused; nothing changes."""
    raise NotImplementedError("Task 8: Test the table")
