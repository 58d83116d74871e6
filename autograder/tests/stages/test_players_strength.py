"""The bench that prints how strong the players of stage 08 are prints the same again."""

import bench_players
import pytest


@pytest.mark.proof
@pytest.mark.parametrize("names", bench_players.ROWS)
def test_a_row_of_the_table_can_be_measured_again(names):
    first, second, rival = names
    row = bench_players.compare(names, 3)
    assert bench_players.compare(names, 3) == row
    mean = float(row[0].split()[0])
    mirrored = bench_players.compare((second, first, rival), 3)
    if "RandomPlayer" not in names:  # two orders of drawing lots are two games
        assert float(mirrored[0].split()[0]) == pytest.approx(-mean, abs=0.01)
