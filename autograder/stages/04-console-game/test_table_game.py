"""Hidden checks of stage 04: whole games, which a referee replays from their sentences."""

import importlib.util
from pathlib import Path

import pytest
from hearts_course import each

SPEC = importlib.util.spec_from_file_location("referee", Path(__file__).with_name("referee.py"))
referee = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(referee)


TRICKS = 13
SENTENCES = 1 + 52 + TRICKS  # of a deal: one about the dealer, one for each card and trick


@pytest.fixture
def first_deal(table, stdlib):
    """Return a function that plays the first deal of a game with a seed.

    It returns the sentences, one per line, and how many tricks were taken. It asks the game for no
    event after the thirteenth trick: the game may not go on yet.
    """

    def sentences_in(seed):
        events = stdlib("builtins").iter(table.new_game({}, seed))
        heard, tricks = [], 0
        missing = SENTENCES
        while missing:
            fresh = each(str, stdlib("itertools").islice(events, missing))
            heard += fresh
            tricks += sum(bool(told["taker"]) for _, told in referee.sentences("\n".join(fresh)))
            missing = max(TRICKS - tricks, 0) if len(fresh) == missing else 0
        return "\n".join(heard), tricks

    return sentences_in


@pytest.fixture
def transcript(table):
    """Return a function that plays a game with a seed and returns its sentences, one per line."""
    return lambda seed: "\n".join(each(str, table.new_game({}, seed)))


@pytest.mark.task("report-a-deal")
@pytest.mark.timeout(6)
@pytest.mark.parametrize("seed", [3, 41, 42, 77, 303, 501])
def test_a_deal_by_the_rules(first_deal, seed):
    """A referee replays the first deal from its sentences and finds no fault.

    The referee checks who deals, leads and plays, and every card and trick. Nothing is read after
    the thirteenth trick. If the visible check with seed 14 fails too, it shows what the referee has
    found.

    Try: Print each sentence of `new_game({}, 4)`, and replay the first deal with real cards.
    """
    heard, tricks = first_deal(seed)
    assert [referee.faults(heard, unfinished=True), tricks] == [[], TRICKS]


@pytest.mark.task("play-a-game")
@pytest.mark.timeout(6)
@pytest.mark.parametrize("seed", [104, 2026, 33, 19, 38, 55])
def test_a_game_by_the_rules(transcript, seed):
    """A referee replays the whole game from its sentences and finds no fault.

    The referee checks who deals, leads, plays and wins, and every card, trick and sum. The visible
    check with seed 10 also shows what the referee has found.

    Try: Print each sentence of `new_game({}, 2)`, and replay a deal with real cards.
    """
    assert referee.faults(transcript(seed)) == []


@pytest.mark.task("repeat-a-game")
@pytest.mark.timeout(6)
def test_only_the_seed_decides(stdlib, transcript, first_deal):
    """A seed decides the whole game; random numbers that were drawn before do not matter.

    Try: Play a game, then another one, and then the first one's seed again.
    """
    game = transcript(301)
    stdlib("random").seed(5)
    other, _ = first_deal(302)
    assert [transcript(301) == game, game.startswith(other)] == [True, False]


@pytest.mark.task("repeat-a-game")
@pytest.mark.timeout(6)
def test_without_a_seed_games_differ(first_deal):
    """With None as the seed, every game is different.

    Try: Compare two games of `new_game({}, None)`.
    """
    assert first_deal(None) != first_deal(None)


@pytest.mark.task("play-a-game")
@pytest.mark.timeout(6)
@pytest.mark.parametrize("scores", ["0, 13, 13, 0", "8, 6, 6, 6"])
def test_players_who_win_together_are_named_together(table, stdlib, transcript, scores):
    """Players who win together are named in one sentence, clockwise, with `and` before the last.

    Try: Ask yourself what your game says if East and West end with 20 points each, and the others
    with more.
    """
    every_deal_alike = stdlib("builtins").eval(f"lambda *taken, **more: [{scores}]")
    table.deal_scores = every_deal_alike
    heard = [sentence for _, sentence in referee.sentences(transcript(77))]
    totals = [referee.totals(sentence) for sentence in heard if sentence["scores"]]
    assert totals != []
    assert heard[-1][0] == referee.verdict(totals[-1])
