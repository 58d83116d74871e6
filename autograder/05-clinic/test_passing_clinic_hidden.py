"""Hidden checks of the clinic of stage 05: other correct programs, and the whole of the rules.

Each program that the student's test is tried on is in disguise, so that it cannot be told by its
text.
"""

import random
from pathlib import Path

import pytest
from hearts_course.testing.disguise import disguised
from hearts_course.testing.own_tests import FAILS, PASSES, ending

HERE = Path(__file__).parent
COURSE = HERE.parents[1]
THEIRS = COURSE / "assignments" / HERE.name / "their_passing.py"
CORRECT = [COURSE / "solutions" / HERE.name / "their_passing.py"]
CORRECT += sorted(HERE.glob("alternatives/*/their_passing.py"))
PROMISED = frozenset(
    {"Pass", "LEFT", "ACROSS", "RIGHT", "receiver", "IllegalPass", "check_pass", "pass_cards"}
)


@pytest.fixture
def ends_on(program_with, source):
    """Return a function that tells how the student's test ends on the program in a file."""
    rng = random.Random(repr(sorted(source.items())))

    def call(path):
        text = disguised(path.read_text(encoding="utf-8"), PROMISED, rng)
        return ending(program_with, "passing_complaint.test_a_card_moves_once", their_passing=text)

    return call


@pytest.mark.task("show-their-slip-in-passing")
def test_it_passes_on_correct_passings(ends_on):
    """Your test passes on every correct program, and fails on theirs.

    A test that asks for more than the rules say would accuse the innocent.

    Try: your test with your own rulebook.py of stage 05, if it imports from rulebook
    """
    assert [ends_on(path) for path in CORRECT] == [PASSES] * len(CORRECT)
    assert ends_on(THEIRS) == FAILS


@pytest.mark.task("show-their-slip-in-passing")
def test_it_looks_at_what_their_passing_does(ends_on):
    """Your test fails on their program however it is written, and passes when it is repaired.

    A test shows what a program does, and not which words stand in it.

    Try: your test on their program, with other names for its variables
    """
    assert [ends_on(THEIRS), ends_on(THEIRS), ends_on(CORRECT[0])] == [FAILS, FAILS, PASSES]


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

    Try: a pass to the right, in which seat 3 passes on what comes from seat 0
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
