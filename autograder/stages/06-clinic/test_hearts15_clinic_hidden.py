"""Hidden checks of the clinic of stage 06: other correct programs, and the whole of the rules."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import FAILS, PASSES, Clinic

PROMISED = frozenset({"Tricks", "seat", "legal_plays", "play", "scores"})
CLINIC = Clinic(
    Path(__file__).parent, "their_hearts15", "hearts15_complaint.test_the_hidden_heart", PROMISED
)


@pytest.fixture
def endings(program_with, source):
    """Return how the student's test ends on their program, and on correct ones."""
    return CLINIC.endings(program_with, source)


@pytest.mark.task("show-their-slip-in-hearts15")
def test_it_passes_on_correct_hearts15s(endings):
    """Your test passes on every correct program, and fails on theirs.

    A test that asks for more than the rules say would accuse the innocent.

    Try: Write the cards of each hand in another order, and run your test on their program again.
    """
    on_theirs, on_correct = endings
    assert on_correct == [PASSES] * len(on_correct)
    assert on_theirs == [FAILS] * len(on_theirs)


@pytest.mark.task("show-their-slip-in-hearts15")
def test_it_looks_at_what_their_hearts15_does(endings):
    """Your test fails on their program however it is written, and passes when it is repaired.

    A test shows what a program does, and not which words stand in it.

    Try: Give the variables of their program other names, and run your test again.
    """
    on_theirs, on_correct = endings
    repaired = on_correct[: len(on_theirs)]
    assert on_theirs == [FAILS] * len(on_theirs)
    assert repaired == [PASSES] * len(repaired)


# The hands, the hidden card, the tricks, and the scores after each. A play is written as the seat,
# the cards that it may play, and the card that it plays.
DEALS = [
    (
        ("KC AH QS AS", "7D 6S QH JS", "JC 3H KS AD"),
        "3S",
        "2:JC:JC 0:KC:KC 1:6S,7D,JS,QH:QH 0:AH,AS,QS:QS 1:6S,JS:6S 2:KS:KS "
        "2:3H,AD:3H 0:AH:AH 1:7D,JS:7D 0:AS:AS 1:JS:JS 2:AD:AD",
        [[1, 0, 0], [1, 0, 13], [3, 0, 13], [3, 0, 13]],
    ),
    (
        ("8D 4D QD TS", "QC 4C KD 2C", "8H 5C AD 6S"),
        "QS",
        "1:2C:2C 2:5C:5C 0:4D,8D,QD,TS:4D 2:6S,AD:AD 0:8D,QD:8D 1:KD:KD "
        "2:6S:6S 0:TS:TS 1:4C,QC:QC 0:QD:QD 1:4C:4C 2:8H:8H",
        [[0, 0, 13], [0, 0, 13], [0, 0, 13], [1, 0, 13]],
    ),
    (
        ("4D TD AS KD", "5H 6C 2H TC", "JC 8C JD TH"),
        "QH",
        "1:6C:6C 2:8C,JC:8C 0:4D,AS,KD,TD:KD 2:JC,JD:JC 0:4D,AS,TD:TD 1:TC:TC "
        "2:JD:JD 0:4D:4D 1:2H,5H:2H 2:TH:TH 0:AS:AS 1:5H:5H",
        [[0, 0, 1], [0, 0, 1], [0, 0, 2], [0, 0, 4]],
    ),
    (
        ("3C 9D AH 9C", "8D TD 5H JS", "8C 4D 8S 2H"),
        "7H",
        "0:3C:3C 1:5H,8D,JS,TD:JS 2:8C:8C 2:4D,8S:8S 0:9C,9D,AH:AH 1:5H,8D,TD:TD "
        "2:2H,4D:2H 0:9C,9D:9D 1:5H:5H 1:8D:8D 2:4D:4D 0:9C:9C",
        [[0, 0, 1], [0, 0, 2], [0, 2, 2], [0, 2, 2]],
    ),
    (
        ("4H 4S 7C QS", "AC AH QH 9H", "8S 9C 3C 2C"),
        "6C",
        "2:2C:2C 0:7C:7C 1:AC:AC 1:9H,AH,QH:QH 2:3C,8S,9C:9C 0:4H:4H "
        "1:9H,AH:9H 2:3C,8S:3C 0:4S,QS:4S 1:AH:AH 2:8S:8S 0:QS:QS",
        [[0, 0, 0], [0, 2, 0], [0, 3, 0], [0, 17, 0]],
    ),
]


@pytest.mark.task("repair-their-hearts15")
def test_their_hearts15_keeps_the_rules(cards, their_hearts15):
    """After your repair their program keeps every rule, in every trick of a deal.

    A repair that breaks another rule brings the next complaint.

    Try: Play a deal whose hidden card is a heart, and discard a heart in the second trick.
    """
    for held, hidden, plays, scores in DEALS:
        hands = [cards.Hand([cards.Card.parse(code) for code in codes.split()]) for codes in held]
        tricks = their_hearts15.Tricks(hands, cards.Card.parse(hidden))
        for number, play in enumerate(plays.split(), start=1):
            allowed = ",".join(sorted(str(card) for card in tricks.legal_plays()))
            code = play[-2:]
            assert f"{tricks.seat}:{allowed}:{code}" == play
            tricks.play(cards.Card.parse(code))
            if number % 3 == 0:
                assert tricks.scores() == scores[number // 3 - 1]
        assert [str(hand) for hand in hands] == list(held)
