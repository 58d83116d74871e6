"""Programs as strings of symbols, and the passages that two of them share.

symbol    a word or sign of a program, as one character; all names are one symbol, and so are all
          numbers and all texts, while comments have none
run       RUN symbols in a row, the shortest passage that counts
explained a run that a pair may share for other reasons, such as the starter's
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, groupby
from typing import Any

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Name, Number, String, Text

RUN = 20  # two or three lines
COMMON_SHARE = 5  # a run that more than every fifth program has is common
MIN_COMMON = 6  # programs that must have it, in a small class
MAX_REPEATS = 10  # of one run in a program; a more frequent one is part of a table
MAX_READ = 100_000  # characters of a module
FIRST_SYMBOL, LAST_SYMBOL = 0x20000, 0x107FFF  # characters without a meaning to Python's `str`
FIRST_BORDER, BORDERS = 0x108000, 0x8000
IGNORED = (Text, Comment, String.Doc)


@dataclass(frozen=True)
class SymbolRow:
    """A program's symbols, and the module and line of each."""

    symbols: str
    places: tuple[tuple[str, int], ...]


class Alphabet:
    """Gives each symbol a character, the same in all programs."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._borders = 0

    def row(self, modules: Mapping[str, str]) -> SymbolRow:
        """Return the program's symbols, with a character that nothing else has after each module.

        Pygments reads any text, also a program that Python cannot read.
        """
        symbols: list[str] = []
        places: list[tuple[str, int]] = []
        for name, source in modules.items():
            for symbol, line in _symbols(source[:MAX_READ]):
                symbols.append(self._character(symbol))
                places.append((name, line))
            symbols.append(chr(FIRST_BORDER + self._borders % BORDERS))
            places.append((name, 0))
            self._borders += 1
        return SymbolRow("".join(symbols), tuple(places))

    def _character(self, symbol: str) -> str:
        return self._known.setdefault(
            symbol, chr(min(FIRST_SYMBOL + len(self._known), LAST_SYMBOL))
        )


def _symbols(source: str) -> Iterator[tuple[str, int]]:
    """Yield each symbol and its line; a text of several parts is one symbol."""
    starts = [0, *accumulate(len(line) + 1 for line in source.split("\n"))]
    before = ""
    for at, kind, text in PythonLexer().get_tokens_unprocessed(source):
        if any(kind in ignored for ignored in IGNORED):
            continue
        symbol = _symbol(kind, text)
        if not (symbol == before == "text"):
            yield symbol, bisect_right(starts, at)
        before = symbol


def _symbol(kind: Any, text: str) -> str:
    if kind in String:
        return "text"
    if kind in Number:
        return "number"
    if kind in Name and (kind not in Name.Builtin or kind in Name.Builtin.Pseudo):
        return "name"
    return text


@dataclass(frozen=True)
class SharedPassage:
    """Where a passage begins in either program, and how many symbols it has."""

    first: int
    second: int
    length: int

    @property
    def here(self) -> slice:
        """Its symbols in the first program."""
        return slice(self.first, self.first + self.length)

    @property
    def there(self) -> slice:
        """Its symbols in the second program."""
        return slice(self.second, self.second + self.length)


@dataclass(frozen=True)
class Shared:
    """What two programs share: passages, how many symbols of them nothing explains.

    `own` is how many symbols nothing explains in either whole program.
    """

    passages: tuple[SharedPassage, ...]
    symbols: int
    own: tuple[int, int]


def runs(symbols: str) -> Iterator[str]:
    """Yield every run of a program."""
    return (symbols[at : at + RUN] for at in range(len(symbols) - RUN + 1))


def common_runs(programs: Sequence[set[str]]) -> set[str]:
    """Return the runs that so many programs have that they say nothing about two of them."""
    counted = Counter(run for program in programs for run in program)
    limit = max(MIN_COMMON, len(programs) // COMMON_SHARE)
    return {run for run, count in counted.items() if count > limit}


def closest_pairs(programs: Sequence[set[str]], limit: int) -> list[tuple[int, int]]:
    """Return the pairs of programs, by number, that share most runs."""
    holders: dict[str, list[int]] = defaultdict(list)
    for number, program in enumerate(programs):
        for run in program:
            holders[run].append(number)
    counted: Counter[tuple[int, int]] = Counter()
    for numbers in holders.values():
        counted.update(combinations(numbers, 2))
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [pair for pair, _ in ordered[:limit]]


def shared(one: str, other: str, explained: set[str]) -> Shared:
    """Return the longest passages that both have, each symbol in at most one of them.

    No run of a passage is explained, but its ends may overlap with runs that are.
    """
    places = _places(other, explained)
    taken_one, taken_other = bytearray(len(one)), bytearray(len(other))
    found = []
    for passage in sorted(_passages(one, places), key=lambda each: (-each.length, each.first)):
        if not any(taken_one[passage.here]) and not any(taken_other[passage.there]):
            taken_one[passage.here] = taken_other[passage.there] = b"\x01" * passage.length
            found.append(passage)
    own_one, own_other = _own(one, explained), _own(other, explained)
    symbols = min(
        sum(sum(own_one[passage.here]) for passage in found),
        sum(sum(own_other[passage.there]) for passage in found),
    )
    passages = tuple(sorted(found, key=lambda each: each.first))
    return Shared(passages, symbols, (sum(own_one), sum(own_other)))


def _places(symbols: str, explained: set[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for at, run in enumerate(runs(symbols)):
        if run not in explained and len(places[run]) < MAX_REPEATS:
            places[run].append(at)
    return places


def _passages(one: str, places: Mapping[str, Iterable[int]]) -> Iterator[SharedPassage]:
    """Yield runs that follow each other in both programs as one passage."""
    shifts: dict[int, list[int]] = defaultdict(list)
    for at, run in enumerate(runs(one)):
        for there in places.get(run, ()):
            shifts[there - at].append(at)
    for shift, starts in shifts.items():
        for _, row in groupby(enumerate(starts), key=lambda pair: pair[1] - pair[0]):
            here = [start for _, start in row]
            yield SharedPassage(here[0], here[0] + shift, here[-1] - here[0] + RUN)


def _own(symbols: str, explained: set[str]) -> bytearray:
    """Return for each symbol 1 if it is in no explained run, else 0."""
    own = bytearray(b"\x01" * len(symbols))
    for at, run in enumerate(runs(symbols)):
        if run in explained:
            own[at : at + RUN] = bytes(RUN)
    return own
