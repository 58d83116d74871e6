"""Hidden checks of stage 01: the pack, the shuffle and the deal."""

import pytest
from hearts_course import each

RANKS = "23456789TJQKA"
PACK = [rank + suit for suit in "CDHS" for rank in RANKS]


def make(cards, codes):
    """Return the cards with these codes, made without `Card.parse`."""
    suits = each(cards.Suit, [suit for _, suit in codes.split()])
    ranks = each(cards.Rank, [RANKS.index(rank) + 2 for rank, _ in codes.split()])
    return each(cards.Card, suits, ranks)


def held(some_cards):
    """Return the codes of these cards, in order, made without `str(card)`."""
    some = list(some_cards)
    if any(isinstance(card, str) for card in some):
        return some  # only the test about that fails
    suits, ranks = (each(getattr, some, [name] * len(some)) for name in ("suit", "rank"))
    letters = [RANKS[rank - 2] for rank in each(int, ranks)]
    return list(map(str.__add__, letters, each(str, suits)))


def orders_of_three(cards):
    """Return the different orders of three cards after forty shuffles."""
    decks = each(cards.Deck, [make(cards, "QH 2S AC")] * 40)
    each(cards.Deck.shuffle, decks, list(range(40)))
    return {tuple(held(deck)) for deck in decks}


def shuffled(cards, rng, *stacked):
    """Return the codes of a new deck after `shuffle(rng)`; it is the full pack unless stacked."""
    deck = cards.Deck(*stacked)
    deck.shuffle(rng)
    return held(deck)


@pytest.mark.task("shuffle-a-deck")
def test_a_new_deck_is_the_sorted_pack(cards):
    """A new deck is the sorted pack, from the two of clubs to the ace of spades.

    Try: [str(card) for card in Deck()]
    """
    deck = cards.Deck()
    assert [held(deck), len(deck)] == [PACK, 52]


@pytest.mark.task("shuffle-a-deck")
@pytest.mark.parametrize("codes", ["", "QH", "QH 2S AC"])
def test_a_deck_can_be_made_from_given_cards(cards, codes):
    """A deck made from given cards has exactly those cards, in the same order.

    Tests need this to prepare a certain deal.

    Try:
        [str(card) for card in Deck([Card.parse("TH"), Card.parse("2C")])]
        len(Deck([]))
    """
    deck, other = cards.Deck(make(cards, codes)), cards.Deck(make(cards, "5D"))
    assert [held(deck), len(deck)] == [codes.split(), len(codes.split())]
    assert [held(other), len(other)] == [["5D"], 1]


@pytest.mark.task("shuffle-a-deck")
def test_a_deck_is_independent_of_its_iterable(cards, stdlib):
    """A deck can be made from any iterable, and does not change when that changes later.

    Try:
        given = [Card.parse("TH"), Card.parse("2C")]
        deck = Deck(given)
        given.clear()
        len(deck)
        [str(card) for card in deck]
    """
    once = cards.Deck(stdlib("builtins").iter(make(cards, "QH 2S")))
    given = stdlib("collections").deque(make(cards, "QH 2S AC"))
    deck = cards.Deck(given)
    given.pop()
    assert [held(once), held(deck), held(deck)] == [["QH", "2S"], *[["QH", "2S", "AC"]] * 2]


@pytest.mark.task("shuffle-a-deck")
@pytest.mark.parametrize("seed", [0, 1, 4321])
def test_a_shuffled_pack_is_still_a_pack(cards, seed):
    """Shuffling moves the cards, but loses none and doubles none.

    Try:
        deck = Deck()
        deck.shuffle(5)
        len(deck)
        list(deck) == list(Deck())
        sorted(deck) == list(Deck())
    """
    order = shuffled(cards, seed)
    assert [sorted(order), order == PACK] == [sorted(PACK), False]


@pytest.mark.task("shuffle-a-deck")
def test_a_deck_shuffles_its_own_cards(cards):
    """Shuffling keeps exactly the cards of the deck and adds none.

    Try:
        deck = Deck(map(Card.parse, ["TH", "2C", "3S"]))
        deck.shuffle(5)
        sorted(deck)
    """
    assert sorted(shuffled(cards, 11, make(cards, "QH 2S AC 9D"))) == ["2S", "9D", "AC", "QH"]


@pytest.mark.task("shuffle-a-deck")
def test_every_card_can_get_to_every_place(cards):
    """Over many shuffles every card gets to every place.

    Try:
        orders = []
        for seed in range(60):
            deck = Deck(map(Card.parse, ["TH", "2C", "3S"]))
            deck.shuffle(seed)
            orders.append([str(card) for card in deck])
        [len({order[place] for order in orders}) for place in range(3)]
    """
    orders = orders_of_three(cards)
    assert [set(place) for place in zip(*orders, strict=True)] == [{"QH", "2S", "AC"}] * 3


@pytest.mark.task("shuffle-a-deck")
def test_more_orders_come_up_than_by_cutting(cards):
    """Over many shuffles of three cards, more than three different orders come up.

    Try:
        orders = set()
        for seed in range(60):
            deck = Deck(map(Card.parse, ["TH", "2C", "3S"]))
            deck.shuffle(seed)
            orders.add(" ".join(str(card) for card in deck))
        len(orders)
    """
    assert len(orders_of_three(cards)) > 3


@pytest.mark.task("shuffle-a-deck")
@pytest.mark.parametrize(("seed", "others"), [(11, (12, 0)), (0, (1, 1000)), (10**9, (9, 10**6))])
def test_equal_seeds_give_equal_orders(cards, seed, others):
    """Equal seeds give the same order, and different seeds give different orders.

    Try:
        one = Deck()
        two = Deck()
        three = Deck()
        one.shuffle(5)
        two.shuffle(5)
        three.shuffle(2005)
        list(one) == list(two)
        list(one) == list(three)
        one = Deck()
        two = Deck()
        one.shuffle(0)
        two.shuffle(0)
        list(one) == list(two)
    """
    first = shuffled(cards, seed)
    assert [shuffled(cards, n) == first for n in (seed, *others)] == [True, False, False]


@pytest.mark.task("shuffle-a-deck")
@pytest.mark.parametrize("seed", [11, 0, 123_456])
def test_a_generator_gives_the_order_of_its_seed(cards, stdlib, seed):
    """A generator `random.Random(n)` gives the same order as the seed `n`.

    Try:
        for seed in (0, 5, 2005):
            one = Deck()
            one.shuffle(seed)
            two = Deck()
            two.shuffle(random.Random(seed))
            print(list(two) == list(one), list(two) == list(Deck()))
    """
    generator = stdlib("random").Random
    assert shuffled(cards, generator(seed)) == shuffled(cards, seed)
    assert shuffled(cards, generator(seed)) != shuffled(cards, generator(seed + 1))


@pytest.mark.task("shuffle-a-deck")
def test_the_given_generator_itself_is_used(cards, stdlib):
    """The shuffle uses the given generator itself, so using it again gives another order.

    One generator can give the deals of a whole evening.

    Try:
        rng = random.Random(5)
        one = Deck()
        two = Deck()
        one.shuffle(rng)
        two.shuffle(rng)
        list(one) == list(two)
        rng.random() == random.Random(5).random()
    """
    rng, untouched = stdlib("random").Random(11), stdlib("random").Random(11)
    first, second = shuffled(cards, rng), shuffled(cards, rng)
    assert [first == second, rng.random() == untouched.random()] == [False, False]


@pytest.mark.task("shuffle-a-deck")
def test_the_hidden_generator_does_not_decide_the_order(cards, stdlib):
    """The hidden generator of the module `random` has no influence on the order.

    Try:
        random.seed(1)
        one = Deck()
        one.shuffle(5)
        random.seed(2)
        two = Deck()
        two.shuffle(5)
        list(two) == list(one)
        list(two) == list(Deck())
    """
    stdlib("random").seed(1)
    first = shuffled(cards, 11)
    stdlib("random").seed(2)
    assert [shuffled(cards, 11) == first, shuffled(cards, 12) == first] == [True, False]


@pytest.mark.task("shuffle-a-deck")
@pytest.mark.parametrize("kind", ["seed", "generator"])
def test_the_hidden_generator_is_not_used(cards, stdlib, kind):
    """Shuffling neither seeds nor uses the hidden generator of the module `random`.

    Try:
        random.seed(1)
        deck = Deck()
        deck.shuffle(5)
        other = Deck()
        other.shuffle(random.Random(5))
        random.random() == random.Random(1).random()
        sorted(deck) == list(Deck())
        list(deck) == list(Deck())
        len(deck)
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
    """Cards are dealt one at a time from the dealer's left, so the dealer comes last.

    Try:
        for players, dealer in [(3, 1), (4, 0), (5, 4)]:
            deck = Deck(map(Card.parse, "TH 2C 3D 4S 2H 3C 9D 8D 9S".split()))
            hands, left_over = deck.deal(players, dealer)
            print([str(hand) for hand in hands], [str(card) for card in left_over])
    """
    deck = cards.Deck(make(cards, "9C 8C 7C 6C 5C 4C 3C 2C"))
    dealt, left_over = deck.deal(players, dealer)
    assert [[" ".join(held(hand)) for hand in dealt], held(left_over)] == [hands, left.split()]


@pytest.mark.task("deal-the-cards")
@pytest.mark.parametrize(("players", "dealer", "left"), [(3, 1, 1), (4, 3, 0), (5, 4, 2)])
def test_hands_and_left_over_cards_make_up_the_pack(cards, players, dealer, left):
    """Every card of the pack is either in exactly one hand or left over.

    Try:
        for players, dealer in [(3, 0), (4, 2), (5, 4)]:
            hands, left_over = Deck().deal(players, dealer)
            print([len(hand) for hand in hands], [str(card) for card in left_over])
    """
    deck = cards.Deck()
    deck.shuffle(11)
    order = held(deck)
    hands, left_over = deck.deal(players, dealer)
    assert held(left_over) == order[52 - left :]
    assert sorted(code for part in [*hands, left_over] for code in held(part)) == sorted(PACK)


@pytest.mark.task("deal-the-cards")
def test_each_player_gets_a_hand_object(cards):
    """Each player gets a `Hand`, with all its methods.

    Try:
        hands, _ = Deck().deal(5, dealer=2)
        hands[0].remove(Card.parse("4C"))
        [str(hand) for hand in hands]
    """
    hands, _ = cards.Deck().deal(4, dealer=3)
    queen, two = make(cards, "QC 2C")
    hands[0].remove(two)
    hands[0].add(queen)
    assert [len(hands), queen in hands[0], two in hands[0], held(hands[0])[:2]] == [
        *[4, True, False],
        ["6C", "TC"],
    ]


@pytest.mark.task("deal-the-cards")
def test_a_deck_that_is_too_small_is_left_over(cards):
    """If the deck has fewer cards than players, nobody gets a card and all are left over.

    Try:
        hands, left_over = Deck([Card.parse("TH"), Card.parse("2C")]).deal(4, dealer=0)
        [len(hand) for hand in hands]
        [str(card) for card in left_over]
    """
    hands, left_over = cards.Deck(make(cards, "QH 2S")).deal(3, dealer=1)
    assert [[len(hand) for hand in hands], held(left_over)] == [[0, 0, 0], ["QH", "2S"]]


@pytest.mark.task("deal-the-cards")
@pytest.mark.parametrize("players", [2, 6])
def test_only_three_to_five_players_are_allowed(cards, players):
    """A deal is for 3, 4 or 5 players; any other number is an error that names it.

    Try:
        try:
            Deck().deal(7, dealer=0)
        except ValueError as error:
            print("7" in str(error))

    Try: Deck().deal(7, dealer=0)
    """
    with pytest.raises(ValueError, match=str(players)):
        cards.Deck().deal(players, dealer=1)


@pytest.mark.task("deal-the-cards")
@pytest.mark.parametrize(("players", "dealer"), [(3, 3), (4, -1), (5, 17)])
def test_the_dealer_must_have_a_seat(cards, players, dealer):
    """The dealer must have one of the seats; any other seat is an error that names it.

    Try:
        try:
            Deck().deal(4, dealer=4)
        except ValueError as error:
            print("4" in str(error))
        try:
            Deck().deal(3, dealer=-2)
        except ValueError as error:
            print("-2" in str(error))
        len(Deck().deal(5, dealer=4)[0])
    """
    with pytest.raises(ValueError, match=str(dealer)):
        cards.Deck().deal(players, dealer)


@pytest.mark.task("deal-the-cards")
def test_dealing_does_not_change_the_deck(cards):
    """Dealing does not change the deck, so the same deal can be dealt again.

    Try:
        deck = Deck()
        hands, left_over = deck.deal(3, dealer=0)
        len(deck)
    """
    deck = cards.Deck(make(cards, "QH 2S AC 9D"))
    first = [held(hand) for hand in deck.deal(3, dealer=0)[0]]
    second = [held(hand) for hand in deck.deal(3, dealer=0)[0]]
    assert [held(deck), second == first] == [["QH", "2S", "AC", "9D"], True]


@pytest.mark.task("deal-the-cards")
def test_hands_are_separate(cards):
    """A change to one hand changes neither the other hands nor the deck.

    Try:
        deck = Deck()
        hands, _ = deck.deal(4, dealer=3)
        hands[0].remove(Card.parse("2C"))
        [len(hand) for hand in hands]
        len(deck)
    """
    deck = cards.Deck(make(cards, "QH 2S AC 9D"))
    hands, _ = deck.deal(4, dealer=3)
    hands[0].remove(make(cards, "QH")[0])
    hands[1].add(make(cards, "5D")[0])
    assert [held(hand) for hand in hands] == [[], ["2S", "5D"], ["AC"], ["9D"]]
    assert held(deck) == ["QH", "2S", "AC", "9D"]
