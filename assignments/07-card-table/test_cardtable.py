"""Visible checks of stage 07: the examples of the brief, and a few more like them.

The fixture `cardtable` is your module; `cards`, `match` and `rulebook` are those of earlier stages.
Each table is made from a match in which some cards have been played. Cards are written as codes.
"""

import pytest
from hearts_course import each

HELD = ["3C KD 7S", "QS TH 4D", "9C 5D 4S", "2C 8H AC"]
# All points of a pack, and two clubs; they cost the seats 0, 2, 0 and 24.
FOUR = ["2C QS 8H 9H", "3C 2H 3H 4H", "TH JH 5H 6H", "QH KH AH 7H"]
LINE = "2C 3C TH QH 2H JH KH 8H AH 9H 3H 5H 7H QS 4H 6H"
NORTH_TAKES = ["KC KD 7S", *HELD[1:]]
NORTH_LEADS = ["2C KD 7S", "QS TH 4D", "5D 4S 9S", "8H JS AS"]  # and takes: no other club is held
SOUTH = 2


@pytest.fixture
def hold(cards):
    """Make a list of cards from their codes."""
    return lambda codes: each(cards.Card.parse, codes.split())


@pytest.fixture
def card(cards):
    """Make a card from its code."""
    return cards.Card.parse


@pytest.fixture
def chance(stdlib):
    """Make a generator of random numbers."""
    return stdlib("random").Random(7)


@pytest.fixture
def sit(cards, match, rulebook, cardtable, hold):
    """Make a table: the cards played in its deal, the chosen cards, and whether a trick is full."""

    def make(
        plays="", *, book=rulebook.CIT590_BOOK, held=HELD, rows=(), chosen="", full=False, given=()
    ):
        game = match.Match(book)
        for row in rows:
            game.sheet.enter(row)
        if held:
            deal = game.start([cards.Hand(hold(codes)) for codes in held])
            for seat, passed in enumerate(given):
                deal.give(seat, hold(passed))
            each(deal.play, hold(plays))
        return cardtable.Table(game, tuple(hold(chosen)), full)

    return make


def codes(some_cards):
    """Return the codes of the cards, sorted as texts."""
    return sorted(each(str, some_cards))


@pytest.mark.task("show-your-cards")
@pytest.mark.parametrize(
    ("plays", "labels"),
    [
        ("", ["9 of Clubs", "5 of Diamonds", "4 of Spades"]),
        ("2C 3C 4D 9C", ["5 of Diamonds", "4 of Spades"]),
    ],
)
def test_the_cards_of_the_user(cardtable, sit, plays, labels):
    """The user's cards are shown in order, with their names in words.

    A person who cannot see the cards has their names read aloud, in this order.
    """
    hand = cardtable.show_hand(sit(plays))
    assert [card["label"] for card in hand] == labels
    assert [card["received"] for card in hand] == [False] * len(labels), (
        "Only cards that were passed to the user are marked."
    )
    assert cardtable.show_hand(sit(held=None)) == [], "Between deals nobody holds cards."


@pytest.mark.task("show-your-cards")
def test_new_cards_are_marked(cardtable, rulebook, sit):
    """Cards that were passed to the user are marked until the first trick is full."""
    passed = {
        "book": rulebook.HEART_BOOK,
        "given": ["3C KD 7S", "QS TH 4D", "9C 5D 4S", "2C 8H AC"],
    }
    hand = cardtable.show_hand(sit(**passed))
    assert [[c["card"], c["received"]] for c in hand] == [["4D", True], ["TH", True], ["QS", True]]
    hand = cardtable.show_hand(sit("2C 3C 4D 9C", **passed))
    assert [[c["card"], c["received"]] for c in hand] == [["TH", False], ["QS", False]]


@pytest.mark.task("show-the-table")
def test_the_trick_with_its_seats(cardtable, sit):
    """The cards of the trick are shown in the order of play, each with the player's name."""
    trick = cardtable.show_trick(sit("2C 3C"))
    assert [[play["card"], play["seat"]] for play in trick] == [["2C", "West"], ["3C", "North"]]
    assert cardtable.show_trick(sit()) == []


@pytest.mark.task("show-the-table")
def test_who_led_and_who_took_it(cardtable, sit):
    """While a full trick lies on the table, all see who led it, who takes it, and what it costs."""
    table = sit("2C 3C QS 9C", full=True)
    seats = [cardtable.show_seat(table, seat) for seat in range(4)]
    assert [seat["led"] for seat in seats] == [False, False, False, True]
    assert [seat["took"] for seat in seats] == [False, False, True, False]
    assert [seat["turn"] for seat in seats] == [False, False, False, False]
    assert [[seat["points"], seat["cards"]] for seat in seats] == [[0, 2], [0, 2], [13, 2], [0, 2]]


@pytest.mark.task("show-the-table")
def test_seats_between_deals(cardtable, sit):
    """Between deals, the points are those of the last deal; after the game, all see who has won."""
    one, over = [[4, 21, 0, 1], [1, 20, 3, 2]], [[26, 0, 0, 0]] * 4
    for rows, seat, shown in (
        ([], 0, [0, 0, False]),
        (one, 1, [20, 41, False]),
        (over, 0, [26, 104, False]),
        (over, 1, [0, 0, True]),
        (over, 3, [0, 0, True]),
    ):
        found = cardtable.show_seat(sit(held=None, rows=rows), seat)
        assert [found["points"], found["total"], found["won"]] == shown


@pytest.mark.task("tell-the-news")
@pytest.mark.parametrize(
    ("plays", "full", "said"),
    [
        ("", False, []),
        ("2C", False, ["West leads the 2 of Clubs."]),
        ("2C 3C QS 9C", True, ["South plays the 9 of Clubs.", "South takes the trick."]),
        ("2C 3C QS 9C", False, []),
    ],
)
def test_sentences_about_the_trick(cardtable, sit, plays, full, said):
    """One sentence tells the last card that was played, and another who takes the trick.

    A person who cannot see the table plays by what they hear.
    """
    assert cardtable.show_said(sit(plays, full=full)) == said


@pytest.mark.task("tell-the-news")
def test_north_takes_a_trick(cardtable, sit):
    """Seat 0 is a taker too: North's trick is told and shown like every other.

    Whoever takes a trick leads the next one. Does the program treat seat 0 like the others?
    """
    table = sit("2C KC QS 9C", held=NORTH_TAKES, full=True)
    assert cardtable.show_said(table)[1:] == ["North takes the trick."]
    assert cardtable.show_said(sit("2C KC QS 9C", held=NORTH_TAKES)) == []


@pytest.mark.task("tell-the-news")
def test_the_new_cards_are_told(cardtable, rulebook, sit):
    """After the passing, the user's new cards are told in words, sorted."""
    table = sit(book=rulebook.HEART_BOOK, given=["3C KD 7S", "QS TH 4D", "9C 5D 4S", "2C 8H AC"])
    said = "Passed to you: 4 of Diamonds, 10 of Hearts, Queen of Spades."
    assert cardtable.show_said(table) == [said]
    table = sit("2C 3C 4D 9C", book=rulebook.HEART_BOOK, given=HELD)
    assert cardtable.show_said(table) == []


@pytest.mark.task("tell-the-news")
def test_the_score_is_told(cardtable, rulebook, sit):
    """Between deals the totals are told, and at the end of the game also the winners."""
    table = sit(held=None, rows=[[4, 21, 0, 1], [0, 13, 13, 0]])
    assert cardtable.show_said(table) == ["Score: North 4, East 34, South 13, West 1."]
    sheet = cardtable.show_sheet(table)
    assert sheet["rows"] == [[4, 21, 0, 1], [0, 13, 13, 0]]
    assert [sheet["totals"], sheet["goal"]] == [[4, 34, 13, 1], 100]
    assert cardtable.show_sheet(sit(book=rulebook.DYNACOMP_BOOK, held=None))["goal"] == 75
    table = sit(held=None, rows=[[0, 26, 0, 0]] * 4)
    assert cardtable.show_said(table)[1:] == ["North, South and West win."]


@pytest.mark.task("choose-and-pass")
def test_a_choice_can_be_taken_back(cardtable, rulebook, sit, card):
    """One click chooses a card, and another click on it puts it back.

    Until the cards have moved, the user may change their mind.
    """
    table = sit(book=rulebook.HEART_BOOK, chosen="4S")
    two = cardtable.choose(table, card("9C"))
    assert cardtable.show_chosen(two) == ["9C", "4S"]
    assert cardtable.show_chosen(cardtable.choose(two, card("4S"))) == ["9C"]
    assert [cardtable.show_chosen(table), cardtable.show_chosen(two)] == [["4S"], ["9C", "4S"]]


@pytest.mark.task("choose-and-pass")
def test_three_cards_are_chosen(cardtable, rulebook, sit, card, chance):
    """The user chooses three of their own cards, no more, and passes no fewer."""
    held = ["3C KD 7S 6S", "QS TH 4D 3D", "9C 5D 4S 6H", "2C 8H AC 3S"]
    two, three = (sit(held=held, book=rulebook.HEART_BOOK, chosen=c) for c in ("4S 5D", "4S 5D 9C"))
    assert cardtable.show_chosen(cardtable.choose(two, card("2C"))) == ["5D", "4S"]
    assert cardtable.show_chosen(cardtable.choose(three, card("6H"))) == ["9C", "5D", "4S"]
    assert cardtable.pass_chosen(two, chance).phase == "passing"
    after = cardtable.pass_chosen(three, chance)
    assert [after.phase, cardtable.show_chosen(after)] == ["playing", []]
    assert codes(after.match.deal.received(3)) == ["4S", "5D", "9C"]


@pytest.mark.task("choose-and-pass")
def test_everybody_passes_at_once(cardtable, rulebook, sit, chance):
    """When the user passes, all other players pass as well, and the play begins."""
    table = sit(book=rulebook.HEART_BOOK, chosen="4S 9C 5D")
    after = cardtable.pass_chosen(table, chance)
    assert [table.phase, after.phase] == ["passing", "playing"]
    assert codes(after.match.deal.hand(SOUTH)) == ["4D", "QS", "TH"]
    assert codes(table.match.deal.hand(SOUTH)) == ["4S", "5D", "9C"]


@pytest.mark.task("say-what-may-be-clicked")
def test_why_a_card_cannot_be_clicked(cardtable, legal, sit, card):
    """There is a reason for each card that cannot be clicked, and none for the others.

    If a card is only grey, the user has to guess why.
    """
    table = sit("2C 3C QS")
    refused = cardtable.show_refused(table)
    assert sorted(refused) == ["4S", "5D"]
    with pytest.raises(ValueError, match="you must follow suit") as refusal:
        legal.check_play(card("5D"), table.match.deal.view())
    assert refused["5D"] == str(refusal.value), "The whole program gives the referee's own reason."
    assert cardtable.show_refused(sit("2C 3C")) == dict.fromkeys(
        ["9C", "5D", "4S"], "it is East's turn"
    )
    full = cardtable.show_refused(sit("2C 3C QS 9C", full=True))
    assert full == dict.fromkeys(["5D", "4S"], "South takes the trick first")
    assert cardtable.show_refused(sit(held=None)) == {}


@pytest.mark.task("say-what-may-be-clicked")
def test_no_fourth_card_can_be_chosen(cardtable, rulebook, sit):
    """When three cards are chosen, only these three can be clicked."""
    held = ["3C KD 7S 6S", "QS TH 4D 3D", "9C 5D 4S 6H", "2C 8H AC 3S"]
    two, three = (sit(held=held, book=rulebook.HEART_BOOK, chosen=c) for c in ("9C 6H", "9C 6H 4S"))
    assert cardtable.show_refused(two) == {}
    refused = cardtable.show_refused(three)
    assert refused == {"5D": "3 cards are chosen: click one of them to put it back"}


@pytest.mark.task("play-your-card")
def test_the_user_plays_a_card(cardtable, sit, card):
    """The user's card goes to the trick, and a full trick stays on the table.

    The user may click on any card at any time, and no click may stop the game.
    """
    table = sit("2C 3C QS")
    after = cardtable.play_card(table, card("9C"))
    assert [after.full, codes(after.trick.cards)] == [True, ["2C", "3C", "9C", "QS"]], (
        "All want to see the full trick."
    )
    assert [table.full, codes(table.match.deal.hand(SOUTH))] == [False, ["4S", "5D", "9C"]], (
        "Others may still use the table that was given."
    )
    early = cardtable.play_card(sit("2C 3C"), card("9C"))
    assert codes(early.match.deal.trick) == ["2C", "3C"], "It is another player's turn."
    refused = cardtable.play_card(table, card("4S"))
    assert [refused.full, codes(refused.match.deal.hand(SOUTH))] == [False, ["4S", "5D", "9C"]], (
        "The user must follow suit."
    )
    north = cardtable.play_card(sit("2C KC QS", held=NORTH_TAKES), card("9C"))
    assert north.full is True, "Seat 0 takes this trick, and Python takes 0 for false."


@pytest.mark.task("play-your-card")
def test_no_card_is_played_out_of_turn(cardtable, rulebook, sit, card):
    """A click on a card changes nothing before the full trick is taken away, or between deals."""
    full = cardtable.play_card(sit("2C 3C QS 9C", full=True), card("5D"))
    assert [full.full, len(full.match.deal.hand(SOUTH))] == [True, 2]
    scored = cardtable.play_card(sit(held=None, rows=[[4, 21, 0, 1]]), card("5D"))
    assert scored.phase == "scored"
    passing = cardtable.play_card(sit(book=rulebook.HEART_BOOK), card("9C"))
    assert [passing.phase, len(passing.match.deal.hand(SOUTH))] == ["passing", 3]


@pytest.mark.task("go-on-by-steps")
def test_one_step_at_a_time(cardtable, sit, chance):
    """One step is one card of a computer player, or one full trick that is taken away."""
    table = sit("2C")
    after = cardtable.go_on(table, chance)
    assert codes(after.match.deal.trick) == ["2C", "3C"]
    after = cardtable.go_on(sit("2C 3C QS 9C", full=True), chance)
    assert [after.full, after.trick, after.turn] == [False, None, SOUTH]
    assert codes(table.match.deal.trick) == ["2C"]
    waiting = cardtable.go_on(sit("2C 3C QS"), chance)
    assert [codes(waiting.match.deal.trick), waiting.turn] == [["2C", "3C", "QS"], SOUTH]
    north = cardtable.go_on(sit("2C QS 5D", held=NORTH_LEADS), chance)
    assert north.full is True, "Seat 0 takes this trick, and Python takes 0 for false."


@pytest.mark.task("go-on-by-steps")
def test_from_one_deal_to_the_next(cardtable, sit, chance):
    """Taking the last trick away scores the deal; one more step deals the next one."""
    table = sit(LINE, held=FOUR, full=True)
    scored = cardtable.go_on(table, chance)
    assert [scored.phase, scored.match.sheet.rows] == ["scored", [[0, 2, 0, 24]]]
    assert [table.phase, table.match.sheet.rows] == ["playing", []]
    after = cardtable.go_on(scored, chance)
    assert [after.phase, len(after.match.deal.hand(SOUTH))] == ["playing", 13]
    over = sit(held=None, rows=[[26, 0, 0, 0]] * 4)
    assert cardtable.go_on(over, chance).phase == "finished"


@pytest.mark.task("ask-the-user")
@pytest.mark.parametrize(
    ("plays", "full", "prompt", "labels"),
    [
        ("2C 3C", False, "East is to play.", ["Go on"]),
        ("2C 3C QS", False, "Your turn: play a card.", []),
        ("2C 3C QS 9C", False, "Your turn: lead a card.", []),
        ("2C 3C QS 9C", True, "South takes the trick.", ["Go on"]),
    ],
)
def test_what_the_user_is_to_do(cardtable, sit, plays, full, prompt, labels):
    """The prompt says what the user should do; while they only wait, there is a button."""
    table = sit(plays, full=full)
    assert cardtable.show_prompt(table) == prompt
    buttons = cardtable.show_buttons(table)
    assert [button["label"] for button in buttons] == labels
    assert [[button["click"], button["auto"]] for button in buttons] == [["next", True]] * len(
        labels
    )


@pytest.mark.task("ask-the-user")
def test_between_deals_the_table_waits(cardtable, rulebook, sit):
    """While cards are passed, and between deals, the button says what comes next."""
    tables = [sit(book=rulebook.HEART_BOOK, chosen="5D"), sit(held=None, rows=[[4, 21, 0, 1]])]
    assert [cardtable.show_prompt(table) for table in tables] == [
        "Choose 3 cards for West: 1 chosen so far.",
        "The deal is over.",
    ]
    second = sit(book=rulebook.HEART_BOOK, rows=[[4, 21, 0, 1]], chosen="5D 4S")
    assert cardtable.show_prompt(second) == "Choose 3 cards for East: 2 chosen so far."
    over = sit(held=None, rows=[[26, 0, 0, 0]] * 4)
    shown = [cardtable.show_prompt(over), cardtable.show_buttons(over)]
    assert shown == ["East, South and West win.", []]
    buttons = [cardtable.show_buttons(table)[0] for table in tables]
    assert [[b["label"], b["enabled"], b["auto"]] for b in buttons] == [
        ["Pass to West", False, False],
        ["Next deal", True, False],
    ]


@pytest.mark.task("answer-every-click")
def test_clicks_choose_play_and_go_on(cardtable, rulebook, sit, chance):
    """A click on a card chooses it while cards are passed, and plays it while cards are played."""
    table = cardtable.click(sit(book=rulebook.HEART_BOOK), {"click": "5D"}, chance)
    assert each(str, table.chosen) == ["5D"]
    table = cardtable.click(sit("2C 3C QS"), {"click": "9C"}, chance)
    assert [table.full, table.turn] == [True, None]
    table = cardtable.click(table, {"click": "next"}, chance)
    assert [table.full, table.turn] == [False, SOUTH]


@pytest.mark.task("answer-every-click")
def test_a_click_passes(cardtable, rulebook, sit, chance):
    """A click on the button passes the three chosen cards."""
    table = cardtable.click(
        sit(book=rulebook.HEART_BOOK, chosen="5D 4S 9C"), {"click": "pass"}, chance
    )
    assert [table.phase, codes(table.match.deal.received(3))] == ["playing", ["4S", "5D", "9C"]]


@pytest.mark.task("answer-every-click")
def test_clicks_that_mean_nothing(cardtable, rulebook, sit, chance):
    """An unknown event changes nothing, and a new game starts with an empty table."""
    table = sit(book=rulebook.HEART_BOOK, chosen="5D")
    for event in ({"click": "the lamp"}, {"click": 5}, {"new": "WHIST"}, {}, "5D"):
        same = cardtable.click(table, event, chance)
        assert [each(str, same.chosen), len(same.match.deal.hand(SOUTH))] == [["5D"], 3]
    new = cardtable.click(table, {"new": "ESTELL"}, chance)
    assert [len(new.chosen), len(new.match.deal.hand(SOUTH)), new.phase] == [0, 13, "passing"]
    chosen = [book["new"] for book in cardtable.show_books(new) if book["chosen"]]
    assert chosen == ["ESTELL"]
