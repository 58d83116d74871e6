"""Visible checks of the clinic of stage 08: your test of their program, and your repair."""

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
    Path(__file__), "their_players", test="players_complaint.test_sly_can_take_the_place_of_low"
)


@pytest.fixture
def your_test(program_with):
    """Return a function that tells how your test ends on their program."""
    return COMPLAINT.tried(program_with)


@pytest.fixture
def correct_program(program_with):
    """Return which program is known to be correct: the grader's, or else your repair."""
    return COMPLAINT.known_correct(program_with, test_a_sly_player_answers_everywhere)


@pytest.mark.task("show-their-slip-in-players")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_it_fails_on_their_players(your_test):
    """Your test fails on their program as you got it, because of what the program answers.

    A test that passes there does not notice what Di complains about. Neither does a test that
    fails because of a mistake in the test.
    """
    assert your_test(on=AS_YOU_GOT_IT) == FAILS


@pytest.mark.task("show-their-slip-in-players")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_it_passes_on_correct_players_of_theirs(your_test, correct_program):
    """Your test tells their program from one that keeps the rules of this table.

    A test that fails on both asks for more than the rules say, or there is a mistake in it.
    A test that passes on both programs does not show the slip.
    """
    ends = {program: your_test(on=program) for program in (AS_YOU_GOT_IT, correct_program)}
    assert in_words(ends) == showing_the_slip(correct_program)


@pytest.mark.task("repair-their-players")
def test_a_sly_player_answers_everywhere(cards, their_players):
    """A Sly player leads like a Low player, and follows with the highest card below the best."""
    hand = cards.Hand([cards.Card.parse(code) for code in ("3D", "8D", "KD", "5S")])
    tricks = [[], [cards.Card.parse("TD")], [cards.Card.parse("2D")]]
    found = [str(their_players.Sly().choose(hand, trick)) for trick in tricks]
    assert found == ["3D", "8D", "3D"]


@pytest.mark.task("repair-their-players")
@pytest.mark.timeout(SEVERAL_TRIES)
def test_your_test_passes_on_your_players(your_test):
    """Your test fails on their program as you got it, and passes once you have repaired it.

    If your test fails on both programs, it asks for more than the rules say, or there is a mistake
    in it, or the repair is not complete.
    """
    ends = {program: your_test(on=program) for program in (AS_YOU_GOT_IT, YOUR_REPAIR)}
    assert in_words(ends) == showing_the_slip(YOUR_REPAIR)
