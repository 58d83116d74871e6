"""Hidden checks of stage 03: deal and trumps, leader and follower, tricks, hearts."""

import random

import pytest
from hearts_course import each

PACK = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]


def make(cards, codes):
    """Return the cards with these codes."""
    return each(cards.Card.parse, codes.split())


def codes_of(some_cards):
    """Return the codes of these cards, in the same order."""
    return " ".join(each(str, some_cards))


def hands_of(cards, hands):
    """Return a hand for each seat, the dealer's first; `hands` has a `|` between two hands."""
    return [cards.Hand(make(cards, codes)) for codes in hands.split("|")]


@pytest.mark.task("turn-up-trumps")
@pytest.mark.parametrize(
    ("exposed", "suit"),
    [
        ("TC 9S", "C"),
        ("9S TC", "C"),
        ("2S AD", "D"),
        ("KH QS", "H"),
        ("JH TS", "H"),
        ("7C 7D", "D"),
        ("7D 7C", "D"),
        ("AH AS", "S"),
        ("QH QC", "H"),
        ("4D JD", "D"),
    ],
)
def test_rank_makes_trumps_and_suit_breaks_the_tie(uva181, cards, exposed, suit):
    """The suit of the higher rank is trumps; for equal ranks, the higher of the two suits.

    The order of the two exposed cards does not matter.

    Try:
        [
            trump_suit(cards(pair))
            for pair in ["5H 5D", "5D 5H", "5H 6D", "6D 5H", "AH KS", "KS AH"]
        ]
    """
    found = [str(uva181.trump_suit(make(cards, codes))) for codes in (exposed, "8S 9H", "8H 9S")]
    assert found == [suit, "H", "S"]


@pytest.mark.task("turn-up-trumps")
@pytest.mark.parametrize("seed", [10, 11, 12])
def test_cards_are_dealt_round_to_five(uva181, cards, seed):
    """Every fifth card goes to the same seat, and the first goes to the dealer's left.

    Try:
        hands, trump = deal(Deck(reversed(list(Deck()))))
        str(hands[0])
    """
    deck = random.Random(seed).sample(PACK, 52)
    hands, _ = uva181.deal(cards.Deck(make(cards, " ".join(deck))))
    assert [str(hand) for hand in hands] == [
        " ".join(deck[first:50:5]) for first in (4, 0, 1, 2, 3)
    ]


@pytest.mark.task("turn-up-trumps")
@pytest.mark.parametrize(("exposed", "suit"), [("6D 6C", "D"), ("2C TS", "S"), ("KH 3S", "H")])
def test_the_last_two_cards_are_exposed(uva181, cards, exposed, suit):
    """The two cards left over decide the trumps, and no hand holds them.

    Try:
        for last in ["5H 6D", "6D 5H", "5H 5D", "5D 5H", "2S 3C"]:
            rest = [card for card in Deck() if card not in cards(last)]
            print(deal(Deck([*rest, *cards(last)]))[1])
    """
    rest = [code for code in PACK if code not in exposed.split()]
    hands, trump = uva181.deal(cards.Deck(make(cards, " ".join([*rest, exposed]))))
    assert str(trump) == suit
    assert sorted(code for hand in hands for code in str(hand).split()) == sorted(rest)


@pytest.mark.task("lead-a-card")
@pytest.mark.parametrize(
    ("codes", "trump", "card"),
    [
        ("9S TC", "S", "TC"),
        ("KC AD QS", "S", "AD"),
        ("JH TS 9S", "C", "JH"),
        ("2S 3C", "S", "3C"),
        ("AC AH AS", "H", "AH"),
        ("AC AH AS", "D", "AS"),
        ("AS AH AC", "C", "AC"),
        ("TD 4S TC", "S", "TD"),
        ("8S 8H 8D 8C", "D", "8D"),
        ("8C 8D 8H 2S", "S", "8H"),
        ("QD QC KC 2D", "D", "KC"),
        ("6H", "S", "6H"),
    ],
)
def test_the_highest_card_is_played(uva181, cards, codes, trump, card):
    """The highest rank is played first; of equal ranks the trump, or else the highest suit.

    Try:
        [
            str(highest(cards(held), Suit.DIAMONDS))
            for held in ["5S 5D 4C", "6S 2D", "5H 5S", "5S 5H", "TS JC", "QS KC", "AC KH"]
        ]
    """
    assert str(uva181.highest(make(cards, codes), cards.Suit(trump))) == card
    assert str(uva181.highest(make(cards, "7D"), cards.Suit(trump))) == "7D"


@pytest.mark.task("lead-a-card")
def test_the_highest_of_any_cards_is_found(uva181, cards, stdlib):
    """The cards may be any iterable, and a hand does not change.

    Try: str(highest(iter(cards("5S 5D")), Suit.DIAMONDS))
    """
    hand, clubs = cards.Hand(make(cards, "7D JC JS 3H")), cards.Suit("C")
    once = stdlib("builtins").iter(make(cards, "7D JC JS 3H"))
    found = [uva181.highest(once, clubs), uva181.highest(hand, clubs)]
    assert [codes_of(found), str(hand)] == ["JC JC", "7D JC JS 3H"]


@pytest.mark.task("follow-a-lead")
@pytest.mark.parametrize(
    ("hand", "trump", "card"),
    [("4C TD 9S", "S", "TD"), ("QD 5H QH 2S", "S", "QH"), ("QD 5H QH 2S", "D", "QD")],
)
def test_the_leader_plays_the_highest_card(uva181, cards, hand, trump, card):
    """The leader plays the card of highest rank in the hand, in any suit.

    Try:
        [
            str(choose(Hand(cards(held)), [], Suit.DIAMONDS))
            for held in ["5S 5D 4C", "6S 2D", "5H 5S"]
        ]
    """
    assert str(uva181.choose(cards.Hand(make(cards, hand)), [], cards.Suit(trump))) == card
    assert str(uva181.choose(cards.Hand(make(cards, "7D")), [], cards.Suit(trump))) == "7D"


@pytest.mark.task("follow-a-lead")
@pytest.mark.parametrize(
    ("hand", "trick", "trump", "card"),
    [
        ("3D 9D AS KC", "4D", "S", "9D"),
        ("3D AS KC", "KD", "S", "3D"),
        ("9C TC AS", "2C AC", "S", "TC"),
        ("3H 8H AS", "2H", "H", "8H"),
        ("JD QD 2C", "KD 4S 5C", "S", "QD"),
    ],
)
def test_a_follower_plays_the_highest_card_of_the_suit_led(uva181, cards, hand, trick, trump, card):
    """A player who can follow suit plays the highest card of the suit led, and no trump.

    Try:
        [
            str(choose(Hand(cards("5S 6D 4D KC")), cards(trick), Suit.SPADES))
            for trick in ["2D", "2D AC", "2D 3S"]
        ]
    """
    hands = [cards.Hand(make(cards, codes)) for codes in (hand, "6D")]
    chosen = [uva181.choose(one, make(cards, trick), cards.Suit(trump)) for one in hands]
    assert codes_of(chosen) == f"{card} 6D"


@pytest.mark.task("follow-a-lead")
@pytest.mark.parametrize(
    ("hand", "trick", "trump", "card"),
    [
        ("AC 2S 7S KH", "4D", "S", "7S"),
        ("AC 2S KH", "4D AS", "S", "2S"),
        ("AS KS 3C", "QD", "C", "3C"),
        ("AS KS 3C 5C", "QD 4C TC 8H", "C", "5C"),
        ("TH 9H AC", "JS 2S", "H", "TH"),
    ],
)
def test_a_void_player_must_trump(uva181, cards, hand, trick, trump, card):
    """A player who is void in the suit led plays the highest trump, even one that cannot win.

    Try: str(choose(Hand(cards("5S 6S AC")), cards("2D KS"), Suit.SPADES))
    """
    hands = [cards.Hand(make(cards, codes)) for codes in (hand, "6D")]
    chosen = [uva181.choose(one, make(cards, trick), cards.Suit(trump)) for one in hands]
    assert codes_of(chosen) == f"{card} 6D"


@pytest.mark.task("follow-a-lead")
@pytest.mark.parametrize(
    ("hand", "trick", "trump", "card"),
    [
        ("3C TC 9H", "4D", "S", "TC"),
        ("KC 4S KH", "AD", "D", "KH"),
        ("5S 5H 5C 2H", "9D JD", "D", "5S"),
        ("QC JS QH", "2D 3S", "D", "QH"),
    ],
)
def test_a_player_without_trump_discards_the_highest(uva181, cards, hand, trick, trump, card):
    """A player without the suit led and without trumps discards the card of highest rank.

    Try:
        [
            str(choose(Hand(cards(held)), cards(trick), Suit.DIAMONDS))
            for held, trick in [
                ("5S 5H 4C", "2D"),
                ("5S 6H 4C", "2D"),
                ("5S 4C 6H", "2D 3S"),
            ]
        ]
    """
    hands = [cards.Hand(make(cards, codes)) for codes in (hand, "6D")]
    chosen = [uva181.choose(one, make(cards, trick), cards.Suit(trump)) for one in hands]
    assert codes_of(chosen) == f"{card} 6D"


@pytest.mark.task("follow-a-lead")
def test_choose_does_not_play_the_card(uva181, cards):
    """`choose` changes neither the hand nor the trick.

    Try:
        hand = Hand(cards("5S 9S 4C KD 8C"))
        choose(hand, cards("2C"), Suit.SPADES)
        choose(hand, cards("2C"), Suit.SPADES)
        str(hand)
    """
    hand = cards.Hand(make(cards, "3D JS 9D"))
    trick = make(cards, "4D")
    chosen = [uva181.choose(hand, trick, cards.Suit("S")) for _ in range(2)]
    assert [codes_of(chosen), str(hand)] == ["9D 9D", "3D JS 9D"]


@pytest.mark.task("play-a-trick")
@pytest.mark.parametrize(
    ("hands", "leader", "trump", "told"),
    [
        ("4H 2D|9H|TH|3H|6H", 0, "S", [0, "4H 9H TH 3H 6H", 2]),
        ("4H 2D|9H|TH|3H|6H", 4, "S", [4, "6H 4H 9H TH 3H", 2]),
        ("4H|9H|TH|3H|6H", 2, "H", [2, "TH 3H 6H 4H 9H", 2]),
        ("QC 2C|AS|9C TD|KH|AD", 1, "H", [1, "AS TD KH AD QC", 3]),
        ("QC 2C|JS|3D 5D|KC 9D|AH", 1, "D", [1, "JS 5D 9D AH QC", 3]),
        ("KC|AD|AS|TC 2S|AH", 3, "D", [3, "TC AH KC AD AS", 1]),
        ("KC|AD|AS|2D|AC", 3, "H", [3, "2D AC KC AD AS", 1]),
        ("AC|AH|AS|2D|KS", 3, "H", [3, "2D KS AC AH AS", 1]),
        ("AC|KC|AS|2D|KS", 3, "H", [3, "2D KS AC KC AS", 3]),
    ],
)
def test_a_trick_is_played_by_the_rules(uva181, cards, hands, leader, trump, told):
    """All play clockwise from the leader, and a trump beats every card of the suit led.

    Try:
        for trump in Suit:
            hands = [Hand(cards(held)) for held in ["2C KD", "3C", "4D", "5S AH", "6C"]]
            trick = play_trick(hands, 2, trump)
            print(trick.leader, [str(card) for card in trick.cards], trick.taker)
    """
    trick = uva181.play_trick(hands_of(cards, hands), leader, cards.Suit(trump))
    assert [trick.leader, codes_of(trick.cards), trick.taker] == told


@pytest.mark.task("play-a-trick")
@pytest.mark.parametrize(
    ("leader", "left"),
    [
        (0, ["4D 2D", "9D 3C", "TS 2S", "AD KD", "7D 3S"]),
        (2, ["8C 2D", "3C 5C", "6D 2S", "4C KD", "7D JD"]),
    ],
)
def test_only_the_cards_played_leave_their_hands(uva181, cards, leader, left):
    """Each hand loses only the card that it plays, and the others keep their order.

    Try:
        hands = [
            Hand(cards(held))
            for held in ["5D 2D AC", "6D 3S KD", "7D 3C 2H", "9D 8S 4S", "TD 2S KH"]
        ]
        play_trick(hands, 2, Suit.SPADES)
        [str(hand) for hand in hands]
    """
    hands = hands_of(cards, "4D 8C 2D|9D 3C 5C|TS 6D 2S|AD 4C KD|7D JD 3S")
    uva181.play_trick(hands, leader, cards.Suit("D"))
    assert [str(hand) for hand in hands] == left


@pytest.mark.task("play-a-trick")
def test_a_trick_that_is_played_stays_as_it_is(uva181, cards):
    """`play_trick` returns a `Trick`, which cannot be changed, with a tuple of cards.

    Try:
        hands = [Hand([Card.parse(code)]) for code in ["2C", "3C", "4C", "5C", "6C"]]
        trick = play_trick(hands, 3, Suit.CLUBS)
        type(trick.cards)
        [trick.leader, trick.taker]
        trick.taker = 0
    """
    trick = uva181.play_trick(hands_of(cards, "4H|9H|TH|3H|6H"), 1, cards.Suit("C"))
    with pytest.raises(AttributeError):
        trick.taker = 1
    assert [trick.leader, trick.taker] == [1, 2]
    assert isinstance(trick.cards, tuple)


@pytest.mark.task("count-the-hearts")
@pytest.mark.parametrize(
    ("tricks", "scores"),
    [
        ([], [0, 0, 0, 0, 0]),
        ([(0, "QS JC TC 9C 8C", 4)], [0, 0, 0, 0, 0]),
        ([(4, "2H 3H 4H 5H 6H", 0)], [20, 0, 0, 0, 0]),
        ([(4, "7H 8H 9H TH JH", 1), (1, "QH AC KD KH AH", 4)], [0, 45, 0, 0, 39]),
        ([(1, "AC AD AS AH KS", 3), (3, "QS QH 2H 2D 3C", 3)], [0, 0, 0, 28, 0]),
        ([(2, "JC JD TH 4S 9S", 2), (2, "JS JH 3C 5C 6D", 1)], [0, 11, 10, 0, 0]),
    ],
)
def test_only_hearts_count_and_at_face_value(uva181, cards, tricks, scores):
    """Every heart scores its face value, jack 11 to ace 14, and every other card nothing.

    Try:
        count_hearts(
            [
                Trick(1, tuple(cards("AH QS JC 4C 5H")), 0),
                Trick(0, tuple(cards("KH 2C 3C 6C 7C")), 0),
            ]
        )
    """
    played = [uva181.Trick(at, tuple(make(cards, codes)), by) for at, codes, by in tricks]
    assert uva181.count_hearts(played) == scores


@pytest.mark.task("count-the-hearts")
def test_tricks_may_be_an_iterator(uva181, cards, stdlib):
    """The tricks may be any iterable, even one that can be used only once.

    Try:
        tricks = [Trick(1, tuple(cards(f"{code} 2C 3C 4C 5C")), 1) for code in ["AH", "QH"]]
        count_hearts(iter(tricks))
    """
    played = [
        uva181.Trick(3, tuple(make(cards, f"{code} 2C 4C 5C 6C")), 3) for code in ["KH", "3H"]
    ]
    assert uva181.count_hearts(stdlib("builtins").iter(played)) == [0, 0, 0, 16, 0]
