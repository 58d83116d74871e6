"""One tournament in its folder: which files it keeps, and how a later run continues it.

tournament.json   its seasons: the rounds, players, rule book and seed of each season
rounds/           a file for each round
who.csv           the students behind the aliases
times.json        how long deals and the slowest decisions took
slowest.html      the page that is made from `times.json`
report.html       what everybody may see, with a page for each player in `players`

`tournament.json`, the rounds and `who.csv` are for the instructor alone, because whoever has the
seed knows all cards of later rounds. Times come from the clock, so `times.json` and `slowest.html`
differ from run to run. All other files are the same in each run.
"""

import json
import math
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.files import write_whole
from hearts_course.tournament.pages import DEALS, PLAYERS, Results, all_pages, slowest_page
from hearts_course.tournament.schedule import SEATS
from hearts_course.tournament.standings import is_clear
from hearts_course.tournament.times import Decision, Timed

from hearts_grader.safe_csv import as_csv
from hearts_grader.tournament.entries import Entry
from hearts_grader.tournament.rounds import Played, Rounds, Setup, Workers, play_all

BATCH = 50  # rounds after which --until-clear looks whether it may stop
FIRST_PLACES = 3  # places that must be clear before --until-clear stops
SEED_BYTES = 16  # bytes of a random seed; nobody can try out so many seeds
MAX_SLOWEST = 5  # slowest decisions that are kept for each player


@dataclass(frozen=True)
class Season:
    """Rounds `first` to `last`, which the same players play by one rule book and one seed.

    `programs` has each player's alias, and the key of the player's program.
    """

    first: int
    last: int
    book: str
    seed: str
    programs: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, setup: Setup, deals: int) -> "Season":
        """Return the first season of a tournament: its rounds have the numbers 1 to `deals`."""
        programs = tuple((entry.alias, entry.key) for entry in setup.entries)
        return cls(1, deals, setup.book, setup.seed, programs)


@dataclass
class Times:
    """What the clock showed: how long all deals took, and each player's slowest decisions."""

    deals: int = 0
    seconds: float = 0.0
    slowest: list[Timed] = field(default_factory=list)

    @classmethod
    def read(cls, text: str) -> "Times":
        """Return the times in a file's text."""
        kept = json.loads(text)
        slowest = []
        for timed in kept["slowest"]:
            decision = Decision(**timed.pop("decision"))
            slowest.append(Timed(**timed, decision=decision))
        return cls(kept["deals"], kept["seconds"], slowest)

    def add(self, played: Played) -> None:
        """Add the times of a round; keep only the slowest decisions of each player."""
        self.deals += played.deals
        self.seconds += played.seconds
        self.slowest = slowest_of([*self.slowest, *played.decisions])

    def together(self, other: "Times") -> "Times":
        """Return the times of two runs as if they were one run."""
        slowest = slowest_of([*self.slowest, *other.slowest])
        return Times(self.deals + other.deals, self.seconds + other.seconds, slowest)


def slowest_of(decisions: Iterable[Timed]) -> list[Timed]:
    """Return up to MAX_SLOWEST decisions of each player, the slowest of all players first."""
    numbers: Counter[str] = Counter()
    slowest: list[Timed] = []
    for timed in sorted(decisions, key=lambda timed: -timed.decision.processor_seconds):
        numbers[timed.alias] += 1
        if numbers[timed.alias] <= MAX_SLOWEST:
            slowest.append(timed)
    return slowest


class Event:
    """A tournament in a folder; a later run continues it."""

    def __init__(self, folder: Path) -> None:
        """Write nothing yet; the folder need not exist."""
        self._folder = folder
        self._file = folder / "tournament.json"
        self._times = Times()
        self._times_file = folder / "times.json"
        self.rounds = Rounds(folder / "rounds")
        self.report = folder / "report.html"

    def _seasons(self) -> list[Season]:
        """Return the seasons so far; none before the first round is played."""
        if not self._file.is_file() or not any(self.rounds.folder.glob("*.json")):
            return []
        seasons = []
        for kept in json.loads(self._file.read_text(encoding="utf-8")):
            kept["programs"] = tuple(map(tuple, kept["programs"]))
            seasons.append(Season(**kept))
        return seasons

    def seed(self, chosen: str | None) -> str:
        """Return the seed that was chosen, else the seed in use, else a seed nobody can guess."""
        if chosen is not None:
            return chosen
        seasons = self._seasons()
        return seasons[-1].seed if seasons else secrets.token_hex(SEED_BYTES)

    def season(self, wanted: Season, *, go_on: bool) -> Season:
        """Return the season to play; raise UsageError if `wanted` does not fit the last season.

        With `go_on`, a new season follows the earlier seasons. But if rounds of the latest season
        are missing, its players must play these rounds first. Without `go_on`, the latest season
        gets more deals or fewer, for the same players, rule book and seed.
        """
        seasons = self._seasons()
        if not seasons:
            return self._keep([wanted])
        latest = seasons[-1]
        settings = latest.programs, latest.book, latest.seed
        is_other = settings != (wanted.programs, wanted.book, wanted.seed)
        if go_on:
            if not self.rounds.missing(latest.first, latest.last):
                first = latest.last + 1
                last = latest.last + wanted.last
                seasons.append(replace(wanted, first=first, last=last))
            elif is_other:
                raise UsageError(
                    f"{self._folder}: rounds of the tournament before are missing; play them first"
                )
        else:
            if is_other:
                raise UsageError(
                    f"{self._folder} holds a tournament of other players, another book or seed; "
                    "add --continue, or name another --out"
                )
            seasons[-1] = replace(latest, last=latest.first - 1 + wanted.last)
        return self._keep(seasons)

    def _keep(self, seasons: list[Season]) -> Season:
        """Write the seasons, and return the last of them."""
        self.rounds.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps([asdict(season) for season in seasons], indent=1, ensure_ascii=False)
        write_whole(self._file, text + "\n")
        return seasons[-1]

    def play(
        self, entries: tuple[Entry, ...], season: Season, workers: Workers, until_clear: bool
    ) -> Iterator[tuple[int, int]]:
        """Play the season's missing rounds.

        After each round, yield how many rounds this run has played, and how many the season has.

        With `until_clear`, look at the ranking after each batch of rounds, and end the season once
        the first places are clear.
        """
        self._write_names(entries)
        total = season.last - season.first + 1
        # To look at the ranking, all rounds must be read. So look only after each batch.
        batch = BATCH if until_clear else total
        played = 0
        for first in range(season.first, season.last + 1, batch):
            last = min(first + batch - 1, season.last)
            for number, record in play_all(workers, self.rounds.missing(first, last)):
                self.rounds.write(number, record.text)
                self._times.add(record)
                played += 1
                yield played, total
            if until_clear and is_clear(self.rounds.played(last), FIRST_PLACES):
                self._end_at(last)
                return

    def _end_at(self, last: int) -> None:
        """Record that the latest season ended early, with this round.

        Without this record, a later run would play the rounds that --until-clear left out.
        """
        *earlier, latest = self._seasons()
        self._keep([*earlier, replace(latest, last=last)])

    def _write_names(self, entries: tuple[Entry, ...]) -> None:
        """Write a table of the aliases and the students that they stand for.

        The course's own players are left out, because their alias is their name.
        """
        rows = [("alias", "student", "stage")]
        for entry in entries:
            if not entry.opponent:
                rows.append((entry.alias, entry.student, entry.stage))
        write_whole(self._folder / "who.csv", as_csv(rows))

    def write_report(self, course: Course) -> list[str]:
        """Write the pages of all rounds so far; return the ranking as lines for a terminal.

        Delete the pages of players and deals that the results no longer have.
        """
        seasons = self._seasons()
        if not seasons:
            return []
        rounds = self.rounds.played(seasons[-1].last)
        results = Results.of(rounds, seasons[-1].book)
        pages = all_pages(results)
        for folder in (PLAYERS, DEALS):
            for old in (self._folder / folder).glob("*.html"):
                if f"{folder}/{old.name}" not in pages:
                    old.unlink()
        for name, text in pages.items():
            write_whole(self._folder / name, text)
        ranked = results.ranked
        self._write_times()
        width = max(len(standing.alias) for standing in ranked)
        lines = []
        for place, standing in enumerate(ranked, 1):
            alias = f"{standing.alias:{width}}"
            lines.append(f"{place:3} {alias} {standing.points:6.2f} points a deal")
        return lines

    def _write_times(self) -> None:
        """Write how long the players took, in this run and in earlier runs in this folder."""
        times = self.times()
        write_whole(self._times_file, json.dumps(asdict(times), indent=1) + "\n")
        write_whole(self._folder / "slowest.html", slowest_page(times.slowest))
        self._times = Times()  # this run's times are in the file now

    def times(self) -> Times:
        """Return how long everything took, in this run and in earlier runs."""
        kept = Times()
        if self._times_file.is_file():
            kept = Times.read(self._times_file.read_text(encoding="utf-8"))
        return kept.together(self._times)

    def estimate(self, season: Season, places: int) -> float | None:
        """Return how many seconds the missing rounds may take, or None if nothing was measured.

        `places` is how many rounds are played at a time. A deal is expected to take as long as the
        deals so far.
        """
        times = self.times()
        if not times.deals:
            return None
        tables = math.ceil(len(season.programs) / SEATS)
        missing = len(self.rounds.missing(season.first, season.last))
        return missing * tables * SEATS * times.seconds / times.deals / places
