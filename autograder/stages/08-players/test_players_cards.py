"""Hidden checks of stage 08: which card each player passes or plays, in one situation.

Where several cards are right, all of them are listed.
"""

import pytest
from hearts_course import each

EARLIER = (0, "2C 3C 4C 5C")  # a first trick, which seat 3 has taken
QUEEN = (3, "2S 3S 4S QS")  # seat 2 has taken her


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
def is_a(stdlib):
    """Return whether a class is a subclass of another."""
    return stdlib("builtins").issubclass


def codes(some_cards):
    """Return the codes of the cards, sorted as texts and joined by blanks."""
    return " ".join(sorted(each(str, some_cards)))


def code_of(card):
    """Return the code of a card by its rank and suit: an object may call itself "QS"."""
    return f"{card.rank.letter}{card.suit}"


def refusal(call, *arguments):
    """Return the name of the ValueError that this raises, or None."""
    try:
        call(*arguments)
    except ValueError as error:
        return error.kind
    return None


@pytest.mark.task("one-interface")
@pytest.mark.parametrize(
    ("hand", "certain", "possible"),
    [
        ("4C 5C 6C 7D 8D 9D TH JH QH", "TH JH QH", ""),
        ("4C 5C AC 7D AD 9D KH KS QH", "AC AD", "KH KS"),
        ("9C 9D 9H 9S 2C", "", "9C 9D 9H 9S"),
    ],
)
def test_what_lowest_passes(players, see, hand, certain, possible):
    """`Lowest` keeps no card of a higher rank than one that it passes; equal ranks may be either.

    Try: codes(Lowest().pass_cards(see("8C 9C AC KD QD 2S 3S")))
    """
    passed = set(codes(players.Lowest().pass_cards(see(hand))).split())
    assert len(passed) == 3
    assert set(certain.split()) <= passed <= set(f"{certain} {possible}".split())


@pytest.mark.task("one-interface")
@pytest.mark.parametrize(
    ("hand", "trick", "tricks", "right"),
    [
        ("4D 4C 9S", "", (EARLIER,), "4D 4C"),
        ("9C 4D 5S", "", (EARLIER,), "4D"),
        ("2H 9S TS", "", (EARLIER,), "9S"),
        ("3D 9S TS", "8S", (EARLIER,), "9S"),
        ("2H QS TD", "6C", (), "TD"),
    ],
)
def test_what_lowest_plays(players, see, hand, trick, tricks, right):
    """`Lowest` plays a card of the lowest rank among the legal ones.

    Try: [str(Lowest().play(see("7S 3H 8D 9C", trick, earlier))) for trick in ("6D", "", "2S")]
    """
    assert str(players.Lowest().play(see(hand, trick, *tricks))) in right.split()


@pytest.mark.task("one-interface")
def test_wrappings_can_be_wrapped(cards, rulebook, players, hold, stdlib, is_a):
    """At the table, nobody notices that a player is wrapped, even twice.

    All are subclasses of `Player`, and `Checked` is one of `Wrapped`.

    Try:
        held = ("2C 9C AD KH", "3C TD JS QH", "4C 5D QS 6H", "7C 8D 9S TH")
        deal = [Hand(hold(codes)) for codes in held]
        bare = [RandomPlayer(Random(seed)) for seed in range(4)]
        wrapped = [Checked(Wrapped(RandomPlayer(Random(seed)))) for seed in range(4)]
        play_deal(wrapped, deal, ESTELL_BOOK) == play_deal(bare, deal, ESTELL_BOOK)
        issubclass(Checked, Wrapped)
    """

    def scores(wrap):
        drawn = [players.RandomPlayer(stdlib("random").Random(seed)) for seed in range(4)]
        hands = [cards.Hand(hold(held)) for held in HANDS]
        left = rulebook.Pass.LEFT
        return players.play_deal(
            [wrap(player) for player in drawn], hands, rulebook.HEART_BOOK, left
        )

    bare = scores(lambda player: player)
    assert sum(bare) == 18
    assert scores(lambda player: players.Checked(players.Wrapped(player))) == bare
    inner = players.Lowest()
    assert players.Wrapped(players.Checked(inner)).inner.inner == inner
    found = [is_a(kind, players.Player) for kind in (players.Lowest, players.Wrapped)]
    assert [*found, is_a(players.Checked, players.Wrapped)] == [True] * 3


HANDS = ("2C 3C 4C 9H", "2D 3D 4D 9S", "2S 3S 4S QS", "2H 3H 4H 5H")


@pytest.mark.task("one-interface")
def test_the_inner_player_gets_the_view(cards, rulebook, players, hold):
    """The inner player gets the very view that the table has made for its seat, and is asked once.

    Try:
        inner = Prepared(played=hold("9D 9D"))
        view = see("9D 4D", "KD", earlier)
        str(Checked(Wrapped(inner)).play(view))
        inner.views == [view]
    """
    hands = [cards.Hand(hold(held)) for held in HANDS]
    passes = ("2C 3C 4C", "2D 3D 4D", "2S 3S 4S", "2H 3H 4H")
    plays = ("9H 2H 3H 4H", "2C 3C 4C 9S", "3D 2D 4D QS", "2S 5H 3S 4S")  # by seat, in order
    inner = [players.Prepared(hold(p), hold(q)) for p, q in zip(passes, plays, strict=True)]
    table = [players.Checked(player) for player in inner]
    table[0] = players.Wrapped(inner[0])
    left = rulebook.Pass.LEFT
    assert players.play_deal(table, hands, rulebook.CIT590_BOOK, left) == [0, 4, 14, 0]
    assert [len(player.views) for player in inner] == [5] * 4
    first, second = inner[2].views[0], inner[2].views[1]
    assert [codes(first.hand), first.direction.name, first.seat] == ["2S 3S 4S QS", "LEFT", 2]
    assert [first.gave, first.received, first.tricks, first.trick] == [(), (), (), ()]
    assert [codes(second.gave), codes(second.received)] == ["2S 3S 4S", "2D 3D 4D"]
    assert [codes(second.hand), each(str, second.trick)] == ["2D 3D 4D QS", ["2C"]]
    third = inner[0].views[2]
    assert [each(str, third.trick), codes(third.hand)] == [["3C", "2D", "5H"], "2H 3H 4H"]
    assert [each(str, trick.cards) for trick in third.tricks] == [["2C", "3D", "2S", "9H"]]
    assert [third.seat, third.book == rulebook.CIT590_BOOK] == [0, True]


@pytest.mark.task("one-interface")
@pytest.mark.parametrize(
    ("passed", "error"),
    [
        ("9D 4D", "IllegalPass"),
        ("9D 4D 4D", "IllegalPass"),
        ("9D 4D 2S", "IllegalPass"),
        ("9D 4D AS", None),
    ],
)
def test_a_pass_is_checked(players, see, hold, passed, error):
    """A pass is checked by the rules of stage 05: three different cards of the hand.

    Try: Checked(Prepared(hold("2C 3C"))).pass_cards(see("2C 3C 4C 5C"))
    """
    inner = players.Prepared(hold(passed))
    player, view = players.Checked(inner), see("9D 4D AS KH")
    assert refusal(player.pass_cards, view) == error
    if error is None:
        assert codes(player.pass_cards(view)) == codes(hold(passed))


@pytest.mark.task("one-interface")
@pytest.mark.parametrize(
    ("hand", "trick", "tricks", "card", "error"),
    [
        ("2C 9D", "", (), "9D", "WrongOpening"),
        ("7C 9D", "5D", (EARLIER,), "6D", "NotHeld"),
        ("7C QS", "5D", (), "QS", "PointsTooEarly"),
        ("7C 9H", "", (EARLIER,), "9H", "HeartsNotBroken"),
        ("7C 9H", "5D", (EARLIER,), "9H", None),
    ],
)
def test_a_play_is_checked(players, see, hold, hand, trick, tricks, card, error):
    """A card is checked by the rules of stage 02, and the error says which rule it breaks.

    Try:
        player = Checked(Prepared(played=hold("9H 9H")))
        str(player.play(see("9H 2C", "8D", earlier)))
        player.play(see("9H 2C", "8C", earlier))
    """
    inner = players.Prepared((), hold(f"{card} {card}"))
    player, view = players.Checked(inner), see(hand, trick, *tricks)
    assert [refusal(player.play, view), len(inner.views)] == [error, 1]
    if error is None:
        assert str(player.play(view)) == card


@pytest.mark.task("cautious-player")
@pytest.mark.parametrize(
    ("hand", "tricks", "right"),
    [
        ("2C 3D AS", (), "2C"),
        ("4D 4S 9C", (EARLIER,), "4D 4S"),
        ("2H JD TS", (EARLIER,), "TS"),
        ("2H JD TS", (EARLIER, (3, "6C 7C 8C 9H")), "2H"),
    ],
)
def test_a_cautious_lead(players, see, hand, tricks, right):
    """To lead, a cautious player plays a legal card of the lowest rank.

    Try: str(Cautious().play(see("5D 7S 3H KS 9C", "", earlier)))
    """
    assert str(players.Cautious().play(see(hand, "", *tricks))) in right.split()


@pytest.mark.task("cautious-player")
@pytest.mark.parametrize(
    ("hand", "trick", "card"),
    [
        ("2D 8D TD QD", "9D 3D", "8D"),
        ("2D 8D TD QD", "3D JD 2S", "TD"),
        ("2D 8D TD QD", "3D AS", "2D"),
        ("8D TD QD", "3D AS", "8D"),
        ("8D TD QD", "3D AS 5D", "QD"),
        ("8D TD QD", "3D 4D 5D", "QD"),
        ("JS QS KS", "2S", "JS"),
        ("QS KS AS", "2S", "KS"),
        ("QS KS AS", "2S 3S JS", "AS"),
        ("JS QS", "2S 3S TS", "JS"),
        ("QS 4D", "2S 3S TS", "QS"),
        ("QS TS", "KS", "QS"),
        ("9H QH", "JH", "9H"),
        ("7C 4D QD", "JD", "4D"),
    ],
)
def test_a_cautious_player_follows(players, see, hand, trick, card):
    """It plays the highest card below the best one, or, if there is none, what the brief says.

    Only cards of the suit led count as the best card of a trick.

    Try: [str(Cautious().play(see("7D 9D KD", trick, earlier))) for trick in
    ("TD", "8D QD", "8D AS", "2D", "2D 3D 4D")] + [str(Cautious().play(see(hand, trick, earlier)))
    for hand, trick in (("QS AS", "5S"), ("QS 4S", "KS"), ("5C 3D KD", "TD"))]
    """
    assert code_of(players.Cautious().play(see(hand, trick, EARLIER))) == card


@pytest.mark.task("cautious-player")
@pytest.mark.parametrize(
    ("hand", "trick", "tricks", "right"),
    [
        ("4D KD 5S KS", "6C", (EARLIER,), "KD KS"),
        ("4D KD 7C", "9S", (EARLIER,), "KD"),
        ("AH QS JD", "6C", (), "JD"),
        ("AH QS JD", "6C", (EARLIER,), "AH"),
    ],
)
def test_a_cautious_discard(players, see, hand, trick, tricks, right):
    """A cautious player who is void discards a legal card of the highest rank.

    Try: [str(Cautious().play(see("AH QS 3D", "9C", *full))) for full in ((), (earlier,))]
    """
    assert str(players.Cautious().play(see(hand, trick, *tricks))) in right.split()


@pytest.mark.task("cautious-player")
def test_a_cautious_pass(players, see):
    """A cautious player passes the three highest cards, whatever their suits.

    Try: codes(Cautious().pass_cards(see("AC KD QD JS TS 2H 9H")))
    """
    passed = set(codes(players.Cautious().pass_cards(see("4C 5C AC 7D AD 9D KH KS QH"))).split())
    assert [len(passed), {"AC", "AD"} < passed, passed < {"AC", "AD", "KH", "KS"}] == [
        3,
        True,
        True,
    ]


@pytest.mark.task("cautious-player")
def test_play_asks_the_three_methods(players, see):
    """`play` calls the object's own methods, so that a subclass can replace each of them.

    Try:
        class Bold(Cautious):
            def lead(self, view):
                return self.discard(view)
        str(Cautious().play(see("4D 9S KD", "", earlier)))
        str(Bold().play(see("4D 9S KD", "", earlier)))
    """
    views = {
        "lead": see("3D 9S KD", "", EARLIER),
        "follow": see("3D 9S KD", "4D", EARLIER),
        "discard": see("3D 9S KD", "6C", EARLIER),
    }
    player, found = players.Cautious(), []
    for name in views:
        found.append(str(getattr(player, name)(views[name])))
    assert found == ["3D", "3D", "KD"]
    players.Cautious.lead, players.Cautious.discard = (
        players.Cautious.discard,
        players.Cautious.lead,
    )
    assert [str(player.play(view)) for view in views.values()] == ["KD", "3D", "3D"]
    players.Cautious.follow = players.Cautious.lead
    assert str(player.play(views["follow"])) == "KD"


@pytest.mark.task("override-one-method")
@pytest.mark.parametrize(
    ("hand", "tricks", "right"),
    [
        ("AS QS AH", (EARLIER,), "QS"),
        ("AS QD AH 2H", (EARLIER,), "AH"),
        ("AS QD 3H 2H", (EARLIER,), "3H"),
        ("AS AD QD", (EARLIER,), "AS AD"),
        ("QS AH JD", (), "JD"),
        ("KS QD 2D", (EARLIER,), "KS"),
    ],
)
def test_a_dumper_discards(players, see, hand, tricks, right):
    """It discards the queen of spades, else its highest heart, else a highest card; only if legal.

    Try: [str(Dumper().play(see(hand, "9D", *full))) for hand in
    ("KS QS AH 3H", "KS AC 7H 3H", "KS AC 3C") for full in ((), (earlier,))]
    """
    player, view = players.Dumper(), see(hand, "6C", *tricks)
    assert code_of(player.play(view)) in right.split()
    assert code_of(player.discard(view)) in right.split()


@pytest.mark.task("override-one-method")
def test_a_dumper_inherits_the_rest(players, see):
    """Whatever is changed in `Cautious` later, except for a discard of points, is changed here too.

    So `Dumper` copies nothing.

    Try: [name for name in ("play", "lead", "follow") if name in vars(Dumper)]
    """
    lead, follow = see("3D 9S KD", "", EARLIER), see("3D 9S KD", "4D", EARLIER)
    dumper = players.Dumper()
    assert [str(dumper.play(view)) for view in (lead, follow)] == ["3D", "3D"]
    players.Cautious.follow = players.Cautious.discard
    players.Cautious.lead = players.Cautious.discard
    assert [str(dumper.play(view)) for view in (lead, follow)] == ["KD", "KD"]


@pytest.mark.task("override-one-method")
def test_a_dumper_asks_its_base_class(players, see):
    """Where it has no points to throw away, it returns what `discard` of the base class returns.

    Try:
        discard = Cautious.discard
        Cautious.discard = Cautious.lead
        str(Dumper().discard(see("4D 9S KD", "7C", earlier)))
        Cautious.discard = discard
    """
    players.Cautious.discard = players.Cautious.lead
    found = [
        str(players.Dumper().play(see(hand, "6C", EARLIER))) for hand in ("3D 9S KD", "3D QS KD")
    ]
    assert found == ["3D", "QS"]


@pytest.mark.task("pass-by-book")
@pytest.mark.parametrize("direction", ["LEFT", "RIGHT", "ACROSS"])
@pytest.mark.parametrize(
    ("hand", "passed"),
    [
        ("AS KS QS 2S 3S 4S 2C 3C 4C 5D 6D 7H 8H", {"AS", "KS", "QS"}),
        ("AS QS JS TS 9S AC KC 4C 5D 6D 7H 8H 9H", {"AS", "QS"}),
        ("KS 2C 3C 4C 5D 6D 7D 8D 9H TH JH QH KH", {"KS"}),
        ("2S 3S 4S 5S 6S AC KC 4C 5D 6D 7H 8H 9H", set()),
    ],
)
def test_fewer_than_four_guards(players, see, direction, hand, passed):
    """With fewer than four spades below the queen all high spades go, and no other spade.

    Try:
        hands = ("QS KS 3S 4S 5S 9D 8D 7D", "KS 3S 4S 9D 8D 7D 2H", "3S 9D 4S 2D 3D 4D")
        views = [see(hand, direction=Pass.LEFT) for hand in hands]
        passed = [codes(Passer(Lowest()).pass_cards(view)).split() for view in views]
        [[code for code in three if code[1] == "S"] for three in passed]
    """
    view = see(hand, direction=direction)
    found = codes(players.Passer(players.Lowest()).pass_cards(view)).split()
    assert [len(set(found)), set(found) <= set(hand.split())] == [3, True]
    assert {code for code in found if code[1] == "S"} == passed


@pytest.mark.task("pass-by-book")
@pytest.mark.parametrize(
    ("hand", "to_the_right"),
    [
        ("AS KS QS 2S 3S 4S 5S 3C 4C 5D 6D 7H 8H", {"AS", "KS"}),
        ("AS QS JS TS 9S 8S KC 4C 5D 6D 7H 8H 9H", {"AS"}),
        ("QS JS TS 9S 8S KC 4C 5D 6D 7H 8H 9H TH", set()),
        ("AS KS JS TS 9S 8S 4C 5D 6D 7H 8H 9H TH", set()),
        ("KS QS 2S 3S 4S 5S 6S 9C TC 5D 6D 7H 8H", {"KS"}),
    ],
)
def test_four_guards(players, see, hand, to_the_right):
    """Four guards keep the high spades; but to the right, king and ace go if the queen stays.

    Try:
        hands = ("QS AS 2S 3S 4S 5S 9D 8D 7D", "KS 2S 3S 4S 5S 9D 8D 7D", "QS JS TS 9S 8S 2D 3D 4D")
        views = [see(hand, direction=way) for hand in hands for way in (Pass.LEFT, Pass.RIGHT)]
        passed = [codes(Passer(Lowest()).pass_cards(view)).split() for view in views]
        [[code for code in three if code[1] == "S"] for three in passed]
    """
    passer = players.Passer(players.Lowest())
    for direction, passed in (("LEFT", set()), ("ACROSS", set()), ("RIGHT", to_the_right)):
        found = codes(passer.pass_cards(see(hand, direction=direction))).split()
        assert len(set(found)) == 3
        assert {code for code in found if code[1] == "S"} == passed


@pytest.mark.task("pass-by-book")
@pytest.mark.parametrize(
    ("book", "hand", "goes"),
    [
        ("ESTELL_BOOK", "AC KC QC 2C 2D 3D 2H 3H 2S 3S 4S 5S 6S", False),
        ("HEART_BOOK", "AC KC QC 2C 2D 3D 2H 3H 2S 3S 4S 5S 6S", False),
        ("CIT590_BOOK", "AC AD AH 2C 2D 3D 2H 3H 2S 3S 4S 5S 6S", True),
        ("CIT590_BOOK", "2C 3C 4C AC 2D 3D 2H 3H 2S 3S 4S 5S 6S", True),
        ("DYNACOMP_BOOK", "AC KC KS QS 2D 3D 2H 3H 2S 3S 4S 4H 5H", True),
        ("CIT590_BOOK", "AC KC KS QS AS 3D 2H 3H 2S 3S 4S 4H 5H", False),
    ],
)
def test_an_ace_of_clubs(players, see, book, hand, goes):
    """The book decides about the ace of clubs; the high spades come first.

    Try:
        hands = ("AC 9D 8D 7D 2S 3S 4S KS", "AC KS QS 2S 3S 4S 9D 8D 7D", "AC AS KS QS 2S 3S 4S 9D")
        books = (ESTELL_BOOK, CIT590_BOOK)
        views = [see(hand, book=book, direction=Pass.LEFT) for hand in hands for book in books]
        ["AC" in codes(Passer(Lowest()).pass_cards(view)) for view in views]
    """
    view = see(hand, book=book, direction="LEFT")
    found = codes(players.Passer(players.Lowest()).pass_cards(view)).split()
    assert [len(set(found)), "AC" in found] == [3, goes]


@pytest.mark.task("pass-by-book")
def test_a_passer_plays_like_the_inner_player(players, see, hold, is_a):
    """A `Passer` is a `Wrapped` player, and plays what the inner player plays.

    Try: Passer(Prepared(played=hold("9D"))).play(see("9D 4D", "KD"))
    """
    player = players.Passer(players.Prepared((), hold("9D 4D")))
    view = see("9D 4D", "KD", EARLIER)
    assert [str(player.play(view)), str(player.play(view))] == ["9D", "4D"]
    assert is_a(players.Passer, players.Wrapped) is True
