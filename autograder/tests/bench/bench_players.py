"""How strong the players of stages 08 and 09 are: the tables of their `design.md`.

    python autograder/tests/bench/bench_players.py [--deals 2000] [--jobs 2] [--rows TEXT]

Each row compares two players on the same shuffled deals, by ESTELL_BOOK, passing as in a match. The
deals, the players that draw lots and the bootstrap have fixed seeds, so every run prints the same.
A sampler is slow, so its rows have a fifth of the deals. `--rows Sampler` measures only those rows.
"""

import argparse
import importlib
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from random import Random
from typing import Any

from hearts_course.course import find_course

STAGE = "09"
DEALS_SEED = 8
CHANCE_SEED = 9
BOOTSTRAP_SEED = 1
SAMPLER_SEED = 10
SAMPLER_BUDGET = 60  # playouts for a card
SLOWER = 5  # a row with a sampler has so many times fewer deals
# First player, second player, and the rival of both.
ROWS = [
    ("Cautious", "RandomPlayer", "RandomPlayer"),
    ("Dumper", "Cautious", "Cautious"),
    ("CardCounter", "Cautious", "Cautious"),
    ("CardCounter", "Dumper", "Cautious"),
    ("Passer(CardCounter)", "CardCounter", "Cautious"),
    ("MoonWatcher(CardCounter)", "CardCounter", "CardCounter"),
    ("Sampler", "CardCounter", "CardCounter"),
]


def main() -> None:
    """Measure, and print the rows of the table."""
    parser = argparse.ArgumentParser(description="Compare the players of stages 08 and 09.")
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--rows", default="", help="only those whose first player has this text")
    options = parser.parse_args()
    print(f"{options.deals} deals; fewer points are better")
    print("| first | second | rivals | difference in points a deal | verdict |")
    print("|---|---|---|---|---|")
    rows = [names for names in ROWS if options.rows in names[0]]
    numbers = [options.deals // SLOWER if "Sampler" in names else options.deals for names in rows]
    with ProcessPoolExecutor(options.jobs) as workers:
        for names, result in zip(rows, workers.map(compare, rows, numbers), strict=True):
            cells = [*(f"`{name}`" for name in names), *result]
            print(f"| {' | '.join(cells)} |", flush=True)


def compare(names: tuple[str, str, str], number: int) -> tuple[str, str]:
    """Return the mean difference of two players with its interval, and the verdict."""
    players = reference("players")
    first, second, rival = (player(name) for name in names)
    deals = players.shuffled_deals(number, Random(DEALS_SEED))
    book = importlib.import_module("rulebook").ESTELL_BOOK
    differences = players.differences(first, second, rival, deals, book)
    low, high = players.interval(differences, Random(BOOTSTRAP_SEED))
    mean = sum(differences) / number
    return f"{mean:.2f} ({low:.2f}, {high:.2f})", players.verdict((low, high))


def player(name: str) -> Any:
    """Return the player of this name; the inner player of every counter is a Dumper."""
    players = reference("players")
    if name == "Sampler":
        book = importlib.import_module("rulebook").ESTELL_BOOK
        playout = reference("sampler").Playout(players.Dumper(), book)
        counter = player("CardCounter")
        return reference("sampler").Sampler(counter, playout, SAMPLER_BUDGET, Random(SAMPLER_SEED))
    if name == "RandomPlayer":
        return players.RandomPlayer(Random(CHANCE_SEED))
    if name == "CardCounter":
        return players.CardCounter(players.Dumper())
    kind, _, inner = name.removesuffix(")").partition("(")
    return getattr(players, kind)(player(inner)) if inner else getattr(players, kind)()


@cache
def reference(module: str) -> Any:
    """Import a module of the references, once in each process."""
    course = find_course()
    stage = course.stage(STAGE)
    for each in (*course.prerequisites(stage), stage):
        sys.path.insert(0, str(each.solution))
    return importlib.import_module(module)


if __name__ == "__main__":
    main()
