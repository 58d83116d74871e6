"""The reference's players keep the rules in whole deals, and are right about endings."""

from random import Random

import pytest
from hearts_course.course import find_course
from references import loaded

COURSE = find_course()
PLAYERS = next(stage for stage in COURSE.stages if "players" in stage.modules)
BOOKS = ["ESTELL_BOOK", "HEART_BOOK", "CIT590_BOOK", "DYNACOMP_BOOK"]
RANKS = "23456789TJQKA"
ENDINGS = 50


@pytest.fixture(scope="module")
def program():
    """Yield, by name, the reference modules of the stage of players and of all stages below it."""
    with loaded(COURSE, PLAYERS) as program:
        yield program


@pytest.mark.parametrize("name", BOOKS)
def test_every_player_keeps_the_rules(program, name):
    """Under every book, each player passes and plays only what stages 02 and 05 allow."""
    players = program["players"]
    book = getattr(program["rulebook"], name)
    counter = players.CardCounter(players.Dumper())
    table = [
        players.Checked(player)
        for player in (
            players.Lowest(),
            players.Cautious(),
            players.Passer(players.MoonWatcher(counter)),
            players.MoonWatcher(players.CardCounter(players.RandomPlayer(Random(name)))),
        )
    ]
    for number, hands in enumerate(players.shuffled_deals(16, Random(name))):
        scores = players.play_deal(table, hands, book, book.pass_for(number))
        assert sum(scores) in program["scoring"].deal_sums(book)


def costs_of(card):
    """Return how many points the card with this code costs."""
    return 13 if card == "QS" else int(card[1] == "H")


def legal(hand, trick, *, may_lead_hearts):
    """Return the codes of the cards in this hand that may be played."""
    wanted = [card for card in hand if trick and card[1] == trick[0][1]]
    if not trick and not may_lead_hearts:
        wanted = [card for card in hand if card[1] != "H"]
    return wanted or hand


def all_lines(hands, leader, trick, broken, rules):
    """Return a tree of all continuations: whose turn it is, and a dict from each card to a branch.

    A branch is the list of points that each seat pays for this card, and the tree after it. When
    all hands are empty, the tree is a list of zeros.
    """
    if not any(hands):
        return [0, 0, 0, 0]
    seat = (leader + len(trick)) % 4
    may_lead_hearts = broken or not rules.hearts_must_be_broken
    branches = {}
    for card in legal(hands[seat], trick, may_lead_hearts=may_lead_hearts):
        rest = [[held for held in hand if held != card] for hand in hands]
        breaks = card[1] == "H" or (card == "QS" and rules.queen_breaks_hearts)
        table = [*trick, card]
        first = leader
        paid = [0, 0, 0, 0]
        if len(table) == 4:
            following = [other for other in table if other[1] == table[0][1]]
            best = max(following, key=lambda other: RANKS.index(other[0]))
            first = (leader + table.index(best)) % 4
            paid[first] = sum(map(costs_of, table))
            table = []
        branches[card] = (paid, all_lines(rest, first, table, broken or breaks, rules))
    return seat, branches


def guaranteed(tree, seat):
    """Return the least cost that the seat can guarantee in this tree against all others."""
    if isinstance(tree, list):
        return tree[seat]
    chooser, branches = tree
    choose = min if chooser == seat else max
    return choose(paid[seat] + guaranteed(below, seat) for paid, below in branches.values())


def test_endings_are_exact(program):
    """On random endings, `sure_cost` and `best_cards` agree with a tree of all lines of play."""
    players = program["players"]
    legal_moves = program["legal"]
    parse = program["cards"].Card.parse
    rng = Random(808)
    for _ in range(ENDINGS):
        size = rng.choice([1, 2, 2, 3])
        suits = rng.choice(["HS", "SDH", "CDHS"])
        pack = rng.sample([f"{rank}{suit}" for suit in suits for rank in RANKS], 4 * size)
        hands = [pack[seat::4] for seat in range(4)]
        leader = rng.randrange(4)
        broken = rng.random() < 0.5
        rules = rng.choice([legal_moves.ESTELL, legal_moves.HEART, legal_moves.CIT590])
        parsed = tuple(tuple(map(parse, hand)) for hand in hands)
        ending = players.Ending(parsed, rules, leader, hearts_broken=broken)
        _, branches = tree = all_lines(hands, leader, [], broken, rules)
        least = [guaranteed(tree, seat) for seat in range(4)]
        assert [players.sure_cost(ending, seat) for seat in range(4)] == least
        best = {
            card
            for card, (paid, below) in branches.items()
            if paid[leader] + guaranteed(below, leader) == least[leader]
        }
        assert {str(card) for card in players.best_cards(ending)} == best
