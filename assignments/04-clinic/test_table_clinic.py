"""Visible checks of the clinic of stage 04: your test of their program, and your repair."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import (
    AS_YOU_GOT_IT,
    FAILS,
    SEVERAL_TRIES,
    YOUR_REPAIR,
    Complaint,
    in_words,
    showing_the_slip,
)

COMPLAINT = Complaint(Path(__file__), "their_table", test="table_complaint.test_the_second_deal")


@pytest.fixture
def your_test(program_with):
    """Return a function that tells how your test ends on their program."""
    return COMPLAINT.tried(program_with)


@pytest.fixture
def correct_program(program_with):
    """Return which program is known to be correct: the grader's, or else your repair."""
    return COMPLAINT.known_correct(program_with, test_a_new_deal_begins_without_cards)


@pytest.mark.task("show-their-slip-in-table")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_it_fails_on_their_table(your_test):
    """Your test fails on their program as you got it, because of what the program answers.

    A test that passes there does not notice what Cy complains about. Neither does a test that
    fails because of a mistake in the test.
    """
    assert your_test(on=AS_YOU_GOT_IT) == FAILS


@pytest.mark.task("show-their-slip-in-table")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_it_passes_on_a_correct_table(your_test, correct_program):
    """Your test tells their program from one that keeps the rules of this table.

    A test that fails on both asks for more than the rules say, or there is a mistake in it.
    A test that passes on both programs does not show the slip.
    """
    ends = {program: your_test(on=program) for program in (AS_YOU_GOT_IT, correct_program)}
    assert in_words(ends) == showing_the_slip(correct_program)


@pytest.mark.task("repair-their-table")
def test_a_new_deal_begins_without_cards(cards, their_table):
    """In a new deal nobody has taken a card, and the deal before keeps the cards taken in it.

    Any number of deals may exist at the same time, and each has its own cards.
    """

    def deal():
        held = [cards.Hand([cards.Card.parse(code)]) for code in ("5C", "6C", "7C", "AH")]
        return their_table.Deal(held)

    before = deal()
    for code in ("5C", "6C", "7C", "AH"):
        before.play(cards.Card.parse(code))
    assert before.scores() == [0, 0, 1, 0]
    new = deal()
    assert new.scores() == [0, 0, 0, 0]
    assert before.scores() == [0, 0, 1, 0]
    assert [len(before.taken(seat)) for seat in their_table.Seat] == [0, 0, 4, 0]
    new.play(cards.Card.parse("5C"))
    assert before.scores() == [0, 0, 1, 0]


@pytest.mark.task("repair-their-table")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_your_test_passes_on_your_table(your_test):
    """Your test fails on their program as you got it, and passes once you have repaired it.

    If your test fails on both programs, it asks for more than the rules say, or there is a mistake
    in it, or the repair is not complete.
    """
    ends = {program: your_test(on=program) for program in (AS_YOU_GOT_IT, YOUR_REPAIR)}
    assert in_words(ends) == showing_the_slip(YOUR_REPAIR)
