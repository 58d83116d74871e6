"""Hidden checks of stage 01: the pack, the shuffle and the deal."""

import pytest
from hearts_course import each

RANKS = "23456789TJQKA"
PACK = [rank + suit for suit in "CDHS" for rank in RANKS]


def make(cards, codes):
    """The cards of those codes, made without `Card.parse`."""
    suits = each(cards.Suit, [suit for _, suit in codes.split()])
    ranks = each(cards.Rank, [RANKS.index(rank) + 2 for rank, _ in codes.split()])
    return each(cards.Card, suits, ranks)


def held(some_cards):
    """The codes of the cards that one goes through, in order."""
    return each(str, some_cards)


def shuffled(cards, chance, *stacked):
    """The codes of a new deck after `shuffle(chance)`; it is a full pack unless stacked."""
    deck = cards.Deck(*stacked)
    deck.shuffle(chance)
    return held(deck)


@pytest.mark.task("shuffle-a-deck")
def test_a_new_deck_is_the_sorted_pack(cards):
    """A new deck has every rank of every suit, from the two of clubs to the ace of spades.

    Try: [str(card) for card in Deck()]
    """
    deck = cards.Deck()
    assert [held(deck), len(deck)] == [PACK, 52]


@pytest.mark.task("shuffle-a-deck")
@pytest.mark.parametrize("codes", ["", "QH", "QH 2S AC"])
def test_a_deck_may_be_stacked(cards, codes):
    """A deck made of given cards has those cards, in their order, and no others.

    Every deal that a test or a problem sets is dealt from such a deck.

    Try: [str(card) for card in Deck([Card.parse("TH"), Card.parse("2C")])]
    """
    deck, other = cards.Deck(make(cards, codes)), cards.Deck(make(cards, "5D"))
    assert [held(deck), len(deck)] == [codes.split(), len(codes.split())]
    assert [held(other), len(other)] == [["5D"], 1]


@pytest.mark.task("shuffle-a-deck")
def test_a_deck_keeps_to_itself(cards, stdlib):
    """A deck is made of any iterable; neither changes the other afterwards.

    Try: given = [Card.parse("TH")]; deck = Deck(given); given.clear(); len(deck)
    """
    once = cards.Deck(stdlib("builtins").iter(make(cards, "QH 2S")))
    given = stdlib("collections").deque(make(cards, "QH 2S AC"))
    deck = cards.Deck(given)
    given.pop()
    assert [held(once), held(deck), held(deck)] == [["QH", "2S"], *[["QH", "2S", "AC"]] * 2]


@pytest.mark.task("shuffle-a-deck")
@pytest.mark.parametrize("seed", [0, 1, 4321])
def test_a_shuffled_pack_is_still_a_pack(cards, seed):
    """Shuffling loses no card and doubles none, but it moves them.

    Try: deck = Deck(); deck.shuffle(5); sorted(deck) == list(Deck())
    """
    order = shuffled(cards, seed)
    assert [sorted(order), order == PACK] == [sorted(PACK), False]


@pytest.mark.task("shuffle-a-deck")
def test_a_deck_shuffles_its_own_cards(cards):
    """Shuffling a stacked deck brings in no card from outside.

    Try: deck = Deck([Card.parse("TH"), Card.parse("2C")]); deck.shuffle(5); len(deck)
    """
    assert sorted(shuffled(cards, 11, make(cards, "QH 2S AC 9D"))) == ["2S", "9D", "AC", "QH"]


@pytest.mark.task("shuffle-a-deck")
def test_any_card_may_end_up_anywhere(cards):
    """Over many shuffles every card comes to every place, and not only by a cut.

    Try: for seed in range(9): deck = Deck(); deck.shuffle(seed); print(next(iter(deck)))
    """
    decks = each(cards.Deck, [make(cards, "QH 2S AC")] * 40)
    each(cards.Deck.shuffle, decks, list(range(40)))
    orders = {tuple(held(deck)) for deck in decks}
    assert [set(place) for place in zip(*orders, strict=True)] == [{"QH", "2S", "AC"}] * 3
    assert len(orders) > 3


@pytest.mark.task("shuffle-a-deck")
@pytest.mark.parametrize(("seed", "others"), [(11, (12, 0)), (0, (1, 1000)), (10**9, (9, 10**6))])
def test_equal_seeds_give_equal_orders(cards, seed, others):
    """The same seed gives the same order, other seeds give others.

    Try: one, two = Deck(), Deck(); one.shuffle(5); two.shuffle(5); list(one) == list(two)
    """
    first = shuffled(cards, seed)
    assert [shuffled(cards, n) == first for n in (seed, *others)] == [True, False, False]


@pytest.mark.task("shuffle-a-deck")
@pytest.mark.parametrize("seed", [11, 0, 123_456])
def test_a_generator_is_as_good_as_its_seed(cards, stdlib, seed):
    """A `random.Random` is taken as it is; a seed means a new one of that seed.

    Try: one, two = Deck(), Deck(); one.shuffle(5); two.shuffle(random.Random(5));
    list(one) == list(two)
    """
    generator = stdlib("random").Random
    assert shuffled(cards, generator(seed)) == shuffled(cards, seed)
    assert shuffled(cards, generator(seed)) != shuffled(cards, generator(seed + 1))


@pytest.mark.task("shuffle-a-deck")
def test_a_generator_goes_on(cards, stdlib):
    """A generator that is used again gives another order, and the caller's other draws follow on.

    A whole evening of deals can come from one generator.

    Try: chance = random.Random(5); one, two = Deck(), Deck(); one.shuffle(chance);
    two.shuffle(chance); list(one) == list(two)
    """
    chance, untouched = stdlib("random").Random(11), stdlib("random").Random(11)
    first, second = shuffled(cards, chance), shuffled(cards, chance)
    assert [first == second, chance.random() == untouched.random()] == [False, False]


@pytest.mark.task("shuffle-a-deck")
def test_the_order_owes_nothing_to_the_hidden_generator(cards, stdlib):
    """The hidden generator of the module `random` does not decide the order.

    Try: random.seed(1); one = Deck(); one.shuffle(5); random.seed(2); two = Deck(); two.shuffle(5);
    list(one) == list(two)
    """
    stdlib("random").seed(1)
    first = shuffled(cards, 11)
    stdlib("random").seed(2)
    assert [shuffled(cards, 11) == first, shuffled(cards, 12) == first] == [True, False]


@pytest.mark.task("shuffle-a-deck")
@pytest.mark.parametrize("kind", ["seed", "generator"])
def test_the_hidden_generator_is_not_disturbed(cards, stdlib, kind):
    """Shuffling neither seeds the hidden generator of the module `random` nor draws from it.

    Try: random.seed(1); Deck().shuffle(5); random.random() == random.Random(1).random()
    """
    hidden = stdlib("random")
    hidden.seed(3)
    order = shuffled(cards, 11 if kind == "seed" else hidden.Random(11))
    assert [hidden.random() == hidden.Random(3).random(), order == PACK] == [True, False]
    assert sorted(order) == sorted(PACK)


@pytest.mark.task("deal-the-cards")
@pytest.mark.parametrize(
    ("players", "dealer", "hands", "left"),
    [
        (3, 0, ["7C 4C", "9C 6C", "8C 5C"], "3C 2C"),
        (3, 1, ["8C 5C", "7C 4C", "9C 6C"], "3C 2C"),
        (3, 2, ["9C 6C", "8C 5C", "7C 4C"], "3C 2C"),
        (4, 1, ["7C 3C", "6C 2C", "9C 5C", "8C 4C"], ""),
        (5, 4, ["9C", "8C", "7C", "6C", "5C"], "4C 3C 2C"),
        (5, 2, ["7C", "6C", "5C", "9C", "8C"], "4C 3C 2C"),
    ],
)
def test_the_dealer_comes_last(cards, players, dealer, hands, left):
    """One card at a time goes round from the dealer's left; the last cards are left over.

    Try: [str(hand) for hand in Deck(map(Card.parse, "TH 2C 3D 4S".split())).deal(3, 1)[0]]
    """
    deck = cards.Deck(make(cards, "9C 8C 7C 6C 5C 4C 3C 2C"))
    dealt, left_over = deck.deal(players, dealer)
    assert [[" ".join(held(hand)) for hand in dealt], held(left_over)] == [hands, left.split()]


@pytest.mark.task("deal-the-cards")
@pytest.mark.parametrize(("players", "dealer", "left"), [(3, 1, 1), (4, 3, 0), (5, 4, 2)])
def test_hands_and_rest_make_up_the_pack(cards, players, dealer, left):
    """Every card of the pack is in exactly one hand or left over.

    Try: hands, left_over = Deck().deal(3, 0); sum(map(len, hands)) + len(left_over)
    """
    deck = cards.Deck()
    deck.shuffle(11)
    order = held(deck)
    hands, left_over = deck.deal(players, dealer)
    assert held(left_over) == order[52 - left :]
    assert sorted(code for part in [*hands, left_over] for code in held(part)) == sorted(PACK)


@pytest.mark.task("deal-the-cards")
def test_what_is_dealt_are_hands(cards):
    """Each player gets a `Hand`, which can do all that a hand can.

    Try: hands, _ = Deck().deal(5, dealer=2); hands[0].remove(Card.parse("4C"))
    """
    hands, _ = cards.Deck().deal(4, dealer=3)
    queen, two = make(cards, "QC 2C")
    hands[0].remove(two)
    hands[0].add(queen)
    assert [len(hands), queen in hands[0], two in hands[0], str(hands[0])[:5]] == [
        *[4, True, False],
        "6C TC",
    ]


@pytest.mark.task("deal-the-cards")
def test_a_deck_too_small_is_left_over(cards):
    """If there is not one card for every player, nobody gets any.

    Try: Deck([Card.parse("TH")]).deal(4, dealer=0)
    """
    hands, left_over = cards.Deck(make(cards, "QH 2S")).deal(3, dealer=1)
    assert [[len(hand) for hand in hands], held(left_over)] == [[0, 0, 0], ["QH", "2S"]]


@pytest.mark.task("deal-the-cards")
@pytest.mark.parametrize("players", [2, 6])
def test_a_table_has_three_to_five_seats(cards, players):
    """A deal is for 3, 4 or 5 players; the error names any other number.

    Try: Deck().deal(7, dealer=0)
    """
    with pytest.raises(ValueError, match=str(players)):
        cards.Deck().deal(players, dealer=1)


@pytest.mark.task("deal-the-cards")
@pytest.mark.parametrize(("players", "dealer"), [(3, 3), (4, -1), (5, 17)])
def test_the_dealer_has_a_seat(cards, players, dealer):
    """The dealer sits in one of the seats; the error names any other.

    Try: Deck().deal(4, dealer=4)
    """
    with pytest.raises(ValueError, match=str(dealer)):
        cards.Deck().deal(players, dealer)


@pytest.mark.task("deal-the-cards")
def test_dealing_leaves_the_deck_alone(cards):
    """The deck stays as it was, so that the same deal can be dealt again.

    Try: deck = Deck(); deck.deal(4, dealer=0); len(deck)
    """
    deck = cards.Deck(make(cards, "QH 2S AC 9D"))
    first = [held(hand) for hand in deck.deal(3, dealer=0)[0]]
    second = [held(hand) for hand in deck.deal(3, dealer=0)[0]]
    assert [held(deck), second == first] == [["QH", "2S", "AC", "9D"], True]


@pytest.mark.task("deal-the-cards")
def test_hands_are_separate(cards):
    """What a player does with a hand changes no other hand and not the deck.

    Try: hands, _ = Deck().deal(4, dealer=3); hands[0].remove(Card.parse("2C")); len(hands[1])
    """
    deck = cards.Deck(make(cards, "QH 2S AC 9D"))
    hands, _ = deck.deal(4, dealer=3)
    hands[0].remove(make(cards, "QH")[0])
    hands[1].add(make(cards, "5D")[0])
    assert [held(hand) for hand in hands] == [[], ["2S", "5D"], ["AC"], ["9D"]]
    assert held(deck) == ["QH", "2S", "AC", "9D"]
