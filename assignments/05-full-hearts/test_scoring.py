"""Visible checks of stage 05: what a deal costs, the score sheet, and the chips."""

import pytest
from hearts_course import each

POINTS = "QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
NAMES = ["Ann", "Barnaby", "Cy", "Di"]
OWN_CHIPS = """\
held = [50, 50, 50, 50]
chips = Chips(held, lowest)
held.clear()
chips.held.clear()
chips
"""
SHEET = """\
Ann  Barnaby  Cy  Di
  0       25   1   0
 26       25  27  26
 26       38  32  34"""


@pytest.fixture
def piles(cards):
    """Make lists of cards from their codes."""

    def make(*texts):
        parsed = iter(each(cards.Card.parse, " ".join(texts).split()))
        return [[next(parsed) for _ in text.split()] for text in texts]

    return make


@pytest.fixture
def sheet(scoring):
    """Make a sheet for a book, and enter these deals."""

    def make(book, *deals):
        new = scoring.ScoreSheet(NAMES, book)
        for scores in deals:
            new.enter(list(scores))
        return new

    return make


def is_refused(call, *arguments):
    """Return whether this raises ValueError."""
    try:
        call(*arguments)
    except ValueError:
        return True
    return False


@pytest.mark.task("moon-and-sun")
@pytest.mark.parametrize(
    ("taken", "costs"),
    [(["2H QS", "AH KS", "", "2C"], [14, 1, 0, 0]), (["", POINTS, "QD", ""], [0, 26, 0, 0])],
)
def test_costs_of_taken_cards(rulebook, legal, scoring, piles, taken, costs):
    """A heart costs 1 and the queen of spades 13, unless the rules say something else."""
    assert scoring.costs(piles(*taken), rulebook.HEART_BOOK.play) == costs
    assert scoring.costs(piles("AH QS", "2H"), legal.Rules(queen_points=5)) == [6, 1]


@pytest.mark.task("moon-and-sun")
@pytest.mark.parametrize(
    ("book", "moon", "sun"),
    [
        ("ESTELL_BOOK", [26, 26, 0, 26], [26, 26, 0, 26]),
        ("HEART_BOOK", [0, 0, -26, 0], [0, 0, -52, 0]),
        ("DYNACOMP_BOOK", [0, 0, 26, 0], [0, 0, 26, 0]),
    ],
)
def test_the_moon_and_the_sun(rulebook, scoring, piles, book, moon, sun):
    """A player who takes all points shoots the moon; with all tricks as well, the sun.

    Taking all points is a feat, and each rule book pays for it in its own way.
    """
    assert scoring.deal_scores(piles("", "2C", POINTS, ""), getattr(rulebook, book)) == moon
    assert scoring.deal_scores(piles("", "", f"{POINTS} 2C", ""), getattr(rulebook, book)) == sun, (
        "The rule book says what a moon and what a sun are worth."
    )
    assert scoring.deal_scores(piles("", "2H", POINTS[:-3], "7S"), getattr(rulebook, book)) == [
        0,
        1,
        25,
        0,
    ], "With one heart elsewhere, nobody has shot the moon."


@pytest.mark.task("careful-moon")
@pytest.mark.parametrize(
    ("totals", "spoiled", "scores"),
    [
        ([50, 80, 30, 20], True, [-26, 0, 0, 0]),
        ([40, 80, 30, 20], False, [0, 26, 26, 26]),
        ([50, 70, 30, 20], False, [0, 26, 26, 26]),
        ([46, 80, 30, 20], True, [-26, 0, 0, 0]),
        ([50, 74, 30, 20], True, [-26, 0, 0, 0]),
    ],
)
def test_a_moon_that_would_lose_the_match(rulebook, scoring, piles, totals, spoiled, scores):
    """The others are charged, unless that ends the match without a win for the shooter alone."""
    assert scoring.backfires(0, 26, totals, 100) == spoiled
    taken = piles(POINTS, "", "", "2C")
    assert scoring.deal_scores(taken, rulebook.NEW_HEART_BOOK, totals) == scores


@pytest.mark.task("careful-moon")
def test_the_stake_and_the_limit_of_the_book_count(rulebook, legal, scoring, piles):
    """A sun has a greater stake than a moon, and each book has its own limit."""
    sun = piles(f"{POINTS} 2C", "", "", "")
    totals = [70, 50, 12, 30]
    assert scoring.deal_scores(sun, rulebook.NEW_HEART_BOOK, totals) == [-52, 0, 0, 0]
    short = rulebook.Book(play=legal.HEART, moon=rulebook.Moon.EITHER, limit=50)
    assert scoring.deal_scores(sun, short, [30, 30, 0, 0]) == [-26, 0, 0, 0]


@pytest.mark.task("score-sheet")
def test_what_a_deal_can_add_up_to(rulebook, scoring):
    """The scores of a deal can add up to only a few numbers, all multiples of 26.

    So the sheet notices most mistakes in counting.
    """
    assert sorted(scoring.deal_sums(rulebook.ESTELL_BOOK)) == [26, 78]
    assert sorted(scoring.deal_sums(rulebook.HEART_BOOK)) == [-52, -26, 26]
    assert sorted(scoring.deal_sums(rulebook.DYNACOMP_BOOK)) == [26]


@pytest.mark.task("score-sheet")
def test_totals_and_running_totals(rulebook, sheet):
    """`totals` are the sums of the scores, and `running` are the totals after each deal."""
    deals = [[0, 25, 1, 0], [26, 0, 26, 26], [0, 13, 5, 8]]
    now = sheet(rulebook.ESTELL_BOOK, *deals)
    assert [now.names, now.rows, now.totals] == [NAMES, deals, [26, 38, 32, 34]]
    assert now.running == [[0, 25, 1, 0], [26, 25, 27, 26], [26, 38, 32, 34]]
    assert [sheet(rulebook.ESTELL_BOOK).totals, sheet(rulebook.ESTELL_BOOK).rows] == [
        [0, 0, 0, 0],
        [],
    ]


@pytest.mark.task("score-sheet")
def test_the_lists_of_a_sheet_are_copies(rulebook, sheet, typed):
    """Every list that the sheet returns is new, and it keeps copies of the lists it is given."""
    now = sheet(rulebook.ESTELL_BOOK, [0, 25, 1, 0])
    typed("scores = [0, 0, 26, 0]\nsheet.enter(scores)\nscores.clear()", sheet=now)
    typed("sheet.rows[0].clear()", sheet=now)
    typed("sheet.totals.clear()", sheet=now)
    typed("sheet.names.clear()", sheet=now)
    rows = [[0, 25, 1, 0], [0, 0, 26, 0]]
    assert [now.rows, now.totals, now.names] == [rows, [0, 25, 27, 0], NAMES]


@pytest.mark.task("score-sheet")
def test_a_sheet_is_shown(rulebook, sheet):
    """The sheet has a column for each player: the name, and below it the totals after each deal."""
    deals = [[0, 25, 1, 0], [26, 0, 26, 26], [0, 13, 5, 8]]
    assert sheet(rulebook.ESTELL_BOOK, *deals).show() == SHEET
    wide = sheet(rulebook.ESTELL_BOOK, *[[0, 0, 0, 26]] * 4)
    assert wide.show().splitlines()[0] == "Ann  Barnaby  Cy   Di"


@pytest.mark.task("score-sheet")
def test_a_sheet_refuses_impossible_scores(rulebook, sheet):
    """Scores that no deal can have raise ValueError and are not written down."""
    now = sheet(rulebook.ESTELL_BOOK, [0, 25, 1, 0])
    wrong = [[13, 12, 0, 0], [26, 26, 0], [26, 26, 26], [0, 0, -26, 0]]
    assert [is_refused(now.enter, scores) for scores in wrong] == [True] * 4
    assert now.rows == [[0, 25, 1, 0]]


@pytest.mark.task("score-sheet")
def test_the_limit_ends_the_match(rulebook, sheet):
    """A total of 100 ends the match; 99 does not. All who have the lowest total win."""
    rows = [[16, 0, 0, 10]] * 4 + [[10, 0, 0, 16]]
    now = sheet(rulebook.ESTELL_BOOK, *rows, [25, 1, 0, 0])
    assert [now.totals[0], now.is_over(), now.winners()] == [99, False, [2]]
    now = sheet(rulebook.ESTELL_BOOK, *rows, [26, 0, 0, 0])
    assert [now.totals[0], now.is_over(), now.winners()] == [100, True, [1, 2]]


@pytest.mark.task("chips")
def test_who_takes_the_pot(scoring):
    """The lowest costs take the pot; in Sweepstakes, only seats whose cards cost nothing."""
    for costs, cheapest, clean in (
        ([3, 3, 7, 13], [0, 1], []),
        ([0, 5, 8, 13], [0], [0]),
        ([26, 0, 0, 0], [1, 2, 3], [1, 2, 3]),
    ):
        assert [scoring.lowest(costs), scoring.spotless(costs)] == [cheapest, clean]


@pytest.mark.task("chips")
def test_odd_chips_stay(scoring):
    """The seats that take the pot share it equally; odd chips stay for the next deal."""
    chips = scoring.Chips([50, 50, 50, 50], scoring.lowest)
    chips.settle([2, 2, 2, 20])
    assert [chips.held, chips.pot] == [[56, 56, 56, 30], 2]
    chips.settle([0, 5, 8, 13])
    assert [chips.held, chips.pot] == [[84, 51, 48, 17], 0]


@pytest.mark.task("chips")
def test_the_chips_of_a_game_are_its_own(scoring, typed):
    """The game copies the list that it is given, and returns new lists.

    Otherwise a change of that list would change how many chips the players hold.
    """
    chips = typed(OWN_CHIPS, scoring)
    assert chips.held == [50, 50, 50, 50]


@pytest.mark.task("chips")
def test_a_pot_that_nobody_takes_stays(scoring):
    """In Sweepstakes the pot stays until the cards of at least one seat cost nothing."""
    chips = scoring.Chips([50, 50, 50, 50], scoring.spotless)
    chips.settle([1, 5, 7, 13])
    assert [chips.held, chips.pot] == [[49, 45, 43, 37], 26]
    chips.settle([0, 6, 7, 13])
    assert [chips.held, chips.pot] == [[101, 39, 36, 24], 0]
