"""Visible checks of the clinic of stage 02: your test of their program, and your repair."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import FAILS, PASSES, ending

THEIRS = (Path(__file__).parent / "their_legal.py").read_text(encoding="utf-8")
CORRECT = Path(__file__).parents[2] / "solutions" / "02-clinic" / "their_legal.py"
AS_YOU_GOT_IT = "their program as you got it"


@pytest.fixture
def your_test(program_with):
    """Return a function that tells how your test ends on their program."""

    def call(on):
        programs = {"their_legal": THEIRS} if on == AS_YOU_GOT_IT else {}
        if on == "a correct program":
            programs = {"their_legal": CORRECT.read_text(encoding="utf-8")}
        return ending(program_with, "legal_complaint.test_the_complaint", **programs)

    return call


@pytest.mark.task("show-their-slip-in-legal")
def test_it_fails_on_their_program(your_test):
    """Your test fails on their program as you got it.

    A test that passes there does not notice what Barnaby complains about.
    """
    assert your_test(on=AS_YOU_GOT_IT) == FAILS
    if CORRECT.is_file():  # only the grader has it
        assert your_test(on="a correct program") == PASSES


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
