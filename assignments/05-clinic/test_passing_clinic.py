"""Visible checks of the clinic of stage 05: your test of their program, and your repair."""

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
    Path(__file__), "their_passing", test="passing_complaint.test_a_card_moves_once"
)


@pytest.fixture
def your_test(program_with):
    """Return a function that tells how your test ends on their program."""
    return COMPLAINT.tried(program_with)


@pytest.fixture
def correct_program(program_with):
    """Return which program is known to be correct: the grader's, or else your repair."""
    return COMPLAINT.known_correct(program_with, test_a_received_card_is_not_passed_on)


def refusal(call, *arguments):
    """Return the name of the ValueError that this raises, or None."""
    try:
        call(*arguments)
    except ValueError as error:
        return error.kind
    return None


@pytest.mark.task("show-their-slip-in-passing")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_it_fails_on_their_passing(your_test):
    """Your test fails on their program as you got it, because of what the program answers.

    A test that passes there does not notice what Ann complains about. Neither does a test that
    fails because of a mistake in the test.
    """
    assert your_test(on=AS_YOU_GOT_IT) == FAILS


@pytest.mark.task("show-their-slip-in-passing")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_it_passes_on_a_correct_passing(your_test, correct_program):
    """Your test tells their program from one that keeps the rules of this table.

    A test that fails on both asks for more than the rules say, or there is a mistake in it.
    A test that passes on both programs does not show the slip.
    """
    ends = {program: your_test(on=program) for program in (AS_YOU_GOT_IT, correct_program)}
    assert in_words(ends) == showing_the_slip(correct_program)


@pytest.mark.task("repair-their-passing")
def test_a_received_card_is_not_passed_on(cards, their_passing):
    """A seat cannot pass on a card that it receives in the same pass, and can pass its own."""

    def hold(codes):
        return [cards.Card.parse(code) for code in codes.split()]

    hands = [cards.Hand(hold(codes)) for codes in ("QS 2C 3C", "2D 3D 4D", "2H 3H 4H", "2S 3S 4S")]
    chosen = [hold(codes) for codes in ("QS 2C 3C", "2D 3D QS", "2H 3H 4H", "2S 3S 4S")]
    left = their_passing.Pass.LEFT
    assert refusal(their_passing.pass_cards, hands, chosen, left) == "IllegalPass"
    chosen = [hold(codes) for codes in ("QS 2C 3C", "2D 3D 4D", "2H 3H 4H", "2S 3S 4S")]
    new = their_passing.pass_cards(hands, chosen, left)
    assert [sorted(str(card) for card in hand) for hand in new] == [
        ["2S", "3S", "4S"],
        ["2C", "3C", "QS"],
        ["2D", "3D", "4D"],
        ["2H", "3H", "4H"],
    ]


@pytest.mark.task("repair-their-passing")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_your_test_passes_on_your_passing(your_test):
    """Your test fails on their program as you got it, and passes once you have repaired it.

    If your test fails on both programs, it asks for more than the rules say, or there is a mistake
    in it, or the repair is not complete.
    """
    ends = {program: your_test(on=program) for program in (AS_YOU_GOT_IT, YOUR_REPAIR)}
    assert in_words(ends) == showing_the_slip(YOUR_REPAIR)
