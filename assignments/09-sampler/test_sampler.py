"""Visible checks of stage 09: what fits, worlds that are drawn, playouts, and means over worlds."""

import pytest
from hearts_course import each

ELEVEN = (
    "2C 4C 3C JC, 2S 6S TS 9S, 4D 3D 5D 2D, 3S 8S JS 7S, 5C 8C 9C 6C, 4S AS KS 5S, "
    "9D 7D 8D JD, 2H 7H TH 8H, 6D QD QH KD, TC 7C AH JH, QC KC 6H 9H"
)
WORLDS = ["3H 5H|AC KH|4H|QS", "3H 5H|AC KH|QS|4H", "3H 5H|4H KH|AC|QS", "3H 5H|KH QS|AC|4H"]

MANY_DEALS = """
found = []
for _ in range(1600):
    hands = [sorted(map(str, hand)) for hand in dealer.deal(rng)]
    found.append(str(hands))
found
"""


@pytest.fixture
def hold(cards):
    """Make a tuple of cards from their codes."""
    return lambda codes: tuple(each(cards.Card.parse, codes.split()))


@pytest.fixture
def see(match, rulebook, players, hold):
    """Make the brief's view of Ann, with this hand and these cards on the table."""

    def make(hand="3H 5H", trick="TD AD"):
        tricks, leader = [], 1
        for text in ELEVEN.split(", "):
            tricks.append(match.Trick(leader, hold(text)))
            leader = tricks[-1].taker
        return players.View(
            seat=0,
            hand=hold(hand),
            trick=hold(trick),
            tricks=tuple(tricks),
            book=rulebook.ESTELL_BOOK,
            direction=rulebook.Pass.LEFT,
            gave=hold("AS KD KH"),
        )

    return make


@pytest.fixture
def worlds(hold):
    """Make the four worlds that fit what Ann has seen."""
    return [tuple(each(hold, text.split("|"))) for text in WORLDS]


def codes(some_cards):
    """Return the codes of the cards, sorted as texts and joined by blanks."""
    return " ".join(sorted(each(str, some_cards)))


def show(world):
    """Return the hands of a world as one text."""
    return "|".join(each(codes, world))


@pytest.mark.task("what-fits")
def test_what_follows_from_a_view(sampler, see, hold):
    """Clues say how many cards each seat holds, and which seats can hold an unseen card."""
    clues = sampler.Clues(see())
    assert clues.sizes == [2, 2, 1, 1]
    homes = [sorted(clues.homes[card]) for card in hold("AC 4H KH QS")]
    assert homes == [[1, 2], [1, 2, 3], [1], [1, 2, 3]]
    assert len(clues.homes) == 4


@pytest.mark.task("what-fits")
def test_which_worlds_fit(sampler, see, hold, worlds):
    """A world fits if sizes, own hand, voids and passed cards agree with what was seen."""
    clues = sampler.Clues(see())
    assert [clues.fits(world) for world in worlds] == [True, True, True, True]
    wrong = ["3H 5H|4H KH|QS|AC", "3H 5H|AC QS|KH|4H", "3H 5H|AC KH 4H||QS", "3H 4H|AC KH|5H|QS"]
    found = [clues.fits(tuple(each(hold, text.split("|")))) for text in wrong]
    assert found == [False, False, False, False]


@pytest.mark.task("guess-and-reject")
def test_guesses(sampler, see, stdlib):
    """A guess has hands of the right sizes; twelve different ones are possible here."""
    clues, rng = sampler.Clues(see()), stdlib("random").Random(1)
    guesses = [show(sampler.guess(clues, rng)) for _ in range(200)]
    assert len(set(guesses)) == 12


@pytest.mark.task("guess-and-reject")
def test_rejection(sampler, see, stdlib):
    """Rejection returns only worlds that fit, all of them in the long run, or else None."""
    clues, rng = sampler.Clues(see()), stdlib("random").Random(2)
    found = [show(sampler.by_rejection(clues, rng, 1000)) for _ in range(100)]
    assert sorted(set(found)) == sorted(WORLDS)
    assert sampler.by_rejection(clues, rng, 0) is None


@pytest.mark.task("count-and-deal")
def test_worlds_are_counted(sampler, see):
    """A dealer knows how many worlds fit."""
    assert sampler.Dealer(sampler.Clues(see())).number == 4


@pytest.mark.task("count-and-deal")
def test_worlds_are_dealt(sampler, see, stdlib):
    """A dealer deals the worlds that fit, and all of them equally often."""
    dealer, rng = sampler.Dealer(sampler.Clues(see())), stdlib("random").Random(3)
    found = [show(dealer.deal(rng)) for _ in range(400)]
    assert sorted(set(found)) == sorted(WORLDS)
    assert [world for world in WORLDS if not 50 < found.count(world) < 150] == []


@pytest.mark.task("count-and-deal")
def test_a_seat_with_more_room_gets_more_cards(sampler, see, stdlib, typed):
    """Nine worlds fit where one card is on the table, and each of them is dealt equally often.

    To choose the seats equally often is something else: some of them have room for more cards.
    """
    dealer, rng = sampler.Dealer(sampler.Clues(see(trick="TD"))), stdlib("random").Random(4)
    found = typed(MANY_DEALS, dealer=dealer, rng=rng)
    assert len(set(found)) == 9
    assert [world for world in sorted(set(found)) if not 107 < found.count(world) < 249] == []


@pytest.mark.task("play-a-world")
def test_what_is_seen_of_an_ending(sampler, see, worlds):
    """A glimpse shows the hand, the table and the legal cards of the seat that plays next."""
    view = see()
    seen = sampler.glimpse(sampler.ending_of(view, worlds[0]), view.book)
    assert [seen.seat, codes(seen.legal), codes(seen.trick)] == [0, "3H 5H", "AD TD"]
    assert seen.turn.first_trick is False


@pytest.mark.task("play-a-world")
def test_a_playout(sampler, players, see, hold, worlds):
    """The player plays for all seats to the end; then the score of one seat is returned."""
    view = see()
    player = players.Prepared((), hold("3H KH QS 5H AC 4H"))
    playout = sampler.Playout(player, view.book)
    assert playout(sampler.ending_of(view, worlds[0]), 3) == 17
    assert [seen.seat for seen in player.views] == [0, 1, 3, 0, 1, 2]


@pytest.mark.task("mean-of-worlds")
def test_means_over_worlds(sampler, players, see, worlds):
    """The mean of a card is that of its values in all the worlds."""
    results = sampler.means(see(), worlds, players.sure_cost)
    assert {str(card): mean for card, mean in results.items()} == {"3H": 7.5, "5H": 0.0}


@pytest.mark.task("mean-of-worlds")
def test_regret(sampler, see):
    """The regret is what a card costs more than the best one, in the exact mean of all worlds."""
    view = see()
    assert [sampler.regret(view, card) for card in view.hand] == [7.5, 0.0]


@pytest.mark.task("mean-of-worlds")
def test_the_best_card_in_the_mean(sampler, players, see, stdlib):
    """A sampler plays the card with the least mean over the worlds that it imagines."""
    rng = stdlib("random").Random(1)
    player = sampler.Sampler(players.Lowest(), players.sure_cost, 100, rng)
    assert str(player.play(see())) == "5H"
