"""Compute the limits and the expected figures of stage 09's checks in a second way.

A world is one way in which the cards that a player has not seen may be dealt.
"""

from math import erfc, exp, gamma, sqrt

import pytest
from hearts_course.course import find_course
from references import loaded, module_at
from test_players_laws import all_lines, guaranteed

COURSE = find_course()
STAGE = next(stage for stage in COURSE.stages if "sampler" in stage.modules)
WORLDS, CHOICE = (
    module_at(STAGE.autograder / f"test_sampler_{name}.py") for name in ("worlds", "choice")
)
ONE_IN_TEN_MILLION = 1e-7


def chance_of_exceeding(limit, freedom):
    """Return the chance that chi-square with this many degrees of freedom exceeds the limit."""
    half = limit / 2
    known, chance = (1, erfc(sqrt(half))) if freedom % 2 else (2, exp(-half))
    for degrees in range(known, freedom, 2):
        chance += half ** (degrees / 2) * exp(-half) / gamma(degrees / 2 + 1)
    return chance


def test_chi_square_is_computed_rightly():
    """By published tables, chi-square exceeds each of these limits with a chance of 5 %."""
    for freedom, limit in ((1, 3.841), (2, 5.991), (5, 11.070), (10, 18.307), (17, 27.587)):
        assert chance_of_exceeding(limit, freedom) == pytest.approx(0.05, abs=1e-4)


@pytest.mark.parametrize(("number", "limit"), WORLDS.LIMITS.items())
def test_a_fair_program_exceeds_a_limit_once_in_ten_million_times(number, limit):
    chance = chance_of_exceeding(limit, number - 1)
    assert ONE_IN_TEN_MILLION / 2 < chance < ONE_IN_TEN_MILLION


@pytest.fixture(scope="module")
def program():
    """Yield the modules of the references up to the sampler, by name."""
    with loaded(COURSE, STAGE) as program:
        yield program


def situation_of(data):
    """Return a situation of the hidden checks as an object that can list its worlds."""
    (seat, hand, table, leader), text, (gave, direction) = data
    situation = WORLDS.Situation.__new__(WORLDS.Situation)
    situation.seat, situation.trick, situation.tricks = seat, table.split(), []
    for trick in text.split(", "):
        situation.tricks.append((leader, trick.split()))
        leader = WORLDS.taker(leader, trick.split())
    situation.leader, situation.gave = leader, gave.split()
    shift = next(shift for shift, name in WORLDS.PASSES.items() if name == direction)
    situation.receiver = (seat + shift) % 4
    situation.hands = [[], [], [], []]
    situation.hands[seat] = hand.split()
    played = [(leader + place) % 4 for place in range(len(situation.trick))]
    situation.sizes = [len(situation.hands[seat]) - (other in played) for other in range(4)]
    situation.homes = {
        card: situation.homes_of(card) for card in WORLDS.PACK if situation.is_unseen(card)
    }
    return situation


@pytest.mark.parametrize(("data", "expected"), CHOICE.REGRETS)
def test_the_regrets_of_the_checks(program, data, expected):
    """A card's regret is its cost minus the cost of the best card, on average over all worlds.

    A search through all possible continuations must find the regrets that the hidden checks expect.
    """
    situation = situation_of(data)
    rules = program["legal"].ESTELL
    seat = situation.seat
    totals = {}
    worlds = situation.worlds()
    for world in worlds:
        hands = [hand.split() for hand in world]
        _, branches = all_lines(hands, situation.leader, situation.trick, True, rules)
        for card, (paid, below) in branches.items():
            totals[card] = totals.get(card, 0) + paid[seat] + guaranteed(below, seat)
    least = min(totals.values())
    regrets = {card: (total - least) / len(worlds) for card, total in totals.items()}
    assert regrets == pytest.approx(expected, abs=1e-4)


def test_the_reference_deals_fairly_where_guesses_hardly_ever_fit(program):
    """In a large ending, the reference deals all worlds about equally often."""
    sampler = program["sampler"]
    rng = WORLDS.Random(1)
    parse = program["cards"].Card.parse
    situation = WORLDS.Situation(121, 3, 1)
    view = program["players"].View(
        seat=situation.seat,
        hand=tuple(map(parse, situation.hands[situation.seat])),
        trick=tuple(map(parse, situation.trick)),
        tricks=tuple(
            program["match"].Trick(leader, tuple(map(parse, codes)))
            for leader, codes in situation.tricks
        ),
        book=program["rulebook"].ESTELL_BOOK,
        direction=program["rulebook"].Pass[situation.direction],
        gave=tuple(map(parse, situation.gave)),
    )
    dealer = sampler.Dealer(sampler.Clues(view))
    worlds = situation.worlds()
    assert dealer.number == len(worlds)
    counts = {}
    for _ in range(100 * len(worlds)):
        key = tuple(" ".join(sorted(map(str, hand))) for hand in dealer.deal(rng))
        counts[key] = counts.get(key, 0) + 1
    square = WORLDS.chi_square(counts.values(), len(worlds))
    assert sorted(map(list, counts)) == worlds
    assert chance_of_exceeding(square, len(worlds) - 1) > ONE_IN_TEN_MILLION
