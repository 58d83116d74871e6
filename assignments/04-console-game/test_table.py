"""Visible checks of stage 04: the table, which computes and never prints.

A test sees your program from afar, through a fixture named after your module (`table`).
"""

import importlib.util
import re
from pathlib import Path

import pytest
from hearts_course import each

REFEREE = Path(__file__).parents[2] / "autograder" / "04-console-game" / "referee.py"
HEARTS = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
SEAT = "(?:North|East|South|West)"
CARD = r"(?:[2-9]|10|Jack|Queen|King|Ace) of (?:Clubs|Diamonds|Hearts|Spades)"
FORMS = {
    "deals": rf"{SEAT} deals\.",
    "leads": rf"{SEAT} leads the {CARD}\.",
    "plays": rf"{SEAT} plays the {CARD}\.",
    "takes": rf"{SEAT} takes the trick\.",
    "score": r"Score: North \d+, East \d+, South \d+, West \d+\.",
    "wins": rf"{SEAT} wins\.|{SEAT}(?:, {SEAT})* and {SEAT} win\.",
}


@pytest.fixture
def hold(cards):
    """Makes a list of cards from their codes."""
    return lambda codes: each(cards.Card.parse, codes.split())


@pytest.fixture
def deal_of(cards, table, hold):
    """Makes a deal of these four hands, North's first."""
    return lambda *hands: table.Deal([cards.Hand(hold(codes)) for codes in hands])


@pytest.fixture
def played(hold):
    """Plays these cards one after the other; what the deal answers to each comes back."""
    return lambda deal, codes: [deal.play(card) for card in hold(codes)]


def codes(cards):
    """The codes of the cards, sorted as texts."""
    return " ".join(sorted(each(str, cards)))


def names(seats):
    """The name of each seat, or None where there is none."""
    return [None if seat is None else seat.word for seat in seats]


def sentences_of(events):
    """The required sentences among all that tell a game."""
    return [said for said in each(str, events) if kind(said)]


def kind(said):
    """Which of the required sentences this is."""
    return next((kind for kind, form in FORMS.items() if re.fullmatch(form, said)), None)


def first_deal(said):
    """How many sentences of each kind there are up to the first score."""
    kinds = [kind(sentence) for sentence in said]
    return {kind: kinds[: kinds.index("score") + 1].count(kind) for kind in FORMS}


def totals_in(score):
    """What each seat has, by the score's sentence."""
    return {seat: int(points) for seat, points in re.findall(r"(\w+) (\d+)", score)}


def fewest(totals):
    """The seats that have the fewest points."""
    return [seat for seat in totals if totals[seat] == min(totals.values())]


def first_difference(said, other):
    """The first two sentences that are not the same."""
    return next(([one, two] for one, two in zip(said, other, strict=False) if one != two), [])


@pytest.fixture
def faults_in():
    """What the referee finds in a game; he is not handed out with these checks."""
    if not REFEREE.exists():
        pytest.skip("only the grader has a referee")
    spec = importlib.util.spec_from_file_location("referee", REFEREE)
    referee = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(referee)
    return lambda events: referee.faults("\n".join(each(str, events)))


@pytest.mark.task("score-a-deal")
@pytest.mark.parametrize(
    ("taken", "scores"),
    [
        (["2H AH", "QS KH", "KS AD", ""], [2, 14, 0, 0]),
        (["", "", f"QS {HEARTS}", "2C"], [26, 26, 0, 26]),
        ([HEARTS, "QS", "", ""], [13, 13, 0, 0]),
    ],
)
def test_hearts_and_the_queen_cost(table, hold, taken, scores):
    """A heart costs 1, the queen of spades 13; who takes them all gives the others 26 each.

    Shooting the moon is the one way to win by taking points.
    """
    assert table.deal_scores([hold(codes) for codes in taken]) == scores


@pytest.mark.task("end-the-game")
@pytest.mark.parametrize(("totals", "over"), [([0, 99, 3, 54], False), ([100, 5, 3, 48], True)])
def test_a_hundred_points_end_the_game(table, totals, over):
    """The game is over once somebody has 100 points or more.

    Exactly 100 is enough, and 99 is not.
    """
    assert table.game_over(totals) == over
    assert [table.game_over([26, 0, 0, 0]), table.game_over([126, 26, 0, 4])] == [False, True]


@pytest.mark.task("end-the-game")
@pytest.mark.parametrize(
    ("totals", "seats"), [([104, 30, 11, 63], ["South"]), ([20, 108, 64, 20], ["North", "West"])]
)
def test_the_fewest_points_win(table, totals, seats):
    """The fewest points win; who shares them wins together with the others.

    No seat is better than another.
    """
    assert [seat.word for seat in table.winners(totals)] == seats


@pytest.mark.task("play-a-deal")
def test_the_two_of_clubs_opens(deal_of):
    """Whoever holds the two of clubs has the first turn; nothing lies on the table yet."""
    deal = deal_of("3C KD", "QS TH", "9C 4S", "2C 8H")
    assert [deal.turn.word, deal.trick, deal.is_over()] == ["West", [], False]


@pytest.mark.task("play-a-deal")
def test_the_turn_goes_clockwise(table, deal_of, played):
    """A card that is played leaves the hand and lies on the table; the turn goes clockwise."""
    deal = deal_of("3C KD", "QS TH", "9C 4S", "2C 8H")
    assert names(played(deal, "2C 3C")) == [None, None]
    assert [deal.turn.word, each(str, deal.trick)] == ["East", ["2C", "3C"]]
    assert codes(deal.hand(table.Seat.NORTH)) == "KD"


@pytest.mark.task("play-a-deal")
def test_a_full_trick_is_taken(table, deal_of, played):
    """The fourth card says who takes the trick, and that seat leads to the next one.

    An ace of another suit is worth nothing here.
    """
    deal = deal_of("3C KD", "QS TH", "9C 4S", "2C 8H")
    assert names(played(deal, "2C 3C TH 9C")) == [None, None, None, "South"]
    assert [deal.turn.word, deal.trick] == ["South", []]
    assert codes(deal.taken(table.Seat.SOUTH)) == "2C 3C 9C TH"


@pytest.mark.task("play-a-deal")
def test_a_deal_ends_and_is_scored(deal_of, played):
    """When all cards are played, the deal is over, and the cards taken are scored."""
    deal = deal_of("3C KD", "QS TH", "9C 4S", "2C 8H")
    played(deal, "2C 3C TH 9C 4S 8H KD QS")
    assert [deal.is_over(), deal.scores()] == [True, [0, 14, 1, 0]]


@pytest.mark.task("hold-to-the-rules")
def test_legal_plays_are_those_of_the_rule_book(deal_of, played):
    """The opening is fixed; then one follows suit; who cannot may play anything."""
    deal = deal_of("3C KD", "QS TH", "9C 4S", "2C 8H")
    assert codes(deal.legal_plays()) == "2C"
    played(deal, "2C")
    assert codes(deal.legal_plays()) == "3C"
    played(deal, "3C")
    assert codes(deal.legal_plays()) == "QS TH"


@pytest.mark.task("hold-to-the-rules")
@pytest.mark.parametrize("code", ["KD", "9C"])
def test_a_refused_card_changes_nothing(cards, table, deal_of, played, code):
    """A card that may not be played, or is not held, is refused, and the same seat tries again."""
    deal = deal_of("3C KD", "QS TH", "9C 4S", "2C 8H")
    played(deal, "2C")
    with pytest.raises(ValueError):  # noqa: PT011 - its words are free
        deal.play(cards.Card.parse(code))
    assert [deal.turn.word, each(str, deal.trick)] == ["North", ["2C"]]
    assert codes(deal.hand(table.Seat.NORTH)) == "3C KD"


@pytest.mark.task("play-a-game")
def test_a_game_begins_with_a_deal(table):
    """Somebody deals, and whoever holds the two of clubs leads it.

    Only sentences of exactly the required forms are looked at, as a referee would do.
    """
    begins = sentences_of(table.new_game({}, 7))[:2]
    assert [said.split(" ", 1)[1] for said in begins] == ["deals.", "leads the 2 of Clubs."]


@pytest.mark.task("play-a-game")
@pytest.mark.timeout(5)
def test_a_deal_is_fifty_two_cards_and_thirteen_tricks(table):
    """In a deal 13 tricks are led and taken, 39 cards follow, and then comes the score.

    Only sentences of exactly the required forms are counted, as a referee would do.
    """
    assert first_deal(sentences_of(table.new_game({}, 8))) == {
        "deals": 1,
        "leads": 13,
        "plays": 39,
        "takes": 13,
        "score": 1,
        "wins": 0,
    }


@pytest.mark.task("play-a-game")
@pytest.mark.timeout(5)
def test_a_game_ends_with_its_winners(table):
    """The game ends when the last score has 100 points, and then it is said who wins."""
    *_, score, last = sentences_of(table.new_game({}, 9))
    assert [kind(score), kind(last)] == ["score", "wins"]
    totals = totals_in(score)
    assert max(totals.values()) >= 100
    assert re.findall(SEAT, last) == fewest(totals)


@pytest.mark.task("play-a-game")
@pytest.mark.timeout(5)
def test_a_seed_makes_a_game_repeatable(table):
    """The same seed gives the same game; another seed, another one.

    Whoever finds a mistake wants to see the same game again.
    """
    game, again = sentences_of(table.new_game({}, 11)), sentences_of(table.new_game({}, 11))
    assert first_difference(game, again) == []
    assert first_difference(game, sentences_of(table.new_game({}, 12))) != []


@pytest.mark.task("play-a-game")
@pytest.mark.timeout(5)
def test_a_referee_finds_no_fault(table, faults_in):
    """A referee replays the whole game from its sentences, and finds nothing wrong in it.

    He tells the first fault that he finds. The course's graders have him; at home he is skipped.
    """
    assert faults_in(table.new_game({}, 10)) == []
