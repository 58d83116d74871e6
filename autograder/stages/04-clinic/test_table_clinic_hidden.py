"""Hidden checks of the clinic of stage 04: other correct programs, and the whole of the rules."""

from pathlib import Path

import pytest
from hearts_course.testing.own_tests import FAILS, PASSES, Clinic

PROMISED = frozenset(
    {"Seat", "NORTH", "EAST", "SOUTH", "WEST", "Deal", "turn", "play", "taken", "scores"}
)
CLINIC = Clinic(
    Path(__file__).parent, "their_table", "table_complaint.test_the_second_deal", PROMISED
)


@pytest.fixture
def endings(program_with, source):
    """Return how the student's test ends on their program, and on correct ones."""
    return CLINIC.endings(program_with, source)


@pytest.mark.task("show-their-slip-in-table")
def test_it_passes_on_correct_tables(endings):
    """Your test passes on every correct program, and fails on theirs.

    A test that asks for more than the rules say would accuse the innocent.

    Try: Run your test with your own `table.py` of stage 04, if it imports from `table`.
    """
    on_theirs, on_correct = endings
    assert on_correct == [PASSES] * len(on_correct)
    assert on_theirs == [FAILS] * len(on_theirs)


@pytest.mark.task("show-their-slip-in-table")
def test_it_looks_at_what_their_table_does(endings):
    """Your test fails on their program however it is written, and passes when it is repaired.

    A test shows what a program does, and not which words stand in it.

    Try: Give the variables of their program other names, and run your test again.
    """
    on_theirs, on_correct = endings
    repaired = on_correct[: len(on_theirs)]
    assert on_theirs == [FAILS] * len(on_theirs)
    assert repaired == [PASSES] * len(repaired)


HANDS = ("2H KD 3S", "4C QS 8S", "9C KH 5S", "JC QH AS")
PLAYS = "4C 9C JC 2H AS 3S 8S 5S QH KD QS KH"  # West takes the first two tricks, South the third


@pytest.mark.task("repair-their-table")
def test_their_table_keeps_the_rules(cards, their_table):
    """After your repair their program keeps every rule, for several deals at the same time.

    A repair that breaks another rule brings the next complaint.

    Try: Make two deals of the same hands. Play a card in one of them, then a card in the other.
    """

    def hold(codes):
        return [cards.Card.parse(code) for code in codes.split()]

    hands = [cards.Hand(hold(codes)) for codes in HANDS]
    one, other = their_table.Deal(hands), their_table.Deal(hands)
    assert (one.turn == their_table.Seat.EAST, other.scores()) == (True, [0, 0, 0, 0])
    takers = []
    for card in hold(PLAYS):
        taker = one.play(card)
        takers.append(None if taker is None else int(taker))
        if len(takers) == 8:
            other.play(cards.Card.parse("4C"))
        if len(takers) in (4, 8, 12):
            assert taker == one.turn
    assert takers == [None] * 3 + [3] + [None] * 3 + [3] + [None] * 3 + [2]
    late = their_table.Deal(hands)
    for deal, scores in ((one, [0, 0, 15, 1]), (other, [0] * 4), (late, [0] * 4)):
        assert deal.scores() == scores
    taken = [sorted(map(str, one.taken(seat))) for seat in their_table.Seat]
    assert taken == [[], [], sorted(PLAYS.split()[8:]), sorted(PLAYS.split()[:8])]
    assert [[len(deal.taken(seat)) for seat in their_table.Seat] for deal in (other, late)] == [
        [0] * 4
    ] * 2
    assert [str(hand) for hand in hands] == list(HANDS)
