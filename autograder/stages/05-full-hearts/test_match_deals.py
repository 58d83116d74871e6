"""Hidden checks of stage 05: playing a deal, card by card, by any rule book.

`deals.json` holds deals that OpenSpiel passed and played at random, with its legal plays.
"""

import json
from pathlib import Path

import pytest
from hearts_course import each

DEALS = json.loads((Path(__file__).parent / "deals.json").read_text(encoding="utf-8"))
RANKS = "23456789TJQKA"
# Small packs with all 26 points. Seat 0 takes every trick, or all but the first.
SUN = ["2C AH KH QH", "2D 2H 3H 4H", "QS 5H 6H 7H", "8H 9H TH JH"]
SUN_LINE = "2C 2D 5H 8H AH 2H 6H 9H KH 3H 7H TH QH 4H QS JH"
MOON = ["2C AH KH QH JH", "AC 2H 3H 4H 5H", "3C QS 6H 7H 8H", "4C 9H TH 2D 3D"]
MOON_LINE = "2C AC 3C 4C 5H 6H 9H AH KH 4H 7H TH QH 3H 8H 2D JH 2H QS 3D"
# The books differ about the legal plays here: seat 1 is void in clubs.
MIXED = ["2C 4D 5D 9H", "QS 3H KD 6D", "AC 4S TH 8D", "3C 7S AH 2D"]


@pytest.fixture
def piles(cards):
    """Make lists of cards from their codes."""

    def make(*texts):
        parsed = iter(each(cards.Card.parse, " ".join(texts).split()))
        return [[next(parsed) for _ in text.split()] for text in texts]

    return make


@pytest.fixture
def deal(cards, rulebook, match, piles):
    """Make a deal of these hands by a book, pass the chosen cards, and play the others."""

    def make(held, book, played="", *, direction="HOLD", chosen=()):
        hands = each(cards.Hand, piles(*held))
        way = getattr(rulebook.Pass, direction)
        now = match.FullDeal(hands, getattr(rulebook, book), way)
        if way != rulebook.Pass.HOLD:
            each(now.give, [0, 1, 2, 3], piles(*chosen))
        each(now.play, piles(played)[0])
        return now

    return make


@pytest.fixture
def recorded(deal):
    """Make a deal from a record of OpenSpiel's, after the passing."""

    def make(record, played=""):
        way, chosen = record["direction"], record["gifts"]
        book = f"{record['book']}_BOOK"
        return deal(record["hands"], book, played, direction=way, chosen=chosen)

    return make


def refusal(call, *arguments):
    """Return the name of the ValueError that this raises, or None."""
    try:
        call(*arguments)
    except ValueError as error:
        return error.kind
    return None


def is_refused(call, *arguments):
    """Return whether this raises ValueError."""
    return refusal(call, *arguments) is not None


def codes(some_cards):
    """Return the codes of the cards, sorted as texts and joined by blanks."""
    return " ".join(sorted(each(str, some_cards)))


def tricks_of(record):
    """Yield the leader, the cards and the taker of each trick of a recorded deal."""
    plays = record["plays"].split()
    for first in range(0, 52, 4):
        cards, leader = plays[first : first + 4], int(record["seats"][first])
        follow = [card for card in cards if card[1] == cards[0][1]]
        best = max(follow, key=lambda card: RANKS.index(card[0]))
        yield leader, cards, (leader + cards.index(best)) % 4


def turned(hands, seats):
    """Return the same hands, each moved that many seats clockwise."""
    return [hands[(seat - seats) % 4] for seat in range(4)]


def shooting(seat, stake, others):
    """Return the scores of four seats when this seat has shot the moon or the sun."""
    return [stake if other == seat else others for other in range(4)]


@pytest.mark.task("play-a-full-deal")
def test_a_whole_deal_as_openspiel_plays_it(recorded, piles):
    """In a whole deal every trick goes to the right seat, which is charged for its cards.

    An independent program has played the same deals.

    Try: Play a deal of 13 cards each, and note what `deal.play` returns.
    """
    for record in (DEALS[2], DEALS[5]):
        now, tricks = recorded(record), list(tricks_of(record))
        answers = each(now.play, piles(record["plays"])[0])
        assert answers[3::4] == [taker for _, _, taker in tricks]
        assert {*answers[::4], *answers[1::4], *answers[2::4]} == {None}
        assert [now.phase.name, now.costs()] == ["OVER", record["costs"]]


@pytest.mark.task("play-a-full-deal")
def test_every_turn_as_openspiel_plays_it(recorded, piles):
    """Before every card, the turn is the right seat's, and the legal plays are the book's.

    Try: Print `deal.turn` and `deal.legal_plays()` before each card of a deal.
    """
    for record in (DEALS[1], DEALS[6]):
        now, plays, found = recorded(record), piles(record["plays"])[0][:28], []
        for card in plays:
            found.append([now.turn, codes(now.legal_plays())])
            now.play(card)
        assert (
            found
            == [
                [int(seat), legal]
                for seat, legal in zip(record["seats"], record["legal"], strict=True)
            ][:28]
        )


@pytest.mark.task("play-a-full-deal")
def test_the_tricks_are_kept(recorded):
    """All full tricks are kept: the leader, the cards in order, and the taker.

    Try: Print leader and taker of each trick in `deal.tricks` after three tricks.
    """
    record = DEALS[4]
    now = recorded(record, " ".join(record["plays"].split()[:30]))
    found = [[trick.leader, each(str, trick.cards), trick.taker] for trick in now.tricks]
    assert found == [list(trick) for trick in tricks_of(record)][:7]
    assert each(str, now.trick) == record["plays"].split()[28:30]
    assert [now.leader, now.turn] == [int(record["seats"][28]), int(record["seats"][30])]


@pytest.mark.task("play-a-full-deal")
def test_scores_after_moon_and_sun(deal):
    """A player who takes all points, or all tricks, is scored as the book says.

    `costs()` ignores the moon.

    Try: Play a deal of four cards each, with all hearts and the queen, in which one seat takes all.
    """
    for seat, name, moon, sun in (
        (0, "ESTELL_BOOK", (0, 26), (0, 26)),
        (3, "HEART_BOOK", (-26, 0), (-52, 0)),
        (2, "DYNACOMP_BOOK", (26, 0), (26, 0)),
    ):
        for hands, line, scores in ((MOON, MOON_LINE, moon), (SUN, SUN_LINE, sun)):
            now = deal(turned(hands, seat), name, line)
            assert [now.costs(), now.scores()] == [shooting(seat, 26, 0), shooting(seat, *scores)]


@pytest.mark.task("play-a-full-deal")
def test_the_new_rule_needs_the_totals(deal):
    """In a book with the new rule, the scores of a deal depend on the totals before it.

    Try: Print `deal.scores([40, 80, 30, 20])` after a moon of seat 0 in `NEW_HEART_BOOK`.
    """
    found = [deal(MOON, "NEW_HEART_BOOK", MOON_LINE), deal(SUN, "NEW_HEART_BOOK", SUN_LINE)]
    for totals, moon, sun in (
        ([40, 74, 20, 10], (-26, 0), (0, 52)),
        ([30, 74, 20, 10], (0, 26), (0, 52)),
        ([70, 50, 12, 30], (0, 26), (-52, 0)),
    ):
        expected = [shooting(0, *moon), shooting(0, *sun)]
        assert [now.scores(totals) for now in found] == expected
    assert [now.scores() for now in found] == [[0, 26, 26, 26], [0, 52, 52, 52]]


@pytest.mark.task("play-a-full-deal")
@pytest.mark.parametrize(
    "turns",
    [
        [
            ("HEART_BOOK", "", 0, "2C"),
            ("HEART_BOOK", "2C", 1, "6D KD"),
            ("HEART_BOOK", "2C KD AC 3C", 2, "4S 8D"),
            ("HEART_BOOK", "2C KD AC 3C 4S 7S", 0, "4D 5D 9H"),
            ("HEART_BOOK", "2C KD AC 3C 4S 7S 9H", 1, "QS"),
            ("HEART_BOOK", "2C KD AC 3C 4S 7S 9H QS", 1, "3H 6D"),
            ("HEART_BOOK", "2C KD AC 3C 4S 7S 4D QS", 1, "6D"),
        ],
        [
            ("CIT590_BOOK", "2C", 1, "3H 6D KD QS"),
            ("DYNACOMP_BOOK", "2C QS AC 3C", 2, "4S 8D"),
            ("DYNACOMP_BOOK", "2C 3H AC 3C", 2, "4S 8D TH"),
            ("ESTELL_BOOK", "2C KD AC 3C 4S 7S 4D QS", 1, "3H 6D"),
        ],
    ],
)
def test_legal_plays_of_each_book(deal, piles, turns):
    """The legal plays depend on the book, on the suit led, and on the cards played before.

    All other cards are refused, and a refusal changes nothing.

    Try: Print `deal.legal_plays()` in the first trick for a seat without clubs, by `ESTELL_BOOK`
    and by `CIT590_BOOK`.
    """
    for book, played, seat, legal in turns:
        now, held = deal(MIXED, book, played), {*MIXED[seat].split()} - {*played.split()}
        wrong = {*MIXED[seat].split(), "2C", "TH"} - {*legal.split()}
        found = [is_refused(now.play, card) for card in piles(" ".join(sorted(wrong)))[0]]
        assert found == [True] * len(found)
        assert [now.turn, codes(now.legal_plays())] == [seat, legal]
        assert [codes(now.hand(seat)), codes(now.view().hand)] == [" ".join(sorted(held))] * 2


@pytest.mark.task("play-a-full-deal")
def test_a_refusal_names_the_rule(deal, piles):
    """A card is refused with the error of stage 02 that names the broken rule.

    Nothing changes: the turn, the trick and the hands stay the same.

    Try: Call `deal.play(Card.parse("KD"))` when clubs were led and the player holds some.
    """
    for book, played, code, error in (
        ("HEART_BOOK", "", "9H", "WrongOpening"),
        ("HEART_BOOK", "", "3C", "NotHeld"),
        ("CIT590_BOOK", "2C KD", "TH", "Revoke"),
        ("ESTELL_BOOK", "2C", "QS", "PointsTooEarly"),
        ("HEART_BOOK", "2C", "3H", "PointsTooEarly"),
        ("DYNACOMP_BOOK", "2C KD AC 3C", "TH", "HeartsNotBroken"),
        ("HEART_BOOK", "2C KD AC 3C", "AC", "NotHeld"),
        ("HEART_BOOK", "2C KD AC 3C 4S 7S 4D QS", "3H", "HeartsNotBroken"),
    ):
        now = deal(MIXED, book, played)
        before = [now.turn, each(str, now.trick), *(codes(now.hand(seat)) for seat in range(4))]
        assert refusal(now.play, piles(code)[0][0]) == error
        after = [now.turn, each(str, now.trick), *(codes(now.hand(seat)) for seat in range(4))]
        assert [after, len(now.tricks)] == [before, len(played.split()) // 4]


@pytest.mark.task("play-a-full-deal")
def test_when_hearts_are_broken(deal, piles):
    """A heart on the table breaks hearts at once; in some books the queen of spades does too.

    Try: Print `deal.view().hearts_broken` before and after a heart is discarded.
    """
    line = "2C KD AC 3C 4S 7S 4D QS 6D 8D 2D 5D TH AH 9H"  # after 3H there is no view
    for book, before in (("HEART_BOOK", 12), ("ESTELL_BOOK", 7), ("DYNACOMP_BOOK", 12)):
        now, found = deal(MIXED, book), []
        for card in piles(line)[0]:
            now.play(card)
            found.append(now.view().hearts_broken)
        assert found == [False] * before + [True] * (15 - before)


@pytest.mark.task("play-a-full-deal")
def test_a_hand_of_point_cards_in_the_first_trick(deal):
    """A player with only point cards may play them on the first trick; in Heart, hearts first.

    Try: Make a deal in which the seat after the two of clubs holds only hearts and the queen of
    spades.
    """
    hands = ["2C 3D 4D 5D", "QS 2H 3H 4H", "3C 4C 5C 6C", "7C 8C 9C 6D"]
    mixed = [hands[0], "QS 7S 3H 4H", *hands[2:]]
    for book, only_points, with_a_spade in (
        ("HEART_BOOK", "2H 3H 4H", "7S"),
        ("ESTELL_BOOK", "2H 3H 4H QS", "7S"),
        ("CIT590_BOOK", "2H 3H 4H QS", "3H 4H 7S QS"),
    ):
        assert codes(deal(hands, book, "2C").legal_plays()) == only_points
        assert codes(deal(mixed, book, "2C").legal_plays()) == with_a_spade


@pytest.mark.task("play-a-full-deal")
def test_no_card_is_played_before_the_passing(deal, rulebook, match, cards, piles):
    """While cards are still to be passed, nobody has a turn and no card can be played.

    Try: Call `play`, `view` and `scores` of `FullDeal(hands, HEART_BOOK, Pass.LEFT)`.
    """
    hands = each(cards.Hand, piles(*MIXED))
    now = match.FullDeal(hands, rulebook.HEART_BOOK, rulebook.Pass.LEFT)
    assert [now.turn, now.leader, now.trick, now.tricks, now.legal_plays()] == [
        None,
        None,
        [],
        [],
        [],
    ]
    two = piles("2C")[0][0]
    assert [is_refused(now.play, two), is_refused(now.view), is_refused(now.scores)] == [True] * 3
    assert [now.costs(), codes(now.hand(0)), now.phase.name] == [
        [0, 0, 0, 0],
        "2C 4D 5D 9H",
        "PASSING",
    ]
    opened = deal(MIXED, "HEART_BOOK")
    assert [opened.turn, opened.leader, is_refused(opened.play, two)] == [0, 0, False]


@pytest.mark.task("play-a-full-deal")
def test_play_begins_after_the_passing(deal, piles):
    """The player who got the two of clubs leads it; `received` does not change during the play.

    Try: Print `deal.turn` after the passing, and `deal.received(seat)` after the first trick.
    """
    chosen = ["2C 4D 9H", "QS 3H KD", "AC 4S TH", "3C 7S AH"]
    for leader, direction in ((1, "LEFT"), (2, "ACROSS"), (3, "RIGHT")):
        now = deal(MIXED, "HEART_BOOK", direction=direction, chosen=chosen)
        assert [now.turn, now.leader, codes(now.legal_plays())] == [leader, leader, "2C"]
        now.play(piles("2C")[0][0])
        assert [now.turn, now.leader] == [(leader + 1) % 4, leader]
        assert codes(now.received(leader)) == "2C 4D 9H"


@pytest.mark.task("play-a-full-deal")
def test_when_a_deal_is_over(deal, piles):
    """After the last card nothing can be played or passed, and the scores are known.

    Try: Print turn, legal plays, phase and scores of a deal before and after its last card.
    """
    line = SUN_LINE.split()
    now = deal(SUN, "HEART_BOOK", " ".join(line[:-1]))
    assert [now.phase.name, now.turn, is_refused(now.scores)] == ["PLAYING", 3, True]
    last = piles(line[-1])[0]
    assert [now.play(last[0]), now.phase.name, now.turn, now.leader] == [0, "OVER", None, None]
    assert [now.legal_plays(), now.trick, len(now.tricks)] == [[], [], 4]
    found = [is_refused(now.play, last[0]), is_refused(now.view), is_refused(now.give, 0, last * 3)]
    assert [found, now.scores()] == [[True] * 3, [-52, 0, 0, 0]]


@pytest.mark.task("play-a-full-deal")
def test_the_view_of_a_turn(legal, deal, piles):
    """The view is the `Turn` of stage 02: own hand, trick, first trick, and hearts broken.

    `legal_plays` of stage 02 can use it, and no player sees another hand.

    Try: Print `deal.view().hand` and `deal.view().trick` after a card was led.
    """
    for played, hand, trick, first, broken in (
        ("2C", "3H 6D KD QS", "2C", True, False),
        ("2C KD AC 3C", "4S 8D TH", "", False, False),
        ("2C KD AC 3C 4S 7S 9H QS", "3H 6D", "", False, True),
        ("2C KD AC 3C 4S 7S 9H QS 6D 8D", "2D AH", "6D 8D", False, True),
    ):
        now = deal(MIXED, "HEART_BOOK", played)
        view = now.view()
        assert [codes(view.hand), " ".join(each(str, view.trick))] == [hand, trick]
        assert [view.first_trick, view.hearts_broken] == [first, broken]
        assert codes(legal.legal_plays(view)) == codes(now.legal_plays())


@pytest.mark.task("play-a-full-deal")
def test_the_view_has_a_hand_of_its_own(deal, piles):
    """Changing the hand of the view does not change the hand of the seat.

    Try: Call `deal.view().hand.remove(card)`, and then look at `deal.hand(deal.turn)`.
    """
    now = deal(MIXED, "HEART_BOOK", "2C KD AC 3C")
    now.view().hand.remove(piles("8D")[0][0])
    assert codes(now.view().hand) == codes(now.hand(2)) == "4S 8D TH"


@pytest.mark.task("play-a-full-deal")
def test_playing_returns_copies(deal, stdlib):
    """Changing a list that the deal has returned does not change the deal.

    Try: Clear `deal.trick`, `deal.tricks` and `deal.costs()`, and then look at them again.
    """
    now = deal(MIXED, "HEART_BOOK", "2C KD AC 3C 4S 7S 9H")
    for given in ("trick", "tricks", "costs()", "legal_plays()"):
        stdlib("builtins").exec(f"deal.{given}.clear()", {"deal": now})
    assert [each(str, now.trick), len(now.tricks), now.turn] == [["4S", "7S", "9H"], 1, 1]
    assert now.costs() == [0, 0, 0, 0]
    assert [codes(now.legal_plays()), codes(now.hand(1))] == ["QS", "3H 6D QS"]


@pytest.mark.task("play-a-full-deal")
def test_playing_does_not_change_the_given_hands(cards, rulebook, match, piles):
    """The deal plays with copies of the given hands.

    Try: Play a card of `FullDeal(hands, CIT590_BOOK)`, and look at `hands`.
    """
    hands = each(cards.Hand, piles(*MIXED))
    now = match.FullDeal(hands, rulebook.CIT590_BOOK)
    each(now.play, piles("2C QS")[0])
    assert [str(hand) for hand in hands] == MIXED
    assert [codes(now.hand(0)), codes(now.hand(1))] == ["4D 5D 9H", "3H 6D KD"]


@pytest.mark.task("play-a-full-deal")
def test_costs_grow_trick_by_trick(deal, piles):
    """The costs grow trick by trick, even if a player may still shoot the moon.

    Try: Print `deal.costs()` after each trick of a deal.
    """
    now, line, found = deal(MOON, "HEART_BOOK"), piles(MOON_LINE)[0], []
    for first in range(0, 20, 4):
        each(now.play, line[first : first + 4])
        found.append(now.costs())
    assert found == [[points, 0, 0, 0] for points in (0, 4, 8, 11, 26)]
