"""Hidden checks of stage 09: playouts, means over worlds, and the player that chooses by them.

The views are those of real deals. Their exact means were computed by a search of another kind:
autograder/tests/stages/test_sampler_laws.py does so again. Where a check depends on worlds that are
drawn, it draws so many that a right program fails it less than once in a million times.
"""

from itertools import combinations

import pytest
from hearts_course import each

# Each: seat, hand, table, the first leader, the full tricks, the passed cards, their direction.
SIX_OR_ACE = (
    (0, "6C AC", "9C 8C", 3),
    "2C 7C TC 5C, 4S 2S 6S KS, 2D QD 8D 5D, AS 3S JC 5S, 8S 9S KD TH, 4D TD 9D AD, "
    "QS TS 4H AH, 7S JS 2H 6H, 3D JD 3C 7D, 5H 7H 8H QH, 6D KC 4C KH",
    ("TD JD 2H", "RIGHT"),
)
KING_OR_TEN = (
    (0, "KC TH", "QS", 3),
    "2C 6C QC JC, TD 2D AD 7D, JS TS 7S 6S, QD 8D 9D KD, AS 9S 4S KS, JD 6D TC 3D, "
    "5D 4D AC 8C, 2S 5S 3S 3C, 9C 7C 4C 5H, 4H AH QH 6H, JH 9H 2H KH",
    ("5H KD 2H", "ACROSS"),
)
TWO_OR_QUEEN = (
    (2, "2H QH AS", "6H 8D", 2),
    "2C 9C 8C JC, 5C 3C KC 4C, AC TC 7H 7C, AH TH JH 4H, QD 3D 2D JD, 7D KD AD 2S, "
    "KS 5S 7S 3S, 9D KH 6D TS, TD 3H 9H 4S, 6S 8S 9S JS",
    ("3S 4S 3D", "ACROSS"),
)
LAST_OF_FOUR = (
    (0, "7H QH KH", "TH JH 9H", 2),
    "2C QC AC 4C, 7D TD 5D 8D, 3C 9C 5C 6C, JC TC AS 7C, KC 4D 5S 8C, JS KS 7S TS, "
    "6D JD KD 3D, 4S 8S AH 5H, 3S 2D 9D 6S, QS 2S QD 4H",
    ("3H 8D KS", "RIGHT"),
)
THREE_OR_JACK = (
    (3, "3H JH 6S", "2H 5H", 2),
    "2C KC JC TC, 9D JD KD TD, 6C 7C 3C 7H, 5C AC 3S 8S, 6D 4D 2D 7D, QD AD 3D 8H, "
    "2S 9S 4S 5S, 5D AS 9C AH, 4H KH TH 9H, JS 4C TS 7S",
    ("6C 4S 8H", "ACROSS"),
)
REGRETS = [
    (SIX_OR_ACE, {"6C": 0.0, "AC": 1.5}),
    (KING_OR_TEN, {"KC": 1.5, "TH": 0.0}),
    (TWO_OR_QUEEN, {"2H": 5.5, "QH": 0.0}),
    (LAST_OF_FOUR, {"7H": 0.0, "QH": 2.25, "KH": 2.25}),
    (THREE_OR_JACK, {"3H": 0.0, "JH": 1.83333}),
]
# Three of the twelve worlds of the first situation.
SIX_OR_ACE_WORLDS = ("6C AC|3H 9H|JH|QC", "6C AC|QC 3H|9H|JH", "6C AC|9H JH|QC|3H")


def codes(some_cards):
    """Return the codes of the cards, sorted as texts and joined by blanks."""
    return " ".join(sorted(each(str, some_cards)))


@pytest.fixture
def hold(cards):
    """Make a tuple of cards from their codes."""
    return lambda codes: tuple(each(cards.Card.parse, codes.split()))


@pytest.fixture
def see(match, rulebook, players, hold):
    """Make a view of one of the situations above."""

    def make(situation, book="ESTELL_BOOK"):
        (seat, hand, table, leader), text, (gave, direction) = situation
        tricks = []
        for trick in text.split(", "):
            tricks.append(match.Trick(leader, hold(trick)))
            leader = tricks[-1].taker
        return players.View(
            seat=seat,
            hand=hold(hand),
            trick=hold(table),
            tricks=tuple(tricks),
            book=getattr(rulebook, book),
            direction=getattr(rulebook.Pass, direction),
            gave=hold(gave),
        )

    return make


@pytest.fixture
def world_from(hold):
    """Make a world from a text."""
    return lambda text: tuple(map(hold, text.split("|")))


@pytest.fixture
def ending(legal, players, hold):
    """Make an ending from codes."""

    def make(hands, leader, trick="", **more):
        return players.Ending(tuple(map(hold, hands)), legal.ESTELL, leader, hold(trick), **more)

    return make


@pytest.mark.task("play-a-world")
@pytest.mark.parametrize(
    ("hands", "leader", "trick", "broken", "legal_cards"),
    [
        (("7H 9C", "8C 2S", "3D 4D", "AS KS"), 0, "", False, "9C"),
        (("7H 9C", "8C 2S", "3D 4D", "AS KS"), 0, "", True, "7H 9C"),
        (("7H", "2H QH", "3D 4D", "AS KS"), 1, "", False, "2H QH"),
        (("9C", "8C 2S", "3D 4D", "AS KS"), 0, "7H", False, "2S 8C"),
        (("9C", "8C 2H QS", "3D 4D KD", "AS KS TD"), 0, "7S", False, "QS"),
        (("9C", "8C 2H QS", "3D 4H KH", "AS KS"), 2, "5D TD 7D", True, "2H 8C QS"),
    ],
)
def test_a_glimpse_of_an_ending(
    sampler, rulebook, ending, hands, leader, trick, broken, legal_cards
):
    """A glimpse has the hand, the table and the legal cards of the seat that plays next.

    Try:
        from players import Ending
        hands = [hold(hand) for hand in ("5H 8C", "9C 3S", "5D 6D", "TS JS")]
        fresh = [Ending(tuple(hands), ESTELL_BOOK.play, 0, hearts_broken=b) for b in (False, True)]
        [codes(glimpse(ending, ESTELL_BOOK).legal) for ending in fresh]
        later = fresh[0].after(hold("8C")[0])
        [glimpse(later, ESTELL_BOOK).seat, codes(glimpse(later, ESTELL_BOOK).trick)]
        codes(glimpse(later, ESTELL_BOOK).hand)
    """
    start = ending(hands, leader, trick, hearts_broken=broken)
    view = sampler.glimpse(start, rulebook.ESTELL_BOOK)
    seat = (leader + len(trick.split())) % 4
    assert [view.seat, codes(view.hand), each(str, view.trick)] == [
        seat,
        " ".join(sorted(hands[seat].split())),
        trick.split(),
    ]
    assert [codes(view.legal), codes(start.legal)] == [legal_cards, legal_cards]


@pytest.mark.task("play-a-world")
def test_a_glimpse_is_a_view(sampler, players, rulebook, ending, stdlib):
    """A glimpse is a view with the given book, without tricks, and never in the first trick.

    Try:
        from dataclasses import replace
        from players import Ending
        hands = [hold(hand) for hand in ("5H 8C", "9C 3S", "5D 6D", "TS JS")]
        start = Ending(tuple(hands), ESTELL_BOOK.play, 2, hearts_broken=False)
        seen = glimpse(start.after(hold("5D")[0]), DYNACOMP_BOOK)
        seen.turn.first_trick, seen.turn.hearts_broken, seen.tricks, seen.book == DYNACOMP_BOOK
        broken = replace(start, hearts_broken=True).after(hold("5D")[0])
        codes(seen.turn.trick), glimpse(broken, ESTELL_BOOK).turn.hearts_broken
        isinstance(seen, View)
    """
    for broken in (False, True):
        start = ending(("7H", "8C 2S", "3D 4D", "AS KS"), 0, "9C", hearts_broken=broken)
        for name in ("HEART_BOOK", "ESTELL_BOOK"):
            view = sampler.glimpse(start, getattr(rulebook, name))
            assert stdlib("builtins").isinstance(view, players.View) is True
            assert [view.turn.first_trick, view.turn.hearts_broken] == [False, broken]
            assert [len(view.tricks), len(view.turn.trick)] == [0, 1]
            assert view.book == getattr(rulebook, name)
            assert view.book.moon.name == {"HEART_BOOK": "SHOOTER"}.get(name, "OTHERS")


@pytest.mark.task("play-a-world")
def test_who_plays_in_a_playout(sampler, players, rulebook, ending, hold):
    """The player plays for every seat in turn, and gets the view of that seat each time.

    Try:
        from players import Ending
        hands = [hold(hand) for hand in ("5H 8C", "9C 3S", "5D 6D", "TS JS")]
        player = Prepared(played=hold("8C 9C 6D TS 3S 5D JS 5H"))
        Playout(player, ESTELL_BOOK)(Ending(tuple(hands), ESTELL_BOOK.play, 0), 3)
        [(view.seat, codes(view.hand), codes(view.trick)) for view in player.views]
    """
    player = players.Prepared((), hold("4D KS QS 3H TD 9D JD"))
    start = ending(("QS TD", "9D", "JD 4D", "KS 3H"), 1, "8S")
    assert sampler.Playout(player, rulebook.ESTELL_BOOK)(start, 3) == 14
    assert [[view.seat, codes(view.hand), each(str, view.trick)] for view in player.views] == [
        [2, "4D JD", ["8S"]],
        [3, "3H KS", ["8S", "4D"]],
        [0, "QS TD", ["8S", "4D", "KS"]],
        [3, "3H", []],
        [0, "TD", ["3H"]],
        [1, "9D", ["3H", "TD"]],
        [2, "JD", ["3H", "TD", "9D"]],
    ]


@pytest.mark.task("play-a-world")
@pytest.mark.parametrize(
    ("book", "scores"),
    [
        ("ESTELL_BOOK", [26, 0, 26, 26]),
        ("HEART_BOOK", [0, -26, 0, 0]),
        ("DYNACOMP_BOOK", [0, 26, 0, 0]),
    ],
)
def test_a_playout_returns_scores(sampler, players, rulebook, ending, hold, book, scores):
    """A playout returns the score by its book, and a moon counts as the book says.

    Try:
        from players import Ending
        hands = tuple(hold(hand) for hand in ("AS", "QS", "2D", "3D"))
        last = Ending(hands, ESTELL_BOOK.play, 0, costs=(13, 0, 0, 0))
        [Playout(Lowest(), ESTELL_BOOK)(last, seat) for seat in range(4)]
        [Playout(Lowest(), DYNACOMP_BOOK)(last, seat) for seat in range(4)]
    """
    book = getattr(rulebook, book)
    moon = ending(("QS", "KS", "2D", "3H"), 0, costs=(0, 12, 0, 0))
    found = [sampler.Playout(players.Lowest(), book)(moon, seat) for seat in range(4)]
    assert found == scores
    split = ending(("QS", "KS", "2D", "3H"), 0, costs=(2, 9, 1, 0))
    found = [sampler.Playout(players.Lowest(), book)(split, seat) for seat in range(4)]
    assert found == [2, 23, 1, 0]
    over = ending(("", "", "", ""), 2, costs=(0, 26, 0, 0))
    nobody = players.Prepared()
    assert [sampler.Playout(nobody, book)(over, seat) for seat in range(4)] == scores


RECORDED = """
calls = []
def value(ending, seat):
    hands = [" ".join(sorted(map(str, hand))) for hand in ending.hands]
    calls.append([seat, hands, [str(card) for card in ending.trick], list(ending.costs)])
    return len(calls)
result = {str(card): mean for card, mean in means(view, worlds, value).items()}
[result, calls]
"""


@pytest.mark.task("mean-of-worlds")
def test_each_card_in_each_world(sampler, see, world_from, typed):
    """The value is called once for each legal card and world, with the ending after this card.

    Try:
        asked = []
        def value(ending, seat):
            asked.append((codes(ending.trick), codes(ending.hands[1]), seat))
            return sum(str(card) == "QS" for card in ending.hands[3])
        worlds = list(every_world(Clues(ann)))
        result = means(ann, worlds[:2] + worlds[3:], value)
        sorted(asked)
        [round(float(result[card]), 3) for card in ann.hand]
    """
    worlds = [world_from(text) for text in SIX_OR_ACE_WORLDS]
    view = see(SIX_OR_ACE)
    result, calls = typed(RECORDED, sampler, view=view, worlds=worlds)
    assert sorted(result) == ["6C", "AC"]
    expected = []
    for text in SIX_OR_ACE_WORLDS:
        others = [" ".join(sorted(hand.split())) for hand in text.split("|")[1:]]
        for card, kept in (("6C", "AC"), ("AC", "6C")):
            expected.append([0, [kept, *others], ["9C", "8C", card], [0, 15, 8, 0]])
    assert sorted(map(repr, calls)) == sorted(map(repr, expected))
    for card, mean in result.items():
        numbers = [place for place, call in enumerate(calls, 1) if call[2][-1] == card]
        assert mean == pytest.approx(sum(numbers) / len(numbers))


COUNTED = """
def value(ending, seat):
    return sum(str(card) == "QC" for card in ending.hands[1]) * 6 + len(ending.trick)
{str(card): mean for card, mean in means(view, worlds, value).items()}
"""


@pytest.mark.task("mean-of-worlds")
def test_the_mean_over_the_worlds(sampler, see, world_from, typed):
    """The mean counts a world as often as it is in the list.

    Try:
        worlds = list(every_world(Clues(ann)))
        first = means(ann, worlds[:1], sure_cost)
        more = means(ann, [*worlds, worlds[1]], sure_cost)
        [(float(first[card]), float(more[card])) for card in ann.hand]
    """
    first, second, third = (world_from(text) for text in SIX_OR_ACE_WORLDS)
    for worlds, expected in (
        ([first], 3.0),
        ([second], 9.0),
        ([first, second, third], 5.0),
        ([second, second, third, second], 7.5),
    ):
        result = typed(COUNTED, sampler, view=see(SIX_OR_ACE), worlds=worlds)
        assert result == {"6C": expected, "AC": expected}


@pytest.mark.task("mean-of-worlds")
@pytest.mark.parametrize(("situation", "expected"), REGRETS)
def test_regret_in_an_ending(sampler, see, typed, situation, expected):
    """The regret of a card is its exact mean over all worlds that fit, minus the least mean.

    Try:
        from dataclasses import replace
        [float(regret(ann, card)) for card in hold("5H 3H")]
        ben = replace(ann, hand=hold("5H KH"), gave=(), direction=Pass.HOLD)
        [round(regret(ben, card), 3) for card in ben.hand]
        cy = replace(ann, hand=hold("3H AC"), trick=hold("4H QS"))
        [str(card) for card in means(cy, list(every_world(Clues(cy))), sure_cost)]
    """
    found = typed(
        "{str(card): regret(view, card) for card in view.legal}", sampler, view=see(situation)
    )
    assert found == pytest.approx(expected, abs=0.001)


PLAYED = """
calls = []
def value(ending, seat):
    hands = tuple(" ".join(sorted(map(str, hand))) for hand in ending.hands)
    calls.append([seat, str(ending.trick[-1]), hands[:seat] + hands[seat + 1 :]])
    return 0
card = Sampler(inner, value, budget, rng).play(view)
[str(card), calls]
"""


@pytest.fixture
def asked(sampler, players, see, typed, stdlib):
    """Let a sampler play; return the card, and what it has asked its value."""

    def play(situation, budget, *, seed=3, inner=None):
        return typed(
            PLAYED,
            sampler,
            view=see(situation),
            inner=inner or players.Prepared(),
            budget=budget,
            rng=stdlib("random").Random(seed),
        )

    return play


@pytest.mark.task("mean-of-worlds")
@pytest.mark.parametrize("budget", [2, 7, 30, 101])
def test_a_budget_of_playouts(asked, budget):
    """A sampler asks about as many worlds as the budget allows, and about each card in all of them.

    Try:
        asked = []
        def value(ending, seat):
            asked.append((codes(ending.trick), seat))
            return 0
        Sampler(Lowest(), value, 9, Random(1)).play(ann) in ann.legal
        sorted(set(asked)), len(asked)
    """
    card, calls = asked(SIX_OR_ACE, budget)
    assert card in ("6C", "AC")
    worlds = {
        code: sorted(hands for _, other, hands in calls if other == code) for code in ("6C", "AC")
    }
    assert [len(calls), {seat for seat, _, _ in calls}] == [budget // 2 * 2, {0}]
    assert worlds["6C"] == worlds["AC"]


@pytest.mark.task("mean-of-worlds")
def test_the_worlds_of_a_sampler(asked):
    """A sampler imagines all worlds that fit, and only those.

    Try:
        asked = []
        def value(ending, seat):
            asked.append((seat, codes(ending.hands[1])))
            return 0
        player = Sampler(Lowest(), value, 400, Random(2))
        _ = player.play(ann)
        sorted(set(asked))
    """
    free = ["6H", "KS", "QH", "QS"]  # the clubs are with seat 2, and the diamond with seat 0
    worlds = set()
    for pair in combinations(free, 2):
        rest = [card for card in free if card not in pair]
        worlds.add((" ".join(sorted([*pair, "8D"])), " ".join(rest), "8C QC"))
    _, calls = asked(THREE_OR_JACK, 400)
    assert {tuple(hands) for _, _, hands in calls} == worlds
    _, again = asked(THREE_OR_JACK, 400, seed=4)
    assert calls != again


@pytest.mark.task("mean-of-worlds")
@pytest.mark.parametrize(
    ("situation", "budget", "best"),
    [(SIX_OR_ACE, 240, "6C"), (KING_OR_TEN, 400, "TH")],
)
def test_the_card_with_the_least_mean(sampler, players, see, stdlib, situation, budget, best):
    """A sampler plays the card that is best in the mean, though another is better in some worlds.

    Try: [str(Sampler(Lowest(), sure_cost, 60, Random(seed)).play(ann)) for seed in range(5)]
    """
    view = see(situation)
    for seed in range(5):
        rng = stdlib("random").Random(seed)
        player = sampler.Sampler(players.Prepared(), players.sure_cost, budget, rng)
        assert str(player.play(view)) == best


@pytest.mark.task("mean-of-worlds")
def test_when_a_sampler_does_not_imagine(sampler, players, rulebook, stdlib, hold, asked):
    """The inner player passes, and plays to the first trick or on a budget without a world.

    A single legal card is just played.

    Try:
        first = View(seat=1, hand=hold("3C 9C KH"), trick=hold("2C"), book=ESTELL_BOOK)
        player = Sampler(Prepared(played=hold("9C")), sure_cost, 100, Random(1))
        str(player.play(first))
        single = View(seat=1, hand=hold("3C KD"), trick=hold("KC"), tricks=ann.tricks,
            book=ESTELL_BOOK)
        str(player.play(single))
        inner = Prepared(passed=hold("2C 3C 4C"))
        codes(Sampler(inner, sure_cost, 100, Random(1)).pass_cards(first))
    """
    rng = stdlib("random").Random(1)
    inner = players.Prepared(hold("2D 3D 4D"), hold("TC"))
    player = sampler.Sampler(inner, None, 60, rng)
    first = players.View(
        seat=2, hand=hold("TC 4C JC 2D 3D 4D"), trick=hold("2C 5C"), book=rulebook.ESTELL_BOOK
    )
    assert codes(player.pass_cards(first)) == "2D 3D 4D"
    assert str(player.play(first)) == "TC"
    assert stdlib("builtins").issubclass(sampler.Sampler, players.Wrapped) is True
    (seat, _, _, leader), *rest = KING_OR_TEN
    single = ((seat, "KC 8S", "QS", leader), *rest)
    assert asked(single, 60) == ["8S", []]
    assert asked(LAST_OF_FOUR, 2, inner=players.Prepared((), hold("QH"))) == ["QH", []]
