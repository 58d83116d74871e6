"""The visible checks of stage 02: the brief's own examples, and a few more like them.

The fixture `legal` is your module, `cards` the one of stage 01. Expected values are plain codes;
what may be played is compared in sorted order, whatever order you return it in.
"""

import re

import pytest
from hearts_course import each


@pytest.fixture
def hold(cards):
    """Makes a list of cards from their codes."""
    return lambda codes: each(cards.Card.parse, codes.split())


@pytest.fixture
def seats(cards, hold):
    """Makes the hands of all seats from their codes."""
    return lambda hands: [cards.Hand(hold(hand)) for hand in hands]


@pytest.fixture
def book(legal):
    """Finds a rule book by its name."""
    return lambda name: getattr(legal, name)


@pytest.fixture
def turn(cards, legal, hold, book):
    """Makes a turn from a rule book's name, the hand, the trick so far, and what else is known."""

    def make(rules, hand, trick="", *, trump=None, **known):
        trump = cards.Suit(trump) if trump else None
        return legal.Turn(cards.Hand(hold(hand)), book(rules), hold(trick), trump=trump, **known)

    return make


def codes(some_cards):
    """The codes of the cards, sorted as texts."""
    return sorted(each(str, some_cards))


def named(sentence):
    """The codes of the cards that a sentence names, sorted as texts, each once."""
    return sorted(set(re.findall(r"\b[2-9TJQKA][CDHS]\b", sentence)))


@pytest.mark.task("follow-suit")
@pytest.mark.parametrize(
    ("hand", "trick", "allowed"),
    [
        ("2C 9C QS", "KC 5D", ["2C", "9C"]),
        ("3D QS", "KC 5D", ["3D", "QS"]),
        ("3D QS", "", ["3D", "QS"]),
    ],
)
def test_who_can_follow_suit_must(legal, hold, turn, hand, trick, allowed):
    """A player who can follow suit must; who is void, or leads, is free.

    On this one rule hangs the whole game: it is how points find their way to others.
    """
    assert codes(legal.follow_suit(hold(hand), turn("HEART", hand, trick))) == allowed


@pytest.mark.task("opening-lead")
@pytest.mark.parametrize(
    ("rules", "hands", "dealer", "seat", "next_deal"),
    [
        ("HEART", ["9C 4H", "3D AS", "2D 2C", "5C AC"], 0, 2, 1),
        ("DYNACOMP", ["9C 4H", "3C AS", "2D 5C"], 1, 1, 0),
        ("UVA181", ["9C 4H", "2C AS", "2D 5C", "3C 4C", "2H 2S"], 3, 4, 0),
    ],
)
def test_who_leads_to_the_first_trick(legal, seats, book, rules, hands, dealer, seat, next_deal):
    """Who holds the lowest club leads to the first trick, or else the seat on the dealer's left.

    Everybody looks for the same card, so nobody has to ask who begins.
    """
    assert legal.first_leader(seats(hands), dealer, book(rules)) == seat
    # In the next deal the next seat deals, and everybody has the hand of the seat on their left.
    hands = [*hands[1:], hands[0]]
    assert legal.first_leader(seats(hands), dealer + 1, book(rules)) == next_deal


@pytest.mark.task("opening-lead")
@pytest.mark.parametrize(
    ("rules", "first_trick", "allowed"),
    [
        ("DYNACOMP", True, ["3C"]),
        ("DYNACOMP", False, ["3C", "7C", "AS"]),
        ("UVA181", True, ["3C", "7C", "AS"]),
    ],
)
def test_the_deal_opens_with_the_lowest_club(legal, hold, turn, rules, first_trick, allowed):
    """Who leads to the first trick must lead their lowest club, where the rule book says so.

    It gives nothing away: everybody learns who held the card, and nobody has to choose.
    """
    now = turn(rules, "3C 7C AS", first_trick=first_trick)
    assert codes(legal.open_low(hold("7C 3C AS"), now)) == allowed


@pytest.mark.task("first-trick")
@pytest.mark.parametrize(
    ("rules", "codes", "costs"),
    [
        ("HEART", "QS KS", [13, 0]),
        ("HEART", "9H 9D", [1, 0]),
        ("HEART", "9S AH", [0, 1]),
        ("UVA181", "QS 2H", [0, 2]),
        ("UVA181", "AH AC", [14, 0]),
    ],
)
def test_points_come_from_the_rule_book(legal, hold, book, rules, codes, costs):
    """A card costs what the rule book says."""
    assert [int(legal.points(card, book(rules))) for card in hold(codes)] == costs


@pytest.mark.task("first-trick")
@pytest.mark.parametrize(
    ("rules", "hand", "allowed"),
    [
        ("ESTELL", "QS KS 9H", ["KS"]),
        ("ESTELL", "QS 9H", ["9H", "QS"]),
        ("HEART", "QS 9H", ["9H"]),
        ("DYNACOMP", "QS KS 9H", ["9H", "KS", "QS"]),
    ],
)
def test_points_stay_out_of_the_first_trick(legal, hold, turn, rules, hand, allowed):
    """No points fall on the first trick, unless the rule book allows them or there is no choice.

    Otherwise thirteen points would go to somebody who could do nothing about it.
    """
    now = turn(rules, hand, "2C", first_trick=True)
    assert codes(legal.keep_points_back(hold(hand), now)) == allowed


@pytest.mark.task("break-hearts")
@pytest.mark.parametrize(
    ("rules", "tricks", "broken"),
    [
        ("HEART", ["KC 5C 2H", "KC 5C 2S"], [True, False]),
        ("HEART", ["KC QS 2C", "KC AH 2C"], [False, True]),
        ("ESTELL", ["KC QS 2C", "KC QD 2C"], [True, False]),
        ("ESTELL", ["KC KS 2C", "KC KH 2C"], [False, True]),
    ],
)
def test_what_breaks_hearts(legal, hold, book, rules, tricks, broken):
    """A heart breaks hearts; the queen of spades only where the rule book says so."""
    assert [legal.hearts_broken(hold(trick), book(rules)) for trick in tricks] == broken


@pytest.mark.task("break-hearts")
@pytest.mark.parametrize(
    ("rules", "hand", "hearts_broken", "allowed"),
    [
        ("HEART", "7D 9H 4H", False, ["7D"]),
        ("HEART", "7D 9H 4H", True, ["4H", "7D", "9H"]),
        ("HEART", "9H 4H", False, ["4H", "9H"]),
        ("CIT590", "7D 9H 4H", False, ["4H", "7D", "9H"]),
    ],
)
def test_hearts_are_not_led_too_early(legal, hold, turn, rules, hand, hearts_broken, allowed):
    """Before hearts are broken nobody leads one, except who has nothing else.

    It gives everybody time to get rid of their high hearts.
    """
    now = turn(rules, hand, hearts_broken=hearts_broken)
    assert codes(legal.keep_hearts_back(hold(hand), now)) == allowed


@pytest.mark.task("play-trump")
@pytest.mark.parametrize(
    ("hand", "trick", "allowed"),
    [
        ("3D 8S AS", "KC", ["8S", "AS"]),
        ("3D 8S AS 2C", "KC", ["2C", "3D", "8S", "AS"]),
        ("3D 8H", "KC", ["3D", "8H"]),
        ("3D 8S AS", "", ["3D", "8S", "AS"]),
    ],
)
def test_who_cannot_follow_must_trump(legal, hold, turn, hand, trick, allowed):
    """Who cannot follow suit must play a trump, if they have one.

    A trump may take the trick and all hearts in it, so nobody plays it gladly.
    """
    now = turn("UVA181", hand, trick, trump="S")
    assert codes(legal.play_trump(hold(hand), now)) == allowed


@pytest.mark.task("take-the-trick")
@pytest.mark.parametrize(("trump", "best"), [(None, "JD"), ("S", "3S"), ("C", "KC"), ("H", "JD")])
def test_the_best_card_of_a_trick(cards, legal, hold, trump, best):
    """The highest trump is best, or else the highest card of the suit that was led."""
    trump = cards.Suit(trump) if trump else None
    assert str(legal.best_card(hold("5D KC JD 3S"), trump)) == best
    assert str(legal.best_card(hold("8H"), trump)) == "8H"


@pytest.mark.task("take-the-trick")
@pytest.mark.parametrize(("leaders", "seats"), [([0, 1], [2, 3]), ([3, 2], [1, 0])])
def test_the_seat_that_takes_the_trick(legal, hold, leaders, seats):
    """The trick goes to whoever played its best card, counted round the table from the leader.

    Who takes it leads the next one, so that one wrong seat spoils the rest of the deal.
    """
    assert [legal.winner(hold("5D KC JD 3S"), leader) for leader in leaders] == seats


@pytest.mark.task("legal-plays")
@pytest.mark.parametrize(
    ("rules", "hand", "trick", "allowed"),
    [
        ("HEART", "2C 7C AS", "", ["2C"]),
        ("ESTELL", "7D AS QS 3H", "2C", ["7D", "AS"]),
        ("DYNACOMP", "7D AS QS 3H", "2C", ["3H", "7D", "AS", "QS"]),
        ("ESTELL", "7D 8C QS 3H", "2C", ["8C"]),
    ],
)
def test_the_first_trick(legal, turn, rules, hand, trick, allowed):
    """On the first trick a player opens low, follows suit, and keeps points back."""
    assert codes(legal.legal_plays(turn(rules, hand, trick, first_trick=True))) == allowed


@pytest.mark.task("legal-plays")
@pytest.mark.parametrize(
    ("rules", "hand", "trick", "allowed"),
    [
        ("HEART", "7D AS QS 3H", "2C", ["3H", "7D", "AS", "QS"]),
        ("HEART", "7D AS QS 3H", "2S 4S", ["AS", "QS"]),
        ("HEART", "7D 3H", "", ["7D"]),
        ("UVA181", "7D 3H", "", ["3H", "7D"]),
    ],
)
def test_later_tricks(legal, turn, rules, hand, trick, allowed):
    """On later tricks a player follows suit, and does not lead hearts too early."""
    assert codes(legal.legal_plays(turn(rules, hand, trick))) == allowed


@pytest.mark.task("refuse-a-card")
def test_an_error_names_card_rule_and_way_out(legal, hold):
    """A refusal names the card, the rule, and the cards that may be played instead.

    Whoever reads it knows what to play, and why.
    """
    error = str(legal.Revoke(hold("AS")[0], hold("8D 7D")))
    assert [named(error), "you must follow suit" in error] == [["7D", "8D", "AS"], True]


@pytest.mark.task("refuse-a-card")
@pytest.mark.parametrize(
    ("hand", "trick", "card", "rule", "cards_named"),
    [
        ("8D 7D AS", "KD JD", "AS", "you must follow suit", ["7D", "8D", "AS"]),
        ("8D 7D AS", "KD JD", "KS", "you do not hold it", ["7D", "8D", "KS"]),
        ("8S 2H", "", "2H", "hearts are not broken", ["2H", "8S"]),
    ],
)
def test_a_card_is_refused(legal, hold, turn, hand, trick, card, rule, cards_named):
    """The player is told which rule forbids the card, and what may be played."""
    with pytest.raises(ValueError, match=rule) as refused:
        legal.check_play(hold(card)[0], turn("DYNACOMP", hand, trick))
    assert named(str(refused.value)) == cards_named


@pytest.mark.task("refuse-a-card")
def test_a_card_that_may_be_played_is_not_refused(legal, hold, turn):
    """Nothing is said about a card that may be played, unlike one that may not."""
    now = turn("DYNACOMP", "8D 7D AS", "KD JD")
    assert legal.check_play(hold("8D")[0], now) is None
    with pytest.raises(ValueError, match="AS"):
        legal.check_play(hold("AS")[0], now)
