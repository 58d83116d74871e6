"""Measure how strong players are, for the tables of `design.md` in stages 08 and 09.

    python autograder/tests/bench/bench_players.py [--deals 2000] [--jobs 2] [--rows TEXT]
        [--progress FILE] [--minutes M]

Each row compares two players on the same shuffled deals, by the rules of ESTELL_BOOK, with passes
as in a match. The deals and the bootstrap have fixed seeds. A player that uses chance starts from
its own seed in each deal. So the result of a deal is always the same, and deals can be measured in
any order and at different times. Only results of OpenSpiel's search vary.
With a progress file, each result is written at once, and no deal in the file is played again. After
M minutes no new deal starts. A row then covers the deals before the first missing one.
"""

import argparse
import importlib
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from hearts_course.course import find_course
from hearts_course.play.worst import CoursePlayer
from hearts_course.view.players import Opponent
from hearts_course.view.rules_of_thumb import RANKS, SUITS

STAGE = "09"
DEALS_SEED = 8
CHANCE_SEED = 9
BOOTSTRAP_SEED = 1
SAMPLER_SEED = 10
SAMPLER_BUDGET = 60  # playouts that the sampler makes for each card
SIMULATIONS = 1000  # simulations that OpenSpiel's search makes for each card
# The constant that says how much OpenSpiel's search explores. It fits the results of a deal: 0 to
# 26 points, or more points after a moon.
EXPLORATION = 40.0
AHEAD = 4  # for each process, at most this many deals run or wait at the same time
# Each row: the first player, the second player, and the rival that both play against.
ROWS = [
    ("Cautious", "RandomPlayer", "RandomPlayer"),
    ("Dumper", "Cautious", "Cautious"),
    ("CardCounter", "Cautious", "Cautious"),
    ("CardCounter", "Dumper", "Cautious"),
    ("Passer(CardCounter)", "CardCounter", "Cautious"),
    ("MoonWatcher(CardCounter)", "CardCounter", "CardCounter"),
    ("Sampler", "CardCounter", "CardCounter"),
    # The course's own players.
    ("cautious", "random", "random"),
    ("counter", "cautious", "cautious"),
    ("sampler", "counter", "counter"),
    # The course's strongest player and OpenSpiel's search; this row needs OpenSpiel.
    ("sampler", "ISMCTS", "counter"),
]

Row: TypeAlias = tuple[str, str, str]
Results: TypeAlias = dict[Row, dict[int, float]]  # differences by row and by number of the deal


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the rows of the table."""
    parser = argparse.ArgumentParser(description="Compare the players of stages 08 and 09.")
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--rows", default="", help="only those whose first player has this text")
    parser.add_argument("--progress", type=Path, help="a file that keeps the results of deals")
    parser.add_argument("--minutes", type=float, help="begin no deal after this time")
    options = parser.parse_args(arguments)
    rows = [row for row in ROWS if options.rows in row[0]]
    results = read_progress(options.progress)
    for row, deal, difference in measure(rows, results, options):
        results.setdefault(row, {})[deal] = difference
        if options.progress:
            with options.progress.open("a", encoding="utf-8") as lines:
                print(json.dumps([row, deal, difference]), file=lines)
    print("Fewer points are better.")
    print("| first | second | rivals | deals | difference in points a deal | verdict |")
    print("|---|---|---|--:|---|---|")
    for row in rows:
        print(table_row(row, results.get(row, {}), options.deals))


def read_progress(path: Path | None) -> Results:
    """Return the results in a progress file, if it exists."""
    results: Results = {}
    if path and path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            row, deal, difference = json.loads(line)
            results.setdefault(tuple(row), {})[deal] = difference
    return results


def measure(
    rows: list[Row], results: Results, options: argparse.Namespace
) -> Iterator[tuple[Row, int, float]]:
    """Play each deal without a result; yield the row, the deal's number and the difference."""
    end = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    missing = [
        (row, deal)
        for row in rows
        for deal in range(options.deals)
        if deal not in results.get(row, {})
    ]
    missing.reverse()
    running: dict[Future[float], tuple[Row, int]] = {}
    with ProcessPoolExecutor(options.jobs) as workers:
        while running or missing:
            if time.monotonic() > end:
                missing.clear()
            while missing and len(running) < AHEAD * options.jobs:
                row, deal = missing.pop()
                running[workers.submit(compare, row, deal, options.deals)] = row, deal
            done, _ = wait(running, return_when=FIRST_COMPLETED) if running else (set(), set())
            for future in done:
                yield *running.pop(future), future.result()


def table_row(row: Row, differences: dict[int, float], number: int) -> str:
    """Return the row's line of the table; only the deals before the first missing one count."""
    deals = next((deal for deal in range(number) if deal not in differences), number)
    cells = [*(f"`{name}`" for name in row), str(deals)]
    if deals:
        players = reference("players")
        measured = [differences[deal] for deal in range(deals)]
        low, high = players.interval(measured, Random(BOOTSTRAP_SEED))
        mean = sum(measured) / deals
        cells += [f"{mean:.2f} ({low:.2f}, {high:.2f})", players.verdict((low, high))]
    return f"| {' | '.join(cells)} |"


def compare(row: Row, deal: int, number: int) -> float:
    """Return the mean points of the first player in this deal, minus those of the second player."""
    book = reference("rulebook").ESTELL_BOOK
    first, second = (mean_points(name, row[2], deal, number, book) for name in row[:2])
    return first - second


def mean_points(name: str, rival: str, deal: int, number: int, book: Any) -> float:
    """Return the mean of the player's points when it plays the deal from each of the four seats."""
    hands = deals(number)[deal]
    direction = book.pass_for(deal)
    scores = reference("players").duplicate(player(name), player(rival), hands, book, direction)
    return sum(scores) / len(scores)


@cache
def deals(number: int) -> Any:
    """Return this many deals; the first deals are the same for every number."""
    return reference("players").shuffled_deals(number, Random(DEALS_SEED))


class SpielPlayer:
    """OpenSpiel's information set Monte-Carlo tree search; it passes like the course's `counter`.

    For each card, the search starts from hands that are drawn at random and fit the view. The
    search then replaces the cards that the seat has not seen. The search does not know which cards
    were passed.
    """

    def __init__(self) -> None:
        """Make OpenSpiel's search, and a counter for the pass."""
        pyspiel = importlib.import_module("pyspiel")
        self._game = pyspiel.load_game("hearts(qs_breaks_hearts=True)")
        self._rng = Random(SAMPLER_SEED)
        self._counter = CoursePlayer(Opponent.COUNTER, CHANCE_SEED)
        self._bot = pyspiel.ISMCTSBot(
            SAMPLER_SEED,
            pyspiel.RandomRolloutEvaluator(1, SAMPLER_SEED),
            EXPLORATION,
            SIMULATIONS,
            -1,  # no limit on the number of worlds
            pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
            False,
            False,
        )

    def pass_cards(self, view: Any) -> Any:
        """Return the cards that the course's `counter` passes."""
        return self._counter.pass_cards(view)

    def play(self, view: Any) -> Any:
        """Return the card that the search has visited most often."""
        if len(view.legal) == 1:
            return view.legal[0]
        sampler = reference("sampler")
        hands = [[*hand] for hand in sampler.Dealer(sampler.Clues(view)).deal(self._rng)]
        leader = (view.seat - len(view.trick)) % len(hands)
        for first, cards in [*((t.leader, t.cards) for t in view.tricks), (leader, view.trick)]:
            for place, card in enumerate(cards):
                hands[(first + place) % len(hands)].append(card)
        state = self._game.new_initial_state()
        state.apply_action(0)  # the pass of this game: no cards are passed
        for round_of_cards in zip(*hands, strict=True):
            for card in round_of_cards:
                state.apply_action(spiel_action(card))
        for card in view.played:
            state.apply_action(spiel_action(card))
        action = self._bot.step(state)
        return next(card for card in view.legal if spiel_action(card) == action)


def spiel_action(card: Any) -> int:
    """Return OpenSpiel's number of a card."""
    rank, suit = str(card)
    return RANKS.index(rank) * len(SUITS) + SUITS.index(suit)


def player(name: str) -> Any:
    """Return a new player of this name; the inner player of every CardCounter is a Dumper."""
    players = reference("players")
    if name == "ISMCTS":
        return SpielPlayer()
    if name in [*Opponent]:
        return CoursePlayer(Opponent(name), CHANCE_SEED)
    if name == "Sampler":
        book = reference("rulebook").ESTELL_BOOK
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
