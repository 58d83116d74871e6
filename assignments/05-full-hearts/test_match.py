"""Visible checks of stage 05: passing and playing a deal, and a match from start to end."""

import pytest
from hearts_course import each

SUITS = ["2C 3C 4C 5C", "2D 3D 4D 5D", "2S 3S 4S 5S", "2H 3H 4H 5H"]
CHOSEN = ["2C 3C 4C", "2D 3D 4D", "2S 3S 4S", "2H 3H 4H"]
OWN_CHOICE = """\
three = [card for card in deal.hand(0) if str(card) != '5C']
deal.give(0, three)
three.clear()
"""
SMALL = ["3C KD", "QS TH", "9C 4S", "2C 8H"]
# All points of a pack, and two clubs. Seat 1 takes the first trick, seat 3 the others.
FOUR = ["2C QS 8H 9H", "3C 2H 3H 4H", "TH JH 5H 6H", "QH KH AH 7H"]
LINE = "2C 3C TH QH 2H JH KH 8H AH 9H 3H 5H 7H QS 4H 6H"
# Seat 0 takes all tricks.
SUN = ["2C AH KH QH", "2D 2H 3H 4H", "QS 5H 6H 7H", "8H 9H TH JH"]
SUN_LINE = "2C 2D 5H 8H AH 2H 6H 9H KH 3H 7H TH QH 4H QS JH"
# Seat 1 has no clubs.
VOID = ["2C 4D", "QS 6D", "AC 4S", "3C 7S"]

WHOLE_MATCH = """\
from random import Random
rng, match = Random(5), Match(HEART_BOOK)
while not match.is_over():
    deal = match.start_shuffled(rng)
    for seat in deal.still_to_pass:
        deal.give(seat, rng.sample(deal.hand(seat), 3))
    while deal.turn is not None:
        taker = deal.play(rng.choice(deal.legal_plays()))
    scores = match.finish()
match.sheet.totals
"""


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


def is_refused(call, *arguments):
    """Return whether this raises ValueError or a subclass of it."""
    return refusal(call, *arguments) is not None


@pytest.mark.task("pass-in-a-deal")
def test_cards_move_when_all_have_chosen(rulebook, match, hands, hold):
    """Chosen cards stay in the hand until the last seat has chosen; then all move at once."""
    deal = match.FullDeal(hands(SUITS), rulebook.HEART_BOOK, rulebook.Pass.ACROSS)
    for seat in (0, 3, 1):
        deal.give(seat, hold(CHOSEN[seat]))
    assert [deal.phase.name, deal.still_to_pass] == ["PASSING", [2]]
    assert [codes(deal.hand(0)), deal.received(0), deal.received(1)] == ["2C 3C 4C 5C", [], []]
    deal.give(2, hold(CHOSEN[2]))
    assert [deal.phase.name, deal.still_to_pass] == ["PLAYING", []]
    assert [codes(deal.hand(0)), codes(deal.received(0))] == ["2S 3S 4S 5C", "2S 3S 4S"]
    deal = match.FullDeal(hands(SUITS), rulebook.HEART_BOOK, rulebook.Pass.LEFT)
    for seat in range(4):
        deal.give(seat, hold(CHOSEN[seat]))
    assert [codes(deal.hand(1)), codes(deal.received(1))] == ["2C 3C 4C 5D", "2C 3C 4C"]


@pytest.mark.task("pass-in-a-deal")
def test_a_refused_choice_changes_nothing(rulebook, match, hands, hold):
    """Cards that may not be passed are refused, and so is a second choice; nothing changes."""
    deal = match.FullDeal(hands(SUITS), rulebook.HEART_BOOK, rulebook.Pass.LEFT)
    assert refusal(deal.give, 1, hold("2D 3D 2C")) == "IllegalPass"
    assert [deal.still_to_pass, codes(deal.hand(1))] == [[0, 1, 2, 3], "2D 3D 4D 5D"]
    assert refusal(deal.give, 1, hold(CHOSEN[1])) is None
    assert refusal(deal.give, 1, hold(CHOSEN[1])) == "IllegalPass"
    assert deal.still_to_pass == [0, 2, 3]


@pytest.mark.task("pass-in-a-deal")
def test_hands_of_a_deal_are_copies(rulebook, match, hands, hold, typed):
    """Every list that a deal returns or keeps is its own: changing another changes no deal.

    Otherwise somebody else could take a card out of a hand without the deal noticing.
    """
    deal = match.FullDeal(hands(SUITS), rulebook.HEART_BOOK, rulebook.Pass.LEFT)
    typed("deal.hand(0).clear()", deal=deal)
    typed("deal.still_to_pass.clear()", deal=deal)
    assert [codes(deal.hand(0)), deal.still_to_pass] == ["2C 3C 4C 5C", [0, 1, 2, 3]]
    typed(OWN_CHOICE, deal=deal)
    for seat in (1, 2, 3):
        deal.give(seat, hold(CHOSEN[seat]))
    assert codes(deal.received(1)) == "2C 3C 4C", {
        "2D 3D 4D": "A player wants to see which cards are new."
    }


@pytest.mark.task("pass-in-a-deal")
def test_nobody_passes_in_a_hold(rulebook, match, hands, hold):
    """In a hold nobody passes, and the deal begins with the play."""
    deal = match.FullDeal(hands(SUITS), rulebook.HEART_BOOK)
    assert [deal.phase.name, deal.direction.name, deal.still_to_pass] == ["PLAYING", "HOLD", []]
    assert refusal(deal.give, 0, hold(CHOSEN[0])) == "IllegalPass"
    assert [codes(deal.hand(0)), deal.received(0)] == ["2C 3C 4C 5C", []]


@pytest.mark.task("play-a-full-deal")
def test_a_trick_is_played(rulebook, match, hands, hold):
    """The seats play in turn, clockwise; the seat that takes the trick leads the next one."""
    deal = match.FullDeal(hands(SMALL), rulebook.CIT590_BOOK)
    assert [deal.turn, deal.leader, codes(deal.legal_plays())] == [3, 3, "2C"]
    assert deal.view().first_trick is True
    assert each(deal.play, hold("2C 3C TH")) == [None, None, None]
    played = [code_of(card) for card in deal.trick]
    assert [deal.turn, deal.leader, played] == [2, 3, ["2C", "3C", "TH"]]
    assert each(deal.play, hold("9C")) == [2]
    assert [deal.turn, deal.leader, deal.trick] == [2, 2, []]
    assert deal.view().first_trick is False
    trick = deal.tricks[0]
    assert [trick.leader, trick.taker, codes(trick.cards)] == [3, 2, "2C 3C 9C TH"]
    assert deal.costs() == [0, 0, 1, 0]


@pytest.mark.task("play-a-full-deal")
def test_a_deal_is_played_to_its_end(rulebook, match, hands, hold):
    """After the last card the deal is over, nobody has a turn, and the scores are known."""
    deal = match.FullDeal(hands(SMALL), rulebook.CIT590_BOOK)
    each(deal.play, hold("2C 3C TH 9C 4S 8H KD"))
    assert [deal.phase.name, is_refused(deal.scores)] == ["PLAYING", True]
    each(deal.play, hold("QS"))
    assert [deal.phase.name, deal.turn, deal.legal_plays()] == ["OVER", None, []]
    assert [deal.leader, deal.scores()] == [None, [0, 14, 1, 0]]
    deal = match.FullDeal(hands(SUN), rulebook.ESTELL_BOOK)
    each(deal.play, hold(SUN_LINE))
    assert [deal.costs(), deal.scores()] == [[26, 0, 0, 0], [0, 26, 26, 26]], (
        "The scores reward the moon, and the costs ignore it."
    )


@pytest.mark.task("play-a-full-deal")
def test_the_two_of_clubs_leads_after_the_passing(rulebook, match, hands, hold):
    """Whoever holds the two of clubs after the passing leads it."""
    deal = match.FullDeal(hands(SUITS), rulebook.HEART_BOOK, rulebook.Pass.LEFT)
    assert [deal.turn, deal.leader, deal.legal_plays()] == [None, None, []]
    assert is_refused(deal.play, hold("2C")[0])
    for seat in range(4):
        deal.give(seat, hold(CHOSEN[seat]))
    assert [deal.turn, codes(deal.legal_plays())] == [1, "2C"]


@pytest.mark.task("play-a-full-deal")
def test_a_card_is_refused_by_the_rule_book(rulebook, legal, match, hands, hold):
    """A card that may not be played raises the error of stage 02 and stays in the hand."""
    deal = match.FullDeal(hands(SMALL), rulebook.HEART_BOOK)
    assert refusal(deal.play, hold("8H")[0]) == "WrongOpening"
    each(deal.play, hold("2C"))
    assert refusal(deal.play, hold("KD")[0]) == "Revoke"
    assert [codes(deal.view().hand), codes(deal.view().trick), deal.turn] == ["3C KD", "2C", 0]
    for book, plays in ((rulebook.ESTELL_BOOK, "6D"), (rulebook.CIT590_BOOK, "6D QS")):
        deal = match.FullDeal(hands(VOID), book)
        each(deal.play, hold("2C"))
        found = [codes(deal.legal_plays()), codes(legal.legal_plays(deal.view()))]
        assert found == [plays, plays], "Each book has its own rules for the first trick."
        assert is_refused(deal.play, hold("QS")[0]) == (plays == "6D")


@pytest.mark.task("play-a-full-deal")
def test_what_lies_on_the_table_is_a_copy(rulebook, match, hands, hold, typed):
    """Changing a list or a hand that the deal has returned does not change the deal."""
    given = hands(SMALL)
    deal = match.FullDeal(given, rulebook.CIT590_BOOK)
    each(deal.play, hold("2C 3C"))
    assert codes(given[3]) == "2C 8H", "The given hands never change."
    typed("deal.trick.clear()", deal=deal)
    typed("deal.view().hand.remove(deal.hand(1)[0])", deal=deal)
    assert [codes(deal.trick), codes(deal.hand(1))] == ["2C 3C", "QS TH"]


@pytest.mark.task("play-a-full-deal")
def test_the_queen_of_spades_breaks_hearts_in_some_books(rulebook, match, hands, hold):
    """A card on the table can break hearts; the book says whether the queen of spades does."""
    for book, broken in ((rulebook.ESTELL_BOOK, True), (rulebook.DYNACOMP_BOOK, False)):
        deal = match.FullDeal(hands(SMALL), book)
        each(deal.play, hold("2C 3C QS"))
        assert deal.view().hearts_broken == broken
        each(deal.play, hold("9C"))
        assert deal.view().hearts_broken == broken, "Hearts stay broken until the deal is over."


@pytest.mark.task("play-a-match")
def test_a_deal_is_scored_on_the_sheet(rulebook, match, hands, hold):
    """A deal must be over before it is scored on the sheet, and then no deal is left."""
    game = match.Match(rulebook.CIT590_BOOK)
    deal = game.start(hands(FOUR))
    assert [is_refused(game.start, hands(FOUR)), is_refused(game.finish)] == [True, True]
    each(game.deal.play, hold(LINE))
    assert deal.turn is None
    assert game.finish() == [0, 2, 0, 24]
    assert [game.sheet.rows, game.sheet.names[1], game.deal] == [[[0, 2, 0, 24]], "East", None]


@pytest.mark.task("play-a-match")
def test_a_match_scores_a_deal_by_its_totals(rulebook, match, hands, hold):
    """The totals so far decide what a moon or a sun is worth, if the book says so.

    Here 52 points for each of the others would end the match, and seat 3 would win it.
    """
    game = match.Match(rulebook.NEW_HEART_BOOK)
    for scores in ([26, 0, 0, 0], [0, 26, 0, 0]):
        for _ in range(3):
            game.sheet.enter(scores)
    game.sheet.enter([0, 0, 26, 0])
    deal = game.start(hands(SUN))
    each(deal.play, hold(SUN_LINE))
    assert game.finish() == [-52, 0, 0, 0]


@pytest.mark.task("play-a-match")
def test_the_direction_changes_from_deal_to_deal(rulebook, match, hands):
    """Each deal of a match has the direction that its rule book says."""
    for book, passes in (
        (rulebook.HEART_BOOK, "LEFT RIGHT ACROSS HOLD"),
        (rulebook.CIT590_BOOK, "HOLD HOLD"),
    ):
        found = []
        for number in range(len(passes.split())):
            game = match.Match(book)
            for _ in range(number):
                game.sheet.enter([26, 0, 0, 0])
            found.append(game.start(hands(FOUR)).direction.name)
        assert found == passes.split()


@pytest.mark.task("play-a-match")
def test_a_match_ends(rulebook, match, hands):
    """When a total reaches the limit, the match is over, and no other deal can start."""
    game = match.Match(rulebook.DYNACOMP_BOOK, ["Ann", "Ben", "Cy", "Di"])
    for scores in ([26, 0, 0, 0], [26, 0, 0, 0], [22, 2, 2, 0]):
        game.sheet.enter(scores)
    assert [game.is_over(), game.winners()] == [False, [3]]
    game.sheet.enter([1, 0, 0, 25])
    assert [game.is_over(), game.winners()] == [True, [1, 2]]
    assert is_refused(game.start, hands(FOUR))


@pytest.mark.task("play-a-match")
@pytest.mark.timeout(6)
def test_a_whole_match_is_played(rulebook, match, typed):
    """A match can be played to its end, by players who play at random.

    Parts that are right one by one must also work together, deal after deal.
    """
    totals = typed(WHOLE_MATCH, Match=match.Match, HEART_BOOK=rulebook.HEART_BOOK)
    assert [max(totals) >= 100, sum(totals) % 26] == [True, 0]


@pytest.mark.task("play-a-match")
def test_the_dealer_goes_round(rulebook, match):
    """The dealer is the next seat in each deal; after seat 3 comes seat 0 again."""
    first = match.Match(rulebook.HEART_BOOK).start_shuffled(7)
    after_one = match.Match(rulebook.HEART_BOOK)
    after_one.sheet.enter([26, 0, 0, 0])
    second = after_one.start_shuffled(7)
    after_four = match.Match(rulebook.HEART_BOOK)
    for scores in ([26, 0, 0, 0], [0, 26, 0, 0], [0, 0, 26, 0], [0, 0, 0, 26]):
        after_four.sheet.enter(scores)
    fifth = after_four.start_shuffled(7)
    hand = codes(first.hand(1))
    assert [codes(second.hand(1)) == hand, codes(fifth.hand(1)) == hand] == [False, True]


@pytest.mark.task("play-a-match")
def test_a_seed_decides_a_shuffled_deal(rulebook, match):
    """The same seed gives the same four hands of thirteen cards; another seed gives others.

    The dealer is one seat further on in each deal, and so is each hand: no seat is always first.
    """
    first = match.Match(rulebook.HEART_BOOK).start_shuffled(7)
    again = match.Match(rulebook.HEART_BOOK).start_shuffled(7)
    other = match.Match(rulebook.HEART_BOOK).start_shuffled(8)
    dealt = [codes(first.hand(seat)) for seat in range(4)]
    assert [len(hand.split()) for hand in dealt] == [13] * 4, "A pack has 52 cards."
    assert [codes(again.hand(seat)) for seat in range(4)] == dealt, "So a deal can be repeated."
    same = codes(other.hand(0)) == dealt[0]
    assert [same] == [False], "So not all deals are the same."
    later = match.Match(rulebook.HEART_BOOK)
    later.sheet.enter([26, 0, 0, 0])
    deal = later.start_shuffled(7)
    assert [codes(deal.hand(seat)) for seat in (1, 2, 3, 0)] == dealt
