"""Hidden checks of stage 06: how well the computer plays, in a contest that the suite referees.

All 120 games of the contest are played at the same time, on the suite's side. The program is asked
once for gifts and at most 17 times for plays, each time for all games together. So it never sees
another hand, and few messages are needed.
"""

import importlib.util
import sys
from pathlib import Path

import pytest
from hearts_course import each

SPEC = importlib.util.spec_from_file_location(
    "old_program", Path(__file__).with_name("old_program.py")
)
old_program = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = old_program  # dataclasses look up their module there
SPEC.loader.exec_module(old_program)

# On the program's side: one function gives, the other plays, for the computer with that number.
PLAYERS = """lambda make, number, Hand, parse, Turn, rules: (lambda players: (
    lambda at, held: " ".join(map(str, players[at].give(Hand(map(parse, held.split()))))),
    lambda at, held, trick, first, broken, seen: str(players[at].play(
        Turn(Hand(map(parse, held.split())), rules, [*map(parse, trick.split())],
            first_trick=first, hearts_broken=broken),
        [*map(parse, seen.split())],
    )),
))([make() for _ in range(number)])"""

# On the program's side, where lists are lists: what a computer gives and plays, and what is left.
USING = """lambda computer, hand, trick, seen, Turn, rules: (
    [*map(str, computer.give(hand))],
    str(computer.play(Turn(hand, rules, trick), seen)),
    str(hand), [*map(str, trick)], [*map(str, seen)],
)"""


@pytest.fixture
def players(stdlib, cards, legal, hearts15):
    """Return a function that makes n computers and returns their two functions, give and play."""
    make = stdlib("builtins").eval(PLAYERS)

    def call(number):
        parse = cards.Card.parse
        return make(hearts15.Computer, number, cards.Hand, parse, legal.Turn, legal.DYNACOMP)

    return call


@pytest.fixture
def points(players, once):
    """Return the computer's points per game; the contest is played once for each program."""
    if "contest" not in once:
        once["contest"] = "the contest was not played to its end"
        once["contest"] = result(*players(3 * old_program.PACKS))
    assert type(once["contest"]) is float, once["contest"]
    return once["contest"]


def result(give, play):
    """Return the computer's points per game, or a text that says what it has done wrong."""

    def ask_gifts(hands):
        gifts = each(give, list(range(len(hands))), [" ".join(hand) for hand in hands])
        return [given.split() for given in gifts]

    def ask_plays(numbers, games):
        return each(play, numbers, *map(list, zip(*map(question, games), strict=True)))

    try:
        return old_program.contest(ask_gifts, ask_plays)
    except old_program.Fault as fault:
        return f"the computer {fault}"


def question(game):
    """Return what the computer may know when it is its turn."""
    held = " ".join(game.hands[game.turn])
    return held, " ".join(game.trick), not game.played, game.broken, " ".join(game.seen)


@pytest.mark.task("quite-good")
@pytest.mark.timeout(10)
def test_a_computer_plays_by_the_rules(points):
    """In a whole contest, a computer player gives three cards of its hand and plays legal cards.

    Nobody would buy a program that cheats.

    Try: Call `main` with a `Script` that plays a whole deal against `Computer()`.
    """
    assert points <= 26


@pytest.mark.task("quite-good")
@pytest.mark.timeout(10)
def test_a_computer_is_better_than_random(points):
    """In 40 deals, with each hand in turn, a computer takes at most 6 points per game.

    Its opponents play at random. A player who also plays at random takes 8.7.

    Try: Ask yourself which cards to give away, and what to play when you cannot take the trick.
    """
    assert points <= 6.0


@pytest.mark.task("quite-good")
@pytest.mark.timeout(10)
def test_a_computer_is_quite_good(points):
    """In 40 deals, with each hand in turn, a computer takes at most 3 points per game.

    Its opponents play at random. This is what the manual calls quite good.

    Try: Count how often your `Computer` takes a trick that it could have avoided.
    """
    assert points <= 3.0


@pytest.mark.task("quite-good")
def test_a_computer_changes_no_cards(cards, legal, hearts15, stdlib):
    """A computer player does not change its hand, the trick, or the list of cards seen.

    Only the game moves cards.

    Try:
        hand = hold("2C 9C KC 4D")
        len(Computer().give(hand))
        str(hand)
        turn = Turn(hold("2C 9C"), DYNACOMP)
        trick = turn.trick
        Computer().play(turn, []) in hold("2C 9C")
        str(turn.hand)
    """
    use = stdlib("builtins").eval(USING)
    hand, trick, seen = (
        each(cards.Card.parse, c.split()) for c in ("7H 9D QS 3C AC", "KD 2D", "2C")
    )
    turn_of = [legal.Turn, legal.DYNACOMP]
    gifts, played, *left = use(hearts15.Computer(), cards.Hand(hand), trick, seen, *turn_of)
    assert [sorted({*gifts} & {"7H", "9D", "QS", "3C", "AC"}), played] == [sorted(gifts), "9D"]
    assert left == ["7H 9D QS 3C AC", ["KD", "2D"], ["2C"]]


@pytest.mark.task("quite-good")
@pytest.mark.timeout(5)
def test_a_computer_repeats_its_gifts(players):
    """After the same calls, a computer player gives the same cards.

    So the seed that is typed decides the whole game.

    Try:
        hand = hold("2C 9C KC 4D AH QS")
        gifts = [sorted(map(str, Computer().give(hand))) for _ in range(20)]
        all(gift == gifts[0] for gift in gifts)
    """
    hands = [" ".join(old_program.shuffled(f"chance {number}")[0][0]) for number in range(40)]
    first, again = (each(players(40)[0], list(range(40)), hands) for _ in range(2))
    rows = zip(first, hands, strict=True)
    assert [len({*given.split()} & {*held.split()}) for given, held in rows] == [3] * 40
    assert again == first
