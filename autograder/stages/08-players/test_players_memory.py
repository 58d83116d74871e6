"""Hidden checks of stage 08: what players remember, the moon, and exact endings."""

import pytest
from hearts_course import each

EARLIER = (0, "2C 3C 4C 5C")  # a first trick, which seat 3 has taken
QUEEN = (3, "2S 3S 4S QS")  # seat 2 has taken her
SHOWN = (3, "2D 3D 9C 4D"), (2, "TS 9D 8S JS")  # seat 1 is void in diamonds, seat 3 in spades
DIAMONDS = (3, "2D 3D 4D 5D"), (2, "6D 7D 8D 9D")  # seats 2 and 1 have taken them


@pytest.fixture
def hold(cards):
    """Make a tuple of cards from their codes."""
    return lambda codes: tuple(each(cards.Card.parse, codes.split()))


@pytest.fixture
def see(match, rulebook, players, hold):
    """Make a view from codes: the hand, the trick on the table, and the full tricks."""

    def make(hand, trick="", *tricks, seat=0, book="ESTELL_BOOK", direction="HOLD"):
        return players.View(
            seat=seat,
            hand=hold(hand),
            trick=hold(trick),
            tricks=tuple(match.Trick(leader, hold(codes)) for leader, codes in tricks),
            book=getattr(rulebook, book),
            direction=getattr(rulebook.Pass, direction),
        )

    return make


@pytest.fixture
def ending(legal, players, hold):
    """Make an ending from codes."""

    def make(hands, leader, trick="", *, rules="ESTELL", **more):
        rules = getattr(legal, rules)
        return players.Ending(tuple(map(hold, hands)), rules, leader, hold(trick), **more)

    return make


@pytest.fixture
def counter(players, hold):
    """Make a counter whose inner player plays the card with this code."""
    return lambda code: players.CardCounter(players.Prepared((), hold(code)))


@pytest.fixture
def watcher(players, hold):
    """Make a moon watcher whose inner player plays the card with this code."""
    return lambda code: players.MoonWatcher(players.Prepared((), hold(code)))


@pytest.fixture
def is_a(stdlib):
    """Return whether a class is a subclass of another."""
    return stdlib("builtins").issubclass


def codes(some_cards):
    """Return the codes of the cards, sorted as texts and joined by blanks."""
    return " ".join(sorted(each(str, some_cards)))


def code_of(card):
    """Return the code of a card by its rank and suit: an object may call itself "QS"."""
    return f"{card.rank.letter}{card.suit}"


@pytest.mark.task("card-memory")
def test_gone_and_unseen(players, see):
    """Gone are all cards of full tricks and of the table; unseen are the rest without the hand.

    Try:
        memory = Memory(see("2H 3H", "9C", (0, "2C 3C 4C AC")))
        codes(memory.gone)
        len(memory.unseen)
    """
    memory = players.Memory(see("KD QS", "TC", EARLIER, *SHOWN, seat=3))
    gone = {"2C", "3C", "4C", "5C", "2D", "3D", "9C", "4D", "TS", "9D", "8S", "JS", "TC"}
    assert set(codes(memory.gone).split()) == gone
    pack = {f"{rank}{suit}" for suit in "CDHS" for rank in "23456789TJQKA"}
    assert set(codes(memory.unseen).split()) == pack - gone - {"KD", "QS"}
    first = players.Memory(see("KD QS"))
    assert [len(first.gone), len(first.unseen)] == [0, 50]


@pytest.mark.task("card-memory")
def test_unseen_cards_above(cards, players, see):
    """Above a card are the higher cards of its suit that are neither gone nor in the hand.

    Try: [codes(Memory(see("QC TC", "KC")).above(Card.parse(code))) for code in ("TC", "8C")]
    """
    memory = players.Memory(see("JC AC 9D", "KC", EARLIER, *DIAMONDS))
    found = [codes(memory.above(cards.Card.parse(code))) for code in ("9C", "JC", "AC", "9D", "TH")]
    assert found == ["QC TC", "QC", "", "AD JD KD QD TD", "AH JH KH QH"]


@pytest.mark.task("card-memory")
def test_voids_that_were_shown(cards, players, see):
    """A seat has shown a void if it played another suit than the one led, in any trick.

    Try:
        memory = Memory(see("2H", "9C 3D 4C", earlier, (3, "6D 8D TC 9D"), seat=2))
        [(seat, str(suit)) for seat in range(4) for suit in Suit if memory.is_void(seat, suit)]
    """
    memory = players.Memory(see("KH", "6C 7H KC", EARLIER, *SHOWN, seat=2))
    shown = [
        (seat, suit)
        for seat in range(4)
        for suit in "CDHS"
        if memory.is_void(seat, cards.Suit(suit)) is not False
    ]
    assert shown == [(0, "C"), (1, "D"), (3, "S")]


@pytest.mark.task("card-memory")
@pytest.mark.parametrize(
    ("hand", "tricks", "right"),
    [
        ("6C 5D", (EARLIER, (3, "2D QD KD AD")), "6C"),
        ("6C 7D", (EARLIER,), "6C"),
        ("6C 6S", (EARLIER,), "6C 6S"),
        ("9C TC JD", (EARLIER, (3, "AC KC QC JC"), (3, "AD TD 9D 8D")), "JD"),
        ("AC AD KS", (EARLIER,), "KS"),
        ("9C 2H", (EARLIER,), "9C"),
        ("TC TD", (EARLIER, (3, "AD 2D 3D 4D"), (3, "KC 6C 7C 8C")), "TC TD"),
    ],
)
def test_a_counter_leads(see, counter, hand, tricks, right):
    """It leads a legal card that has as many unseen cards above it as any; the inner is not asked.

    Try: CardCounter(Lowest()).play(see("TC 9D", "", (0, "2C 3C 4C 5C"), (3, "AD KD QD JD")))
    """
    assert str(counter("AH").play(see(hand, "", *tricks))) in right.split()


@pytest.mark.task("card-memory")
@pytest.mark.parametrize(
    ("hand", "trick", "tricks", "card"),
    [
        ("4D KD", "2D 3D 9D", (), "KD"),  # last
        ("4S QS KS", "2S 3S 9S", (), "KS"),
        ("4S QS", "2S 3S 9S", (), "4S"),
        ("QS 4D", "2S 3S 9S", (), "QS"),
        ("4D KD", "2D", (), "KD"),  # enough unseen, no void
        ("JC KC", "6C", ((3, "7C 8C 9C TC"),), "inner"),  # 2 unseen
        ("9C TC KC", "6C", (), "inner"),  # 5 unseen
        ("9C KC", "6C", (), "KC"),  # 6 unseen
        ("JC KC", "6C 7C 8C", (), "KC"),  # 4 unseen, but nobody plays later
        ("4S KS", "2S 3S 9S", (), "KS"),
        ("4S KS", "2S", (), "inner"),  # the queen may fall
        ("7S 8S KS", "6S", (QUEEN,), "inner"),  # 5 unseen
        ("7S KS", "6S", (QUEEN,), "KS"),  # 6 unseen
        ("4S JS QS", "2S", (), "JS"),  # she is in the hand
        ("4D KD", "2D", ((3, "7D 8D 9C TD"),), "inner"),  # seat 1 is void and plays later
        ("4D KD", "2D", ((3, "7D 8D TD 9C"),), "inner"),  # seat 2 is, and plays later
        ("4D KD", "2D AC", ((3, "7C 8C 9C TC"),), "KD"),  # few clubs, but diamonds were led
        ("4D KD", "2D AC", ((2, "7D 9C 8D TD"),), "KD"),  # seat 3 has played already
        ("4D KD", "2D AC 3D", ((0, "7D 8D 9C TD"),), "KD"),  # nobody plays later
    ],
)
def test_a_calm_trick(see, counter, hand, trick, tricks, card):
    """In a calm trick it plays its highest card but the queen; elsewhere the inner player answers.

    Try:
        counter = CardCounter(Lowest())
        [str(counter.play(see("5D KD", trick, earlier))) for trick in ("2D", "2D 3H", "2D 3D 4D")]
        str(counter.play(see("TC KC", "7C 8C 9C", earlier)))
        [str(counter.play(see("3S TS QS", trick, earlier))) for trick in ("4S", "4S 5S 6S")]
        [str(counter.play(see(hand, "8C", earlier))) for hand in ("7C QC", "7C TC QC", "9D QD")]
        str(counter.play(see("5S KS", "2S", earlier)))
        str(counter.play(see("5D KD", "2D", earlier, (3, "6D 7D 9C TD"))))
        str(counter.play(see("5D KD", "2D AC", earlier, (2, "6D 9C 7D TD"))))
    """
    answer = "AH" if card == "inner" else card
    assert code_of(counter("AH").play(see(hand, trick, EARLIER, *tricks))) == answer


@pytest.mark.task("card-memory")
@pytest.mark.parametrize(
    ("hand", "trick", "book", "card"),
    [
        ("4D KD", "2D 9D 2H", "ESTELL_BOOK", "inner"),
        ("4D KD", "2D 9D QS", "CIT590_BOOK", "inner"),
        ("4D KD", "2D 9D AC", "HEART_BOOK", "KD"),
        ("4H KH", "2H 3H 5H", "ESTELL_BOOK", "inner"),
        ("KC AS", "2D 9D JD", "ESTELL_BOOK", "inner"),
        ("QS 3S", "2S AS", "ESTELL_BOOK", "QS"),
        ("QS KS 3S", "2S AS 5H", "ESTELL_BOOK", "QS"),
        ("QS 3S", "2S TS AD", "ESTELL_BOOK", "3S"),
        ("JS 3S", "2S AS 5H", "ESTELL_BOOK", "inner"),
        ("QS TC", "6C AC", "ESTELL_BOOK", "TC"),
    ],
)
def test_points_and_the_queen(see, counter, hand, trick, book, card):
    """Points on the table are never calm; the queen goes under a higher spade at once.

    Try:
        counter = CardCounter(Lowest())
        [str(counter.play(see("QS 2S", trick, earlier))) for trick in ("AS", "3S KS", "3S 4S JS")]
        [str(counter.play(see("5D KD", trick, earlier))) for trick in ("2D 9D 3H", "2D 3D QS")]
        str(counter.play(see("7C JC", "8C", earlier)))
        str(counter.play(see("5C KS", "2D 9D JD", earlier)))
    """
    answer = "AH" if card == "inner" else card
    assert code_of(counter("AH").play(see(hand, trick, EARLIER, book=book))) == answer


@pytest.mark.task("card-memory")
def test_a_counter_can_sit_in_several_seats(players, see, hold, is_a):
    """One counter answers for several seats and deals, and mixes nothing up.

    Try:
        counter = CardCounter(Lowest())
        void = see("5D KD", "3D", earlier, (0, "6D 8D 9C TD"), seat=1)
        calm = see("5D KD", "2D", earlier)
        lead = see("7C 5D", "", earlier, (3, "3D QD KD AD"), seat=2)
        [str(counter.play(view)) for view in (void, calm, lead, void)]
    """
    counter = players.CardCounter(players.Lowest())
    late = see("6C 5D", "", EARLIER, (3, "2D QD KD AD"), seat=2)
    void = see("4D KD", "2D", EARLIER, (0, "7D 8D 9C TD"), seat=1)
    early, calm = see("6C 7D", "", EARLIER), see("4D KD", "2D", EARLIER)
    found = [str(counter.play(view)) for view in (late, void, early, calm, void, late)]
    assert found == ["6C", "4D", "6C", "KD", "4D", "6C"]
    assert is_a(players.CardCounter, players.Wrapped) is True
    passing = players.CardCounter(players.Prepared(hold("2C 3C 4C")))
    assert codes(passing.pass_cards(see("2C 3C 4C AS KS QS"))) == "2C 3C 4C"


TO_ONE = ((0, "2H KH 3H 4H"), (1, "AH 6H 5H 8H"), (1, "AC TC 9H TH"))  # all to seat 1
NINE = (*TO_ONE[:2], (1, "AC TC 9H TD"))


@pytest.mark.task("see-the-moon")
@pytest.mark.parametrize(
    ("tricks", "book", "seat"),
    [
        ((), "ESTELL_BOOK", None),
        (TO_ONE, "ESTELL_BOOK", 1),
        (TO_ONE[:1], "DYNACOMP_BOOK", 1),
        (((2, "2S 3S AS QS"),), "ESTELL_BOOK", 0),
        ((*TO_ONE, QUEEN), "ESTELL_BOOK", None),
        ((QUEEN, *DIAMONDS), "ESTELL_BOOK", 2),
        (((3, "2S 3S 5S QS"), (2, "KH AD 2H 3H")), "ESTELL_BOOK", 2),
    ],
)
def test_alone_with_the_points(players, see, tricks, book, seat):
    """Only full tricks that cost points count, however many they are, and whose they are.

    Try: [alone(see("9C", "", *full)) for full in ([(0, "2H 3C 4C 5C")], [(0, "2D 3D 4D AD")],
    [(3, "2S 3S 4S QS"), (2, "2D 3D 4D 5D")], [(3, "2S 3S 4S QS"), (0, "KH 2H 3H 4H")])]
    """
    assert players.alone(see("9C 2D", "", EARLIER, *tricks, book=book)) == seat
    assert players.alone(see("9C 2D", "QH", EARLIER, *tricks, book=book)) == seat


@pytest.mark.task("see-the-moon")
@pytest.mark.parametrize(
    ("hand", "trick", "tricks", "seat", "expected"),
    [
        ("AS AH KH", "", (), 0, True),
        ("AS AH QH", "", (), 0, False),
        ("AS AH QH", "KH", (), 0, True),
        ("AS KS AD", "2S 3S", (QUEEN,), 2, True),
        ("AS KS AD", "2S 3S", (QUEEN,), 1, False),
        ("AS KS AD", "2H 3H", (QUEEN,), 2, False),
        ("AC KC", "QC 2H", (), 3, True),
        ("AS TC", "", (EARLIER, (3, "AC KC QC JC")), 3, True),
    ],
)
def test_whether_a_moon_is_sure(players, see, hand, trick, tricks, seat, expected):
    """It is sure if nobody else has points, a card takes this trick, and no unseen card is above.

    Try: [sees_moon(see(hand, trick, *full)) for hand, trick, full in (("AS KS", "QS 2H", []),
    ("AS KD", "QS 2H", []), ("AS KS", "2D", []), ("AS", "", [(0, "2S QS 3S 4S")]),
    ("AC", "", [(3, "2S 3S 4S QS"), (2, "2D 3D 4D 5D")]))]
    """
    assert players.sees_moon(see(hand, trick, EARLIER, *tricks, seat=seat)) is expected


@pytest.mark.task("see-the-moon")
def test_a_sure_moon_is_taken(see, watcher):
    """With cards on the table and a sure moon, it takes the trick, if the book rewards that.

    Try:
        clubs = ((3, "6C 7C TC KC"), (2, "QC 9C 2D 3D"))
        view = see("8C AC", "JC 2H", earlier, *clubs, seat=2)
        watcher = MoonWatcher(Lowest())
        str(watcher.play(view))
        str(watcher.play(replace(view, book=DYNACOMP_BOOK)))
        str(watcher.play(replace(view, hand=hold("8C AC KD"))))
        str(watcher.play(see("AS KS", "", earlier, *clubs, seat=2)))
    """
    clubs = ((3, "6C 7C 8C KC"), (2, "QC JC 2D 3D"))
    for hand, trick, book, right in (
        ("9C AC AD", "TC 2H", "ESTELL_BOOK", "AC"),
        ("9C AC AD", "TC 2H", "HEART_BOOK", "AC"),
        ("9C AC AD", "TC 2H", "DYNACOMP_BOOK", "9C"),
        ("9C AC KD", "TC 2H", "ESTELL_BOOK", "9C"),
    ):
        view = see(hand, trick, EARLIER, *clubs, seat=2, book=book)
        assert str(watcher("9C").play(view)) == right
    leads = see("AC AD", "", EARLIER, *clubs, seat=2)
    assert [str(watcher(card).play(leads)) for card in ("AC", "AD")] == ["AC", "AD"]


@pytest.mark.task("see-the-moon")
@pytest.mark.parametrize(
    ("hand", "trick", "tricks", "right"),
    [
        (
            "QD KD 2D",
            "JD QH",
            TO_ONE,
            "QD KD",
        ),  # seat 1 has led the best card, and there are points
        ("QD KD 2D", "JD 4D", TO_ONE, "2D"),  # no points yet
        ("QD KD 2D", "JD QH", NINE, "2D"),  # nine points only
        ("QD KD 2D", "JD QH", (*TO_ONE, QUEEN), "2D"),  # another seat has points as well
        ("QD KD 2D", "TD JD QH", TO_ONE, "QD KD"),
        ("TD 2D", "JD QH", TO_ONE, "2D TD"),  # cannot take it
        ("QS JC", "KD 2D", TO_ONE, "JC"),  # nothing for the shooter
        ("QS QH", "KD 2D", TO_ONE, "QS"),  # only points are left
        ("JC 7C QS", "KD QH", TO_ONE, "JC 7C"),
        ("KD 2D", "JD QD 5H", (QUEEN,), "KD"),  # seat 2 holds the trick that seat 1 has led
    ],
)
def test_stopping_a_moon(see, watcher, hand, trick, tricks, right):
    """It takes points away from a seat that may shoot, and gives that seat none.

    Try:
        nine = ((0, "2H KH 3H 5H"), (1, "AH 6H 4H 8H"), (1, "AC TC 9H 9C"))
        ten = ((0, "2H KH 3H 5H"), (1, "AH 6H 4H 8H"), (1, "AC TC 9H JH"))
        watcher = MoonWatcher(Dumper())
        [str(watcher.play(see("9D KD", "TD QH", earlier, *full, seat=3))) for full in (nine, ten)]
        str(watcher.play(see("9D KD", "TD 4D", earlier, *ten, seat=3)))
        str(watcher.play(see("QS TC", "AD 2D", earlier, *ten, seat=3)))
        str(watcher.play(see("9D KD", "TD JD QH", earlier, *ten, seat=0)))
    """
    inner = "QS" if "QS" in hand else "2D"
    leader_is_one = see(hand, trick, EARLIER, *tricks, seat=(1 + len(trick.split())) % 4)
    if trick == "TD JD QH":  # seat 0 has led, seat 1 holds the trick
        leader_is_one = see(hand, trick, EARLIER, *tricks, seat=3)
    assert code_of(watcher(inner).play(leader_is_one)) in right.split()


@pytest.mark.task("see-the-moon")
def test_when_the_inner_player_answers(players, see, hold, watcher, is_a):
    """Another seat's trick, the seat's own points and a book without a moon change nothing.

    Try:
        ten = ((0, "2H KH 3H 5H"), (1, "AH 6H 4H 8H"), (1, "AC TC 9H JH"))
        watcher = MoonWatcher(Lowest())
        str(watcher.play(see("AD 3D", "TD QH", earlier, *ten, seat=1)))
        str(watcher.play(see("KD 3D", "TD JD QH", earlier, *ten, seat=0)))
        str(watcher.play(see("KD 3D", "TD QH", earlier, *ten, seat=2)))
        str(watcher.play(see("KD 3D", "TD QH", earlier, *ten, seat=3, book=DYNACOMP_BOOK)))
        issubclass(MoonWatcher, Wrapped)
    """
    for trick, seat, book in (
        ("JD QH", 3, "DYNACOMP_BOOK"),
        ("JD KD QH", 0, "ESTELL_BOOK"),
        ("JD QH", 1, "ESTELL_BOOK"),
        ("KD QH", 2, "ESTELL_BOOK"),
        ("", 3, "ESTELL_BOOK"),
    ):
        view = see("AD 2D", trick, EARLIER, *TO_ONE, seat=seat, book=book)
        assert str(watcher("2D").play(view)) == "2D"
    assert is_a(players.MoonWatcher, players.Wrapped) is True
    passing = players.MoonWatcher(players.Prepared(hold("2C 3C 4C")))
    assert codes(passing.pass_cards(see("2C 3C 4C AS KS QS"))) == "2C 3C 4C"


# Computed by a program of its own, which lists all ways to play on.
ENDINGS = [
    (
        "HEART",
        "6C 9C 5H|2S AS TH|8S AC 7S|KC QS 7D",
        1,
        "",
        False,
        (2, 2, 1, 3),
        (2, 2, 3, 17),
        "2S",
    ),
    (
        "HEART",
        "3S 6D 9H|4C KH JH|QH JD 9S|3H QS 5C",
        2,
        "",
        True,
        (1, 2, 3, 2),
        (1, 5, 7, 16),
        "QH",
    ),
    ("CIT590", "2S AH QH|KH 8H|8C 5C|7S QC AS", 1, "TS 3S", True, (3, 3, 0, 1), (5, 5, 0, 1), "7S"),
    (
        "CIT590",
        "5S QS 3C|7H 5D 6H|9S JH TH|5H QH 7D",
        0,
        "",
        True,
        (2, 1, 1, 0),
        (2, 1, 20, 0),
        "5S",
    ),
    (
        "ESTELL",
        "JH 4D|2C 2H|KS 4S 3S|JC QS AD",
        0,
        "TS 5H",
        True,
        (2, 0, 1, 2),
        (2, 0, 1, 18),
        "3S 4S",
    ),
    (
        "CIT590",
        "AD TC 9D|2H 8H 4S|9C 6C JS|7S 2S 6S",
        1,
        "",
        True,
        (2, 3, 0, 0),
        (2, 3, 2, 0),
        "4S",
    ),
    (
        "ESTELL",
        "4H AD 3S|7S TC KH|TD 2D JD|KS 4C 6C",
        1,
        "",
        True,
        (3, 0, 1, 2),
        (3, 1, 1, 4),
        "TC",
    ),
    ("HEART", "6C QS|4S KH|9S JC|JS", 3, "QH", True, (3, 1, 3, 3), (3, 16, 3, 3), "QS"),
    ("CIT590", "8S 4D|TS 5S|5H 2D|3H AH", 2, "", False, (1, 0, 1, 3), (4, 0, 1, 3), "2D"),
    ("ESTELL", "3H 3S|QD 6S|5D 8S|TH TD", 1, "", True, (1, 0, 3, 0), (1, 1, 5, 0), "QD"),
]


@pytest.fixture
def recorded(ending):
    """Make an ending of the list."""

    def make(record):
        rules, hands, leader, trick, broken, costs, _, _ = record
        more = {"rules": rules, "hearts_broken": broken, "costs": costs}
        return ending(hands.split("|"), leader, trick, **more)

    return make


@pytest.mark.task("exact-endings")
@pytest.mark.parametrize("record", ENDINGS)
def test_what_each_seat_is_sure_of(players, recorded, record):
    """Each seat has a number that it need not exceed, whatever the other three play.

    What it has paid already counts, by the rules of the ending.

    Try:
        hands = tuple(hold(held) for held in ("8D 8H", "8C TD", "7D KH", "QS TH"))
        ending = Ending(hands, ESTELL_BOOK.play, 0, costs=(1, 0, 2, 0))
        [sure_cost(ending, seat) for seat in range(4)]
    """
    start = recorded(record)
    assert tuple(players.sure_cost(start, seat) for seat in range(4)) == record[6]


@pytest.mark.task("exact-endings")
@pytest.mark.parametrize("record", ENDINGS)
def test_all_best_cards(players, recorded, record):
    """All cards after which the seat is still sure of its number are best cards, and no others.

    Try:
        deals = [("QC QS", "4C QD", "3S AC", "8C TH"), ("2H 9S", "4D 6C", "6D JC", "5S QS")]
        deals.append(("2S 7D JS", "3S 8S TC", "3H JD QS", "4S KD QD"))
        all_hands = [tuple(hold(held) for held in deal) for deal in deals]
        starts = [Ending(hands, ESTELL_BOOK.play, 0) for hands in all_hands]
        starts.append(Ending(all_hands[1], ESTELL_BOOK.play, 3))
        [codes(best_cards(start)) for start in starts]
    """
    best = players.best_cards(recorded(record))
    assert sorted(code_of(card) for card in best) == sorted(record[7].split())


@pytest.mark.task("exact-endings")
def test_an_ending_without_cards(players, ending):
    """When no cards are left, the costs are what they are.

    Try: sure_cost(Ending(((), (), (), ()), ESTELL_BOOK.play, 2, costs=(1, 0, 5, 20)), 3)
    """
    done = ending(("", "", "", ""), 2, costs=(3, 0, 10, 13))
    assert [players.sure_cost(done, seat) for seat in range(4)] == [3, 0, 10, 13]


@pytest.mark.task("exact-endings")
@pytest.mark.parametrize(
    ("rules", "card", "broken"),
    [
        ("ESTELL", "QS", True),
        ("HEART", "QS", False),
        ("HEART", "3H", True),
        ("ESTELL", "KC", False),
    ],
)
def test_hearts_break_in_an_ending(ending, hold, rules, card, broken):
    """Hearts are broken after a card if they were, or if it breaks them by the rules.

    Try:
        hands = tuple(hold(held) for held in ("QS 4H KC", "2D 3D", "6D 8D", "5D"))
        rules = (ESTELL_BOOK.play, HEART_BOOK.play)
        starts = [Ending(hands, each, 3, hold("9D"), hearts_broken=False) for each in rules]
        [[start.after(card).hearts_broken for card in hold("QS 4H KC")] for start in starts]
        starts[0].after(Card.parse("QS")).after(Card.parse("2D")).hearts_broken
    """
    hands = (f"{card} 2C", "4C 2D", "5C 3D", "6C")  # seat 0 is void in diamonds
    start = ending(hands, 3, "4D", rules=rules, hearts_broken=False)
    assert start.after(hold(card)[0]).hearts_broken is broken
    start = ending(hands, 3, "4D", rules=rules)
    assert start.after(hold(card)[0]).hearts_broken is True


@pytest.mark.task("exact-endings")
def test_a_full_trick_is_taken(ending, hold):
    """The taker of a full trick leads, and pays for its cards by the rules; costs add up.

    Try:
        hands = tuple(hold(held) for held in ("3S KD", "AS 2D", "QS 5D", "7D"))
        ending = Ending(hands, ESTELL_BOOK.play, 3, hold("6S"), costs=(1, 2, 3, 4))
        for card in hold("3S AS QS"):
            ending = ending.after(card)
        ending.leader, ending.seat, ending.trick, ending.costs
        [codes(hand) for hand in ending.hands]
    """
    start = ending(("2S AD", "9H 3D", "QS 4D", "KS"), 3, "4S", costs=(1, 2, 3, 4))
    for card in hold("2S 9H"):
        start = start.after(card)
    assert [start.seat, codes(start.trick), start.costs] == [2, "2S 4S 9H", (1, 2, 3, 4)]
    after = start.after(hold("QS")[0])
    assert [after.leader, after.seat, after.trick, after.costs] == [2, 2, (), (1, 2, 17, 4)]
    assert [" ".join(each(str, hand)) for hand in after.hands] == ["AD", "3D", "4D", "KS"]
    assert [codes(start.hands[2]), start.leader, len(start.trick)] == ["4D QS", 3, 3]
    face_value = ending(("3H AD", "9H 3D", "KH 4D"), 3, "4H", rules="UVA181").after(hold("3H")[0])
    face_value = face_value.after(hold("9H")[0]).after(hold("KH")[0])
    assert face_value.costs == (0, 0, 29, 0)
