"""Hidden checks of stage 01: which cards a hand holds, and how it is sorted and shown."""

import pytest
from hearts_course import each

RANKS = "23456789TJQKA"


def make(cards, codes):
    """Return the cards with these codes, made without `Card.parse`."""
    suits = each(cards.Suit, [suit for _, suit in codes.split()])
    ranks = each(cards.Rank, [RANKS.index(rank) + 2 for rank, _ in codes.split()])
    return each(cards.Card, suits, ranks)


def held(some_cards):
    """Return the codes of the hand's cards, in its order, made without `str(card)`."""
    some = list(some_cards)
    if any(isinstance(card, str) for card in some):
        return some  # only the test about that fails
    suits, ranks = (each(getattr, some, [name] * len(some)) for name in ("suit", "rank"))
    letters = [RANKS[rank - 2] for rank in each(int, ranks)]
    return list(map(str.__add__, letters, each(str, suits)))


@pytest.mark.task("hold-a-hand")
@pytest.mark.parametrize("codes", ["", "5D", "KH 5D AC 2C"])
def test_a_hand_holds_its_cards_in_order(cards, codes):
    """A hand holds the given cards, in the same order.

    Try:
        hand = Hand(map(Card.parse, ["TH", "2C", "5H"]))
        [str(card) for card in hand]
        str(hand)
        [card.rank for card in hand]
    """
    hand, other = cards.Hand(make(cards, codes)), cards.Hand(make(cards, "9C"))
    assert [held(hand), len(hand), str(hand)] == [codes.split(), len(codes.split()), codes]
    assert [held(other), len(other), str(other)] == [["9C"], 1, "9C"]


@pytest.mark.task("hold-a-hand")
def test_a_hand_holds_cards_not_texts(cards):
    """`for` gives the cards of a hand as `Card` objects, not as strings.

    Try: [card.rank for card in Hand([Card.parse("TH"), Card.parse("2C"), Card.parse("3C")])]
    """
    hand = cards.Hand(make(cards, "KH 5D"))
    assert [[str(card.suit), int(card.rank)] for card in hand] == [["H", 13], ["D", 5]]


@pytest.mark.task("hold-a-hand")
def test_a_new_hand_is_empty(cards):
    """`Hand()` is empty, even after another hand was filled.

    Try:
        first = Hand()
        first.add(Card.parse("TH"))
        len(first)
        len(Hand())
    """
    first = cards.Hand()
    first.add(make(cards, "5D")[0])
    assert [held(first), held(cards.Hand())] == [["5D"], []]


@pytest.mark.task("hold-a-hand")
def test_a_hand_is_made_of_any_iterable(cards, stdlib):
    """A hand can be made from any iterable, even one that can be used only once.

    Try: str(Hand(iter([Card.parse("TH"), Card.parse("2C")])))
    """
    once = stdlib("builtins").iter(make(cards, "KH 5D"))
    assert held(cards.Hand(once)) == ["KH", "5D"]


@pytest.mark.task("hold-a-hand")
def test_a_hand_is_independent_of_its_iterable(cards, stdlib):
    """A hand does not change when the iterable it was made from, or another hand, changes.

    Try:
        given = [Card.parse(code) for code in ["TH", "2C", "5S"]]
        first = Hand(iter(given))
        second = Hand(first)
        first.remove(Card.parse("2C"))
        str(first)
        [card.rank for card in second]
        len([card for card in second])
        hand = Hand(given)
        given.clear()
        len(hand)
    """
    given = stdlib("collections").deque(make(cards, "KH 5D"))
    hand = cards.Hand(given)
    other = cards.Hand(hand)
    given.clear()
    other.remove(make(cards, "5D")[0])
    assert [held(hand), held(other)] == [["KH", "5D"], ["KH"]]


@pytest.mark.task("hold-a-hand")
def test_a_hand_does_not_change_its_iterable(cards, stdlib):
    """Changing a hand does not change the iterable that it was made from.

    Try:
        given = [Card.parse("TH"), Card.parse("2C")]
        hand = Hand(given)
        hand.remove(Card.parse("TH"))
        len(given)
        str(hand)
    """
    given = stdlib("collections").deque(make(cards, "KH 5D"))
    hand = cards.Hand(given)
    hand.remove(make(cards, "KH")[0])
    assert [len(given), held(hand)] == [2, ["5D"]]


@pytest.mark.task("hold-a-hand")
def test_an_added_card_comes_last(cards):
    """An added card comes after all the others.

    Try:
        hand = Hand()
        hand.add(Card.parse("TH"))
        hand.add(Card.parse("2C"))
        str(hand)
    """
    hand = cards.Hand(make(cards, "KH AC"))
    for card in make(cards, "5D 2S"):
        hand.add(card)
    assert [held(hand), len(hand)] == [["KH", "AC", "5D", "2S"], 4]


@pytest.mark.task("hold-a-hand")
@pytest.mark.parametrize(
    ("out", "left"), [("KH", "5D KD AH"), ("KD", "KH 5D AH"), ("AH", "KH 5D KD")]
)
def test_exactly_that_card_is_removed(cards, out, left):
    """`remove` takes out exactly that card, and the others keep their order.

    Try:
        hand = Hand(map(Card.parse, ["2S", "2C", "3C"]))
        hand.remove(Card.parse("2C"))
        str(hand)
    """
    hand = cards.Hand(make(cards, "KH 5D KD AH"))
    hand.remove(make(cards, out)[0])
    assert [held(hand), len(hand)] == [left.split(), 3]


@pytest.mark.task("hold-a-hand")
def test_a_removed_card_can_come_back(cards):
    """A removed card is gone, and it may be added again.

    Try:
        hand = Hand([Card.parse("TH"), Card.parse("2C")])
        card = Card.parse("TH")
        hand.remove(card)
        card in hand
        hand.add(card)
        str(hand)
    """
    hand = cards.Hand(make(cards, "KH 5D"))
    king = make(cards, "KH")[0]
    hand.remove(king)
    assert king not in hand
    hand.add(king)
    assert held(hand) == ["5D", "KH"]


@pytest.mark.task("hold-a-hand")
def test_a_hand_knows_what_it_holds(cards):
    """`card in hand` is true only if one of the hand's cards has the same suit and rank.

    Try:
        hand = Hand([Card.parse("2C"), Card.parse("TS")])
        Card.parse("2S") in hand
        Card.parse("TS") in hand
    """
    hand = cards.Hand(make(cards, "KH 5D"))
    assert [card in hand for card in make(cards, "KH 5D KD 5H 2C")] == [
        *[True, True],
        *[False, False, False],
    ]


@pytest.mark.task("hold-a-hand")
def test_a_hand_can_be_iterated_again(cards):
    """`for` can be used on a hand again and again.

    Try:
        hand = Hand([Card.parse("TH"), Card.parse("2C"), Card.parse("3C")])
        [str(card) for card in hand]
        [str(card) for card in hand]
        len(hand)
    """
    hand = cards.Hand(make(cards, "KH 5D"))
    assert [held(hand), held(hand), len(hand)] == [["KH", "5D"], ["KH", "5D"], 2]


@pytest.mark.task("hold-a-hand")
@pytest.mark.parametrize(("codes", "out"), [("", "5D"), ("KH 5D 9C", "9D")])
def test_the_error_names_the_missing_card(cards, codes, out):
    """Removing a card that the hand does not hold is an error that names it and changes nothing.

    Try:
        hand = Hand([Card.parse("2C"), Card.parse("3H"), Card.parse("3C")])
        try:
            hand.remove(Card.parse("TH"))
        except ValueError as error:
            print("TH" in str(error))
        str(hand)
    """
    hand = cards.Hand(make(cards, codes))
    with pytest.raises(ValueError, match=out):
        hand.remove(make(cards, out)[0])
    assert held(hand) == codes.split()


@pytest.mark.task("hold-a-hand")
def test_a_card_cannot_be_added_twice(cards):
    """Adding a card that the hand already holds is an error that names it and changes nothing.

    Try:
        hand = Hand([Card.parse("TH"), Card.parse("2C")])
        try:
            hand.add(Card.parse("TH"))
        except ValueError as error:
            print("TH" in str(error))
        str(hand)
    """
    hand = cards.Hand(make(cards, "KH 5D"))
    with pytest.raises(ValueError, match="5D"):
        hand.add(make(cards, "5D")[0])
    assert held(hand) == ["KH", "5D"]


@pytest.mark.task("hold-a-hand")
def test_a_hand_cannot_be_made_with_a_card_twice(cards):
    """Making a hand with the same card twice is an error that names it.

    Try:
        try:
            Hand([Card.parse("TH"), Card.parse("2C"), Card.parse("TH")])
        except ValueError as error:
            print("TH" in str(error))
    """
    with pytest.raises(ValueError, match="KH"):
        cards.Hand(make(cards, "KH 5D KH"))


@pytest.mark.task("sort-and-show")
@pytest.mark.parametrize(
    ("codes", "in_order"),
    [
        ("", ""),
        ("KS TC 9C AH 2D QS AC 2S", "9C TC AC 2D AH 2S QS KS"),
        ("AS KS QH JH TD 9D 8C 7C", "7C 8C 9D TD JH QH KS AS"),
    ],
)
def test_sorting_a_hand_changes_its_order(cards, codes, in_order):
    """`sort` puts the hand itself in order: C, D, H, S, and each suit from the two to the ace.

    Try:
        hand = Hand(map(Card.parse, ["TH", "9H", "AC"]))
        hand.sort()
        str(hand)
    """
    hand, other = cards.Hand(make(cards, codes)), cards.Hand(make(cards, "3S 3C"))
    hand.sort()
    other.sort()
    assert [held(hand), len(hand)] == [in_order.split(), len(codes.split())]
    assert [held(other), len(other)] == [["3C", "3S"], 2]


@pytest.mark.task("sort-and-show")
@pytest.mark.parametrize(
    ("suits", "found"),
    [
        ("CD", ["9C AC TC", ""]),
        ("DH", ["", "2H"]),
        ("HS", ["2H", "KS 2S"]),
        ("SC", ["KS 2S", "9C AC TC"]),
    ],
)
def test_the_cards_of_a_suit_come_in_the_hands_order(cards, suits, found):
    """`cards_of` returns all cards of the suit and no others, in the hand's order.

    Try: [str(c) for c in Hand(map(Card.parse, ["TH", "2C", "3H"])).cards_of(Suit.HEARTS)]
    """
    hand = cards.Hand(make(cards, "KS 9C AC 2H 2S TC"))
    of_suits = [hand.cards_of(cards.Suit(suit)) for suit in suits]
    assert [" ".join(held(some)) for some in of_suits] == found


@pytest.mark.task("sort-and-show")
def test_the_cards_of_a_suit_are_a_new_list(cards, stdlib):
    """`cards_of` returns a new list, so changing that list does not change the hand.

    Try:
        hand = Hand([Card.parse("TH")])
        hand.cards_of(Suit.HEARTS).clear()
        len(hand)
    """
    hand, spades = cards.Hand(make(cards, "KS 2S")), cards.Suit("S")
    method, each = stdlib("operator").methodcaller, stdlib("builtins").map
    # A list is copied on its way to this process, so clear it in the student's process.
    cleared = each(method("clear"), each(method("cards_of", spades), [hand]))
    assert [list(cleared), held(hand)] == [[None], ["KS", "2S"]]


@pytest.mark.task("sort-and-show")
@pytest.mark.parametrize(
    ("codes", "answers"),
    [
        ("", [True, True, True, True]),
        ("KS 9C 2S", [False, True, True, False]),
        ("2H 3D", [True, False, False, True]),
    ],
)
def test_void_means_no_card_of_the_suit(cards, codes, answers):
    """A hand is void in a suit if it has no card of that suit; an empty hand is void in all.

    Try: [Hand([Card.parse("TH")]).is_void(suit) for suit in Suit]
    """
    hand = cards.Hand(make(cards, codes))
    assert [hand.is_void(cards.Suit(suit)) for suit in "CDHS"] == answers


@pytest.mark.task("sort-and-show")
def test_a_hand_becomes_void(cards):
    """A hand becomes void when its last card of the suit is removed, until one is added.

    Try:
        hand = Hand([Card.parse("TH"), Card.parse("2C")])
        hand.remove(Card.parse("TH"))
        [hand.is_void(suit) for suit in Suit]
        hand.add(Card.parse("3S"))
        [hand.is_void(suit) for suit in Suit]
    """
    hand = cards.Hand(make(cards, "KS 9C"))
    king, heart = make(cards, "KS 4H")
    hand.remove(king)
    hand.add(heart)
    assert [hand.is_void(cards.Suit(suit)) for suit in "CDHS"] == [False, True, False, True]


@pytest.mark.task("sort-and-show")
@pytest.mark.parametrize(
    ("codes", "lines"),
    [
        (
            "AD JC 8S 2H KD TS 6S AC 5H 3D AS 7D TC 3S JH 6H 8D",
            ["S: AT863", "H: J652", "D: AK873", "C: AJT"],
        ),
        ("3C TC 2C", ["S:", "H:", "D:", "C: T32"]),
        ("9H KD QH 9S", ["S: 9", "H: Q9", "D: K", "C:"]),
        ("", ["S:", "H:", "D:", "C:"]),
    ],
)
def test_a_hand_is_shown_high_to_low(cards, codes, lines):
    """`show` has four lines, S H D C, with the ranks from high to low, even in an unsorted hand.

    Players of 1980 saw their hand like this before every trick.

    Try: print(Hand(map(Card.parse, ["JH", "9H", "2C", "TH"])).show())
    """
    assert cards.Hand(make(cards, codes)).show().split("\n") == lines


@pytest.mark.task("sort-and-show")
def test_looking_at_a_hand_does_not_move_it(cards):
    """Only `sort` changes the order of a hand; `show`, `cards_of` and `is_void` do not.

    Try:
        hand = Hand(map(Card.parse, ["TH", "2C"]))
        hand.show()
        str(hand)
    """
    hand = cards.Hand(make(cards, "KS 9C AC 2H 2S TC"))
    hand.show()
    hand.cards_of(cards.Suit("C"))
    hand.is_void(cards.Suit("S"))
    assert held(hand) == ["KS", "9C", "AC", "2H", "2S", "TC"]
