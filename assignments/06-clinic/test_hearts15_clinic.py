"""Visible checks of the clinic of stage 06: your test of their program, and your repair."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import AS_YOU_GOT_IT, CORRECT, FAILS, PASSES, Complaint

COMPLAINT = Complaint(
    Path(__file__), "their_hearts15", test="hearts15_complaint.test_the_hidden_heart"
)


@pytest.fixture
def your_test(program_with):
    """Return a function that tells how your test ends on their program."""
    return COMPLAINT.tried(program_with)


@pytest.mark.task("show-their-slip-in-hearts15")
def test_it_fails_on_their_hearts15(your_test):
    """Your test fails on their program as you got it.

    A test that passes there does not notice what Barnaby complains about.
    """
    assert your_test(on=AS_YOU_GOT_IT) == FAILS
    if COMPLAINT.correct.is_file():  # only the grader has it
        assert your_test(on=CORRECT) == PASSES


@pytest.mark.task("repair-their-hearts15")
def test_a_hidden_heart_does_not_break_hearts(cards, their_hearts15):
    """The hidden card is not played, so hearts may not be led because of it."""

    def hold(codes):
        return cards.Hand([cards.Card.parse(code) for code in codes.split()])

    hands = [hold(codes) for codes in ("2C 8S 9S", "KC 3S 2H", "3C 4S 5S")]
    tricks = their_hearts15.Tricks(hands, cards.Card.parse("QH"))
    for code in ("2C", "KC", "3C"):
        tricks.play(cards.Card.parse(code))
    assert [str(card) for card in tricks.legal_plays()] == ["3S"]


@pytest.mark.task("repair-their-hearts15")
def test_your_test_passes_on_your_hearts15(your_test):
    """Your test fails on their program as you got it, and passes once you have repaired it."""
    on_theirs, on_yours = your_test(on=AS_YOU_GOT_IT), your_test(on="your repair")
    assert [on_theirs, on_yours] == [FAILS, PASSES]
