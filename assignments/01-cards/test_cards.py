"""The visible checks of stage 01: the brief's own examples, and a few more like them.

The fixture `cards` is your module. Expected values are plain texts and numbers.
"""

import pytest
from hearts_course import each

RANKS = "23456789TJQKA"


def make(cards, codes):
    """The cards of those codes, made without `Card.parse`, which is a later task."""
    suits = each(cards.Suit, [suit for _, suit in codes.split()])
    ranks = each(cards.Rank, [RANKS.index(rank) + 2 for rank, _ in codes.split()])
    return each(cards.Card, suits, ranks)


@pytest.mark.task("suits-and-ranks")
@pytest.mark.parametrize(("suit", "names"), [("S", ["♠", "Spades"]), ("D", ["♦", "Diamonds"])])
def test_a_suit_has_a_symbol_and_a_word(cards, suit, names):
    """A suit has the sign printed on the cards, and a name in words.

    A table on the screen shows the sign; the player on your left announces the word.
    """
    assert [cards.Suit(suit).symbol, cards.Suit(suit).word] == names


@pytest.mark.task("suits-and-ranks")
@pytest.mark.parametrize(("rank", "names"), [(12, ["Q", "Queen"]), (10, ["T", "10"])])
def test_a_rank_has_a_letter_and_a_word(cards, rank, names):
    """A rank has one letter in a code, and a name in words.

    The ten is T in a code, so that every card has a code of two characters.
    """
    assert [cards.Rank(rank).letter, cards.Rank(rank).word] == names


@pytest.mark.task("make-a-card")
@pytest.mark.parametrize(("suit", "rank"), [("H", 13), ("C", 11), ("D", 2)])
def test_equal_means_same_suit_and_same_rank(cards, suit, rank):
    """Two cards are equal when both suit and rank are.

    There is one queen of spades in the pack, and thirteen points hang on knowing her.
    """
    queen, again = make(cards, "QS QS")
    other_suit = cards.Card(cards.Suit(suit), cards.Rank(12))
    other_rank = cards.Card(cards.Suit("S"), cards.Rank(rank))
    assert [queen == again, queen == other_suit, queen == other_rank] == [True, False, False]


@pytest.mark.task("make-a-card")
def test_equal_cards_are_one_member_of_a_set(cards):
    """Equal cards are one and the same to a set or a dictionary.

    A game remembers in sets which cards are out.
    """
    queen, again, other_suit, other_rank = make(cards, "QS QS QH 2S")
    assert len({queen, again, other_suit, other_rank}) == 3


@pytest.mark.task("make-a-card")
def test_a_card_never_changes(cards):
    """Nobody can turn a card into another one.

    A card that changed while it lay on the table would win or lose the trick afterwards.
    """
    queen = cards.Card(cards.Suit("S"), cards.Rank(12))
    with pytest.raises(AttributeError):
        queen.rank = cards.Rank(2)
    assert int(queen.rank) == 12


@pytest.mark.task("make-a-card")
@pytest.mark.parametrize("codes", ["9H TH 2S", "AC 2D 2H"])
def test_cards_are_ordered_by_suit_and_then_by_rank(cards, codes):
    """Clubs, diamonds, hearts, spades; in each suit from the two up to the ace.

    This is how a hand is sorted. It is not what decides a trick.
    """
    low, middle, high = make(cards, codes)
    assert [low < middle, middle < high, high < low] == [True, True, False]


@pytest.mark.task("write-a-card")
@pytest.mark.parametrize(
    ("suit", "ranks", "codes"), [("S", [12, 9], ["QS", "9S"]), ("H", [10, 2], ["TH", "2H"])]
)
def test_a_card_is_written_as_a_code(cards, suit, ranks, codes):
    """A card's code is its rank's letter, then its suit's."""
    assert [str(cards.Card(cards.Suit(suit), cards.Rank(rank))) for rank in ranks] == codes


@pytest.mark.task("write-a-card")
def test_a_card_is_written_with_its_symbol(cards):
    """With the suit's symbol a card looks as it does on the table."""
    assert cards.Card(cards.Suit("H"), cards.Rank(10)).symbols == "T♥"


@pytest.mark.task("write-a-card")
def test_a_card_is_written_in_words(cards):
    """In words a card is its rank, `of`, and its suit."""
    assert cards.Card(cards.Suit("H"), cards.Rank(10)).words == "10 of Hearts"


@pytest.mark.task("read-a-card")
@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        (["qs", "9h"], ["QS", "9H"]),
        (["10s", "10c"], ["TS", "TC"]),
        (["Q♠", "7♦"], ["QS", "7D"]),
        (["queen of spades", "2 of Clubs"], ["QS", "2C"]),
    ],
)
def test_all_spellings_are_read(cards, texts, codes):
    """A card is read from any of its spellings, in capitals or small letters.

    Players type as they please; the game has to understand them.
    """
    assert [str(cards.Card.parse(text)) for text in texts] == codes


@pytest.mark.task("read-a-card")
@pytest.mark.parametrize("text", ["1H", "HT"])
def test_what_is_no_card_is_refused(cards, text):
    """Anything else raises ValueError.

    A slip of the finger should bring a clear message, never a card that nobody meant.
    """
    with pytest.raises(ValueError, match=text):
        cards.Card.parse(text)


@pytest.mark.task("hold-a-hand")
def test_a_hand_takes_cards_in_and_gives_them_out(cards):
    """A hand keeps its cards in the order in which they came."""
    queen, two, ten = make(cards, "QS 2C TH")
    hand = cards.Hand([queen, two])
    hand.add(ten)
    hand.remove(two)
    assert str(hand) == "QS TH"


@pytest.mark.task("hold-a-hand")
def test_a_hand_answers_questions(cards):
    """A hand can be counted, asked for a card, and gone through.

    The rules of play ask a hand such things before every card.
    """
    queen, two, ten = make(cards, "QS 2C TH")
    hand = cards.Hand([queen, ten])
    assert [len(hand), ten in hand, two in hand, [str(card) for card in hand]] == [
        2,
        True,
        False,
        ["QS", "TH"],
    ]


@pytest.mark.task("hold-a-hand")
def test_a_card_that_is_not_there_cannot_be_removed(cards):
    """Removing a card that the hand does not hold is an error that changes nothing.

    Otherwise a player could play a card that somebody else holds.
    """
    queen, two, ten = make(cards, "QS 2C TH")
    hand = cards.Hand([queen, ten])
    with pytest.raises(ValueError, match="2C"):
        hand.remove(two)
    assert str(hand) == "QS TH"


@pytest.mark.task("sort-and-show")
def test_a_hand_sorts_its_own_cards(cards):
    """A hand sorts its cards by suit, and each suit from low to high."""
    hand = cards.Hand(make(cards, "8S JH AS TS KD"))
    hand.sort()
    assert str(hand) == "KD JH 8S TS AS"


@pytest.mark.task("sort-and-show")
def test_a_hand_knows_its_suits(cards):
    """A hand knows its cards of a suit, and whether it is void in it.

    Who can follow suit must; who is void may throw anything.
    """
    hand = cards.Hand(make(cards, "8S JH AS"))
    spades, clubs = cards.Suit("S"), cards.Suit("C")
    assert [[str(card) for card in hand.cards_of(spades)], hand.is_void(clubs)] == [
        ["8S", "AS"],
        True,
    ]


@pytest.mark.task("sort-and-show")
def test_a_hand_is_shown_suit_by_suit(cards):
    """A hand is shown as in HEARTS 1.5: S, H, D, C, high to low, a bare letter where void."""
    assert cards.Hand(make(cards, "8S JH AS TS KD")).show() == "S: AT8\nH: J\nD: K\nC:"


@pytest.mark.task("shuffle-a-deck")
def test_a_pack_has_52_different_cards(cards):
    """A new deck is the full pack: 52 cards, none of them twice.

    With a card short, or one double, the points of a deal no longer add up.
    """
    codes = each(str, cards.Deck())
    assert [len(codes), len(set(codes)), codes[0], codes[-1]] == [52, 52, "2C", "AS"]


@pytest.mark.task("shuffle-a-deck")
@pytest.mark.parametrize("seed", [8, 9])
def test_the_seed_decides_the_order(cards, seed):
    """One seed, one order; another seed, another order.

    A deal that went wrong can then be played again, card by card.
    """
    deck, again, other = cards.Deck(), cards.Deck(), cards.Deck()
    deck.shuffle(7)
    again.shuffle(7)
    other.shuffle(seed)
    order = each(str, deck)
    assert [each(str, one) == order for one in (again, other)] == [True, False]


@pytest.mark.task("deal-the-cards")
@pytest.mark.parametrize(("players", "each", "left"), [(3, 17, 1), (4, 13, 0), (5, 10, 2)])
def test_everyone_gets_equally_many_cards(cards, players, each, left):
    """All players get equally many cards; what cannot be shared is left over."""
    hands, left_over = cards.Deck().deal(players, dealer=0)
    assert [[len(hand) for hand in hands], len(left_over)] == [[each] * players, left]


@pytest.mark.task("deal-the-cards")
def test_cards_go_round_from_the_dealers_left(cards):
    """Cards are dealt one at a time, clockwise, and the dealer's left comes first."""
    deck = cards.Deck(make(cards, "2C 3C 4C 5C 6C 7C 8C"))
    hands, left_over = deck.deal(3, dealer=0)
    assert [str(hand) for hand in hands] == ["4C 7C", "2C 5C", "3C 6C"]
    assert [str(card) for card in left_over] == ["8C"]
