"""Manual points shared among readers: who reads whom, in a table for each; `--for assistants.toml`.

    readers = ["kim", "lee"]
    second_percent = 10      # of the students are read by a second reader as well

    [section]
    evening = "kim"          # reads this section; all others are shared by lot

What somebody has begun to read stays in their table, also when students are added.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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

ONE_TABLE = "manual"  # the reader's name where nobody shares
SAME = 0.005


@dataclass(frozen=True)
class Readers:
    """Who reads: by section, or else by lot; some percent of the students have two readers."""

    readers: tuple[str, ...]
    section: Mapping[str, str] = field(default_factory=dict)
    second_percent: float = 0.0

    def __post_init__(self) -> None:
        """Raise ValueError for what is impossible."""
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
    """Write each reader's table, with the points that are known; yield a line about each.

    Of a group, one member is read. `sections` has each student's section.
    """
    former = {path.stem: read_table_of(path, course) for path in store.manual.glob("*.csv")}
    if others := sorted({name.removesuffix(SECOND) for name in former} - {*readers.readers}):
        named = f"{others[0]}.csv is there, and {others[0]} is not among the readers"
        raise UsageError(f"{store.manual}: {named}; move it away, or name them")
    holder = {
        row.key: name for name, rows in former.items() if not name.endswith(SECOND) for row in rows
    }
    firsts: dict[str, list[Given]] = {name: [] for name in readers.readers}
    seconds: dict[str, list[Given]] = {name: [] for name in readers.readers}
    rows = list(_to_read(results, adjustments))
    keys = {row.key for row in rows}
    for name in readers.readers:  # other stages, and students who are no longer here
        firsts[name] += [row for row in former.get(name, ()) if row.key not in keys]
        seconds[name] += [row for row in former.get(f"{name}{SECOND}", ()) if row.key not in keys]
    for row in rows:
        keeps = holder.get(row.key, "")
        reader = keeps if keeps in firsts else _reader(row, readers, sections, firsts)
        firsts[reader].append(_as_read(row, former.get(reader, ())))
        if _lot(row, "second") % 10_000 < 100 * readers.second_percent:
            place = readers.readers.index(reader) + 1
            second = readers.readers[place % len(readers.readers)]
            unread = Given(row.student, row.stage, row.what, row.cell, None, "")
            seconds[second].append(_as_read(unread, former.get(f"{second}{SECOND}", ())))
    for name in readers.readers:
        write_whole(store.manual / f"{name}.csv", as_table(name, MANUAL_POINTS, firsts[name]))
        line = f"{store.manual / name}.csv: {_left(firsts[name])}"
        if seconds[name]:
            again = f"{name}{SECOND}"
            text = as_table(again, MANUAL_POINTS, seconds[name])
            write_whole(store.manual / f"{again}.csv", text)
            line += f"; {again}.csv: {_left(seconds[name])}"
        yield line
    first_by_key = {row.key: row for rows in firsts.values() for row in rows}
    yield from _agreement(first_by_key, [row for rows in seconds.values() for row in rows])


def _to_read(results: StageResults, adjustments: Adjustments) -> Iterator[Given]:
    """Yield a row for each manual task of each graded program, with formgrader's points."""
    for name, (stage, scores) in results.stages.items():
        for student, result in sorted(scores.items()):
            adjusted = adjustments.get((student, name), NO_ADJUSTMENT)
            read_for = adjusted.group[:1] or (student,)
            if result.status is not Status.GRADED or student not in read_for:
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
    """Return who reads it: the section's reader, else one with the fewest, by lot."""
    if named := readers.section.get(sections.get(row.student, "")):
        return named
    loads = Counter({name: len(rows) for name, rows in firsts.items()})
    fewest = min(loads.values())
    free = [name for name in readers.readers if loads[name] == fewest]
    return free[_lot(row, "first") % len(free)]


def _as_read(row: Given, table: Iterable[Given]) -> Given:
    """Return the row as it stands in the reader's table; as it is if nothing stands there yet."""
    in_table = next((earlier for earlier in table if earlier.key == row.key), row)
    return row if in_table.points is None and not in_table.words else in_table


def _lot(row: Given, purpose: str) -> int:
    """Return a number that is the same in every run, and that nobody chose."""
    return int(digest(purpose, row.student, row.stage)[:12], 16)


def _left(rows: list[Given]) -> str:
    left = sum(row.points is None for row in rows)
    return f"{len(rows)} to read, {left or 'none'} left"


def _agreement(
    firsts: Mapping[tuple[str, str, str], Given], seconds: Iterable[Given]
) -> Iterator[str]:
    """Yield how far two readers agree, once both have read something."""
    differences = [
        abs(first - row.points)
        for row in seconds
        if row.points is not None and (first := firsts[row.key].points) is not None
    ]
    if differences:
        agreeing = sum(difference < SAME for difference in differences)
        mean = fmean(differences)
        yield (
            f"two readers: {agreeing} of {count_of(len(differences), 'row')} with the same points;"
            f" they differ by {mean:.2g} points on average"
        )
