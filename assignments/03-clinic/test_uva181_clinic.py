"""Visible checks of the clinic of stage 03: your test of their program, and your repair."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import AS_YOU_GOT_IT, CORRECT, FAILS, PASSES, Complaint

COMPLAINT = Complaint(Path(__file__), "their_uva181", test="uva181_complaint.test_the_next_leader")


@pytest.fixture
def your_test(program_with):
    """Return a function that tells how your test ends on their program."""
    return COMPLAINT.tried(program_with)


@pytest.mark.task("show-their-slip-in-uva181")
def test_it_fails_on_their_uva181(your_test):
    """Your test fails on their program as you got it.

    A test that passes there does not notice what Di complains about.
    """
    assert your_test(on=AS_YOU_GOT_IT) == FAILS
    if COMPLAINT.correct.is_file():  # only the grader has it
        assert your_test(on=CORRECT) == PASSES


@pytest.mark.task("repair-their-uva181")
def test_the_taker_leads_to_the_next_trick(cards, their_uva181):
    """Whoever takes a trick leads to the next one."""
    codes = "QC 3C KC 5C 4C 6D 7D 8D 9D TD 2S 3S"
    deck = cards.Deck([cards.Card.parse(code) for code in codes.split()])
    assert [trick.leader for trick in their_uva181.play_out(deck)] == [1, 3]


@pytest.mark.task("repair-their-uva181")
def test_your_test_passes_on_your_uva181(your_test):
    """Your test fails on their program as you got it, and passes once you have repaired it."""
    on_theirs, on_yours = your_test(on=AS_YOU_GOT_IT), your_test(on="your repair")
    assert [on_theirs, on_yours] == [FAILS, PASSES]
