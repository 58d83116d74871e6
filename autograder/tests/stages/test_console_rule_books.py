"""The console game plays any rule book for four players, and CIT590 by default."""

from dataclasses import replace

import pytest
from hearts_course.course import find_course
from references import loaded

COURSE = find_course()
GAME = COURSE.stage("04-console-game")
SEEDS = range(4)


@pytest.fixture(scope="module")
def program():
    with loaded(COURSE, GAME) as modules:
        yield modules


def plays_of_deals(table, seed, rules):
    """Return a list of plays for each deal of a game.

    A play has a seat, a card, and a flag `leads`, which says whether the card led the trick.
    """
    deals = []
    for event in table.new_game({}, seed, rules):
        if isinstance(event, table.Dealt):
            deals.append([])
        if isinstance(event, table.Played):
            deals[-1].append(event)
    return deals


def early_hearts(plays, breakers):
    """Return how often a player with other suits led a heart before hearts were broken.

    `breakers` are the cards that break hearts.
    """
    count = 0
    for number, play in enumerate(plays):
        if play.leads and play.card.suit == "H":
            broken = any(str(earlier.card) in breakers for earlier in plays[:number])
            rest = [later.card for later in plays[number:] if later.seat == play.seat]
            if not broken and any(card.suit != "H" for card in rest):
                count += 1
    return count


def points_on_first_tricks(plays):
    """Return how many cards of a deal's first trick cost points."""
    return sum(play.card.suit == "H" or str(play.card) == "QS" for play in plays[:4])


@pytest.mark.parametrize(
    ("name", "hearts_wait", "points_wait"),
    [
        ("CIT590", False, False),
        ("DYNACOMP", True, False),
        ("ESTELL", True, True),
        ("HEART", True, True),
    ],
)
def test_each_book_is_played(program, name, hearts_wait, points_wait):
    table = program["table"]
    rules = table.BOOKS[name]
    hearts = {str(card) for card in program["cards"].Deck() if card.suit == "H"}
    breakers = hearts | ({"QS"} if rules.queen_breaks_hearts else set())
    deals = [deal for seed in SEEDS for deal in plays_of_deals(table, seed, rules)]
    assert (sum(early_hearts(deal, breakers) for deal in deals) == 0) == hearts_wait
    assert (sum(points_on_first_tricks(deal) for deal in deals) == 0) == points_wait


def test_a_table_that_breaks_hearts_is_one_field_away(program):
    legal = program["legal"]
    table = program["table"]
    assert replace(legal.CIT590, hearts_must_be_broken=True) == table.BOOKS["DYNACOMP"]


def test_the_moon_costs_what_the_pack_costs(program):
    cards = program["cards"]
    legal = program["legal"]
    table = program["table"]
    cheap = replace(legal.CIT590, queen_points=5)
    everything = list(cards.Deck())
    assert table.deal_scores([everything, [], [], []], cheap) == [0, 18, 18, 18]
    assert table.deal_scores([everything, [], [], []]) == [0, 26, 26, 26]


def test_a_flag_names_the_book(program):
    def lines(*flags):
        written = []
        assert (
            program["console"].main(["--watch", "--seed", "3", *flags], None, written.append) == 0
        )
        return [str(line) for line in written]

    assert lines() == lines("--book", "CIT590")
    assert lines() != lines("--book", "DYNACOMP")
    with pytest.raises(SystemExit):
        program["console"].main(["--watch", "--book", "UVA181"])
