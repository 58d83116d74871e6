"""Visible checks of the clinic of stage 02: your test of their program, and your repair."""

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

COMPLAINT = Complaint(Path(__file__), "their_legal", test="legal_complaint.test_the_complaint")


@pytest.fixture
def your_test(program_with):
    """Return a function that tells how your test ends on their program."""
    return COMPLAINT.tried(program_with)


@pytest.fixture
def correct_program(program_with):
    """Return which program is known to be correct: the grader's, or else your repair."""
    return COMPLAINT.known_correct(program_with, test_the_queen_stays_at_home)


@pytest.mark.task("show-their-slip-in-legal")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_it_fails_on_their_program(your_test):
    """Your test fails on their program as you got it, because of what the program answers.

    A test that passes there does not notice what Barnaby complains about. Neither does a test that
    fails because of a mistake in the test.
    """
    assert your_test(on=AS_YOU_GOT_IT) == FAILS


@pytest.mark.task("show-their-slip-in-legal")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_it_passes_on_a_correct_program(your_test, correct_program):
    """Your test tells their program from one that keeps the rules of this table.

    A test that fails on both asks for more than the rules say, or there is a mistake in it.
    A test that passes on both programs does not show the slip.
    """
    ends = {program: your_test(on=program) for program in (AS_YOU_GOT_IT, correct_program)}
    assert in_words(ends) == showing_the_slip(correct_program)


@pytest.mark.task("repair-their-legal")
def test_the_queen_stays_at_home(cards, their_legal):
    """A void player keeps points back on the first trick only, and only if another card is free."""

    def turn(codes, first_trick):
        hand = cards.Hand([cards.Card.parse(code) for code in codes.split()])
        clubs = [cards.Card.parse("2C")]
        return their_legal.Turn(hand, their_legal.Rules(), clubs, first_trick=first_trick)

    first = turn("QS JS 4H 4D", first_trick=True)
    assert sorted(str(card) for card in their_legal.legal_plays(first)) == ["4D", "JS"]
    only_points = turn("QS 4H", first_trick=True)
    assert sorted(str(card) for card in their_legal.legal_plays(only_points)) == ["4H", "QS"]
    later = turn("QS JS 4H 4D", first_trick=False)
    assert sorted(str(card) for card in their_legal.legal_plays(later)) == ["4D", "4H", "JS", "QS"]


@pytest.mark.task("repair-their-legal")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_your_test_passes_on_your_repair(your_test):
    """Your test fails on their program as you got it, and passes once you have repaired it.

    If your test fails on both programs, it asks for more than the rules say, or there is a mistake
    in it, or the repair is not complete.
    """
    ends = {program: your_test(on=program) for program in (AS_YOU_GOT_IT, YOUR_REPAIR)}
    assert in_words(ends) == showing_the_slip(YOUR_REPAIR)
