"""The bench that prints how strong the players of stages 08 and 09 are prints the same again."""

import bench_players
import pytest


@pytest.mark.proof
@pytest.mark.parametrize("names", bench_players.ROWS)
def test_a_row_of_the_table_can_be_measured_again(names):
    first, second, rival = names
    number = 1 if "Sampler" in names else 3
    row = bench_players.compare(names, number)
    assert bench_players.compare(names, number) == row
    mean = float(row[0].split()[0])
    mirrored = bench_players.compare((second, first, rival), number)
    if not {"RandomPlayer", "Sampler"} & {*names}:  # two orders of drawing lots are two games
        assert float(mirrored[0].split()[0]) == pytest.approx(-mean, abs=0.01)
