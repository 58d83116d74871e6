"""Tests of the table, each about one rule; none of them knows how the table works inside.

A test is a function without arguments whose name begins with `test_`. It calls what the brief
describes of `table`, and asserts what every correct table must return. Where the order of cards is
free, it compares sorted codes.
"""

from collections.abc import Callable, Iterable
from functools import partial

from cards import Card, Hand
from table import Deal, Seat, deal_scores, game_over, winners

HEARTS = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
FOUR = ("3C KD", "QS TH", "9C 4S", "2C 8H")


def hold(codes: str) -> list[Card]:
    """Return the cards with these codes, such as `2C QS`."""
    return [Card.parse(code) for code in codes.split()]


def codes(cards: Iterable[Card]) -> str:
    """Return the codes of the cards, in an order that depends only on the cards."""
    return " ".join(sorted(str(card) for card in cards))


def deal_of(*hands: str) -> Deal:
    """Return a deal of these four hands, North's first."""
    return Deal([Hand(hold(each)) for each in hands])


def played(deal: Deal, cards: str) -> list[Seat | None]:
    """Play these cards one after the other; return what the deal answers to each."""
    return [deal.play(card) for card in hold(cards)]


def picture(deal: Deal) -> list[object]:
    """Return all that can be seen of a deal that is not over: turn, trick, hands and piles."""
    piles = [codes(pile) for seat in Seat for pile in (deal.hand(seat), deal.taken(seat))]
    return [Seat(deal.turn), list(map(str, deal.trick)), piles, list(deal.scores())]


def is_refused(call: Callable[[], object]) -> bool:
    """Return whether this raises ValueError."""
    try:
        call()
    except ValueError:
        return True
    return False


def keeps_all_after(deal: Deal, code: str) -> bool:
    """Return whether the card is refused and nothing changes."""
    before = picture(deal)
    refused = is_refused(partial(deal.play, Card.parse(code)))
    return refused and picture(deal) == before


# --- seats ----------------------------------------------------------------------------------------


def test_seats_go_clockwise() -> None:
    """North, East, South, West: that is the order, and the left of West is North."""
    assert [int(seat) for seat in (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)] == [0, 1, 2, 3]
    assert [seat.left.word for seat in Seat] == ["East", "South", "West", "North"]


def test_seats_are_found_by_name_or_letter() -> None:
    """A seat is found by its name or its first letter, in any case, and by nothing else."""
    assert [Seat.parse(text) for text in ("west", "SOUTH", "East", "n", "W")] == [3, 2, 1, 0, 3]
    for text in ("", "X", "No", "watch"):
        assert is_refused(partial(Seat.parse, text))


# --- points ---------------------------------------------------------------------------------------


def test_every_heart_costs_one() -> None:
    """A heart costs 1, whatever its rank."""
    for code in HEARTS.split():
        assert deal_scores([hold(code), hold("QS"), [], []]) == [1, 13, 0, 0]


def test_only_the_queen_of_spades_costs_thirteen() -> None:
    """The queen of spades costs 13; other queens, other spades and all the rest cost nothing."""
    free = "2C QC AC TD QD KD 2S JS KS AS"
    assert deal_scores([hold("2H"), [], hold("QS"), hold(free)]) == [1, 0, 13, 0]
    assert deal_scores([[], hold("3H QS KS 4H"), [], hold("2H")]) == [0, 15, 0, 1]


def test_who_took_nothing_pays_nothing() -> None:
    """Before the first trick is taken, nobody has points."""
    assert deal_scores([[], [], [], []]) == [0, 0, 0, 0]


def test_everybody_can_shoot_the_moon() -> None:
    """All hearts and the queen of spades cost nothing, and all others 26, whoever took them."""
    for shooter in Seat:
        taken = [hold(f"{HEARTS} 2S QS") if seat == shooter else [] for seat in Seat]
        assert deal_scores(taken) == [0 if seat == shooter else 26 for seat in Seat]


def test_the_moon_is_not_shot_without_the_queen() -> None:
    """All hearts are not enough."""
    assert deal_scores([hold("2C"), hold(HEARTS), [], hold("QS")]) == [0, 13, 0, 13]
    assert deal_scores([[], hold(f"{HEARTS} KS"), [], []]) == [0, 13, 0, 0]


def test_the_moon_is_not_shot_without_all_hearts() -> None:
    """One heart that somebody else has taken is enough to spoil it, whichever it is."""
    for missing in HEARTS.split():
        rest = HEARTS.replace(missing, "")
        assert deal_scores([hold(missing), [], [], hold(f"QS {rest}")]) == [1, 0, 0, 25]


# --- the end of the game --------------------------------------------------------------------------


def test_a_hundred_points_of_anybody_end_the_game() -> None:
    """One player with 100 points or more is enough, whoever it is."""
    for seat in Seat:
        for points in (100, 101, 126):
            assert game_over([points if seat == other else 7 for other in Seat])


def test_less_than_a_hundred_points_do_not_end_it() -> None:
    """99 points are not enough, even if all have them."""
    assert not game_over([0, 0, 0, 0])
    assert not game_over([99, 99, 99, 99])


def test_the_fewest_points_win() -> None:
    """The fewest points win, wherever they sit."""
    for seat in Seat:
        totals = [20 if seat == other else 100 + other for other in Seat]
        assert list(winners(totals)) == [seat]


def test_shared_fewest_points_win_together() -> None:
    """All who have the fewest points win, named clockwise from North."""
    assert list(winners([100, 30, 100, 30])) == [Seat.EAST, Seat.WEST]
    assert list(winners([0, 0, 104, 0])) == [Seat.NORTH, Seat.EAST, Seat.WEST]
    assert list(winners([104, 104, 104, 104])) == list(Seat)


# --- a deal and its tricks ------------------------------------------------------------------------


def test_a_new_deal_is_untouched() -> None:
    """Everybody holds what they were dealt, and nothing has been played or taken."""
    deal = deal_of(*FOUR)
    assert [codes(deal.hand(seat)) for seat in Seat] == [codes(hold(hand)) for hand in FOUR]
    assert [list(deal.taken(seat)) for seat in Seat] == [[], [], [], []]
    assert [list(deal.trick), deal.is_over(), list(deal.scores())] == [[], False, [0, 0, 0, 0]]


def test_the_two_of_clubs_opens_wherever_it_lies() -> None:
    """Who holds the two of clubs has the first turn."""
    hands = ["2C KC", "3C 2D", "4C 2H", "5C 2S"]
    for seat in Seat:
        turned = hands[-seat:] + hands[:-seat]
        assert deal_of(*turned).turn == seat


def test_without_it_the_lowest_club_opens() -> None:
    """In a small deal, the lowest club opens, and no lower card of another suit."""
    assert deal_of("JC 2D", "AC 2S", "TC QC", "3H 2H").turn == Seat.SOUTH
    assert deal_of("2D 3D", "2S 3S", "2H 3H", "4S AC").turn == Seat.WEST


def test_the_turn_goes_clockwise() -> None:
    """From West the turn goes to North; each card leaves a hand and lies on the table, in order."""
    deal = deal_of(*FOUR)
    for code, turn, trick in [
        ("2C", Seat.NORTH, ["2C"]),
        ("3C", Seat.EAST, ["2C", "3C"]),
        ("TH", Seat.SOUTH, ["2C", "3C", "TH"]),
    ]:
        assert deal.play(Card.parse(code)) is None
        assert [deal.turn, [str(card) for card in deal.trick]] == [turn, trick]
    assert [codes(deal.hand(seat)) for seat in Seat] == ["KD", "QS", "4S 9C", "8H"]


def test_the_trick_is_in_the_order_of_play() -> None:
    """The cards on the table lie in the order in which they were played, whatever they are."""
    deal = deal_of("AC KD", "9C QS", "4C 4S", "3C 8H")
    played(deal, "3C AC 9C")
    assert [str(card) for card in deal.trick] == ["3C", "AC", "9C"]


def test_a_trick_belongs_to_its_taker() -> None:
    """Who takes a trick gets all four of its cards, and nobody else gets any."""
    deal = deal_of(*FOUR)
    played(deal, "2C 3C TH")
    assert [list(deal.taken(seat)) for seat in Seat] == [[], [], [], []]
    assert list(deal.scores()) == [0, 0, 0, 0]
    assert deal.play(Card.parse("9C")) == Seat.SOUTH
    assert [codes(deal.taken(seat)) for seat in Seat] == ["", "", "2C 3C 9C TH", ""]
    assert [list(deal.trick), list(deal.scores())] == [[], [0, 0, 1, 0]]


def test_the_taker_leads() -> None:
    """Whoever takes a trick leads to the next one, and from there the turn goes clockwise."""
    deal = deal_of("3C KD", "4C QS", "9C 4S", "2C 8H")
    turns = []
    for card in hold("2C 3C 4C 9C 4S"):
        deal.play(card)
        turns.append(deal.turn)
    assert turns == [Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.SOUTH, Seat.WEST]


def test_the_highest_card_of_the_suit_led_takes_the_trick() -> None:
    """Ranks count as numbers, not as letters: A over K over Q over J over T over 9."""
    for low, high in ("2T", "9T", "9J", "TJ", "TQ", "JQ", "JK", "QK", "TA", "KA", "2A"):
        hands = (f"9C {low}D", f"3C {high}D", "4C 8S", "2C 8H")
        assert played(deal_of(*hands), f"2C 9C 3C 4C {low}D {high}D 8S 8H")[-1] == Seat.EAST
        hands = (f"9C {high}D", f"3C {low}D", "4C 8S", "2C 8H")
        assert played(deal_of(*hands), f"2C 9C 3C 4C {high}D {low}D 8S 8H")[-1] == Seat.NORTH


def test_other_suits_never_take_a_trick() -> None:
    """A card of another suit is worth nothing, were it the ace; there are no trumps."""
    deal = deal_of("AH 3S", "AS 3H", "AD 4D", "2C 2D")
    assert played(deal, "2C AH AS AD")[-1] == Seat.WEST
    assert codes(deal.taken(Seat.WEST)) == "2C AD AH AS"


def test_the_first_card_says_which_suit_was_led() -> None:
    """In a later trick its own first card says what is to be followed, and not an earlier one."""
    deal = deal_of("3C KD", "4C AC", "9C 4D", "2C 3D")
    played(deal, "2C 3C 4C 9C")
    assert played(deal, "4D 3D KD AC") == [None, None, None, Seat.NORTH]


def test_a_deal_ends_with_its_last_card() -> None:
    """A deal is over when the last card has been played and its trick taken, and not before."""
    deal = deal_of(*FOUR)
    for card in hold("2C 3C TH 9C 4S 8H KD QS"):
        assert not deal.is_over()
        taker = deal.play(card)
    assert [taker, deal.is_over(), list(deal.trick)] == [Seat.EAST, True, []]
    assert [codes(deal.hand(seat)) for seat in Seat] == ["", "", "", ""]
    assert [codes(deal.taken(seat)) for seat in Seat] == ["", "4S 8H KD QS", "2C 3C 9C TH", ""]
    assert list(deal.scores()) == [0, 14, 1, 0]


def test_one_card_each_is_a_deal() -> None:
    """The smallest deal is one trick long."""
    deal = deal_of("5C", "2C", "AS", "AH")
    assert not deal.is_over()
    assert played(deal, "2C AS AH 5C") == [None, None, None, Seat.NORTH]
    assert [deal.is_over(), list(deal.scores())] == [True, [1, 0, 0, 0]]


def test_the_moon_counts_in_a_deal() -> None:
    """Who takes all hearts and the queen in the tricks of a deal has shot the moon."""
    deal = deal_of("2H 3H 4H 5H 6H", "7H 8H 9H TH JH", "QH KH AH QS KS", "2C 3C 4C 5C 6C")
    played(deal, "2C 2H 7H QS")
    assert list(deal.scores()) == [0, 0, 0, 15]
    played(deal, "3C 3H 8H QH 4C 4H 9H KH 5C 5H TH KS")
    assert list(deal.scores()) == [0, 0, 0, 23]
    played(deal, "6C 6H JH AH")
    assert list(deal.scores()) == [26, 26, 26, 0]


# --- what a deal keeps to itself ------------------------------------------------------------------


def test_the_hands_that_were_given_stay() -> None:
    """The deal works on copies: playing changes none of the hands that were given."""
    hands = [Hand(hold(each)) for each in FOUR]
    played(Deal(hands), "2C 3C TH 9C 4S")
    assert [codes(hand) for hand in hands] == [codes(hold(each)) for each in FOUR]


def test_what_happens_to_given_hands_does_not_matter() -> None:
    """What is added to a hand that was given, or taken out, is not the deal's affair."""
    hands = [Hand(hold(each)) for each in FOUR]
    deal = Deal(hands)
    before = picture(deal)
    hands[3].remove(Card.parse("2C"))
    hands[0].add(Card.parse("AC"))
    assert picture(deal) == before
    assert codes(deal.legal_plays()) == "2C"


def test_the_lists_are_new_ones() -> None:
    """Who changes a list that the deal has returned changes nothing in the deal."""
    deal = deal_of(*FOUR)
    played(deal, "2C 3C TH 9C 4S")
    before = picture(deal)
    for cards in (deal.trick, deal.hand(Seat.WEST), deal.taken(Seat.SOUTH)):
        cards.append(Card.parse("AS"))
        del cards[0]
    assert picture(deal) == before


def test_deals_do_not_share_anything() -> None:
    """What is played in one deal is not played in another."""
    hands = [Hand(hold(each)) for each in FOUR]
    one, other = Deal(hands), Deal(hands)
    before = picture(other)
    played(one, "2C 3C TH 9C 4S")
    assert picture(other) == before


# --- what may be played ---------------------------------------------------------------------------


def test_the_first_card_is_the_lowest_club() -> None:
    """The opening is fixed, with or without the two of clubs."""
    deal = deal_of("3C KD", "QS TH", "9C 4S", "8H 2C")
    assert codes(deal.legal_plays()) == "2C"
    assert keeps_all_after(deal, "8H")
    small = deal_of("JC 2D", "AC 2S", "QC TC", "3H 2H")
    assert codes(small.legal_plays()) == "TC"
    assert keeps_all_after(small, "QC")


def test_who_can_must_follow_suit() -> None:
    """Who has cards of the suit led may play any of them, high or low, and nothing else."""
    deal = deal_of("3C AC KD", "QS TH 4H", "9C 4S 5S", "2C 8H 7D")
    played(deal, "2C")
    assert codes(deal.legal_plays()) == "3C AC"
    assert keeps_all_after(deal, "KD")
    assert played(deal, "3C") == [None]


def test_the_suit_led_is_followed_not_the_last_one() -> None:
    """Who comes after a discard still follows the card that was led."""
    deal = deal_of("3C KD", "QS TH", "9C 4S", "2C 8H")
    played(deal, "2C 3C QS")
    assert codes(deal.legal_plays()) == "9C"
    assert keeps_all_after(deal, "4S")


def test_suit_is_followed_in_later_tricks_too() -> None:
    """Not only clubs are to be followed, and not only in the first trick."""
    deal = deal_of("3C KD 5H", "4C QS 6D", "9C 4D 2H", "2C 3D AS")
    played(deal, "2C 3C 4C 9C 4D")
    assert codes(deal.legal_plays()) == "3D"
    assert keeps_all_after(deal, "AS")


def test_who_cannot_follow_may_play_anything() -> None:
    """Who has none of the suit may play points as well as others, even to the first trick."""
    for code in ("QS", "TH", "AD"):
        deal = deal_of("3C KD 5S", "QS TH AD", "9C 4S 6S", "2C 8H 7S")
        played(deal, "2C 3C")
        assert codes(deal.legal_plays()) == "AD QS TH"
        assert played(deal, code) == [None]
        assert code in [str(card) for card in deal.trick]


def test_who_leads_may_lead_anything() -> None:
    """From the second trick on any card may be led: a heart, the queen, or a high club."""
    for code in ("4H", "QS", "5C", "KC"):
        deal = deal_of("3C KD 5D 6D 8D", "4C 2D 3D 4D TD", "9C 4H QS 5C KC", "2C 2S 3S 4S 5S")
        played(deal, "2C 3C 4C 9C")
        assert codes(deal.legal_plays()) == "4H 5C KC QS"
        assert played(deal, code) == [None]


# --- what is refused ------------------------------------------------------------------------------


def test_a_card_of_another_hand_is_refused() -> None:
    """Nobody can play a card that another one holds, even one that would follow suit."""
    deal = deal_of(*FOUR)
    assert keeps_all_after(deal, "3C")
    played(deal, "2C")
    assert keeps_all_after(deal, "9C")
    played(deal, "3C")
    assert keeps_all_after(deal, "4S")


def test_a_card_is_not_played_twice() -> None:
    """What lies on the table, or in a trick that was taken, is refused."""
    deal = deal_of("3C KD", "4C QS", "9C 4S", "2C 8H")
    played(deal, "2C")
    assert keeps_all_after(deal, "2C")
    played(deal, "3C 4C 9C")
    assert keeps_all_after(deal, "9C")
    assert keeps_all_after(deal, "2C")


def test_a_card_that_nobody_holds_is_refused() -> None:
    """A card that was not dealt cannot be played."""
    deal = deal_of(*FOUR)
    played(deal, "2C 3C")
    assert keeps_all_after(deal, "AC")


def test_after_a_refusal_the_player_tries_again() -> None:
    """A refused card remains in its hand, and the play goes on, to the last card of a trick."""
    deal = deal_of("3C KD", "QS TH", "9C 4S", "2C 8H")
    played(deal, "2C 3C TH")
    assert keeps_all_after(deal, "4S")
    assert keeps_all_after(deal, "QS")
    assert played(deal, "9C 4S") == [Seat.SOUTH, None]
    assert codes(deal.hand(Seat.SOUTH)) == ""
