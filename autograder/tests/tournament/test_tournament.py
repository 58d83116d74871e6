"""A class plays its programs against each other: safely, repeatably, and without false blame."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hearts_course.cli import run
from hearts_course.errors import UsageError
from hearts_course.tournament.pages import Results, all_pages
from hearts_course.tournament.schedule import HOUSE, tables_of
from hearts_course.tournament.standings import compare_all, is_clear, standings
from hearts_grader.tournament.entries import find_entries
from hearts_grader.tournament.event import Event, Season, Times
from hearts_grader.tournament.rounds import HOUSE_PLAYER
from tournaments import COURSE, PLAYERS, faults_by_player, files_of, played, program, write

# What a player may try, and the fault in which each of its deals ends; "" means no fault.
ATTACKS = {
    "raises": ("raise ValueError('x')", "raised ValueError"),
    "leaves": ("import os; os._exit(0)", "crashed"),
    "loops": ("while True: pass", "slow"),
    "answers a text": ("return 'AS'", "illegal"),
    "answers a card that it does not hold": (
        "return next(c for s in Suit for r in Rank if (c := Card(s, r)) not in view.hand)",
        "illegal",
    ),
    "starts a program": ("import subprocess; subprocess.run(['true'])", "raised OSError"),
    "opens a file": ("open('/etc/hostname')", "raised OSError"),
    "opens a connection": (
        "import socket; socket.create_connection(('127.0.0.1', 80))",
        "raised OSError",
    ),
    "takes all memory": ("[0] * 10**12", "raised MemoryError"),
}


@pytest.mark.needs_sandbox
def test_an_attack_ends_its_own_deal_and_nobody_else_s(tmp_path):
    texts = {
        f"s{number}": program(body, enter="return Mine()", alias=name)
        for number, (name, (body, _)) in enumerate(ATTACKS.items())
        if name != "loops"  # a loop takes seconds: see the next test
    }
    entries, remarks = find_entries([str(write(tmp_path, **texts)), "cautious"], COURSE)
    assert remarks == []
    (text,) = played(entries, [1]).values()
    expected = {name: [fault] * 4 for name, (_, fault) in ATTACKS.items() if name != "loops"}
    for kind in ("PermissionError", "FileNotFoundError"):  # the kind depends on the sandbox
        text = text.replace(f"raised {kind}", "raised OSError")
    assert {name[:24]: fault for name, fault in expected.items()} == faults_by_player(text)


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_a_loop_costs_its_own_deal_only(tmp_path):
    looping = program("while True: pass", enter="return Mine()", alias="loops")
    entries, _ = find_entries([str(write(tmp_path, eve=looping)), "cautious"], COURSE)
    (text,) = played(entries, [1]).values()
    assert faults_by_player(text) == {"loops": ["slow"] * 4}


@pytest.mark.needs_sandbox
def test_nothing_is_remembered_from_deal_to_deal(tmp_path):
    """A player that could count its deals would raise an error from the second deal on."""
    remembering = """
        import os, players, random
        os.environ["DEALS"] = str(int(os.environ.get("DEALS", "0")) + (not view.tricks))
        players.deals = getattr(players, "deals", 0) + (not view.tricks)
        random.seen = getattr(random, "seen", 0) + (not view.tricks)
        if max(int(os.environ["DEALS"]), players.deals, random.seen) > 1:
            raise RuntimeError("I know this table")
"""
    text = program(remembering.strip(), enter="return Mine()", alias="elephant")
    entries, _ = find_entries([str(write(tmp_path, ada=text)), "counter"], COURSE)
    rounds = played(entries, [1, 2])
    assert [faults_by_player(record) for record in rounds.values()] == [{}, {}]


@pytest.mark.needs_sandbox
def test_a_player_sees_what_its_seat_may_know_and_no_more(tmp_path):
    """The player raises an error if the view has a card that its seat cannot have seen."""
    looking = """
        seen = [*view.hand, *view.gave, *view.played]
        assert len(view.hand) == 13 - len(view.tricks)
        assert set(view.received) <= {*view.hand, *view.played}
        assert len({*seen}) <= 13 + 3 + len(view.played)
        assert not hasattr(view, "hands")
        assert view.direction == view.book.pass_for(0) and len(view.gave) == 3
        import gc
        packs = [o for o in gc.get_objects() if type(o) is Hand and len(list(o)) > 13]
        assert packs == []
"""
    text = program(looking.strip(), enter="return Mine()", alias="looker")
    entries, _ = find_entries([str(write(tmp_path, ada=text)), "counter"], COURSE)
    (record,) = played(entries, [1]).values()
    assert faults_by_player(record) == {}


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_same_seed_same_files_however_many_processes(tmp_path):
    random_player = program(enter="return RandomPlayer(Random())", alias="luck")
    global_chance = program("import random; random.random()", enter="return Mine()")
    write(tmp_path, ada=random_player, bob=global_chance)
    entries, _ = find_entries([str(tmp_path), "random", "counter", "cautious"], COURSE)
    one = played(entries, [1, 2, 3], jobs=1)
    assert one == played(entries, [3, 1, 2], jobs=2)
    assert one[1] != one[2]


def test_everybody_plays_each_deal_from_every_seat():
    entries, _ = find_entries(["random", "cautious", "counter", "sampler", "random"], COURSE)
    assert [entry.alias for entry in entries] == [
        *("cautious", "counter", "random", "random (2)", "sampler"),
    ]
    tables = tables_of(entries, HOUSE_PLAYER, "1", 1)
    assert sorted(map(len, tables)) == [4, 4]
    assert sorted(entry.alias for table in tables for entry in table) == [
        *("cautious", "counter", "house", "house", "house"),
        *("random", "random (2)", "sampler"),
    ]
    assert tables != tables_of(entries, HOUSE_PLAYER, "1", 2)
    assert tables == tables_of(entries, HOUSE_PLAYER, "1", 1)
    entries = entries[:4]
    (record,) = played(entries, [1], sandbox="none").values()
    (table,) = json.loads(record)["tables"]
    assert len({tuple(deal["hands"]) for deal in table["deals"]}) == 1
    for player in range(4):
        assert {deal["order"].index(player) for deal in table["deals"]} == {0, 1, 2, 3}
    for deal in table["deals"]:
        assert sum(deal["hearts"]) == 13
        assert sum(deal["queen"]) == 1
        assert len(deal["tricks"]) == 13


def test_who_does_not_enter_stays_out_and_aliases_are_lines(tmp_path):
    write(
        tmp_path,
        ada=program(alias="<b>Ada</b>\n\x1b[31m" + "a" * 99),
        bob=program(),
        cy=PLAYERS,
        dan=program(alias="House"),
    )
    entries, remarks = find_entries([str(tmp_path)], COURSE)
    assert remarks == ["cy: stays out, because no program has a function `enter`"]
    aliases = {entry.student: entry.alias for entry in entries}
    assert aliases["bob"] == "player 1"
    assert aliases["dan"] == "House (2)", "the house is not ranked"
    assert len(aliases["ada"]) <= 24
    assert aliases["ada"].isprintable()


def test_nobody_gets_an_alias_that_somebody_else_has(tmp_path):
    """Two players with one alias would share a sandbox, so one program would play for both."""
    chosen = {"ada": "Ada", "bob": "ADA", "cy": "ada (2)", "dan": "Ada (2)", "eve": "house (2)"}
    chosen |= {"fay": "House", "gil": "", "hal": "player 1", "ivy": "player 1 (2)"}
    write(tmp_path, **{name: program(alias=alias) for name, alias in chosen.items()})
    entries, _ = find_entries([str(tmp_path)], COURSE)
    aliases = {entry.alias.casefold() for entry in entries}
    assert len(aliases | {HOUSE}) == len(chosen) + 1


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "line", ["a" + "\u0301\u0316" * 50_000 + " = 1", "import a" + ".a" * 100_000]
)
def test_a_text_that_takes_minutes_to_parse_stays_out(tmp_path, line):
    write(tmp_path, ada=f"{program()}\n{line}\n", bob=program())
    entries, remarks = find_entries([str(tmp_path)], COURSE)
    assert [entry.student for entry in entries] == ["bob"]
    assert remarks == ["ada: stays out, because no program has a function `enter`"]


def test_who_plays_must_exist(tmp_path):
    with pytest.raises(UsageError, match="no folder, and no player of the course"):
        find_entries(["counterr"], COURSE)
    with pytest.raises(UsageError, match="nobody plays"):
        find_entries([str(write(tmp_path, cy=PLAYERS))], COURSE)


def test_what_is_left_is_estimated_from_what_was_run(tmp_path):
    """Thirty players are to play a thousand deals. A tenth of the deals has been played."""
    event = Event(tmp_path)
    programs = tuple((f"player {number}", "key") for number in range(30))
    season = Season(1, 1000, "ESTELL", "seed", programs)
    assert event.estimate(season, 2) is None
    for number in range(1, 101):
        event.rounds.write(number, "{}")
    tenth = Times(deals=100 * 8 * 4, seconds=384.0)
    (tmp_path / "times.json").write_text(json.dumps(asdict(tenth)))
    assert event.estimate(season, 1) == pytest.approx(9 * 384)
    assert event.estimate(season, 2) == pytest.approx(9 * 384 / 2)


def round_of(number, scores, faults=()):
    """Return the record of a round with one deal, in which these players have these scores."""
    deal = {
        "order": [0, 1, 2, 3],
        "direction": "HOLD",
        "hands": [""] * 4,
        "passed": [""] * 4,
        "tricks": [],
        "scores": [*scores.values()],
        "hearts": [*scores.values()],
        "queen": [0] * 4,
        "moon": [],
        "faults": [*faults],
    }
    return {"round": number, "tables": [{"players": [*scores], "deals": [deal]}], "again": {}}


def test_players_are_told_apart_by_differences_in_the_same_deals():
    """Points vary far more from deal to deal than between the two players."""
    rounds = [
        round_of(
            number,
            {"a": 10 * (number % 3), "b": 10 * (number % 3) + 1 + number % 2, "c": 9, "house": 0},
        )
        for number in range(1, 61)
    ]
    ranked = standings(rounds)
    assert [(s.alias, round(s.points, 2), s.deals) for s in ranked] == [
        *(("c", 9, 60), ("a", 10, 60), ("b", 11.5, 60)),
    ]
    comparisons = compare_all(ranked)
    assert comparisons["a", "b"].verdict == "better"
    assert comparisons["c", "a"].verdict == "cannot tell yet"
    assert ranked[1].margin > 2, "alone, each mean says little"
    assert not is_clear(rounds, 1)
    assert comparisons["a", "b"].difference == -1.5
    assert compare_all(standings(rounds[:20]))["a", "b"].verdict == "cannot tell yet"


def test_ratings_count_wins_in_the_same_deals_in_any_order():
    """a beats b and c in every deal; b and c each beat the other in half of the deals."""
    rounds = [
        round_of(number, {"a": 1, "b": 2 + 2 * (number % 2), "c": 3, "house": 0})
        for number in range(1, 41)
    ]
    rating = {standing.alias: standing.rating for standing in standings(rounds)}
    assert rating["a"] > 300 > rating["b"]
    assert rating["b"] == pytest.approx(rating["c"], abs=1)
    assert sum(rating.values()) == pytest.approx(0, abs=1e-6)
    backwards = {standing.alias: standing.rating for standing in standings(rounds[::-1])}
    assert backwards == pytest.approx(rating)


def test_a_page_shows_names_as_text_and_counts_faults():
    name = "<script>alert(1)</script>"
    scores = {name: 3, "b": 4, "c": 5, "house": 1}
    rounds = [round_of(1, scores, [[0, 7, "slow"], [3, 1, "slow"]])]
    rounds[0]["again"] = {"b": False, "c": True}
    pages = all_pages(Results.of(rounds, "ESTELL"))
    text = pages["report.html"]
    assert not any("<script>alert" in page for page in pages.values())
    assert "players/001-script-alert-1-script.html" in pages
    assert "2 deals were asked again" in text
    assert text.count("b: other answers in 1 of 1 deals.") == 1
    assert text.count("slow in 1 of 1 deals") == 1
    assert "http" not in text.replace("http-equiv", "")


def test_the_command_says_who_won_and_goes_on_where_it_was_stopped(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    line = "tournament counter cautious random --deals 3 --seed x --jobs 1 --sandbox none --out"
    assert run([*line.split(), "whole"]) == 0
    out = capsys.readouterr().out
    assert "3 players, 3 deals from every seat, in none" in out
    assert out.endswith("report: whole/report.html\n")
    assert run([*line.replace("--deals 3", "--deals 1").split(), "parts"]) == 0
    times = json.loads(Path("parts/times.json").read_text())
    Path("parts/times.json").write_text(json.dumps({**times, "deals": 4, "seconds": 500}))
    capsys.readouterr()
    assert run([*line.split(), "parts"]) == 0
    assert "the rest takes about 17 min, at the speed so far" in capsys.readouterr().out
    assert json.loads(Path("parts/times.json").read_text())["deals"] == 12
    assert files_of(Path("parts")) == files_of(Path("whole"))
    capsys.readouterr()
    assert run(["tournament", "counter", "--sandbox", "none", "--out", "whole"]) == 2
    assert "holds a tournament of other players" in capsys.readouterr().err
    (season,) = json.loads(Path("whole/tournament.json").read_text())
    assert season["seed"] == "x"
    more = "tournament counter sampler --deals 1 --jobs 1 --sandbox none --continue --out whole"
    assert run(more.split()) == 0
    assert sorted(path.name for path in Path("whole/rounds").iterdir())[-1] == "000004.json"
    *_, season = json.loads(Path("whole/tournament.json").read_text())
    assert season["seed"] == "x", "the later season has the seed of the one before"
    Path("whole/rounds/000004.json").unlink()
    capsys.readouterr()
    assert run([*more.split(), "--book", "HEART"]) == 2
    assert "rounds of the tournament before are missing" in capsys.readouterr().err
    assert run(["tournament", "counter", "--book", "NO", "--sandbox", "none", "--out", "x"]) == 2
    assert "no rule book NO; choose one of: ESTELL, " in capsys.readouterr().err
    right = "tournament counter --deals 1 --jobs 1 --sandbox none --out x"
    assert run(right.split()) == 0, "nothing was played by the wrong book"
