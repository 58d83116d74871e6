"""Measure a tournament of four card counters: in sandboxes, and in one plain process.

    python autograder/tests/bench/bench_tournament.py [--rounds 25] [--sandbox auto]

In a round, every player plays the same hands from every seat. So a round has four deals, each with
52 cards and four passes. The output is deals a minute on one processor, and the ratio of the two
times. If OpenSpiel is installed (`pip install open_spiel`), a third measurement plays random cards
in OpenSpiel's game of Hearts.
"""

import argparse
import importlib
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

from hearts_course.course import find_course
from hearts_course.sandbox.worker.script import ProgramFinder
from hearts_grader.sandbox.backends import choose_sandbox
from hearts_grader.tournament.entries import find_entries, table_reference, tournament_stage
from hearts_grader.tournament.rounds import RoundPlayer, Setup

ENTER = "\n\ndef enter():\n    return CardCounter(Dumper())\n"
SEATS = 4


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description="Measure a tournament of four counters.")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--sandbox", default="auto")
    options = parser.parse_args()
    sandbox = choose_sandbox(options.sandbox)
    apart = seconds_apart(options.rounds, sandbox)
    together = seconds_together(options.rounds)
    deals = options.rounds * SEATS
    print(f"in {sandbox}, one processor: {60 * deals / apart:.0f} deals a minute")
    print(f"in one plain process: {60 * deals / together:.0f} deals a minute")
    print(f"ratio: {apart / together:.2f}")
    if find_spec("pyspiel"):
        drawn = seconds_of_openspiel(options.rounds)
        print(f"OpenSpiel, random plays: {60 * deals / drawn:.0f} deals a minute")
        print(f"ratio: {apart / drawn:.2f}")


def seconds_apart(rounds: int, sandbox: str) -> float:
    """Return the seconds that the rounds take with each player in a sandbox, after a warm-up."""
    course = find_course()
    stage = tournament_stage(course)
    [module] = stage.modules
    with tempfile.TemporaryDirectory() as folder:
        for number in range(SEATS):
            place = Path(folder, f"s{number}", stage.name)
            place.mkdir(parents=True)
            text = stage.reference()[module] + ENTER
            (place / stage.files[0]).write_text(text, encoding="utf-8")
        entries, _ = find_entries([folder], course)
    setup = Setup(table_reference(course), tuple(entries), "ESTELL", "1", stage.limits, sandbox)
    player = RoundPlayer(setup)
    player.play(1)
    begun = time.perf_counter()
    for number in range(2, rounds + 2):
        player.play(number)
    taken = time.perf_counter() - begun
    player.close()
    return taken


def seconds_together(rounds: int) -> float:
    """Return the seconds that the same rounds take in this process, without a sandbox."""
    course = find_course()
    finder: Any = ProgramFinder(table_reference(course))
    sys.meta_path.append(finder)
    players = importlib.import_module("players")
    book = importlib.import_module("rulebook").ESTELL_BOOK
    counters = [players.CardCounter(players.Dumper()) for _ in range(SEATS)]
    begun = time.perf_counter()
    for number in range(2, rounds + 2):
        (hands,) = players.shuffled_deals(1, Random(f"1 deal {number}"))
        for _ in range(SEATS):
            players.play_deal(counters, hands, book, book.pass_for(number - 1))
    return time.perf_counter() - begun


def seconds_of_openspiel(rounds: int) -> float:
    """Return the seconds that OpenSpiel takes for the same number of deals with random cards."""
    pyspiel: Any = importlib.import_module("pyspiel")
    game = pyspiel.load_game("hearts")
    lots = Random("1")
    begun = time.perf_counter()
    for _ in range(rounds * SEATS):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(lots.choice(state.legal_actions()))
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
