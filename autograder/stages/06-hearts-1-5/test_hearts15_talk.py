"""Hidden checks of stage 06: the score table, the dealing, the questions and the answers."""

import pytest
from hearts_course import each

PACK = {rank + suit for suit in "CDHS" for rank in "23456789TJQKA"}
TYPING = "ERROR IN TYPING, TRY AGAIN."
PASS = "ERROR IN PASS, TRY AGAIN."
LEAD = "ERROR IN LEAD, TRY AGAIN."
RENEGE = "RENEGE, TRY AGAIN."
TOO_EARLY = "ILLEGAL TO PLAY A HEART NOW"
MUST_LEAD = "YOU MUST LEAD THE 2C"


@pytest.fixture
def hold(cards):
    """Return a function that makes a hand of these codes."""
    return lambda codes: cards.Hand(each(cards.Card.parse, codes.split()))


@pytest.fixture
def turn(legal, hold):
    """Return a function that makes a turn from the hand, the trick and more, by name."""

    def make(held, trick="", **more):
        return legal.Turn(hold(held), legal.DYNACOMP, list(hold(trick)), **more)

    return make


def said(script):
    """Return the lines of the script's screen that are not empty."""
    return [line for line in script.lines if line]


def talked(prompt, *pairs):
    """Return the lines of a talk: each prompt with what was typed, and the program's reply."""
    return [line for typed, answer in pairs for line in (prompt + typed, answer) if line]


# Add up the points


@pytest.mark.task("add-up-points")
@pytest.mark.parametrize(
    ("scores", "totals", "game", "total"),
    [
        ([0, 26, 0], [0, 26, 0], "GAME:\t0\t26\t0", "TOTAL:\t0\t26\t0"),
        ([3, 4, 19], [101, 99, 60], "GAME:\t3\t4\t19", "TOTAL:\t101\t99\t60"),
    ],
)
def test_the_table_shows_this_deal_and_all_deals(hearts15, scores, totals, game, total):
    """The table shows the points of this deal and of all deals, in the order of the seats.

    Try: score_table([1, 2, 23], [10, 50, 44])
    """
    header = "\tYOU\tPLAYER 2\tPLAYER 3"
    assert hearts15.score_table(scores, totals) == [header, "THIS", game, "-----", total]


@pytest.mark.task("add-up-points")
@pytest.mark.parametrize(
    ("totals", "line"),
    [
        ([0, 26, 52], "YOU WIN THE GAME."),
        ([100, 90, 44], "PLAYER 3 WINS THE GAME."),
        ([9, 100, 47], "YOU WIN THE GAME."),
        ([60, 18, 26], "PLAYER 2 WINS THE GAME."),
        ([13, 26, 13], "YOU AND PLAYER 3 WIN THE GAME."),
        ([0, 0, 26], "YOU AND PLAYER 2 WIN THE GAME."),
        ([52, 13, 13], "PLAYER 2 AND PLAYER 3 WIN THE GAME."),
        ([26, 26, 26], "YOU, PLAYER 2 AND PLAYER 3 WIN THE GAME."),
    ],
)
def test_winners_are_named(hearts15, totals, line):
    """All players with the fewest points are named, in the order of their seats.

    It is YOU WIN, but PLAYER 2 WINS. Several players WIN.

    Try: [verdict(totals) for totals in ([4, 12, 4], [1, 2, 3], [7, 2, 3], [5, 5, 5])]
    """
    assert hearts15.verdict(totals) == line


# Deal to three


def codes_of(deal):
    """Return the sorted codes of each hand, and the code of the hidden card."""
    return [sorted(each(str, hand)) for hand in deal.hands], str(deal.hidden)


@pytest.fixture
def deals_of(hearts15, stdlib):
    """Return a function that returns the first deals of a seed, as codes."""
    take = stdlib("itertools").islice
    return lambda seed, number=2: [
        codes_of(deal) for deal in list(take(hearts15.shuffled_deals(seed), number))
    ]


@pytest.mark.task("deal-to-three")
def test_every_deal_is_a_whole_pack(deals_of):
    """In every deal, three hands of 17 cards and the hidden card make a freshly shuffled pack.

    Try:
        deals = shuffled_deals(3)
        hidden = [str(next(deals).hidden) for _ in range(40)]
        len(set(hidden)) > 8
    """
    deals = deals_of(17, 30)
    assert [[len(set(hand)) for hand in hands] for hands, _ in deals] == [[17, 17, 17]] * 30
    assert all({*hands[0], *hands[1], *hands[2], hidden} == PACK for hands, hidden in deals)
    assert len({hidden for _, hidden in deals}) > 8
    assert len({tuple(hands[0]) for hands, _ in deals}) == 30


@pytest.mark.task("deal-to-three")
@pytest.mark.parametrize("seed", [0, 6.12, 999, 0.5])
def test_the_seed_decides_all_deals(deals_of, stdlib, seed):
    """The same seed gives the same deals, all of them; a different seed gives different deals.

    The shared generator of the module `random` is neither used nor changed.

    Try: Take the first two deals of `shuffled_deals(0.25)` and of `shuffled_deals(0.0)`. Call
    `random.seed(1)`, and take them again.
    """
    first = deals_of(seed, 3)
    stdlib("random").seed(4)
    before = stdlib("random").getstate()
    assert [len(first[2][0][1]), deals_of(seed, 3) == first] == [17, True]
    assert stdlib("random").getstate() == before
    assert [deals_of(other, 3)[0] == first[0] for other in (seed + 0.25, 7)] == [False, False]


# Ask again


@pytest.mark.task("ask-again")
@pytest.mark.parametrize("typed", ["0", "1000", "-5", "7.5", "", "   ", "x", "75 points", "-75"])
def test_an_invalid_limit_is_asked_again(hearts15, typed):
    """The limit is a whole number from 1 to 999; anything else is a typing error.

    Try:
        script = Script(["ten", "00", "2.5", "10"])
        ask_limit(script)
        show(script)
    """
    script = hearts15.Script([typed, "50"])
    assert hearts15.ask_limit(script) == 50
    assert said(script) == [
        "HOW MANY POINTS DO YOU",
        *talked("WISH TO PLAY TO? ", (typed, TYPING), ("50", "")),
    ]


@pytest.mark.task("ask-again")
@pytest.mark.parametrize(("typed", "limit"), [("1", 1), ("999", 999), (" 26  ", 26)])
def test_limits_go_from_1_to_999(hearts15, typed, limit):
    """The smallest limit is 1 and the greatest 999; spaces around it are ignored.

    Try: [ask_limit(Script([typed])) for typed in (" 1 ", " 999")]
    """
    script = hearts15.Script([typed])
    assert [hearts15.ask_limit(script), len(said(script))] == [limit, 2]


@pytest.mark.task("ask-again")
@pytest.mark.parametrize(
    "typed", ["-0.5", "999.5", "nan", "inf", "-inf", "", "6,12", "6.1.2", "QS"]
)
def test_an_invalid_seed_is_asked_again(hearts15, typed):
    """The seed is a number from 0 to 999; anything else is a typing error.

    Try:
        script = Script(["-1", "999.5", "NaN", "one", "1.5"])
        ask_seed(script)
        show(script)
    """
    script = hearts15.Script([typed, "7.25"])
    assert hearts15.ask_seed(script) == 7.25
    assert said(script) == [
        "INPUT A VALUE BETWEEN 0 AND 999",
        *talked("?", (typed, TYPING), ("7.25", "")),
    ]


@pytest.mark.task("ask-again")
@pytest.mark.parametrize(
    ("typed", "seed"), [("0", 0), ("999", 999), (".5", 0.5), ("40", 40), (" 998.75 ", 998.75)]
)
def test_seeds_go_from_0_to_999(hearts15, typed, seed):
    """A seed may be whole or not; 0 and 999 are allowed.

    Try: [ask_seed(Script([typed])) for typed in (" 0 ", "999.0", ".25")]
    """
    script = hearts15.Script([typed])
    assert [hearts15.ask_seed(script), len(said(script))] == [seed, 2]


@pytest.mark.task("ask-again")
def test_ask_until_returns_what_read_returns(hearts15, stdlib):
    """`ask_until` returns what `read` returns; after a ValueError it says the text and asks again.

    Try:
        script = Script(["x", " 2 "])
        ask_until(script, "HOW MANY? ", ["2"].index)
        show(script)
    """
    read = stdlib("builtins").eval("lambda text: {'': 0, 'B C': ['D']}.get(text) or int(text)")
    script = hearts15.Script(["B", "  B C  "])
    assert hearts15.ask_until(script, "WHAT> ", read) == ["D"]
    assert said(script) == [
        "WHAT> B",
        "invalid literal for int() with base 10: 'B'",
        "WHAT>   B C  ",
    ]
    zero = stdlib("builtins").eval("lambda text: 0")
    assert hearts15.ask_until(hearts15.Script(["9", "8"]), "", zero) == 0


@pytest.mark.task("ask-again")
def test_ask_until_catches_only_value_errors(hearts15, stdlib):
    """`ask_until` catches only ValueError; the end of the input and all other errors get through.

    Try: ask_until(Script(["x"]), "?", {}.pop)
    """
    script = hearts15.Script(["ten", "8"])
    with pytest.raises(KeyError):
        hearts15.ask_until(script, "?", stdlib("builtins").eval("{'eight': 8}.__getitem__"))
    assert said(script) == ["?ten"]
    script = hearts15.Script(["ten"])
    with pytest.raises(EOFError):
        hearts15.ask_limit(script)


# Play a card


@pytest.mark.task("play-as-you")
@pytest.mark.parametrize(
    ("held", "trick", "more", "talk"),
    [
        ("7H 8D 3C", "", {}, [("7H", TOO_EARLY), ("8D", "")]),
        ("7H 8D 3C", "", {"hearts_broken": True}, [("7H", "")]),
        ("7H 2H", "", {}, [("2H", "")]),
        ("QS 7H", "", {}, [("7H", TOO_EARLY), ("QS", "")]),
        ("7H 8D", "4C 5C", {"first_trick": True}, [("7H", "")]),
        ("QS 8D", "4C", {"first_trick": True}, [("QS", "")]),
        ("QS 3C 9C", "4C 5C", {"first_trick": True}, [("QS", RENEGE), ("9C", "")]),
        ("7H 8D 3H", "KH", {}, [("8D", RENEGE), ("3H", "")]),
        ("7H AD 3D", "KD", {}, [("7H", RENEGE), ("AH", LEAD), ("KD", LEAD), ("AD", "")]),
        ("TS 9S", "KD", {}, [("TH", LEAD), ("QQ", TYPING), ("", TYPING), ("TS", "")]),
        ("7H 8D", "", {}, [("AH", LEAD), ("H7", TYPING), ("7", TYPING), ("8D", "")]),
    ],
)
def test_complaints_have_an_order(hearts15, turn, held, trick, more, talk):
    """Only the first mistake is named: no card, a card not held, a renege, a heart too early.

    Try: Give a leader who holds 2H and 2C the script `Script(["KH", "2H", "2C"])`.
    """
    script = hearts15.Script([typed for typed, _ in talk])
    card = hearts15.Person(script).play(turn(held, trick, **more), [])
    assert str(card) == talk[-1][0]
    assert said(script) == talked("YOU PLAY THE ?", *talk)


@pytest.mark.task("play-as-you")
@pytest.mark.parametrize(
    ("held", "low", "talk"),
    [
        ("KD 9C 2C", "2C", [("KD", "YOU MUST LEAD THE 2C"), ("2C", "")]),
        ("3H AC 3C", "3C", [("AC", "YOU MUST LEAD THE 3C"), ("2C", LEAD), ("3C", "")]),
        ("3H 3C 2C", "2C", [("3H", MUST_LEAD), ("?", TYPING), ("3C", MUST_LEAD), ("2C", "")]),
    ],
)
def test_the_opener_is_told_the_card(hearts15, turn, held, low, talk):
    """A person who opens is reminded once, before the first question; other cards are refused.

    A card that is not held is an ERROR IN LEAD, even then.

    Try: Give an opener who holds AS and 3C the script `Script(["AS", "2C", "3C"])`.
    """
    script = hearts15.Script([typed for typed, _ in talk])
    card = hearts15.Person(script).play(turn(held, first_trick=True), [])
    assert str(card) == low
    assert said(script) == [f"YOU MUST LEAD THE {low}", *talked("YOU PLAY THE ?", *talk)]


@pytest.mark.task("play-as-you")
@pytest.mark.parametrize(
    "typed", ["ts", "10S", "Ten of Spades", " TS  ", "10 of spades", "T\u2660"]
)
def test_a_card_is_typed_in_any_spelling(hearts15, turn, typed):
    """A card may be typed in any way that stage 01 reads, with spaces around it.

    Try:
        turn = Turn(hold("QS 3C"), DYNACOMP)
        script = Script([" queen of spades "])
        Person(script).play(turn, [])
        show(script)
        str(turn.hand)
    """
    script = hearts15.Script([typed, "9S"])
    now = turn("9S TS 2H", "KS")
    answer = str(hearts15.Person(script).play(now, []))
    wanted = "9S" if typed.startswith("Ten") else "TS"
    assert [answer, str(now.hand)] == [wanted, "9S TS 2H"]
    assert said(script)[0] == f"YOU PLAY THE ?{typed}"


@pytest.mark.task("play-as-you")
def test_leaving_amid_a_trick_keeps_the_hand(hearts15, turn):
    """The end of the input gets through, and the hand is not changed.

    Try:
        turn = Turn(hold("9S TS 2H"), DYNACOMP, list(hold("KS")))
        Person(Script([])).play(turn, [])
        str(turn.hand)
    """
    script, now = hearts15.Script(["KH"]), turn("9S TS 2H", "KS")
    with pytest.raises(EOFError):
        hearts15.Person(script).play(now, [])
    assert str(now.hand) == "9S TS 2H"


# Give three cards


@pytest.mark.task("give-three-cards")
@pytest.mark.parametrize(
    "talk",
    [
        [("2H", ""), ("QS", ""), ("9C", "")],
        [("", TYPING), ("9C", ""), ("XX", TYPING), ("qs", ""), ("3C", PASS), (" 2h ", "")],
        [
            ("AH", PASS),
            ("QS", ""),
            ("QS", PASS),
            ("9C", ""),
            ("QS", PASS),
            ("9C", PASS),
            ("2C", ""),
        ],
        [("2H QS 9C", TYPING), ("2C", ""), ("2H", ""), ("9C", "")],
    ],
)
def test_gifts_are_chosen_one_by_one(hearts15, hold, talk):
    """Each of the three gifts is asked for until it is a card of the hand that is not yet chosen.

    The cards chosen so far stay chosen, and the hand is not changed.

    Try:
        script = Script(["AS", "x", "AS", "2C", "KS", "QS"])
        hand = hold("AS KS QS JS")
        Person(script).give(hand)
        show(script)
        str(hand)
    """
    script, hand = hearts15.Script([typed for typed, _ in talk]), hold("2H QS 9C 2C")
    gifts = each(str, hearts15.Person(script).give(hand))
    assert gifts == [typed.strip().upper() for typed, answer in talk if not answer]
    assert said(script) == ["SELECT 3 CARDS TO GIVE PLAYER 2", *talked("?", *talk)]
    assert str(hand) == "2H QS 9C 2C"


@pytest.mark.task("give-three-cards")
@pytest.mark.parametrize(
    "gifts", [["2C QS 7H", "2D KS TH", "2H AS JH"], ["QS 7H 9H", "TH KS 2D", "AS 8D JH"]]
)
def test_everybody_gives_at_the_same_time(hearts15, hold, gifts):
    """Received cards are not given away again, and `exchange` does not change the hands it gets.

    Try: Call `exchange(hands, gifts)`, and then look at `hands`.
    """
    held = ["2C QS 7H 9H", "2D KS TH 3C", "2H AS JH 8D"]
    hands, given = [hold(codes) for codes in held], [list(hold(codes)) for codes in gifts]
    new = hearts15.exchange(hands, given)
    wanted = [
        sorted({*held[seat].split(), *gifts[seat - 1].split()} - {*gifts[seat].split()})
        for seat in range(3)
    ]
    assert [sorted(each(str, hand)) for hand in new] == wanted
    assert [str(hand) for hand in hands] == held
    assert [" ".join(each(str, cards)) for cards in given] == gifts
