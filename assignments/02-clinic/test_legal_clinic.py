"""Visible checks of the clinic of stage 02: your test of their program, and your repair."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import AS_YOU_GOT_IT, CORRECT, FAILS, PASSES, Complaint

COMPLAINT = Complaint(Path(__file__), "their_legal", test="legal_complaint.test_the_complaint")


@pytest.fixture
def your_test(program_with):
    """Return a function that tells how your test ends on their program."""
    return COMPLAINT.tried(program_with)


@pytest.mark.task("show-their-slip-in-legal")
def test_it_fails_on_their_program(your_test):
    """Your test fails on their program as you got it.

    A test that passes there does not notice what Barnaby complains about.
    """
    assert your_test(on=AS_YOU_GOT_IT) == FAILS
    if COMPLAINT.correct.is_file():  # only the grader has it
        assert your_test(on=CORRECT) == PASSES


@pytest.mark.task("repair-their-legal")
def test_the_queen_stays_at_home(cards, their_legal):
    """On the first trick, a void player keeps the queen of spades while another card is free."""
    hand = cards.Hand([cards.Card.parse(code) for code in ("QS", "4D")])
    turn = their_legal.Turn(hand, their_legal.Rules(), [cards.Card.parse("2C")], first_trick=True)
    assert [str(card) for card in their_legal.legal_plays(turn)] == ["4D"]


@pytest.mark.task("repair-their-legal")
def test_your_test_passes_on_your_repair(your_test):
    """Your test fails on their program as you got it, and passes once you have repaired it."""
    on_theirs, on_yours = your_test(on=AS_YOU_GOT_IT), your_test(on="your repair")
    assert [on_theirs, on_yours] == [FAILS, PASSES]
