"""Share programs among readers: people who give manual points, each in a table of their own.

The readers are in the file of `--for assistants.toml`:

    readers = ["kim", "lee"]
    second_percent = 10      # percent of the programs that a second reader reads as well

    [section]
    evening = "kim"          # kim reads this section; all other students are shared out evenly

A row stays in the table of the reader who got it first, also when students are added.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from statistics import fmean

from hearts_course.course import Course
from hearts_course.errors import StageError, UsageError
from hearts_course.files import digest, read_toml, to_dataclass, write_whole
from hearts_course.results import Status
from hearts_course.text import count_of

from hearts_grader.grading.final_scores import MANUAL, NO_ADJUSTMENT, Adjustments
from hearts_grader.grading.store import Store
from hearts_grader.lms.manual import MANUAL_POINTS, SECOND, Given, as_table, read_table_of
from hearts_grader.lms.stage_results import StageResults

ONE_TABLE = "manual"  # the name of a reader who reads everything alone
SAME = 0.005  # points that differ by less are equal, because scores have two decimals

Tables = dict[str, list[Given]]  # maps a reader to the rows of the reader's table


@dataclass(frozen=True)
class Readers:
    """The readers, the reader of each section, and the percentage of programs with two readers."""

    readers: tuple[str, ...]
    section: Mapping[str, str] = field(default_factory=dict)
    second_percent: float = 0.0

    def __post_init__(self) -> None:
        """Raise ValueError if readers are missing or unknown."""
        if not self.readers:
            raise ValueError("readers: name at least one")
        if unknown := sorted({*self.section.values()} - {*self.readers}):
            raise ValueError(f"section: {unknown[0]!r} is not among `readers`")
        if self.second_percent and len(self.readers) < 2:
            raise ValueError("second_percent needs two readers")


ALONE = Readers((ONE_TABLE,))


def read_readers(path: Path) -> Readers:
    """Return the readers in the file; raise UsageError if it is invalid."""
    try:
        return to_dataclass(Readers, read_toml(path), path)
    except StageError as error:
        raise UsageError(str(error)) from None


def share(
    store: Store,
    course: Course,
    results: StageResults,
    adjustments: Adjustments,
    readers: Readers,
    sections: Mapping[str, str],
) -> Iterator[str]:
    """Write each reader's table, with the points given so far, and yield a line about it.

    The last line says how far two readers agree. A group's program is read once. `sections` has
    each student's section. Raise UsageError if a table belongs to somebody who is not a reader.
    """
    former = {path.stem: read_table_of(path, course) for path in store.manual.glob("*.csv")}
    if others := sorted({name.removesuffix(SECOND) for name in former} - {*readers.readers}):
        named = f"{others[0]}.csv is there, and {others[0]} is not among the readers"
        raise UsageError(f"{store.manual}: {named}; move it away, or name them")
    rows = list(_to_read(results, adjustments))
    firsts, seconds = _shared(rows, former, readers, sections)
    for name in readers.readers:
        write_whole(store.manual / f"{name}.csv", as_table(name, MANUAL_POINTS, firsts[name]))
        line = f"{store.manual / name}.csv: {_left(firsts[name])}"
        if seconds[name]:
            again = f"{name}{SECOND}"
            text = as_table(again, MANUAL_POINTS, seconds[name])
            write_whole(store.manual / f"{again}.csv", text)
            line += f"; {again}.csv: {_left(seconds[name])}"
        yield line
    first_by_key = {row.key: row for row in chain.from_iterable(firsts.values())}
    yield from _agreement(first_by_key, chain.from_iterable(seconds.values()))


def _shared(
    rows: Iterable[Given],
    former: Mapping[str, Sequence[Given]],
    readers: Readers,
    sections: Mapping[str, str],
) -> tuple[Tables, Tables]:
    """Return the tables of first readings and of second readings; each maps readers to rows.

    `former` has the tables so far. A table never loses points: rows on other stages stay, and so do
    rows on students who have left the course.
    """
    first_reader: dict[tuple[str, str, str], str] = {}
    for name, table in former.items():
        if not name.endswith(SECOND):
            first_reader |= {row.key: name for row in table}
    keys = {row.key for row in rows}
    firsts: Tables = {}
    seconds: Tables = {}
    for name in readers.readers:
        firsts[name] = _other_rows(former.get(name, ()), keys)
        seconds[name] = _other_rows(former.get(f"{name}{SECOND}", ()), keys)
    for row in rows:
        reader = first_reader.get(row.key, "")
        if reader not in firsts:
            reader = _reader(row, readers, sections, firsts)
        firsts[reader].append(_as_read(row, former.get(reader, ())))
        if _lot(row, "second") % 10_000 < 100 * readers.second_percent:
            # A reader's rows are read again by the next reader in the list.
            place = readers.readers.index(reader) + 1
            second = readers.readers[place % len(readers.readers)]
            # The second reader must not see the points of the first.
            unread = Given(row.student, row.stage, row.what, row.cell, None, "")
            seconds[second].append(_as_read(unread, former.get(f"{second}{SECOND}", ())))
    return firsts, seconds


def _other_rows(table: Iterable[Given], keys: Collection[tuple[str, str, str]]) -> list[Given]:
    """Return the rows whose key is not among `keys`; rows with these keys are shared out again."""
    return [row for row in table if row.key not in keys]


def _to_read(results: StageResults, adjustments: Adjustments) -> Iterator[Given]:
    """Yield a row for each manual task of each graded program, with the points so far."""
    for name, (stage, scores) in results.stages.items():
        for student, result in sorted(scores.items()):
            adjusted = adjustments.get((student, name), NO_ADJUSTMENT)
            # A group's program is listed once, under the group's first member.
            is_read = not adjusted.group or student == adjusted.group[0]
            if result.status is not Status.GRADED or not is_read:
                continue
            points_by_task = {manual.id: manual.score for manual in adjusted.manual}
            for manual in stage.manual:
                cell = f"{MANUAL}{manual.id}"
                points = points_by_task.get(manual.id)
                words = adjusted.reasons.get(cell, "")
                yield Given(student, name, manual.title, cell, points, words)


def _reader(
    row: Given,
    readers: Readers,
    sections: Mapping[str, str],
    firsts: Mapping[str, list[Given]],
) -> str:
    """Return who reads the row: the section's reader, else a reader with the fewest rows.

    If several have equally few rows, the choice looks random and is the same in every run.
    """
    if named := readers.section.get(sections.get(row.student, "")):
        return named
    fewest = min(map(len, firsts.values()))
    free = [name for name in readers.readers if len(firsts[name]) == fewest]
    return free[_lot(row, "first") % len(free)]


def _as_read(row: Given, table: Iterable[Given]) -> Given:
    """If `table` has the row with points or words, return the table's row, otherwise `row`."""
    for earlier in table:
        if earlier.key == row.key:
            is_empty = earlier.points is None and not earlier.words
            return row if is_empty else earlier
    return row


def _lot(row: Given, purpose: str) -> int:
    """Return a random-looking number that is the same for this row and purpose in every run."""
    return int(digest(purpose, row.student, row.stage)[:12], 16)


def _left(rows: Sequence[Given]) -> str:
    """Return how many rows a table has, and how many of them still have no points."""
    left = sum(row.points is None for row in rows)
    return f"{len(rows)} to read, {left or 'none'} left"


def _agreement(
    firsts: Mapping[tuple[str, str, str], Given], seconds: Iterable[Given]
) -> Iterator[str]:
    """Yield a line that says how far two readers agree.

    Yield nothing until two readers have given points for the same row.
    """
    differences = []
    for row in seconds:
        if row.points is None:
            continue
        first = firsts.get(row.key)  # None once the first reader has deleted the row
        if first is not None and first.points is not None:
            differences.append(abs(first.points - row.points))
    if differences:
        agreeing = sum(difference < SAME for difference in differences)
        mean = fmean(differences)
        yield (
            f"two readers: {agreeing} of {count_of(len(differences), 'row')} with the same points;"
            f" they differ by {mean:.2g} points on average"
        )
