"""Hidden checks of stage 05: the scores of a deal under any rule book, with moon and sun."""

from random import Random

import pytest
from hearts_course import each

PACK = [f"{rank}{suit}" for suit in "CDHS" for rank in "23456789TJQKA"]
HEARTS = " ".join(code for code in PACK if code[1] == "H")
POINTS = f"{HEARTS} QS"
REST = " ".join(code for code in PACK if code not in POINTS.split())
BOOKS = ["ESTELL_BOOK", "HEART_BOOK", "CIT590_BOOK", "DYNACOMP_BOOK"]
OTHERS, SHOOTER, NOTHING = "OTHERS", "SHOOTER", "NOTHING"


@pytest.fixture
def piles(cards):
    """Make lists of cards from their codes."""

    def make(*texts):
        parsed = iter(each(cards.Card.parse, " ".join(texts).split()))
        return [[next(parsed) for _ in text.split()] for text in texts]

    return make


@pytest.fixture
def book(rulebook, legal):
    """Make a rule book with this moon."""

    def make(moon, **fields):
        return rulebook.Book(play=legal.HEART, moon=getattr(rulebook.Moon, moon), **fields)

    return make


def around(shooter, stake, others, way):
    """Return the scores of four seats; `way` and `others` are multiplied by the stake."""
    return [stake * way if seat == shooter else stake * others for seat in range(4)]


@pytest.mark.task("moon-and-sun")
@pytest.mark.parametrize(
    ("taken", "costs"),
    [
        (["5H", "QC QD QH", "QS", "KS AS 2D"], [1, 1, 13, 0]),
        (["", HEARTS, "", "QS 4C"], [0, 13, 0, 13]),
        ([POINTS, REST, "", ""], [26, 0, 0, 0]),
        (["", "", REST, POINTS], [0, 0, 0, 26]),
    ],
)
def test_costs_ignore_the_moon(legal, scoring, piles, taken, costs):
    """The costs of a seat are what its cards cost, even if it has taken all the points.

    Try: costs([all_the_points, [], [], []], ESTELL)
    """
    assert scoring.costs(piles(*taken), legal.HEART) == costs
    assert scoring.costs(piles(*taken[::-1]), legal.ESTELL) == costs[::-1]


@pytest.mark.task("moon-and-sun")
@pytest.mark.parametrize(
    ("rules", "costs"),
    [
        ({"queen_points": 5}, [5, 2, 0]),
        ({"hearts_at_face_value": True}, [13, 16, 0]),
        ({"queen_points": 0, "hearts_at_face_value": True}, [0, 16, 0]),
    ],
)
def test_costs_follow_the_rules(legal, scoring, piles, rules, costs):
    """The rules say what a card costs, and there may be any number of seats.

    Try: costs([hold("AH"), hold("QS")], UVA181)
    """
    taken = piles("QS 3S", "2H AH", "9D")
    assert scoring.costs(taken, legal.Rules(**rules)) == costs
    assert scoring.costs(taken, legal.HEART) == [13, 2, 0]


@pytest.mark.task("moon-and-sun")
@pytest.mark.parametrize(
    ("moon", "sun", "moon_scores", "sun_scores"),
    [
        (OTHERS, False, (26, 1, 0), (26, 1, 0)),
        (OTHERS, True, (26, 1, 0), (52, 1, 0)),
        (SHOOTER, False, (26, 0, -1), (26, 0, -1)),
        (SHOOTER, True, (26, 0, -1), (52, 0, -1)),
        (NOTHING, False, (26, 0, 1), (26, 0, 1)),
        (NOTHING, True, (26, 0, 1), (26, 0, 1)),
    ],
)
def test_every_moon_and_every_sun(scoring, piles, book, moon, sun, moon_scores, sun_scores):
    """The moon is scored as the book says; a sun counts double only if the book says so.

    All the points in nine tricks are a moon; a sun needs all the tricks.

    Try: deal_scores(taken, replace(ESTELL_BOOK, sun=True)), where seat 2 has taken all cards
    """
    points, rest = piles(POINTS, REST)
    for shooter in range(4):
        taken, all_tricks = [[], [], [], []], [[], [], [], []]
        taken[shooter], taken[shooter - 1] = points + rest[16:], rest[:16]
        all_tricks[shooter] = rest + points
        rules = book(moon, sun=sun)
        assert scoring.deal_scores(taken, rules) == around(shooter, *moon_scores)
        assert scoring.deal_scores(all_tricks, rules) == around(shooter, *sun_scores)


@pytest.mark.task("moon-and-sun")
@pytest.mark.parametrize("moon", [OTHERS, SHOOTER])
@pytest.mark.parametrize(
    ("taken", "scores"),
    [
        (["2H", "", POINTS.replace("2H", ""), ""], [1, 0, 25, 0]),
        (["", "", REST, POINTS.replace("QS", "")], [0, 0, 0, 13]),
        ([f"{HEARTS} {REST}", "", "", "QS"], [13, 0, 0, 13]),
        ([HEARTS, "QS", REST, ""], [13, 13, 0, 0]),
    ],
)
def test_almost_a_moon_is_not_a_moon(scoring, piles, book, moon, taken, scores):
    """A player who misses one heart, or the queen, is charged for what they took.

    Try: deal_scores([hold("2H"), [], all_points_but_that, []], HEART_BOOK)
    """
    assert scoring.deal_scores(piles(*taken), book(moon, sun=True)) == scores


@pytest.mark.task("moon-and-sun")
@pytest.mark.parametrize("seat", [1, 2, 3])
def test_a_single_trick_spoils_the_sun(scoring, piles, book, seat):
    """If another player takes a trick, even one that costs nothing, there is a moon but no sun.

    Try: deal_scores([most_cards, [], hold("2C 3C 4C 5C"), []], HEART_BOOK)
    """
    most, trick = piles(POINTS + REST[11:], REST[:11])
    taken = [most, [], [], []]
    taken[seat] = trick
    assert scoring.deal_scores(taken, book(SHOOTER, sun=True)) == [-26, 0, 0, 0]
    assert scoring.deal_scores([most + trick, [], [], []], book(SHOOTER, sun=True)) == [
        -52,
        0,
        0,
        0,
    ]


@pytest.mark.task("moon-and-sun")
@pytest.mark.parametrize("name", BOOKS)
def test_sixty_deals_of_each_book(rulebook, scoring, piles, name):
    """The scores of a deal are the costs, except after a moon or a sun.

    Their sum is 26, or what the book makes of a moon.

    Try: deal_scores for packs that are divided at random
    """
    chance, pack = Random(name), piles(" ".join(PACK))[0]
    owners = [deal_of_tricks(chance) for _ in range(60)]
    taken = [
        [[pack[place] for place in range(52) if owner[place] == seat] for seat in range(4)]
        for owner in owners
    ]
    found = each(scoring.deal_scores, taken, [getattr(rulebook, name)] * len(taken))
    assert found == [written_down(owner, name) for owner in owners]


def deal_of_tricks(chance):
    """Return for each card of the pack the seat that has taken it, sometimes one seat for all."""
    seats = chance.choice([[0, 1, 2, 3], [0, 1, 2, 3], [2], [1, 3]])
    owner = [chance.choice(seats) for _ in PACK]
    if chance.random() < 0.3:
        shooter = chance.randrange(4)
        owner = [shooter if PACK[i] in POINTS.split() else owner[i] for i in range(52)]
    return owner


def written_down(owner, name):
    """Return the scores of the deal under the book of this name."""
    costs = [0, 0, 0, 0]
    for code, seat in zip(PACK, owner, strict=True):
        costs[seat] += 13 if code == "QS" else int(code[1] == "H")
    if 26 not in costs or name == "DYNACOMP_BOOK":
        return costs
    shooter, stake = costs.index(26), 52 if len(set(owner)) == 1 else 26
    if name == "HEART_BOOK":
        return around(shooter, stake, 0, -1)
    return around(shooter, 26, 1, 0)


@pytest.mark.task("careful-moon")
@pytest.mark.parametrize(
    ("shooter", "stake", "totals", "limit", "spoiled"),
    [
        (0, 26, [60, 74, 30, 20], 100, True),
        (0, 26, [60, 73, 30, 20], 100, False),
        (0, 26, [46, 74, 30, 20], 100, True),
        (0, 26, [45, 74, 30, 20], 100, False),
        (3, 26, [95, 90, 80, 99], 100, False),
        (2, 26, [80, 70, 95, 71], 100, False),
        (2, 26, [80, 70, 96, 71], 100, True),
        (2, 26, [80, 70, 97, 71], 100, True),
        (1, 52, [48, 12, 3, -41], 100, True),
        (1, 52, [48, 10, 3, -41], 100, False),
        (1, 26, [48, 70, 3, -41], 100, False),
        (3, 26, [24, 5, 0, 27], 50, True),
        (0, 26, [-30, -10, 10, 80], 100, False),
        (0, 26, [99, 10, 10, 10], 100, False),
    ],
)
def test_what_backfires(scoring, shooter, stake, totals, limit, spoiled):
    """A moon backfires if it ends the match and another player then has as little or less.

    A total equal to the limit ends the match. The shooter must win alone.

    Try: backfires(0, 26, [30, 90, 4, 50], 100) and backfires(0, 26, [29, 90, 4, 50], 100)
    """
    certain = [
        scoring.backfires(0, 26, [50, 80, 0, 0], 100),
        scoring.backfires(0, 26, [0] * 4, 100),
    ]
    assert [scoring.backfires(shooter, stake, totals, limit), *certain] == [spoiled, True, False]


@pytest.mark.task("careful-moon")
@pytest.mark.parametrize(
    ("totals", "moon", "sun"),
    [
        ([0, 0, 0, 0], [26, 26, 0, 26], [52, 52, 0, 52]),
        ([95, 90, 99, 80], [26, 26, 0, 26], [52, 52, 0, 52]),
        ([50, 20, 70, 12], [26, 26, 0, 26], [0, 0, -52, 0]),
        ([80, 30, 56, 60], [0, 0, -26, 0], [52, 52, 0, 52]),
        ([74, 3, 90, 3], [0, 0, -26, 0], [0, 0, -52, 0]),
    ],
)
def test_the_new_rule_of_heart(rulebook, scoring, piles, totals, moon, sun):
    """The others are charged, unless that would backfire; then the shooter gets points off.

    A sun can end a match that a moon does not end.

    Try: deal_scores(taken, NEW_HEART_BOOK, totals) with totals near the limit
    """
    taken = piles("", "2C 3C 4C 5C", POINTS, "")
    assert scoring.deal_scores(taken, rulebook.NEW_HEART_BOOK, totals) == moon
    taken = piles("", "", f"2C 3C {POINTS}", "")
    assert scoring.deal_scores(taken, rulebook.NEW_HEART_BOOK, totals) == sun


@pytest.mark.task("careful-moon")
def test_the_new_rule_in_another_book(scoring, piles, book):
    """The new rule uses the limit of its own book, and counts the sun only if the book does.

    Try: deal_scores(taken, replace(NEW_HEART_BOOK, limit=50), [20, 30, 0, 0])
    """
    taken, totals = piles("", "", POINTS, ""), [24, 3, 30, 3]
    found = [
        scoring.deal_scores(taken, book("EITHER", limit=limit, sun=sun), totals)
        for limit, sun in ((50, False), (51, False), (75, False), (50, True))
    ]
    assert found == [[0, 0, -26, 0], [26, 26, 0, 26], [26, 26, 0, 26], [52, 52, 0, 52]]


@pytest.mark.task("careful-moon")
def test_other_books_ignore_the_totals(rulebook, scoring, piles):
    """Under the other books the totals do not matter, even if the moon loses the match.

    Try: deal_scores(taken, ESTELL_BOOK, [90, 0, 50, 0])
    """
    taken, totals = piles("", "2C 3C 4C 5C", POINTS, ""), [74, 3, 90, 3]
    books = [getattr(rulebook, name) for name in [*BOOKS, "NEW_HEART_BOOK"]]
    assert [scoring.deal_scores(taken, book, totals) for book in books] == [
        [26, 26, 0, 26],
        [0, 0, -26, 0],
        [26, 26, 0, 26],
        [0, 0, 26, 0],
        [0, 0, -26, 0],
    ]
