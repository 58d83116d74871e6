"""What rows of symbols share, but for what is explained: runs of RUN symbols and longer.

Shared       passages that two rows have in common
Tile         one of them: where it begins in either, and how long it is
runs         all runs of a row
common       the runs that so many rows have that they say nothing about two of them
candidates   the pairs that share most runs
shared       what two rows share
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

RUN = 20  # symbols: two or three lines
MANY = 5  # of the rows: what every fifth one has is nobody's own
LEAST_MANY = 6
MOST_REPEATS = 10  # of one run in a row; what is still more frequent is a table of some kind


@dataclass(frozen=True)
class Tile:
    """A passage that two rows share."""

    first: int
    second: int
    length: int


@dataclass(frozen=True)
class Shared:
    """What two rows share.

    `symbols` are those of the passages that nothing explains, `own` all such of either row.
    """

    tiles: tuple[Tile, ...]
    symbols: int
    own: tuple[int, int]


def runs(symbols: str) -> Iterator[str]:
    """Every run of RUN symbols."""
    return (symbols[at : at + RUN] for at in range(len(symbols) - RUN + 1))


def common(rows: Sequence[set[str]]) -> set[str]:
    """The runs that more than every fifth row has, and more than six."""
    counted = Counter(run for row in rows for run in row)
    most = max(LEAST_MANY, len(rows) // MANY)
    return {run for run, count in counted.items() if count > most}


def candidates(rows: Sequence[set[str]], most: int) -> list[tuple[int, int]]:
    """The pairs of rows that share most runs, so many of them, by their numbers."""
    holders: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        for run in row:
            holders[run].append(number)
    counted: Counter[tuple[int, int]] = Counter()
    for numbers in holders.values():
        counted.update(combinations(numbers, 2))
    return [
        pair for pair, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:most]
    ]


def shared(one: str, other: str, explained: set[str]) -> Shared:
    """The longest passages that the two have in common, each symbol of either in one at most.

    A passage may begin or end with what is explained, but no run of it is. A symbol is explained if
    it is in a run that is.
    """
    places = _places(other, explained)
    taken_one, taken_other = bytearray(len(one)), bytearray(len(other))
    found = []
    for tile in sorted(_diagonals(one, places), key=lambda tile: (-tile.length, tile.first)):
        here = slice(tile.first, tile.first + tile.length)
        there = slice(tile.second, tile.second + tile.length)
        if not any(taken_one[here]) and not any(taken_other[there]):
            taken_one[here] = taken_other[there] = b"\x01" * tile.length
            found.append(tile)
    own_one, own_other = _own(one, explained), _own(other, explained)
    symbols = min(
        sum(sum(own_one[tile.first : tile.first + tile.length]) for tile in found),
        sum(sum(own_other[tile.second : tile.second + tile.length]) for tile in found),
    )
    tiles = tuple(sorted(found, key=lambda tile: tile.first))
    return Shared(tiles, symbols, (sum(own_one), sum(own_other)))


def _places(symbols: str, explained: set[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for at, run in enumerate(runs(symbols)):
        if run not in explained and len(places[run]) < MOST_REPEATS:
            places[run].append(at)
    return places


def _diagonals(one: str, places: Mapping[str, Iterable[int]]) -> Iterator[Tile]:
    """Where runs follow each other in both rows they are one passage."""
    shifts: dict[int, list[int]] = defaultdict(list)
    for at, run in enumerate(runs(one)):
        for there in places.get(run, ()):
            shifts[there - at].append(at)
    for shift, starts in shifts.items():
        for _, row in groupby(enumerate(starts), key=lambda pair: pair[1] - pair[0]):
            here = [start for _, start in row]
            yield Tile(here[0], here[0] + shift, here[-1] - here[0] + RUN)


def _own(symbols: str, explained: set[str]) -> bytearray:
    """For each symbol 1 if nothing explains it, else 0."""
    own = bytearray(b"\x01" * len(symbols))
    for at, run in enumerate(runs(symbols)):
        if run in explained:
            own[at : at + RUN] = bytes(RUN)
    return own
