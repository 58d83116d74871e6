"""Laws that hold under every rule book, tried on thousands of deals of the reference."""

from random import Random

import pytest
from hearts_course.course import find_course
from references import loaded

COURSE = find_course()
FULL = next(stage for stage in COURSE.stages if "match" in stage.modules)
BOOKS = ["ESTELL_BOOK", "HEART_BOOK", "NEW_HEART_BOOK", "CIT590_BOOK", "DYNACOMP_BOOK"]
SCORED = 2000  # divided packs, for each rule book
PLAYED = 4  # matches, for each rule book


@pytest.fixture(scope="module")
def program():
    """The references of the stage with all rule books and of those it needs, as one program."""
    with loaded(COURSE, FULL) as program:
        yield program


def piles(pack, chance):
    """The pack, divided among four seats as tricks might divide it; moons and suns are frequent."""
    owners = chance.choice([[0, 1, 2, 3], [0, 1, 2, 3], [1, 2], [3]])
    shooter = chance.choice([None, 0, 1, 2, 3])
    taken = [[], [], [], []]
    for card in pack:
        pointed = card.suit == "H" or str(card) == "QS"
        taken[shooter if pointed and shooter is not None else chance.choice(owners)].append(card)
    return taken


@pytest.mark.parametrize("name", BOOKS)
def test_scores_add_up_and_no_chip_is_lost(program, name):
    """Every deal adds up to what its book allows, and each such sum comes up."""
    scoring, book = program["scoring"], getattr(program["rulebook"], name)
    pack, chance, sums = list(program["cards"].Deck()), Random(name), set()
    games = [scoring.Chips([9, 9, 9, 9], rule) for rule in (scoring.lowest, scoring.spotless)]
    for _ in range(SCORED):
        taken = piles(pack, chance)
        totals = [chance.randrange(book.limit) for _ in taken]
        costs = scoring.costs(taken, book.play)
        assert sum(costs) == 26
        sums.add(sum(scoring.deal_scores(taken, book, totals)))
        for chips in games:
            chips.settle(costs)
            assert sum(chips.held) + chips.pot == 36
    assert sums == scoring.deal_sums(book)
    assert {total % 26 for total in sums} == {0}


@pytest.mark.parametrize("name", BOOKS)
def test_matches_end_as_they_should(program, name):
    """Matches at random end with the deal that reaches the limit, and never lose a card."""
    match, book = program["match"], getattr(program["rulebook"], name)
    for seed in range(PLAYED):
        chance, game = Random(seed), match.Match(book)
        while not game.is_over():
            deal = game.start_shuffled(chance)
            for seat in deal.still_to_pass:
                deal.give(seat, chance.sample(deal.hand(seat), 3))
            while deal.turn is not None:
                deal.play(chance.choice(deal.legal_plays()))
            assert sum(len(deal.taken(seat)) for seat in range(4)) == 52
            game.finish()
        assert [max(totals) >= book.limit for totals in game.sheet.running][:-1].count(True) == 0
        assert sum(game.sheet.totals) % 26 == 0
        assert {game.sheet.totals[seat] for seat in game.winners()} == {min(game.sheet.totals)}
