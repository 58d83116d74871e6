"""Hidden checks of the clinic of stage 02: other correct programs, and the whole of the rules."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import FAILS, PASSES, Clinic

PROMISED = frozenset({"Rules", "Turn", "legal_plays", "lead", "follow", "parse"})
CLINIC = Clinic(
    Path(__file__).parent, "their_legal", "legal_complaint.test_the_complaint", PROMISED
)


@pytest.fixture
def endings(program_with, source):
    """Return how the student's test ends on their program, and on correct ones."""
    return CLINIC.endings(program_with, source)


@pytest.mark.task("show-their-slip-in-legal")
def test_it_passes_on_correct_programs(endings):
    """Your test passes on every correct program, and fails on theirs.

    A test that asks for more than the rules say would accuse the innocent.

    Try: Run your test with your own `legal.py` of stage 02, if its first line imports from `legal`.
    """
    on_theirs, on_correct = endings
    assert on_correct == [PASSES] * len(on_correct)
    assert on_theirs == [FAILS] * len(on_theirs)


@pytest.mark.task("show-their-slip-in-legal")
def test_it_looks_at_what_the_program_does(endings):
    """Your test fails on their program however it is written, and passes when it is repaired.

    A test shows what a program does, and not which words stand in it.

    Try: Give the variables of their program other names, and run your test again.
    """
    on_theirs, on_correct = endings
    repaired = on_correct[: len(on_theirs)]
    assert on_theirs == [FAILS] * len(on_theirs)
    assert repaired == [PASSES] * len(repaired)


# Hand, trick, what the turn says besides, and the cards that are allowed.
SITUATIONS = [
    ("QS KH 4D", "5C", {"first_trick": True}, "4D"),
    ("QS KH", "5C", {"first_trick": True}, "QS KH"),
    ("QS", "5C", {"first_trick": True}, "QS"),
    ("3H 9H", "5C KC", {"first_trick": True}, "3H 9H"),
    ("KS QH 7D", "5C", {"first_trick": True}, "KS 7D"),
    ("QS KH 4D TC", "5C", {"first_trick": True}, "TC"),
    ("QS KH 4D", "5C", {}, "QS KH 4D"),
    ("QS 9S 4D", "5S", {}, "QS 9S"),
    ("QS 9S 4D", "5S 8D", {}, "QS 9S"),
    ("KH 4D", "5H 6H", {"hearts_broken": True}, "KH"),
    ("5C 2C AH", "", {"first_trick": True}, "2C"),
    ("5C AS 2D 3H", "", {"first_trick": True}, "5C"),
    ("5D 9D 2H", "", {"first_trick": True}, "5D 9D"),
    ("5C 2C AH QS", "", {}, "5C 2C QS"),
    ("5C 2C AH QS", "", {"hearts_broken": True}, "5C 2C AH QS"),
    ("4H AH", "", {}, "4H AH"),
]
OPEN_TABLE = [
    ("QS KH 4D", "5C", {"first_trick": True}, "QS KH 4D"),
    ("5C AH QS", "", {}, "5C AH QS"),
]


@pytest.mark.task("repair-their-legal")
def test_their_program_keeps_the_rules(cards, their_legal):
    """After your repair their program keeps every rule, in every situation.

    A repair that breaks another rule brings the next complaint.

    Try: Ask what may be played on the first trick by a player who holds only points.
    """

    def hold(codes):
        return [cards.Card.parse(code) for code in codes.split()]

    free = {"points_on_first_trick": True, "hearts_must_be_broken": False}
    asked = [({}, case) for case in SITUATIONS] + [(free, case) for case in OPEN_TABLE]
    for book, (hand, trick, more, allowed) in asked:
        rules = their_legal.Rules(**book)
        turn = their_legal.Turn(cards.Hand(hold(hand)), rules, hold(trick), **more)
        assert {str(card) for card in their_legal.legal_plays(turn)} == set(allowed.split())
