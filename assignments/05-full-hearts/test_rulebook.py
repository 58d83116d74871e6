"""Visible checks of stage 05: which way cards are passed, and which cards may be passed.

A test reaches your program through fixtures named after your modules (`rulebook`, `cards`).
"""

import pytest
from hearts_course import each

SUITS = ["2C 3C 4C 5C", "2D 3D 4D 5D", "2S 3S 4S 5S", "2H 3H 4H 5H"]
CHOSEN = ["2C 3C 4C", "2D 3D 4D", "2S 3S 4S", "2H 3H 4H"]


@pytest.fixture
def hold(cards):
    """Make a list of cards from their codes."""
    return lambda codes: each(cards.Card.parse, codes.split())


@pytest.fixture
def hands(cards, hold):
    """Make the hands of all seats from their codes."""
    return lambda held: [cards.Hand(hold(codes)) for codes in held]


def code_of(card):
    """Return the code of a card, but not of a text."""
    return card.rank.letter + str(card.suit)


def codes(some_cards):
    """Return the codes of the cards, sorted as texts and joined by blanks."""
    return " ".join(sorted(code_of(card) for card in some_cards))


def refusal(call, *arguments):
    """Return the name of the ValueError that this raises, or None."""
    try:
        call(*arguments)
    except ValueError as error:
        return error.kind
    return None


@pytest.mark.task("pass-directions")
@pytest.mark.parametrize(
    ("direction", "receivers"),
    [("LEFT", [1, 2, 3, 0]), ("RIGHT", [3, 0, 1, 2]), ("ACROSS", [2, 3, 0, 1])],
)
def test_receivers_of_each_direction(rulebook, direction, receivers):
    """Left is the next seat clockwise, right the one before, and across the one opposite.

    In the wrong direction, another player gets your bad cards.
    """
    assert each(getattr(rulebook.Pass, direction).receiver, [0, 1, 2, 3]) == receivers


@pytest.mark.task("pass-directions")
@pytest.mark.parametrize(
    ("book", "cycle"),
    [
        ("ESTELL_BOOK", "LEFT RIGHT ACROSS LEFT RIGHT"),
        ("HEART_BOOK", "LEFT RIGHT ACROSS HOLD LEFT"),
    ],
)
def test_cycle_of_directions(rulebook, book, cycle):
    """Each deal has its direction; after the last one of the cycle comes the first one again."""
    directions = each(getattr(rulebook, book).pass_for, [0, 1, 2, 3, 4])
    assert [direction.name for direction in directions] == cycle.split()


@pytest.mark.task("pass-cards")
def test_exactly_three_held_cards_may_be_passed(cards, rulebook, hold):
    """A player passes exactly three different cards of their own hand."""
    hand = cards.Hand(hold("2C 9C QS KS 4H"))
    choices = ["QS KS 4H", "QS KS", "QS KS 4H 9C", "QS KS QS", "QS KS AS"]
    assert [refusal(rulebook.check_pass, hold(choice), hand) for choice in choices] == [
        None,
        *["IllegalPass"] * 4,
    ]
    assert str(hand) == "2C 9C QS KS 4H"


@pytest.mark.task("pass-cards")
@pytest.mark.parametrize("code", ["AS", "2D", "KS"])
def test_a_refused_card_is_named(cards, rulebook, hold, code):
    """The error names the card that may not be passed."""
    with pytest.raises(ValueError, match=code):
        rulebook.check_pass(hold(f"QS {code} KS"), cards.Hand(hold("2C 9C QS KS 4H")))


@pytest.mark.task("pass-cards")
@pytest.mark.parametrize(
    ("direction", "after"),
    [
        ("LEFT", ["2H 3H 4H 5C", "2C 3C 4C 5D", "2D 3D 4D 5S", "2S 3S 4S 5H"]),
        ("ACROSS", ["2S 3S 4S 5C", "2H 3H 4H 5D", "2C 3C 4C 5S", "2D 3D 4D 5H"]),
    ],
)
def test_everybody_passes_at_once(rulebook, hold, hands, direction, after):
    """Each seat gives three cards and gets three; the given hands do not change."""
    before, chosen = hands(SUITS), [hold(three) for three in CHOSEN]
    passed = rulebook.pass_cards(before, chosen, getattr(rulebook.Pass, direction))
    assert [codes(hand) for hand in passed] == after
    assert [codes(hand) for hand in before] == SUITS


@pytest.mark.task("pass-cards")
def test_what_comes_back_are_hands(rulebook, cards, hold, hands):
    """After a pass there are four new hands, and not only lists of cards.

    The play goes on with them, and only a hand finds its cards of a suit.
    """
    chosen = [hold(three) for three in CHOSEN]
    passed = rulebook.pass_cards(hands(SUITS), chosen, rulebook.Pass.LEFT)
    assert codes(passed[1].cards_of(cards.Suit("C"))) == "2C 3C 4C"


@pytest.mark.task("pass-cards")
def test_a_card_just_received_cannot_be_passed_on(rulebook, hold, hands):
    """Nobody can pass on a card that they are only about to get.

    All players choose before they see what they get.
    """
    chosen = [hold(codes) for codes in ("2C 3C 4C", "2C 3D 4D", "2S 3S 4S", "2H 3H 4H")]
    before = hands(SUITS)
    assert refusal(rulebook.pass_cards, before, chosen, rulebook.Pass.LEFT) == "IllegalPass"
    chosen[1] = hold("5D 3D 4D")
    assert refusal(rulebook.pass_cards, before, chosen, rulebook.Pass.LEFT) is None
