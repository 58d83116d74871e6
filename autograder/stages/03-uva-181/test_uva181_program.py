"""Hidden checks of stage 03: whole deals, the line of scores, and the whole program.

The function `play` computes the expected results with plain strings and lists.
"""

import random
import re
from functools import cache

import pytest
from hearts_course import each

RANKS = "23456789TJQKA"
PACK = [rank + suit for suit in "CDHS" for rank in RANKS]
FAST_SECONDS = 5


def shuffled(seed):
    """Return the codes of a pack, shuffled with this seed."""
    return random.Random(seed).sample(PACK, 52)


def stacked(exposed, first=""):
    """Return a deck that exposes these cards and deals the cards `first` to seat 1."""
    fixed = [*first.split(), *exposed.split()]
    rest = [code for code in shuffled(181) if code not in fixed]
    seat_1 = [*first.split(), *rest][:10]
    others = [code for code in rest if code not in seat_1]
    rounds = [[code, *others[at * 4 : at * 4 + 4]] for at, code in enumerate(seat_1)]
    return [*(code for one_round in rounds for code in one_round), *exposed.split()]


def high(cards, trump):
    """Return the card that a player plays if all of these are allowed."""
    return max(cards, key=lambda card: (RANKS.index(card[0]), card[1] == trump, card[1]))


def play(deck):
    """Return the ten tricks of a deck: leader, cards, taker."""
    hands = [deck[first:50:5] for first in (4, 0, 1, 2, 3)]
    trump = max(deck[50:], key=lambda card: (RANKS.index(card[0]), card[1]))[1]
    leader, tricks = 1, []
    for _ in range(10):
        on_table = {}
        for seat in [*range(leader, 5), *range(leader)]:
            hand, led = hands[seat], next(iter(on_table.values()), "  ")[1]
            following = [card for card in hand if card[1] == led]
            trumping = [card for card in hand if card[1] == trump and led != " "]
            on_table[seat] = high(following or trumping or hand, trump)
            hand.remove(on_table[seat])
        led = on_table[leader][1]
        worth = {
            seat: (c[1] == trump, c[1] == led, RANKS.index(c[0])) for seat, c in on_table.items()
        }
        taker = max(worth, key=worth.get)
        tricks.append([leader, " ".join(on_table.values()), taker])
        leader = taker
    return tricks


def scores(deck):
    """Return the five scores of a deck, the dealer's first."""
    totals = [0] * 5
    for _, cards, taker in play(deck):
        totals[taker] += sum(RANKS.index(rank) + 2 for rank in re.findall("(.)H", cards))
    return totals


def file_of(decks):
    """Return the decks as the judge writes them."""
    lines = [" ".join(deck[at : at + 13]) for deck in decks for at in range(0, 52, 13)]
    return "\n".join([*lines, "#", ""])


def wanted(decks):
    """Return what the program must print for these decks."""
    return "".join("".join(f"{n:>3}" for n in scores(deck)) + "\n" for deck in decks).encode()


def columns(out):
    """Return the numbers of each line, cut into columns of width 3."""
    return [re.findall("...", line) for line in out.decode("latin-1").splitlines()]


def deck_of(cards, codes):
    """Return a deck of the cards with these codes."""
    return cards.Deck(each(cards.Card.parse, codes))


def told(tricks):
    """Return each trick as leader, cards and taker."""
    return [[t.leader, " ".join(each(str, t.cards)), t.taker] for t in tricks]


TIES = {
    "the lower suit first": stacked("9C 9S"),
    "the higher suit first": stacked("9S 9C"),
    "a tie of the middle suits": stacked("KH KD"),
    "the higher rank in a lower suit": stacked("2S 3C"),
    "one suit twice": stacked("4D JD"),
    "a leader with three aces and trumps among them": stacked("2H 3H", "AC AH AS"),
    "a leader with three aces and no trumps": stacked("2D 3D", "AC AH AS"),
    "a leader with four kings": stacked("4C 5C", "KS KH KD KC"),
}
EXTREMES = {
    "one player takes every heart": stacked("2C 3C", "AC KC QC JC TC 9C 8C 7C 6C 5C"),
    "two hearts are exposed": stacked("AH KH"),
}


@pytest.mark.task("play-it-out")
@pytest.mark.parametrize("seed", range(20, 26))
def test_ten_tricks_are_played(uva181, cards, seed):
    """Seat 1 leads first, each trick goes clockwise, and its taker leads the next one.

    Try:
        for seed in range(3):
            deck = Deck()
            deck.shuffle(seed)
            for trick in play_out(deck):
                print(trick.leader, *trick.cards, trick.taker)
    """
    deck = shuffled(seed)
    assert told(uva181.play_out(deck_of(cards, deck))) == play(deck)


@pytest.mark.task("play-it-out")
@pytest.mark.parametrize("deck", TIES.values(), ids=TIES)
def test_ties_are_broken_as_the_recipe_says(uva181, cards, deck):
    """For equal ranks the suit decides; for a leader, a trump comes before every other suit.

    Try:
        for seed in range(3):
            deck = Deck()
            deck.shuffle(seed)
            for trick in play_out(deck):
                print(trick.leader, *trick.cards, trick.taker)
    """
    assert told(uva181.play_out(deck_of(cards, deck))) == play(deck)


@pytest.mark.task("print-the-scores")
@pytest.mark.parametrize(
    ("given", "line"),
    [
        ([0, 0, 0, 0, 0], "  0  0  0  0  0"),
        ([3, 14, 25, 36, 26], "  3 14 25 36 26"),
        ([104, 0, 0, 0, 0], "104  0  0  0  0"),
        ([0, 100, 4, 0, 0], "  0100  4  0  0"),
        ([0, 0, 0, 2, 101], "  0  0  0  2101"),
    ],
)
def test_fields_have_a_width_of_three(uva181, given, line):
    """Scores are right-aligned in fields of width 3, so 100 or more touches the number before.

    Try: score_line([1, 0, 0, 103, 0])
    """
    assert uva181.score_line(given) == line


@pytest.mark.task("print-the-scores")
@pytest.mark.parametrize("number", [0, 1, 3])
def test_each_deck_gets_its_line(uva181, stdlib, number):
    """Each deck gets one line, and the exit status is 0 if the input has no fault.

    Try:
        import io
        out = io.StringIO()
        err = io.StringIO()
        main([" ".join(map(str, Deck()))] * 2 + ["#"], out, err)
        out.getvalue()
        err.getvalue()
        main(["3C 3C"], out, err)
    """
    decks = [shuffled(seed) for seed in range(30, 30 + number)]
    out, err = stdlib("io").StringIO(), stdlib("io").StringIO()
    status = uva181.main(file_of(decks).splitlines(), out, err)
    assert [status, out.getvalue(), err.getvalue()] == [0, wanted(decks).decode(), ""]
    assert uva181.main(["2C 2C", "#"], out, err) == 1


@pytest.mark.task("print-the-scores")
@pytest.mark.parametrize(
    ("rest", "line"),
    [
        (["AH QQ", "#"], 9),
        (["", "AH AH", "#"], 10),
        (["AH", "2D", "#"], 11),
        (["AH 2D"], 10),
        ([], 9),
    ],
)
def test_main_reports_a_fault_in_one_line(uva181, stdlib, rest, line):
    """Bad input is reported in one line, after the scores before it, and the status is 1.

    Try:
        import io
        pack = " ".join(str(card) for card in Deck())
        out = io.StringIO()
        err = io.StringIO()
        main([pack, pack, "3C", "3C", "#"], out, err)
        out.getvalue()
        err.getvalue().startswith("line 4")
        err.getvalue().count("\\n")
        main([pack], out, err)
        "line 2" in err.getvalue()
    """
    decks = [shuffled(33), shuffled(34)]
    lines = [*file_of(decks).splitlines()[:-1], *rest]
    out, err = stdlib("io").StringIO(), stdlib("io").StringIO()
    status = uva181.main(lines, out, err)
    assert [status, out.getvalue()] == [1, wanted(decks).decode()]
    assert re.fullmatch(rf"line {line}\b.*\n", err.getvalue()) is not None


@pytest.mark.task("print-the-scores")
@pytest.mark.parametrize("seed", range(40, 44))
def test_random_decks_score_as_the_judge_expects(run, seed):
    """The program prints exactly the expected characters.

    Try: Run `python uva181.py < sample-decks.txt` and compare its output with `sample-scores.txt`.
    """
    decks = [shuffled(100 * seed + number) for number in range(30)]
    finished = run("uva181", stdin=file_of(decks))
    assert columns(finished.out) == columns(wanted(decks))
    assert [finished.out, finished.err, finished.status] == [wanted(decks), b"", 0]


@pytest.mark.task("print-the-scores")
@pytest.mark.parametrize("decks", [TIES, EXTREMES], ids=["ties", "extremes"])
def test_rare_decks_score_as_the_recipe_says(run, decks):
    """Decks with ties, extreme scores or exposed hearts are scored correctly.

    Try: Run `python uva181.py < sample-decks.txt` and compare its output with `sample-scores.txt`.
    """
    decks = list(decks.values())
    finished = run("uva181", stdin=file_of(decks))
    assert columns(finished.out) == columns(wanted(decks))
    assert finished.out == wanted(decks)


@pytest.mark.task("print-the-scores")
@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "  \n\n"),
        lambda text: text.replace(" ", "\n"),
        lambda text: text.removesuffix("\n"),
        lambda text: f"\n{text}2C 2C\n#\nnothing to see\n",
    ],
    ids=["CRLF", "blank lines", "a word a line", "no last line end", "text after the end"],
)
def test_the_layout_of_the_file_does_not_matter(run, rewrite):
    """Line ends, blank lines, extra blanks and text after the `#` do not change the scores.

    Try: Add blank lines to a copy of `sample-decks.txt`, and run the program on that copy.
    """
    decks = [shuffled(50), shuffled(51)]
    finished = run("uva181", stdin=rewrite(file_of(decks)))
    assert [finished.out, finished.err, finished.status] == [wanted(decks), b"", 0]


@pytest.mark.task("print-the-scores")
@pytest.mark.parametrize(
    ("rest", "line"), [("AH\nQQ\n#\n", 6), ("AH AH\n#\n", 5), ("AH\n\n#\n", 7), ("", 5)]
)
def test_the_program_reports_a_fault_to_the_shell(run, rest, line):
    """On bad input, scores go to the output, one line to the error output; the status is 1.

    Try: Run `echo "2C 2C #" | python uva181.py`, and then `echo $?` to see the exit status.
    """
    deck = shuffled(52)
    finished = run("uva181", stdin=file_of([deck]).removesuffix("#\n") + rest)
    assert [finished.out, finished.status] == [wanted([deck]), 1]
    assert re.fullmatch(rf"line {line}\b.*\r?\n".encode(), finished.err) is not None


@cache
def many_decks():
    """Return a thousand decks as a file, and what the program must print for them."""
    rng = random.Random(1_000)
    decks = [rng.sample(PACK, 52) for _ in range(1_000)]
    return file_of(decks), wanted(decks)


@pytest.mark.task("print-the-scores")
@pytest.mark.timeout(FAST_SECONDS)
@pytest.mark.alone
def test_a_thousand_decks_are_played_in_time(run):
    """The program plays 1,000 decks in 5 seconds.

    Try: Write 1,000 shuffled decks to a file, and time the program on that file.
    """
    few = [shuffled(60)]
    assert run("uva181", stdin=file_of(few)).out == wanted(few)  # never time wrong scores
    file, scores_of_all = many_decks()
    assert run("uva181", stdin=file).out == scores_of_all
