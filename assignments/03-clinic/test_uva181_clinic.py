"""Visible checks of the clinic of stage 03: your test of their program, and your repair."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import FAILS, PASSES, ending

THEIRS = (Path(__file__).parent / "their_uva181.py").read_text(encoding="utf-8")
TEST = "uva181_complaint.test_the_next_leader"


@pytest.mark.task("show-their-slip-in-uva181")
def test_it_fails_on_their_uva181(program_with):
    """Your test fails on their program as it was handed to you.

    A test that passes there does not notice what Di complains about.
    """
    assert ending(program_with, TEST, their_uva181=THEIRS) == FAILS


@pytest.mark.task("repair-their-uva181")
def test_the_taker_leads_to_the_next_trick(cards, their_uva181):
    """Whoever takes a trick leads to the next one."""
    codes = "QC 3C KC 5C 4C 6D 7D 8D 9D TD 2S 3S"
    deck = cards.Deck([cards.Card.parse(code) for code in codes.split()])
    assert [trick.leader for trick in their_uva181.play_out(deck)] == [1, 3]


@pytest.mark.task("repair-their-uva181")
def test_your_test_passes_on_your_uva181(program_with):
    """Your test passes on their program once you have repaired it."""
    assert ending(program_with, TEST) == PASSES
