"""Visible checks of the clinic of stage 04: your test of their program, and your repair."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import AS_YOU_GOT_IT, CORRECT, FAILS, PASSES, Complaint

COMPLAINT = Complaint(Path(__file__), "their_table", test="table_complaint.test_the_second_deal")


@pytest.fixture
def your_test(program_with):
    """Return a function that tells how your test ends on their program."""
    return COMPLAINT.tried(program_with)


@pytest.mark.task("show-their-slip-in-table")
def test_it_fails_on_their_table(your_test):
    """Your test fails on their program as you got it.

    A test that passes there does not notice what Cy complains about.
    """
    assert your_test(on=AS_YOU_GOT_IT) == FAILS
    if COMPLAINT.correct.is_file():  # only the grader has it
        assert your_test(on=CORRECT) == PASSES


@pytest.mark.task("repair-their-table")
def test_a_new_deal_begins_without_cards(cards, their_table):
    """In a new deal nobody has taken a card, whatever happened in the deal before."""

    def deal():
        held = [cards.Hand([cards.Card.parse(code)]) for code in ("5C", "6C", "7C", "AH")]
        return their_table.Deal(held)

    before = deal()
    for code in ("5C", "6C", "7C", "AH"):
        before.play(cards.Card.parse(code))
    assert before.scores() == [0, 0, 1, 0]
    assert deal().scores() == [0, 0, 0, 0]


@pytest.mark.task("repair-their-table")
def test_your_test_passes_on_your_table(your_test):
    """Your test fails on their program as you got it, and passes once you have repaired it."""
    on_theirs, on_yours = your_test(on=AS_YOU_GOT_IT), your_test(on="your repair")
    assert [on_theirs, on_yours] == [FAILS, PASSES]
