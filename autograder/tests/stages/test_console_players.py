"""The reference of the console game lets players be swapped: bots, scripts, a person."""

from random import Random

import pytest
from hearts_course.course import find_course
from references import loaded

SEED = 11


@pytest.fixture(scope="module")
def program():
    """The references up to the console game, as one program: module name to module."""
    course = find_course()
    game = course.stage("04-console-game")
    with loaded(course, game) as program:
        yield program


@pytest.fixture
def table(program):
    return program["table"]


class Scripted:
    """A player who plays the given cards, one after the other."""

    def __init__(self, cards):
        self._cards = iter(cards)

    def choose(self, view):
        return next(self._cards)


@pytest.fixture
def played(table):
    """Plays the deal of one seed with these players; all that happened comes back."""
    hands = table.deal_hands(table.Seat.NORTH, Random(SEED))
    return lambda players: list(table.play_out(table.Deal(hands), players))


@pytest.fixture
def by_bots(table, played):
    """What happens when four bots play."""
    return played([table.Bot(Random(seat)) for seat in table.Seat])


def cards_of(events, table, seat):
    return [e.card for e in events if isinstance(e, table.Played) and e.seat == seat]


def test_scripted_players_replay_a_whole_deal(table, played, by_bots):
    scripts = [cards_of(by_bots, table, seat) for seat in table.Seat]
    replayed = played([Scripted(cards) for cards in scripts])
    assert [len(cards) for cards in scripts] == [13] * 4
    assert [cards_of(replayed, table, seat) for seat in table.Seat] == scripts
    assert replayed == by_bots


@pytest.mark.parametrize("spell", [str, lambda card: card.words.upper()])
def test_a_person_may_sit_among_bots_and_scripts(program, table, played, by_bots, spell):
    """The person is the console's own, who is asked once for each card, in its prompt's words."""
    console, told, asked = program["console"], [], []
    answers = map(spell, cards_of(by_bots, table, table.Seat.SOUTH))

    def read(prompt):
        asked.append(prompt)
        return next(answers)

    players = [table.Bot(Random(seat)) for seat in table.Seat]
    players[table.Seat.SOUTH] = console.Person(read, told.append)
    players[table.Seat.WEST] = Scripted(cards_of(by_bots, table, table.Seat.WEST))
    assert played(players) == by_bots
    assert asked == [console.CARD_PROMPT] * 13
    assert [text.partition(":")[0] for text in told] == ["Your hand"] * 13


def test_no_player_may_break_the_rules(program, table, played, by_bots):
    """Who chooses is not trusted: the deal refuses what may not be played."""
    players = [Scripted(cards_of(by_bots, table, seat)[::-1]) for seat in table.Seat]
    with pytest.raises(program["legal"].IllegalPlay):
        played(players)


def test_a_game_takes_whoever_can_choose(table):
    """`new_game` seats people of any kind; bots sit on all other seats, and one of them deals."""

    class First:
        def choose(self, view):
            return view.legal[0]

    people = {seat: First() for seat in list(table.Seat)[:3]}
    events = list(table.new_game(people, SEED))
    assert {e.dealer for e in events if isinstance(e, table.Dealt)} == {table.Seat.WEST}
    assert isinstance(events[-1], table.Won)
