"""Hidden checks of the clinic of stage 05: other correct programs, and the whole of the rules."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import FAILS, PASSES, Clinic

PROMISED = frozenset(
    {"Pass", "LEFT", "ACROSS", "RIGHT", "receiver", "IllegalPass", "check_pass", "pass_cards"}
)
CLINIC = Clinic(
    Path(__file__).parent, "their_passing", "passing_complaint.test_a_card_moves_once", PROMISED
)


@pytest.fixture
def endings(program_with, source):
    """Return how the student's test ends on their program, and on correct ones."""
    return CLINIC.endings(program_with, source)


@pytest.mark.task("show-their-slip-in-passing")
def test_it_passes_on_correct_passings(endings):
    """Your test passes on every correct program, and fails on theirs.

    A test that asks for more than the rules say would accuse the innocent.

    Try: Run your test with your own `rulebook.py` of stage 05, if it imports from `rulebook`.
    """
    on_theirs, on_correct = endings
    assert on_correct == [PASSES] * len(on_correct)
    assert on_theirs == [FAILS] * len(on_theirs)


@pytest.mark.task("show-their-slip-in-passing")
def test_it_looks_at_what_their_passing_does(endings):
    """Your test fails on their program however it is written, and passes when it is repaired.

    A test shows what a program does, and not which words stand in it.

    Try: Give the variables of their program other names, and run your test again.
    """
    on_theirs, on_correct = endings
    repaired = on_correct[: len(on_theirs)]
    assert on_theirs == [FAILS] * len(on_theirs)
    assert repaired == [PASSES] * len(repaired)


HANDS = ("2C 3C 4C QS", "2D 3D 4D 5D", "2H 3H 4H 5H", "2S 3S 4S 5S")
HONEST = ("QS 2C 4C", "2D 4D 5D", "2H 3H 5H", "3S 4S 5S")
PASSED = {  # the new hands
    "LEFT": ["3C 3S 4S 5S", "2C 3D 4C QS", "2D 4D 4H 5D", "2H 2S 3H 5H"],
    "ACROSS": ["2H 3C 3H 5H", "3D 3S 4S 5S", "2C 4C 4H QS", "2D 2S 4D 5D"],
    "RIGHT": ["2D 3C 4D 5D", "2H 3D 3H 5H", "3S 4H 4S 5S", "2C 2S 4C QS"],
}
# Which seat passes what instead of its honest cards.
NOT_THREE_OF_ITS_OWN = [
    (0, "3S 4S 2C"),
    (1, "2D 4D"),
    (2, "2H 3H 4H 5H"),
    (3, "3S 3S 4S"),
    (2, "2H 2H 3H 5H"),
]


def refusal(call, *arguments):
    """Return the name of the ValueError that this raises, or None."""
    try:
        call(*arguments)
    except ValueError as error:
        return error.kind
    return None


@pytest.mark.task("repair-their-passing")
def test_their_passing_keeps_the_rules(cards, their_passing):
    """After your repair their program keeps every rule, in every direction.

    A repair that breaks another rule brings the next complaint.

    Try: Pass to the right, where seat 3 passes on a card that comes from seat 0.
    """

    def hold(codes):
        return [cards.Card.parse(code) for code in codes.split()]

    hands = [cards.Hand(hold(codes)) for codes in HANDS]
    for name, new in PASSED.items():
        direction = getattr(their_passing.Pass, name)
        passed = their_passing.pass_cards(hands, [hold(codes) for codes in HONEST], direction)
        assert [" ".join(sorted(map(str, hand))) for hand in passed] == new
        travels = []
        for giver in range(4):
            seat = direction.receiver(giver)
            travels.append((int(seat), " ".join([HONEST[giver][:2], HONEST[seat][3:]])))
        for seat, codes in (*travels, *NOT_THREE_OF_ITS_OWN):
            chosen = [hold(codes if one == seat else HONEST[one]) for one in range(4)]
            found = [
                refusal(their_passing.pass_cards, hands, chosen, direction),
                refusal(their_passing.check_pass, chosen[seat], hands[seat]),
            ]
            assert found == ["IllegalPass"] * 2
    assert their_passing.check_pass(hold(HONEST[0]), hands[0]) is None
    assert [str(hand) for hand in hands] == list(HANDS)
