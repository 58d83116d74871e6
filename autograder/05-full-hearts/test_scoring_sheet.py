"""Hidden checks of stage 05: the score sheet, and games for chips."""

from random import Random

import pytest
from hearts_course import each

NAMES = ["North", "East", "South", "West"]
MOONS = [[26, 26, 0, 26], [0, 0, -26, 0], [13, 5, 8, 0]]


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


def is_refused(call, *arguments):
    """Return whether this raises ValueError."""
    try:
        call(*arguments)
    except ValueError:
        return True
    return False


@pytest.mark.task("score-sheet")
@pytest.mark.parametrize(
    ("moon", "sun", "sums"),
    [
        ("OTHERS", False, [26, 78]),
        ("OTHERS", True, [26, 78, 156]),
        ("SHOOTER", False, [-26, 26]),
        ("SHOOTER", True, [-52, -26, 26]),
        ("EITHER", False, [-26, 26, 78]),
        ("EITHER", True, [-52, -26, 26, 78, 156]),
        ("NOTHING", True, [26]),
    ],
)
def test_the_sums_of_every_book(scoring, book, moon, sun, sums):
    """The scores of a deal add up to 26, or to what the book makes of a moon or a sun.

    Try: sorted(deal_sums(replace(CIT590_BOOK, sun=True)))
    """
    assert sorted(scoring.deal_sums(book(moon, sun=sun))) == sums
    assert sorted(scoring.deal_sums(book("OTHERS"))) == [26, 78]


@pytest.mark.task("score-sheet")
@pytest.mark.parametrize(
    ("book", "refused"),
    [
        ("ESTELL_BOOK", [False, True, False, True, True]),
        ("HEART_BOOK", [True, False, False, True, False]),
        ("NEW_HEART_BOOK", [False, False, False, False, False]),
        ("DYNACOMP_BOOK", [True, True, False, True, True]),
    ],
)
def test_a_sheet_knows_what_its_book_allows(sheet, book, refused):
    """A sheet accepts the sums that its own book allows, and no others.

    Try: ScoreSheet(names, HEART_BOOK).enter([26, 26, 0, 26])
    """
    now, suns = sheet(book), [[52, 52, 0, 52], [-52, 0, 0, 0]]
    assert [is_refused(now.enter, scores) for scores in [*MOONS, *suns]] == refused
    taken = [scores for scores, no in zip([*MOONS, *suns], refused, strict=True) if not no]
    assert now.rows == taken


@pytest.mark.task("score-sheet")
@pytest.mark.parametrize(
    "scores",
    [
        *([13, 12, 0, 0], [0, 0, 0, 0], [26, 26, 26, 26]),
        *([26, 0, 0], [], [26, 26, 0, 26, 0]),
    ],
)
def test_wrong_scores_are_not_written(sheet, scores):
    """Scores with a wrong sum, or not four of them, are refused and change nothing.

    Try: sheet.enter([1, 2, 3, 4]), and then sheet.rows
    """
    now = sheet("ESTELL_BOOK", [5, 8, 13, 0])
    assert [is_refused(now.enter, scores), is_refused(now.enter, [26, 26, 26, 0])] == [True, False]
    assert [now.rows, now.totals] == [[[5, 8, 13, 0], [26, 26, 26, 0]], [31, 34, 39, 0]]


@pytest.mark.task("score-sheet")
def test_totals_below_zero(sheet):
    """Totals can fall below zero and rise again.

    Try: a sheet of HEART_BOOK on which somebody shoots the sun
    """
    now = sheet("HEART_BOOK", [0, -52, 0, 0], [-26, 0, 0, 0], [13, 5, 8, 0])
    assert now.running == [[0, -52, 0, 0], [-26, -52, 0, 0], [-13, -47, 8, 0]]
    assert [now.totals, now.winners(), now.is_over()] == [[-13, -47, 8, 0], [1], False]
    both = sheet("HEART_BOOK", [0, -26, 0, 0], [0, 0, 0, -52], [0, -26, 0, 0])
    assert [both.totals, both.winners()] == [[0, -52, 0, -52], [1, 3]]


@pytest.mark.task("score-sheet")
def test_an_empty_sheet(sheet):
    """An empty sheet has totals of zero, and shows one line with the names.

    Try: ScoreSheet(names, HEART_BOOK).show()
    """
    now = sheet("HEART_BOOK")
    assert [now.rows, now.running, now.totals] == [[], [], [0, 0, 0, 0]]
    assert [now.is_over(), now.winners()] == [False, [0, 1, 2, 3]]
    assert now.show() == "North  East  South  West"


@pytest.mark.task("score-sheet")
@pytest.mark.parametrize(
    "given", [["rows", "rows[0]"], ["names", "totals", "running", "winners()"]]
)
def test_a_sheet_returns_copies(sheet, empty, given):
    """Changing a list that the sheet has returned does not change the sheet.

    Try: sheet.rows[0].clear(), and then sheet.totals
    """
    now = sheet("ESTELL_BOOK", [5, 8, 13, 0], [0, 13, 13, 0])
    for handed_out in given:
        empty(now, handed_out)
    assert [now.names, now.rows] == [NAMES, [[5, 8, 13, 0], [0, 13, 13, 0]]]
    assert [now.totals, now.running[0], now.winners()] == [[5, 21, 26, 0], [5, 8, 13, 0], [3]]


@pytest.mark.task("score-sheet")
def test_a_sheet_copies_what_it_is_given(scoring, rulebook, stdlib):
    """Changing a list that was given to the sheet does not change the sheet.

    Try: scores = [26, 0, 0, 0]; sheet.enter(scores); scores.clear(); sheet.rows
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
@pytest.mark.parametrize(
    ("limit", "totals", "over"),
    [
        (100, [99, 99, 99, 67], False),
        (100, [100, 30, 4, 22], True),
        (100, [0, 10, 40, 106], True),
        (50, [49, 49, 6, 0], False),
        (50, [0, 0, 52, 0], True),
        (75, [75, 29, 0, 0], True),
    ],
)
def test_the_exact_limit_ends_a_match(sheet, book, limit, totals, over):
    """A total equal to the limit ends a match, one less does not, in any seat.

    Try: a sheet with replace(ESTELL_BOOK, limit=50) and a total of 50
    """
    now = sheet(book("OTHERS", limit=limit), *rows_to(totals))
    assert [now.totals, now.is_over()] == [totals, over]


@pytest.mark.task("score-sheet")
@pytest.mark.parametrize(
    ("totals", "winners"),
    [
        ([5, 99, 0, 0], [2, 3]),
        ([20, 44, 20, 20], [0, 2, 3]),
        ([99, 1, 2, 2], [1]),
        ([7, 100, 10, 13], [0]),
    ],
)
def test_the_lowest_total_wins(sheet, totals, winners):
    """All players who share the lowest total win together; the order of the seats does not matter.

    Try: sheet.winners() where the first seat shares the lowest total with the last
    """
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
@pytest.mark.parametrize(
    ("names", "deals", "shown"),
    [
        (
            ["A", "B", "C", "D"],
            [[26, 0, 0, 0], [0, 9, 17, 0], [26, 26, 0, 26], [26, 26, 0, 26], [26, 26, 0, 26]],
            """\
  A   B   C   D
 26   0   0   0
 26   9  17   0
 52  35  17  26
 78  61  17  52
104  87  17  78""",
        ),
        (
            ["Anneliese", "Bo", "C", "Dee"],
            [[0, 0, 13, 13]],
            """\
Anneliese  Bo   C  Dee
        0   0  13   13""",
        ),
    ],
)
def test_columns_are_as_wide_as_their_widest_entry(sheet, names, deals, shown):
    """A column is as wide as its widest entry, a name or a number.

    Try: a sheet with names of one letter, and with a total of 104
    """
    assert sheet("ESTELL_BOOK", *deals, names=names).show() == shown


@pytest.mark.task("score-sheet")
def test_numbers_below_zero_are_shown(sheet):
    """A minus sign is part of the number and counts for the width of the column.

    Try: a sheet of HEART_BOOK with players A, B, C and D, and a sun
    """
    now = sheet("HEART_BOOK", [0, -52, 0, 0], [26, 0, 0, 0], names=["A", "B", "C", "D"])
    assert now.show() == " A    B  C  D\n 0  -52  0  0\n26  -52  0  0"


@pytest.mark.task("chips")
@pytest.mark.parametrize(
    ("costs", "lowest", "spotless"),
    [
        ([2, 2, 2, 20], [0, 1, 2], []),
        ([13, 8, 5, 0], [3], [3]),
        ([0, 13, 0, 13], [0, 2], [0, 2]),
        ([0, 0, 26, 0], [0, 1, 3], [0, 1, 3]),
        ([23, 1, 1, 1], [1, 2, 3], []),
    ],
)
def test_lowest_and_spotless(scoring, costs, lowest, spotless):
    """The lowest costs take the pot; in Sweepstakes, only seats whose cards cost nothing.

    Try: lowest([9, 9, 8, 0]), spotless([9, 9, 7, 1])
    """
    assert [scoring.lowest(costs), scoring.spotless(costs)] == [lowest, spotless]
    assert [scoring.lowest([5, 6, 5, 10]), scoring.spotless([0, 6, 0, 20])] == [[0, 2], [0, 2]]


@pytest.mark.task("chips")
@pytest.mark.parametrize(
    ("takers", "deals", "held", "pot"),
    [
        ("lowest", [[3, 3, 7, 13]], [110, 110, 93, 87], 0),
        ("lowest", [[2, 2, 2, 20], [2, 2, 2, 20]], [113, 113, 113, 60], 1),
        ("lowest", [[26, 0, 0, 0]], [74, 108, 108, 108], 2),
        ("lowest", [[2, 2, 2, 20], [3, 3, 7, 13]], [117, 117, 99, 67], 0),
        ("spotless", [[1, 5, 7, 13]], [99, 95, 93, 87], 26),
        ("spotless", [[1, 5, 7, 13], [7, 0, 6, 13]], [92, 147, 87, 74], 0),
        ("spotless", [[1, 5, 7, 13], [13, 13, 0, 0]], [86, 82, 119, 113], 0),
        ("spotless", [[0, 26, 0, 0], [6, 6, 7, 7]], [102, 68, 101, 101], 28),
    ],
)
def test_pots_are_shared_and_kept(scoring, takers, deals, held, pot):
    """The takers share the whole pot; odd chips, and a pot that nobody takes, stay.

    There is no moon in a game for chips: the three players without points share the pot.

    Try: Chips([9, 9, 9, 9], spotless).settle([0, 0, 0, 26])
    """
    chips = scoring.Chips([100, 100, 100, 100], getattr(scoring, takers))
    each(chips.settle, deals)
    assert [chips.held, chips.pot] == [held, pot]


@pytest.mark.task("chips")
@pytest.mark.parametrize("takers", ["lowest", "spotless"])
def test_no_chip_is_lost(scoring, takers):
    """All chips and the pot together stay the same after any number of deals.

    Try: sum(chips.held) + chips.pot after each of a hundred deals
    """
    chance, rule = Random(takers), {"lowest": min, "spotless": lambda costs: 0}[takers]
    held, pot, after = [40, 30, 20, 10], 0, []
    chips, deals = scoring.Chips(held, getattr(scoring, takers)), []
    for _ in range(60):
        cuts = sorted(chance.choices([0, 0, 5, 9, 13, 20, 26], k=3))
        costs = [high - low for low, high in zip([0, *cuts], [*cuts, 26], strict=True)]
        deals.append(costs)
        pot += 26
        who = [seat for seat in range(4) if costs[seat] == rule(costs)]
        share = pot // len(who) if who else 0
        pot -= share * len(who)
        held = [held[seat] - costs[seat] + (share if seat in who else 0) for seat in range(4)]
        after.append([held, pot])
    found = []
    for costs in deals:
        chips.settle(costs)
        found.append([chips.held, chips.pot])
    assert found == after
    assert {sum(now) + left for now, left in found} == {100}


@pytest.mark.task("chips")
def test_any_function_may_say_who_takes(scoring, stdlib):
    """The given function alone decides who takes the pot.

    Try: Chips([9, 9, 9, 9], lambda costs: [3])
    """
    highest = stdlib("builtins").eval("lambda costs: [costs.index(max(costs))]")
    chips = scoring.Chips([10, 20, 30, 40], highest)
    each(chips.settle, [[0, 5, 8, 13], [9, 10, 7, 0]])
    assert [chips.held, chips.pot] == [[1, 31, 15, 53], 0]


@pytest.mark.task("chips")
def test_chips_can_fall_below_zero(scoring):
    """A player without chips plays on, with a number below zero.

    Try: Chips([0, 0, 0, 0], lowest).settle([0, 1, 12, 13])
    """
    chips = scoring.Chips([0, 5, 0, 0], scoring.lowest)
    chips.settle([13, 13, 0, 0])
    assert [chips.held, chips.pot] == [[-13, -8, 13, 13], 0]


@pytest.mark.task("chips")
def test_chips_are_copied(scoring, stdlib):
    """The lists of chips that are given or returned are copies.

    Try: chips.held.clear(), and then chips.held
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
