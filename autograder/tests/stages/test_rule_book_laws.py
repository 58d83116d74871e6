"""Laws that hold under every rule book, tried on thousands of deals of the reference."""

from random import Random

import pytest
from hearts_course.course import find_course
from references import loaded

COURSE = find_course()
FULL_HEARTS = next(stage for stage in COURSE.stages if "match" in stage.modules)
BOOKS = ["ESTELL_BOOK", "HEART_BOOK", "NEW_HEART_BOOK", "CIT590_BOOK", "DYNACOMP_BOOK"]
DEALS, MATCHES = 2000, 4  # for each rule book


@pytest.fixture(scope="module")
def program():
    """Yield the modules of the references up to full Hearts, by name."""
    with loaded(COURSE, FULL_HEARTS) as program:
        yield program


def taken_at_random(pack, rng):
    """Divide the pack among four seats at random. Often one seat gets all cards with points."""
    owners = rng.choice([[0, 1, 2, 3], [0, 1, 2, 3], [1, 2], [3]])
    shooter = rng.choice([None, 0, 1, 2, 3])
    taken = [[], [], [], []]
    for card in pack:
        costs = card.suit == "H" or str(card) == "QS"
        taken[shooter if costs and shooter is not None else rng.choice(owners)].append(card)
    return taken


@pytest.mark.parametrize("name", BOOKS)
def test_scores_add_up_and_no_chip_is_lost(program, name):
    """Scores of a deal add up to a sum that the book allows, and each such sum occurs."""
    scoring = program["scoring"]
    book = getattr(program["rulebook"], name)
    pack = list(program["cards"].Deck())
    rng = Random(name)
    sums = set()
    games = [scoring.Chips([9, 9, 9, 9], rule) for rule in (scoring.lowest, scoring.spotless)]
    for _ in range(DEALS):
        taken = taken_at_random(pack, rng)
        totals = [rng.randrange(book.limit) for _ in taken]
        costs = scoring.costs(taken, book.play)
        assert sum(costs) == 26
        sums.add(sum(scoring.deal_scores(taken, book, totals)))
        for chips in games:
            chips.settle(costs)
            assert sum(chips.held) + chips.pot == 36
    assert sums == scoring.deal_sums(book)
    assert {total % 26 for total in sums} == {0}


@pytest.mark.parametrize("name", BOOKS)
def test_a_match_ends_at_the_limit_and_loses_no_card(program, name):
    match = program["match"]
    book = getattr(program["rulebook"], name)
    for seed in range(MATCHES):
        rng = Random(seed)
        game = match.Match(book)
        while not game.is_over():
            deal = game.start_shuffled(rng)
            for seat in deal.still_to_pass:
                deal.give(seat, rng.sample(deal.hand(seat), 3))
            while deal.turn is not None:
                deal.play(rng.choice(deal.legal_plays()))
            assert sum(len(trick.cards) for trick in deal.tricks) == 52
            game.finish()
        assert not any(max(totals) >= book.limit for totals in game.sheet.running[:-1])
        assert sum(game.sheet.totals) % 26 == 0
        assert {game.sheet.totals[seat] for seat in game.winners()} == {min(game.sheet.totals)}
