"""Visible checks of stage 06: the brief's examples, the manual's game, and a few more.

The fixture `hearts15` is your module; `cards` and `legal` are those of stages 01 and 02. `run` runs
your program as a script.
"""

import tomllib
from itertools import zip_longest
from pathlib import Path

import pytest
from hearts_course import each

SAMPLE = Path(__file__).with_name("sample-game.txt")
SAMPLE_CARDS = Path(__file__).with_name("sample-game.toml")
HANDS = ["TS 2H 3H 4H 5H", "2C 6H 7H 8H 9H", "QS TH JH QH KH"]
FIRST_QUESTION = """\
*****
**** HEARTS 1.5 ****
*****
(C) 1979 BY DYNACOMP
ROCHESTER, NY 14618
HOW MANY POINTS DO YOU
WISH TO PLAY TO? ERROR IN TYPING, TRY AGAIN.
WISH TO PLAY TO? ERROR IN TYPING, TRY AGAIN.
WISH TO PLAY TO?
GOODBYE.
"""


@pytest.fixture
def hold(cards):
    """Return a function that makes a hand of these codes."""
    return lambda codes: cards.Hand(each(cards.Card.parse, codes.split()))


@pytest.fixture
def turn(cards, legal, hold):
    """Return a function that makes a turn from the hand, the trick and more, by name."""

    def make(held, trick="", **more):
        return legal.Turn(hold(held), legal.DYNACOMP, list(hold(trick)), **more)

    return make


@pytest.fixture
def deal(cards, hearts15, hold):
    """Return a function that makes a deal of these hands with that hidden card."""
    return lambda hands, hidden: hearts15.Deal(
        [hold(codes) for codes in hands], cards.Card.parse(hidden)
    )


def said(script):
    """Return the lines of the script's screen that are not empty."""
    return [line for line in script.lines if line]


@pytest.fixture
def first_trick(hearts15):
    """Return a function that plays a deal and returns the lines up to the hidden card.

    What a program does after that line does not matter here: it may also end there with an error.
    """

    def play(players, dealt):
        script = hearts15.Script([])
        try:
            hearts15.play_tricks(script, players, dealt)
        except Exception:
            if not any("HIDDEN CARD" in line for line in script.lines):
                raise
        lines = said(script)
        return lines[: next((i for i, at in enumerate(lines, 1) if "HIDDEN" in at), None)]

    return play


def end_of(done):
    """Return how a script ended: the last line of its error messages, and its exit status."""
    errors = done.err.decode(errors="replace").strip().splitlines()
    if errors:
        return f"the error {errors[-1]}, and exit status {done.status}"
    ended = f"no error, and exit status {done.status}"
    return ended if done.out else f"{ended}, but nothing is printed"


def first_difference(lines, wanted, counted=""):
    """Return the first difference of two screens: the line's number, its text, the right text.

    `counted` says which lines are counted, if not all of them are.
    """
    for number, (line, other) in enumerate(zip_longest(lines, wanted), start=1):
        if line != other:
            return f"line {number}{counted}: {line!r} instead of {other!r}"
    return "no difference"


@pytest.mark.task("add-up-points")
def test_the_score_table_uses_tabs(hearts15):
    """The score table has five lines, with one tab between two columns."""
    assert hearts15.score_table([8, 17, 1], [20, 47, 11]) == [
        "\tYOU\tPLAYER 2\tPLAYER 3",
        "THIS",
        "GAME:\t8\t17\t1",
        "-----",
        "TOTAL:\t20\t47\t11",
    ]


@pytest.mark.task("add-up-points")
@pytest.mark.parametrize(
    ("totals", "line"),
    [
        ([30, 78, 48], "YOU WIN THE GAME."),
        ([78, 30, 48], "PLAYER 2 WINS THE GAME."),
        ([78, 39, 39], "PLAYER 2 AND PLAYER 3 WIN THE GAME."),
        ([52, 52, 52], "YOU, PLAYER 2 AND PLAYER 3 WIN THE GAME."),
    ],
)
def test_the_fewest_points_win(hearts15, totals, line):
    """The player with the fewest points wins; players who share the fewest points win together."""
    assert hearts15.verdict(totals) == line


@pytest.mark.task("deal-to-three")
def test_three_hands_and_a_hidden_card_are_the_pack(hearts15, stdlib):
    """Three hands of 17 cards and the hidden card make a whole pack."""
    first = stdlib("builtins").next(hearts15.shuffled_deals(6.12))
    codes = [each(str, hand) for hand in first.hands]
    assert [len(hand) for hand in codes] == [17, 17, 17]
    assert len({*codes[0], *codes[1], *codes[2], str(first.hidden)}) == 52


@pytest.mark.task("deal-to-three")
def test_the_same_seed_gives_the_same_deals(hearts15, stdlib):
    """The same seed gives the same deals, one after the other; another seed gives others."""
    take, state = stdlib("itertools").islice, stdlib("random").getstate()
    first, again, other = (
        [str(deal.hands[0]) for deal in list(take(hearts15.shuffled_deals(seed), 3))]
        for seed in (6.12, 6.12, 6.5)
    )
    unused = stdlib("random").getstate() == state
    assert [first == again, len({*first, *other}), unused] == [True, 6, True]


@pytest.mark.task("ask-again")
def test_the_smallest_and_the_greatest_numbers(hearts15):
    """The limit goes from 1 to 999, the seed from 0 to 999; spaces around them are ignored."""
    script = hearts15.Script(["0", " 1 "])
    assert hearts15.ask_limit(script) == 1
    assert said(script)[1:3] == ["WISH TO PLAY TO? 0", "ERROR IN TYPING, TRY AGAIN."]
    assert hearts15.ask_limit(hearts15.Script(["1000", "999"])) == 999
    typed = (["0"], ["999"], ["nan", "12"])
    assert [hearts15.ask_seed(hearts15.Script(lines)) for lines in typed] == [0, 999, 12]


@pytest.mark.task("ask-again")
def test_only_a_value_error_asks_again(hearts15, stdlib):
    """`ask_until` returns any answer of `read`, and lets every other error through."""
    read = stdlib("builtins").eval("{'A': 0}.__getitem__")
    assert hearts15.ask_until(hearts15.Script(["A"]), "?", read) == 0
    with pytest.raises(KeyError):
        hearts15.ask_until(hearts15.Script(["B", "A"]), "?", read)


@pytest.mark.task("ask-again")
def test_a_wrong_limit_is_asked_again(hearts15):
    """A limit that is not a whole number from 1 to 999 is a typing error, and is asked again."""
    script = hearts15.Script(["none", "7.5", "75"])
    assert hearts15.ask_limit(script) == 75
    assert said(script) == [
        "HOW MANY POINTS DO YOU",
        "WISH TO PLAY TO? none",
        "ERROR IN TYPING, TRY AGAIN.",
        "WISH TO PLAY TO? 7.5",
        "ERROR IN TYPING, TRY AGAIN.",
        "WISH TO PLAY TO? 75",
    ]


@pytest.mark.task("ask-again")
def test_the_seed_may_have_a_fraction(hearts15):
    """The seed is any number from 0 to 999, whole or not."""
    script = hearts15.Script(["1000", "6.12"])
    assert hearts15.ask_seed(script) == 6.12
    assert said(script) == [
        "INPUT A VALUE BETWEEN 0 AND 999",
        "?1000",
        "ERROR IN TYPING, TRY AGAIN.",
        "?6.12",
    ]


@pytest.mark.task("play-as-you")
def test_only_the_first_mistake_is_named(hearts15, turn):
    """Only the first mistake is named: no card at all, a card not held, a renege, in this order."""
    script = hearts15.Script(["A", "KS", "AS", "7D"])
    card = hearts15.Person(script).play(turn("AS 2H 8D 7D", "KD JD"), [])
    assert str(card) == "7D"
    assert said(script) == [
        "YOU PLAY THE ?A",
        "ERROR IN TYPING, TRY AGAIN.",
        "YOU PLAY THE ?KS",
        "ERROR IN LEAD, TRY AGAIN.",
        "YOU PLAY THE ?AS",
        "RENEGE, TRY AGAIN.",
        "YOU PLAY THE ?7D",
    ]


@pytest.mark.task("play-as-you")
def test_the_opener_is_reminded(hearts15, turn):
    """A person who must open the deal is reminded before the question and after a wrong card."""
    script = hearts15.Script(["KD", "2C"])
    card = hearts15.Person(script).play(turn("KD 9C 2C", first_trick=True), [])
    assert str(card) == "2C"
    assert said(script) == [
        "YOU MUST LEAD THE 2C",
        "YOU PLAY THE ?KD",
        "YOU MUST LEAD THE 2C",
        "YOU PLAY THE ?2C",
    ]
    script, now = hearts15.Script([" 3 of clubs "]), turn("KD 9C 3C", first_trick=True)
    assert str(hearts15.Person(script).play(now, [])) == "3C"
    assert [said(script)[0], str(now.hand)] == ["YOU MUST LEAD THE 3C", "KD 9C 3C"]


@pytest.mark.task("give-three-cards")
def test_three_different_cards_are_given(hearts15, hold):
    """A card that is not held, or is already chosen, is refused; the others stay chosen."""
    script = hearts15.Script(["AD", "AD", "2S", "KD", "AC"])
    assert each(str, hearts15.Person(script).give(hold("AS AD KD 3D AC"))) == ["AD", "KD", "AC"]
    assert said(script) == [
        "SELECT 3 CARDS TO GIVE PLAYER 2",
        "?AD",
        "?AD",
        "ERROR IN PASS, TRY AGAIN.",
        "?2S",
        "ERROR IN PASS, TRY AGAIN.",
        "?KD",
        "?AC",
    ]
    script, hand = hearts15.Script(["ACE", "AS", "KD", "3D"]), hold("AS AD KD 3D AC")
    assert each(str, hearts15.Person(script).give(hand)) == ["AS", "KD", "3D"]
    assert [said(script)[2], str(hand)] == ["ERROR IN TYPING, TRY AGAIN.", "AS AD KD 3D AC"]


@pytest.mark.task("give-three-cards")
def test_gifts_go_to_the_left(hearts15, hold):
    """YOU give to PLAYER 2, who gives to PLAYER 3, who gives to YOU."""
    hands = [hold("2C 3C 4C 5C"), hold("2D 3D 4D 5D"), hold("2H 3H 4H 5H")]
    gifts = [list(hold(codes)) for codes in ("2C 3C 4C", "2D 3D 4D", "2H 3H 4H")]
    new = [" ".join(sorted(each(str, hand))) for hand in hearts15.exchange(hands, gifts)]
    assert new == ["2H 3H 4H 5C", "2C 3C 4C 5D", "2D 3D 4D 5H"]
    assert [str(hand) for hand in hands] == ["2C 3C 4C 5C", "2D 3D 4D 5D", "2H 3H 4H 5H"]


@pytest.mark.task("play-the-first-trick")
def test_the_first_trick_is_shown(hearts15, deal, first_trick):
    """First comes YOUR HAND, then the opponents' cards of the first trick, then the hidden card."""
    players = [hearts15.Prepared("", codes) for codes in HANDS]
    assert first_trick(players, deal(HANDS, "AH")) == [
        *("YOUR HAND:", "S: T", "H: 5432", "D:", "C:"),
        *("HAND 2 PLAYS THE 2C", "HAND 3 PLAYS THE QS"),
        "*THE HIDDEN CARD WAS THE AH*",
    ]


@pytest.mark.task("play-the-first-trick")
def test_the_three_of_clubs_leads_if_the_two_is_hidden(hearts15, deal, first_trick):
    """If the two of clubs is the hidden card, the program says so, and the three leads."""
    hands = ["AH 2H 3H 4H 5H", "QS TH JH QH KH", "3C 6H 7H 8H 9H"]
    players, dealt = [hearts15.Prepared("", codes) for codes in hands], deal(hands, "2C")
    assert first_trick(players, dealt)[5:] == [
        "NOBODY HOLDS THE 2C, THE 3C LEADS.",
        *("HAND 3 PLAYS THE 3C", "HAND 2 PLAYS THE QS"),
        "*THE HIDDEN CARD WAS THE 2C*",
    ]
    assert [str(hand) for hand in dealt.hands] == hands, "A deal can be played once more."


@pytest.mark.task("play-seventeen-tricks")
def test_a_deal_of_five_tricks(hearts15, deal):
    """The player who takes the first trick takes the hidden card, which breaks no hearts."""
    script, players = hearts15.Script([]), [hearts15.Prepared("", codes) for codes in HANDS]
    assert hearts15.play_tricks(script, players, deal(HANDS, "AH")) == [0, 14, 12]
    assert said(script)[-4:] == [
        *("HAND 3 PLAYS THE KH", "HAND 2 PLAYS THE 9H"),
        *("ALL 26 POINTS HAVE", "BEEN ACCOUNTED FOR."),
    ]


@pytest.mark.task("pass-and-play")
def test_cards_are_passed_before_the_first_trick(hearts15, deal):
    """YOU are shown the cards that PLAYER 3 has passed, and the new hand."""
    script = hearts15.Script(["3H", "4H", "5H"])
    hands = ["TS AH 3H 4H 5H", "2C 6H 7H 8H 9H", "QS TH JH QH KH"]
    others = [hearts15.Prepared("9H 8H 7H", "2C"), hearts15.Prepared("QH TH JH", "KH")]
    with pytest.raises(EOFError):
        hearts15.play_deal(script, [hearts15.Person(script), *others], deal(hands, "2H"))
    assert said(script) == [
        *("SHUFFLING", "DEALING", "SORTING"),
        *("YOUR HAND:", "S: T", "H: A543", "D:", "C:"),
        *("SELECT 3 CARDS TO GIVE PLAYER 2", "?3H", "?4H", "?5H"),
        *("HAND #3 HAS PASSED TO YOU:", "QH TH JH"),
        *("YOUR HAND:", "S: T", "H: AQJT", "D:", "C:"),
        *("HAND 2 PLAYS THE 2C", "HAND 3 PLAYS THE KH", "YOU PLAY THE ?"),
    ]


@pytest.mark.task("run-the-program")
@pytest.mark.timeout(5)
def test_the_game_of_1980(hearts15, deal):
    """The program repeats the manual's game, letter for letter, with its empty lines."""
    game = tomllib.loads(SAMPLE_CARDS.read_text(encoding="utf-8"))
    script = hearts15.Script(game["typed"])
    opponents = [hearts15.Prepared(**game["player2"]), hearts15.Prepared(**game["player3"])]
    status = hearts15.main(script, opponents, [deal(game["hands"], game["hidden"])])
    wanted = SAMPLE.read_text(encoding="utf-8").split("\n")
    assert first_difference(script.lines, wanted) == "no difference"
    assert status == 0


@pytest.mark.task("run-the-program")
def test_points_add_up_to_the_limit(hearts15, deal):
    """The points of all deals add up, and the first deal that reaches the limit is the last."""
    hands = ["TS AH 3H 4H 5H", "2C 6H 7H 8H 9H", "QS TH JH QH KH"]
    script = hearts15.Script(["48", "1", *["3H", "4H", "5H", "TS", "AH", "QH", "TH", "JH"] * 2])
    opponents = [
        hearts15.Prepared("9H 8H 7H " * 3, "2C 6H 3H 4H 5H " * 2),
        hearts15.Prepared("QH TH JH " * 3, "KH 7H 8H 9H QS " * 2),
    ]
    assert hearts15.main(script, opponents, [deal(hands, "2H")] * 3) == 0
    assert said(script)[-3:] == ["-----", "TOTAL:\t48\t4\t0", "PLAYER 3 WINS THE GAME."]
    assert said(script).count("SHUFFLING") == 2


@pytest.mark.task("run-the-program")
@pytest.mark.timeout(5)
def test_the_program_runs_as_a_script(run):
    """Run as a script, the program asks; when the input ends, it says goodbye and returns 1.

    The shell learns from the exit status how the program ended.
    """
    wanted = FIRST_QUESTION.replace("TO?\n", "TO? \n").splitlines()
    for entries in ("many\nlots\n", b"\xff\xfe\nlots\n"):
        done = run("hearts15", stdin=entries)
        assert end_of(done) == "no error, and exit status 1"
        lines = [line for line in done.out.decode().splitlines() if line]
        found = first_difference(lines, wanted, counted=" of what is printed, without empty ones")
        assert found == "no difference", (
            "The screen looks as in 1980 whatever is typed, even if it is not text."
        )


@pytest.mark.task("quite-good")
def test_a_computer_keeps_to_the_rules(hearts15, turn):
    """A computer player gives three cards of its hand, and plays a legal card."""
    computer = hearts15.Computer()
    held = "2C 9C KC 4D JD QD 3H 8H AH 5S QS KS"
    gifts = each(str, computer.give(turn(held).hand))
    assert [len(set(gifts)), set(gifts) <= set(held.split())] == [3, True]
    assert str(computer.play(turn("7H 9D QS 3C AC", "KD 2D"), [])) == "9D"
    assert str(computer.play(turn("9D 7H 3C 4S"), [])) in ("9D", "3C", "4S")
