"""Visible checks of stage 08: measuring, computer players of five kinds, and exact endings."""

import pytest
from hearts_course import each

EARLIER = (0, "2C 3C 4C 5C")  # a first trick, which seat 3 has taken
QUEEN = (3, "2S 3S 4S QS")  # seat 2 has taken her
QUEEN_OF_NORTH = (3, "2S QS 3S 4S")  # seat 0 has taken her
THREE_METHODS = """\
class Tells(Cautious):
    def lead(self, view):
        return "lead"

    def follow(self, view):
        return "follow"

    def discard(self, view):
        return "discard"

player = Tells()
player
"""
OTHER_DISCARD = """\
former = Cautious.discard
Cautious.discard = lambda self, view: view.legal[0]
try:
    card = Dumper().play(view)
finally:
    Cautious.discard = former
card
"""


@pytest.fixture
def hold(cards):
    """Make a tuple of cards from their codes."""
    return lambda codes: tuple(each(cards.Card.parse, codes.split()))


@pytest.fixture
def see(match, rulebook, players, hold):
    """Make a view from codes: the hand, the trick on the table, and the full tricks."""

    def make(hand, trick="", *tricks, seat=0, book=rulebook.ESTELL_BOOK, **more):
        return players.View(
            seat=seat,
            hand=hold(hand),
            trick=hold(trick),
            tricks=tuple(match.Trick(leader, hold(codes)) for leader, codes in tricks),
            book=book,
            **more,
        )

    return make


@pytest.fixture
def ending(legal, players, hold):
    """Make an ending in which seat 0 leads, from the codes of four hands."""

    def make(*hands):
        return players.Ending(tuple(hold(codes) for codes in hands), legal.ESTELL, 0)

    return make


def codes(some_cards):
    """Return the codes of the cards, sorted as texts and joined by blanks."""
    return " ".join(sorted(each(str, some_cards)))


def refusal(call, *arguments):
    """Return the name of the ValueError that this raises, or None."""
    try:
        call(*arguments)
    except ValueError as error:
        return error.kind
    return None


@pytest.mark.task("duplicate-deals")
def test_a_deal_is_played_once_from_every_seat(cards, rulebook, players, hold, stdlib):
    """The player sits in each seat once, in the same deal, and its own scores are returned."""
    hands = [cards.Hand(hold(code)) for code in ("2C", "QC", "4C", "QS")]
    chance = players.RandomPlayer(stdlib("random").Random(1))
    found = players.duplicate(chance, chance, hands, rulebook.CIT590_BOOK)
    assert found == [0, 13, 0, 0]


@pytest.mark.task("duplicate-deals")
def test_the_difference_is_first_minus_second_deal_by_deal(rulebook, players, stdlib):
    """The first player's mean minus the second's; the deals are passed left, right, across."""
    first, second, rival = (players.RandomPlayer(stdlib("random").Random(n)) for n in (1, 2, 3))
    deals = players.shuffled_deals(3, stdlib("random").Random(4))
    found = players.differences(first, second, rival, deals, rulebook.ESTELL_BOOK)
    assert found == [5.5, 5.25, 2.25]
    assert players.differences(first, second, rival, [], rulebook.ESTELL_BOOK) == []


@pytest.mark.task("duplicate-deals")
@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ((-2.5, -0.25), "better"),
        ((-2.5, 0.5), "cannot tell yet"),
        ((-2.5, 0.0), "cannot tell yet"),
        ((0.5, 2.5), "worse"),
    ],
)
def test_what_an_interval_says(players, bounds, expected):
    """Below zero the first player takes fewer points; an interval with zero in it says nothing."""
    assert players.verdict(bounds) == expected


@pytest.mark.task("one-interface")
def test_the_lowest_card_is_played(players, see):
    """`Lowest` passes its three highest cards and plays its lowest legal one."""
    player = players.Lowest()
    assert codes(player.pass_cards(see("2C AC 5D KD 3H QS 4S"))) == "AC KD QS"
    assert str(player.play(see("9D 4D 2S", "KD"))) == "4D"


@pytest.mark.task("one-interface")
def test_a_wrapped_player_hands_the_questions_on(players, see, hold):
    """A wrapped player answers with the answers of the player inside, for the same view."""
    inner = players.Prepared(hold("2C 3C 4C"), hold("AS 9D"))
    player, view = players.Wrapped(inner), see("2C 3C 4C AS 9D")
    assert codes(player.pass_cards(view)) == "2C 3C 4C"
    assert [str(player.play(view)), str(player.play(view))] == ["AS", "9D"]
    assert [seen == view for seen in inner.views] == [True] * 3


@pytest.mark.task("one-interface")
def test_answers_are_checked(players, see, hold):
    """`Checked` raises the errors of stages 02 and 05 for answers that are not allowed."""
    player = players.Checked(players.Prepared(hold("9D 4D 2S"), hold("AS 9D")))
    view = see("9D 4D AS", "KD", EARLIER)
    assert refusal(player.pass_cards, view) == "IllegalPass"
    assert refusal(player.play, view) == "Revoke"
    assert str(player.play(view)) == "9D"


@pytest.mark.task("cautious-player")
def test_a_cautious_player_leads_low_and_ducks(players, see):
    """A cautious player leads low, and follows with the highest card below the best one."""
    player = players.Cautious()
    assert codes(player.pass_cards(see("2C AC 5D KD 3H QS 4S"))) == "AC KD QS"
    assert str(player.play(see("7C 3D KS", "", EARLIER))) == "3D"
    assert str(player.play(see("4D 9D QD", "JD", EARLIER))) == "9D"


@pytest.mark.task("cautious-player")
def test_a_cautious_player_that_cannot_duck(players, see):
    """If no card stays below: the highest in last place, else the lowest, but not the queen."""
    player = players.Cautious()
    assert str(player.play(see("4D 9D QD", "2D 3D", EARLIER))) == "4D"
    assert str(player.play(see("4D 9D QD", "2D 3D 2S", EARLIER))) == "QD"
    assert str(player.play(see("JS QS", "3S 4S TS", EARLIER))) == "JS"


@pytest.mark.task("cautious-player")
def test_a_cautious_player_throws_high_cards_away(players, see, typed):
    """A cautious player who is void discards its highest card."""
    assert str(players.Cautious().play(see("4D KD 5S", "6C", EARLIER))) == "KD"
    player = typed(THREE_METHODS, players)
    views = [see("4D KD 5S", trick, EARLIER) for trick in ("", "6D", "6C")]
    assert [player.play(view) for view in views] == ["lead", "follow", "discard"], (
        "A subclass can replace each of the three methods."
    )


@pytest.mark.task("override-one-method")
def test_what_a_dumper_throws_away(players, see):
    """The queen of spades goes first, then the highest heart, then what a cautious player says."""
    player = players.Dumper()
    views = [see(hand, "6C", EARLIER) for hand in ("AD QS KH", "AD 4H KH", "AD 4D KS")]
    assert [str(player.play(view)) for view in views] == ["QS", "KH", "AD"]


@pytest.mark.task("override-one-method")
def test_a_dumper_is_a_cautious_player(players, see, stdlib, typed):
    """`Dumper` is a subclass of `Cautious`, and follows suit as every cautious player does."""
    assert stdlib("builtins").issubclass(players.Dumper, players.Cautious) is True
    assert str(players.Dumper().play(see("4D 9D QD", "JD", EARLIER))) == "9D"
    card = typed(OTHER_DISCARD, players, view=see("4D AD 5S", "6C", EARLIER))
    assert str(card) == "4D", "If `Cautious.discard` changes, these discards change with it."


@pytest.mark.task("card-memory")
def test_what_a_memory_holds(cards, players, see):
    """A memory knows the cards that are gone, the unseen ones, and who has shown a void."""
    memory = players.Memory(see("7C 9D", "KD 2S", EARLIER, seat=1))
    assert [codes(memory.gone), len(memory.unseen)] == ["2C 2S 3C 4C 5C KD", 44]
    assert codes(memory.above(cards.Card.parse("9D"))) == "AD JD QD TD"
    assert memory.is_void(0, cards.Suit("D")) is True
    assert memory.is_void(3, cards.Suit("D")) is False


@pytest.mark.task("card-memory")
def test_a_counter_leads_under_unseen_cards(players, see):
    """A counter leads the card that has the most unseen cards above it."""
    counter = players.CardCounter(players.Lowest())
    high_are_gone = see("6C 5D", "", EARLIER, (3, "2D QD KD AD"), seat=2)
    assert str(counter.play(high_are_gone)) == "6C"
    assert str(counter.play(see("7D 6S", "", EARLIER, (3, "KS AS QS JS"), seat=0))) == "7D"


@pytest.mark.task("card-memory")
def test_a_counter_follows(players, see):
    """A counter plays high in a calm trick, and the queen of spades under a higher spade."""
    counter = players.CardCounter(players.Lowest())
    tricks = ("JD", "JD 2H", "JD 2D KD")
    assert [str(counter.play(see("4D 9D QD", trick, EARLIER))) for trick in tricks] == [
        "QD",
        "4D",
        "QD",
    ]
    assert str(counter.play(see("QS 4S", "KS", EARLIER))) == "QS"


@pytest.mark.task("pass-by-book")
def test_unguarded_high_spades_are_passed(rulebook, players, see):
    """With fewer than four spades below the queen, all high spades are passed; guards are kept."""
    view = see("QS KS 4S 5S 6S AC KC 2C 9D 8D 3H 4H 5H", direction=rulebook.Pass.LEFT)
    passed = codes(players.Passer(players.Lowest()).pass_cards(view)).split()
    assert [code for code in passed if code[1] == "S" or code == "AC"] == ["KS", "QS"]
    assert len(set(passed)) == 3


@pytest.mark.task("pass-by-book")
def test_guarded_high_spades(rulebook, players, see):
    """Guarded high spades are kept; but with the queen, king and ace go to the right."""
    passer = players.Passer(players.Lowest())
    spades = []
    for direction in (rulebook.Pass.LEFT, rulebook.Pass.RIGHT):
        view = see("QS KS 4S 5S 6S 7S AC KC 2C 9D 8D 3H 4H", direction=direction)
        passed = codes(passer.pass_cards(view)).split()
        spades.append([code for code in passed if code[1] == "S"])
    assert spades == [[], ["KS"]]


@pytest.mark.task("pass-by-book")
def test_the_ace_of_clubs(rulebook, players, see):
    """The ace of clubs is kept if the book keeps points out of the first trick."""
    passer = players.Passer(players.Lowest())
    passed = []
    for book in (rulebook.ESTELL_BOOK, rulebook.DYNACOMP_BOOK):
        hand = "4S 5S 6S AC KC 2C 9D 8D TD JD 3H 4H 5H"
        view = see(hand, book=book, direction=rulebook.Pass.LEFT)
        passed.append("AC" in codes(passer.pass_cards(view)))
    assert passed == [False, True]


@pytest.mark.task("see-the-moon")
def test_who_has_all_the_points(players, see):
    """`alone` is the only seat that has taken points; None if there are none, or are split."""
    found = [(), (QUEEN,), (QUEEN, (2, "4H 5H 6H 2H")), (QUEEN, (2, "KH 5H 6H 2H"))]
    assert [players.alone(see("9C", "", EARLIER, *tricks)) for tricks in found] == [
        None,
        2,
        None,
        2,
    ]


@pytest.mark.task("see-the-moon")
def test_a_sure_moon(players, see):
    """A moon is sure if no unseen card is above a card of the hand, and nobody else has points."""
    found = [
        players.sees_moon(see("AS AH", "", QUEEN, seat=2)),
        players.sees_moon(see("AS KH", "", QUEEN, seat=2)),
        players.sees_moon(see("AS AH", "", QUEEN, seat=1)),
    ]
    assert found == [True, False, False]


@pytest.mark.task("see-the-moon")
def test_the_moon_of_another_seat(rulebook, players, see, hold):
    """Points are taken away from a seat that may shoot the moon, or not given to it."""
    watcher = players.MoonWatcher(players.Prepared((), hold("9H")))
    assert str(watcher.play(see("9H AH", "TH 3H", QUEEN))) == "AH"
    watcher = players.MoonWatcher(players.Prepared((), hold("9H")))
    assert str(watcher.play(see("9H AH", "TH 3H", QUEEN_OF_NORTH, seat=2))) == "AH"
    watcher = players.MoonWatcher(players.Dumper())
    assert str(watcher.play(see("9H AD", "TC", QUEEN, seat=3))) == "AD"
    no_moon = see("9H AD", "TC", QUEEN, seat=3, book=rulebook.DYNACOMP_BOOK)
    assert str(watcher.play(no_moon)) == "9H"


@pytest.mark.task("exact-endings")
def test_the_ending_after_a_card(ending, hold):
    """A card moves from hand to table; a full trick is taken and paid; the old ending stays."""
    first = ending("2S AD", "KS 3D", "QS 4D", "4H 5D")
    after = first.after(hold("2S")[0])
    assert [codes(after.trick), codes(after.hands[0]), after.seat] == ["2S", "AD", 1]
    assert [codes(first.trick), codes(first.hands[0]), first.seat] == ["", "2S AD", 0]
    assert [after.hearts_broken, type(after.hands), type(after.hands[0])] == [True, tuple, tuple]
    for card in hold("KS QS 4H"):
        after = after.after(card)
    assert [after.trick, after.leader, after.costs] == [(), 1, (0, 14, 0, 0)]


@pytest.mark.task("exact-endings")
def test_the_least_to_be_sure_of(players, ending):
    """A seat is sure to pay no more than `sure_cost`, whatever the others play."""
    first = ending("2S AD", "KS 3D", "QS 4D", "4H 5D")
    assert [players.sure_cost(first, 0), players.sure_cost(first, 1)] == [0, 14]
    assert codes(players.best_cards(first)) == "AD"
    last = ending("AS", "QS", "2S", "3S")
    assert players.sure_cost(last, 0) == 13, "The last trick is played to its end."
