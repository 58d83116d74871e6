"""Visible checks of the clinic of stage 03: your test of their program, and your repair."""

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

COMPLAINT = Complaint(Path(__file__), "their_uva181", test="uva181_complaint.test_the_next_leader")


@pytest.fixture
def your_test(program_with):
    """Return a function that tells how your test ends on their program."""
    return COMPLAINT.tried(program_with)


@pytest.fixture
def correct_program(program_with):
    """Return which program is known to be correct: the grader's, or else your repair."""
    return COMPLAINT.known_correct(program_with, test_the_taker_leads_to_the_next_trick)


@pytest.mark.task("show-their-slip-in-uva181")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_it_fails_on_their_uva181(your_test):
    """Your test fails on their program as you got it, because of what the program answers.

    A test that passes there does not notice what Di complains about. Neither does a test that
    fails because of a mistake in the test.
    """
    assert your_test(on=AS_YOU_GOT_IT) == FAILS


@pytest.mark.task("show-their-slip-in-uva181")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_it_passes_on_a_correct_uva181(your_test, correct_program):
    """Your test tells their program from one that keeps the rules of this table.

    A test that fails on both asks for more than the rules say, or there is a mistake in it.
    A test that passes on both programs does not show the slip.
    """
    ends = {program: your_test(on=program) for program in (AS_YOU_GOT_IT, correct_program)}
    assert in_words(ends) == showing_the_slip(correct_program)


@pytest.mark.task("repair-their-uva181")
def test_the_taker_leads_to_the_next_trick(cards, their_uva181):
    """Whoever takes a trick leads to the next one."""
    codes = "QC 3C KC 5C 4C 6D 7D 8D 9D TD 2S 3S"
    deck = cards.Deck([cards.Card.parse(code) for code in codes.split()])
    assert [trick.leader for trick in their_uva181.play_out(deck)] == [1, 3]


@pytest.mark.task("repair-their-uva181")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_your_test_passes_on_your_uva181(your_test):
    """Your test fails on their program as you got it, and passes once you have repaired it.

    If your test fails on both programs, it asks for more than the rules say, or there is a mistake
    in it, or the repair is not complete.
    """
    ends = {program: your_test(on=program) for program in (AS_YOU_GOT_IT, YOUR_REPAIR)}
    assert in_words(ends) == showing_the_slip(YOUR_REPAIR)
