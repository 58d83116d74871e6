"""Hidden checks of stage 04: the student's own tests, tried on games that are played wrong.

A test catches a wrong game if it fails on it and passes on every correct table. The student is told
which rule the game breaks, but never sees the game.

Only what a table does may decide. So every table, correct or wrong, is tried twice: each time with
another text, in its own process, and in a random order. These rules follow:

- A test that fails on a correct table catches nothing.
- A test that fails in one try and passes in the other catches nothing.
- With two such tests, none counts: many tests that fail at random would catch everything.
- If a test fails on the reference and passes on many wrong tables, none counts. The wrong tables
  are edits of the reference. So a student could write many tests, each of which forbids one value.
  One of them would forbid the right value, and the others would catch every wrong table.
"""

import importlib.util
import tomllib
from pathlib import Path

import pytest
from hearts_course.sandbox.answers import SubmissionStopped
from hearts_course.testing.disguise import disguised
from hearts_course.testing.own_tests import in_random_order

HERE = Path(__file__).parent
REFERENCE = (HERE.parents[2] / "solutions" / HERE.name / "table.py").read_text(encoding="utf-8")
LISTED = tomllib.loads((HERE / "games" / "mistakes.toml").read_text(encoding="utf-8"))["mistake"]
MISTAKES = {mistake["name"]: mistake.get("edits", [mistake]) for mistake in LISTED}
WHEATS = sorted(HERE.glob("games/wheats/*/table.py"))
TRIES = 2
MAX_STARTS = 2
MAX_UNRELIABLE = 1
# The names that the brief promises, which every table must keep.
PROMISED = {"Seat", "NORTH", "EAST", "SOUTH", "WEST", "word", "left", "parse"}
PROMISED |= {"deal_scores", "game_over", "winners", "Deal", "hand", "taken", "turn", "trick"}
PROMISED = frozenset({*PROMISED, "play", "is_over", "scores", "legal_plays"})
MAX_PASSED = 3  # a test with a wrong rule passes only on tables with the same mistake

pytestmark = [pytest.mark.task("test-the-table"), pytest.mark.timeout(60)]


def module_at(path):
    """Return the module in this file, under a name that no other module uses."""
    spec = importlib.util.spec_from_file_location(f"{path.stem}_of_{HERE.name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


visible = module_at(HERE.parents[2] / "assignments" / HERE.name / "test_own_tests.py")


def wrong_game(name):
    """Return the reference table with this mistake."""
    text = REFERENCE
    for edit in MISTAKES[name]:
        if text.count(edit["find"]) != 1:
            raise LookupError(f"{edit['find']!r} does not occur once in the reference")
        text = text.replace(edit["find"], edit["put"])
    return text


CORRECT = {"the reference": REFERENCE}
CORRECT |= {path.parent.name: path.read_text(encoding="utf-8") for path in WHEATS}
GAMES = CORRECT | {name: wrong_game(name) for name in MISTAKES}


def caught_by(source, program_with):
    """Return the names of the wrong games that the student's tests catch."""
    names = visible.names_of(source)
    tries, rng = in_random_order(source, GAMES, TRIES)
    found = {game: [] for game in GAMES}
    for game in tries:
        table = disguised(GAMES[game], PROMISED, rng)
        ends, stopped = tried(names, program_with, table)
        if stopped and game in CORRECT:
            return set()
        found[game].append(ends)
    unreliable = {name for name in names if is_unreliable(name, found)}
    if len(unreliable) > MAX_UNRELIABLE or any(tells_apart(name, found) for name in unreliable):
        return set()
    reliable = set(names) - unreliable
    return {game for game in MISTAKES if any(fails(name, found[game]) for name in reliable)}


def tried(names, program_with, table):
    """Return which tests pass on the table, and the error if a test ended the program.

    Retry a program that was killed, because the system may have been out of memory.
    """
    for _ in range(MAX_STARTS):
        ends, stopped = {}, None
        try:
            others = program_with(table=table, console=visible.NO_CONSOLE)
            own_tests = others.module("own_tests")
            for name in names:
                ends[name] = False
                ends[name] = visible.passes(own_tests, name)
        except visible.ENDINGS as error:
            stopped = error
        if not (isinstance(stopped, SubmissionStopped) and stopped.killed):
            break
    return ends, stopped


def is_unreliable(name, found):
    """Return whether the test fails on a correct table, or passes and fails on the same table."""
    ends = {game: {each.get(name) for each in tries} for game, tries in found.items()}
    return any(False in ends[game] and (game in CORRECT or True in ends[game]) for game in GAMES)


def tells_apart(name, found):
    """Return whether the test fails on the reference but passes on many of its wrong versions."""
    passed = [game for game in MISTAKES if all(ends.get(name) for ends in found[game])]
    return fails(name, found["the reference"]) and len(passed) > MAX_PASSED


def fails(name, tries):
    """Return whether the test fails in every try."""
    return all(ends.get(name) is False for ends in tries)


@pytest.fixture
def catches(program_with, source, once):
    """Return a function that tells whether the student's tests catch the game with a mistake."""
    if "caught" not in once:
        once["caught"] = caught_by(source, program_with)
    return lambda mistake: mistake in once["caught"]


def test_hearts_cost_one(catches):
    """Your tests should notice a table where a heart does not cost 1.

    Try: Ask yourself what `deal_scores` must return for a king of hearts.
    """
    assert catches("a heart costs its face value")


def test_the_queen_costs_thirteen(catches):
    """Your tests should notice a table where the queen of spades does not cost 13.

    Try: Ask yourself what `deal_scores` must return for the queen of spades alone.
    """
    assert catches("the queen of spades costs nothing")


def test_the_moon_turns_the_scores(catches):
    """Your tests should notice a table that does not know how to shoot the moon.

    Try: Ask yourself what `deal_scores` must return for a player who has taken all points.
    """
    assert catches("nobody can shoot the moon")


def test_the_moon_takes_all_points(catches):
    """Your tests should notice a table where a player can shoot the moon with too few cards.

    Try: Ask yourself which card could be missing, and what the scores must be then.
    """
    assert catches("all hearts are enough for the moon")


def test_the_exact_end(catches):
    """Your tests should notice a table that does not end the game at the right number.

    Test a limit on both sides, and exactly on it.

    Try: Ask yourself which totals are just below, at and above the limit.
    """
    assert catches("the game goes on at exactly a hundred")


def test_whose_points_end_the_game(catches):
    """Your tests should notice a table that uses the wrong points to end the game.

    Try: Write down four totals of which none is high, and ask `game_over`.
    """
    assert catches("the game ends when all points add up to a hundred")


def test_the_fewest_points_win(catches):
    """Your tests should notice a table that lets the wrong player win.

    Try: Ask for the winners of four different totals.
    """
    assert catches("the most points win")


def test_ties_are_shared(catches):
    """Your tests should notice a table where players who share the fewest points do not all win.

    Try: Ask for the winners of four totals of which the two lowest are equal.
    """
    assert catches("of several winners only the first wins")


def test_who_opens(catches):
    """Your tests should notice a table where the wrong player has the first turn.

    Try: Make a deal in which the last hand has the two of clubs.
    """
    assert catches("North always opens the deal")


def test_what_opens(catches):
    """Your tests should notice a table where the first lead is free.

    Try: Ask yourself what the opener may play if the hand holds other cards as well.
    """
    assert catches("any card may open the deal")


def test_the_turn_is_clockwise(catches):
    """Your tests should notice a table where the turn goes the wrong way.

    Try: Ask yourself whose turn it is after the first card.
    """
    assert catches("the turn goes counterclockwise")


def test_a_discard_never_wins(catches):
    """Your tests should notice a table where a card of another suit takes a trick.

    Try: Play a trick in which a player who is void plays an ace.
    """
    assert catches("the highest card of any suit takes the trick")


def test_the_taker_leads(catches):
    """Your tests should notice a table where the taker of a trick does not lead to the next one.

    Try: Ask yourself whose turn it is after a full trick.
    """
    assert catches("the lead passes to the left instead of to the taker")


def test_suit_is_followed(catches):
    """Your tests should notice a table where players need not follow suit.

    Try: Ask yourself what a player may play who holds cards of the suit led and of other suits.
    """
    assert catches("one need not follow suit")


def test_breaking_the_rules_is_refused(catches):
    """Your tests should notice a table that lists the legal plays but accepts other cards.

    Try: Play a card that is not among the legal plays.
    """
    assert catches("a card that breaks the rules is played anyway")


def test_the_void_are_free(catches):
    """Your tests should notice a table where a player who is void may not play any card.

    Try: Ask yourself what a player may play who holds hearts, but no card of the suit led.
    """
    assert catches("a void player may not give points away")


def test_a_refusal_changes_nothing(catches):
    """Your tests should notice a table where a refused card changes something.

    Try: Look at the hand after one of its cards was refused.
    """
    assert catches("a refused card has left the hand")


def test_cards_leave_the_hand(catches):
    """Your tests should notice a table where a card can be played twice.

    Try: Look at the hand after a card was played.
    """
    assert catches("a card that was played stays in the hand")


def test_the_end_of_a_deal(catches):
    """Your tests should notice a table where a deal ends at the wrong time.

    Try: Ask yourself whether a deal is over while there is still a trick to play.
    """
    assert catches("the deal is over before the last trick")
