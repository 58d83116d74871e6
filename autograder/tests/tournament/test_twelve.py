"""An instructor lets a class of twelve players play; they range from strong to hostile."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from random import Random

import pytest
from hearts_course.cli import run
from hearts_course.tournament.standings import standings
from tiny_class import put
from tournaments import SEED, files_of, write_twelve

pytestmark = [pytest.mark.proof, pytest.mark.needs_sandbox, pytest.mark.timeout(600)]
# The faults of those players that do not finish every deal.
ENDS = {
    "Endless Gus": {"slow"},
    "Off By One": {"raised IndexError"},
    "Rule Bender": {"illegal"},
    "Engine Trouble": {"cannot be imported"},
    "Vandal": {"illegal"},
}
FAIR = {"Ducks Unlimited", "Counting Crow", "Lucky Lou", "High Society", "player 1", "Deep Thought"}
DEALS = 4
HEARTS = """\
import sys
from hearts_course.cli import run
if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    """Return the folder of a tournament that the twelve players have played."""
    folder = tmp_path_factory.mktemp("twelve")
    players = write_twelve(folder / "class")
    line = ["tournament", str(players), "--out", str(folder / "cup")]
    assert run([*line, "--deals", str(DEALS), "--seed", SEED]) == 0
    return folder / "cup"


def rounds_in(cup):
    return [json.loads(path.read_text()) for path in sorted(cup.glob("rounds/*"))]


def test_everybody_is_ranked_and_only_the_guilty_have_faults(cup):
    ranked = standings(rounds_in(cup))
    assert len(ranked) == 12
    faults = {standing.alias: {*standing.faults} for standing in ranked if standing.faults}
    assert faults == ENDS
    assert FAIR | {"<b>Spy</b>"} == {s.alias for s in ranked} - faults.keys()
    order = [standing.alias for standing in ranked]
    assert order.index("Ducks Unlimited") < order.index("High Society")
    assert all(standing.other_answers == 0 for standing in ranked)


def test_what_broken_and_hostile_players_did_is_in_the_report(cup):
    report = (cup / "report.html").read_text(encoding="utf-8")
    assert "<b>Spy</b>" not in report
    for alias, (kind,) in ENDS.items():
        assert re.search(f"<li>{alias}: {kind} in \\d+ of {4 * DEALS} deals", report), alias
    assert len([*cup.glob("players/*.html")]) == 12
    slowest = json.loads((cup / "times.json").read_text())["slowest"]
    by_alias = {timed["alias"]: timed["decision"] for timed in reversed(slowest)}
    assert 0.03 <= by_alias["Deep Thought"]["processor_seconds"] < 1
    assert by_alias["High Society"]["processor_seconds"] < 0.03


def test_the_same_again_by_one_process_gives_the_same_files(cup, tmp_path):
    players = write_twelve(tmp_path / "class")
    line = ["tournament", str(players), "--out", str(tmp_path / "cup"), "--jobs", "1"]
    assert run([*line, "--deals", "2", "--seed", SEED]) == 0
    assert run([*line, "--deals", str(DEALS)]) == 0
    assert files_of(tmp_path / "cup") == files_of(cup)


def test_two_workers_of_a_cluster_give_the_same_files(cup, tmp_path, capsys):
    pytest.importorskip("distributed", reason="`--cluster` is an extra: hearts-course[cluster]")
    from dask_cluster import DaskCluster

    players = write_twelve(tmp_path / "class")
    with DaskCluster(tmp_path / "dask") as cluster:
        cluster.add_worker()
        cluster.add_worker("--nanny")
        cluster.wait()
        line = ["tournament", str(players), "--out", str(tmp_path / "cup")]
        line += ["--deals", str(DEALS), "--seed", SEED, "--cluster", cluster.address]
        assert run([*line, "--jobs", "2"]) == 2
        assert "leave out one" in capsys.readouterr().err
        assert run(line) == 0
    assert files_of(tmp_path / "cup") == files_of(cup)


@pytest.mark.exhaustive
def test_killed_at_ten_moments_it_ends_with_the_same_files(cup, tmp_path):
    put(tmp_path, {"hearts.py": HEARTS})
    line = [sys.executable, "hearts.py", "tournament", str(write_twelve(tmp_path / "class"))]
    line += ["--deals", str(DEALS), "--seed", SEED, "--jobs", "2", "--out"]
    moments = Random(SEED)

    def start(out):
        return subprocess.Popen(
            [*line, out], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    begun = time.monotonic()
    whole = start("whole")
    _, complaint = whole.communicate(timeout=300)
    seconds = time.monotonic() - begun
    assert whole.returncode == 0, complaint
    for number in range(10):
        process = start("killed")
        time.sleep(moments.uniform(0.1, 0.4) * seconds)
        os.kill(process.pid, signal.SIGKILL if number % 2 else signal.SIGINT)
        process.communicate(timeout=60)
    last = start("killed")
    _, complaint = last.communicate(timeout=300)
    assert last.returncode == 0, complaint
    assert files_of(tmp_path / "killed") == files_of(tmp_path / "whole") == files_of(cup)
