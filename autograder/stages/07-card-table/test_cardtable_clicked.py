"""Hidden checks of stage 07: what clicks do, and that they do not change the old table."""

from itertools import chain, islice

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
NEARLY = [[26, 0, 0, 0]] * 3 + [[1, 25, 0, 0]] + [[5, 7, 7, 7]] * 3  # North has 94 points
HOLD = [[10, 6, 5, 5]] * 3  # after three deals by the book HEART nobody passes
SEATS = [0, 1, 2, 3]
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
def card(cards):
    """Make a card from its code."""
    return cards.Card.parse


@pytest.fixture
def chance(stdlib):
    """Make a generator of random numbers from a seed."""
    return lambda seed=11: stdlib("random").Random(seed)


@pytest.fixture
def same(stdlib):
    """Tell whether two names stand for one and the same table."""
    return stdlib("operator").is_


@pytest.fixture
def sit(cards, match, rulebook, cardtable, hold):
    """Make a table: the cards played, the chosen cards, and whether a trick is full."""

    def make(plays="", *, book="HEART_BOOK", held=HELD, rows=(), chosen="", full=False):
        game = match.Match(getattr(rulebook, book))
        each(game.sheet.enter, list(rows))
        if held:
            deal = game.start(each(cards.Hand, in_hands(hold(" ".join(held)))))
            each(deal.play, hold(plays))
        return cardtable.Table(game, tuple(hold(chosen)), full)

    return make


@pytest.fixture
def in_a_deal(sit):
    """Make a table after that many cards of the whole deal, with a full trick or without."""
    return lambda count, full=False: sit(" ".join(PLAYS[:count]), rows=HOLD, full=full)


def codes(some_cards):
    """Return the codes of the cards, sorted as texts."""
    return sorted(each(str, some_cards))


def hands(table):
    """Return the codes of the cards that each seat holds."""
    return hands_in(table.match.deal)


def hands_in(deal):
    """Return the codes of the cards that each seat of the deal holds; [] without a deal."""
    if deal is None:
        return []
    held = each(list, each(deal.hand, SEATS))
    names = iter(each(str, list(chain(*held))))
    return [sorted(islice(names, len(hand))) for hand in held]


def read(thing, *names):
    """Return these attributes of a thing, by one call."""
    return each(getattr, [thing] * len(names), names)


def state(table):
    """Return everything that can be known about a table, as plain values."""
    match, phase, full, chosen = read(table, "match", "phase", "full", "chosen")
    deal, sheet = read(match, "deal", "sheet")
    trick, tricks = ([], []) if deal is None else read(deal, "trick", "tricks")
    chosen = codes(chosen) if len(chosen) else []
    return [phase, full, chosen, hands_in(deal), each(str, trick), len(tricks), sheet.rows]


# Choose and pass


@pytest.mark.task("choose-and-pass")
@pytest.mark.parametrize(
    ("chosen", "clicked", "after"),
    [
        ("", "QD", ["QD"]),
        ("3S", "3C", ["3C", "3S"]),
        ("TC 9C", "4H", ["9C", "TC", "4H"]),
        ("TC 9C 4H", "TC", ["9C", "4H"]),
        ("QD", "QD", []),
        ("TC 2S", "2S", ["TC"]),
        ("9D 8D", "9D", ["8D"]),
    ],
)
def test_a_click_chooses_or_puts_back(cardtable, sit, card, chosen, clicked, after):
    """One call chooses a card, and another puts it back, in any order of the cards.

    Try: Choose 4S, 9C and 5D, then 9C once more, and print `show_chosen` after each step.
    """
    table = sit(chosen=chosen)
    before = state(table)
    new = cardtable.choose(table, card(clicked))
    assert cardtable.show_chosen(new) == after
    assert state(new)[3:] == before[3:]
    assert state(table) == before


@pytest.mark.task("choose-and-pass")
@pytest.mark.parametrize(
    ("chosen", "clicked"), [("3C 5C 9C", "TC"), ("3C", "2C"), ("", "AS"), ("2S 3S QD", "KS")]
)
def test_cards_that_cannot_be_chosen(cardtable, sit, card, chosen, clicked, same):
    """A fourth card, or a card of another player, is not chosen: the same table comes back.

    In Heart, a fourth card led to an error.

    Try: Choose four cards, one after the other. Then choose one that another player holds.
    """
    table = sit(chosen=chosen)
    before = state(table)
    after = cardtable.choose(table, card(clicked))
    assert state(after) == before
    assert same(after, table)
    assert cardtable.show_chosen(cardtable.choose(sit(chosen=chosen), card("6H"))) != []


@pytest.mark.task("choose-and-pass")
def test_nothing_is_chosen_when_nobody_passes(cardtable, sit, in_a_deal, card):
    """While cards are played, and between deals, no card is chosen.

    Try: Call `choose` when it is the user's turn to play.
    """
    for table in (in_a_deal(2), in_a_deal(0), sit(held=None)):
        before = state(table)
        after = cardtable.choose(table, card("9C"))
        assert [state(after), cardtable.show_chosen(after)] == [before, []]
    assert cardtable.show_chosen(cardtable.choose(sit(), card("9C"))) == ["9C"]


@pytest.mark.task("choose-and-pass")
@pytest.mark.parametrize(
    ("rows", "book", "giver", "receiver"),
    [
        ([], "HEART_BOOK", 1, 3),
        (HOLD[:1], "HEART_BOOK", 3, 1),
        (HOLD[:2], "HEART_BOOK", 0, 0),
        (HOLD, "ESTELL_BOOK", 1, 3),
    ],
)
def test_all_four_pass(cardtable, sit, chance, rows, book, giver, receiver):
    """The chosen cards go to the receiver, and every computer player passes three of theirs.

    Try: Call `pass_chosen` in the second deal of a match, and look at all hands of both tables.
    """
    table = sit(rows=rows, book=book, chosen="3C 8D 3S")
    before = state(table)
    new = cardtable.pass_chosen(table, chance())
    assert [new.phase, cardtable.show_chosen(new)] == ["playing", []]
    assert state(table) == before
    deal = new.match.deal
    received = [set(each(str, deal.received(seat))) for seat in SEATS]
    assert received[receiver] == {"3C", "8D", "3S"}
    assert received[SOUTH] < set(HELD[giver].split())
    after = hands(new)
    assert [len(hand) for hand in after] == [13] * 4
    kept = [set(hand) - received[seat] for seat, hand in enumerate(after)]
    assert [len(cards) for cards in kept] == [10] * 4
    assert all(cards < set(HELD[seat].split()) for seat, cards in enumerate(kept))


@pytest.mark.task("choose-and-pass")
@pytest.mark.parametrize(
    ("chosen", "shown"),
    [("", []), ("3C", ["3C"]), ("8D 3C", ["3C", "8D"]), ("TC 9C", ["9C", "TC"])],
)
def test_fewer_than_three_cards_are_not_passed(cardtable, sit, chance, chosen, shown):
    """While fewer than three cards are chosen, nobody passes.

    Try: Call `pass_chosen` with two cards chosen, the higher one first, and then `show_chosen`.
    """
    table = sit(chosen=chosen)
    before = state(table)
    assert state(cardtable.pass_chosen(table, chance())) == before
    assert state(table) == before
    assert cardtable.show_chosen(table) == shown


@pytest.mark.task("choose-and-pass")
def test_where_nothing_happens_the_same_table_comes_back(
    cardtable, sit, in_a_deal, card, chance, same
):
    """Where nothing happens, the function returns the table that it was given, and not a copy.

    So the view can tell that it has nothing new to draw.

    Try:
        choose(begun, Card.parse("9C")) is begun
        pass_chosen(fresh, Random(5)) is fresh
    """
    begun, fresh = in_a_deal(1), sit()
    assert [begun.phase, fresh.phase] == ["playing", "passing"]
    assert same(cardtable.choose(begun, card("TC")), begun)
    assert same(cardtable.pass_chosen(fresh, chance()), fresh)


@pytest.mark.task("choose-and-pass")
def test_passing_does_nothing_in_other_phases(cardtable, in_a_deal, sit, chance):
    """When no cards are passed, or all have been passed, passing does nothing.

    Try: Call `pass_chosen` twice, and print the phase after each call.
    """
    for table in (in_a_deal(0), in_a_deal(2), sit(held=None)):
        before = state(table)
        assert state(cardtable.pass_chosen(table, chance())) == before
    once = cardtable.pass_chosen(sit(chosen="3C 8D 3S"), chance())
    assert state(cardtable.pass_chosen(once, chance())) == state(once)
    assert [once.phase, [len(hand) for hand in hands(once)]] == ["playing", [13] * 4]


@pytest.mark.task("choose-and-pass")
def test_the_generator_decides_what_the_others_pass(cardtable, sit, chance):
    """The same table and the same generator always give the same hands.

    So you can repeat a game when you look for a mistake in your program.

    Try: Call `pass_chosen(table, Random(5))` twice, and compare the hands.
    """
    table = sit(chosen="3C 8D 3S")
    first = hands(cardtable.pass_chosen(table, chance(5)))
    hands(cardtable.pass_chosen(table, chance(6)))
    assert hands(cardtable.pass_chosen(table, chance(5))) == first
    assert sorted(chain(*first)) == sorted(" ".join(HELD).split())


# Play your card


@pytest.mark.task("play-your-card")
@pytest.mark.parametrize(
    ("count", "code"), [(2, "9C"), (2, "3C"), (7, "2S"), (16, "TC"), (21, "8H")]
)
def test_the_card_goes_to_the_trick(cardtable, in_a_deal, card, count, code):
    """The user's card goes from the hand to the table; the old table does not change.

    Try: Call `play_card` in the first and in a later trick, and look at both tables.
    """
    table = in_a_deal(count)
    before = state(table)
    after = state(cardtable.play_card(table, card(code)))
    assert state(table) == before
    full = count % 4 == 3
    held = sorted(set(before[3][SOUTH]) - {code})
    assert [after[0], after[1], after[3][SOUTH]] == ["playing", full, held]
    trick, tricks = ([], before[5] + 1) if full else ([*before[4], code], before[5])
    assert [after[4], after[5]] == [trick, tricks]


@pytest.mark.task("play-your-card")
@pytest.mark.parametrize(("count", "code"), [(15, "QD"), (34, "2S"), (50, "5C")])
def test_a_full_trick_stays(cardtable, in_a_deal, card, count, code):
    """If the user's card makes the trick full, the trick stays, and nobody has the turn.

    Try: Call `play_card` for the last of four cards, and then for the first card of the next trick.
    """
    after = cardtable.play_card(in_a_deal(count), card(code))
    full = (count + 1) % 4 == 0
    assert [after.full, after.phase] == [full, "playing"]
    assert str(after.trick.cards[-1]) == code
    assert after.turn == (None if full else 3)


@pytest.mark.task("play-your-card")
def test_a_trick_that_north_takes_stays_too(cardtable, sit, card):
    """A full trick stays on the table, also if seat 0 takes it.

    Try: Call `play_card` for the last of four cards when seat 0 has played the ace of the suit.
    """
    held = ["AC KD 7S", "QS TH 4D", "9C 5D 4S", "2C 8H JC"]
    after = cardtable.play_card(sit("2C AC 4D", held=held, rows=HOLD), card("9C"))
    assert [after.full, after.turn, after.trick.taker] == [True, None, 0]


@pytest.mark.task("play-your-card")
@pytest.mark.parametrize(
    ("count", "full", "code"),
    [
        (2, False, "2S"),
        (2, False, "7C"),
        (2, False, "4C"),
        (7, False, "8D"),
        (1, False, "9C"),
        (3, False, "6C"),
        (4, True, "3C"),
        (16, True, "3C"),
        (0, False, "2C"),
    ],
)
def test_refused_cards_change_nothing(cardtable, in_a_deal, card, count, full, code, same):
    """If a card breaks a rule, is not held, or is out of turn, the same table comes back.

    Try: Call `play_card` with a card that breaks a rule, and then on another player's turn.
    """
    table = in_a_deal(count, full)
    before = state(table)
    after = cardtable.play_card(table, card(code))
    assert state(after) == before
    assert same(after, table)
    good = cardtable.play_card(in_a_deal(2), card("TC"))
    assert state(good)[4] == ["2C", "8C", "TC"]


@pytest.mark.task("play-your-card")
def test_nothing_is_played_in_other_phases(cardtable, sit, card):
    """While cards are passed, and between deals, no card is played.

    Try: Call `play_card` before anybody has passed.
    """
    for table in (sit(), sit(held=None), sit(held=None, rows=[[26, 0, 0, 0]] * 4)):
        before = state(table)
        assert state(cardtable.play_card(table, card("3C"))) == before
    held = ["3C 4C 5C", "6C 7C 8C", "2C 9C TC", "JC QC KC"]
    after = cardtable.play_card(sit(held=held, rows=HOLD), card("2C"))
    assert state(after)[4] == ["2C"]


# Go on, step by step


@pytest.mark.task("go-on-by-steps")
@pytest.mark.parametrize("count", [0, 1, 3, 4, 8, 17, 18, 29, 48, 51])
def test_a_step_is_one_card_of_one_player(cardtable, in_a_deal, chance, count):
    """In one step, one computer player plays one legal card.

    Try: Call `go_on` after the first card of a trick, and look at which seats hold fewer cards.
    """
    table = in_a_deal(count)
    before, seat = state(table), table.turn
    allowed = codes(table.match.deal.legal_plays())
    new = cardtable.go_on(table, chance())
    after = state(new)
    assert state(table) == before
    changed = [s for s in SEATS if before[3][s] != after[3][s]]
    assert changed == [seat]
    (card,) = set(before[3][seat]) - set(after[3][seat])
    assert card in allowed
    assert [new.full, after[5] - before[5]] == ([True, 1] if count % 4 == 3 else [False, 0])


@pytest.mark.task("go-on-by-steps")
@pytest.mark.parametrize(("count", "turn"), [(4, 3), (16, 2), (20, 1), (28, 0)])
def test_a_full_trick_is_taken_away(cardtable, in_a_deal, chance, count, turn):
    """Taking a full trick away is one step; then its taker has the turn.

    Try: Call `go_on` with a table that has `full=True`, and look at the turn.
    """
    table = in_a_deal(count, full=True)
    before = state(table)
    new = cardtable.go_on(table, chance())
    assert state(table) == before
    assert [new.full, new.turn, new.trick, new.phase] == [False, turn, None, "playing"]
    assert state(new)[3:] == before[3:]


@pytest.mark.task("go-on-by-steps")
@pytest.mark.parametrize(
    ("rows", "phase"),
    [
        (HOLD, "scored"),
        ([[20, 2, 2, 2]] * 3, "scored"),
        ([[26, 0, 0, 0]] * 3, "scored"),
        (NEARLY, "finished"),
    ],
)
def test_after_the_last_trick_comes_the_score(cardtable, sit, chance, rows, phase):
    """When the last trick is taken away, the deal is written on the sheet.

    Try: Call `go_on` after 52 cards with `full=True`, and look at both tables.
    """
    table = sit(" ".join(PLAYS), rows=rows, full=True)
    before = state(table)
    new = cardtable.go_on(table, chance())
    assert state(table) == before
    assert [new.phase, new.full, new.match.deal] == [phase, False, None]
    assert new.match.sheet.rows == [*rows, [8, 4, 1, 13]]


@pytest.mark.task("go-on-by-steps")
@pytest.mark.parametrize(
    ("rows", "book", "phase", "direction"),
    [
        ([], "ESTELL_BOOK", "passing", 1),
        (HOLD[:1], "HEART_BOOK", "passing", 3),
        (HOLD[:2], "HEART_BOOK", "passing", 2),
        (HOLD, "HEART_BOOK", "playing", 0),
        (HOLD, "ESTELL_BOOK", "passing", 1),
    ],
)
def test_the_next_deal_begins(cardtable, sit, chance, rows, book, phase, direction):
    """Between deals, one step deals the next deal, shuffled by the given generator only.

    Try: Call `go_on(Table(Match(HEART_BOOK)), Random(5))` twice, and then with `Random(6)`.
    """
    table = sit(held=None, rows=rows, book=book)
    before = state(table)
    new = cardtable.go_on(table, chance(1))
    assert state(table) == before
    assert [new.phase, int(new.match.deal.direction)] == [phase, direction]
    first = hands(new)
    assert sorted(chain(*first)) == sorted(" ".join(HELD).split())
    assert hands(cardtable.go_on(table, chance(1))) == first
    assert hands(cardtable.go_on(table, chance(2))) != first


@pytest.mark.task("go-on-by-steps")
def test_a_step_never_decides_for_the_user(cardtable, sit, in_a_deal, chance, same):
    """While the user must pass or play, and after the game, a step returns the same table.

    Try: Call `go_on` with three cards chosen, on the user's turn, and after the game.
    """
    over = sit(held=None, rows=[[26, 0, 0, 0]] * 4)
    for table in (sit(chosen="3C"), sit(chosen="3C 8D 3S"), in_a_deal(2), in_a_deal(16), over):
        before, after = state(table), cardtable.go_on(table, chance())
        assert state(after) == before
        assert same(after, table)
    assert state(cardtable.go_on(in_a_deal(0), chance()))[4] == ["2C"]


@pytest.mark.task("go-on-by-steps")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_deal_goes_on_to_its_end(cardtable, in_a_deal, chance, card, seed):
    """Steps and the user's cards play a deal to its end: 52 cards and 13 full tricks.

    Try: Call `go_on` in a loop, and `play_card` with a legal card when it is the user's turn.
    """
    table, draw, steps = in_a_deal(0), chance(seed), 0
    while table.phase == "playing" and steps < 99:
        if table.turn == SOUTH:
            table = cardtable.play_card(table, table.match.deal.legal_plays()[0])
        else:
            table = cardtable.go_on(table, draw)
        steps += 1
    assert [steps, table.phase] == [65, "scored"]
    assert sum(table.match.sheet.rows[-1]) in (26, -26, -52)


# Answer every click


@pytest.mark.task("answer-every-click")
@pytest.mark.parametrize(
    ("book", "chosen"),
    [("HEART_BOOK", ["HEART"]), ("ESTELL_BOOK", ["ESTELL"]), ("CIT590_BOOK", [])],
)
def test_the_books_to_choose_from(cardtable, sit, book, chosen):
    """The rule books are shown in their order, and the one in use is marked.

    Try:
        for book in (ESTELL_BOOK, HEART_BOOK):
            shown = show_books(Table(Match(book)))
            print([entry["label"] for entry in shown if entry["chosen"]])
            print(all(entry["label"] == entry["new"].capitalize() for entry in shown))
    """
    books = cardtable.show_books(sit(held=None, book=book))
    names = list(cardtable.BOOKS)
    assert {"HEART", "ESTELL"} <= set(names)
    assert [book["new"] for book in books] == names
    assert [book["label"] for book in books] == [name.capitalize() for name in names]
    assert [book["new"] for book in books if book["chosen"]] == chosen


@pytest.mark.task("answer-every-click")
def test_the_book_stays_chosen_as_the_game_goes_on(cardtable, sit, chance):
    """After a click has copied the match, its rule book is still marked.

    Try: Call `show_books` after a click that has changed something.
    """
    table = sit(book="ESTELL_BOOK", chosen="3C 8D 3S")
    after = cardtable.click(table, {"click": "pass"}, chance())
    chosen = [book["new"] for book in cardtable.show_books(after) if book["chosen"]]
    assert chosen == ["ESTELL"]


@pytest.mark.task("answer-every-click")
def test_the_picture_has_all_parts(cardtable, in_a_deal):
    """The picture has all the parts that the view draws.

    Try: sorted(show(begun))
    """
    picture = cardtable.show(in_a_deal(2))
    parts = "books buttons chosen hand phase prompt refused said seats sheet trick"
    assert sorted(picture) == parts.split()
    assert [picture["phase"], len(picture["seats"])] == ["playing", 4]


@pytest.mark.task("answer-every-click")
@pytest.mark.parametrize(
    ("count", "full", "event", "expected"),
    [
        (2, False, {"click": "TC"}, ["2C", "8C", "TC"]),
        (16, False, {"click": "QD"}, []),
        (16, False, {"click": "9D"}, ["9D"]),
        (0, False, {"click": "next"}, ["2C"]),
        (16, True, {"click": "next"}, []),
        (2, False, {"click": "next"}, ["2C", "8C"]),
        (2, False, {"click": "pass"}, ["2C", "8C"]),
    ],
)
def test_clicks_while_cards_are_played(cardtable, in_a_deal, chance, count, full, event, expected):
    """While cards are played, a click on a card plays it, and the button goes on.

    Try:
        click(mine, {"click": "9C"}, Random(5)).full
        click(mine, {"click": "4S"}, Random(5)).full
    """
    table = in_a_deal(count, full)
    new = cardtable.click(table, event, chance())
    assert [each(str, new.match.deal.trick), new.full] == [expected, False]
    assert state(table)[1] == full


@pytest.mark.task("answer-every-click")
@pytest.mark.parametrize(
    ("chosen", "event", "phase", "after"),
    [
        ("9C", {"click": "3C"}, "passing", ["3C", "9C"]),
        ("9C", {"click": "9C"}, "passing", []),
        ("9C", {"click": "2C"}, "passing", ["9C"]),
        ("9C", {"click": "pass"}, "passing", ["9C"]),
        ("9C", {"click": "next"}, "passing", ["9C"]),
        ("3C 8D 3S", {"click": "pass"}, "playing", []),
    ],
)
def test_clicks_while_cards_are_passed(cardtable, sit, chance, chosen, event, phase, after):
    """While cards are passed, a click on a card chooses it, and the button passes.

    Try: Click three cards, one after the other, and then the button to pass.
    """
    new = cardtable.click(sit(chosen=chosen), event, chance())
    assert [new.phase, codes(new.chosen) if len(new.chosen) else []] == [phase, after]


@pytest.mark.task("answer-every-click")
@pytest.mark.parametrize(("name", "cycle"), [("HEART", 4), ("ESTELL", 3)])
def test_a_click_for_a_new_game(cardtable, in_a_deal, chance, name, cycle):
    """At any time the user may start a new game, by the same book or the other one.

    Try: Call `click(mine, {"new": "ESTELL"}, Random(5))` twice, and look at the hands and the
    phase.
    """
    table = in_a_deal(5)
    new = cardtable.click(table, {"new": name}, chance(9))
    assert [new.phase, new.match.sheet.rows, len(new.match.book.passes)] == ["passing", [], cycle]
    first = hands(new)
    assert sorted(chain(*first)) == sorted(" ".join(HELD).split())
    assert hands(cardtable.click(table, {"new": name}, chance(9))) == first
    assert hands(cardtable.click(table, {"new": name}, chance(8))) != first
    assert table.match.sheet.rows == HOLD


@pytest.mark.task("answer-every-click")
@pytest.mark.parametrize(
    "event",
    [
        {"click": "XX"},
        {"click": ""},
        {"click": 3},
        {"click": None},
        {"new": "UVA181"},
        {"new": 0},
        {"new": ["ESTELL"]},
        {"press": "TC"},
        {},
        [],
        None,
        "TC",
        7,
    ],
)
def test_unknown_events(cardtable, in_a_deal, chance, event, same):
    """For an unknown event the same table comes back, and nothing is raised.

    A page may be old, or somebody may have made up the event.

    Try:
        events = ({"click": "5"}, {"click": 5}, {"new": "X"}, {"new": [5]}, {}, 5, {"click": "9C"})
        afters = [click(mine, event, Random(5)) for event in events]
        [(one.full, one is mine) for one in afters]
    """
    table = in_a_deal(2)
    before, after = state(table), cardtable.click(table, event, chance())
    assert state(after) == before
    assert same(after, table)
    assert state(cardtable.click(table, {"click": "TC"}, chance()))[4] == ["2C", "8C", "TC"]
