"""Hidden checks of stage 07: what is shown at every moment of a game."""

import re

import pytest
from hearts_course import each

# A whole deal by the book HEART. Its cards cost the four seats 8, 4, 1 and 13.
HELD = [
    "2C 7C QC KC 5D 9H JH QH KH 5S 8S 9S JS",
    "4C 8C JC 3D 6D JD 7H AH 4S 6S 7S TS AS",
    "3C 5C 9C TC 8D 9D QD 4H 5H 6H 8H 2S 3S",
    "6C AC 2D 4D 7D TD KD AD 2H 3H TH QS KS",
]
PLAYED = (
    "2C 8C 9C AC QS 8S 6S 3S TD 5D 3D 8D 7D JH JD QD TC 6C 7C JC AH 8H 3H 9H 7H 5H TH QH "
    "KH 4C 4H 2H 5S 7S 2S KS 4D 9S 6D 9D 3C KD QC TS JS 4S 6H AD KC AS 5C 2D"
)
PLAYS = PLAYED.split()
TAKERS = (3, 3, 3, 2, 1, 1, 0, 0, 3, 2, 0, 0, 0)
HOLD = [[10, 6, 5, 5]] * 3  # after three deals by the book HEART nobody passes
SMALL = ["3C KD 7S", "QS TH 4D", "9C 5D 4S", "2C 8H AC"]
NAMES = ["North", "East", "South", "West"]
SOUTH = 2


@pytest.fixture
def hold(cards):
    """Make a list of cards from their codes."""
    return lambda codes: each(cards.Card.parse, codes.split())


def in_hands(some_cards):
    """Return these cards in four hands, in order; making all cards by one call is faster."""
    size = len(some_cards) // 4
    return [some_cards[start : start + size] for start in range(0, len(some_cards), size)]


@pytest.fixture
def sit(cards, match, rulebook, cardtable, hold):
    """Make a table: the cards passed and played, those chosen, and whether a trick is full."""

    def make(
        plays="",
        *,
        book="CIT590_BOOK",
        held=SMALL,
        rows=(),
        given=(),
        chosen="",
        full=False,
        names=NAMES,
    ):
        game = match.Match(getattr(rulebook, book), names)
        each(game.sheet.enter, list(rows))
        if held:
            deal = game.start(each(cards.Hand, in_hands(hold(" ".join(held)))))
            for seat, codes in enumerate(given):
                deal.give(seat, hold(codes))
            each(deal.play, hold(plays))
        return cardtable.Table(game, tuple(hold(chosen)), full)

    return make


@pytest.fixture
def in_a_deal(sit):
    """Make a table after that many cards of the whole deal, with a full trick or without."""
    return lambda count, **more: sit(
        " ".join(PLAYS[:count]), book="HEART_BOOK", held=HELD, rows=HOLD, **more
    )


def seats_of(cardtable, table, *keys):
    """Return what is shown of each seat under these keys."""
    seats = [cardtable.show_seat(table, seat) for seat in range(4)]
    return [[seat[key] for key in keys] for seat in seats]


def taken_points(count):
    """Return each seat's points after that many cards of the whole deal."""
    points = [0, 0, 0, 0]
    for trick, taker in enumerate(TAKERS[: count // 4]):
        for code in PLAYS[4 * trick : 4 * trick + 4]:
            points[taker] += 13 if code == "QS" else code[1] == "H"
    return points


# Show your cards


@pytest.mark.task("show-your-cards")
@pytest.mark.parametrize(
    ("held", "shown"),
    [
        ("AS TC 2C KH JD", ["2C", "TC", "JD", "KH", "AS"]),
        ("3S 3H 3D QC 9C", ["9C", "QC", "3D", "3H", "3S"]),
        ("TD 9D AD 8C KS", ["8C", "9D", "TD", "AD", "KS"]),
    ],
)
def test_cards_are_sorted_by_suit_then_rank(cardtable, sit, held, shown):
    """The user's cards are sorted as cards are: by suit, then by rank.

    People hold their cards in that order; a hand in the order of the deal is hard to read.

    Try:
        match = Match(CIT590_BOOK)
        deal = match.start([Hand(hold(held)) for held in ["3C", "4D", "KS 2H TD 9D", "2C"]])
        [card["card"] for card in show_hand(Table(match))]
    """
    table = sit(held=["4C 5C 6C 7C 8D", "4D 5D 6D 7D 8S", held, "4S 5S 6S 7S 9S"])
    hand = cardtable.show_hand(table)
    assert [card["card"] for card in hand] == shown
    assert [sorted(card) for card in hand] == [["card", "label", "received"]] * 5


@pytest.mark.task("show-your-cards")
@pytest.mark.parametrize(
    ("code", "label"),
    [("TH", "10 of Hearts"), ("AS", "Ace of Spades"), ("JD", "Jack of Diamonds")],
)
def test_cards_are_named_in_words(cardtable, sit, code, label):
    """Each card comes with its name in words.

    A screen reader cannot read a picture.

    Try:
        match = Match(CIT590_BOOK)
        deal = match.start([Hand(hold(held)) for held in ["3C", "4D", "QC 4D 8S TH", "2C"]])
        [(card["card"], card["label"]) for card in show_hand(Table(match))]
    """
    table = sit(held=["3C 4C 5C", "6C 7C 8C", f"2H {code} 3S", "9C TC JC"])
    hand = cardtable.show_hand(table)
    assert [card["label"] for card in hand if card["card"] == code] == [label]


@pytest.mark.task("show-your-cards")
@pytest.mark.parametrize(
    ("rows", "received"),
    [
        ([], ["7H", "AS", "JC"]),  # from the right, East
        (HOLD[:1], ["3H", "6C", "QS"]),  # from the left, West
        (HOLD[:2], ["2C", "9H", "JS"]),  # from across, North
    ],
)
def test_what_was_passed_to_the_user_is_marked(cardtable, sit, rows, received):
    """The cards that were passed to the user are marked until a trick is full.

    Among thirteen cards the three new ones are hard to find.

    Try: Pass cards across, and look at `show_hand`.
    """
    given = ("2C 9H JS", "JC 7H AS", "3C 4H 2S", "6C 3H QS")
    rest = {"book": "HEART_BOOK", "held": HELD, "rows": rows}
    before = sit(given=given[:3], chosen="3C 4H 2S", **rest)
    after = sit(given=given, **rest)
    shown = [
        sorted(card["card"] for card in cardtable.show_hand(table) if card["received"])
        for table in (before, after)
    ]
    assert shown == [[], received]


@pytest.mark.task("show-your-cards")
@pytest.mark.parametrize(
    ("plays", "full", "marked"),
    [
        ("2C", False, ["4D", "QD", "TH"]),
        ("2C 5S 3C", False, ["4D", "QD", "TH"]),
        ("2C 5S 3C 5C", True, []),
        ("2C 5S 3C 5C", False, []),
    ],
)
def test_no_marks_after_the_first_full_trick(cardtable, sit, plays, full, marked):
    """After the first full trick of a deal, no card is marked as received.

    By then the user knows the new cards.

    Try: Call `show_hand` after one card was played, and after four.
    """
    held = ["9S 8S 3C 5C", "TH 4D QD 9D", "6S 7S 8H 2C", "JS 5S 4S AS"]
    given = ("9S 8S 5C", "TH 4D QD", "6S 7S 8H", "JS 4S AS")
    hand = cardtable.show_hand(sit(plays, held=held, given=given, book="HEART_BOOK", full=full))
    assert [card["card"] for card in hand] == ["4D", "QD", "TH"]
    assert [card["card"] for card in hand if card["received"]] == marked


@pytest.mark.task("show-your-cards")
def test_chosen_cards_are_still_in_the_hand(cardtable, sit):
    """Cards that are chosen, but not passed yet, are still in the user's hand.

    Try: Choose two cards, and look at `show_hand`.
    """
    held = {"book": "HEART_BOOK", "held": HELD}
    codes = [card["card"] for card in cardtable.show_hand(sit(**held))]
    assert len(codes) > 2
    table = sit(chosen=" ".join(codes[:2]), **held)
    assert [card["card"] for card in cardtable.show_hand(table)] == codes


@pytest.mark.task("show-your-cards")
def test_no_cards_between_deals(cardtable, sit):
    """Between deals, and after the game, the user holds no cards.

    Try: show_hand(Table(Match(ESTELL_BOOK)))
    """
    tables = [sit(held=None), sit(held=None, rows=[[26, 0, 0, 0]] * 4), sit()]
    assert [len(cardtable.show_hand(table)) for table in tables] == [0, 0, 3]


# Show the table


@pytest.mark.task("show-the-table")
@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 31, 51])
def test_the_trick_grows_card_by_card(cardtable, in_a_deal, count):
    """The cards on the table are shown in the order of play, each with its name and its player.

    Try: [show_trick(table) for table in (sit(CIT590_BOOK), begun, mine, full)]
    """
    trick = cardtable.show_trick(in_a_deal(count))
    start = count - count % 4
    leader = 0 if start == 0 else TAKERS[start // 4 - 1]
    assert [play["card"] for play in trick] == PLAYS[start:count]
    assert [play["seat"] for play in trick] == [NAMES[(leader + i) % 4] for i in range(count % 4)]
    assert all(re.fullmatch(r"\w+ of \w+s", play["label"]) for play in trick)


@pytest.mark.task("show-the-table")
@pytest.mark.parametrize("count", [4, 16, 52])
def test_a_full_trick_is_shown_until_it_is_taken(cardtable, in_a_deal, count):
    """A full trick is shown until it is taken away; then the table is empty.

    Try:
        [(card["card"], card["seat"]) for card in show_trick(full)]
        show_trick(Table(full.match))
    """
    leader = 0 if count == 4 else TAKERS[count // 4 - 2]
    trick = cardtable.show_trick(in_a_deal(count, full=True))
    assert [[play["card"], play["seat"]] for play in trick] == [
        [code, NAMES[(leader + i) % 4]] for i, code in enumerate(PLAYS[count - 4 : count])
    ]
    assert cardtable.show_trick(in_a_deal(count)) == []


@pytest.mark.task("show-the-table")
@pytest.mark.parametrize(("count", "full"), [(3, False), (8, True), (21, False), (40, True)])
def test_points_of_this_deal_beside_the_totals(cardtable, in_a_deal, count, full):
    """Beside each total stand the points of this deal; a full trick on the table counts.

    Heart shows both: a total of 40 looks different if 20 more points are coming.

    Try: Call `show_seat` after a trick with a heart.
    """
    table = in_a_deal(count, full=full)
    points = [[points] for points in taken_points(count)]
    assert seats_of(cardtable, table, "points") == points
    assert seats_of(cardtable, table, "total", "name") == [
        [30, "North"],
        [18, "East"],
        [15, "South"],
        [15, "West"],
    ]


@pytest.mark.task("show-the-table")
def test_the_moon_is_ignored_until_the_score(cardtable, sit):
    """Before a deal is scored the points are the costs; afterwards they come from the sheet.

    Try: Call `show_seat` after the match has finished its second deal.
    """
    table = sit(held=["2C 3C", "4D 5D", "9H QH", "4S 5S"], plays="2C 4D 9H 4S")
    assert seats_of(cardtable, table, "points") == [[1], [0], [0], [0]]
    table = sit(held=None, rows=[[5, 6, 7, 8], [-52, 0, 0, 0]], book="HEART_BOOK")
    assert seats_of(cardtable, table, "points", "total") == [[-52, -47], [0, 6], [0, 7], [0, 8]]


@pytest.mark.task("show-the-table")
def test_seats_before_the_first_deal(cardtable, sit):
    """With an empty sheet and no deal, each player has 0 cards, 0 points and a total of 0.

    Try: [show_seat(Table(Match(ESTELL_BOOK)), seat) for seat in range(4)]
    """
    table = sit(held=None, names=["Ada", "Bob", "Cleo", "Dan"])
    assert seats_of(cardtable, table, "name", "cards", "points", "total") == [
        [name, 0, 0, 0] for name in ("Ada", "Bob", "Cleo", "Dan")
    ]


@pytest.mark.task("show-the-table")
@pytest.mark.parametrize(
    ("count", "full", "turn", "led", "took"),
    [
        (0, False, 0, None, None),
        (1, False, 1, 0, None),
        (3, False, 3, 0, None),
        (4, True, None, 0, 3),
        (4, False, 3, None, None),
        (8, True, None, 3, 3),
        (16, True, None, 3, 2),
        (18, False, 0, 2, None),
        (36, True, None, 0, 3),
        (44, True, None, 2, 0),
    ],
)
def test_whose_turn_it_is_who_led_and_who_takes(cardtable, in_a_deal, count, full, turn, led, took):
    """All see whose turn it is, who led, and who takes a full trick.

    While a full trick lies on the table, it is nobody's turn.

    Try: Call `show_seat` for each seat after two cards, and after four with `full=True` and
    without.
    """
    seats = seats_of(cardtable, in_a_deal(count, full=full), "turn", "led", "took", "won")
    assert seats == [[seat == turn, seat == led, seat == took, False] for seat in range(4)]


@pytest.mark.task("show-the-table")
@pytest.mark.parametrize("count", [6, 30])
def test_how_many_cards_everybody_holds(cardtable, in_a_deal, count):
    """All see how many cards each player holds.

    Try: [show_seat(mine, seat)["cards"] for seat in range(4)]
    """
    played = [0, 0, 0, 0]
    for i in range(count):
        leader = 0 if i < 4 else TAKERS[i // 4 - 1]
        played[(leader + i) % 4] += 1
    cards = seats_of(cardtable, in_a_deal(count), "cards")
    assert cards == [[13 - cards] for cards in played]


@pytest.mark.task("show-the-table")
@pytest.mark.parametrize(
    ("rows", "won"),
    [
        ([[9, 4, 6, 7]], [False] * 4),
        ([[26, 0, 0, 0]] * 4, [False, True, True, True]),
        ([[20, 3, 1, 2]] * 5, [False, False, True, False]),
        ([[2, 20, 2, 2]] * 5, [True, False, True, True]),
    ],
)
def test_who_has_won(cardtable, sit, rows, won):
    """When the game is over, all players with the lowest total have won; before, nobody has.

    Try: Call `show_seat` after one deal, and after a game in which two share the lowest total.
    """
    table = sit(held=None, rows=rows)
    assert seats_of(cardtable, table, "won") == [[answer] for answer in won]
    assert seats_of(cardtable, table, "turn", "led", "took") == [[False] * 3] * 4


# Keep the sheet and tell the news


@pytest.mark.task("tell-the-news")
@pytest.mark.parametrize(
    ("book", "goal", "rows"),
    [
        ("HEART_BOOK", 100, [[1, 2, 3, 20], [-26, 0, 0, 0]]),
        ("DYNACOMP_BOOK", 75, [[26, 0, 0, 0]]),
        ("ESTELL_BOOK", 100, []),
    ],
)
def test_rows_totals_and_goal(cardtable, sit, book, goal, rows):
    """The sheet has a row for each scored deal, the totals, and the limit of the game.

    Try: Call `show_sheet` after two deals by a book with a limit of 50.
    """
    totals = [sum(row[seat] for row in rows) for seat in range(4)]
    sheet = cardtable.show_sheet(sit(book=book, rows=rows))
    assert sheet == {"rows": rows, "totals": totals, "goal": goal}


@pytest.mark.task("tell-the-news")
@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (1, "North leads the 2 of Clubs."),
        (3, "South plays the 9 of Clubs."),
        (5, "West leads the Queen of Spades."),
        (8, "South plays the 3 of Spades."),
        (14, "North plays the Jack of Hearts."),
        (17, "South leads the 10 of Clubs."),
        (41, "South leads the 3 of Clubs."),
    ],
)
def test_the_last_card_is_told(cardtable, in_a_deal, count, sentence):
    """The last card is told with its player: the first of a trick leads, the others play.

    Try: [show_said(table) for table in (sit(CIT590_BOOK, "2C"), begun, mine, full)]
    """
    said = cardtable.show_said(in_a_deal(count, full=count % 4 == 0))
    assert [said[0], len(said)] == [sentence, 2 if count % 4 == 0 else 1]


@pytest.mark.task("tell-the-news")
@pytest.mark.parametrize(
    ("count", "taker"), [(4, "West"), (12, "West"), (16, "South"), (20, "East"), (52, "North")]
)
def test_who_takes_the_trick_is_told(cardtable, in_a_deal, count, taker):
    """For a full trick the last card and the taker are told; when it is gone, nothing is told.

    Try:
        show_said(full)
        show_said(Table(full.match))
        show_said(Table(sit(CIT590_BOOK, "2C 3C QS 9C 5D AC KD 4D").match, full=True))
    """
    said = cardtable.show_said(in_a_deal(count, full=True))
    assert [len(said), said[1:]] == [2, [f"{taker} takes the trick."]]
    assert cardtable.show_said(in_a_deal(count)) == []


@pytest.mark.task("tell-the-news")
def test_the_passed_cards_are_told_once(cardtable, sit):
    """After the passing, the user's new cards are told, sorted, until a card is played.

    Try:
        show_said(sit(CIT590_BOOK))
        match = Match(HEART_BOOK)
        hands = ["9S 8S 3C 6C", "TH QD 4D 9D", "6S 7S 8H 2C", "JS 5S 4S AS"]
        deal = match.start([Hand(hold(held)) for held in hands])
        for seat, codes in enumerate(["9S 8S 6C", "TH QD 4D", "6S 7S 8H", "JS 4S AS"]):
            deal.give(seat, hold(codes))
        show_said(Table(match))
        for code in ["2C", "5S", "3C", "6C"]:
            if deal.turn is not None and Card.parse(code) in deal.legal_plays():
                deal.play(Card.parse(code))
            print(code, show_said(Table(match)))
    """
    held = ["9S 8S 3C 5C", "TH QD 4D 9D", "6S 7S 8H 2C", "JS 5S 4S AS"]
    given = ("9S 8S 5C", "TH QD 4D", "6S 7S 8H", "JS 4S AS")
    said = [
        cardtable.show_said(sit(plays, held=held, given=given[:seats], book="HEART_BOOK"))
        for plays, seats in (("", 3), ("", 4), ("2C", 4), ("2C 5S 3C 5C", 4))
    ]
    assert said == [
        [],
        ["Passed to you: 4 of Diamonds, Queen of Diamonds, 10 of Hearts."],
        ["South leads the 2 of Clubs."],
        [],
    ]


@pytest.mark.task("tell-the-news")
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[0, 0, 26, 0]], ["Score: North 0, East 0, South 26, West 0."]),
        (
            [[25, 1, 0, 0], [25, 0, 1, 0], [25, 0, 0, 1], [24, 2, 0, 0]],
            ["Score: North 99, East 3, South 1, West 1."],
        ),
        ([[1, 22, 3, 0], [-26, 0, 0, 0]], ["Score: North -25, East 22, South 3, West 0."]),
    ],
)
def test_the_totals_are_told_between_deals(cardtable, sit, rows, said):
    """Between deals the totals are told, beginning with North; nobody has won yet.

    Try: Call `show_said` after one deal.
    """
    assert cardtable.show_said(sit(held=None, rows=rows, book="HEART_BOOK")) == said


@pytest.mark.task("tell-the-news")
@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ([21, 0, 2, 3], "East wins."),
        ([21, 1, 3, 1], "East and West win."),
        ([2, 2, 20, 2], "North, East and West win."),
        ([0, 0, 26, 0], "North, East and West win."),
        ([3, 1, 1, 21], "East and South win."),
    ],
)
def test_the_winners_are_told(cardtable, sit, row, sentence):
    """When the game is over, all winners are named in one sentence after the totals.

    Try: Call `show_said` after a game in which North, South and West share the lowest total.
    """
    said = cardtable.show_said(sit(held=None, rows=[row] * 5))
    assert [len(said), said[1:]] == [2, [sentence]]
    assert said[0].startswith(f"Score: North {5 * row[0]}, East {5 * row[1]}, South ")


# Say what may be clicked


@pytest.mark.task("say-what-may-be-clicked")
@pytest.mark.parametrize(
    ("chosen", "refused"),
    [
        ("", 0),
        ("9C", 0),
        ("9C 2S", 0),
        ("9C 2S QD", 10),
        ("3C 5C 9C", 10),
    ],
)
def test_no_fourth_card_can_be_clicked(cardtable, sit, chosen, refused):
    """Until three cards are chosen, all can be clicked; then only these three.

    A user who has chosen a wrong card must see how to change the choice.

    Try: Call `show_refused` with two cards chosen, and with three.
    """
    cards = cardtable.show_refused(sit(held=HELD, book="ESTELL_BOOK", chosen=chosen))
    others = set(HELD[SOUTH].split()) - set(chosen.split())
    reason = "3 cards are chosen: click one of them to put it back"
    assert cards == (dict.fromkeys(others, reason) if refused else {})
    assert len(cards) == refused


@pytest.mark.task("say-what-may-be-clicked")
@pytest.mark.parametrize(
    ("count", "full", "reason"),
    [
        (0, False, "it is North's turn"),
        (1, False, "it is East's turn"),
        (3, False, "it is West's turn"),
        (4, True, "West takes the trick first"),
        (16, True, "South takes the trick first"),
        (20, True, "East takes the trick first"),
        (19, False, "it is East's turn"),
    ],
)
def test_when_it_is_not_the_users_turn(cardtable, in_a_deal, count, full, reason):
    """While others play, or a full trick lies there, each card is refused with the reason.

    Try:
        other = Table(sit(CIT590_BOOK, "2C 3C QS 9C 4S 8H 7S TH").match, full=True)
        [show_refused(table) for table in (sit(CIT590_BOOK), full, other)]
    """
    table = in_a_deal(count, full=full)
    refused = cardtable.show_refused(table)
    left = set(HELD[SOUTH].split()) - set(PLAYS[:count])
    assert refused == dict.fromkeys(left, reason)


@pytest.mark.task("say-what-may-be-clicked")
@pytest.mark.parametrize(
    ("count", "allowed", "rule"),
    [
        (2, "3C 5C 9C TC", "you must follow suit"),
        (7, "2S 3S", "you must follow suit"),
        (11, "8D 9D QD", "you must follow suit"),
        (21, "4H 5H 6H 8H", "you must follow suit"),
    ],
)
def test_cards_that_break_a_rule(cardtable, in_a_deal, count, allowed, rule):
    """On the user's turn, cards that break a rule are refused, and the rule is the reason.

    The reason comes from stage 02, so the table and the rules cannot disagree.

    Try: Call `show_refused` when spades were led and the user holds some.
    """
    refused = cardtable.show_refused(in_a_deal(count))
    left = set(HELD[SOUTH].split()) - set(PLAYS[:count])
    assert set(refused) == left - set(allowed.split())
    for code, reason in refused.items():
        assert rule in reason
        assert set(re.findall(r"\b[2-9TJQKA][CDHS]\b", reason)) == {code, *allowed.split()}


@pytest.mark.task("say-what-may-be-clicked")
@pytest.mark.parametrize(
    ("held", "plays", "refused"),
    [
        (["4C 5C 6D", "5D 6H 7S", "2C 5S 9H", "3C 7D 8S"], "", {"5S": "opening", "9H": "opening"}),
        (["2C 4C 6D", "5D 6H 7S", "QS 5S 9H", "3C 7D 8S"], "2C 5D", {"QS": "first", "9H": "first"}),
        (["2C 4S 6D", "5D 6C 7S", "TC 5S 9H", "3C 7D 8S"], "2C 6C TC 3C", {"9H": "broken"}),
        (["2C 4S 6D", "5D 6C 7S", "TC QH 9H", "3C 7D 8S"], "2C 6C TC 3C", {}),
    ],
)
def test_every_rule_is_a_reason(cardtable, sit, held, plays, refused):
    """The opening lead, the first trick, and hearts that are not broken are also reasons.

    Try: Call `show_refused` when the user holds 2C and is to lead to the first trick.
    """
    found = cardtable.show_refused(sit(plays, held=held, book="HEART_BOOK", rows=HOLD))
    words = {"opening": "the opening lead is fixed", "first": "out of the first trick"}
    words["broken"] = "hearts are not broken"
    assert sorted(found) == sorted(refused)
    assert all(words[refused[code]] in reason for code, reason in found.items())


@pytest.mark.task("say-what-may-be-clicked")
def test_between_deals_nothing_is_refused(cardtable, sit):
    """Between deals there is no card to refuse.

    Try: [show_refused(table) for table in (Table(Match(HEART_BOOK)), fresh, full)]
    """
    assert cardtable.show_refused(sit(held=None)) == {}
    assert sorted(cardtable.show_refused(sit("2C"))) == ["4S", "5D", "9C"]


# Ask the user


@pytest.mark.task("ask-the-user")
@pytest.mark.parametrize(
    ("rows", "book", "chosen", "receiver"),
    [
        ([], "HEART_BOOK", "", "West"),
        (HOLD[:1], "HEART_BOOK", "9C 2S", "East"),
        (HOLD[:2], "ESTELL_BOOK", "9C 2S QD", "North"),
        (HOLD, "ESTELL_BOOK", "9C", "West"),
    ],
)
def test_asking_for_three_cards(cardtable, sit, rows, book, chosen, receiver):
    """While cards are passed, the prompt says who gets them and how many are chosen.

    A player who passes the ace of spades wants to know who gets it.

    Try: Call `show_prompt` and `show_buttons` in the second deal by the book ESTELL, with two cards
    chosen.
    """
    table = sit(held=HELD, rows=rows, book=book, chosen=chosen)
    count = len(chosen.split())
    assert cardtable.show_prompt(table) == (
        f"Choose 3 cards for {receiver}: {count} chosen so far."
    )
    button = {"click": "pass", "label": f"Pass to {receiver}", "auto": False}
    assert cardtable.show_buttons(table) == [button | {"enabled": count == 3}]


@pytest.mark.task("ask-the-user")
@pytest.mark.parametrize(
    ("count", "full", "prompt"),
    [
        (0, False, "North is to play."),
        (1, False, "East is to play."),
        (2, False, "Your turn: play a card."),
        (3, False, "West is to play."),
        (16, False, "Your turn: lead a card."),
        (16, True, "South takes the trick."),
        (28, True, "North takes the trick."),
        (52, True, "North takes the trick."),
    ],
)
def test_prompts_while_cards_are_played(cardtable, in_a_deal, count, full, prompt):
    """While cards are played, the prompt says what the user should do, or who plays next.

    The view may go on by itself while the user has nothing to decide.

    Try:
        for table in (begun, mine, full, go_on(full, Random(5))):
            print(show_prompt(table), show_buttons(table))
    """
    table = in_a_deal(count, full=full)
    go_on = {"click": "next", "label": "Go on", "enabled": True, "auto": True}
    assert cardtable.show_prompt(table) == prompt
    assert cardtable.show_buttons(table) == ([] if "Your turn" in prompt else [go_on])


@pytest.mark.task("ask-the-user")
@pytest.mark.parametrize(
    ("rows", "prompt", "labels"),
    [
        ([[5, 6, 7, 8]], "The deal is over.", ["Next deal"]),
        ([[21, 0, 2, 3]] * 5, "East wins.", []),
        ([[21, 1, 3, 1]] * 5, "East and West win.", []),
    ],
)
def test_between_deals_the_user_decides(cardtable, sit, rows, prompt, labels):
    """Between deals the table waits for the user; after the game it says who wins.

    The user should have time to read the sheet before the next deal.

    Try: Call `show_prompt` and `show_buttons` after one deal, and after the game.
    """
    table = sit(held=None, rows=rows)
    assert cardtable.show_prompt(table) == prompt
    assert cardtable.show_buttons(table) == [
        {"click": "next", "label": label, "enabled": True, "auto": False} for label in labels
    ]
