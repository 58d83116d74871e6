"""The rounds of a tournament: in each, everybody plays the same deal once from every seat.

All tables of a round play the same four hands. So two players can be compared on equal deals, also
if they never meet. What is drawn by lot depends on the tournament's seed and the round alone: the
same players get the same files, in whatever order and by however many processes the rounds are
played.
"""

import importlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from hearts_course.course import Limits
from hearts_course.files import write_whole
from hearts_course.sandbox.worker.script import ProgramFinder

from hearts_grader.grading.pool import end_in_time
from hearts_grader.tournament.entries import HOUSE, SEATS, TABLE, Entry
from hearts_grader.tournament.seats import AnySeat, seat_for

AHEAD = 2  # rounds handed to each process at once
FILLER = "cautious"  # the course's player at a table that is not full


@dataclass(frozen=True)
class Setup:
    """What a process needs to play any round."""

    table: Mapping[str, str]  # the table and the reference that it runs
    entries: tuple[Entry, ...]
    book: str
    seed: str
    limits: Limits
    sandbox: str


def tables_of(entries: Sequence[Entry], seed: str, number: int) -> list[list[Entry]]:
    """Return who sits at which table in the round; the last table is filled with house players."""
    order = list(entries)
    Random(f"{seed} tables {number}").shuffle(order)
    while len(order) % SEATS:
        order.append(Entry(HOUSE, opponent=FILLER))
    return [order[first : first + SEATS] for first in range(0, len(order), SEATS)]


class RoundPlayer:
    """Plays rounds in this process; each program keeps its sandbox from one round to the next."""

    def __init__(self, setup: Setup) -> None:
        """Load the table."""
        self._setup = setup
        self._seats: dict[tuple[str, int], AnySeat] = {}
        self._open = ExitStack()
        finder: Any = ProgramFinder(setup.table)
        sys.meta_path.append(finder)
        self._table = importlib.import_module(TABLE)

    def books(self) -> list[str]:
        """Return the names of the rule books that can be played."""
        names: list[str] = self._table.books()
        return names

    def close(self) -> None:
        """End all sandboxes."""
        self._open.close()

    def play(self, number: int) -> tuple[str, dict[str, float]]:
        """Return the round's record as JSON, and each player's slowest decision in seconds."""
        hands = self._table.hands_of(Random(f"{self._setup.seed} deal {number}"))
        tables: list[dict[str, Any]] = []
        slowest: dict[str, float] = {}
        for players in tables_of(self._setup.entries, self._setup.seed, number):
            seats = [self._seat(entry, place) for place, entry in enumerate(players)]
            deals = [self._play_deal(players, seats, hands, number, turn) for turn in range(SEATS)]
            tables.append({"players": [entry.alias for entry in players], "deals": deals})
            for entry, seat in zip(players, seats, strict=True):
                slowest[entry.alias] = max(seat.slowest, slowest.get(entry.alias, 0.0))
        record = {"round": number, "tables": tables}
        return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n", slowest

    def _play_deal(
        self,
        players: Sequence[Entry],
        seats: Sequence[AnySeat],
        hands: Sequence[Any],
        number: int,
        turn: int,
    ) -> dict[str, Any]:
        """Play the hands with everybody moved on by `turn` seats; scores are in order of seats."""
        order = [(place - turn) % SEATS for place in range(SEATS)]  # who sits where
        for seat, place in enumerate(order):
            chance = f"{self._setup.seed} chance {number} {turn} {seat} {players[place].alias}"
            seats[place].begin(chance)
        try:
            sitting = [seats[place] for place in order]
            deal = self._table.play_deal(sitting, hands, self._setup.book, number - 1)
        finally:
            for player in seats:
                player.end()
        return {"order": order, **deal}

    def _seat(self, entry: Entry, place: int) -> AnySeat:
        """Return the entry's seat; house players at one table need one each."""
        key = entry.alias, place if entry.alias == HOUSE else 0
        if key not in self._seats:
            setup = self._setup
            seat = seat_for(entry, setup.limits, setup.sandbox, self._table.SeatFault)
            self._open.callback(seat.close)
            self._seats[key] = seat
        return self._seats[key]


_player: list[RoundPlayer] = []  # of a worker process


def _start(setup: Setup) -> None:
    end_in_time()
    _player.append(RoundPlayer(setup))


def _play(number: int) -> tuple[str, dict[str, float]]:
    return _player[0].play(number)


def _books() -> list[str]:
    return _player[0].books()


@dataclass
class Rounds:
    """The rounds in a folder, one file each; a file is written whole, or not at all."""

    folder: Path

    def path(self, number: int) -> Path:
        """Return where the round of that number is, from 1."""
        return self.folder / f"{number:06}.json"

    def played(self, last: int) -> list[dict[str, Any]]:
        """Return the rounds that have been played, up to this one."""
        paths = [self.path(number) for number in range(1, last + 1)]
        return [json.loads(path.read_text("utf-8")) for path in paths if path.is_file()]

    def missing(self, first: int, last: int) -> list[int]:
        """Return the numbers of the rounds that have not been played."""
        return [number for number in range(first, last + 1) if not self.path(number).is_file()]

    def write(self, number: int, text: str) -> None:
        """Keep a round."""
        write_whole(self.path(number), text)


class Workers:
    """Processes that play rounds."""

    def __init__(self, setup: Setup, jobs: int) -> None:
        """Start them when they are needed."""
        self._jobs = jobs
        # A process that is copied from this one would begin with its threads and locks.
        self._pool = ProcessPoolExecutor(
            jobs, mp_context=get_context("spawn"), initializer=_start, initargs=(setup,)
        )

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *exc: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def books(self) -> list[str]:
        """Return the names of the rule books that can be played."""
        return self._pool.submit(_books).result()

    def play(self, numbers: Sequence[int]) -> Iterator[tuple[int, str, dict[str, float]]]:
        """Yield each round's number, record and slowest decisions as soon as it has been played."""
        waiting = list(reversed(numbers))
        running: dict[Future[tuple[str, dict[str, float]]], int] = {}
        while waiting or running:
            while waiting and len(running) < AHEAD * self._jobs:
                number = waiting.pop()
                running[self._pool.submit(_play, number)] = number
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), *future.result()
