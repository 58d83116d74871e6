"""Visible checks of the clinic of stage 06: your test of their program, and your repair."""

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

COMPLAINT = Complaint(
    Path(__file__), "their_hearts15", test="hearts15_complaint.test_the_hidden_heart"
)


@pytest.fixture
def your_test(program_with):
    """Return a function that tells how your test ends on their program."""
    return COMPLAINT.tried(program_with)


@pytest.fixture
def correct_program(program_with):
    """Return which program is known to be correct: the grader's, or else your repair."""
    return COMPLAINT.known_correct(program_with, test_a_hidden_heart_does_not_break_hearts)


@pytest.mark.task("show-their-slip-in-hearts15")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_it_fails_on_their_hearts15(your_test):
    """Your test fails on their program as you got it, because of what the program answers.

    A test that passes there does not notice what Barnaby complains about. Neither does a test that
    fails because of a mistake in the test.
    """
    assert your_test(on=AS_YOU_GOT_IT) == FAILS


@pytest.mark.task("show-their-slip-in-hearts15")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_it_passes_on_a_correct_hearts15(your_test, correct_program):
    """Your test tells their program from one that keeps the rules of this table.

    A test that fails on both asks for more than the rules say, or there is a mistake in it.
    A test that passes on both programs does not show the slip.
    """
    ends = {program: your_test(on=program) for program in (AS_YOU_GOT_IT, correct_program)}
    assert in_words(ends) == showing_the_slip(correct_program)


@pytest.mark.task("repair-their-hearts15")
def test_a_hidden_heart_does_not_break_hearts(cards, their_hearts15):
    """The hidden card is not played. Hearts may be led once a heart has been played."""

    def hold(codes):
        return cards.Hand([cards.Card.parse(code) for code in codes.split()])

    hands = [hold(codes) for codes in ("2C 8S 9S TS", "KC AS 3D 2H", "3C 4H 5H 6H")]
    tricks = their_hearts15.Tricks(hands, cards.Card.parse("QH"))
    for code in ("2C", "KC", "3C"):
        tricks.play(cards.Card.parse(code))
    assert sorted(str(card) for card in tricks.legal_plays()) == ["3D", "AS"]
    for code in ("AS", "4H", "8S"):
        tricks.play(cards.Card.parse(code))
    assert sorted(str(card) for card in tricks.legal_plays()) == ["2H", "3D"]


@pytest.mark.task("repair-their-hearts15")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_your_test_passes_on_your_hearts15(your_test):
    """Your test fails on their program as you got it, and passes once you have repaired it.

    If your test fails on both programs, it asks for more than the rules say, or there is a mistake
    in it, or the repair is not complete.
    """
    ends = {program: your_test(on=program) for program in (AS_YOU_GOT_IT, YOUR_REPAIR)}
    assert in_words(ends) == showing_the_slip(YOUR_REPAIR)
