"""Visible checks of stage 04: the table, which computes and never prints.

A test sees your program from afar, through a fixture named after your module (`table`).
"""

import importlib.util
from pathlib import Path

import pytest
from hearts_course import each

REFEREE = Path(__file__).parents[2] / "autograder" / "04-console-game" / "referee.py"
HEARTS = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
HANDS = ["3C KD", "QS TH", "9C 4S", "2C 8H"]


@pytest.fixture
def hold(cards):
    """Makes a list of cards from their codes."""
    return lambda codes: each(cards.Card.parse, codes.split())


@pytest.fixture
def deal(cards, table, hold):
    """Makes a deal of four hands, North's first, and plays these cards."""

    def make(hands, played=""):
        new = table.Deal([cards.Hand(hold(codes)) for codes in hands])
        for card in hold(played):
            new.play(card)
        return new

    return make


def codes(some_cards):
    """The codes of the cards, sorted as texts."""
    return sorted(each(str, some_cards))


@pytest.fixture
def told(table, stdlib):
    """Plays a whole game with this seed; its sentences come back."""
    builtins = stdlib("builtins")
    return lambda seed: builtins.list(builtins.map(builtins.str, table.new_game({}, seed)))


@pytest.fixture
def referee():
    """The referee, who is not handed out with these checks."""
    if not REFEREE.exists():
        pytest.skip("only the grader has a referee")
    spec = importlib.util.spec_from_file_location("referee", REFEREE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    assert table.deal_scores([hold(cards) for cards in taken]) == scores


@pytest.mark.task("end-the-game")
@pytest.mark.parametrize(("totals", "over"), [([0, 99, 3, 54], False), ([100, 5, 3, 48], True)])
def test_a_hundred_points_end_the_game(table, totals, over):
    """The game is over once somebody has 100 points or more.

    Exactly 100 is enough, and 99 is not.
    """
    assert table.game_over(totals) == over


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
def test_the_two_of_clubs_opens(deal):
    """Whoever holds the two of clubs has the first turn; nothing lies on the table yet."""
    new = deal(HANDS)
    assert [new.turn.word, codes(new.trick), new.is_over()] == ["West", [], False]


@pytest.mark.task("play-a-deal")
def test_the_turn_goes_clockwise(deal):
    """A card that is played leaves the hand and lies on the table; the turn goes clockwise."""
    after = deal(HANDS, "2C 3C")
    assert [after.turn.word, codes(after.trick)] == ["East", ["2C", "3C"]]
    assert codes(after.hand(0)) == ["KD"]


@pytest.mark.task("play-a-deal")
def test_a_full_trick_is_taken(deal, hold):
    """The fourth card says who takes the trick, and that seat leads to the next one.

    An ace of another suit is worth nothing here.
    """
    third = deal(HANDS, "2C 3C TH")
    assert third.play(hold("9C")[0]).word == "South"
    assert [third.turn.word, codes(third.trick)] == ["South", []]
    assert codes(third.taken(2)) == ["2C", "3C", "9C", "TH"]


@pytest.mark.task("play-a-deal")
def test_a_deal_ends_and_is_scored(deal):
    """When all cards are played, the deal is over, and the cards taken are scored."""
    done = deal(HANDS, "2C 3C TH 9C 4S 8H KD QS")
    assert [done.is_over(), done.scores()] == [True, [0, 14, 1, 0]]


@pytest.mark.task("hold-to-the-rules")
def test_legal_plays_are_those_of_the_rule_book(deal):
    """The opening is fixed; then one follows suit; who cannot may play anything."""
    assert codes(deal(HANDS).legal_plays()) == ["2C"]
    assert codes(deal(HANDS, "2C").legal_plays()) == ["3C"]
    assert codes(deal(HANDS, "2C 3C").legal_plays()) == ["QS", "TH"]


@pytest.mark.task("hold-to-the-rules")
@pytest.mark.parametrize("code", ["KD", "9C"])
def test_a_refused_card_changes_nothing(deal, hold, code):
    """A card that may not be played, or is not held, is refused, and the same seat tries again."""
    now = deal(HANDS, "2C")
    with pytest.raises(ValueError):  # noqa: PT011 - its words are free
        now.play(hold(code)[0])
    assert [now.turn.word, codes(now.trick), codes(now.hand(0))] == ["North", ["2C"], ["3C", "KD"]]


@pytest.mark.task("play-a-game")
def test_a_game_begins_with_a_deal(told):
    """Somebody deals, and whoever holds the two of clubs leads it."""
    first, second, *_ = told(7)
    assert [first.split(" ", 1)[1], second.split(" ", 1)[1]] == ["deals.", "leads the 2 of Clubs."]


@pytest.mark.task("play-a-game")
@pytest.mark.timeout(5)
def test_a_deal_is_fifty_two_cards_and_thirteen_tricks(told):
    """In every deal 13 tricks are led and taken, 39 cards follow, and then comes the score."""
    lines = told(8)
    words = ["deals.", " leads the ", " plays the ", " takes the trick.", "Score: "]
    counts = [sum(word in line for line in lines) for word in words]
    assert counts == [counts[0] * each for each in (1, 13, 39, 13, 1)]


@pytest.mark.task("play-a-game")
@pytest.mark.timeout(5)
def test_a_game_ends_with_its_winners(told):
    """The game ends when the last score has 100 points, and the last sentence says who wins."""
    *_, score, last = told(9)
    totals = [int(word.strip(",.")) for word in score.split() if word.strip(",.").isdigit()]
    assert max(totals) >= 100
    assert last.split()[-1] == ("wins." if totals.count(min(totals)) == 1 else "win.")


@pytest.mark.task("play-a-game")
@pytest.mark.timeout(5)
def test_a_seed_makes_a_game_repeatable(told):
    """The same seed gives the same game; another seed, another one.

    Whoever finds a mistake wants to see the same game again.
    """
    assert told(11) == told(11)
    assert told(11) != told(12)


@pytest.mark.task("play-a-game")
@pytest.mark.timeout(5)
def test_a_referee_finds_no_fault(told, referee):
    """A referee replays the whole game from its sentences, and finds nothing wrong in it.

    He tells the first fault that he finds. The course's graders have him; at home he is skipped.
    """
    assert referee.faults("\n".join(told(10))) == []
