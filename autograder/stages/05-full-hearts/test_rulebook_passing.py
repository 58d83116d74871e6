"""Hidden checks of stage 05: directions, cycles, and the passing of cards."""

from random import Random

import pytest
from hearts_course import each

PACK = [f"{rank}{suit}" for suit in "CDHS" for rank in "23456789TJQKA"]
HELD = ["2C 9C QS KS", "3D 4D 9D AD", "5S 6S 7S 8S", "QH KH AH 2H"]
CHOSEN = ["2C QS KS", "3D 4D AD", "6S 7S 8S", "QH AH 2H"]
DIRECTIONS = ["HOLD", "LEFT", "ACROSS", "RIGHT"]


@pytest.fixture
def piles(cards):
    """Make lists of cards from their codes."""

    def make(*texts):
        parsed = iter(each(cards.Card.parse, " ".join(texts).split()))
        return [[next(parsed) for _ in text.split()] for text in texts]

    return make


@pytest.fixture
def hands(cards, piles):
    """Make the hands of all seats from their codes."""
    return lambda *held: each(cards.Hand, piles(*held))


@pytest.fixture
def verdicts(rulebook, hands, piles):
    """Return for each choice from a hand the error that it raises, or None."""

    def find(held, *choices):
        return [
            refusal(rulebook.check_pass, choice, hand)
            for hand in hands(held)
            for choice in piles(*choices)
        ]

    return find


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


@pytest.mark.task("pass-directions")
def test_every_seat_has_its_receivers(rulebook):
    """Left is one seat clockwise, across two, right three; in a hold, the cards stay.

    The seats form a circle: clockwise after seat 3 comes seat 0.

    Try: [[direction.receiver(seat) for seat in (3, 0)] for direction in Pass]
    """
    for steps, name in enumerate(DIRECTIONS):
        found = each(getattr(rulebook.Pass, name).receiver, [0, 1, 2, 3])
        assert found == [(seat + steps) % 4 for seat in range(4)]


@pytest.mark.task("pass-directions")
def test_the_cycles_of_all_rule_books(rulebook):
    """After the last direction of a book's cycle comes the first one again, however long it is.

    Try: [[book.pass_for(deal) for deal in range(9)] for book in (HEART_BOOK, CIT590_BOOK)]
    """
    cycles = {"ESTELL": "LRA", "HEART": "LRAH", "NEW_HEART": "LRAH", "CIT590": "H", "DYNACOMP": "L"}
    for book, cycle in cycles.items():
        directions = each(getattr(rulebook, f"{book}_BOOK").pass_for, [*range(10)])
        assert "".join(direction.name[0] for direction in directions) == (cycle * 10)[:10]


@pytest.mark.task("pass-directions")
def test_a_book_with_another_cycle(rulebook, legal):
    """A book may have any cycle.

    Try: [replace(HEART_BOOK, passes=(Pass.LEFT, Pass.HOLD)).pass_for(n) for n in range(5)]
    """
    deals = [0, 1, 2, 3, 4, 5, 6, 7, 100, 103]
    for cycle in (["RIGHT", "HOLD"], ["ACROSS", "ACROSS", "LEFT", "HOLD", "RIGHT"]):
        passes = tuple(getattr(rulebook.Pass, name) for name in cycle)
        book = rulebook.Book(play=legal.HEART, passes=passes)
        assert [direction.name for direction in each(book.pass_for, deals)] == [
            cycle[deal % len(cycle)] for deal in deals
        ]


@pytest.mark.task("pass-cards")
@pytest.mark.parametrize("choices", [("", "2C QS"), ("2C QS KS 9C", "KS 9C 4H QS")])
def test_three_cards_no_more_and_no_less(verdicts, choices):
    """A player must pass three cards, no more and no less.

    Try:
        for code in ("2C 3C", "2C 3C 4C 5C", "", "2C 3C 4C"):
            try:
                check_pass(hold(code), Hand(hold("2C 3C 4C 5C 6C")))
            except IllegalPass:
                print(code, "refused")
    """
    found = verdicts("2C 9C QS KS 4H", *choices, "2C QS KS", "9C 4H 2C")
    assert found == ["IllegalPass", "IllegalPass", None, None]


@pytest.mark.task("pass-cards")
@pytest.mark.parametrize(
    "choices",
    [
        ("2C 2C 2C", "QS 2C QS", "2C QS QS", "2C QS 9C 9C"),
        ("4D 2C QS", "2C 3C 9C", "2C QS AS", "QS QS 4D"),
    ],
)
def test_wrong_cards_are_refused(verdicts, choices):
    """Nobody may pass one card twice, or a card of another player.

    Both are impossible with real cards.

    Try:
        for code in ("2C 2C 3C", "2C 3C 9D"):
            try:
                check_pass(hold(code), Hand(hold("2C 3C 4C 5C 6C")))
            except IllegalPass:
                print(code, "refused")
    """
    found = verdicts("2C 9C QS KS 4H", *choices, "2C QS KS", "9C 4H 2C")
    assert found == [*["IllegalPass"] * 4, None, None]


@pytest.mark.task("pass-cards")
def test_the_error_names_the_wrong_card(rulebook, hands, piles):
    """The error for a card that is passed twice, or not held, names that card.

    Try:
        try:
            check_pass(hold("2C 3C 3C"), Hand(hold("2C 3C 4C 5C")))
        except IllegalPass as error:
            print("3C" in str(error))
        try:
            check_pass(hold("2C 3C 9D"), Hand(hold("2C 3C 4C 5C")))
        except IllegalPass as error:
            print("9D" in str(error))
    """
    hand = hands("2C 9C QS KS 4H")[0]
    for choice, code in (("2C 7D 4H", "7D"), ("2C 4H AC", "AC"), ("KS KS 9C", "KS")):
        with pytest.raises(ValueError, match=code) as refused:
            rulebook.check_pass(piles(choice)[0], hand)
        assert [refused.value.kind, codes(hand)] == ["IllegalPass", "2C 4H 9C KS QS"]


@pytest.mark.task("pass-cards")
def test_a_whole_pack_is_passed(rulebook, hands, piles):
    """Every player keeps ten cards, and gets three from the right player; no card is lost.

    Try: Call `pass_cards` with hands of 13 cards and `Pass.RIGHT`.
    """
    for seats, direction in list(enumerate(DIRECTIONS))[1:]:
        chance = Random(f"passing {direction}")
        pack = chance.sample(PACK, 52)
        held = [pack[13 * seat : 13 * seat + 13] for seat in range(4)]
        chosen = [chance.sample(cards, 3) for cards in held]
        passed = rulebook.pass_cards(
            hands(*map(" ".join, held)),
            piles(*map(" ".join, chosen)),
            getattr(rulebook.Pass, direction),
        )
        assert [codes(hand) for hand in passed] == [
            " ".join(sorted({*held[seat]} - {*chosen[seat]} | {*chosen[(seat - seats) % 4]}))
            for seat in range(4)
        ]


@pytest.mark.task("pass-cards")
def test_three_cards_are_enough_to_pass(rulebook, hands, piles):
    """A player who holds just three cards passes all of them.

    Try:
        hands = [Hand(hold(f"2{suit} 3{suit} 4{suit}")) for suit in "CDSH"]
        for direction in (Pass.LEFT, Pass.RIGHT, Pass.ACROSS):
            passed = pass_cards(hands, [list(hand) for hand in hands], direction)
            print([codes(hand) for hand in passed])
    """
    passed = rulebook.pass_cards(hands(*CHOSEN), piles(*CHOSEN), rulebook.Pass.RIGHT)
    assert [codes(hand) for hand in passed] == ["3D 4D AD", "6S 7S 8S", "2H AH QH", "2C KS QS"]


@pytest.mark.task("pass-cards")
def test_no_seat_can_pass_on_what_it_gets(rulebook, hands, piles):
    """A card that a player is about to get cannot be passed on.

    If one seat's cards are refused, no seat's cards are passed.

    Try:
        hands = []
        for suit in "CDSH":
            hands.append(Hand(hold(f"2{suit} 3{suit} 4{suit} 5{suit}")))
        chosen = [list(hand)[:3] for hand in hands]
        chosen[2] = hold("2D 3S 4S")
        try:
            pass_cards(hands, chosen, Pass.LEFT)
        except IllegalPass:
            print("refused")
        [str(hand) for hand in hands]
    """
    for direction, seat in (("LEFT", 0), ("LEFT", 3), ("RIGHT", 1), ("ACROSS", 2)):
        giver = (seat - DIRECTIONS.index(direction)) % 4
        wrong = [three.split() for three in CHOSEN]
        wrong[seat][0] = wrong[giver][1]
        before, way = hands(*HELD), getattr(rulebook.Pass, direction)
        chosen = piles(*map(" ".join, wrong))
        assert refusal(rulebook.pass_cards, before, chosen, way) == "IllegalPass"
        assert [codes(hand) for hand in before] == [" ".join(sorted(held.split())) for held in HELD]
        assert refusal(rulebook.pass_cards, before, piles(*CHOSEN), way) is None


@pytest.mark.task("pass-cards")
def test_the_new_hands_are_new(rulebook, hands, piles):
    """Changing the new hands does not change the given hands or the chosen cards.

    Try:
        hands = []
        for suit in "CDSH":
            hands.append(Hand(hold(f"2{suit} 3{suit} 4{suit} 5{suit}")))
        chosen = [list(hand)[:3] for hand in hands]
        passed = pass_cards(hands, chosen, Pass.RIGHT)
        [codes(hand) for hand in passed]
        for hand in passed:
            hand.remove(list(hand)[0])
        [str(hand) for hand in hands]
    """
    before, chosen = hands(*HELD), piles(*CHOSEN)
    passed = rulebook.pass_cards(before, chosen, rulebook.Pass.LEFT)
    for hand, card in zip(passed, piles("9C", "9D", "5S", "KH"), strict=True):
        hand.remove(card[0])
    assert [codes(hand) for hand in passed] == ["2H AH QH", "2C KS QS", "3D 4D AD", "6S 7S 8S"]
    assert [len(hand) for hand in before] == [4, 4, 4, 4]
    again = rulebook.pass_cards(before, chosen, rulebook.Pass.LEFT)
    assert codes(again[1]) == "2C 9D KS QS"


@pytest.mark.task("pass-cards")
def test_the_receiver_of_the_two_of_clubs_leads(rulebook, legal, hands, piles):
    """The player who gets the two of clubs leads. To avoid leading, a player must pass it.

    Try: Call `first_leader` with the hands that `pass_cards` returns, and then look at the hands
    again.
    """
    for leader, direction in list(enumerate(DIRECTIONS))[1:]:
        before = hands(*HELD)
        passed = rulebook.pass_cards(before, piles(*CHOSEN), getattr(rulebook.Pass, direction))
        found = [legal.first_leader(held, 0, legal.HEART) for held in (passed, before)]
        assert found == [leader, 0]
