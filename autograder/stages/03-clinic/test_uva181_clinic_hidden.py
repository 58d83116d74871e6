"""Hidden checks of the clinic of stage 03: other correct programs, and the whole of the rules."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import FAILS, PASSES, Clinic

PROMISED = frozenset(
    {"Trick", "play_out", "count_hearts", "leader", "cards", "taker", "rank", "suit"}
)
CLINIC = Clinic(
    Path(__file__).parent, "their_uva181", "uva181_complaint.test_the_next_leader", PROMISED
)


@pytest.fixture
def endings(program_with, source):
    """Return how the student's test ends on their program, and on correct ones."""
    return CLINIC.endings(program_with, source)


@pytest.mark.task("show-their-slip-in-uva181")
def test_it_passes_on_correct_uva181s(endings):
    """Your test passes on every correct program, and fails on theirs.

    A test that asks for more than the rules say would accuse the innocent.

    Try: Run your test with your own `uva181.py` of stage 03, if it imports from `uva181`.
    """
    on_theirs, on_correct = endings
    assert on_correct == [PASSES] * len(on_correct)
    assert on_theirs == [FAILS] * len(on_theirs)


@pytest.mark.task("show-their-slip-in-uva181")
def test_it_looks_at_what_their_uva181_does(endings):
    """Your test fails on their program however it is written, and passes when it is repaired.

    A test shows what a program does, and not which words stand in it.

    Try: Give the variables of their program other names, and run your test again.
    """
    on_theirs, on_correct = endings
    repaired = on_correct[: len(on_theirs)]
    assert on_theirs == [FAILS] * len(on_theirs)
    assert repaired == [PASSES] * len(repaired)


# The deck, its tricks (the seat that leads, the cards, the seat that takes them), and the scores.
DEALS = [
    (
        "KH JD 2S TD 5D AS 4H KS 5S 6S 9C 2D QH AH 3S AC QC 4C 8H 3H 8S 7S",
        ["1 AS QC KS 5S 6S 1", "1 AC JD 4C AH 3S 0", "0 5D KH 2D 2S TD 3", "3 QH 8H 3H 9C 4H 3"],
        [14, 0, 0, 40, 0],
    ),
    (
        "2H 2D 6H 5H 4S 6D 7S 6C 6S QD TC JH 8C 5S 4D 4H 9D",
        ["1 TC 2D 8C 6S QD 0", "0 4D 6D JH 6H 5S 1", "1 2H 7S 6C 5H 4S 4"],
        [0, 17, 0, 0, 7],
    ),
    (
        "4H AC 8S 4S AH 9C 7C QH 3C QS 9H 2C",
        ["1 9C AC QH 3C AH 0", "0 QS 4H 7C 8S 4S 1"],
        [26, 4, 0, 0, 0],
    ),
    (
        "2C 5D 4S 3H KS QH KH 6H 4D 7C 8D 9S TD 4H 3S AH 8C QS 7H KD TS TC",
        ["1 AH KH 6H 7H KS 0", "0 KD 8D 5D TD 4D 0", "0 7C 2C 8C QS 4H 3", "3 4S 3H 3S QH 9S 2"],
        [40, 0, 15, 4, 0],
    ),
]


@pytest.mark.task("repair-their-uva181")
def test_their_uva181_keeps_the_rules(cards, their_uva181):
    """After your repair their program plays every deck as the rules say.

    A repair that breaks another rule brings the next complaint.

    Try: Play a deck of 22 cards, and check every card of its four tricks by hand.
    """
    for deck, tricks, scores in DEALS:
        pack = cards.Deck([cards.Card.parse(code) for code in deck.split()])
        played = list(their_uva181.play_out(pack))
        assert [
            " ".join([str(trick.leader), *map(str, trick.cards), str(trick.taker)])
            for trick in played
        ] == tricks
        assert list(their_uva181.count_hearts(played)) == scores
