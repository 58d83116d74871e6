"""Hidden checks of stage 01: suits, ranks, and cards with their three spellings."""

import itertools
import operator

import pytest
from hearts_course import each

RANKS = "23456789TJQKA"
SUITS = "CDHS"


def make(cards, codes):
    """Return the cards with these codes, made without `Card.parse`."""
    suits = each(cards.Suit, [suit for _, suit in codes.split()])
    ranks = each(cards.Rank, [RANKS.index(rank) + 2 for rank, _ in codes.split()])
    return each(cards.Card, suits, ranks)


def code(card):
    """Return the card's code, made without `str(card)`."""
    return f"{RANKS[int(card.rank) - 2]}{card.suit}"


def come_before(some_cards):
    """Return, for each pair of these cards, whether the first comes before the second."""
    first, second = zip(*itertools.product(some_cards, repeat=2), strict=True)
    return each(operator.lt, first, second)


def refuses(cards, text):
    """Return whether `Card.parse` raises ValueError for this text."""
    try:
        cards.Card.parse(text)
    except ValueError:
        return True
    return False


@pytest.mark.task("suits-and-ranks")
def test_every_suit_has_its_symbol(cards):
    """Each suit has its filled symbol, as printed on the cards.

    Try: [suit.symbol for suit in Suit]
    """
    assert [cards.Suit(letter).symbol for letter in SUITS] == ["♣", "♦", "♥", "♠"]


@pytest.mark.task("suits-and-ranks")
def test_every_suit_has_its_word(cards):
    """A suit's word is its English name in the plural, with a capital first letter.

    Try: [suit.word for suit in Suit]
    """
    assert [cards.Suit(s).word for s in SUITS] == ["Clubs", "Diamonds", "Hearts", "Spades"]


@pytest.mark.task("suits-and-ranks")
def test_every_rank_has_its_letter(cards):
    """Each rank has a letter, which is one character.

    Try: [rank.letter for rank in Rank]
    """
    assert [cards.Rank(number).letter for number in range(2, 15)] == list(RANKS)


@pytest.mark.task("suits-and-ranks")
def test_every_rank_has_its_word(cards):
    """A rank's word is its number up to the ten; jack, queen, king and ace have names.

    Try: [rank.word for rank in Rank]
    """
    words = [cards.Rank(number).word for number in range(2, 15)]
    assert words == [*"23456789", "10", "Jack", "Queen", "King", "Ace"]


@pytest.mark.task("make-a-card")
def test_a_card_has_its_suit_and_its_rank(cards):
    """A card is made from a suit and a rank, in that order, and has them as attributes.

    Try: Card(Suit.CLUBS, Rank.TWO).suit
    """
    card = cards.Card(cards.Suit("D"), cards.Rank(11))
    assert [str(card.suit), int(card.rank)] == ["D", 11]


@pytest.mark.task("make-a-card")
def test_suit_and_rank_can_be_given_by_keyword(cards):
    """Suit and rank may be given by keyword, in any order.

    Try: Card(rank=Rank.TWO, suit=Suit.CLUBS)
    """
    card = cards.Card(rank=cards.Rank(11), suit=cards.Suit("D"))
    assert [str(card.suit), int(card.rank)] == ["D", 11]


@pytest.mark.task("make-a-card")
def test_different_cards_are_not_equal(cards):
    """A card does not equal a card of another suit or rank.

    Try:
        two = Card(Suit.CLUBS, Rank.TWO)
        heart = Card(Suit.HEARTS, Rank.TWO)
        two == heart
        two != heart
        two == Card(Suit.CLUBS, Rank.THREE)
        two == Card(Suit.CLUBS, Rank.TWO)
    """
    jack, *others = make(cards, "JD JC JH JS TD QD 2C")
    again = make(cards, "JD")[0]
    assert each(operator.eq, [jack] * 7, [again, *others]) == [True] + [False] * 6
    assert each(operator.ne, [jack] * 7, [again, *others]) == [False] + [True] * 6


@pytest.mark.task("make-a-card")
def test_a_card_equals_only_cards(cards, stdlib):
    """A card never equals something that is not a card, such as its own code.

    Try:
        two = Card(Suit.CLUBS, Rank.TWO)
        two == "2C"
        two == ("C", 2)
        two.suit
        two.rank
        two == Card(Suit.CLUBS, Rank.TWO)
    """
    equal, (card, again) = stdlib("operator").eq, make(cards, "JD JD")
    assert [code(card), code(again)] == ["JD", "JD"]
    others = [again, "JD", "J♦", "Jack of Diamonds", 11, None, ("D", 11)]
    assert [equal(card, other) for other in others] == [True] + [False] * 6
    assert [equal(other, card) for other in others] == [True] + [False] * 6
    differs = stdlib("operator").ne
    assert [differs(card, other) for other in others] == [False] + [True] * 6


@pytest.mark.task("make-a-card")
def test_equal_cards_have_equal_hashes(cards):
    """Equal cards are the same key of a dictionary.

    Try: {Card(Suit.CLUBS, Rank.TWO): "lead me"}[Card(Suit.CLUBS, Rank.TWO)]
    """
    jack, *others = make(cards, "JD JD JH TD")
    advice = {jack: "lead me"}
    assert [advice.get(card) for card in others] == ["lead me", None, None]


@pytest.mark.task("make-a-card")
def test_a_set_keeps_different_cards(cards):
    """A set holds equal cards once, and keeps different cards apart.

    Try: len({Card(suit, Rank.TWO) for suit in Suit for _ in range(2)})
    """
    assert len(set(make(cards, "JD JD JH QD JD JH"))) == 3


@pytest.mark.task("make-a-card")
@pytest.mark.parametrize(("attribute", "value"), [("suit", "S"), ("rank", 12)])
def test_suit_and_rank_cannot_be_set(cards, attribute, value):
    """Neither the suit nor the rank of a card can be set.

    Try:
        card = Card(Suit.CLUBS, Rank.TWO)
        card.suit = Suit.HEARTS
        card.rank = Rank.THREE
        card.suit
        card.rank
    """
    card = make(cards, "JD")[0]
    new = cards.Suit(value) if attribute == "suit" else cards.Rank(value)
    with pytest.raises(AttributeError):
        setattr(card, attribute, new)
    assert code(card) == "JD"


@pytest.mark.task("make-a-card")
@pytest.mark.parametrize("attribute", ["suit", "rank"])
def test_suit_and_rank_cannot_be_deleted(cards, attribute):
    """Neither the suit nor the rank of a card can be deleted.

    Try:
        card = Card(Suit.CLUBS, Rank.TWO)
        del card.rank
        del card.suit
        card.suit
        card.rank
    """
    card = make(cards, "JD")[0]
    with pytest.raises(AttributeError):
        delattr(card, attribute)
    assert code(card) == "JD"


@pytest.mark.task("make-a-card")
@pytest.mark.parametrize("suit", SUITS)
def test_a_suit_goes_from_two_to_ace(cards, suit):
    """In each suit the two comes first, the ten after the nine, and the ace last.

    Try:
        clubs = [Card(Suit.CLUBS, rank) for rank in reversed(Rank)]
        sorted(clubs)
        clubs[0] < clubs[0]
    """
    order = make(cards, " ".join(rank + suit for rank in RANKS))
    assert code(order[-1]) == f"A{suit}"
    places = itertools.product(range(13), repeat=2)
    assert come_before(order) == [first < second for first, second in places]


@pytest.mark.task("make-a-card")
def test_cards_are_sorted_by_suit_first(cards):
    """Cards are sorted by suit first: clubs, diamonds, hearts, spades.

    Try:
        deck = sorted((Card(suit, rank) for rank in Rank for suit in Suit))
        deck
        deck[0] < deck[0]
        deck[13] < deck[1]
    """
    order = make(cards, "3C AC 3D AD 4H KH 2S KS")
    assert code(order[-1]) == "KS"
    places = itertools.product(range(8), repeat=2)
    assert come_before(order) == [first < second for first, second in places]


@pytest.mark.task("make-a-card")
@pytest.mark.parametrize(
    ("left", "right", "answers"),
    [
        ("QD", "5H", [True, True, False, False]),
        ("QD", "QD", [False, True, False, True]),
        ("QD", "JD", [False, False, True, True]),
    ],
)
def test_all_four_operators_agree(cards, left, right, answers):
    """The operators <, <=, > and >= agree on one order, also for equal cards.

    Try:
        two = Card(Suit.CLUBS, Rank.TWO)
        ace = Card(Suit.CLUBS, Rank.ACE)
        heart = Card(Suit.HEARTS, Rank.THREE)
        two <= two
        two < two
        two >= two
        ace > heart
        ace < heart
        heart < ace
    """
    card, *others = make(cards, f"{left} {right} AC 2S")
    operators = (operator.lt, operator.le, operator.gt, operator.ge)
    after, before = [False, False, True, True], [True, True, False, False]
    told = [each(compare, [card] * 3, others) for compare in operators]
    assert list(zip(*told, strict=True)) == list(map(tuple, (answers, after, before)))


@pytest.mark.task("write-a-card")
@pytest.mark.parametrize("suit", SUITS)
def test_every_card_has_its_code(cards, suit):
    """A code is two characters: the rank's letter, then the suit's letter.

    Try: [str(Card(Suit.CLUBS, rank)) for rank in Rank]
    """
    codes = [rank + suit for rank in RANKS]
    assert each(str, make(cards, " ".join(codes))) == codes


@pytest.mark.task("write-a-card")
@pytest.mark.parametrize(
    ("given", "symbols"), [("2C", "2♣"), ("TD", "T♦"), ("JH", "J♥"), ("AS", "A♠")]
)
def test_a_card_shows_its_symbol(cards, given, symbols):
    """`symbols` is the rank's letter, then the suit's symbol.

    Try: [Card(suit, rank).symbols for suit in Suit for rank in Rank]
    """
    assert make(cards, given)[0].symbols == symbols


@pytest.mark.task("write-a-card")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("2C", "2 of Clubs"),
        ("TD", "10 of Diamonds"),
        ("JH", "Jack of Hearts"),
        ("AS", "Ace of Spades"),
    ],
)
def test_a_card_is_named_in_words(cards, given, words):
    """`words` is the rank's word, then `of`, then the suit's word.

    Try: [Card(suit, rank).words for suit in Suit for rank in Rank]
    """
    assert make(cards, given)[0].words == words


@pytest.mark.task("read-a-card")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5D", "5D"),
        ("tH", "TH"),
        ("aC", "AC"),
        ("10d", "TD"),
        ("10♣", "TC"),
        ("j♥", "JH"),
        ("5 of Diamonds", "5D"),
        ("10 OF SPADES", "TS"),
        ("ace of cLuBs", "AC"),
    ],
)
def test_a_card_is_read_from_any_spelling(cards, text, expected):
    """Codes, symbols and words are read, with `10` for `T`, in capital and small letters.

    Try:
        for text in ["td", "3H", "10h", "10♦", "a♠", "3 of Hearts", "10 OF clubs"]:
            card = Card.parse(text)
            print(card.suit, card.rank)
    """
    assert code(cards.Card.parse(text)) == expected


@pytest.mark.task("read-a-card")
@pytest.mark.parametrize("spelling", ["code", "symbols", "words"])
def test_every_spelling_can_be_read_back(cards, spelling):
    """Everything that a card prints can be read back as the same card, for all 52 cards.

    Try:
        for card in Deck():
            print(
                card,
                [
                    Card.parse(text) == card
                    for text in [str(card), card.symbols, card.words]
                ],
            )
    """
    pack = make(cards, " ".join(rank + suit for suit in SUITS for rank in RANKS))
    texts = each(str, pack) if spelling == "code" else each(getattr, pack, [spelling] * 52)
    found = each(cards.Card.parse, texts)
    assert each(operator.eq, found, pack) == [True] * 52
    assert each(operator.eq, found, [*pack[1:], pack[0]]) == [False] * 52


@pytest.mark.task("read-a-card")
@pytest.mark.parametrize(
    "texts",
    [
        ["QS", "", "Q", "S", "10", "♠", "queen", "of", " of "],
        ["10S", "1D", "11H", "0C", "02C", "15S", "ZS", "QX", "Q?", "♠Q", "SQ", "S10"],
        ["Q♠", "QSS", "QQS", "QS!", "QSQS", "101S", "1010S", "QS 2C", "Q♠S", "QS♠"],
        ["qs", " QS", "QS ", "Q S", "QS\n", "10 S", " queen of spades", "queen  of spades"],
        ["queen of spades", "queen spades", "spades of queen", "queen of queens", "queenofspades"],
        ["2 of spades", "1 of spades", "12 of spades", "ten of spades", "two of spades", "queens"],
        ["jack of clubs", "j of clubs", "t of clubs", "jack of c", "jack♣", "jack of club"],
    ],
)
def test_any_other_text_is_refused(cards, texts):
    """Any text that is not exactly one spelling of a card raises ValueError.

    Try:
        Card.parse("HT")
        Card.parse("3CC")
        Card.parse(" 2C")
        Card.parse("1H")
        Card.parse("02H")
        Card.parse("ace of Ds")
        Card.parse("ace of D")
        Card.parse("K of hearts")
        Card.parse("3c")
        Card.parse("10h")
        Card.parse("3♣")
        Card.parse("3 of clubs")
    """
    assert [text for text in texts if refuses(cards, text)] == texts[1:]


@pytest.mark.task("read-a-card")
@pytest.mark.parametrize("text", ["", "11h", "5 of Diamond"])
def test_the_error_says_what_to_write(cards, text):
    """The message contains the text as `repr` shows it, and the letters of ranks and suits.

    A player who reads it knows what to type instead.

    Try:
        try:
            Card.parse("xx")
        except ValueError as error:
            print("'xx'" in str(error), "23456789TJQKA" in str(error), "CDHS" in str(error))
    """
    with pytest.raises(ValueError, match=RANKS) as refused:
        cards.Card.parse(text)
    assert [wanted in str(refused.value) for wanted in (repr(text), SUITS)] == [True, True]
