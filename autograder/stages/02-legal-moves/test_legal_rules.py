"""Hidden checks of stage 02: each rule alone, and who takes the trick."""

import pytest
from hearts_course import each

RANKS = "23456789TJQKA"
HEARTS = " ".join(f"{rank}H" for rank in RANKS)
TWELVE_HEARTS_AND_THE_QUEEN = HEARTS.replace("5H", "QS")


@pytest.fixture
def hold(cards):
    """Return a function that makes a list of cards from their codes."""
    return lambda codes: each(cards.Card.parse, codes.split())


@pytest.fixture
def book(cards, legal):
    """Return a function that finds a rule book by its name, or makes one from its fields."""

    def find(rules):
        if isinstance(rules, str):
            return getattr(legal, rules)
        suits = {name: cards.Suit(letter) for name, letter in rules.items() if letter in set("CD")}
        return legal.Rules(**{**rules, **suits})

    return find


@pytest.fixture
def turn(cards, legal, hold, book):
    """Return a function that makes a turn from a rule book, hand, trick and the rest."""

    def make(rules, hand, trick="", *, trump=None, **known):
        trump = cards.Suit(trump) if trump else None
        return legal.Turn(cards.Hand(hold(hand)), book(rules), hold(trick), trump=trump, **known)

    return make


def codes(some_cards):
    """Return the codes of the cards, sorted alphabetically."""
    return sorted(each(str, some_cards))


@pytest.mark.task("follow-suit")
@pytest.mark.parametrize(
    ("hand", "trick", "allowed"),
    [
        ("KD 3S 4H", "9S", "3S"),
        ("KD QS 4H", "AS 2S", "QS"),
        ("9C 2H 7H AS", "QH TH 3C", "2H 7H"),
        ("JC AC 5C", "4C", "5C AC JC"),
        ("TD 3D QC", "JD 8C 5S KC", "3D TD"),
    ],
)
def test_the_suit_led_must_be_followed(legal, hold, turn, hand, trick, allowed):
    """A player with cards of the suit that was led must play one of them, at any cost.

    Even the queen of spades must be played if she is the player's only spade.

    Try:
        for hand, trick in [
            ("2S 9S KH", "3S"),
            ("QS KH", "3S"),
            ("2H 3D KH", "4D KC AC"),
            ("3D 2H KH", "AH 9S 3D"),
            ("KH", "3S"),
        ]:
            print(
                sorted(
                    map(
                        str,
                        follow_suit(hold(hand), Turn(Hand(hold(hand)), HEART, hold(trick))),
                    )
                )
            )
    """
    assert codes(legal.follow_suit(hold(hand), turn("DYNACOMP", hand, trick))) == allowed.split()
    assert codes(legal.follow_suit(hold("8H"), turn("DYNACOMP", "8H", trick))) == ["8H"]


@pytest.mark.task("follow-suit")
@pytest.mark.parametrize(
    ("trick", "allowed"), [("6D KC", "3D"), ("6C KD", "2C"), ("3S KC 4D", "2C 3D 9H")]
)
def test_the_first_card_of_a_trick_was_led(legal, hold, turn, trick, allowed):
    """The suit led is the suit of the first card, and later cards do not change it.

    Try:
        for trick in ["3S AH", "3H AS", "3D KS"]:
            hand = hold("2S KH 5C")
            print(sorted(map(str, follow_suit(hand, Turn(Hand(hand), HEART, hold(trick))))))
    """
    now = turn("ESTELL", "9H 3D 2C", trick)
    assert codes(legal.follow_suit(hold("9H 3D 2C"), now)) == allowed.split()


@pytest.mark.task("follow-suit")
@pytest.mark.parametrize("hand", ["4H", "JD QS 6H", "AH KH 2H"])
def test_a_void_player_may_play_anything(legal, hold, turn, hand):
    """A player who is void in the suit led may play any card, even the most expensive.

    Try:
        hand = hold("QS KH")
        sorted(map(str, follow_suit(hand, Turn(Hand(hand), HEART, hold("3D")))))
    """
    assert codes(legal.follow_suit(hold(hand), turn("CIT590", hand, "8C TC"))) == sorted(
        hand.split()
    )


@pytest.mark.task("follow-suit")
@pytest.mark.parametrize("rules", ["UVA181", "HEART"])
def test_the_leader_may_play_anything(legal, hold, turn, rules):
    """For the player who leads, this rule allows every card.

    Try:
        hand = hold("2S KH")
        sorted(map(str, follow_suit(hand, Turn(Hand(hand), HEART))))
    """
    now = turn(rules, "4H JD QS 6H", first_trick=True, hearts_broken=True)
    assert codes(legal.follow_suit(hold("4H JD QS 6H"), now)) == ["4H", "6H", "JD", "QS"]


@pytest.mark.task("follow-suit")
@pytest.mark.parametrize(("given", "allowed"), [("9C KD", "9C"), ("KD 5S", "5S KD")])
def test_follow_suit_uses_only_the_given_cards(legal, hold, turn, given, allowed):
    """A rule chooses only from the given cards, even if the hand holds others.

    Try:
        for given in ["KH", "KH 4S"]:
            print(
                sorted(
                    map(
                        str,
                        follow_suit(
                            hold(given), Turn(Hand(hold("2S KH 4S")), HEART, hold("9S"))
                        ),
                    )
                )
            )
    """
    now = turn("HEART", "9C KD 2C 5S", "TC")
    assert codes(legal.follow_suit(hold(given), now)) == allowed.split()


@pytest.mark.task("follow-suit")
def test_follow_suit_changes_nothing(legal, hold, turn, stdlib):
    """A rule changes neither the list nor the hand nor the turn.

    Try:
        given = hold("KH 2S 4S")
        sorted(map(str, follow_suit(given, Turn(Hand(given), HEART, hold("3S")))))
        sorted(map(str, given))
    """
    given, now = stdlib("collections").UserList(hold("KD 9C 2C")), turn("HEART", "KD 9C 2C", "TC")
    assert codes(legal.follow_suit(given, now)) == ["2C", "9C"]
    assert [[str(card) for card in given], str(now.hand)] == [["KD", "9C", "2C"], "KD 9C 2C"]
    with pytest.raises(AttributeError):
        now.first_trick = True


@pytest.mark.task("opening-lead")
@pytest.mark.parametrize(
    ("rules", "hands", "seat"),
    [
        ("HEART", ["3C 4C", "AC TC", "2D 3D", "JC 2C"], 3),
        ("CIT590", ["2C AC", "TC 3C", "2D 3D", "JC 4C"], 0),
        ("ESTELL", ["AC 2H", "KC 3H", "QC 2S", "AD 2D"], 2),
        ("DYNACOMP", ["TC KD", "JC AS", "9C 2H"], 2),
        ({"opening_suit": "D"}, ["2C 9D", "3C TD", "4C 8D", "AD 5C"], 2),
    ],
)
def test_the_lowest_opening_card_leads_first(cards, legal, hold, book, rules, hands, seat):
    """The seat with the lowest card of the opening suit leads first, whoever is the dealer.

    Try:
        for hands in [["TC", "5H", "9C"], ["5H", "KC", "QC"], ["4C", "3C", "2H"]]:
            print(
                [
                    first_leader([Hand(hold(hand)) for hand in hands], dealer, DYNACOMP)
                    for dealer in range(3)
                ]
            )
        first_leader(
            [Hand(hold("2C")), Hand(hold("4D"))], 1, Rules(opening_suit=Suit.DIAMONDS)
        )
        first_leader(
            [Hand(hold("4D")), Hand(hold("2D"))], 1, Rules(opening_suit=Suit.DIAMONDS)
        )
    """
    hands = [cards.Hand(hold(hand)) for hand in hands]
    leaders = [legal.first_leader(hands, dealer, book(rules)) for dealer in (0, 1, 2)]
    turned = legal.first_leader([*hands[1:], hands[0]], 0, book(rules))
    assert [leaders, turned] == [[seat] * 3, (seat - 1) % len(hands)]


@pytest.mark.task("opening-lead")
@pytest.mark.parametrize(
    ("dealers", "leaders"), [([4, 3], [0, 4]), ([0, 4], [1, 0]), ([2, 1], [3, 2])]
)
def test_without_opening_suit_the_dealers_left_leads(cards, legal, hold, dealers, leaders):
    """Without an opening suit, the seat on the dealer's left leads first.

    On the left of the last seat is seat 0.

    Try: first_leader([Hand(hold("5C")), Hand(hold("4C")), Hand(hold("2H"))], 2, UVA181)
    """
    hands = [cards.Hand(hold(hand)) for hand in ("5C 2C", "4C AC", "2H AS", "KD JD", "3C 3D")]
    assert [legal.first_leader(hands, dealer, legal.UVA181) for dealer in dealers] == leaders


@pytest.mark.task("opening-lead")
@pytest.mark.parametrize(
    ("rules", "given", "allowed"),
    [
        ("ESTELL", "AS KC 2C", "2C"),
        ("HEART", "2C", "2C"),
        ("CIT590", "TC QC JC", "TC"),
        ("DYNACOMP", "9C 8H 4C 3C 2H", "3C"),
        ("UVA181", "AS KC 2C", "2C AS KC"),
        ({"opening_suit": "D"}, "2C KD AD", "KD"),
        ({"opening_suit": None}, "2C KD AD", "2C AD KD"),
    ],
)
def test_the_opening_lead(legal, hold, turn, rules, given, allowed):
    """The first lead is the lowest card of the opening suit, if the rule book has such a suit.

    Try:
        for rules in [CIT590, UVA181, Rules(opening_suit=Suit.DIAMONDS)]:
            hand = hold("5C 4C 7D 6D 2H")
            print(
                sorted(map(str, open_low(hand, Turn(Hand(hand), rules, first_trick=True))))
            )
        sorted(
            map(
                str,
                open_low(
                    hold("2H 3S"),
                    Turn(
                        Hand(hold("2H 3S")),
                        Rules(opening_suit=Suit.DIAMONDS),
                        first_trick=True,
                    ),
                ),
            )
        )
    """
    now = turn(rules, given, first_trick=True)
    assert codes(legal.open_low(hold(given), now)) == allowed.split()


@pytest.mark.task("opening-lead")
@pytest.mark.parametrize(
    ("trick", "first_trick", "given"),
    [("2C", True, "KC 6C 2H"), ("", False, "KC 6C 2H"), ("3D", False, "KC"), ("", True, "3S 2H")],
)
def test_open_low_allows_all_cards_in_other_turns(legal, hold, turn, trick, first_trick, given):
    """`open_low` allows all cards in every turn but the lead to the first trick.

    Try:
        for trick, first in [("2C", True), ("", False), ("2C", False)]:
            hand = hold("5C 4C 2H")
            print(
                sorted(
                    map(
                        str,
                        open_low(
                            hand, Turn(Hand(hand), CIT590, hold(trick), first_trick=first)
                        ),
                    )
                )
            )
        sorted(
            map(
                str,
                open_low(
                    hold("2H 9D"), Turn(Hand(hold("2H 9D 5C")), CIT590, first_trick=True)
                ),
            )
        )
    """
    now = turn("HEART", "KC 6C 2H 3S", trick, first_trick=first_trick)
    assert codes(legal.open_low(hold(given), now)) == sorted(given.split())


@pytest.mark.task("opening-lead")
def test_open_low_changes_nothing(legal, hold, turn, stdlib):
    """`open_low` changes neither the list nor the hand.

    Try:
        given = hold("5C 4C")
        sorted(map(str, open_low(given, Turn(Hand(given), HEART, first_trick=True))))
        given
    """
    given = stdlib("collections").UserList(hold("KD 9C 3C"))
    now = turn("HEART", "KD 9C 3C", first_trick=True)
    assert codes(legal.open_low(given, now)) == ["3C"]
    assert [[str(card) for card in given], str(now.hand)] == [["KD", "9C", "3C"], "KD 9C 3C"]


@pytest.mark.task("first-trick")
@pytest.mark.parametrize(
    ("rules", "hearts", "queen"),
    [
        ("UVA181", list(range(2, 15)), 0),
        ("ESTELL", [1] * 13, 13),
        ("HEART", [1] * 13, 13),
        ("CIT590", [1] * 13, 13),
        ("DYNACOMP", [1] * 13, 13),
        ({"queen_points": 5}, [1] * 13, 5),
        ({"hearts_at_face_value": True}, list(range(2, 15)), 13),
    ],
)
def test_hearts_and_the_queen_cost_points(legal, hold, book, rules, hearts, queen):
    """Hearts and the queen of spades cost what the rule book says.

    Try:
        for rules in [UVA181, HEART, Rules(queen_points=7)]:
            print([int(points(card, rules)) for card in hold("2H TH KH QH QS")])
    """
    rules = book(rules)
    assert [int(legal.points(card, rules)) for card in hold(HEARTS)] == hearts
    assert int(legal.points(hold("QS")[0], rules)) == queen


@pytest.mark.task("first-trick")
@pytest.mark.parametrize(("rules", "five"), [("UVA181", 5), ("HEART", 1)])
def test_all_other_cards_cost_nothing(legal, hold, book, rules, five):
    """Clubs, diamonds and all other spades cost nothing.

    Try:
        for rules in [UVA181, HEART]:
            print([int(points(card, rules)) for card in hold("QD KS AS AC 2H 3H")])
    """
    spades = [rank + "S" for rank in RANKS if rank != "Q"]
    free = hold(" ".join([*spades, *(rank + suit for suit in "CD" for rank in RANKS)]))
    assert set(each(int, each(legal.points, free, [book(rules)] * len(free)))) == {0}
    assert int(legal.points(hold("5H")[0], book(rules))) == five


@pytest.mark.task("first-trick")
def test_a_rule_book_never_changes(legal, hold):
    """A rule book cannot be changed, and its fields are given by name.

    Try: HEART.queen_points = 0
    """
    with pytest.raises(AttributeError):
        legal.HEART.queen_points = 0
    with pytest.raises(TypeError):
        legal.Rules(None)
    assert int(legal.points(hold("QS")[0], legal.HEART)) == 13


@pytest.mark.task("first-trick")
@pytest.mark.parametrize(
    ("rules", "given", "allowed"),
    [
        ("ESTELL", "QS AS 4H QD", "AS QD"),
        ("HEART", "QS AS 4H QD", "AS QD"),
        ("CIT590", "QS AS 4H QD", "4H AS QD QS"),
        ("UVA181", "QS AS 4H QD", "4H AS QD QS"),
        ({"queen_points": 0}, "QS 4H", "QS"),
        ({"queen_points": 0, "hearts_before_queen": True}, "QS 4H KD", "KD QS"),
        ({"points_on_first_trick": True, "queen_breaks_hearts": True}, "2S 4H", "2S 4H"),
        ({"points_on_first_trick": True, "hearts_before_queen": True}, "4H QS", "4H QS"),
    ],
)
def test_points_are_kept_back(legal, hold, turn, rules, given, allowed):
    """On the first trick, cards that cost points are kept back if the rule book says so.

    Try:
        for rules in [
            HEART,
            ESTELL,
            CIT590,
            Rules(queen_points=0),
            Rules(queen_points=0, hearts_before_queen=True),
            Rules(points_on_first_trick=True, hearts_before_queen=True),
        ]:
            hand = hold("QH KS QC QS")
            print(
                [
                    sorted(
                        map(
                            str,
                            keep_points_back(
                                hold(given),
                                Turn(Hand(hand), rules, hold("3C"), first_trick=True),
                            ),
                        )
                    )
                    for given in ["QH KS QC QS", "QH QS", "QS", "QH KS"]
                ]
            )
    """
    now = turn(rules, given, "2C 8C", first_trick=True)
    assert codes(legal.keep_points_back(hold(given), now)) == allowed.split()
    assert codes(legal.keep_points_back(hold("7D"), now)) == ["7D"]


@pytest.mark.task("first-trick")
@pytest.mark.parametrize(
    ("rules", "given", "allowed"),
    [
        ("ESTELL", TWELVE_HEARTS_AND_THE_QUEEN, TWELVE_HEARTS_AND_THE_QUEEN),
        ("HEART", TWELVE_HEARTS_AND_THE_QUEEN, TWELVE_HEARTS_AND_THE_QUEEN.replace("QS", "")),
        ("HEART", HEARTS, HEARTS),
        ("ESTELL", HEARTS, HEARTS),
        ("HEART", "QS", "QS"),
        ({"hearts_before_queen": True, "queen_breaks_hearts": True}, "QS 4H", "4H"),
    ],
)
def test_a_player_with_only_points_may_play_them(legal, hold, turn, rules, given, allowed):
    """A player with only points may play them, but some rule books keep the queen back longer.

    This hand is very rare, but a program must know what to do with it.

    Try:
        for rules in [HEART, ESTELL, Rules(hearts_before_queen=True, queen_points=7)]:
            print(
                [
                    sorted(
                        map(
                            str,
                            keep_points_back(
                                hold(hand),
                                Turn(Hand(hold(hand)), rules, hold("3C"), first_trick=True),
                            ),
                        )
                    )
                    for hand in ["2H", "QS 2H", "QS"]
                ]
            )
    """
    now = turn(rules, given, "2C", first_trick=True)
    assert codes(legal.keep_points_back(hold(given), now)) == sorted(allowed.split())
    assert codes(legal.keep_points_back(hold("7D"), now)) == ["7D"]


@pytest.mark.task("first-trick")
@pytest.mark.parametrize("rules", ["ESTELL", "HEART"])
def test_later_tricks_may_cost_points(legal, hold, turn, rules):
    """From the second trick on, points may be played.

    Try:
        hand = hold("QS KD")
        sorted(map(str, keep_points_back(hand, Turn(Hand(hand), HEART, hold("3C")))))
    """
    now = turn(rules, "QS AS 4H", "KC")
    assert codes(legal.keep_points_back(hold("QS AS 4H"), now)) == ["4H", "AS", "QS"]


@pytest.mark.task("first-trick")
def test_keep_points_back_uses_only_the_given_cards(legal, hold, turn):
    """If all given cards cost points, the rule allows them, even if the hand holds others.

    Try:
        for given in ["QH", "QH QS", "QS KD"]:
            print(
                sorted(
                    map(
                        str,
                        keep_points_back(
                            hold(given),
                            Turn(
                                Hand(hold("QH QS KD")), ESTELL, hold("3C"), first_trick=True
                            ),
                        ),
                    )
                )
            )
    """
    now = turn("ESTELL", "QS AS 4H", "KS", first_trick=True)
    assert codes(legal.keep_points_back(hold("QS 4H"), now)) == ["4H", "QS"]


@pytest.mark.task("first-trick")
def test_keep_points_back_changes_nothing(legal, hold, turn, stdlib):
    """`keep_points_back` changes neither the list nor the hand.

    Try:
        given = hold("QS 5D 2H 4D")
        turn = Turn(Hand(given), ESTELL, hold("3C"), first_trick=True)
        sorted(map(str, keep_points_back(given, turn)))
        list(map(str, given))
    """
    given = stdlib("collections").UserList(hold("QS KD 4H 3D"))
    now = turn("ESTELL", "QS KD 4H 3D", "KC", first_trick=True)
    assert codes(legal.keep_points_back(given, now)) == ["3D", "KD"]
    assert [[str(card) for card in given], str(now.hand)] == [
        ["QS", "KD", "4H", "3D"],
        "QS KD 4H 3D",
    ]


@pytest.mark.task("break-hearts")
@pytest.mark.parametrize(
    ("rules", "played", "broken"),
    [
        ("DYNACOMP", "", False),
        ("DYNACOMP", "2C 8C TC 4S QS AS", False),
        ("HEART", "JD QS KC AC", False),
        ("ESTELL", "JD KC AC QS", True),
        ("ESTELL", "QD QC KS JS", False),
        ("HEART", "3H", True),
        ("ESTELL", "2C AC TC KC AH", True),
        ("DYNACOMP", "2C 6H TC AH KS QS 4D", True),
        ({"queen_breaks_hearts": True, "queen_points": 0}, "QS 2S", True),
    ],
)
def test_hearts_are_broken(legal, hold, book, rules, played, broken):
    """Any heart that was played breaks hearts, and so does QS if the rule book says so.

    Try:
        for rules in [
            ESTELL,
            HEART,
            Rules(queen_breaks_hearts=True, queen_points=7),
            UVA181,
        ]:
            print(
                [
                    hearts_broken(hold(played), rules)
                    for played in ["2C 5C QC", "3D TH 5S", "QS 3C", "KS AS", "QD 4S"]
                ]
            )
    """
    found = [legal.hearts_broken(hold(codes), book(rules)) for codes in (played, "9H", "9D")]
    assert found == [broken, True, False]


@pytest.mark.task("break-hearts")
@pytest.mark.parametrize(("played", "broken"), [("2C TC 6H", True), ("2C TC 6S", False)])
def test_played_cards_may_be_an_iterator(legal, hold, stdlib, played, broken):
    """The played cards may be any iterable, even one that can be used only once.

    Try:
        hearts_broken(iter(hold("3D TH")), HEART)
        hearts_broken(iter(hold("3D")), HEART)
    """
    once = [stdlib("builtins").iter(hold(codes)) for codes in (played, "9H", "9D")]
    assert [legal.hearts_broken(cards, legal.HEART) for cards in once] == [broken, True, False]


@pytest.mark.task("break-hearts")
@pytest.mark.parametrize(
    ("rules", "given", "allowed"),
    [
        ("DYNACOMP", "8H 3H 5C", "5C"),
        ("ESTELL", "8H QS 3H", "QS"),
        ("HEART", "8H QS 5C", "5C QS"),
        ("DYNACOMP", "8H 3H AH", "3H 8H AH"),
        ("UVA181", "8H 3H 5C", "3H 5C 8H"),
        ("CIT590", "8H QS 3H", "3H 8H QS"),
        ({"hearts_must_be_broken": False, "queen_breaks_hearts": True}, "8H 5C", "5C 8H"),
    ],
)
def test_hearts_wait_until_they_are_broken(legal, hold, turn, rules, given, allowed):
    """Before hearts are broken, a player must lead any other card first, even QS.

    Try:
        for rules in [
            ESTELL,
            CIT590,
            Rules(hearts_must_be_broken=False, queen_breaks_hearts=True),
        ]:
            print(
                [
                    sorted(
                        map(
                            str, keep_hearts_back(hold(hand), Turn(Hand(hold(hand)), rules))
                        )
                    )
                    for hand in ["KH TD", "KH 2H", "QS KH", "QS TD"]
                ]
            )
    """
    assert codes(legal.keep_hearts_back(hold(given), turn(rules, given))) == allowed.split()
    assert codes(legal.keep_hearts_back(hold("7D"), turn(rules, "7D"))) == ["7D"]


@pytest.mark.task("break-hearts")
@pytest.mark.parametrize("rules", ["DYNACOMP", "ESTELL"])
def test_broken_hearts_may_be_led(legal, hold, turn, rules):
    """When hearts are broken, any card may be led.

    Try:
        hand = hold("KH TD")
        sorted(
            map(str, keep_hearts_back(hand, Turn(Hand(hand), ESTELL, hearts_broken=True)))
        )
    """
    now = turn(rules, "8H 3H 5C", hearts_broken=True)
    assert codes(legal.keep_hearts_back(hold("8H 3H 5C"), now)) == ["3H", "5C", "8H"]


@pytest.mark.task("break-hearts")
@pytest.mark.parametrize("trick", ["4D", "4H", "KS 2S"])
def test_a_heart_may_be_discarded_before_hearts_are_broken(legal, hold, turn, trick):
    """A player who does not lead may play a heart at any time, and that breaks hearts.

    Try:
        hand = hold("KH TD")
        sorted(map(str, keep_hearts_back(hand, Turn(Hand(hand), ESTELL, hold("5S")))))
    """
    now = turn("HEART", "8H 3H 5C", trick)
    assert codes(legal.keep_hearts_back(hold("8H 3H 5C"), now)) == ["3H", "5C", "8H"]


@pytest.mark.task("break-hearts")
def test_keep_hearts_back_uses_only_the_given_cards(legal, hold, turn):
    """If all given cards are hearts, the rule allows them, even if the hand holds others.

    Try: sorted(map(str, keep_hearts_back(hold("KH"), Turn(Hand(hold("KH TD")), ESTELL))))
    """
    now = turn("HEART", "8H 3H 5C")
    assert codes(legal.keep_hearts_back(hold("8H 3H"), now)) == ["3H", "8H"]


@pytest.mark.task("break-hearts")
def test_keep_hearts_back_changes_nothing(legal, hold, turn, stdlib):
    """`keep_hearts_back` changes neither the list nor the hand.

    Try:
        given = hold("KH 2D 4C")
        sorted(map(str, keep_hearts_back(given, Turn(Hand(given), HEART))))
        list(map(str, given))
    """
    given = stdlib("collections").UserList(hold("8H 3H 5C 2C"))
    now = turn("HEART", "8H 3H 5C 2C")
    assert codes(legal.keep_hearts_back(given, now)) == ["2C", "5C"]
    assert [[str(card) for card in given], str(now.hand)] == [
        ["8H", "3H", "5C", "2C"],
        "8H 3H 5C 2C",
    ]


@pytest.mark.task("play-trump")
@pytest.mark.parametrize(
    ("trump", "given", "trick", "allowed"),
    [
        ("C", "AD KH 3C", "TS", "3C"),
        ("C", "AD 2C 3C", "TS AC", "2C 3C"),
        ("H", "AD 6H KC", "2S 9S 9H", "6H"),
        ("D", "8D 4D", "QC", "4D 8D"),
        ("D", "AS KH 3C", "JD 2D", "3C AS KH"),
        ("D", "AS KH TH", "JC", "AS KH TH"),
        ("S", "8H 2S 5C", "4C", "2S 5C 8H"),
        ("S", "8H 2S", "4S 4C", "2S 8H"),
        (None, "8H 2S", "4C", "2S 8H"),
        ("S", "8H 2S", "", "2S 8H"),
    ],
)
def test_trumps_must_be_played(legal, hold, turn, trump, given, trick, allowed):
    """Only a player who cannot follow suit must trump; without a trump, any card may be played.

    Try:
        for hand, trick in [
            ("2D AH", "KC"),
            ("2D 4D AH", "KC 9D"),
            ("3S AH", "KC"),
            ("2D AH", ""),
            ("2D 3C", "KC"),
        ]:
            print(
                sorted(
                    map(
                        str,
                        play_trump(
                            hold(hand),
                            Turn(
                                Hand(hold(hand)), UVA181, hold(trick), trump=Suit.DIAMONDS
                            ),
                        ),
                    )
                )
            )
        sorted(
            map(
                str,
                play_trump(hold("2D AH"), Turn(Hand(hold("2D AH")), UVA181, hold("KC"))),
            )
        )
    """
    now = turn("UVA181", given, trick, trump=trump)
    assert codes(legal.play_trump(hold(given), now)) == allowed.split()


@pytest.mark.task("play-trump")
def test_any_rule_book_may_be_played_with_trumps(legal, hold, turn):
    """The turn says whether there are trumps, with any rule book.

    Try:
        turn = Turn(Hand(hold("2D 5D AH 4C")), HEART, hold("KC"), trump=Suit.DIAMONDS)
        sorted(map(str, play_trump(hold("2D 5D AH"), turn)))
    """
    now = turn("ESTELL", "JD 7S QD 3C", "KC", trump="D")
    assert codes(legal.play_trump(hold("JD 7S QD"), now)) == ["JD", "QD"]


@pytest.mark.task("play-trump")
def test_play_trump_changes_nothing(legal, hold, turn, stdlib):
    """`play_trump` changes neither the list nor the hand.

    Try:
        given = hold("KD 7S 2D")
        turn = Turn(Hand(given), UVA181, hold("KC"), trump=Suit.DIAMONDS)
        sorted(map(str, play_trump(given, turn)))
        list(map(str, given))
    """
    given = stdlib("collections").UserList(hold("QD 7S JD"))
    now = turn("UVA181", "QD 7S JD", "KC", trump="D")
    assert codes(legal.play_trump(given, now)) == ["JD", "QD"]
    assert [[str(card) for card in given], str(now.hand)] == [["QD", "7S", "JD"], "QD 7S JD"]


@pytest.mark.task("take-the-trick")
@pytest.mark.parametrize(
    ("trick", "trump", "best"),
    [
        ("2D AC KS QH", None, "2D"),
        ("9H TH JS", None, "TH"),
        ("JC AC KC QC", None, "AC"),
        ("7S", None, "7S"),
        ("3D 3S", None, "3D"),
        ("2C 5H 9C AH", None, "9C"),
        ("AH KH 2C AS 3D", "C", "2C"),
        ("AH 5C KH TC 9C", "C", "TC"),
        ("4C AS 9C 2C", "C", "9C"),
        ("QD 3D AC", "S", "QD"),
    ],
)
def test_which_card_is_best(cards, legal, hold, trick, trump, best):
    """A trump beats every other suit, then comes the suit led; within a suit, the rank decides.

    Try:
        for trick in [
            "5H KD 8H AS",
            "9S 2D TS QS",
            "KC 3D TD",
            "TC QC JC",
            "QC TC KC",
            "JC AC",
        ]:
            print(best_card(hold(trick)), best_card(hold(trick), Suit.DIAMONDS))
    """
    trump = cards.Suit(trump) if trump else None
    assert [str(legal.best_card(hold(codes), trump)) for codes in (trick, "6D")] == [best, "6D"]


@pytest.mark.task("take-the-trick")
@pytest.mark.parametrize(
    ("trick", "trump", "seats"),
    [
        ("KS 7S 4S", None, [0, 1, 2]),
        ("7S KS 4S", None, [1, 2, 0]),
        ("8D 2C KC TD", None, [3, 0, 1, 2]),
        ("8D TC 3C QH JH", "C", [1, 2, 3, 4, 0]),
        ("9C AS 9S TS TC", None, [4, 0, 1, 2, 3]),
    ],
)
def test_which_seat_takes_the_trick(cards, legal, hold, trick, trump, seats):
    """The seat that played the best card takes the trick, with three, four or five players.

    Try:
        for trick in ["5H KD 8H AS", "9H TH 2D QH JH", "9H TH KD"]:
            print(
                [winner(hold(trick), leader) for leader in range(3)],
                [winner(hold(trick), leader, Suit.DIAMONDS) for leader in range(3)],
            )
    """
    trick, trump = hold(trick), cards.Suit(trump) if trump else None
    leaders = range(len(seats))
    assert [legal.winner(trick, leader, trump) for leader in leaders] == seats


@pytest.mark.task("take-the-trick")
def test_trump_may_be_left_out(legal, hold, stdlib):
    """The argument `trump` may be left out, and the trick does not change.

    Try:
        trick = hold("9H TH 8H AS")
        str(best_card(trick))
        winner(trick, 1)
        [str(card) for card in trick]
    """
    trick = stdlib("collections").UserList(hold("JC 3C KC AD"))
    assert [str(legal.best_card(trick)), legal.winner(trick, 1)] == ["KC", 3]
    assert [str(card) for card in trick] == ["JC", "3C", "KC", "AD"]


# Whole deals, trick by trick: the sample game in the manual of HEARTS 1.5, a deal that OpenSpiel
# has checked, and the sample of UVa 181. Before them: first leader, trumps, who took each trick.
DEALS = {
    "three players": (
        (2, None, "1112100011200100"),
        "2C JC AC, AD QD 8D, KD JD 7D, 7C KC TC, 7S TS JS, 9S 2S AS, 8S 5S TH, 6S 4S 9H, "
        "3S QS TD, 3H 9C 2H, 3C 8C AH, 2D 3D QH, 5H 4H 9D, 6H 8H 6D, 7H 5D JH, KH 6C 4C",
    ),
    "four players": (
        (3, None, "2001031333111"),
        "2C 5C 6C 7C, 9C TC KC 8C, KS 9S JS 2S, 6S TS 4S 5S, TD 4D 9D JD, 3C 8S JC QC, "
        "7S 3S AS QS, 7D 5D AD 8D, AH 6H TH KH, QH JH 3H 4H, 5H 6D 8H 3D, 9H KD 2H 2D, QD 4C 7H AC",
    ),
    "five players and trumps": (
        (0, "C", "4111133141"),
        "TS KS 8S QS AS, QH TH AH KH 9H, AC KC TC JC 7C, QC 5C 9C 8C 2C, JS 6S 9S 5S 7S, "
        "JD 8H AD QD 7D, KD TD 5D 6D 6H, 9D 4D 2D 4C 5H, 4H 4S 8D JH 7H, 2H 3S 3H 2S 3D",
    ),
}


@pytest.mark.task("take-the-trick")
@pytest.mark.parametrize("deal", DEALS)
def test_the_winner_leads_the_next_trick(cards, legal, hold, deal):
    """In a whole deal, the winner of each trick leads the next one.

    Try:
        for trump in [None, Suit.DIAMONDS]:
            print(
                [
                    winner(hold(trick), leader, trump)
                    for leader in range(3)
                    for trick in [
                        "5H KD 8H",
                        "TD 7D 9D",
                        "9C TC 2D",
                        "7D KD 3S",
                        "JC AC 4C",
                        "QS JS TS 5D 4S",
                    ]
                ]
            )
    """
    (leader, trump, seats), tricks = DEALS[deal]
    trump, taken = cards.Suit(trump) if trump else None, ""
    for trick in tricks.split(", "):
        leader = legal.winner(hold(trick), leader, trump)
        taken += str(leader)
    assert taken == seats
