"""Visible checks of stage 01: the examples of the brief, and a few more like them.

The fixture `cards` is your module. Expected values are plain strings and numbers.
"""

import pytest
from hearts_course import each

RANKS = "23456789TJQKA"


def make(cards, codes):
    """Return the cards with these codes, made without `Card.parse`, which is a later task."""
    return [
        cards.Card(cards.Suit(suit), cards.Rank(RANKS.index(rank) + 2))
        for rank, suit in codes.split()
    ]


def held(some_cards):
    """Return the codes of these cards, made without `str(card)`, which is task 3."""
    return [RANKS[int(card.rank) - 2] + str(card.suit) for card in some_cards]


@pytest.mark.task("suits-and-ranks")
@pytest.mark.parametrize(("suit", "names"), [("S", ["♠", "Spades"]), ("D", ["♦", "Diamonds"])])
def test_a_suit_has_a_symbol_and_a_word(cards, suit, names):
    """A suit has a symbol, as printed on the cards, and a word.

    A table on the screen shows the symbol; players say the word.
    """
    assert [cards.Suit(suit).symbol, cards.Suit(suit).word] == names, (
        "A table on the screen shows the symbol.",
        "Players say the word.",
    )


@pytest.mark.task("suits-and-ranks")
@pytest.mark.parametrize(
    ("rank", "names"), [(12, ["Q", "Queen"]), (10, ["T", "10"]), (2, ["2", "2"])]
)
def test_a_rank_has_a_letter_and_a_word(cards, rank, names):
    """A rank has one letter for codes, and a word.

    The letter is part of a card's code, and players say the word.
    """
    assert [cards.Rank(rank).letter, cards.Rank(rank).word] == names, (
        {"10": "With T for the ten, every code has two characters."},
    )


@pytest.mark.task("make-a-card")
@pytest.mark.parametrize(("suit", "rank"), [("H", 13), ("C", 11), ("D", 2)])
def test_equal_means_same_suit_and_same_rank(cards, suit, rank):
    """Two cards are equal if both their suits and their ranks are equal.

    Only the queen of spades costs thirteen points: no other queen, and no other spade.
    """
    queen, again = make(cards, "QS QS")
    other_suit = cards.Card(cards.Suit(suit), cards.Rank(12))
    other_rank = cards.Card(cards.Suit("S"), cards.Rank(rank))
    assert [queen == again, queen == other_suit, queen == other_rank] == [True, False, False], (
        "There is only one queen of spades in the pack.",
    )


@pytest.mark.task("make-a-card")
def test_a_card_is_not_a_text(cards, typed):
    """A card never equals something that is not a card, such as its own code."""
    queen, again, two = make(cards, "QS QS 2S")
    assert [queen == again, queen == two] == [True, False]
    answers = typed(
        "answers = [queen == 'QS', queen == ('S', 12), queen == 12, queen == None]\nanswers",
        queen=queen,
    )
    assert answers == [False, False, False, False]


@pytest.mark.task("make-a-card")
def test_equal_cards_are_one_member_of_a_set(cards):
    """A set holds equal cards only once.

    A game uses sets to remember which cards have been played.
    """
    queen, again, other_suit, other_rank = make(cards, "QS QS QH 2S")
    assert len({queen, again, other_suit, other_rank}) == 3


@pytest.mark.task("make-a-card")
def test_a_card_never_changes(cards):
    """A card cannot be turned into another one.

    A card that changes on the table could change who takes the trick.
    """
    queen = cards.Card(cards.Suit("S"), cards.Rank(12))
    with pytest.raises(AttributeError):
        queen.rank = cards.Rank(2)
    with pytest.raises(AttributeError):
        queen.suit = cards.Suit("H")
    with pytest.raises(AttributeError):
        del queen.rank
    assert [int(queen.rank), str(queen.suit)] == [12, "S"]


@pytest.mark.task("make-a-card")
def test_a_card_can_be_copied(cards, stdlib):
    """`deepcopy` of the module `copy` works on a card, and the copy equals the card.

    A later stage copies a whole game, with all cards in it, to try what would happen.
    """
    queen, two = make(cards, "QS 2S")
    copied = stdlib("copy").deepcopy(queen)
    assert [copied == queen, copied == two, int(copied.rank)] == [True, False, 12]


@pytest.mark.task("make-a-card")
@pytest.mark.parametrize("codes", ["9H TH 2S", "AC 2D 2H"])
def test_cards_are_ordered_by_suit_and_then_by_rank(cards, codes):
    """Cards are ordered by suit (clubs, diamonds, hearts, spades), then from the two to the ace.

    Sorting a hand needs this order. (Which card takes a trick is another question.)
    """
    low, middle, high = make(cards, codes)
    assert [low < middle, middle < high, high < low] == [True, True, False]


@pytest.mark.task("make-a-card")
def test_cards_can_be_compared_with_every_sign(cards):
    """Cards can also be compared with `<=`, `>` and `>=`, and no card is below an equal one."""
    low, middle, high = make(cards, "9H TH 2S")
    assert [low <= low, middle <= low, high > middle, high >= middle] == [True, False, True, True]
    assert [low < low, low > low] == [False, False]


@pytest.mark.task("write-a-card")
@pytest.mark.parametrize(
    ("suit", "ranks", "codes"), [("S", [12, 9], ["QS", "9S"]), ("H", [10, 2], ["TH", "2H"])]
)
def test_a_card_is_written_as_a_code(cards, suit, ranks, codes):
    """A card's code is its rank's letter, then its suit's letter."""
    assert [str(cards.Card(cards.Suit(suit), cards.Rank(rank))) for rank in ranks] == codes


@pytest.mark.task("write-a-card")
def test_a_card_is_written_with_its_symbol(cards):
    """A card's symbols are its rank's letter, then its suit's symbol."""
    assert cards.Card(cards.Suit("H"), cards.Rank(10)).symbols == "T♥"


@pytest.mark.task("write-a-card")
def test_a_card_is_written_in_words(cards):
    """A card in words is its rank's word, then `of`, then its suit's word."""
    assert cards.Card(cards.Suit("H"), cards.Rank(10)).words == "10 of Hearts"


@pytest.mark.task("read-a-card")
@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        (["qs", "9h"], ["QS", "9H"]),
        (["10s", "10c", "10♠"], ["TS", "TC", "TS"]),
        (["Q♠", "7♦"], ["QS", "7D"]),
        (["queen of spades", "2 of Clubs"], ["QS", "2C"]),
    ],
)
def test_all_spellings_are_read(cards, texts, codes):
    """A card can be read from each of its spellings, in capital or small letters.

    Players type in many ways, and the game must understand them.
    """
    assert [str(cards.Card.parse(text)) for text in texts] == codes


@pytest.mark.task("read-a-card")
@pytest.mark.parametrize(
    "text",
    [
        *("1H", "HT", "QSS", "QS ", "Q of Spades"),
        *("\N{KELVIN SIGN}H", "Q\N{LATIN SMALL LETTER LONG S}"),
    ],
)
def test_text_that_is_not_a_card_is_refused(cards, text):
    """Text that is not a card raises ValueError, with its `repr`, 23456789TJQKA and CDHS in it.

    A typing error should give a clear message, and never a wrong card.
    """
    with pytest.raises(ValueError, match=repr(text)) as refused:
        cards.Card.parse(text)
    message = str(refused.value)
    assert [letters for letters in (RANKS, "CDHS") if letters in message] == [RANKS, "CDHS"]


@pytest.mark.task("hold-a-hand")
def test_cards_can_be_added_and_removed(cards):
    """A hand keeps its cards in the order in which they were added."""
    queen, two, ten = make(cards, "QS 2C TH")
    hand = cards.Hand([queen, two])
    hand.add(ten)
    hand.remove(two)
    assert str(hand) == "QS TH"


@pytest.mark.task("hold-a-hand")
def test_len_in_and_for_work_with_a_hand(cards, typed):
    """`len`, `in` and `for` work with a hand.

    The rules of play need them before every card.
    """
    queen, two, ten = make(cards, "QS 2C TH")
    hand = cards.Hand([queen, ten])
    assert [len(hand), ten in hand, two in hand, [str(card) for card in hand]] == [
        2,
        True,
        False,
        ["QS", "TH"],
    ], ("", "", "", "A hand keeps its cards in the order in which they were added.")
    pairs = typed("[(card, other) for card in hand for other in hand]", hand=hand)
    assert len(pairs) == 4, "A loop over a hand may stand inside another one."


@pytest.mark.task("hold-a-hand")
def test_every_hand_has_cards_of_its_own(cards, stdlib):
    """No hand shares its cards with another hand, or with the iterable it was made from.

    If two hands share one list, both players hold the same cards.
    """
    queen, two, ten = make(cards, "QS 2C TH")
    given = stdlib("collections").deque([queen, two])
    hand, empty = cards.Hand(given), cards.Hand()
    given.append(ten)
    empty.add(ten)
    assert [held(hand), held(cards.Hand(hand)), held(cards.Hand())] == [["QS", "2C"]] * 2 + [[]], (
        "",
        "A hand is gone through many times, as here to make another one from it.",
        "",
    )
    assert len(given) == 3


@pytest.mark.task("hold-a-hand")
def test_a_hand_holds_a_card_only_once(cards):
    """Adding a card that the hand already holds is an error, and the hand does not change."""
    queen, two = make(cards, "QS 2C")
    hand = cards.Hand([queen, two])
    with pytest.raises(ValueError, match="QS"):
        hand.add(queen)
    with pytest.raises(ValueError, match="2C"):
        cards.Hand([two, queen, two])
    assert held(hand) == ["QS", "2C"]


@pytest.mark.task("hold-a-hand")
def test_a_missing_card_cannot_be_removed(cards):
    """Removing a card that the hand does not hold is an error, and the hand does not change.

    Otherwise a player could play a card that another player holds. The error says which card it is.
    """
    queen, two, ten = make(cards, "QS 2C TH")
    hand = cards.Hand([queen, ten])
    with pytest.raises(ValueError, match="2C"):
        hand.remove(two)
    assert held(hand) == ["QS", "TH"]


@pytest.mark.task("sort-and-show")
def test_a_hand_sorts_its_own_cards(cards):
    """`sort` sorts the hand by suit, and each suit from low to high."""
    hand = cards.Hand(make(cards, "8S JH AS TS KD"))
    hand.sort()
    assert str(hand) == "KD JH 8S TS AS"


@pytest.mark.task("sort-and-show")
def test_a_hand_knows_its_suits(cards):
    """A hand knows its cards of a suit, and whether it is void in that suit.

    A player who can follow suit must; a player who is void may play any card.
    """
    hand = cards.Hand(make(cards, "8S JH AS"))
    clubs, hearts, spades = cards.Suit("C"), cards.Suit("H"), cards.Suit("S")
    assert [str(card) for card in hand.cards_of(spades)] == ["8S", "AS"]
    assert type(hand.cards_of(spades)).__name__ == "list", (
        "The rules of stage 02 take its length and its items, which a list has."
    )
    assert [hand.is_void(clubs), hand.is_void(hearts), hand.is_void(spades)] == [True, False, False]


@pytest.mark.task("sort-and-show")
def test_a_hand_is_shown_suit_by_suit(cards):
    """`show` has a line for S, H, D and C, each from high to low, or only `C:` if void."""
    assert cards.Hand(make(cards, "8S JH AS TS KD")).show() == "S: AT8\nH: J\nD: K\nC:"


@pytest.mark.task("sort-and-show")
def test_looking_at_a_hand_changes_nothing(cards):
    """Only `sort` changes a hand; `cards_of`, `is_void` and `show` do not."""
    hand = cards.Hand(make(cards, "8S JH AS"))
    hand.show()
    hand.is_void(cards.Suit("S"))
    assert held(hand.cards_of(cards.Suit("S"))) == ["8S", "AS"]
    assert held(hand) == ["8S", "JH", "AS"]


@pytest.mark.task("shuffle-a-deck")
def test_a_pack_has_52_different_cards(cards):
    """A new deck is the full pack in order, and a deck of given cards has only those.

    If a card is missing or comes twice, the points of a deal are wrong.
    """
    assert each(str, cards.Deck()) == [rank + suit for suit in "CDHS" for rank in RANKS]
    assert each(str, cards.Deck(make(cards, "QS 2C"))) == ["QS", "2C"]
    assert len(cards.Deck([])) == 0, "A deck of no cards is empty, and not a new pack."


@pytest.mark.task("shuffle-a-deck")
def test_a_shuffle_only_moves_the_cards(cards):
    """Shuffling moves a deck's own cards; it never loses, repeats or adds a card."""
    deck = cards.Deck(make(cards, "QS 2C TH 9D AC"))
    orders = []
    for seed in range(5):
        deck.shuffle(seed)
        orders.append(held(deck))
    assert [sorted(order) for order in orders] == [["2C", "9D", "AC", "QS", "TH"]] * 5
    assert orders != [orders[0]] * 5


@pytest.mark.task("shuffle-a-deck")
@pytest.mark.parametrize("seed", [8, 9])
def test_the_seed_decides_the_order(cards, seed):
    """Equal seeds give the same order, and different seeds give different orders.

    So a deal that went wrong can be repeated, card by card.
    """
    deck, again, other = cards.Deck(), cards.Deck(), cards.Deck()
    deck.shuffle(7)
    again.shuffle(7)
    other.shuffle(seed)
    order = each(str, deck)
    assert [each(str, one) == order for one in (again, other)] == [True, False], (
        "",
        "If every seed gave this order, all deals would be the same.",
    )


@pytest.mark.task("shuffle-a-deck")
def test_only_the_given_generator_is_used(cards, stdlib):
    """A generator gives the order of its seed, and another order when it is used again.

    Tests and replays give a generator of their own, and so they decide every order.
    """
    random = stdlib("random")
    random.seed(1)
    rng = random.Random(7)
    decks = [cards.Deck() for _ in range(3)]
    for deck, source in zip(decks, [7, rng, rng], strict=True):
        deck.shuffle(source)
    first, same, other = [each(str, deck) for deck in decks]
    assert [same == first, other == first] == [True, False], (
        "The number 7 and a generator made from 7 must give the same deal.",
        "One generator can give the deals of a whole evening.",
    )
    assert random.random() == random.Random(1).random(), (
        "Another part of a program may need the hidden generator of the module `random`."
    )


@pytest.mark.task("deal-the-cards")
@pytest.mark.parametrize(("players", "each", "left"), [(3, 17, 1), (4, 13, 0), (5, 10, 2)])
def test_all_players_get_the_same_number_of_cards(cards, players, each, left):
    """All players get the same number of cards, and the rest is left over."""
    hands, left_over = cards.Deck().deal(players, dealer=0)
    assert [[len(hand) for hand in hands], len(left_over)] == [[each] * players, left]


@pytest.mark.task("deal-the-cards")
def test_cards_go_round_from_the_dealers_left(cards):
    """Cards are dealt one at a time, clockwise, and the first goes to the dealer's left."""
    deck = cards.Deck(make(cards, "2C 3C 4C 5C 6C 7C 8C"))
    hands, left_over = deck.deal(3, dealer=0)
    assert [str(hand) for hand in hands] == ["4C 7C", "2C 5C", "3C 6C"]
    assert [str(card) for card in left_over] == ["8C"]


@pytest.mark.task("deal-the-cards")
@pytest.mark.parametrize(
    ("players", "dealer", "wrong"), [(2, 0, 2), (6, 0, 6), (4, 4, 4), (4, -1, -1)]
)
def test_a_deal_needs_players_and_a_dealer(cards, players, dealer, wrong):
    """A deal is for 3, 4 or 5 players, and the dealer has one of their seats."""
    with pytest.raises(ValueError, match=str(wrong)):
        cards.Deck().deal(players, dealer)


@pytest.mark.task("deal-the-cards")
def test_dealing_changes_nothing(cards):
    """A deal does not change the deck, and a change to one hand changes no other hand."""
    deck = cards.Deck(make(cards, "2C 3C 4C 5C"))
    hands, _ = deck.deal(3, dealer=0)
    hands[1].remove(make(cards, "2C")[0])
    assert [held(hand) for hand in hands] == [["4C"], [], ["3C"]]
    assert held(deck) == ["2C", "3C", "4C", "5C"]
