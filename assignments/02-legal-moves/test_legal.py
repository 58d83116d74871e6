"""Visible checks of stage 02: the examples of the brief, and a few more like them.

The fixture `legal` is your module, and `cards` is your module of stage 01. Expected values are
plain codes. Your functions may return cards in any order, because the checks sort them first.
"""

import pytest
from hearts_course import each

NO_OPENING = "This rule book has no opening suit, so no card decides who leads."
ROUND = "The table is round: to the left of the last seat is seat 0."
LATER_TRICK = "Only the first trick of a deal has an opening."
NO_CHOICE = "A player who holds nothing else may play any of them."
HEARTS_FIRST = "In this rule book a heart goes before the queen, who costs more."
ALLOWED = "This rule book allows points on the first trick."


@pytest.fixture
def hold(cards):
    """Return a function that makes a list of cards from their codes."""
    return lambda codes: each(cards.Card.parse, codes.split())


@pytest.fixture
def seats(cards, hold):
    """Return a function that makes the hands of all seats from their codes."""
    return lambda hands: [cards.Hand(hold(hand)) for hand in hands]


def code_of(card):
    """Return the code of a card, but not of a text."""
    return card.rank.letter + str(card.suit)


def codes(some_cards):
    """Return the codes of the cards, sorted alphabetically."""
    return sorted(code_of(card) for card in some_cards)


@pytest.mark.task("follow-suit")
@pytest.mark.parametrize(
    ("hand", "trick", "allowed", "why"),
    [
        ("2C 9C QS", "KC 5D", ["2C", "9C"], ""),
        ("3D QS", "KC 5D", ["3D", "QS"], "A player who is void must be able to play something."),
        ("3D QS", "", ["3D", "QS"], "Whoever leads has no suit to follow."),
        (
            "3D QS 2C 9C",
            "6C KD",
            ["2C", "9C"],
            "The suit led is that of the first card, here clubs.",
        ),
    ],
)
def test_a_player_who_can_follow_suit_must(cards, legal, hold, hand, trick, allowed, why):
    """A player who can follow suit must; a player who is void, or leads, may play any card.

    The whole game depends on this rule: only a void player can give points to others.
    """
    turn = legal.Turn(cards.Hand(hold(hand)), legal.HEART, hold(trick))
    assert codes(legal.follow_suit(hold(hand), turn)) == allowed, why


@pytest.mark.task("follow-suit")
def test_a_rule_narrows_the_cards_that_it_is_given(cards, legal, hold, stdlib):
    """A rule chooses only from the given cards, even if the hand holds others.

    The rules come one after another, and each gets what the one before it has left.
    """
    given = stdlib("collections").UserList(hold("3D 9C"))
    turn = legal.Turn(cards.Hand(hold("3D 9C 2C")), legal.HEART, hold("KC"))
    assert codes(legal.follow_suit(given, turn)) == ["9C"]
    assert codes(legal.follow_suit(hold("3D QS"), turn)) == ["3D", "QS"]
    assert [codes(given), str(turn.hand)] == [["3D", "9C"], "3D 9C 2C"], "A rule only looks."


@pytest.mark.task("opening-lead")
@pytest.mark.parametrize(
    ("rules", "hands", "dealer", "seat", "why"),
    [
        ("HEART", ["9C 4H", "3D AS", "2D 2C", "5C AC"], 0, 2, ""),
        ("HEART", ["3D AS", "5C AC", "9C 4H", "2D 2C"], 1, 3, ""),
        ("DYNACOMP", ["9C 4H", "2D 5C", "3C AS"], 1, 2, ""),
        ("DYNACOMP", ["3C AS", "2D 5C", "9C 4H"], 2, 0, ""),
        ("DYNACOMP", ["TC 4H", "KC AS", "2D 9C"], 1, 2, ""),
        ("ESTELL", ["4H", "2D 5C", "3C AS"], 1, 2, ""),
        ("UVA181", ["9C 4H", "2C AS", "2D 5C", "3C 4C", "2H 2S"], 3, 4, NO_OPENING),
        ("UVA181", ["2C AS", "2D 5C", "3C 4C", "2H 2S", "9C 4H"], 4, 0, ROUND),
        ("Rules(opening_suit=None)", ["9C 4H", "2C AS", "2D 5C"], 1, 2, NO_OPENING),
    ],
)
def test_the_seat_that_leads_first(legal, seats, typed, rules, hands, dealer, seat, why):
    """The player with the lowest club leads first, or else the seat on the dealer's left.

    All players look for the same card, so everybody knows who begins.
    """
    assert legal.first_leader(seats(hands), dealer, typed(rules, legal)) == seat, why


@pytest.mark.task("opening-lead")
@pytest.mark.parametrize(
    ("rules", "hand", "first_trick", "allowed", "why"),
    [
        ("DYNACOMP", "7C 3C JC AS", True, ["3C"], ""),
        ("HEART", "7C 2C JC AS", True, ["2C"], ""),
        ("DYNACOMP", "7C 2D AS", True, ["7C"], "Only a card of the opening suit opens."),
        ("DYNACOMP", "7C 3C AS", False, ["3C", "7C", "AS"], LATER_TRICK),
        ("UVA181", "7C 3C AS", True, ["3C", "7C", "AS"], NO_OPENING),
    ],
)
def test_the_deal_opens_with_the_lowest_club(
    cards, legal, hold, typed, rules, hand, first_trick, allowed, why
):
    """The first lead must be the lowest club, if the rule book says so.

    Then the first card of a deal never depends on a player's choice.
    """
    turn = legal.Turn(cards.Hand(hold(hand)), typed(rules, legal), first_trick=first_trick)
    assert codes(legal.open_low(hold(hand), turn)) == allowed, why
    following = legal.Turn(
        cards.Hand(hold("7C 3C AS")), typed(rules, legal), hold("2C"), first_trick=first_trick
    )
    assert codes(legal.open_low(hold("7C 3C AS"), following)) == ["3C", "7C", "AS"], (
        "Only a lead opens the deal."
    )


@pytest.mark.task("opening-lead")
def test_without_a_card_of_the_opening_suit_any_card_may_be_led(cards, legal, hold):
    """A rule that would allow none of the cards allows all of them.

    A rule sees only the cards that it is given, and among these there may be no club.
    """
    turn = legal.Turn(cards.Hand(hold("7D AS")), legal.HEART, first_trick=True)
    assert codes(legal.open_low(hold("AS 7D"), turn)) == ["7D", "AS"]


@pytest.mark.task("opening-lead")
def test_another_suit_may_open(cards, legal, hold, seats):
    """The suit that opens is the one that the rule book names.

    The same program plays every game, because only its rule book is different.
    """
    rules = legal.Rules(opening_suit=cards.Suit("D"))
    assert legal.first_leader(seats(["2C 9D", "4D 3C", "5C 3D"]), 0, rules) == 2
    turn = legal.Turn(cards.Hand(hold("2C 9D 4D")), rules, first_trick=True)
    assert codes(legal.open_low(hold("2C 9D 4D"), turn)) == ["4D"]


@pytest.mark.task("first-trick")
@pytest.mark.parametrize(
    ("rules", "codes", "costs"),
    [
        ("HEART", "QS KS QD", [13, 0, 0]),
        ("HEART", "9H 9D", [1, 0]),
        ("HEART", "9S AH", [0, 1]),
        ("UVA181", "QS 2H", [0, 2]),
        ("UVA181", "AH AC", [14, 0]),
    ],
)
def test_points_come_from_the_rule_book(legal, hold, typed, rules, codes, costs):
    """A card costs as many points as the rule book says."""
    assert [legal.points(card, typed(rules, legal)) + 0 for card in hold(codes)] == costs


@pytest.mark.task("first-trick")
@pytest.mark.parametrize(
    ("rules", "hand", "allowed", "why"),
    [
        ("ESTELL", "QS KS 9H", ["KS"], ""),
        ("ESTELL", "QS 9H", ["9H", "QS"], NO_CHOICE),
        ("HEART", "QS 9H", ["9H"], HEARTS_FIRST),
        ("HEART", "AH KH", ["AH", "KH"], NO_CHOICE),
        ("DYNACOMP", "QS KS 9H", ["9H", "KS", "QS"], ALLOWED),
        (
            "Rules(points_on_first_trick=True, queen_points=5)",
            "QS KS 9H",
            ["9H", "KS", "QS"],
            ALLOWED,
        ),
        ("Rules(hearts_before_queen=True, queen_points=5)", "QS 9H", ["9H"], HEARTS_FIRST),
        (
            "Rules(hearts_before_queen=True, queen_points=0)",
            "QS 9H KS",
            ["KS", "QS"],
            "A queen of spades that costs nothing is no danger.",
        ),
    ],
)
def test_points_stay_out_of_the_first_trick(cards, legal, hold, typed, rules, hand, allowed, why):
    """No points are played on the first trick, unless they are allowed or there is no choice.

    Otherwise a player could get thirteen points without any chance to avoid them.
    """
    turn = legal.Turn(cards.Hand(hold(hand)), typed(rules, legal), hold("2C"), first_trick=True)
    assert codes(legal.keep_points_back(hold(hand), turn)) == allowed, why


@pytest.mark.task("break-hearts")
@pytest.mark.parametrize(
    ("rules", "tricks", "broken"),
    [
        ("HEART", ["KC 5C 2H", "KC 5C 2S"], [True, False]),
        ("HEART", ["KC QS 2C", "KC AH 2C"], [False, True]),
        ("ESTELL", ["KC QS 2C", "KC QD 2C"], [True, False]),
        ("ESTELL", ["KC KS 2C", "KC KH 2C"], [False, True]),
        ("Rules(queen_breaks_hearts=True, queen_points=5)", ["QS", "QD"], [True, False]),
    ],
)
def test_what_breaks_hearts(legal, hold, typed, stdlib, rules, tricks, broken):
    """A heart breaks hearts; the queen of spades does so only if the rule book says so.

    Before hearts are broken nobody may lead one, so this answer decides what may be led.
    """
    once = [stdlib("builtins").iter(hold(trick)) for trick in tricks]
    assert [legal.hearts_broken(played, typed(rules, legal)) for played in once] == broken


@pytest.mark.task("break-hearts")
@pytest.mark.parametrize(
    ("rules", "hand", "trick", "hearts_broken", "allowed", "why"),
    [
        ("HEART", "7D 9H 4H", "", False, ["7D"], ""),
        (
            "HEART",
            "7D 9H 4H",
            "",
            True,
            ["4H", "7D", "9H"],
            "Once hearts are broken, all may lead them.",
        ),
        ("HEART", "9H 4H", "", False, ["4H", "9H"], NO_CHOICE),
        ("HEART", "QS KS 4H", "", False, ["KS", "QS"], "This rule is about hearts alone."),
        (
            "HEART",
            "7D 9H 4H",
            "KC",
            False,
            ["4H", "7D", "9H"],
            "This rule is only about leads: a void player may discard a heart.",
        ),
        (
            "CIT590",
            "7D 9H 4H",
            "",
            False,
            ["4H", "7D", "9H"],
            "This rule book lets players lead hearts.",
        ),
    ],
)
def test_hearts_are_not_led_too_early(
    cards, legal, hold, typed, rules, hand, trick, hearts_broken, allowed, why
):
    """Before hearts are broken, a player may lead a heart only with no other card.

    This gives all players time to get rid of their high hearts.
    """
    turn = legal.Turn(
        cards.Hand(hold(hand)), typed(rules, legal), hold(trick), hearts_broken=hearts_broken
    )
    assert codes(legal.keep_hearts_back(hold(hand), turn)) == allowed, why


@pytest.mark.task("play-trump")
@pytest.mark.parametrize(
    ("hand", "trick", "allowed", "why"),
    [
        ("3D 8S AS", "KC", ["8S", "AS"], ""),
        ("3D 8S AS 2C", "KC", ["2C", "3D", "8S", "AS"], "Only a player who is void must trump."),
        ("3D 8H", "KC", ["3D", "8H"], "A player without a trump may play any card."),
        ("3D 8S AS", "", ["3D", "8S", "AS"], "Whoever leads has no suit to follow."),
        ("3D 8S", "KC TS", ["8S"], ""),
    ],
)
def test_a_player_who_cannot_follow_must_trump(cards, legal, hold, hand, trick, allowed, why):
    """A player who cannot follow suit must play a trump, if possible.

    A trump may take the trick and all hearts in it, so players would like to avoid it.
    """
    for rules in (legal.UVA181, legal.HEART):
        turn = legal.Turn(cards.Hand(hold(hand)), rules, hold(trick), trump=cards.Suit("S"))
        assert codes(legal.play_trump(hold(hand), turn)) == allowed, why


@pytest.mark.task("take-the-trick")
@pytest.mark.parametrize(("trump", "best"), [(None, "JD"), ("S", "AS"), ("C", "KC"), ("H", "JD")])
def test_the_best_card_of_a_trick(cards, legal, hold, trump, best):
    """The best card is the highest trump, or else the highest card of the suit that was led."""
    assert (
        str(legal.best_card(hold("TD KC JD 9S AS"), cards.Suit(trump) if trump else None)) == best
    )
    assert str(legal.best_card(hold("8H"), cards.Suit(trump) if trump else None)) == "8H"


@pytest.mark.task("take-the-trick")
@pytest.mark.parametrize(
    ("trick", "trump", "seats"),
    [
        ("5D KC JD 3S", None, [2, 3, 0, 1]),
        ("5D KC JD 3S", "C", [1, 2, 3, 0]),
        ("5D 3C JD", "C", [1, 2, 0]),
        ("5D 3C 9S 9D JD", None, [4, 0, 1, 2, 3]),
    ],
)
def test_the_seat_that_takes_the_trick(cards, legal, hold, trick, trump, seats):
    """The seat that played the best card takes the trick, counted clockwise from the leader.

    This seat leads the next trick, so one wrong seat makes the rest of the deal wrong.
    """
    suit = cards.Suit(trump) if trump else None
    for leader, seat in enumerate(seats):
        assert legal.winner(hold(trick), leader, suit) == seat


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
def test_the_first_trick(cards, legal, hold, typed, rules, hand, trick, allowed):
    """On the first trick players lead the lowest club, follow suit and keep points back."""
    turn = legal.Turn(cards.Hand(hold(hand)), typed(rules, legal), hold(trick), first_trick=True)
    assert codes(legal.legal_plays(turn)) == allowed


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
def test_later_tricks(cards, legal, hold, typed, rules, hand, trick, allowed):
    """On later tricks players follow suit, and lead hearts only when they are broken."""
    turn = legal.Turn(cards.Hand(hold(hand)), typed(rules, legal), hold(trick))
    assert codes(legal.legal_plays(turn)) == allowed


@pytest.mark.task("legal-plays")
def test_each_rule_gets_what_the_rule_before_has_left(cards, legal, hold):
    """The rules come one after another: first suit or trump, then points.

    In another order they would leave other cards.
    """
    turn = legal.Turn(
        cards.Hand(hold("5H 9H KD")),
        legal.Rules(opening_suit=None),
        hold("3C"),
        trump=cards.Suit("H"),
        first_trick=True,
    )
    assert [codes(legal.legal_plays(turn)), str(turn.hand)] == [["5H", "9H"], "5H 9H KD"], (
        "",
        "To ask what may be played plays no card.",
    )


@pytest.mark.task("refuse-a-card")
def test_an_error_names_card_rule_and_allowed_cards(legal, hold):
    """The text of an error names the card, the rule, and the cards that may be played instead.

    A player who reads it knows what to play, and why.
    """
    error = str(legal.Revoke(hold("AS")[0], hold("8D 7D")))
    for part in ("AS", "you must follow suit", "7D", "8D"):
        assert part in error
    assert "\n" not in error


@pytest.mark.task("refuse-a-card")
@pytest.mark.parametrize(
    ("hand", "trick", "card", "rule", "named", "unnamed"),
    [
        ("8D 7D AS 2S", "KD JD", "AS", "you must follow suit", ["AS", "7D", "8D"], ["2S"]),
        ("8D 7D AS", "KD JD", "KS", "you do not hold it", ["KS", "7D", "8D"], ["AS"]),
        ("8S 2H", "", "2H", "hearts are not broken", ["2H", "8S"], []),
        ("8D 7D 2H", "KD", "AS", "you do not hold it", ["AS", "7D", "8D"], ["2H"]),
    ],
)
def test_a_card_is_refused(cards, legal, hold, hand, trick, card, rule, named, unnamed):
    """The error says which rule forbids the card, and what may be played."""
    turn = legal.Turn(cards.Hand(hold(hand)), legal.DYNACOMP, hold(trick))
    with pytest.raises(ValueError, match=rule) as refused:
        legal.check_play(hold(card)[0], turn)
    for code in named:
        assert code in str(refused.value)
    for code in unnamed:
        assert code not in str(refused.value)
    assert str(turn.hand) == hand


@pytest.mark.task("refuse-a-card")
def test_the_first_reason_counts(cards, legal, hold):
    """If several rules forbid a card, the error is that of the first, with all legal plays."""
    turn = legal.Turn(cards.Hand(hold("KC 5C QS")), legal.HEART, hold("2C"), first_trick=True)
    with pytest.raises(ValueError, match="you must follow suit") as refused:
        legal.check_play(hold("QS")[0], turn)
    for code in ("QS", "5C", "KC"):
        assert code in str(refused.value)


@pytest.mark.task("refuse-a-card")
def test_a_card_that_may_be_played_is_not_refused(cards, legal, hold):
    """A card that may be played raises no error, and a card that may not be played raises one."""
    turn = legal.Turn(cards.Hand(hold("8D 7D AS")), legal.DYNACOMP, hold("KD JD"))
    assert [legal.check_play(hold("8D")[0], turn), str(turn.hand)] == [None, "8D 7D AS"], (
        "",
        "To check a card plays no card.",
    )
    with pytest.raises(ValueError, match="AS"):
        legal.check_play(hold("AS")[0], turn)
