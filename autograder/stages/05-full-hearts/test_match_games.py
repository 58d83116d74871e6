"""Hidden checks of stage 05: a match, deal after deal, until it is over."""

import json
from pathlib import Path

import pytest
from hearts_course import each

DEALS = json.loads((Path(__file__).parent / "deals.json").read_text(encoding="utf-8"))
# Small packs with all 26 points. Seat 0 takes every trick, or all but the first.
SUN = ["2C AH KH QH", "2D 2H 3H 4H", "QS 5H 6H 7H", "8H 9H TH JH"]
SUN_LINE = "2C 2D 5H 8H AH 2H 6H 9H KH 3H 7H TH QH 4H QS JH"
MOON = ["2C AH KH QH JH", "AC 2H 3H 4H 5H", "3C QS 6H 7H 8H", "4C 9H TH 2D 3D"]
MOON_LINE = "2C AC 3C 4C 5H 6H 9H AH KH 4H 7H TH QH 3H 8H 2D JH 2H QS 3D"

WHOLE_MATCH = """\
while not match.is_over():
    deal = match.start_shuffled(rng)
    for seat in deal.still_to_pass:
        deal.give(seat, rng.sample(deal.hand(seat), 3))
    while deal.turn is not None:
        taker = deal.play(rng.choice(deal.legal_plays()))
    scores = match.finish()
match.sheet.totals
"""


@pytest.fixture
def piles(cards):
    """Make lists of cards from their codes."""

    def make(*texts):
        parsed = iter(each(cards.Card.parse, " ".join(texts).split()))
        return [[next(parsed) for _ in text.split()] for text in texts]

    return make


@pytest.fixture
def hands(cards, piles):
    """Make the hands of all seats from their codes."""
    return lambda held: each(cards.Hand, piles(*held))


@pytest.fixture
def book(rulebook):
    """Make a copy of the book of this name in which nobody passes."""

    def make(name, **changes):
        found = getattr(rulebook, name)
        fields = {field: getattr(found, field) for field in ("play", "moon", "sun", "limit")}
        return rulebook.Book(**fields | {"passes": (rulebook.Pass.HOLD,)} | changes)

    return make


@pytest.fixture
def game(rulebook, match):
    """Make a match by a book, or the name of one, and enter these deals on its sheet."""

    def make(book, *deals):
        book = getattr(rulebook, book) if isinstance(book, str) else book
        new = match.Match(book)
        for scores in deals:
            new.sheet.enter(list(scores))
        return new

    return make


@pytest.fixture
def play(hands, piles):
    """Start a deal of these hands and play it to its end."""

    def out(game, held, line):
        deal = game.start(hands(held))
        each(deal.play, piles(line)[0])
        return deal

    return out


def is_refused(call, *arguments):
    """Return whether this raises ValueError."""
    try:
        call(*arguments)
    except ValueError:
        return True
    return False


def codes(some_cards):
    """Return the codes of the cards, sorted as texts and joined by blanks."""
    return " ".join(sorted(each(str, some_cards)))


def turned(hands, seats):
    """Return the same hands, each moved that many seats clockwise."""
    return [hands[(seat - seats) % 4] for seat in range(4)]


@pytest.mark.task("play-a-match")
def test_finished_deals_are_entered(game, book, play):
    """`finish` returns the scores of the deal and writes them on the sheet.

    Try: Call `match.finish()` after a moon, and then look at `match.sheet.rows`.
    """
    for name, limit, rows in (
        ("ESTELL_BOOK", 100, [[26, 26, 0, 26], [0, 26, 26, 26]]),
        ("HEART_BOOK", 100, [[0, 0, -26, 0], [-52, 0, 0, 0]]),
        ("NEW_HEART_BOOK", 100, [[26, 26, 0, 26], [0, 52, 52, 52]]),
        ("DYNACOMP_BOOK", 75, [[0, 0, 26, 0], [26, 0, 0, 0]]),
    ):
        now = game(book(name))
        play(now, turned(MOON, 2), MOON_LINE)
        first = now.finish()
        play(now, SUN, SUN_LINE)
        assert [[first, now.finish()], now.sheet.rows] == [rows, rows]
        assert now.sheet.totals == [sum(scores) for scores in zip(*rows, strict=True)]
        assert [now.deal, now.book.limit] == [None, limit]


@pytest.mark.task("play-a-match")
@pytest.mark.parametrize(
    "matches",
    [
        [
            ("ESTELL_BOOK", [95, 90, 80, 99], [26, 26, 26, 0], True, [3]),
            ("HEART_BOOK", [95, 90, 80, 99], [0, 0, 0, -26], False, [3]),
            ("ESTELL_BOOK", [20, 90, 0, 46], [26, 26, 26, 0], True, [2]),
        ],
        [
            ("NEW_HEART_BOOK", [95, 90, 80, 99], [26, 26, 26, 0], True, [3]),
            ("NEW_HEART_BOOK", [20, 90, 0, 46], [0, 0, 0, -26], False, [2]),
            ("NEW_HEART_BOOK", [20, 73, 6, 57], [26, 26, 26, 0], False, [2]),
        ],
    ],
)
def test_a_moon_near_the_end(game, book, play, matches):
    """A moon may end a match; in a book with the new rule, the totals before the deal matter.

    Try: Score the same moon by `ESTELL_BOOK` and by `NEW_HEART_BOOK`, with totals of 90, 50, 20 and
    22.
    """
    for name, totals, scores, over, winners in matches:
        now = game(book(name), *rows_to(totals))
        play(now, turned(MOON, 3), MOON_LINE)
        assert not now.is_over()
        assert now.finish() == scores
        assert [now.is_over(), now.winners()] == [over, winners]


def rows_to(totals):
    """Return rows that each add up to 26, and together to the totals."""
    left = list(totals)
    while sum(left) > 0:
        row, missing = [0, 0, 0, 0], 26
        for seat in range(4):
            row[seat] = min(left[seat], missing)
            missing -= row[seat]
            left[seat] -= row[seat]
        yield row


@pytest.mark.task("play-a-match")
def test_deals_as_openspiel_plays_them(game, hands, piles):
    """Each deal of a match is passed in its direction, played and scored.

    An independent program has played the same deals.

    Try: Play three deals of a match by `HEART_BOOK`. Look at each direction, and at the sheet.
    """
    for book, records, row in (
        ("ESTELL_BOOK", DEALS[:2], [13, 1, 8, 4]),
        ("HEART_BOOK", DEALS[3:5], [0, 0, 0, -26]),
    ):
        now, found = game(book), []
        for record in records:
            deal = now.start(hands(record["hands"]))
            if deal.still_to_pass:
                each(deal.give, [0, 1, 2, 3], piles(*record["gifts"]))
            each(deal.play, piles(record["plays"])[0])
            found.append([deal.direction.name, deal.costs()])
            now.finish()
        assert found == [[record["direction"], record["costs"]] for record in records]
        assert now.sheet.rows == [row, records[1]["costs"]]


@pytest.mark.task("play-a-match")
def test_the_rows_decide_the_direction(game, hands):
    """The direction of a deal depends on how many deals are on the sheet.

    Try: Print `match.start(hands).direction.name` for the second and for the sixth deal of a match.
    """
    rows = [[26, 0, 0, 0], [0, 26, 0, 0], [0, 0, 26, 0], [0, 0, 0, 26]] * 2
    for number in (1, 3, 4, 8):
        found = [
            game(book, *rows[:number]).start(hands(MOON)).direction.name
            for book in ("ESTELL_BOOK", "HEART_BOOK")
        ]
        cycle = ["LEFT", "RIGHT", "ACROSS", "HOLD"]
        assert found == [cycle[number % 3], cycle[number % 4]]


@pytest.mark.task("play-a-match")
def test_one_deal_at_a_time(game, book, hands, piles):
    """A deal must be finished before the next one starts, and over before it is finished.

    A refused call changes nothing.

    Try: Call `match.start(hands)` twice. Call `match.finish()` before the last card, and twice
    after it.
    """
    now = game(book("HEART_BOOK"))
    assert [now.deal, is_refused(now.finish)] == [None, True]
    deal, line = now.start(hands(SUN)), piles(SUN_LINE)[0]
    each(deal.play, line[:9])
    refused = [is_refused(now.start, hands(MOON)), is_refused(now.start_shuffled, 1)]
    assert [*refused, is_refused(now.finish)] == [True, True, True]
    assert [codes(now.deal.trick), now.deal.turn, now.sheet.rows] == ["KH", 1, []]
    each(deal.play, line[9:])
    assert [is_refused(now.start, hands(MOON)), now.deal.phase.name] == [True, "OVER"]
    assert [now.finish(), now.deal] == [[-52, 0, 0, 0], None]
    assert [is_refused(now.finish), now.sheet.rows] == [True, [[-52, 0, 0, 0]]]
    assert now.start(hands(MOON)).turn == 0


@pytest.mark.task("play-a-match")
@pytest.mark.parametrize(
    ("over", "matches"),
    [
        (
            False,
            [(100, [99, 99, 99, 67], [3]), (50, [49, 3, 0, 26], [2]), (130, [100, 0, 54, 2], [1])],
        ),
        (True, [(100, [100, 0, 54, 2], [1]), (50, [50, 2, 0, 0], [2, 3])]),
    ],
)
def test_the_limit_ends_a_match(game, book, hands, over, matches):
    """A total equal to the book's limit ends the match; then no deal can be started.

    Try: Print the winners of `Match(replace(ESTELL_BOOK, limit=60))` with totals of 60, 9, 9 and
    26.
    """
    for limit, totals, winners in matches:
        now = game(book("ESTELL_BOOK", limit=limit), *rows_to(totals))
        assert [now.is_over(), now.winners(), now.sheet.totals] == [over, winners, totals]
        assert [is_refused(now.start, hands(MOON)), now.deal is None] == [over, over]
        assert is_refused(now.start_shuffled, 3)


@pytest.mark.task("play-a-match")
def test_the_dealer_changes_from_deal_to_deal(cards, game, stdlib):
    """Each deal has the next seat as its dealer, and the first card goes to the dealer's left.

    Try:
        match = Match(HEART_BOOK)
        for seed in range(6):
            deal = match.start_shuffled(seed)
            print(deal.direction.name, codes(deal.hand(0)))
            for seat in deal.still_to_pass:
                deal.give(seat, sorted(deal.hand(seat))[:3])
            while deal.turn is not None:
                deal.play(min(deal.legal_plays()))
            match.finish()
            print(len(match.sheet.rows))

    Try:
        match = Match(HEART_BOOK)
        match.sheet.enter([13, 13, 0, 0])
        deal = match.start_shuffled(5)
        deal.direction.name
        codes(deal.hand(0))
    """
    rows = [[26, 0, 0, 0], [0, 26, 0, 0], [0, 0, 26, 0], [0, 0, 0, 26]] * 2
    for number, direction in ((1, "RIGHT"), (6, "ACROSS")):
        deck = cards.Deck()
        deck.shuffle(41)
        expected = [codes(hand) for hand in deck.deal(4, number % 4)[0]]
        assert [len(set(hand.split())) for hand in expected] == [13] * 4
        for chance in (41, stdlib("random").Random(41)):
            deal = game("HEART_BOOK", *rows[:number]).start_shuffled(chance)
            assert [codes(deal.hand(seat)) for seat in range(4)] == expected
        assert deal.direction.name == direction


@pytest.mark.task("play-a-match")
def test_shuffled_deals_differ(game, book, stdlib):
    """A generator that is used again shuffles differently, and so does another seed.

    Try: Give the same `Random` to two matches, one after the other.
    """
    chance = stdlib("random").Random(9)
    deals = [game(book("ESTELL_BOOK")).start_shuffled(seed) for seed in (chance, chance, 9, 10)]
    hands = [codes(deal.hand(0)) for deal in deals]
    assert [len(set(hands)), hands[0] == hands[2]] == [3, True]
    assert sorted(len(deals[3].hand(seat)) for seat in range(4)) == [13] * 4


@pytest.mark.task("play-a-match")
def test_a_match_has_one_sheet(rulebook, match):
    """The match has one sheet, with the given names, or North, East, South and West.

    Try:
        match = Match(ESTELL_BOOK, list("ABCD"))
        match.sheet.enter([26, 0, 0, 0])
        match.sheet.show()
    """
    now = match.Match(rulebook.ESTELL_BOOK, ["Ann", "Ben", "Cy", "Di"])
    now.sheet.enter([5, 8, 13, 0])
    assert [now.sheet.names, now.sheet.totals] == [["Ann", "Ben", "Cy", "Di"], [5, 8, 13, 0]]
    assert [now.winners(), now.is_over(), now.deal] == [[3], False, None]
    assert match.Match(rulebook.HEART_BOOK).sheet.names == ["North", "East", "South", "West"]


@pytest.mark.task("play-a-match")
@pytest.mark.timeout(6)
@pytest.mark.parametrize("book", ["ESTELL_BOOK", "DYNACOMP_BOOK", "CIT590_BOOK"])
def test_a_match_by_any_book_can_be_played_to_its_end(rulebook, match, stdlib, typed, book):
    """By every rule book, a match goes on from deal to deal until a total reaches the limit.

    Try: Run the last example of the brief with `ESTELL_BOOK` and `Random(6)`.
    """
    chance, rules = stdlib("random").Random(17), getattr(rulebook, book)
    totals = typed(WHOLE_MATCH, rng=chance, match=match.Match(rules))
    assert [max(totals) >= rules.limit, sum(totals) % 26] == [True, 0]
