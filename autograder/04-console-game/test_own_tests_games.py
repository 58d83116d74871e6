"""Hidden checks of stage 04: the student's own tests, tried on games that are played wrong.

A wrong game is caught by a test that fails on it and passes on every correct table. Which game it
was is not told; the rule that it breaks is.

What a table does is all that may decide. So every table, correct or wrong, is tried twice, each
time in another text and in a process that knows of no other, and all tries come in an order by
chance. A test that fails on a correct table, or that fails in one of the two tries and passes in
the other, catches nothing. With two such tests none is trusted: many tests that fail now and then
would catch everything. Nor is any trusted beside one that fails on the reference and passes on many
wrong tables. These are made of the reference: of many tests, each of which forbids another value of
what a table does, that one forbids the right value, and the others would catch everything.
"""

import hashlib
import importlib.util
import random
import tomllib
from pathlib import Path

import pytest
from hearts_course.boundary.answers import Stopped

HERE = Path(__file__).parent
REFERENCE = (HERE.parents[1] / "solutions" / HERE.name / "table.py").read_text(encoding="utf-8")
LISTED = tomllib.loads((HERE / "games" / "mistakes.toml").read_text(encoding="utf-8"))["mistake"]
MISTAKES = {mistake["name"]: mistake.get("edits", [mistake]) for mistake in LISTED}
WHEATS = sorted(HERE.glob("games/wheats/*/table.py"))
TRIES = 2
MAX_STARTS = 2
MAX_UNRELIABLE = 1
MAX_PASSED = 3  # a test that has a rule wrong fails on all tables but those with the same mistake

pytestmark = [pytest.mark.task("test-the-table"), pytest.mark.timeout(60)]


def module_at(path):
    """The module in this file, which no other imports by its name."""
    spec = importlib.util.spec_from_file_location(f"{path.stem}_of_{HERE.name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


disguise = module_at(HERE / "disguise.py")
visible = module_at(HERE.parents[1] / "assignments" / HERE.name / "test_own_tests.py")


def wrong_game(name):
    """The reference table with this mistake in it."""
    text = REFERENCE
    for edit in MISTAKES[name]:
        if text.count(edit["find"]) != 1:
            raise LookupError(f"{edit['find']!r} does not occur once in the reference")
        text = text.replace(edit["find"], edit["put"])
    return text


CORRECT = {"the reference": REFERENCE}
CORRECT |= {path.parent.name: path.read_text(encoding="utf-8") for path in WHEATS}
GAMES = CORRECT | {name: wrong_game(name) for name in MISTAKES}


def order_of_tries(source):
    """Every game twice, in an order that only the submission decides, and its generator.

    Whoever does not know the games cannot work it out.
    """
    seed = ascii((sorted(source.items()), GAMES)).encode()
    rng = random.Random(hashlib.sha256(seed).digest())
    tries = [game for game in GAMES for _ in range(TRIES)]
    rng.shuffle(tries)
    return tries, rng


def caught_by(source, program_with):
    """The names of the wrong games that the student's tests catch."""
    names = visible.names_of(source)
    tries, rng = order_of_tries(source)
    found = {game: [] for game in GAMES}
    for game in tries:
        table = disguise.disguised(GAMES[game], rng)
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
    """Whether each test passes on the table, up to one that ends the program, and what ended it.

    A program that was killed gets another try, since the system may have been out of memory.
    """
    for _ in range(MAX_STARTS):
        ends, stopped = {}, None
        try:
            own_tests = program_with(table=table, console="").module("own_tests")
            for name in names:
                ends[name] = False
                ends[name] = visible.passes(own_tests, name)
        except visible.ENDINGS as error:
            stopped = error
        if not (isinstance(stopped, Stopped) and stopped.killed):
            break
    return ends, stopped


def is_unreliable(name, found):
    """Does the test fail on a correct table, or pass and fail on the same one?"""
    ends = {game: {each.get(name) for each in tries} for game, tries in found.items()}
    return any(False in ends[game] and (game in CORRECT or True in ends[game]) for game in GAMES)


def tells_apart(name, found):
    """Does the test fail on the reference, and pass on many of the wrong tables made of it?"""
    passed = [game for game in MISTAKES if all(ends.get(name) for ends in found[game])]
    return fails(name, found["the reference"]) and len(passed) > MAX_PASSED


def fails(name, tries):
    """Does the test fail in every try?"""
    return all(ends.get(name) is False for ends in tries)


@pytest.fixture
def catches(program_with, source, once):
    """Does one of the student's tests fail on the game with this mistake, and only there?"""
    if "caught" not in once:
        once["caught"] = caught_by(source, program_with)
    return lambda mistake: mistake in once["caught"]


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
    assert catches("of several winners only the first wins")


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
    assert catches("a card that breaks the rules is played anyway")


def test_the_void_are_free(catches):
    """Your tests should notice a table where who is void may not play what they like.

    Try: what may somebody play who holds no card of the suit led, but points?
    """
    assert catches("a void player may not give points away")


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
