"""A small tournament in the student's own Python: in a notebook, a browser or at a prompt."""

from functools import partial
from types import SimpleNamespace

import hearts_course
import pytest
from hearts_course.errors import UsageError
from hearts_course.tournament.here import play_tournament
from references import loaded
from surroundings import knowledge_of_samplers
from tournaments import COURSE, STAGE


@pytest.fixture(scope="module")
def names():
    """Yield a dict of the names in the stage's reference, as a notebook has them."""
    with loaded(COURSE, STAGE) as modules:
        yield dict(vars(modules["players"]))


def held(names, *players, deals=3, book="estell"):
    return play_tournament(players, names, deals, book, "1")


def test_own_players_and_the_course_s_play_each_deal_from_every_seat(names):
    def enter():
        return names["CardCounter"](names["Dumper"]())

    def fail(view):
        return view.trick[9]

    broken = SimpleNamespace(pass_cards=lambda view: [*view.hand][:3], play=fail)
    tournament = held(names, enter, names["Lowest"], "random", "cautious", broken)
    ranked = {standing.alias: standing for standing in tournament.ranked}
    assert sorted(ranked) == ["Lowest", "SimpleNamespace", "cautious", "enter", "random"]
    assert {standing.deals for standing in ranked.values()} == {12}
    assert ranked["SimpleNamespace"].faults == {"raised IndexError": 12}
    assert all(
        not standing.faults for alias, standing in ranked.items() if alias != "SimpleNamespace"
    )
    lines = repr(tournament).splitlines()
    assert lines[0].startswith("  1 ")
    faulty = [line for line in lines if "raised" in line]
    assert [line.split("; ")[1] for line in faulty] == ["raised IndexError in 12 of 12 deals"]
    assert "SimpleNamespace" in faulty[0]
    again = held(names, enter, names["Lowest"], "random", "cautious", broken)
    assert repr(again) == repr(tournament)


def test_a_sampler_knows_which_of_the_others_got_its_cards(names, monkeypatch):
    """A sampler counts the seats from its own seat, wherever it sits."""
    told = knowledge_of_samplers(monkeypatch)
    held(names, "sampler", "random", deals=1)  # the first deal is passed to the left
    passed = [knowledge for knowledge in told if knowledge.passed]
    assert passed != []
    assert {knowledge.receiver for knowledge in passed} == {1}


def test_a_maker_without_a_name_of_its_own_can_play(names):
    counter = partial(names["CardCounter"], names["Dumper"]())
    (standing,) = [it for it in held(names, counter, "random").ranked if it.alias != "random"]
    assert (standing.alias, standing.faults) == ("partial", {})


def test_a_notebook_shows_the_report_in_a_frame_of_its_own(names):
    shown = held(names, "counter", "random", deals=1)._repr_html_()
    assert shown.startswith(
        '<iframe title="Tournament" sandbox="allow-scripts" srcdoc="&lt;!DOCTYPE'
    )
    assert "players/" not in shown, "no link to a page that does not exist"
    assert "slowest.html" not in shown
    assert "Replay a deal" in shown


def test_who_cannot_play_is_told_why(names):
    with pytest.raises(UsageError, match="nobody plays; name some players"):
        held(names)
    with pytest.raises(UsageError, match="counterr: no player of the course; choose one of: rand"):
        held(names, "counterr")
    with pytest.raises(UsageError, match="7 is not a player, and not a function that makes one"):
        held(names, 7)
    with pytest.raises(UsageError, match="0 deals; a tournament needs at least 1"):
        held(names, "counter", deals=0)
    with pytest.raises(UsageError, match="no rule book nowhere; choose one of: ESTELL, "):
        held(names, "counter", book="nowhere")
    with pytest.raises(UsageError, match="there is no 'Book' here; run the cells with the given"):
        held({}, "counter")


def test_a_program_at_a_prompt_holds_one(names, capsys):
    script = "hearts_course.hold_tournament('counter', 'random', deals=1)"
    tournament = eval(script, {**names, "hearts_course": hearts_course})
    assert len(tournament.ranked) == 2
    assert eval("hearts_course.hold_tournament()", {"hearts_course": hearts_course}) is None
    assert "there is no 'Book' here; run the cells with the" in capsys.readouterr().out
