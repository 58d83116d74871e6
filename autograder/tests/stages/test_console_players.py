"""The reference of the console game seats players of any kind: bots, scripts, a person."""

from random import Random

import pytest
from hearts_course.course import find_course
from references import loaded

SEED = 11


@pytest.fixture(scope="module")
def program():
    """The references up to the console game, by module name."""
    course = find_course()
    with loaded(course, course.stage("04-console-game")) as program:
        yield program


@pytest.fixture
def table(program):
    return program["table"]


class Scripted:
    """A player who plays the given cards in order."""

    def __init__(self, cards):
        self._cards = iter(cards)

    def choose(self, view):
        return next(self._cards)


@pytest.fixture
def play(table):
    """A function that plays the deal of one seed with these players and returns all events."""
    hands = table.deal_hands(table.Seat.NORTH, Random(SEED))
    return lambda players: list(table.play_out(table.Deal(hands), players))


@pytest.fixture
def by_bots(table, play):
    """The events when four bots play."""
    return play([table.Bot(Random(seat)) for seat in table.Seat])


def cards_of(events, table, seat):
    return [e.card for e in events if isinstance(e, table.Played) and e.seat == seat]


def test_scripted_players_replay_a_deal(table, play, by_bots):
    scripts = [cards_of(by_bots, table, seat) for seat in table.Seat]
    assert [len(cards) for cards in scripts] == [13] * 4
    assert play([Scripted(cards) for cards in scripts]) == by_bots


@pytest.mark.parametrize("spell", [str, lambda card: card.words.upper()])
def test_a_person_can_sit_among_bots_and_scripts(program, table, play, by_bots, spell):
    """The console asks the person once for each card."""
    console, shown, asked = program["console"], [], []
    answers = map(spell, cards_of(by_bots, table, table.Seat.SOUTH))

    def read(prompt):
        asked.append(prompt)
        return next(answers)

    players = [table.Bot(Random(seat)) for seat in table.Seat]
    players[table.Seat.SOUTH] = console.Person(read, shown.append)
    players[table.Seat.WEST] = Scripted(cards_of(by_bots, table, table.Seat.WEST))
    assert play(players) == by_bots
    assert asked == [console.CARD_PROMPT] * 13
    assert [text.partition(":")[0] for text in shown] == ["Your hand"] * 13


def test_no_player_can_break_the_rules(program, table, play, by_bots):
    players = [Scripted(cards_of(by_bots, table, seat)[::-1]) for seat in table.Seat]
    with pytest.raises(program["legal"].IllegalPlay):
        play(players)


def test_a_new_game_puts_bots_on_the_free_seats_and_a_bot_deals(table):
    class First:
        def choose(self, view):
            return view.legal[0]

    people = {seat: First() for seat in list(table.Seat)[:3]}
    events = list(table.new_game(people, SEED))
    assert {e.dealer for e in events if isinstance(e, table.Dealt)} == {table.Seat.WEST}
    assert isinstance(events[-1], table.Won)
