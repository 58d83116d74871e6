"""`bench_players.py` gives the same figures in each run, and continues where it was stopped."""

import bench_players
import pytest


@pytest.mark.proof
@pytest.mark.parametrize("row", bench_players.ROWS)
def test_a_deal_can_be_measured_again_and_the_mirrored_row_is_its_opposite(row):
    first, second, rival = row
    if "ISMCTS" in row:
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (pip install open_spiel)")
    difference = bench_players.compare(row, 1, 3)
    if "ISMCTS" in row:  # OpenSpiel's search gives another result each time
        assert -26 <= difference <= 26
        return
    assert bench_players.compare(row, 1, 5) == difference  # also if there are five deals
    assert bench_players.compare((second, first, rival), 1, 3) == -difference


def test_a_bench_that_was_stopped_plays_only_the_deals_that_are_missing(tmp_path, capsys):
    progress = tmp_path / "progress.jsonl"
    done = '[["cautious", "random", "random"], {}, {}]\n'
    progress.write_text(done.format(0, -3.0) + done.format(2, -9.0))
    options = ["--rows", "cautious", "--deals", "3", "--progress", str(progress)]
    bench_players.main([*options, "--minutes", "-1"])
    assert "| `random` | 1 | -3.00 (-3.00, -3.00) | better |" in capsys.readouterr().out
    bench_players.main([*options, "--jobs", "1"])
    assert "| `random` | 3 | " in capsys.readouterr().out
    assert [line.split("], ")[1][0] for line in progress.read_text().splitlines()] == list("021")
