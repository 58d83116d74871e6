"""Hidden checks of stage 04: the student's own tests, tried on games that are played wrong.

A wrong game is caught by a test that fails on it and passes on every correct table. If more than
one fails on a correct table, none is trusted: tests that fail here and there, whatever the table,
would catch everything. Which game it was is not told; the rule that it breaks is.
"""

import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REFERENCE = (HERE.parents[1] / "solutions" / HERE.name / "table.py").read_text(encoding="utf-8")
LISTED = tomllib.loads((HERE / "games" / "mistakes.toml").read_text(encoding="utf-8"))["mistake"]
MISTAKES = {mistake["name"]: mistake.get("edits", [mistake]) for mistake in LISTED}
CORRECT = [
    REFERENCE,
    *(file.read_text(encoding="utf-8") for file in sorted(HERE.glob("games/wheats/*/table.py"))),
]
MOST_WARY = 1
WARY = {}  # the tests of the submission at hand that fail on correct tables, found out only once

pytestmark = pytest.mark.task("test-the-table")


def wrong_game(name):
    """The reference table with this mistake in it."""
    text = REFERENCE
    for edit in MISTAKES[name]:
        if text.count(edit["find"]) != 1:
            raise LookupError(f"{edit['find']!r} does not occur once in the reference")
        text = text.replace(edit["find"], edit["put"])
    return text


def failing(own_tests, names):
    """The names of those tests that do not pass."""
    failed = []
    for name in names:
        try:
            getattr(own_tests, name)()
        except Exception:
            failed.append(name)
    return failed


@pytest.fixture
def catches(own_tests, program_with, source, stdlib):
    """Does one of the student's tests fail on the game with this mistake, and only there?"""
    names = [name for name in stdlib("builtins").dir(own_tests) if name.startswith("test_")]

    def own_tests_on(table):
        return program_with(table=table, console="").module("own_tests")

    def failing_on_correct(table):
        theirs = own_tests_on(table)
        failed = failing(theirs, names)
        assert theirs.__name__ == "own_tests"  # who no longer answers has not failed
        return failed

    key = tuple(sorted(source.items()))
    if key not in WARY:
        WARY.clear()
        found = set().union(*map(failing_on_correct, CORRECT))
        WARY[key] = found
    wary = WARY[key]

    def answer(mistake):
        suspects = set(failing(own_tests_on(wrong_game(mistake)), names))
        return len(wary) <= MOST_WARY and not suspects <= wary

    return answer


def test_hearts_cost_one(catches):
    """Your tests should notice a table where a heart does not cost 1.

    Try: what does deal_scores make of a king of hearts?
    """
    assert catches("a heart costs its face value")


def test_the_queen_costs_thirteen(catches):
    """Your tests should notice a table where the queen of spades does not cost 13.

    Try: what does deal_scores make of the queen of spades alone?
    """
    assert catches("the queen of spades costs nothing")


def test_the_moon_turns_the_scores(catches):
    """Your tests should notice a table where taking all points is counted like any other score.

    Try: what does deal_scores make of one who has taken all points?
    """
    assert catches("nobody can shoot the moon")


def test_the_moon_takes_all_points(catches):
    """Your tests should notice a table where too little is enough to shoot the moon.

    Try: which card could be missing, and what must the scores be then?
    """
    assert catches("all hearts are enough for the moon")


def test_the_exact_end(catches):
    """Your tests should notice a table that does not end the game at the right number.

    A limit is best tested on both of its sides, and right on it.

    Try: which totals lie just at the limit?
    """
    assert catches("the game goes on at exactly a hundred")


def test_whose_points_end_the_game(catches):
    """Your tests should notice a table that looks at the wrong points to end the game.

    Try: totals of which nobody's is high, but there are four of them
    """
    assert catches("the game ends when all points add up to a hundred")


def test_the_fewest_points_win(catches):
    """Your tests should notice a table that lets the wrong player win.

    Try: winners of four different totals
    """
    assert catches("the most points win")


def test_ties_are_shared(catches):
    """Your tests should notice a table that does not let those win together who share the lead.

    Try: winners of totals with two lowest
    """
    assert catches("of those who share the lead only the first wins")


def test_who_opens(catches):
    """Your tests should notice a table where the wrong player has the first turn.

    Try: a deal in which the two of clubs lies in the last hand
    """
    assert catches("North always opens the deal")


def test_what_opens(catches):
    """Your tests should notice a table where the first lead is free.

    Try: what may the opener play who holds other cards, too?
    """
    assert catches("any card may open the deal")


def test_the_turn_is_clockwise(catches):
    """Your tests should notice a table where the turn goes the wrong way.

    Try: whose turn is it after the first card?
    """
    assert catches("the turn goes counterclockwise")


def test_a_discard_never_wins(catches):
    """Your tests should notice a table where a card of another suit takes a trick.

    Try: a trick to which somebody who is void plays an ace
    """
    assert catches("the highest card of any suit takes the trick")


def test_the_taker_leads(catches):
    """Your tests should notice a table where somebody else than the taker leads to the next trick.

    Try: whose turn is it after a full trick?
    """
    assert catches("the lead passes to the left instead of to the taker")


def test_suit_is_followed(catches):
    """Your tests should notice a table where nobody need follow suit.

    Try: what may somebody play who holds cards of the suit led and others?
    """
    assert catches("one need not follow suit")


def test_breaking_the_rules_is_refused(catches):
    """Your tests should notice a table that knows the legal plays and accepts others, too.

    Try: play a card that is not among the legal plays
    """
    assert catches("a card that breaks the rules is played all the same")


def test_the_void_are_free(catches):
    """Your tests should notice a table where who is void may not play what they like.

    Try: what may somebody play who holds no card of the suit led, but points?
    """
    assert catches("who cannot follow suit may not give points away")


def test_a_refusal_changes_nothing(catches):
    """Your tests should notice a table where a refused card changes something.

    Try: look at the hand after a card of it was refused
    """
    assert catches("a refused card has left the hand")


def test_cards_leave_the_hand(catches):
    """Your tests should notice a table where a card can be played twice.

    Try: look at the hand after a card was played
    """
    assert catches("a card that was played stays in the hand")


def test_the_end_of_a_deal(catches):
    """Your tests should notice a table where a deal ends at the wrong time.

    Try: is a deal over while there is still a trick to play?
    """
    assert catches("the deal is over before the last trick")
