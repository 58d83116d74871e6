"""Hidden checks of stage 03: from lines to words, and from words to decks."""

import random

import pytest
from hearts_course import each

PACK = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]


def shuffled(seed):
    """Return the codes of a pack, shuffled with this seed."""
    return random.Random(seed).sample(PACK, 52)


def laid_out(codes, width):
    """Return the codes in lines of `width` words."""
    return [" ".join(codes[at : at + width]) for at in range(0, len(codes), width)]


def codes_of(decks):
    """Return the codes of the cards of each deck."""
    return [each(str, deck) for deck in decks]


@pytest.mark.task("find-the-words")
@pytest.mark.parametrize(
    "lines",
    [
        ["3D KC", "", "AH", "#"],
        ["3D KC\n", "\n", "AH\n", "#\n"],
        ["3D KC\r\n", "\r\n", "AH\r\n", "#\r\n"],
        [" 3D\tKC  ", "   ", "\tAH   \n", "  # "],
        ["3D   KC", "\t\r\n", "AH", "# 4S"],
    ],
)
def test_blanks_and_line_ends_do_not_matter(uva181, lines):
    """Line ends and extra blanks do not change the words.

    Files come from Windows, from editors, and from people in a hurry.

    Try:
        list(words(["5C \\r\\n", "\\r\\n", "6C 7C\\r\\n", " # 8C\\r\\n"]))
        list(words(["5C 6C", "", "7C\\n", "#"]))
    """
    assert list(uva181.words(lines)) == [(1, "3D"), (1, "KC"), (3, "AH"), (4, "#")]


@pytest.mark.task("find-the-words")
@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["#"], [(1, "#")]),
        (["", " \n", "#"], [(3, "#")]),
        (["3D", "#end of file", "AH", "#"], [(1, "3D"), (2, "#")]),
        (["3D KC # AH", "4S"], [(1, "3D"), (1, "KC"), (1, "#")]),
        (["3D KC# AH"], [(1, "3D"), (1, "KC"), (1, "#")]),
        (["3D", "# # AH", "junk"], [(1, "3D"), (2, "#")]),
        (["what? 10x", "#"], [(1, "what?"), (1, "10x"), (2, "#")]),
    ],
)
def test_the_first_hash_ends_the_input(uva181, lines, found):
    """Words are given as they are written, but nothing after the first `#`.

    Try:
        list(words(["", "5C 6C # 7C #", "8C"]))
        list(words(["5C#6C"]))
        list(words(["5C", "#", "6C #"]))
    """
    assert list(uva181.words(lines)) == found


@pytest.mark.task("find-the-words")
def test_lines_may_come_from_a_file(uva181, stdlib):
    """The lines may be any iterable, such as an open file.

    Try:
        import io
        list(words(io.StringIO("5C 6C\\n\\n7C\\n#\\n")))
    """
    file = stdlib("io").StringIO("3D\n\nKC\n#\n")
    assert list(uva181.words(file)) == [(1, "3D"), (3, "KC"), (4, "#")]


@pytest.mark.task("find-the-words")
@pytest.mark.parametrize(
    ("lines", "where"),
    [([], "line 1"), (["3D\n", "KC\n"], "line 3"), (["3D", "", "", "", " "], "line 6")],
)
def test_a_missing_hash_is_reported_after_the_last_line(uva181, lines, where):
    """Without a `#`, the error names the line after the last one; blank lines are counted.

    Try:
        try:
            list(words(["5C", ""]))
        except BadInput as error:
            print("line 3" in str(error))
        try:
            list(words([]))
        except BadInput as error:
            print("line 1" in str(error))
    """
    with pytest.raises(ValueError, match=rf"{where}\b"):
        list(uva181.words(lines))


@pytest.mark.task("find-the-words")
def test_words_before_a_missing_hash_are_given(uva181, stdlib):
    """All words are given before the error about the missing `#`.

    Try:
        found = iter(words(["5C 6C"]))
        next(found)
        next(found)
        try:
            next(found)
        except BadInput as error:
            print("line 2" in str(error))
    """
    found = stdlib("builtins").iter(uva181.words(["3D", "KC"]))
    following = stdlib("builtins").next
    assert [following(found), following(found)] == [(1, "3D"), (2, "KC")]
    with pytest.raises(ValueError, match=r"line 3\b"):
        following(found)


@pytest.mark.task("read-the-decks")
@pytest.mark.parametrize("width", [13, 1, 10, 52, 104])
def test_line_breaks_do_not_matter(uva181, width):
    """Only the order of the words counts, so a deck may begin in the middle of a line.

    Try:
        pack = " ".join(map(str, Deck()))
        [[str(card) for card in deck] for deck in read_decks([pack + " " + pack, "#"])]
    """
    decks = [shuffled(1), shuffled(2)]
    lines = [*laid_out([*decks[0], *decks[1]], width), "#"]
    assert codes_of(uva181.read_decks(lines)) == decks


@pytest.mark.task("read-the-decks")
@pytest.mark.parametrize("number", [1, 3])
def test_blank_lines_between_decks_do_not_matter(uva181, number):
    """Blank lines may stand between decks, with line ends of any kind.

    Try:
        pack = " ".join(map(str, Deck()))
        [[str(card) for card in deck] for deck in read_decks(["", pack, " ", pack, "#"])]
    """
    decks = [shuffled(seed) for seed in range(number)]
    lines = [line for deck in decks for line in ("\r\n", *laid_out(deck, 13), "  \r\n")]
    assert codes_of(uva181.read_decks([*lines, " #\r\n"])) == decks


@pytest.mark.task("read-the-decks")
@pytest.mark.parametrize("lines", [["# no decks today"], ["", "  ", "#", *laid_out(PACK, 13)]])
def test_there_may_be_no_deck_at_all(uva181, lines):
    """Input without any deck is not a fault.

    Try:
        pack = " ".join(map(str, Deck()))
        list(read_decks(["", "#"]))
        list(read_decks(["#"]))
        [[str(card) for card in deck] for deck in read_decks([pack, "#"])]
    """
    assert list(uva181.read_decks(lines)) == []
    assert codes_of(uva181.read_decks([*laid_out(PACK, 13), *lines])) == [PACK]


@pytest.mark.task("read-the-decks")
def test_a_deck_can_be_dealt(uva181):
    """Each deck is a `Deck`, which deals its cards in the order of the input.

    Try:
        pack = " ".join(map(str, Deck()))
        deck = next(read_decks([pack, "#"]))
        hands, left_over = deck.deal(5, 0)
        str(hands[0])
        left_over
        list(read_decks([pack, "#"]))
    """
    [deck] = uva181.read_decks([*laid_out(shuffled(3), 13), "#"])
    hands, exposed = deck.deal(5, 0)
    assert [str(hands[1]), [str(card) for card in exposed]] == [
        " ".join(shuffled(3)[0:50:5]),
        shuffled(3)[50:],
    ]


@pytest.mark.task("read-the-decks")
def test_a_deck_is_given_as_soon_as_it_is_read(uva181, stdlib):
    """A deck is given before the lines after it are read.

    A judge may send one deck at a time and wait for each answer.

    Try:
        pack = " ".join(map(str, Deck()))
        lines = iter([pack, "", "#"])
        [str(card) for card in next(read_decks(lines))]
        list(lines)
    """
    lines = stdlib("builtins").iter([*laid_out(shuffled(4), 13), "", "", "#"])
    decks = stdlib("builtins").iter(uva181.read_decks(lines))
    assert codes_of([stdlib("builtins").next(decks)]) == [shuffled(4)]
    assert stdlib("builtins").list(lines)[-1:] == ["#"]


@pytest.mark.task("read-the-decks")
@pytest.mark.parametrize("word", ["1H", "HT", "QQ", "KSKC", "11", "!2C"])
def test_a_word_that_is_no_card_is_named(uva181, word):
    """A word that is not a card is an error that names its line and the word.

    Try:
        try:
            list(read_decks(["2C 3C", "5X", "#"]))
        except BadInput as error:
            print("line 2" in str(error), "5X" in str(error))
    """
    with pytest.raises(ValueError, match=rf"line 2\b.*{word}"):
        list(uva181.read_decks(["3D KC", f"AH {word}", "#"]))


@pytest.mark.task("read-the-decks")
@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["3D KC 3D", "#"], r"line 1\b.*3D"),
        (["", "3D KC", "", "AH 3D", "#"], r"line 4\b.*3D"),
        ([*laid_out([*shuffled(5)[:51], shuffled(5)[0]], 13), "#"], rf"line 4\b.*{shuffled(5)[0]}"),
        ([*laid_out(shuffled(5), 13), "AH", "AH"], r"line 6\b.*AH"),
    ],
)
def test_a_card_that_comes_twice_is_named(uva181, lines, fault):
    """A card that comes twice in a deck is an error that names the card and its second line.

    Try:
        pack = " ".join(str(card) for card in Deck())
        try:
            list(read_decks([pack, "2C", "2C", "#"]))
        except BadInput as error:
            print("line 3" in str(error), "2C" in str(error))

    Try:
        pack = " ".join(str(card) for card in Deck())
        try:
            list(read_decks([pack, "KH", "", "5S KH"]))
        except BadInput as error:
            print("line 4" in str(error), "KH" in str(error))

    Try:
        try:
            list(read_decks(["2C 3C", "4C", "2C 5C", "#"]))
        except BadInput as error:
            print(str(error).startswith("line 3"), "2C" in str(error))
    """
    with pytest.raises(ValueError, match=fault):
        list(uva181.read_decks(lines))


@pytest.mark.task("read-the-decks")
@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([*laid_out(shuffled(6)[:51], 13), "#"], r"line 5\b"),
        ([*laid_out(shuffled(6), 13), "AH", "", "# AC"], r"line 7\b"),
        (["3D # KC"], r"line 1\b"),
    ],
)
def test_a_deck_that_is_too_short_is_refused(uva181, lines, fault):
    """A `#` in the middle of a deck is an error that names the line of the `#`.

    Try:
        try:
            list(read_decks(["2C 3C", "4C", "#"]))
        except BadInput as error:
            print("line 3" in str(error))

    Try:
        pack = " ".join(str(card) for card in Deck())
        try:
            list(read_decks([pack, "3C", "", "#"]))
        except BadInput as error:
            print("line 4" in str(error))
    """
    with pytest.raises(ValueError, match=fault):
        list(uva181.read_decks(lines))


@pytest.mark.task("read-the-decks")
@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([], r"line 1\b"),
        (laid_out(shuffled(7), 13), r"line 5\b"),
        ([*laid_out(shuffled(7)[:30], 13), ""], r"line 5\b"),
    ],
)
def test_input_without_a_hash_is_refused(uva181, lines, fault):
    """Lines without a `#` are an error that names the line after them, even after a full deck.

    Try:
        pack = " ".join(str(card) for card in Deck())
        try:
            list(read_decks(["2C 3C"]))
        except BadInput as error:
            print("line 2" in str(error))
        try:
            list(read_decks([pack]))
        except BadInput as error:
            print("line 2" in str(error))
    """
    with pytest.raises(ValueError, match=fault):
        list(uva181.read_decks(lines))


@pytest.mark.task("read-the-decks")
@pytest.mark.parametrize(
    ("rest", "fault"),
    [
        (["3D", "KC QQ", "#"], r"line 10\b"),
        (["3D", "KC 3D", "1H", "#"], r"line 10\b"),
        (["3D KC", "#"], r"line 10\b"),
        (["3D KC"], r"line 10\b"),
        ([], r"line 9\b"),
    ],
)
def test_decks_before_a_fault_are_given(uva181, stdlib, rest, fault):
    """All decks before the first fault are given, and the error comes only after them.

    Try:
        pack = " ".join(str(card) for card in Deck())
        decks = iter(read_decks([pack, pack, "3C", "2C 5X", "#"]))
        [len(next(decks)) for _ in range(2)]
        try:
            next(decks)
        except BadInput as error:
            print("line 4" in str(error))

    Try:
        pack = " ".join(str(card) for card in Deck())
        decks = iter(read_decks([pack, pack, "3C", "2C 3C", "1H", "#"]))
        [len(next(decks)) for _ in range(2)]
        try:
            next(decks)
        except BadInput as error:
            print("line 4" in str(error))

    Try:
        pack = " ".join(str(card) for card in Deck())
        decks = iter(read_decks([pack, pack, "2C", "#"]))
        [len(next(decks)) for _ in range(2)]
        try:
            next(decks)
        except BadInput as error:
            print("line 4" in str(error))

    Try:
        pack = " ".join(str(card) for card in Deck())
        decks = iter(read_decks([pack, pack, "2C"]))
        [len(next(decks)) for _ in range(2)]
        try:
            next(decks)
        except BadInput as error:
            print("line 4" in str(error))

    Try:
        pack = " ".join(str(card) for card in Deck())
        decks = iter(read_decks([pack]))
        [str(card) for card in next(decks)]
        try:
            next(decks)
        except BadInput as error:
            print("line 2" in str(error))
    """
    lines = [*laid_out(shuffled(8), 13), *laid_out(shuffled(9), 13), *rest]
    decks = stdlib("builtins").iter(uva181.read_decks(lines))
    following = stdlib("builtins").next
    assert codes_of([following(decks), following(decks)]) == [shuffled(8), shuffled(9)]
    with pytest.raises(ValueError, match=fault):
        following(decks)
