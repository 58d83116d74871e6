"""Computer players: their choices on given hands, and their points against random players."""

from dataclasses import replace
from random import Random
from types import SimpleNamespace

import pytest
from hearts_course.course import find_course
from hearts_course.view.players import Chance, Opponent
from hearts_course.view.rules_of_thumb import PACK, card_of_counter, card_to_play, cards_to_pass
from hearts_course.view.sampler import Knowledge, Worlds, card_of_sampler, moon_by_name
from hearts_course.view.sitting import Sitting, known_at
from proofs import proofs_after
from references import loaded
from surroundings import knowledge_of_samplers

SEATS = range(4)
BOOKS = ["HEART_BOOK", "NEW_HEART_BOOK", "ESTELL_BOOK", "CIT590_BOOK", "DYNACOMP_BOOK"]


@pytest.fixture(name="course", scope="module")
def _course():
    """Yield the modules of the references that make up the course's card table, by name."""
    course = find_course()
    (stage,) = (stage for stage in course.stages if stage.table)
    with loaded(course, stage) as modules:
        yield modules


@pytest.mark.parametrize(
    ("trick", "legal", "card"),
    [
        ("", "9C 4D QS KS 6H", "4D"),  # lead low
        ("", "QS AS 9D", "9D"),  # do not lead a high spade
        ("7D KD", "2D TD AD", "TD"),  # stay under the trick, as high as possible
        ("7D KC", "2D 8D KD", "2D"),  # a card of another suit takes no trick
        ("9S AS", "3S QS KS", "QS"),  # the queen cannot take the trick: play her
        ("9S", "QS KS AS", "KS"),  # the queen does not take a trick while another card can
        ("9S", "QS", "QS"),
        ("4C 5C", "7C TC AC", "7C"),  # a later player may still take the trick
        ("4C 5C 2H", "7C TC AC", "AC"),  # nobody can take the trick later: get rid of a high card
        ("4C", "2D QS AH", "QS"),  # throw away the queen,
        ("4C", "2D KS AH", "KS"),  # then other high spades,
        ("4C", "2D KD JH", "JH"),  # then hearts and high cards
        ("4C", "AD 2H", "AD"),
        ("4C", "AD 3C 5C", "3C"),  # follow suit, also if not all cards are legal
    ],
)
def test_which_card_is_played(trick, legal, card):
    assert card_to_play(legal.split(), trick.split()) == card


@pytest.mark.parametrize(
    ("hand", "passed"),
    [
        ("2C 9D QS KS AS 4H", {"QS", "KS", "AS"}),
        ("2C 9D KD AS 4H KH AH", {"AS", "KH", "AH"}),
        ("2C 9D KD 2S 3S 4S 5S QS AS 4H KH", {"9D", "KD", "KH"}),  # keep the guarded high spades
    ],
)
def test_which_cards_are_passed(hand, passed):
    assert set(cards_to_pass(hand.split(), 3)) == passed


@pytest.mark.parametrize("book", proofs_after(1, BOOKS))
def test_they_take_far_fewer_points_than_players_by_lot(course, book):
    """North and South play by rules of thumb, East and West at random."""
    rng = Chance(5)
    points = [0, 0, 0, 0]
    for _ in range(200):
        deal = course["match"].Match(getattr(course["rulebook"], book)).start_shuffled(rng)
        for seat in deal.still_to_pass:
            if seat % 2 == 0:
                with rng.helping("passing"):
                    deal.give(seat, rng.sample(deal.hand(seat), 3))
            else:
                deal.give(seat, rng.sample(deal.hand(seat), 3))
        while deal.turn is not None:
            if deal.turn % 2 == 0:
                with rng.helping("playing", Knowledge([str(card) for card in deal.trick])):
                    deal.play(rng.choice(deal.legal_plays()))
            else:
                deal.play(rng.choice(deal.legal_plays()))
        points = [sum(pair) for pair in zip(points, deal.costs(), strict=True)]
    assert sum(points) == 200 * 26
    assert 2 * (points[0] + points[2]) < points[1] + points[3]


def play_by_lot(sitting, deals):
    """Let a user click at random for this many deals; return the last view."""
    user = Random(2)
    while True:
        view = sitting.view
        assert "fault" not in view
        if view["phase"] == "finished" or len(view["sheet"]["rows"]) == deals:
            return view
        cards = [c["card"] for c in view["hand"] if c["card"] not in view["refused"]]
        free = [button["click"] for button in view["buttons"] if button["enabled"]]
        wanted = set(cards) - set(view["chosen"])
        sitting.handle({"click": free[0] if free else user.choice(sorted(wanted))})


def test_at_the_table_a_program_that_draws_by_lot_has_sensible_players(course):
    """A user who clicks at random takes most of the points."""
    view = play_by_lot(Sitting(vars(course["cardtable"]), Chance(1)), 6)
    *others, south = (view["sheet"]["totals"][seat] for seat in (0, 1, 3, 2))
    assert south > 2 * max(others)


def test_at_the_table_a_sampler_knows_its_hand_all_tricks_and_what_it_passed(course, monkeypatch):
    told = knowledge_of_samplers(monkeypatch)
    sitting = Sitting(vars(course["cardtable"]), Chance(1))
    sitting.handle({"opponent": "sampler"})
    play_by_lot(sitting, 2)
    assert len(told) == 2 * 39
    assert all(Worlds(knowledge).are_known for knowledge in told)
    for knowledge in told:
        assert len(knowledge.passed) == 3
        assert not {*knowledge.passed} & {*knowledge.hand}
        assert knowledge.receiver in (1, 2, 3)


def test_what_is_not_a_card_to_play_or_pass_is_drawn_by_lot(course):
    """So is a second card for the same trick, because a program may draw until a card is legal."""
    deck = [course["cards"].Card.parse(code) for code in ("2C", "KD", "QS", "5H")]
    chance = Chance(9)
    lot = Random(9)

    def same(things):
        return [chance.choice(things) for _ in range(9)] == [lot.choice(things) for _ in range(9)]

    with chance.helping("playing", Knowledge(["3C"])):
        assert same(range(99))
        assert str(chance.choice(deck)) == "2C"
        assert same(deck)
    assert same(deck)
    with chance.helping("passing"):
        assert chance.sample(deck, 4) == lot.sample(deck, 4)  # drawing the whole deck is a shuffle
        assert chance.sample(range(99), 3) == lot.sample(range(99), 3)
    assert chance.sample(deck, 3) == lot.sample(deck, 3)
    things = [Unwritten(), Unwritten(), Unwritten()]
    assert same(things)
    assert chance.sample(things, 2) == lot.sample(things, 2)


class Unwritten:
    """A card of a program in which `__str__` is not written yet."""

    def __str__(self):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("legal", "trick", "gone", "card"),
    [
        ("6C 5D", "", "2D QD KD AD", "6C"),  # lead under as many unseen cards as possible
        ("TD 9S", "", "AD KD QD JD", "9S"),
        ("4D KD", "2D", "", "KD"),  # everybody can probably follow suit, so play high
        ("4D KD", "2D", "5D 6D 7D 8D 9D", "4D"),  # too few diamonds are unseen
        ("4D KD", "2D 3D TD", "5D 6D 7D 8D 9D", "KD"),  # the last player can safely play high
        ("4D KD", "2D 5D 3H", "", "4D"),  # the trick has a heart, so lose it
        ("4S KS", "2S", "", "4S"),  # somebody may play the queen of spades
        ("4S KS", "2S", "QS", "KS"),
        ("4S JS QS", "2S 3S TS", "", "JS"),  # play high, but not the queen
        ("QS 4S", "KS", "", "QS"),  # memory does not help here: play as a cautious player
        ("5D QS", "4C", "", "QS"),
    ],
)
def test_which_card_a_counter_plays(legal, trick, gone, card):
    assert card_of_counter(legal.split(), trick.split(), gone.split()) == card


def test_an_opponent_by_lot_draws_like_any_generator():
    chance = Chance(4)
    lot = Random(4)
    chance.opponent = Opponent.RANDOM
    hand = ["QS", "2C", "KD", "4H"]
    for _ in range(9):
        with chance.helping("playing", Knowledge(["3C"])):
            assert chance.choice(hand) == lot.choice(hand)
        with chance.helping("passing"):
            assert chance.sample(hand, 3) == lot.sample(hand, 3)


# Seat 3 leads the two of diamonds. Seat 1 is void in diamonds and was passed the queen of spades.
GONE = ["2C", "3C", "4C", "5C", "AD", "5D", "7C", "6D"]
DANGER = Knowledge(
    trick=["2D"],
    gone=GONE,
    hand=["4D", "KD", "8C", "9C", "TC", "2S", "3S", "4S", "2H", "3H", "4H"],
    passed=["QS"],
    receiver=1,
)


def test_who_led_follows_from_who_plays_now_and_who_took_each_trick():
    leaders = [leader for leader, _ in DANGER.tricks()]
    assert leaders == [3, 3, 0]


def test_a_sampler_imagines_only_hands_that_fit():
    worlds = Worlds(DANGER)
    assert worlds.are_known
    seen = set()
    for _ in range(50):
        me, first, second, third = worlds.imagine(Random(len(seen)))
        assert me == DANGER.hand
        assert [len(first), len(second), len(third)] == [11, 11, 10]
        assert "QS" in first
        assert not any(code[1] == "D" for code in first)
        cards = {*me, *first, *second, *third, *DANGER.trick, *DANGER.gone}
        assert len(cards) == 52
        seen.add(tuple(sorted(second)))
    assert len(seen) == 50


def test_a_sampler_fears_the_queen_that_a_counter_does_not_see():
    legal = ["4D", "KD"]
    assert card_of_counter(legal, DANGER.trick, DANGER.gone) == "KD"
    for seed in range(5):
        assert card_of_sampler(legal, DANGER, Random(seed)) == "4D"


@pytest.mark.parametrize(("name", "cost"), [("OTHERS", 0), ("NOTHING", 26), ("SHOOTER", -26)])
def test_a_sampler_pays_for_a_moon_what_the_rule_book_says(name, cost):
    """The sampler took twelve tricks, with clubs that nobody else had, and takes the last."""
    last = ["2H", "3D", "4D"]
    *clubs, best = (code for code in PACK if code[1] == "C")
    others = [code for code in PACK if code[1] != "C" and code not in last]
    gone = [
        code
        for number, club in enumerate(clubs)
        for code in (club, *others[3 * number : 3 * number + 3])
    ]
    worlds = Worlds(Knowledge(gone=gone, hand=[best], moon=moon_by_name(name)))
    assert worlds.cost_after(best, worlds.imagine(Random(1))) == cost


@pytest.mark.parametrize("gone", [[], GONE[:7]])
def test_where_a_program_tells_too_little_a_sampler_plays_like_a_counter(gone):
    known = replace(DANGER, gone=gone)
    assert card_of_sampler(["4D", "KD"], known, Random(1)) == "KD"
    assert card_of_sampler(["4D", "KD"], replace(DANGER, hand=()), Random(1)) == "KD"


def points_of_pairs(course, first, second, deals):
    """Return the points of two pairs: North and South of kind `first`, the others of `second`."""
    rng = Chance(6)
    points = [0, 0]
    for _ in range(deals):
        match = course["match"].Match(course["rulebook"].ESTELL_BOOK)
        deal = match.start_shuffled(rng)
        table = SimpleNamespace(match=match, deal=deal)
        for seat in deal.still_to_pass:
            rng.opponent = (first, second)[seat % 2]
            with rng.helping("passing"):
                deal.give(seat, rng.sample(deal.hand(seat), 3))
        while deal.turn is not None:
            rng.opponent = (first, second)[deal.turn % 2]
            with rng.helping("playing", known_at(table)):
                deal.play(rng.choice(deal.legal_plays()))
        for seat, cost in enumerate(deal.costs()):
            points[seat % 2] += cost
    return points


@pytest.mark.proof
@pytest.mark.parametrize(
    ("better", "worse", "deals"),
    [
        (Opponent.CAUTIOUS, Opponent.RANDOM, 200),
        (Opponent.COUNTER, Opponent.CAUTIOUS, 200),
        (Opponent.SAMPLER, Opponent.COUNTER, 30),  # few deals, because a sampler is slow
    ],
)
def test_each_kind_takes_fewer_points_than_the_one_before(course, better, worse, deals):
    """Each kind plays once as North and South and once as East and West: seats do not matter."""
    first = points_of_pairs(course, better, worse, deals)
    second = points_of_pairs(course, worse, better, deals)
    print(better, worse, first, second)
    assert first[0] + second[1] < first[1] + second[0]
