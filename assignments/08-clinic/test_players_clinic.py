"""Visible checks of the clinic of stage 08: your test of their program, and your repair."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import AS_YOU_GOT_IT, CORRECT, FAILS, PASSES, Complaint

COMPLAINT = Complaint(
    Path(__file__), "their_players", test="players_complaint.test_sly_can_take_the_place_of_low"
)


@pytest.fixture
def your_test(program_with):
    """Return a function that tells how your test ends on their program."""
    return COMPLAINT.tried(program_with)


@pytest.mark.task("show-their-slip-in-players")
def test_it_fails_on_their_players(your_test):
    """Your test fails on their program as you got it.

    A test that passes there does not notice what Di complains about.
    """
    assert your_test(on=AS_YOU_GOT_IT) == FAILS
    if COMPLAINT.correct.is_file():  # only the grader has it
        assert your_test(on=CORRECT) == PASSES


@pytest.mark.task("repair-their-players")
def test_a_sly_player_answers_everywhere(cards, their_players):
    """A Sly player leads like a Low player, and follows with the highest card below the best."""
    hand = cards.Hand([cards.Card.parse(code) for code in ("3D", "8D", "KD", "5S")])
    tricks = [[], [cards.Card.parse("TD")], [cards.Card.parse("2D")]]
    found = [str(their_players.Sly().choose(hand, trick)) for trick in tricks]
    assert found == ["3D", "8D", "3D"]


@pytest.mark.task("repair-their-players")
def test_your_test_passes_on_your_players(your_test):
    """Your test fails on their program as you got it, and passes once you have repaired it."""
    on_theirs, on_yours = your_test(on=AS_YOU_GOT_IT), your_test(on="your repair")
    assert [on_theirs, on_yours] == [FAILS, PASSES]
