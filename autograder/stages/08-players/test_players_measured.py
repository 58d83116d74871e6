"""Hidden checks of stage 08: measuring, and players that are measured on fixed deals.

A player that follows the brief may break ties as it likes, so its points on these deals vary. The
limits lie far outside of what 200 such players got: solutions/08-players/design.md shows it.
"""

from random import Random
from statistics import fmean

import pytest
from hearts_course import each

PACK = [f"{rank}{suit}" for suit in "CDHS" for rank in "23456789TJQKA"]
# Seat 0 takes every trick of this small pack, whoever plays it.
SUN = ["2C AH KH QH", "2D 2H 3H 4H", "QS 5H 6H 7H", "8H 9H TH JH"]
PASSES = ("LEFT", "RIGHT", "ACROSS")
# Seeds of deals in which it pays to count the cards, whatever a counter does where several cards
# are right. So few deals suffice: solutions/08-players/design.md shows it.
DEALS_FOR_A_COUNTER = (44, 123, 129, 136, 192, 225, 235, 279)


def shuffled(number, seed):
    """Return that many deals, each a list of the codes of four hands."""
    rng, deals = Random(seed), []
    for _ in range(number):
        pack = list(PACK)
        rng.shuffle(pack)
        deals.append([" ".join(pack[seat::4]) for seat in range(4)])
    return deals


@pytest.fixture
def hands(cards):
    """Make the hands of all seats from their codes."""

    def make(held):
        parsed = iter(each(cards.Card.parse, " ".join(held).split()))
        piles = [[next(parsed) for _ in codes.split()] for codes in held]
        return each(cards.Hand, piles)

    return make


@pytest.fixture
def chance(players, stdlib):
    """Make a player that draws lots, from its seed."""
    return lambda seed: players.RandomPlayer(stdlib("random").Random(seed))


@pytest.fixture
def mean(rulebook, players, hands):
    """Return the mean score of a player among rivals, once in every seat of these deals."""

    def play(player, rival, deals):
        scores = []
        for number, held in enumerate(deals):
            direction = getattr(rulebook.Pass, PASSES[number % len(PASSES)])
            for seat in range(4):
                table = [rival] * 4
                table[seat] = player
                deal = players.play_deal(table, hands(held), rulebook.ESTELL_BOOK, direction)
                assert sum(deal) in (26, 78)  # a moon costs each of the others 26
                scores.append(deal[seat])
        return fmean(scores)

    return play


@pytest.mark.task("duplicate-deals")
def test_the_scores_of_one_player(rulebook, players, hands, chance):
    """The four numbers are the scores of the player, not of its rivals, in seats 0 to 3.

    Try:
        held = ("6H QS 2C 5H", "6D JD QD AH", "5S JC AS 3D", "9H KD KS JH")
        deal = [Hand(hold(codes)) for codes in held]
        player = RandomPlayer(Random(1))
        rival = RandomPlayer(Random(2))
        [duplicate(player, rival, deal, ESTELL_BOOK, way) for way in (Pass.LEFT, Pass.RIGHT)]
    """
    first, second = shuffled(2, 81)
    for held, book, direction, expected in (
        (first, "HEART_BOOK", "ACROSS", [1, 2, 0, 14]),
        (second, "ESTELL_BOOK", "HOLD", [5, 1, 3, 5]),
    ):
        book, direction = getattr(rulebook, book), getattr(rulebook.Pass, direction)
        found = players.duplicate(chance(3), chance(4), hands(held), book, direction)
        assert found == expected


@pytest.mark.task("duplicate-deals")
def test_a_moon_is_scored_by_the_book(rulebook, players, hands, chance):
    """The numbers are scores, so a moon counts as the book says.

    Try:
        held = ("2D 2H 3H 4H", "2C AH KH QH", "QS 5H 6H 8H", "7H 9H TH JH")
        deal = [Hand(hold(codes)) for codes in held]
        chance = RandomPlayer(Random(1))
        [duplicate(chance, chance, deal, book) for book in (ESTELL_BOOK, HEART_BOOK, DYNACOMP_BOOK)]
    """
    for book, expected in (
        ("ESTELL_BOOK", [0, 26, 26, 26]),
        ("HEART_BOOK", [-52, 0, 0, 0]),
        ("DYNACOMP_BOOK", [26, 0, 0, 0]),
    ):
        book = getattr(rulebook, book)
        assert players.duplicate(chance(3), chance(4), hands(SUN), book) == expected


@pytest.mark.task("duplicate-deals")
@pytest.mark.parametrize(
    ("book", "expected"),
    [("ESTELL_BOOK", [1.75, -3.0, 8.5, 2.0]), ("HEART_BOOK", [1.75, 3.5])],
)
def test_differences_deal_by_deal(rulebook, players, hands, chance, book, expected):
    """Each number is the first player's mean minus the second's, passed as in a match.

    Try:
        held = ("6H QS 2C 5H", "6D JD QD AH", "5S JC AS 3D", "9H KD KS JH")
        deal = [Hand(hold(codes)) for codes in held]
        first, second, rival = [RandomPlayer(Random(seed)) for seed in range(3)]
        differences(first, second, rival, [deal] * 4, ESTELL_BOOK)
    """
    first, second, third = shuffled(3, 81)
    deals = [hands(held) for held in (first, second, third, first)[: len(expected)]]
    book = getattr(rulebook, book)
    assert players.differences(chance(3), chance(4), chance(5), deals, book) == expected


@pytest.mark.task("duplicate-deals")
def test_zero_in_the_interval(players, stdlib):
    """An interval that contains zero, also at one of its ends, says nothing yet.

    Try: [verdict(bounds) for bounds in ((-1.5, 0.0), (0.0, 1.5), (-1.5, -0.5))]
    """
    found = [players.verdict(bounds) for bounds in ((-2.0, 0.0), (0.0, 2.0), (0.0, 0.0))]
    assert found == ["cannot tell yet"] * 3
    assert [players.verdict((-0.01, -0.001)), players.verdict((0.001, 9.0))] == ["better", "worse"]
    for differences, bounds, expected in (
        ([-3.0, 1.5, -2.25, 0.5, -4.0, -1.0, 2.0, -6.5], (-3.375, 0.125), "cannot tell yet"),
        ([3.0, 1.5, -2.25, 0.5, 4.0, 1.0, 2.0, 6.5], (0.40625, 3.75), "worse"),
        (
            [0.3, -1.7, 2.9, -0.45, -3.1, 1.15, -2.2, 0.85, -5.6, 0.1, -0.75],
            (-2.1545454545454543, 0.409090909090909),
            "cannot tell yet",
        ),
    ):
        found = players.interval(differences, stdlib("random").Random(6))
        assert [found, players.verdict(found)] == [bounds, expected]


@pytest.mark.alone
@pytest.mark.task("cautious-player")
def test_cautious_players_beat_chance(players, chance, mean):
    """On six fixed deals, a cautious player takes far fewer points than one that draws lots.

    Whatever it does where several cards are right, it stays below four and a half points a deal.

    Try: measure `Cautious()` against a player that draws lots on twenty deals, as the brief does
    """
    assert mean(players.Cautious(), chance(9), shuffled(6, 119)) < 4.5


@pytest.mark.alone
@pytest.mark.task("card-memory")
def test_a_counter_beats_cautious_players(players, mean):
    """On eight fixed deals, a counter among cautious players takes fewer points than its share.

    Its share is a quarter of the 26 points. Whatever it does where several cards are right, it
    stays below that.

    Try: measure `CardCounter(Dumper())` and `Cautious()`, both among `Cautious()` players
    """
    counter = players.CardCounter(players.Dumper())
    deals = [deal for seed in DEALS_FOR_A_COUNTER for deal in shuffled(1, seed)]
    assert mean(counter, players.Cautious(), deals) < 6.5
