"""Hidden checks of stage 02: all rules together, and the errors for the player."""

import re

import pytest
from hearts_course import each

HEARTS = " ".join(f"{rank}H" for rank in "23456789TJQKA")
TWELVE_HEARTS_AND_THE_QUEEN = HEARTS.replace("9H", "QS")
ERRORS = {
    "NotHeld": "you do not hold it",
    "WrongOpening": "the opening lead is fixed",
    "Revoke": "you must follow suit",
    "MustTrump": "you must trump",
    "PointsTooEarly": "points are kept out of the first trick",
    "HeartsNotBroken": "hearts are not broken",
}
PRESETS = ["UVA181", "ESTELL", "HEART", "CIT590", "DYNACOMP"]


@pytest.fixture
def hold(cards):
    """Return a function that makes a list of cards from their codes."""
    return lambda codes: each(cards.Card.parse, codes.split())


@pytest.fixture
def turn(cards, legal, hold):
    """Return a function that makes a turn from a rule book's name or fields, hand and so on."""

    def make(rules, hand, trick="", *, trump=None, **known):
        rules = getattr(legal, rules) if isinstance(rules, str) else legal.Rules(**rules)
        trump = cards.Suit(trump) if trump else None
        return legal.Turn(cards.Hand(hold(hand)), rules, hold(trick), trump=trump, **known)

    return make


@pytest.fixture
def refusal(legal, hold):
    """Return a function that finds the error's name for a card; None if it may be played."""

    def find(code, now):
        try:
            legal.check_play(hold(code)[0], now)
        except ValueError as error:
            return error.kind
        return None

    return find


def codes(some_cards):
    """Return the codes of the cards, sorted alphabetically."""
    return sorted(each(str, some_cards))


def named(sentence):
    """Return the codes of the cards that a sentence names, sorted, each once."""
    return sorted(set(re.findall(r"\b[2-9TJQKA][CDHS]\b", sentence)))


@pytest.mark.task("legal-plays")
@pytest.mark.parametrize(
    ("rules", "hand", "allowed"),
    [
        ("UVA181", "KC 2C 4H AS", "2C 4H AS KC"),
        ("ESTELL", "KC 2C 4H AS", "2C"),
        ("HEART", "KC 2C 4H AS", "2C"),
        ("CIT590", "KC 2C 4H AS", "2C"),
        ("DYNACOMP", "KC 3C 4H AS", "3C"),
    ],
)
def test_the_first_lead_of_each_rule_book(legal, turn, rules, hand, allowed):
    """The first lead is the lowest club, or any card if the rule book has no opening suit.

    Try:
        sorted(
            map(str, legal_plays(Turn(Hand(hold("5C 2C 9H")), ESTELL, first_trick=True)))
        )
    """
    assert codes(legal.legal_plays(turn(rules, hand, first_trick=True))) == allowed.split()


@pytest.mark.task("legal-plays")
@pytest.mark.parametrize(
    ("rules", "hand", "allowed"),
    [
        ("ESTELL", "JD 6H QS KS", "JD KS"),
        ("HEART", "JD 6H QS KS", "JD KS"),
        ("CIT590", "JD 6H QS KS", "6H JD KS QS"),
        ("DYNACOMP", "JD 6H QS KS", "6H JD KS QS"),
        ("ESTELL", TWELVE_HEARTS_AND_THE_QUEEN, TWELVE_HEARTS_AND_THE_QUEEN),
        ("HEART", TWELVE_HEARTS_AND_THE_QUEEN, TWELVE_HEARTS_AND_THE_QUEEN.replace("QS", "")),
        ("DYNACOMP", TWELVE_HEARTS_AND_THE_QUEEN, TWELVE_HEARTS_AND_THE_QUEEN),
        ("HEART", HEARTS, HEARTS),
        ("CIT590", "JD 6C QS 9C", "6C 9C"),
        ("HEART", "QS 4H 9C", "9C"),
    ],
)
def test_following_on_the_first_trick(legal, turn, rules, hand, allowed):
    """On the first trick players follow suit; void players keep points back if rules say so.

    Try:
        sorted(
            map(
                str,
                legal_plays(
                    Turn(Hand(hold("KH KD")), HEART, hold("2C 4C"), first_trick=True)
                ),
            )
        )
    """
    now = turn(rules, hand, "2C TC", first_trick=True)
    assert codes(legal.legal_plays(now)) == sorted(allowed.split())


@pytest.mark.task("legal-plays")
@pytest.mark.parametrize(
    ("rules", "hand", "trick", "allowed"),
    [
        ("ESTELL", "8D QS 6H 3C", "KD", "8D"),
        ("HEART", "QS 6H 3C", "AS KS", "QS"),
        ("DYNACOMP", "QS 6H 3C", "KD 2S 5D", "3C 6H QS"),
        ("CIT590", "6H AH 3C", "2H", "6H AH"),
    ],
)
def test_following_on_later_tricks(legal, turn, rules, hand, trick, allowed):
    """On later tricks players follow suit, and a void player may play any card, even a heart.

    Try:
        for trick in ["3C", "3S", "2D"]:
            hand = Hand(hold("QS KD 4H"))
            print(sorted(map(str, legal_plays(Turn(hand, ESTELL, hold(trick))))))
    """
    assert codes(legal.legal_plays(turn(rules, hand, trick))) == allowed.split()
    assert codes(legal.legal_plays(turn(rules, "7D", trick))) == ["7D"]


@pytest.mark.task("legal-plays")
@pytest.mark.parametrize(
    ("rules", "hand", "broken", "allowed"),
    [
        ("HEART", "TC 6H 9H", False, "TC"),
        ("DYNACOMP", "6H 9H", False, "6H 9H"),
        ("ESTELL", "QS 6H 9H", False, "QS"),
        ("ESTELL", "QS TC 9H", False, "QS TC"),
        ("DYNACOMP", "QS TC 9H", True, "9H QS TC"),
        ("CIT590", "QS TC 9H", False, "9H QS TC"),
        ("UVA181", "QS TC 9H", False, "9H QS TC"),
    ],
)
def test_leading_to_later_tricks(legal, turn, rules, hand, broken, allowed):
    """On later tricks hearts may be led only if they are broken or the player has only hearts.

    Try: sorted(map(str, legal_plays(Turn(Hand(hold("QS KD 4H")), DYNACOMP))))
    """
    now = turn(rules, hand, hearts_broken=broken)
    assert codes(legal.legal_plays(now)) == allowed.split()
    assert codes(legal.legal_plays(turn(rules, "7D", hearts_broken=broken))) == ["7D"]


@pytest.mark.task("legal-plays")
@pytest.mark.parametrize(
    ("rules", "played", "allowed"),
    [
        ("ESTELL", "5D QS 8D KD", "8C 9H"),
        ("HEART", "5D QS 8D KD", "8C"),
        ("DYNACOMP", "5D QS 8D", "8C"),
        ("DYNACOMP", "5D 3H 8D", "8C 9H"),
        ("HEART", "KH 4H 2H 7H", "8C 9H"),
    ],
)
def test_what_was_played_decides_about_hearts(legal, hold, turn, rules, played, allowed):
    """Hearts may be led after a heart was played to any trick, or QS if the rule book says so.

    Try:
        hearts_broken(hold("2D QS 3D"), HEART)
        sorted(map(str, legal_plays(Turn(Hand(hold("KD 4H")), HEART))))
    """
    broken = legal.hearts_broken(hold(played), turn(rules, "8C 9H").rules)
    assert codes(legal.legal_plays(turn(rules, "8C 9H", hearts_broken=broken))) == allowed.split()


@pytest.mark.task("legal-plays")
@pytest.mark.parametrize(
    ("hand", "trick", "allowed"),
    [
        ("3D 9D AC 2S", "QD", "3D 9D"),
        ("9D AC 2S 4S", "QH AS", "2S 4S"),
        ("9D AC 7H", "5S TS", "7H 9D AC"),
        ("9D AC 7H", "", "7H 9D AC"),
    ],
)
def test_playing_with_trumps(legal, turn, hand, trick, allowed):
    """With trumps: follow suit if possible, or else trump if possible, or else play any card.

    Try:
        for trick in ["3C", "3S", "3D"]:
            hand = Hand(hold("QS KD 4H"))
            print(
                sorted(
                    map(
                        str,
                        legal_plays(
                            Turn(
                                hand,
                                UVA181,
                                hold(trick),
                                trump=Suit.HEARTS,
                                first_trick=True,
                            )
                        ),
                    )
                )
            )
    """
    now = turn("UVA181", hand, trick, trump="S", first_trick=True)
    assert codes(legal.legal_plays(now)) == allowed.split()


@pytest.mark.task("legal-plays")
@pytest.mark.parametrize(
    ("rules", "hand", "trick", "trump", "allowed"),
    [
        ({"opening_suit": None}, "5H 9H KD", "3C", "H", "5H 9H"),
        ({"opening_suit": None}, "5H 9H KD", "", None, "KD"),
        ({"opening_suit": None}, "QS 2S KD", "3S", None, "2S"),
        ({"hearts_must_be_broken": False}, "5H KD", "", None, "KD"),
        (
            {"queen_breaks_hearts": True, "points_on_first_trick": True},
            "QS 3D",
            "8C",
            None,
            "3D QS",
        ),
        ({"queen_points": 0}, "QS 9H", "8C", None, "QS"),
    ],
)
def test_a_new_rule_book_works(legal, turn, rules, hand, trick, trump, allowed):
    """A table may make its own rule book, and every field of it counts.

    Try:
        table = Rules(opening_suit=None)
        sorted(map(str, legal_plays(Turn(Hand(hold("KC 4H")), table, first_trick=True))))
        sorted(
            map(
                str,
                legal_plays(
                    Turn(
                        Hand(hold("4H 8H KC")),
                        table,
                        hold("3D"),
                        first_trick=True,
                        trump=Suit.HEARTS,
                    )
                ),
            )
        )
        sorted(
            map(
                str,
                legal_plays(
                    Turn(Hand(hold("QS 5S KC")), table, hold("3S"), first_trick=True)
                ),
            )
        )
    """
    now = turn(rules, hand, trick, trump=trump, first_trick=True)
    assert codes(legal.legal_plays(now)) == allowed.split()
    now = turn(rules, "7D", trick, trump=trump, first_trick=True)
    assert codes(legal.legal_plays(now)) == ["7D"]


@pytest.mark.task("legal-plays")
@pytest.mark.parametrize("rules", PRESETS)
def test_every_player_has_a_legal_play(cards, legal, hold, rules):
    """A player who holds a card always has a legal play.

    Try:
        sorted(
            map(
                str,
                legal_plays(Turn(Hand(hold("KH")), ESTELL, hold("2C"), first_trick=True)),
            )
        )
    """
    only = [code for code in ("QS", "4H", "TC", "6D") for _ in range(12)]
    hands = iter(each(cards.Hand, [[card] for card in hold(" ".join(only))]))
    rules, diamonds = getattr(legal, rules), cards.Suit("D")
    turns = [
        legal.Turn(next(hands), rules, trick, first_trick=first, trump=trump)
        for _ in range(4)
        for trick in ([], hold("2C"), hold("9D 2H"))
        for first in (True, False)
        for trump in (None, diamonds)
    ]
    plays = [list(some) for some in each(legal.legal_plays, turns)]
    assert [len(some) for some in plays] == [1] * len(turns)
    assert each(str, [card for [card] in plays]) == only


@pytest.mark.task("legal-plays")
def test_legal_plays_does_not_change_the_hand(legal, turn):
    """`legal_plays` returns cards of the hand, and the hand still holds them.

    Try:
        hand = Hand(hold("KH 2D"))
        [card.words for card in legal_plays(Turn(hand, HEART))]
        str(hand)
    """
    now = turn("HEART", "5S 8H QS 3D")
    plays = legal.legal_plays(now)
    assert [codes(plays), str(now.hand)] == [["3D", "5S", "QS"], "5S 8H QS 3D"]
    for card in plays:
        now.hand.remove(card)
    assert str(now.hand) == "8H"


@pytest.mark.task("refuse-a-card")
@pytest.mark.parametrize("name", ERRORS)
def test_every_error_is_a_sentence(legal, hold, name):
    """Each error names the card, its rule and the allowed cards, on one line.

    Try:
        text = str(MustTrump(Card.parse("KH"), hold("2D 9D")))
        [word in text for word in ["KH", "2D", "9D", "you must trump"]]
        "\\n" in text
    """
    text = str(getattr(legal, name)(hold("JC")[0], hold("TS 4S 6D")))
    assert [named(text), ERRORS[name] in text, "\n" in text] == [
        *[["4S", "6D", "JC", "TS"], True],
        False,
    ]


@pytest.mark.task("refuse-a-card")
def test_the_allowed_cards_may_be_an_iterator(legal, hold, stdlib):
    """The allowed cards may be any iterable, even one that can be used only once.

    Try:
        text = str(Revoke(Card.parse("KH"), iter(hold("2D 9D"))))
        [word in text for word in ["KH", "2D", "9D"]]
    """
    once = stdlib("builtins").iter(hold("TS 4S"))
    assert named(str(legal.Revoke(hold("JC")[0], once))) == ["4S", "JC", "TS"]


@pytest.mark.task("refuse-a-card")
@pytest.mark.parametrize(
    ("rules", "hand", "trick", "known", "card", "error", "allowed"),
    [
        ("HEART", "4C 8H 2C", "", {"first_trick": True}, "4C", "WrongOpening", ["2C"]),
        ("DYNACOMP", "4C 8H 3C", "", {"first_trick": True}, "8H", "WrongOpening", ["3C"]),
        ("ESTELL", "4C 8H JC", "9C", {}, "8H", "Revoke", ["4C", "JC"]),
        ({}, "QS 2S KD", "3S", {"first_trick": True}, "KD", "Revoke", ["2S"]),
        ("UVA181", "4C 8H 2D 5D", "9S", {"trump": "D"}, "4C", "MustTrump", ["2D", "5D"]),
        ("ESTELL", "QS TD", "2C", {"first_trick": True}, "QS", "PointsTooEarly", ["TD"]),
        ("HEART", "QS 3H", "2C", {"first_trick": True}, "QS", "PointsTooEarly", ["3H"]),
        ("DYNACOMP", "6H KH TD", "", {}, "6H", "HeartsNotBroken", ["TD"]),
        ("HEART", "6H TD", "3D 9D", {}, "JD", "NotHeld", ["TD"]),
    ],
)
def test_each_rule_has_its_error(
    legal, hold, turn, rules, hand, trick, known, card, error, allowed
):
    """Each broken rule raises its own error, which names the card and the legal plays.

    Try:
        try:
            check_play(
                Card.parse("KH"),
                Turn(Hand(hold("KH 2D 9D")), ESTELL),
            )
        except HeartsNotBroken as error:
            text = str(error)
        [word in text for word in ["KH", "2D", "9D", "hearts are not broken"]]

    Try:
        try:
            check_play(
                Card.parse("3C"),
                Turn(Hand(hold("KH 2D 9D")), ESTELL),
            )
        except NotHeld as error:
            text = str(error)
        [word in text for word in ["3C", "2D", "9D", "you do not hold it"]]

    Try:
        try:
            check_play(
                Card.parse("KC"),
                Turn(Hand(hold("QS 4S KC")), Rules(), hold("3S"), first_trick=True),
            )
        except Revoke as error:
            text = str(error)
        [word in text for word in ["KC", "4S", "QS", "you must follow suit"]]

    Try:
        try:
            check_play(
                Card.parse("KH"),
                Turn(Hand(hold("KH 2D QS")), ESTELL, hold("9C"), first_trick=True),
            )
        except PointsTooEarly as error:
            text = str(error)
        [word in text for word in ["KH", "2D", "QS"]]

    Try:
        try:
            check_play(
                Card.parse("9C"),
                Turn(Hand(hold("9C 2C KH")), HEART, first_trick=True),
            )
        except WrongOpening as error:
            text = str(error)
        [word in text for word in ["9C", "2C", "KH"]]

    Try:
        try:
            check_play(
                Card.parse("KC"),
                Turn(Hand(hold("KC 2D 9D")), UVA181, hold("9S"), trump=Suit.DIAMONDS),
            )
        except MustTrump as error:
            text = str(error)
        [word in text for word in ["KC", "2D", "9D"]]

    Try:
        try:
            check_play(
                Card.parse("KH"),
                Turn(Hand(hold("KH 2C QS")), ESTELL, hold("9C"), first_trick=True),
            )
        except Revoke as error:
            text = str(error)
        [word in text for word in ["KH", "2C", "you must follow suit"]]
    """
    with pytest.raises(ValueError, match=ERRORS[error]) as refused:
        legal.check_play(hold(card)[0], turn(rules, hand, trick, **known))
    assert [refused.value.kind, named(str(refused.value))] == [error, sorted([card, *allowed])]


@pytest.mark.task("refuse-a-card")
@pytest.mark.parametrize(
    ("rules", "hand", "trick", "known", "card", "error"),
    [
        ("DYNACOMP", "KS JH KH", "7H 5D", {}, "3D", "NotHeld"),
        ("DYNACOMP", "KS 5C", "", {}, "3H", "NotHeld"),
        ("HEART", "KC 5C", "2C", {"first_trick": True}, "QS", "NotHeld"),
        ("HEART", "KC 5C QS", "2C", {"first_trick": True}, "QS", "Revoke"),
        ("ESTELL", "KC 6H", "2C", {"first_trick": True}, "6H", "Revoke"),
        ("HEART", "2C 6H", "", {"first_trick": True}, "6H", "WrongOpening"),
        ("UVA181", "KC 5D", "2C", {"trump": "D"}, "5D", "Revoke"),
        ({}, "5H 6D", "2C", {"trump": "D", "first_trick": True}, "5H", "MustTrump"),
    ],
)
def test_the_first_reason_is_told(turn, refusal, rules, hand, trick, known, card, error):
    """If a card is wrong for several reasons, the first reason decides the error.

    First comes `NotHeld`, then the rules in the order of the table.

    Try:
        check_play(Card.parse("KH"), Turn(Hand(hold("2D 4S")), DYNACOMP, hold("9D")))
        check_play(
            Card.parse("KH"), Turn(Hand(hold("2C KH")), HEART, hold("9C"), first_trick=True)
        )
        check_play(Card.parse("KH"), Turn(Hand(hold("2C KH")), HEART, first_trick=True))
    """
    assert refusal(card, turn(rules, hand, trick, **known)) == error


@pytest.mark.task("refuse-a-card")
@pytest.mark.parametrize(
    ("rules", "hand", "trick", "known", "refusals"),
    [
        ("CIT590", "9H QS 4D", "2C", {"first_trick": True}, [None, None, None]),
        ("HEART", "9H QS 4D", "8S KS", {}, ["Revoke", None, "Revoke"]),
        ("ESTELL", "9H QS 4D", "", {}, ["HeartsNotBroken", None, None]),
        ("HEART", "9H QS TH", "", {}, ["HeartsNotBroken", None, "HeartsNotBroken"]),
        ("DYNACOMP", "9H QS TH", "", {"hearts_broken": True}, [None, None, None]),
        ("UVA181", "9H QS TH", "KD", {"trump": "H"}, [None, "MustTrump", None]),
        ({}, "5H 9H KS", "3C", {"trump": "H", "first_trick": True}, [None, None, "MustTrump"]),
    ],
)
def test_legal_cards_are_not_refused(turn, refusal, rules, hand, trick, known, refusals):
    """Only cards that may not be played raise an error.

    Try:
        turn = Turn(Hand(hold("KH 2D 3D")), HEART)
        check_play(Card.parse("2D"), turn)
        check_play(Card.parse("KH"), turn)
        check_play(Card.parse("4C"), turn)
        str(turn.hand)
        turn = Turn(
            Hand(hold("4H 8H KC")), Rules(), hold("3D"), first_trick=True, trump=Suit.HEARTS
        )
        check_play(Card.parse("4H"), turn)
        check_play(Card.parse("KC"), turn)
        check_play(Card.parse("3C"), Turn(Hand(hold("KH 2D")), ESTELL, hold("9D")))
    """
    now = turn(rules, hand, trick, **known)
    assert [refusal(card, now) for card in [*hand.split(), "7C"]] == [*refusals, "NotHeld"]


@pytest.mark.task("refuse-a-card")
def test_a_refusal_changes_nothing(turn, refusal):
    """An error changes neither the hand nor the trick, so the player can try again.

    Try:
        turn = Turn(Hand(hold("KH 2D")), ESTELL)
        check_play(Card.parse("KH"), turn)
        check_play(Card.parse("3D"), turn)
        check_play(Card.parse("2D"), turn)
        str(turn.hand)
    """
    now = turn("DYNACOMP", "AS 7D 3D", "KD JD")
    assert [refusal(card, now) for card in ("AS", "9D", "7D")] == ["Revoke", "NotHeld", None]
    assert [str(now.hand), [str(card) for card in now.trick]] == ["AS 7D 3D", ["KD", "JD"]]


# The sample game in the manual of HEARTS 1.5, from its third trick to its fifteenth: the player's
# hand, then for each trick the cards on the table, whether hearts were broken, and the cards tried.
DEALT = "AS KS TS 8S 6S 3S AH KH JH 6H 5H 2H 7D 3D TC"
REPLAY = [
    ("KD JD", False, ["AS", "7D"]),
    ("7C KC", False, ["TC"]),
    ("7S", False, ["TS"]),
    ("9S 2S", False, ["AS"]),
    ("", False, ["2H", "8S"]),
    ("", True, ["6S"]),
    ("", True, ["3S"]),
    ("3H 9C", True, ["2H"]),
    ("3C 8C", True, ["AH"]),
    ("2D", True, ["3D"]),
    ("", True, ["5H"]),
    ("", True, ["6H"]),
    ("7H 5D", True, ["3D", "JH"]),
]


@pytest.mark.task("refuse-a-card")
def test_the_game_of_1980(hold, turn, refusal):
    """In a whole deal of 1980, only the three cards that were refused then raise an error.

    Try:
        turn = Turn(Hand(hold("2S 4H")), DYNACOMP, hold("7H"))
        check_play(Card.parse("2S"), turn)
        check_play(Card.parse("4D"), turn)
        check_play(Card.parse("4H"), Turn(Hand(hold("2S 4H")), DYNACOMP))
    """
    hand, refusals = DEALT.split(), []
    for trick, hearts_broken, tries in REPLAY:
        now = turn("DYNACOMP", " ".join(hand), trick, hearts_broken=hearts_broken)
        refusals += [refusal(card, now) for card in tries]
        hand.remove(tries[-1])
    assert [error for error in refusals if error] == ["Revoke", "HeartsNotBroken", "NotHeld"]
    assert hand == ["KS", "KH"]
