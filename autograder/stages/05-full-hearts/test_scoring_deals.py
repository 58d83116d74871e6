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
def test_costs_ignore_the_moon(legal, scoring, piles):
    """The costs of a seat are what its cards cost, even if it has taken all the points.

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        costs([hold("2C"), all_points, [], []], HEART_BOOK.play)
    """
    for taken, costs in (
        (["5H", "QC QD QH", "QS", "KS AS 2D"], [1, 1, 13, 0]),
        (["", HEARTS, "", "QS 4C"], [0, 13, 0, 13]),
        ([POINTS, REST, "", ""], [26, 0, 0, 0]),
        (["", "", REST, POINTS], [0, 0, 0, 26]),
    ):
        assert scoring.costs(piles(*taken), legal.HEART) == costs
        assert scoring.costs(piles(*taken[::-1]), legal.ESTELL) == costs[::-1]


@pytest.mark.task("moon-and-sun")
def test_costs_follow_the_rules(legal, scoring, piles):
    """The rules say what a card costs, and there may be any number of seats.

    Try: costs([hold("AH"), hold("QS")], replace(HEART_BOOK.play, queen_points=7))
    """
    taken = piles("QS 3S", "2H AH", "9D")
    for rules, costs in (
        ({"queen_points": 5}, [5, 2, 0]),
        ({"hearts_at_face_value": True}, [13, 16, 0]),
        ({"queen_points": 0, "hearts_at_face_value": True}, [0, 16, 0]),
    ):
        assert scoring.costs(taken, legal.Rules(**rules)) == costs
    assert scoring.costs(taken, legal.HEART) == [13, 2, 0]


@pytest.mark.task("moon-and-sun")
@pytest.mark.parametrize(
    ("moon", "moon_scores", "sun_scores"),
    [
        (OTHERS, (26, 1, 0), (52, 1, 0)),
        (SHOOTER, (26, 0, -1), (52, 0, -1)),
        (NOTHING, (26, 0, 1), (26, 0, 1)),
    ],
)
def test_every_moon_and_every_sun(scoring, piles, book, moon, moon_scores, sun_scores):
    """The moon is scored as the book says; a sun counts double only if the book says so.

    All the points in nine tricks are a moon; a sun needs all the tricks.

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        for book in (ESTELL_BOOK, HEART_BOOK, DYNACOMP_BOOK, replace(ESTELL_BOOK, sun=True)):
            print(deal_scores([[], all_points, hold("2C"), []], book))
            print(deal_scores([[], all_points + hold("2C"), [], []], book))
    """
    points, rest = piles(POINTS, REST)
    for shooter in range(4):
        taken, all_tricks = [[], [], [], []], [[], [], [], []]
        taken[shooter], taken[shooter - 1] = points + rest[16:], rest[:16]
        all_tricks[shooter] = rest + points
        for sun, scores in ((False, moon_scores), (True, sun_scores)):
            rules = book(moon, sun=sun)
            assert scoring.deal_scores(taken, rules) == around(shooter, *moon_scores)
            assert scoring.deal_scores(all_tricks, rules) == around(shooter, *scores)


@pytest.mark.task("moon-and-sun")
def test_almost_a_moon_is_not_a_moon(scoring, piles, book):
    """A player who misses one heart, or the queen, is charged for what they took.

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        deal_scores([hold("QS"), [], all_points[1:], []], HEART_BOOK)
        deal_scores([hold("2H"), [], [*all_points[:1], *all_points[2:]], []], HEART_BOOK)
    """
    for taken, scores in (
        (["2H", "", POINTS.replace("2H", ""), ""], [1, 0, 25, 0]),
        (["", "", REST, POINTS.replace("QS", "")], [0, 0, 0, 13]),
        ([f"{HEARTS} {REST}", "", "", "QS"], [13, 0, 0, 13]),
        ([HEARTS, "QS", REST, ""], [13, 13, 0, 0]),
    ):
        for moon in (OTHERS, SHOOTER):
            assert scoring.deal_scores(piles(*taken), book(moon, sun=True)) == scores


@pytest.mark.task("moon-and-sun")
def test_a_single_trick_spoils_the_sun(scoring, piles, book):
    """If another player takes a trick, even one that costs nothing, there is a moon but no sun.

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        deal_scores([[], all_points, [], []], HEART_BOOK)
        deal_scores([[], all_points, [], hold("2C 3C 4C 5C")], HEART_BOOK)
    """
    most, trick = piles(POINTS + REST[11:], REST[:11])
    rules = book(SHOOTER, sun=True)
    for seat in (1, 2, 3):
        taken = [most, [], [], []]
        taken[seat] = trick
        assert scoring.deal_scores(taken, rules) == [-26, 0, 0, 0]
    assert scoring.deal_scores([most + trick, [], [], []], rules) == [-52, 0, 0, 0]


@pytest.mark.task("moon-and-sun")
@pytest.mark.parametrize("name", ["ESTELL_BOOK", "HEART_BOOK"])
def test_sixty_deals_of_each_book(rulebook, scoring, piles, name):
    """The scores of a deal are the costs, except after a moon or a sun.

    Their sum is 26, or what the book makes of a moon.

    Try: Divide packs at random, and compare `deal_scores` with `costs`.
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
def test_only_a_moon_that_ends_the_match_backfires(scoring):
    """A moon can backfire only if it ends the match: a total equal to the limit is enough.

    Try: [backfires(0, 26, [60, total, 30, 20], 90) for total in (63, 64, 65)]
    """
    for shooter, totals, limit, spoiled in (
        (0, [60, 74, 30, 20], 100, True),
        (0, [60, 73, 30, 20], 100, False),
        (0, [99, 10, 10, 10], 100, False),
        (3, [24, 5, 0, 27], 50, True),
        (3, [23, 5, 0, 27], 50, False),
    ):
        assert scoring.backfires(shooter, 26, totals, limit) == spoiled


@pytest.mark.task("careful-moon")
def test_the_shooter_must_win_alone(scoring):
    """A moon that ends the match backfires unless the shooter then has less than every other seat.

    Try: [backfires(2, 26, [10, 90, total, 50], 100) for total in (35, 36, 37)]
    """
    for shooter, totals, spoiled in (
        (0, [46, 75, 30, 20], True),
        (0, [45, 75, 30, 20], False),
        (3, [95, 90, 80, 99], False),
        (2, [80, 70, 95, 71], False),
        (2, [80, 70, 96, 71], True),
        (2, [80, 70, 97, 71], True),
        (0, [-30, -10, 10, 80], False),
    ):
        assert scoring.backfires(shooter, 26, totals, 100) == spoiled


@pytest.mark.task("careful-moon")
def test_the_stake_is_what_the_others_are_charged(scoring):
    """A sun can backfire where a moon does not, because the others are charged more.

    Try: [backfires(1, stake, [50, 30, 3, -30], 100) for stake in (26, 52)]
    """
    for stake, totals, spoiled in (
        (52, [49, 12, 3, -41], True),
        (26, [49, 70, 3, -41], False),
        (26, [75, 70, 3, -41], True),
    ):
        assert scoring.backfires(1, stake, totals, 100) == spoiled


@pytest.mark.task("careful-moon")
def test_the_new_rule_of_heart(rulebook, scoring, piles):
    """The others are charged, unless that would backfire; then the shooter gets points off.

    A sun can end a match that a moon does not end.

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        deal_scores([all_points, hold("2C"), [], []], NEW_HEART_BOOK, [90, 80, 20, 22])

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        deal_scores([all_points, hold("2C"), [], []], NEW_HEART_BOOK, [0, 90, 60, 70])

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        deal_scores([all_points, hold("2C"), [], []], NEW_HEART_BOOK, [60, 74, 0, 10])

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        deal_scores([all_points, hold("2C"), [], []], NEW_HEART_BOOK, [60, 0, 0, 10])

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        deal_scores([all_points, [], [], []], NEW_HEART_BOOK, [60, 50, 0, 0])

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        deal_scores([all_points, hold("2C"), [], []], NEW_HEART_BOOK, [26, 74, 0, 80])
    """
    book, moon = rulebook.NEW_HEART_BOOK, piles("", "2C 3C 4C 5C", POINTS, "")
    sun = piles("", "", f"2C 3C {POINTS}", "")
    for totals, moon_scores, sun_scores in (
        ([0, 0, 0, 0], [26, 26, 0, 26], [52, 52, 0, 52]),
        ([95, 90, 99, 80], [26, 26, 0, 26], [52, 52, 0, 52]),
        ([50, 20, 70, 12], [26, 26, 0, 26], [0, 0, -52, 0]),
        ([80, 30, 56, 60], [0, 0, -26, 0], [52, 52, 0, 52]),
        ([74, 3, 90, 3], [0, 0, -26, 0], [0, 0, -52, 0]),
    ):
        assert scoring.deal_scores(moon, book, totals) == moon_scores
        assert scoring.deal_scores(sun, book, totals) == sun_scores


@pytest.mark.task("careful-moon")
def test_the_new_rule_in_another_book(scoring, piles, book):
    """The new rule uses the limit of its own book, and counts the sun only if the book does.

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        book = replace(NEW_HEART_BOOK, limit=50)
        deal_scores([hold("2C"), all_points, [], []], book, [30, 33, 0, 0])

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        book = replace(NEW_HEART_BOOK, limit=50)
        deal_scores([hold("2C"), all_points, [], []], book, [24, 40, 10, 0])

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        book = replace(NEW_HEART_BOOK, limit=50)
        deal_scores([hold("2C"), all_points, [], []], book, [0, 30, 0, 0])

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        book = replace(NEW_HEART_BOOK, limit=50)
        deal_scores([[], all_points, [], []], book, [-10, 49, 0, 0])

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        book = replace(NEW_HEART_BOOK, limit=50)
        deal_scores([hold("2C"), all_points, [], []], book, [40, 0, 40, 40])
    """
    taken, totals = piles("", "", POINTS, ""), [25, 3, 30, 3]
    found = [
        scoring.deal_scores(taken, book("EITHER", limit=limit, sun=sun), totals)
        for limit, sun in ((50, False), (52, False), (75, False), (50, True))
    ]
    assert found == [[0, 0, -26, 0], [26, 26, 0, 26], [26, 26, 0, 26], [52, 52, 0, 52]]


@pytest.mark.task("careful-moon")
def test_other_books_ignore_the_totals(rulebook, scoring, piles):
    """Under the other books the totals do not matter, even if the moon loses the match.

    Try:
        all_points = hold("QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH")
        for book in (ESTELL_BOOK, HEART_BOOK, DYNACOMP_BOOK, NEW_HEART_BOOK):
            for totals in ([90, 0, 50, 0], [90, 80, 0, 0], [60, 74, 0, 10], [0, 0, 0, 80]):
                print(deal_scores([all_points, hold("2C"), [], []], book, totals))
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
