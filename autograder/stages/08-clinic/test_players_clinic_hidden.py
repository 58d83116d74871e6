"""Hidden checks of the clinic of stage 08: other correct programs, and the whole of the rules."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import FAILS, PASSES, Clinic

PROMISED = frozenset({"Player", "Low", "Sly", "choose"})
CLINIC = Clinic(
    Path(__file__).parent,
    "their_players",
    "players_complaint.test_sly_can_take_the_place_of_low",
    PROMISED,
)


@pytest.fixture
def endings(program_with, source):
    """Return how the student's test ends on their program, and on correct ones."""
    return CLINIC.endings(program_with, source)


@pytest.mark.task("show-their-slip-in-players")
def test_it_passes_on_correct_players(endings):
    """Your test passes on every correct program, and fails on theirs.

    A test that asks for more than the rules say would accuse the innocent.

    Try: your test with a Sly class that you have written yourself
    """
    on_theirs, on_correct = endings
    assert on_correct == [PASSES] * len(on_correct)
    assert on_theirs == [FAILS] * len(on_theirs)


@pytest.mark.task("show-their-slip-in-players")
def test_it_looks_at_what_their_players_do(endings):
    """Your test fails on their program however it is written, and passes when it is repaired.

    A test shows what a program does, and not which words stand in it.

    Try: your test on their program, with other names for its variables
    """
    on_theirs, on_correct = endings
    repaired = on_correct[: len(on_theirs)]
    assert on_theirs == [FAILS] * len(on_theirs)
    assert repaired == [PASSES] * len(repaired)


# Hand, trick, and what Low and Sly may play.
SITUATIONS = [
    ("9D 4C KS", "", "4C", "4C"),
    ("KS 7H", "", "7H", "7H"),
    ("6C 6S AD", "", "6C 6S", "6C 6S"),
    ("3D 8D KD 2S", "4D TD", "3D", "8D"),
    ("3D 8D KD 2S", "TD 4D", "3D", "8D"),
    ("3D 8D KD 2S", "9D AS", "3D", "8D"),
    ("8D KD 2S", "4D", "8D", "8D"),
    ("8D KD 2S", "8C", "2S", "2S"),
    ("8D KD 2C", "4D", "8D", "8D"),
    ("3D 8D KD", "9D AC", "3D", "8D"),
    ("8D KD 7S", "QC", "7S", "8D"),
    ("8D 8S KS", "9C", "8D 8S", "8D 8S"),
    ("9D TD", "9C AC 3C", "9D", "TD"),
    ("9D TD", "8C 3C", "9D", "9D"),
    ("5H QH", "QD QC", "5H", "5H"),
]


@pytest.mark.task("repair-their-players")
def test_their_players_keep_the_rules(cards, their_players, stdlib):
    """After your repair each player answers in every situation, and a Sly player is a Low one.

    A repair that breaks another rule brings the next complaint.

    Try: Low and Sly players that lead, follow suit, and cannot follow suit
    """

    def hold(codes):
        return [cards.Card.parse(code) for code in codes.split()]

    for held, trick, low, sly in SITUATIONS:
        hand, table = cards.Hand(hold(held)), hold(trick)
        assert str(their_players.Low().choose(hand, table)) in low.split()
        assert str(their_players.Sly().choose(hand, table)) in sly.split()
        assert [str(hand), len(table)] == [held, len(trick.split())]
    issubclass_there = stdlib("builtins").issubclass
    assert issubclass_there(their_players.Sly, their_players.Low) is True
    assert issubclass_there(their_players.Low, their_players.Player) is True
