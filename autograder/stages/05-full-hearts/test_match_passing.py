"""Hidden checks of stage 05: how cards are passed in a deal."""

import pytest
from hearts_course import each

HELD = ["2C 9C QS KS", "3D 4D 9D AD", "5S 6S 7S 8S", "QH KH AH 2H"]
CHOSEN = ["2C QS KS", "3D 4D AD", "6S 7S 8S", "QH AH 2H"]
KEPT = ["9C", "9D", "5S", "KH"]
GIVERS = {"LEFT": [3, 0, 1, 2], "ACROSS": [2, 3, 0, 1], "RIGHT": [1, 2, 3, 0]}


@pytest.fixture
def piles(cards):
    """Make lists of cards from their codes."""

    def make(*texts):
        parsed = iter(each(cards.Card.parse, " ".join(texts).split()))
        return [[next(parsed) for _ in text.split()] for text in texts]

    return make


@pytest.fixture
def deal(cards, rulebook, match, piles):
    """Make a deal of these hands with a direction of passing."""

    def make(direction, held=HELD):
        hands = each(cards.Hand, piles(*held))
        return match.FullDeal(hands, rulebook.HEART_BOOK, getattr(rulebook.Pass, direction))

    return make


def refusal(call, *arguments):
    """Return the name of the ValueError that this raises, or None."""
    try:
        call(*arguments)
    except ValueError as error:
        return error.kind
    return None


def codes(some_cards):
    """Return the codes of the cards, sorted as texts and joined by blanks."""
    return " ".join(sorted(each(str, some_cards)))


def held(deal):
    """Return the codes of the cards that each seat of the deal holds."""
    return [codes(deal.hand(seat)) for seat in range(4)]


def in_order(*hands):
    """Return these hands in the form that `held` returns."""
    return [" ".join(sorted(hand.split())) for hand in hands]


@pytest.mark.task("pass-in-a-deal")
def test_all_cards_go_to_the_receivers(deal, piles):
    """When all have chosen, each seat's three cards go to its receiver.

    Try: Print `deal.hand(seat)` and `deal.received(seat)` after four calls of `deal.give`.
    """
    for direction, givers in GIVERS.items():
        now = deal(direction)
        each(now.give, [0, 1, 2, 3], piles(*CHOSEN))
        got = [CHOSEN[giver] for giver in givers]
        kept = [f"{card} {cards}" for card, cards in zip(KEPT, got, strict=True)]
        assert [now.direction.name, now.phase.name, now.still_to_pass] == [direction, "PLAYING", []]
        assert held(now) == in_order(*kept)
        assert [codes(now.received(seat)) for seat in range(4)] == in_order(*got)


@pytest.mark.task("pass-in-a-deal")
def test_seats_choose_in_any_order(deal, piles):
    """The seats choose in any order; the last choice moves all cards.

    Try: Print `deal.still_to_pass` and `deal.phase` after each of four choices, beginning with seat
    3.
    """
    for order in ([3, 1, 0, 2], [2, 3, 1, 0], [1, 0, 2, 3]):
        now, chosen, waiting = deal("LEFT"), piles(*CHOSEN), []
        for seat in order:
            waiting.append([now.phase.name, now.still_to_pass])
            now.give(seat, chosen[seat])
        left = [[0, 1, 2, 3], *(sorted(order[place:]) for place in (1, 2, 3))]
        assert waiting == [["PASSING", seats] for seats in left]
        assert [now.phase.name, codes(now.received(1))] == ["PLAYING", in_order(CHOSEN[0])[0]]


@pytest.mark.task("pass-in-a-deal")
def test_nothing_moves_before_the_last_choice(deal, piles):
    """Until the last seat has chosen, all hold what they were dealt and have received nothing.

    Try: Print `deal.hand(0)` and `deal.received(0)` when only seat 3 must still choose.
    """
    now, chosen = deal("RIGHT"), piles(*CHOSEN)
    each(now.give, [0, 2, 3], [chosen[0], chosen[2], chosen[3]])
    assert held(now) == in_order(*HELD)
    assert [[now.received(seat) for seat in range(4)], now.still_to_pass] == [[[]] * 4, [1]]
    now.give(1, chosen[1])
    assert held(now)[0] == in_order("9C 3D 4D AD")[0]


@pytest.mark.task("pass-in-a-deal")
def test_a_wrong_choice_changes_nothing(deal, piles):
    """Cards that may not be passed are refused, even cards that the seat is about to get.

    Nothing changes, and the seat may choose again.

    Try: Let the first seat give one card three times, and then look at `deal.still_to_pass`.
    """
    now, chosen = deal("LEFT"), piles(*CHOSEN)
    now.give(0, chosen[0])
    for wrong in piles("3D 4D", "3D 4D 9D AD", "3D 3D 4D", "AD AD AD", "3D 4D 2C", "3D 4D 5S", ""):
        assert refusal(now.give, 1, wrong) == "IllegalPass"
        assert [now.still_to_pass, now.phase.name] == [[1, 2, 3], "PASSING"]
        assert held(now) == in_order(*HELD)
    assert [refusal(now.give, seat, chosen[seat]) for seat in (1, 2, 3)] == [None] * 3
    assert held(now)[2] == in_order("5S 3D 4D AD")[0]


@pytest.mark.task("pass-in-a-deal")
def test_a_choice_is_final(deal, piles):
    """A seat that has chosen cannot choose again, before the cards have moved or after.

    Try: Call `deal.give(2, cards)`, and then `deal.give(2, other_cards)`.
    """
    now, chosen = deal("ACROSS"), piles(*CHOSEN)
    now.give(0, chosen[0])
    other, after = piles("2C 9C QS", "9C 6S 7S")
    assert [refusal(now.give, 0, other), now.still_to_pass] == ["IllegalPass", [1, 2, 3]]
    each(now.give, [1, 2, 3], chosen[1:])
    assert refusal(now.give, 0, after) == "IllegalPass"
    assert held(now)[0] == in_order("9C 6S 7S 8S")[0]
    assert held(now)[2] == in_order("5S 2C QS KS")[0]


@pytest.mark.task("pass-in-a-deal")
def test_nobody_passes_in_any_hold(rulebook, match, deal, cards, piles):
    """In a hold nobody passes, and the play begins at once.

    Try:
        hands = []
        for suit in "CDSH":
            hands.append(Hand(hold(f"2{suit} 3{suit} 4{suit} 5{suit}")))
        chosen = [list(hand)[:3] for hand in hands]
        deal = FullDeal(hands, ESTELL_BOOK, Pass.HOLD)
        try:
            deal.give(0, chosen[0])
        except IllegalPass:
            print("refused")
        deal.still_to_pass
        deal.phase
    """
    chosen = piles(*CHOSEN)
    silent = match.FullDeal(each(cards.Hand, piles(*HELD)), rulebook.ESTELL_BOOK)
    for now in (deal("HOLD"), silent):
        for seat in (0, 3):
            assert refusal(now.give, seat, chosen[seat]) == "IllegalPass"
            assert [now.still_to_pass, now.received(seat)] == [[], []]
        assert [now.phase.name, now.direction.name] == ["PLAYING", "HOLD"]
        assert held(now) == in_order(*HELD)


@pytest.mark.task("pass-in-a-deal")
def test_passing_does_not_change_the_given_hands(cards, rulebook, match, piles):
    """The deal works on copies: the given hands do not change, and changing them changes nothing.

    Try:
        hands = []
        for suit in "CDSH":
            hands.append(Hand(hold(f"2{suit} 3{suit} 4{suit} 5{suit}")))
        chosen = [list(hand)[:3] for hand in hands]
        deal = FullDeal(hands, HEART_BOOK, Pass.LEFT)
        hands[0].remove(Card.parse("5C"))
        for seat in range(4):
            deal.give(seat, chosen[seat])
        [str(hand) for hand in hands]
        [codes(deal.hand(seat)) for seat in range(4)]
    """
    hands, chosen = each(cards.Hand, piles(*HELD)), piles(*CHOSEN)
    now = match.FullDeal(hands, rulebook.HEART_BOOK, rulebook.Pass.LEFT)
    hands[3].remove(chosen[3][0])
    each(now.give, [0, 1, 2, 3], chosen)
    assert [codes(hand) for hand in hands[:3]] == in_order(*HELD[:3])
    assert held(now)[0] == in_order("9C QH AH 2H")[0]


@pytest.mark.task("pass-in-a-deal")
def test_passing_returns_copies(deal, piles, stdlib):
    """Changing a list that the deal has returned does not change the deal.

    Try:
        hands = []
        for suit in "CDSH":
            hands.append(Hand(hold(f"2{suit} 3{suit} 4{suit} 5{suit}")))
        chosen = [list(hand)[:3] for hand in hands]
        deal = FullDeal(hands, HEART_BOOK, Pass.LEFT)
        for seat in range(4):
            deal.give(seat, chosen[seat])
        deal.hand(0).clear()
        deal.received(0).clear()
        deal.still_to_pass.append(0)
        codes(deal.hand(0))
        codes(deal.received(0))
        deal.still_to_pass
    """
    now, chosen = deal("LEFT"), piles(*CHOSEN)
    emptied = "[given.clear() for given in (deal.hand(0), deal.received(0), deal.still_to_pass)]"
    stdlib("builtins").eval(emptied, {"deal": now})
    assert now.still_to_pass == [0, 1, 2, 3]
    each(now.give, [0, 1, 2, 3], chosen)
    stdlib("builtins").eval(emptied, {"deal": now})
    assert [held(now)[0], codes(now.received(0))] == ["2H 9C AH QH", "2H AH QH"]


@pytest.mark.task("pass-in-a-deal")
def test_a_chosen_list_is_copied(deal, piles, stdlib):
    """Changing the list of chosen cards afterwards does not change the choice.

    Try:
        hands = []
        for suit in "CDSH":
            hands.append(Hand(hold(f"2{suit} 3{suit} 4{suit} 5{suit}")))
        chosen = [list(hand)[:3] for hand in hands]
        deal = FullDeal(hands, HEART_BOOK, Pass.LEFT)
        for seat in range(4):
            given = list(chosen[seat])
            deal.give(seat, given)
            given.clear()
        [codes(deal.received(seat)) for seat in range(4)]
        [codes(deal.hand(seat)) for seat in range(4)]
    """
    now, chosen = deal("RIGHT"), piles(*CHOSEN)
    give = stdlib("builtins").eval(
        "lambda deal, seat, cards: (deal.give(seat, cards), cards.clear())"
    )
    for seat in range(4):
        give(now, seat, chosen[seat])
    assert [held(now)[0], codes(now.received(3))] == ["3D 4D 9C AD", "2C KS QS"]
