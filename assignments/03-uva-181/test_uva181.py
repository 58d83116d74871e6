"""Visible checks of stage 03: the examples of the brief, and a few more like them.

The fixture `uva181` is your module, and `cards` is your module of stage 01. `run` runs your program
as the judge does.
"""

from itertools import zip_longest

import pytest
from hearts_course import each

SAMPLE = """\
TS QC 8S 8D QH 2D 3H KH 9H 2H TH KS KC
9D JH 7H JD 2S QS TD 2C 4H 5H AD 4D 5D
6D 4S 9S 5S 7S JS 8H 3D 8C 3S 4C 6S 9C
AS 7C AH 6H KD JC 7D AC 5C TC QD 6C 3C
"""
RECORD = """\
1 TS KS 8S QS AS 0
0 QH TH AH KH 9H 2
2 AC KC TC JC 7C 2
2 QC 5C 9C 8C 2C 2
2 JS 6S 9S 5S 7S 2
2 JD 8H AD QD 7D 4
4 KD TD 5D 6D 6H 4
4 9D 4D 2D 4C 5H 2
2 4H 4S 8D JH 7H 0
0 2H 3S 3H 2S 3D 2
"""
HUNDRED = """\
KH TD KC 2H QS 8H JC JH 5H TH JD 5D 3D
5S 4S QD TC 9H KD AS 7S AH 2S JS 2D 7D
6C 4H 3S 6H 6S 5C 7H 8S QH 2C KS 9S 3C
6D 7C AD 8D 8C 9C 4C AC TS 3H 4D QC 9D
"""
READ = """\
try:
    list(read_decks(lines))
    text = 'no error'
except BadInput as error:
    text = str(error)
text
"""


def make(cards, codes):
    """Return the cards with these codes."""
    return each(cards.Card.parse, codes.split())


def code_of(card):
    """Return the code of a card, but not of a text."""
    return card.rank.letter + str(card.suit)


def codes_of(some_cards):
    """Return the codes of these cards, in the same order."""
    return " ".join(code_of(card) for card in some_cards)


def hands_of(cards, *hands):
    """Return a hand for each seat, the dealer's first."""
    return [cards.Hand(make(cards, codes)) for codes in hands]


def end_of(done):
    """Return how a script ended: the last line of its error messages, and its exit status."""
    errors = done.err.decode(errors="replace").strip().splitlines()
    if errors:
        error = f"the error {errors[-1]}"
        if len(errors) > 1:
            error = f"{len(errors)} lines of errors, which end with {errors[-1]}"
        return f"{error}, and exit status {done.status}"
    ended = f"no error, and exit status {done.status}"
    return ended if done.out else f"{ended}, but nothing is printed"


def difference(out, wanted):
    """Return where the lines of scores first differ: line, columns, and what was expected."""
    lines, wanted_lines = out.decode("latin-1").split("\n"), wanted.split("\n")
    for number, (line, wanted_line) in enumerate(zip(lines, wanted_lines, strict=False), start=1):
        for column in range(0, max(len(line), len(wanted_line)), 3):
            field, wanted_field = line[column : column + 3], wanted_line[column : column + 3]
            if field != wanted_field:
                where = f"line {number}, columns {column + 1} to {column + 3}"
                return f"{where}: {field!r} instead of {wanted_field!r}"
    if len(lines) == len(wanted_lines):
        return "no difference"
    return f"{len(lines) - 1} lines instead of {len(wanted_lines) - 1}"


def wrong_trick(tricks):
    """Return the first wrong trick of the sample deck: leader, cards, taker."""
    told = [f"{trick.leader} {codes_of(trick.cards)} {trick.taker}" for trick in tricks]
    pairs = zip_longest(told, RECORD.splitlines(), fillvalue="no trick")
    for number, (line, wanted_line) in enumerate(pairs, start=1):
        if line != wanted_line:
            return f"trick {number}: {line!r} instead of {wanted_line!r}"
    return "none"


@pytest.mark.task("find-the-words")
def test_words_come_with_the_numbers_of_their_lines(uva181):
    """Each word up to the first `#` comes with its line number, and blank lines are counted.

    A person who reads "line 3" in an error will look at line 3. Nothing after the `#` counts.
    """
    lines = ["  TS QC\r\n", "\n", "8S \n", "8D # these four\n", "QH\n"]
    assert list(uva181.words(lines)) == [(1, "TS"), (1, "QC"), (3, "8S"), (4, "8D"), (4, "#")]
    assert list(uva181.words(["TS 8D# QH # 2C"])) == [(1, "TS"), (1, "8D"), (1, "#")], (
        "The first `#` ends the input."
    )


@pytest.mark.task("find-the-words")
def test_lines_without_an_end_are_refused(uva181, stdlib):
    """Lines without a `#` raise an error that names the line after the last one.

    There the `#` is missing. Without an error nobody would notice that half of a file is lost.
    """
    found = stdlib("builtins").iter(uva181.words(["TS"]))
    assert stdlib("builtins").next(found) == (1, "TS"), (
        "All words are given before the error, with the numbers of their lines."
    )
    with pytest.raises(ValueError, match="line 2"):
        list(found)
    with pytest.raises(ValueError, match="line 1"):
        list(uva181.words([]))


@pytest.mark.task("read-the-decks")
def test_decks_are_read_one_after_the_other(uva181):
    """Each 52 cards make a deck, in the order in which they are written."""
    decks = list(uva181.read_decks([*SAMPLE.splitlines(), *HUNDRED.splitlines(), "#"]))
    assert [codes_of(deck)[:11] for deck in decks] == ["TS QC 8S 8D", "KH TD KC 2H"]
    on_one_line = [SAMPLE.replace("\n", " "), "#"]
    assert [codes_of(deck)[:11] for deck in uva181.read_decks(on_one_line)] == ["TS QC 8S 8D"]
    assert list(uva181.read_decks(["", "#"])) == []
    assert [len(deck.deal(5, 0)[0]) for deck in decks] == [5, 5], "The next task deals these decks."


@pytest.mark.task("read-the-decks")
def test_a_deck_is_given_before_the_next_line_is_read(uva181, stdlib):
    """A deck is given as soon as its last card is read, however the lines are broken.

    So a fault that comes later does not cost this deck.
    """
    decks = stdlib("builtins").iter(uva181.read_decks([SAMPLE.replace("\n", " "), "ZZ"]))
    assert codes_of(stdlib("builtins").next(decks)) == " ".join(SAMPLE.split())
    with pytest.raises(ValueError):  # noqa: PT011 - another check reads the message
        list(decks)


@pytest.mark.task("read-the-decks")
@pytest.mark.parametrize(
    ("lines", "parts"),
    [
        (["TS QC", "8S ZZ", "#"], ["line 2", "ZZ"]),
        (["TS QC", "", "8S TS", "#"], ["line 3", "TS"]),
        (["TS QC 8S", "#"], ["line 2"]),
    ],
)
def test_bad_decks_are_refused(uva181, typed, lines, parts):
    """A word that is not a card, a card that comes twice, and a short deck are errors.

    Without an error nobody would notice that the scores are wrong; the line and the word say where.
    """
    text = typed(READ, uva181, lines=lines)
    for part in parts:
        assert part in text


@pytest.mark.task("turn-up-trumps")
@pytest.mark.parametrize(
    ("exposed", "symbol"),
    [("6C 3C", "♣"), ("2H KD", "♦"), ("KH AC", "♣"), ("9S 9C", "♠"), ("9C 9S", "♠")],
)
def test_the_higher_exposed_card_makes_trumps(uva181, cards, exposed, symbol):
    """The suit of the higher exposed card is trumps; for equal ranks it is the higher suit."""
    assert uva181.trump_suit(make(cards, exposed)).symbol == symbol


@pytest.mark.task("turn-up-trumps")
def test_the_dealers_left_gets_the_first_card(uva181, cards):
    """The first card goes to seat 1, on the dealer's left, and the fifth to the dealer, seat 0."""
    hands, trump = uva181.deal(cards.Deck(make(cards, SAMPLE)))
    assert [str(hand)[:5] for hand in hands] == ["QH 2H", "TS 2D", "QC 3H", "8S KH", "8D 9H"]
    assert trump.symbol == "♣"


@pytest.mark.task("lead-a-card")
@pytest.mark.parametrize(
    ("codes", "trump", "card"),
    [("9C QD 2S KH 3S", "S", "KH"), ("9C KD 2S KH", "C", "KH"), ("9C KD 2S KH", "D", "KD")],
)
def test_rank_decides_then_trumps_then_suit(uva181, cards, stdlib, codes, trump, card):
    """The highest rank is played; of equal ranks the trump, or else the highest suit.

    There is always only one card to play, so every program that keeps to this plays the same game.
    """
    once = stdlib("builtins").iter(make(cards, codes))
    assert code_of(uva181.highest(once, cards.Suit(trump))) == card


@pytest.mark.task("follow-a-lead")
@pytest.mark.parametrize(
    ("trick", "card", "why"),
    [
        ("", "QC", "Whoever leads plays the highest rank, whatever the suit."),
        ("2H", "7H", "A player who can follow suit must."),
        ("AD", "9S", "A player who cannot follow suit must trump."),
        ("AD KS", "9S", "A trump must be played even if it cannot win."),
        ("AC 2S", "QC", "A player who can follow suit must, even if a trump lies on the table."),
    ],
)
def test_followers_play_as_high_as_they_may(uva181, cards, trick, card, why):
    """A follower plays the highest card of the suit led, or else the highest trump.

    All players play in this way, so their games can be compared card by card.
    """
    hand = cards.Hand(make(cards, "QC 4H 7H 3S 9S"))
    assert code_of(uva181.choose(hand, make(cards, trick), cards.Suit("S"))) == card, why
    assert str(hand) == "QC 4H 7H 3S 9S", "A card that is chosen is not played yet."


@pytest.mark.task("play-a-trick")
def test_a_trick_goes_round_clockwise(uva181, cards):
    """The leader plays first, the others follow clockwise, and the best card takes the trick."""
    hands = hands_of(cards, "2C 9D", "KH 3C", "4C 5D", "6C 7D", "8C AD")
    trick = uva181.play_trick(hands, 3, cards.Suit("S"))
    assert [trick.leader, codes_of(trick.cards), trick.taker] == [3, "7D AD 9D KH 5D", 4]
    hands = hands_of(cards, "2C 9D", "KH 3C", "4C 5D", "6C 7D", "8C AD")
    trick = uva181.play_trick(hands, 0, cards.Suit("H"))
    assert [codes_of(trick.cards), trick.taker] == ["9D KH 5D 7D AD", 1], "A trump beats the ace."


@pytest.mark.task("play-a-trick")
def test_the_cards_of_a_trick_are_a_tuple(uva181, cards):
    """The cards of a trick are a tuple, so nobody can change what was played.

    With a list, somebody could add a card to a trick that is over.
    """
    hands = hands_of(cards, "2C 9D", "KH 3C", "4C 5D", "6C 7D", "8C AD")
    trick = uva181.play_trick(hands, 0, cards.Suit("S"))
    assert type(trick.cards).__name__ == "tuple"
    assert codes_of(trick.cards) == "9D KH 5D 7D AD", (
        "The first card is the lead, and its suit decides what the others should have played."
    )


@pytest.mark.task("play-a-trick")
def test_a_card_that_is_played_leaves_its_hand(uva181, cards):
    """After a trick every hand has one card less, and the others keep their order.

    A card that stays in its hand would be played again.
    """
    hands = hands_of(cards, "4C 9D 2C", "KH 3C", "4H 5D", "6C 7D", "8C AD")
    uva181.play_trick(hands, 3, cards.Suit("S"))
    assert [str(hand) for hand in hands] == ["4C 2C", "3C", "4H", "6C", "8C"]


@pytest.mark.task("play-it-out")
def test_a_whole_deal_is_recorded(uva181, cards):
    """Seat 1 leads to the first of ten tricks; whoever takes a trick leads to the next one.

    The scores alone do not show where a deal went wrong.
    """
    tricks = uva181.play_out(cards.Deck(make(cards, SAMPLE)))
    assert wrong_trick(tricks) == "none"


@pytest.mark.task("count-the-hearts")
def test_hearts_cost_their_face_value(uva181, cards):
    """The taker of a trick scores the face value of each heart in it, and nothing else."""
    given = [(1, "2H KH 3D JH QS", 2), (2, "AD 5H TC TD TS", 0)]
    tricks = [uva181.Trick(at, tuple(make(cards, codes)), by) for at, codes, by in given]
    assert uva181.count_hearts(tricks) == [5, 0, 26, 0, 0]


@pytest.mark.task("print-the-scores")
def test_each_score_has_a_field_of_three(uva181):
    """Each score is right-aligned in a field of width 3, with nothing between the fields.

    The judge compares every character.
    """
    assert uva181.score_line([0, 2, 102, 0, 0]) == "  0  2102  0  0"


@pytest.mark.task("print-the-scores")
def test_scores_before_a_fault_are_kept(uva181, stdlib):
    """Bad input is reported in one line, after the scores of all decks before it.

    One bad deck should not cost the scores of the good ones.
    """
    out, err = stdlib("io").StringIO(), stdlib("io").StringIO()
    status = uva181.main([*SAMPLE.splitlines(), "TS QC", "TS", "#"], out, err)
    assert [status, out.getvalue().split()] == [1, ["22", "0", "68", "0", "14"]], (
        "The exit status tells the shell that something went wrong.",
        "Here are the scores of the one good deck, and nothing else.",
    )
    assert [err.getvalue()[:6], err.getvalue().count("\n")] == ["line 6", 1], (
        "Whoever repairs the decks looks for the number of the line first.",
        "One mistake needs one line, and a traceback has many.",
    )
    both = stdlib("io").StringIO()
    uva181.main([*SAMPLE.splitlines(), "TS QC", "TS", "#"], both, both)
    assert [line[:6] for line in both.getvalue().splitlines()] == [" 22  0", "line 6"], (
        "On one screen the scores of the good deck come first, and then what is wrong."
    )
    assert uva181.main(["#"], out, err) == 0, "No deck at all is no mistake, and 0 says so."


@pytest.mark.task("print-the-scores")
def test_the_program_prints_what_the_judge_expects(run):
    """Run as a script, the program reads decks and prints a line of scores for each deck.

    This is how the judge runs it, and the judge sees nothing else.
    """
    finished = run("uva181", stdin=f"{SAMPLE}{HUNDRED}#\n")
    assert end_of(finished) == "no error, and exit status 0"
    assert difference(finished.out, " 22  0 68  0 14\n  0  2102  0  0\n") == "no difference"
