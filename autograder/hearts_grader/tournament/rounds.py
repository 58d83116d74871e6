"""Play the rounds of a tournament: in a round, each player plays one deal once from every seat.

All tables of a round play the same four hands. So two players can be compared on equal deals, even
if they never meet. Everything that is drawn by lot depends only on the tournament's seed and the
number of the round. So the same players get the same files, in any order of the rounds and with any
number of processes.

The seed is a secret, because whoever knows the seed knows all cards. A player gets only a digest of
the seed, for its own random numbers.
"""

import importlib
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, Protocol

from hearts_course.course import Limits
from hearts_course.errors import UsageError
from hearts_course.files import write_whole
from hearts_course.sandbox.worker.script import ProgramFinder
from hearts_course.tournament.schedule import FILLER, HOUSE, SEATS, lot, tables_of
from hearts_course.tournament.table import Round, Rules
from hearts_course.tournament.times import Timed

from hearts_grader.grading.pool import end_in_time
from hearts_grader.tournament.entries import Entry
from hearts_grader.tournament.seats import Answer, AnySeat, RemoteSeat, seat_for

POLL_SECONDS = 1.0  # time between two checks whether any worker is still there
AHEAD = 2  # rounds handed to each process at once
AGAIN = 4  # on average, a player is asked one deal again once in this many rounds


@dataclass(frozen=True)
class Setup:
    """Everything that a process needs to play rounds; it is sent to each process once."""

    reference: Mapping[str, str]  # the reference, by module; the last one imports all names in use
    entries: tuple[Entry, ...]
    book: str
    seed: str
    limits: Limits
    sandbox: str


@dataclass(frozen=True)
class Played:
    """A round's record as JSON, and the times, which are not part of the record.

    `deals` counts the deals of all tables, and `seconds` is the time of all these deals together.
    """

    text: str
    deals: int
    seconds: float
    decisions: tuple[Timed, ...]


@dataclass(frozen=True)
class Question:
    """The questions of a deal, to ask them again: the player's seat, seed and first answers."""

    alias: str
    seat: RemoteSeat
    seed: str
    answers: tuple[Answer, ...]


HOUSE_PLAYER = Entry(HOUSE, opponent=FILLER)


class RoundPlayer:
    """Plays rounds in this process; each program keeps its sandbox from one round to the next."""

    def __init__(self, setup: Setup) -> None:
        """Load the reference, and keep modules of the same names that are imported already."""
        self._setup = setup
        self._seats: dict[tuple[str, int], AnySeat] = {}
        self._open = ExitStack()
        self._rules = _import_rules(setup.reference)

    def books(self) -> list[str]:
        """Return the names of the rule books that can be played."""
        return list(self._rules.books)

    def close(self) -> None:
        """End all sandboxes."""
        self._open.close()

    def play(self, number: int) -> Played:
        """Play the round with this number: at each table, each player plays the deal in every seat.

        After all deals of the round, some players get the questions of one deal again.
        """
        begun = time.monotonic()
        this_round = Round(self._rules, self._setup.book, self._setup.seed, number)
        tables: list[dict[str, Any]] = []
        decisions: list[Timed] = []
        questions: list[Question] = []
        everybody = tables_of(self._setup.entries, HOUSE_PLAYER, self._setup.seed, number)
        for table_number, players in enumerate(everybody, 1):
            aliases = [entry.alias for entry in players]
            seats = [self._seat(entry, place) for place, entry in enumerate(players)]
            deals: list[dict[str, Any]] = []
            for turn, deal in enumerate(this_round.deals(aliases, seats)):
                deals.append(deal)
                questions += self._to_ask_again(aliases, seats, this_round, turn)
                for entry, seat in zip(players, seats, strict=True):
                    if seat.decisions:
                        slowest = max(seat.decisions, key=lambda move: move.processor_seconds)
                        place = number, table_number, turn + 1
                        decisions.append(Timed(entry.alias, *place, slowest))
            tables.append({"players": aliases, "deals": deals})
        record = {"round": number, "tables": tables, "again": self._ask_again(number, questions)}
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        seconds = time.monotonic() - begun
        return Played(text, SEATS * len(tables), seconds, tuple(decisions))

    def _to_ask_again(
        self, aliases: Sequence[str], seats: Sequence[AnySeat], this_round: Round, turn: int
    ) -> Iterator[Question]:
        """Yield a `Question` for each player at the table who gets this deal's questions again.

        These players are drawn with the secret seed, so no player can know which deal comes again.
        """
        for place, (alias, seat) in enumerate(zip(aliases, seats, strict=True)):
            rng = Random(lot(this_round.seed, "again", this_round.number, alias))
            chosen = rng.randrange(AGAIN) == 0 and rng.randrange(SEATS) == turn
            if chosen and isinstance(seat, RemoteSeat) and seat.answers:
                seed = this_round.chance(turn, place, alias)
                yield Question(alias, seat, seed, tuple(seat.answers))

    def _ask_again(self, number: int, questions: Sequence[Question]) -> dict[str, bool]:
        """Ask the questions again. Map each player's alias to whether the answers are the same.

        Each player is asked alone, later than in the deal. The players take their turns in random
        order. A player that uses the clock, or anything but its view, may answer differently. A
        player whose time ran out is left out.
        """
        order = sorted(questions, key=lambda question: question.alias)
        Random(lot(self._setup.seed, "order", number)).shuffle(order)
        verdicts = {}
        for question in order:
            repeats = question.seat.repeats(question.seed, question.answers)
            if repeats is not None:
                verdicts[question.alias] = repeats
        return dict(sorted(verdicts.items()))

    def _seat(self, entry: Entry, place: int) -> AnySeat:
        """Return the entry's seat, which is made on first use.

        House players fill the empty places of a table. All of them have the alias HOUSE, and
        several may be at one table, so each gets the seat of its place.
        """
        key = entry.alias, 0
        if entry.alias == HOUSE:
            key = entry.alias, place
        if key not in self._seats:
            setup = self._setup
            seat = seat_for(entry, setup.limits, setup.sandbox)
            self._open.callback(seat.close)
            self._seats[key] = seat
        return self._seats[key]


def _import_rules(sources: Mapping[str, str]) -> Rules:
    """Import the reference, return its rules, and remove its modules from `sys.modules` again.

    The process may have imported a student's modules with the same names. They are set aside during
    the import, and put back after it.
    """
    finder: Any = ProgramFinder(sources)
    set_aside = {name: sys.modules.pop(name) for name in sources if name in sys.modules}
    sys.meta_path.insert(0, finder)
    try:
        for name in sources:
            module = importlib.import_module(name)
        return Rules.of(vars(module))  # the last module imports all names that the rules need
    finally:
        sys.meta_path.remove(finder)
        for name in sources:
            sys.modules.pop(name, None)
        sys.modules.update(set_aside)


def check_book(setup: Setup) -> None:
    """Raise UsageError for a rule book that does not exist."""
    books = RoundPlayer(setup).books()
    if setup.book not in books:
        raise UsageError(f"no rule book {setup.book}; choose one of: {', '.join(books)}")


_player: list[RoundPlayer] = []  # in a worker process: its one RoundPlayer


def _start(setup: Setup) -> None:
    """Make the RoundPlayer of a worker process; the setup is sent to each process only once."""
    end_in_time()
    _player.append(RoundPlayer(setup))


def _play(number: int) -> Played:
    """Play a round in a worker process."""
    return _player[0].play(number)


@dataclass
class Rounds:
    """The rounds in a folder, one file each; a file is written whole, or not at all."""

    folder: Path

    def path(self, number: int) -> Path:
        """Return the path of the round's file; rounds are counted from 1."""
        return self.folder / f"{number:06}.json"

    def played(self, last: int) -> list[dict[str, Any]]:
        """Return the records of the rounds up to `last` that have been played."""
        paths = [self.path(number) for number in range(1, last + 1)]
        return [json.loads(path.read_text("utf-8")) for path in paths if path.is_file()]

    def missing(self, first: int, last: int) -> list[int]:
        """Return the numbers from `first` to `last` whose rounds have not been played."""
        return [number for number in range(first, last + 1) if not self.path(number).is_file()]

    def write(self, number: int, text: str) -> None:
        """Write the round's file."""
        write_whole(self.path(number), text)


class Workers(Protocol):
    """Workers that play rounds, here or on a cluster."""

    @property
    def places(self) -> int:
        """How many rounds are played at a time; at least one."""

    def submit(self, number: int) -> Future[Played]:
        """Let a worker play the round with this number."""

    def result(self, future: Future[Played]) -> Played:
        """Return the round of a finished future."""

    def check_workers(self) -> None:
        """Raise CourseError if no more rounds can come. This method is called often."""


class LocalWorkers:
    """Processes of this machine that play rounds."""

    def __init__(self, setup: Setup, jobs: int) -> None:
        """Prepare the processes; each is started when it is needed."""
        self.places = jobs
        # Spawn, because a forked copy would begin with the locks that this process's threads hold.
        self._pool = ProcessPoolExecutor(
            jobs, mp_context=get_context("spawn"), initializer=_start, initargs=(setup,)
        )

    def __enter__(self) -> "LocalWorkers":
        return self

    def __exit__(self, *exc: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def submit(self, number: int) -> Future[Played]:
        """Let a process play the round with this number."""
        return self._pool.submit(_play, number)

    def result(self, future: Future[Played]) -> Played:
        """Return the round of a finished future."""
        return future.result()

    def check_workers(self) -> None:
        """Do nothing: if a process dies, `result` raises an error."""


def play_all(workers: Workers, numbers: Sequence[int]) -> Iterator[tuple[int, Played]]:
    """Yield each round's number and the round as soon as it has been played.

    Each worker gets its next round in advance, so that it does not wait for this process.
    """
    waiting = list(reversed(numbers))
    running: dict[Future[Played], int] = {}
    while waiting or running:
        workers.check_workers()
        while waiting and len(running) < AHEAD * workers.places:
            number = waiting.pop()
            running[workers.submit(number)] = number
        done, _ = wait(running, POLL_SECONDS, FIRST_COMPLETED)
        for future in done:
            yield running.pop(future), workers.result(future)
