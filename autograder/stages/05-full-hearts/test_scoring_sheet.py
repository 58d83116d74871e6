"""Hidden checks of stage 05: the score sheet, and games for chips."""

from random import Random

import pytest
from hearts_course import each

NAMES = ["North", "East", "South", "West"]
MOONS = [[26, 26, 0, 26], [0, 0, -26, 0], [13, 5, 8, 0]]
WIDE_NUMBERS = """\
  A   B   C   D
 26   0   0   0
 26   9  17   0
 52  35  17  26
 78  61  17  52
104  87  17  78"""
WIDE_NAMES = """\
Anneliese  Bo   C  Dee
        0   0  13   13"""


@pytest.fixture
def book(rulebook, legal):
    """Make a rule book with this moon."""

    def make(moon, **fields):
        return rulebook.Book(play=legal.HEART, moon=getattr(rulebook.Moon, moon), **fields)

    return make


@pytest.fixture
def sheet(rulebook, scoring):
    """Make a sheet for a book, or the name of one, and enter these deals."""

    def make(book, *deals, names=NAMES):
        book = getattr(rulebook, book) if isinstance(book, str) else book
        new = scoring.ScoreSheet(names, book)
        for scores in deals:
            new.enter(list(scores))
        return new

    return make


@pytest.fixture
def empty(stdlib):
    """Empty a list in the student's own process: a list that came here would be a copy anyway."""
    return lambda thing, given: stdlib("builtins").exec(f"thing.{given}.clear()", {"thing": thing})


@pytest.fixture
def settled(scoring):
    """Settle these deals in a game for chips; return the chips held, and those in the pot."""

    def settle(takers, *deals):
        chips = scoring.Chips([100, 100, 100, 100], getattr(scoring, takers))
        each(chips.settle, list(deals))
        return chips.held, chips.pot

    return settle


def is_refused(call, *arguments):
    """Return whether this raises ValueError."""
    try:
        call(*arguments)
    except ValueError:
        return True
    return False


@pytest.mark.task("score-sheet")
@pytest.mark.parametrize(
    ("sun", "sums"),
    [
        (False, {"OTHERS": [26, 78], "SHOOTER": [-26, 26], "EITHER": [-26, 26, 78]}),
        (
            True,
            {
                "OTHERS": [26, 78, 156],
                "SHOOTER": [-52, -26, 26],
                "EITHER": [-52, -26, 26, 78, 156],
                "NOTHING": [26],
            },
        ),
    ],
)
def test_the_sums_of_every_book(scoring, book, sun, sums):
    """The scores of a deal add up to 26, or to what the book makes of a moon or a sun.

    Try:
        [sorted(deal_sums(replace(CIT590_BOOK, sun=sun))) for sun in (False, True)]
        sorted(deal_sums(NEW_HEART_BOOK))
    """
    for moon, found in sums.items():
        assert sorted(scoring.deal_sums(book(moon, sun=sun))) == found


@pytest.mark.task("score-sheet")
def test_a_sheet_knows_what_its_book_allows(sheet):
    """A sheet accepts the sums that its own book allows, and no others.

    Try:
        some_scores = [[26, 26, 0, 26], [0, -26, 0, 0], [0, 0, 26, 0]]
        some_scores += [[0, -52, 0, 0], [52, 0, 52, 52]]
        for book in (HEART_BOOK, ESTELL_BOOK, DYNACOMP_BOOK, NEW_HEART_BOOK):
            for scores in some_scores:
                sheet = ScoreSheet(list("ABCD"), book)
                try:
                    sheet.enter(scores)
                except ValueError:
                    print("refused")
                print(sheet.rows)
    """
    for book, refused in (
        ("ESTELL_BOOK", [False, True, False, True, True]),
        ("HEART_BOOK", [True, False, False, True, False]),
        ("NEW_HEART_BOOK", [False, False, False, False, False]),
        ("DYNACOMP_BOOK", [True, True, False, True, True]),
    ):
        now, suns = sheet(book), [[52, 52, 0, 52], [-52, 0, 0, 0]]
        assert [is_refused(now.enter, scores) for scores in [*MOONS, *suns]] == refused
        taken = [scores for scores, no in zip([*MOONS, *suns], refused, strict=True) if not no]
        assert now.rows == taken


@pytest.mark.task("score-sheet")
@pytest.mark.parametrize(
    "wrong",
    [
        ([13, 12, 0, 0], [0, 0, 0, 0], [26, 26, 26, 26]),
        ([26, 0, 0], [], [26, 26, 0, 26, 0]),
    ],
)
def test_wrong_scores_are_not_written(sheet, wrong):
    """Scores with a wrong sum, or not four of them, are refused and change nothing.

    Try:
        sheet = ScoreSheet(["Ann", "Barnaby", "Cy", "Di"], HEART_BOOK)
        sheet.enter([13, 4, 9, 0])
        for scores in ([1, 2, 3, 4], [13, 13, 0], [26, 26, 26, 26], [0, -26, 0, 0]):
            try:
                sheet.enter(scores)
            except ValueError:
                print("refused")
        sheet.rows
        sheet.totals
    """
    now = sheet("ESTELL_BOOK", [5, 8, 13, 0])
    assert [is_refused(now.enter, scores) for scores in wrong] == [True] * 3
    assert not is_refused(now.enter, [26, 26, 26, 0])
    assert [now.rows, now.totals] == [[[5, 8, 13, 0], [26, 26, 26, 0]], [31, 34, 39, 0]]


@pytest.mark.task("score-sheet")
def test_totals_below_zero(sheet):
    """Totals can fall below zero and rise again.

    Try:
        sheet = ScoreSheet(["Ann", "Barnaby", "Cy", "Di"], HEART_BOOK)
        sheet.enter([13, 13, 0, 0])
        sheet.enter([-26, 0, 0, 0])
        sheet.enter([0, -26, 0, 0])
        sheet.totals
        sheet.running
        sheet.winners()
        sheet.is_over()
    """
    now = sheet("HEART_BOOK", [0, -52, 0, 0], [-26, 0, 0, 0], [13, 5, 8, 0])
    assert now.running == [[0, -52, 0, 0], [-26, -52, 0, 0], [-13, -47, 8, 0]]
    assert [now.totals, now.winners(), now.is_over()] == [[-13, -47, 8, 0], [1], False]
    both = sheet("HEART_BOOK", [0, -26, 0, 0], [0, 0, 0, -52], [0, -26, 0, 0])
    assert [both.totals, both.winners()] == [[0, -52, 0, -52], [1, 3]]


@pytest.mark.task("score-sheet")
def test_an_empty_sheet(sheet):
    """An empty sheet has totals of zero, and shows one line with the names.

    Try:
        sheet = ScoreSheet(["Ann", "Barnaby", "Cy", "Di"], HEART_BOOK)
        sheet.rows
        sheet.totals
        sheet.running
        sheet.winners()
        sheet.show()
    """
    now = sheet("HEART_BOOK")
    assert [now.rows, now.running, now.totals] == [[], [], [0, 0, 0, 0]]
    assert [now.is_over(), now.winners()] == [False, [0, 1, 2, 3]]
    assert now.show() == "North  East  South  West"


@pytest.mark.task("score-sheet")
def test_a_sheet_returns_copies(sheet, empty):
    """Changing a list that the sheet has returned does not change the sheet.

    Try:
        sheet = ScoreSheet(["Ann", "Barnaby", "Cy", "Di"], HEART_BOOK)
        sheet.enter([13, 4, 9, 0])
        sheet.enter([0, 13, 13, 0])
        sheet.names.clear()
        sheet.rows.clear()
        sheet.rows[0].clear()
        sheet.totals.clear()
        sheet.running.clear()
        sheet.running[0].clear()
        sheet.winners().clear()
        sheet.names
        sheet.rows
        sheet.totals
        sheet.running
        sheet.winners()
    """
    now = sheet("ESTELL_BOOK", [5, 8, 13, 0], [0, 13, 13, 0])
    for given in ("rows", "rows[0]", "names", "totals", "running", "running[0]", "winners()"):
        empty(now, given)
    assert [now.names, now.rows] == [NAMES, [[5, 8, 13, 0], [0, 13, 13, 0]]]
    assert [now.totals, now.running[0], now.winners()] == [[5, 21, 26, 0], [5, 8, 13, 0], [3]]


@pytest.mark.task("score-sheet")
def test_a_sheet_copies_what_it_is_given(scoring, rulebook, stdlib):
    """Changing a list that was given to the sheet does not change the sheet.

    Try:
        names = ["Ann", "Barnaby", "Cy", "Di"]
        scores = [13, 4, 9, 0]
        sheet = ScoreSheet(names, ESTELL_BOOK)
        sheet.enter(scores)
        names.clear()
        scores.clear()
        sheet.names
        sheet.rows
        sheet.totals
    """
    make, enter = each(
        stdlib("builtins").eval,
        [
            "lambda ScoreSheet, names, book: (ScoreSheet(names, book), names.clear())[0]",
            "lambda sheet, scores: (sheet.enter(scores), scores.clear())",
        ],
    )
    now = make(scoring.ScoreSheet, NAMES, rulebook.ESTELL_BOOK)
    enter(now, [8, 5, 0, 13])
    assert [now.names, now.rows, now.totals] == [NAMES, [[8, 5, 0, 13]], [8, 5, 0, 13]]


@pytest.mark.task("score-sheet")
def test_the_exact_limit_ends_a_match(sheet, book):
    """A total equal to the limit ends a match, one less does not, in any seat.

    Try:
        for total in (49, 50):
            for seat in range(4):
                sheet = ScoreSheet(list("ABCD"), replace(ESTELL_BOOK, limit=50))
                scores = [0, 0, 0, 0]
                scores[seat] = 26
                sheet.enter(scores)
                scores[seat] = total - 26
                scores[seat - 1] = 52 - total
                sheet.enter(scores)
                print(total, seat, sheet.is_over())
    """
    for limit, totals, over in (
        (100, [99, 99, 99, 67], False),
        (100, [100, 30, 4, 22], True),
        (100, [0, 10, 40, 106], True),
        (50, [49, 49, 6, 0], False),
        (50, [0, 0, 52, 0], True),
        (75, [75, 29, 0, 0], True),
    ):
        now = sheet(book("OTHERS", limit=limit), *rows_to(totals))
        assert [now.totals, now.is_over()] == [totals, over]


@pytest.mark.task("score-sheet")
def test_the_lowest_total_wins(sheet):
    """All players who share the lowest total win together; the order of the seats does not matter.

    Try: Print `sheet.winners()` where the first seat shares the lowest total with the last.
    """
    for totals, winners in (
        ([5, 99, 0, 0], [2, 3]),
        ([20, 44, 20, 20], [0, 2, 3]),
        ([99, 1, 2, 2], [1]),
        ([7, 100, 10, 13], [0]),
    ):
        now = sheet("ESTELL_BOOK", *rows_to(totals))
        assert [now.totals, now.winners()] == [totals, winners]


def rows_to(totals):
    """Return rows that each add up to 26, and together to the totals."""
    left, rows = list(totals), []
    while sum(left) > 0:
        row, missing = [0, 0, 0, 0], 26
        for seat in range(4):
            row[seat] = min(left[seat], missing)
            missing -= row[seat]
            left[seat] -= row[seat]
        assert not missing
        rows.append(row)
    return rows


@pytest.mark.task("score-sheet")
def test_columns_are_as_wide_as_their_widest_entry(sheet):
    """A column is as wide as its widest entry, a name or a number.

    Try:
        sheet = ScoreSheet(list("ABCD"), ESTELL_BOOK)
        sheet.enter([13, 4, 9, 0])
        for _ in range(4):
            sheet.enter([0, 26, 26, 26])
        print(sheet.show())
    """
    rows = [[26, 0, 0, 0], [0, 9, 17, 0], *[[26, 26, 0, 26]] * 3]
    assert sheet("ESTELL_BOOK", *rows, names=["A", "B", "C", "D"]).show() == WIDE_NUMBERS
    names = ["Anneliese", "Bo", "C", "Dee"]
    assert sheet("ESTELL_BOOK", [0, 0, 13, 13], names=names).show() == WIDE_NAMES


@pytest.mark.task("score-sheet")
def test_numbers_below_zero_are_shown(sheet):
    """A minus sign is part of the number and counts for the width of the column.

    Try:
        sheet = ScoreSheet(list("ABCD"), HEART_BOOK)
        sheet.enter([13, 4, 9, 0])
        sheet.enter([0, -52, 0, 0])
        print(sheet.show())
    """
    now = sheet("HEART_BOOK", [0, -52, 0, 0], [26, 0, 0, 0], names=["A", "B", "C", "D"])
    assert now.show() == " A    B  C  D\n 0  -52  0  0\n26  -52  0  0"


@pytest.mark.task("chips")
def test_lowest_and_spotless(scoring):
    """The lowest costs take the pot; in Sweepstakes, only seats whose cards cost nothing.

    Try: [[takers([9, 7, 7, 3]), takers([13, 1, 1, 11])] for takers in (lowest, spotless)]
    """
    for costs, lowest, spotless in (
        ([2, 2, 2, 20], [0, 1, 2], []),
        ([13, 8, 5, 0], [3], [3]),
        ([0, 13, 0, 13], [0, 2], [0, 2]),
        ([0, 0, 26, 0], [0, 1, 3], [0, 1, 3]),
        ([23, 1, 1, 1], [1, 2, 3], []),
        ([7, 7, 12], [0, 1], []),
    ):
        assert [scoring.lowest(costs), scoring.spotless(costs)] == [lowest, spotless]


@pytest.mark.task("chips")
def test_the_takers_share_the_pot(settled):
    """The takers share the pot equally; odd chips stay, and belong to the next pot.

    There is no moon in a game for chips: the three players without points share the pot.

    Try:
        chips = Chips([50, 50, 50, 50], lowest)
        for costs_of_deal in ([3, 3, 3, 17], [3, 3, 3, 17], [0, 0, 26, 0]):
            chips.settle(costs_of_deal)
            print(chips.held, chips.pot)
    """
    assert settled("lowest", [3, 3, 7, 13]) == ([110, 110, 93, 87], 0)
    assert settled("lowest", [26, 0, 0, 0]) == ([74, 108, 108, 108], 2)
    assert settled("lowest", [2, 2, 2, 20], [3, 3, 7, 13]) == ([117, 117, 99, 67], 0)
    assert settled("lowest", [2, 2, 2, 20], [2, 2, 2, 20]) == ([113, 113, 113, 60], 1)


@pytest.mark.task("chips")
def test_a_pot_without_takers_stays(settled):
    """A pot that nobody takes stays; whoever takes the next pot takes all of it.

    Try:
        three_deals = [[2, 4, 7, 13], [0, 0, 13, 13], [0, 0, 0, 26]]
        for rows in (three_deals, [[1, 12, 13, 0], [1, 1, 11, 13]]):
            chips = Chips([50, 50, 50, 50], spotless)
            for row in rows:
                chips.settle(row)
                print(chips.held, chips.pot)
    """
    once = [1, 5, 7, 13]
    assert settled("spotless", once) == ([99, 95, 93, 87], 26)
    assert settled("spotless", once, [7, 0, 6, 13]) == ([92, 147, 87, 74], 0)
    assert settled("spotless", once, [13, 13, 0, 0]) == ([86, 82, 119, 113], 0)
    assert settled("spotless", [0, 26, 0, 0], [6, 6, 7, 7]) == ([102, 68, 101, 101], 28)


@pytest.mark.task("chips")
def test_no_chip_is_lost(scoring):
    """All chips and the pot together stay the same after any number of deals.

    Try: Print `sum(chips.held) + chips.pot` after each of a hundred deals.
    """
    for takers, rule in (("lowest", min), ("spotless", lambda costs: 0)):
        chance, held, pot = Random(takers), [40, 30, 20, 10], 0
        chips = scoring.Chips(held, getattr(scoring, takers))
        for _ in range(15):
            cuts = sorted(chance.choices([0, 0, 5, 9, 13, 20, 26], k=3))
            costs = [high - low for low, high in zip([0, *cuts], [*cuts, 26], strict=True)]
            chips.settle(costs)
            who = [seat for seat in range(4) if costs[seat] == rule(costs)]
            share, pot = divmod(pot + 26, len(who)) if who else (0, pot + 26)
            held = [held[seat] - costs[seat] + (share if seat in who else 0) for seat in range(4)]
            assert [chips.held, chips.pot, sum(chips.held) + chips.pot] == [held, pot, 100]


@pytest.mark.task("chips")
def test_any_function_may_say_who_takes(scoring, stdlib):
    """The given function alone decides who takes the pot.

    Try:
        chips = Chips([9, 9, 9, 9], lambda costs: [3])
        chips.settle([0, 0, 13, 13])
        chips.held
    """
    highest = stdlib("builtins").eval("lambda costs: [costs.index(max(costs))]")
    chips = scoring.Chips([10, 20, 30, 40], highest)
    each(chips.settle, [[0, 5, 8, 13], [9, 10, 7, 0]])
    assert [chips.held, chips.pot] == [[1, 31, 15, 53], 0]


@pytest.mark.task("chips")
def test_chips_can_fall_below_zero(scoring):
    """A player without chips plays on, with a number below zero.

    Try:
        chips = Chips([0, 0, 0, 0], lowest)
        chips.settle([1, 1, 11, 13])
        chips.held
    """
    chips = scoring.Chips([0, 5, 0, 0], scoring.lowest)
    chips.settle([13, 13, 0, 0])
    assert [chips.held, chips.pot] == [[-13, -8, 13, 13], 0]


@pytest.mark.task("chips")
def test_chips_are_copied(scoring, stdlib):
    """The lists of chips that are given or returned are copies.

    Try:
        given = [50, 50, 50, 50]
        chips = Chips(given, lowest)
        chips.settle([0, 0, 13, 13])
        given
        given.clear()
        chips.held.clear()
        chips.held
    """
    chips = scoring.Chips([50, 50, 50, 50], scoring.lowest)
    stdlib("builtins").exec("chips.held.clear()", {"chips": chips})
    chips.settle([0, 13, 13, 0])
    assert [chips.held, chips.pot] == [[63, 37, 37, 63], 0]
    settled = stdlib("builtins").eval(
        "lambda Chips, takers, held, costs: (Chips(held, takers).settle(costs), held, costs)"
    )
    given = [[50, 50, 50, 50], [0, 13, 13, 0]]
    assert settled(scoring.Chips, scoring.lowest, *given) == (None, *given)
