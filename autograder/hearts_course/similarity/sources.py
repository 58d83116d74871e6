"""Programs as rows of symbols: what is left when names, numbers, texts and comments do not count.

Row        a program's symbols, one character each, and the line that each is from
Alphabet   turns programs into rows; what is written alike is the same character in all of them

Pygments reads the programs: it takes any text, also one that Python cannot read.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Name, Number, String, Text

MAX_READ = 100_000  # characters of a module
FIRST = 0x20000  # of our characters; far from any that Python would treat in a way of its own
LAST = 0x10FFFF
BORDERS = 0x8000
MOST = LAST - BORDERS  # what comes after so many symbols is all one
IGNORED = (Text, Comment, String.Doc)


@dataclass(frozen=True)
class Row:
    """Symbols, and for each of them its module and line."""

    symbols: str
    places: tuple[tuple[str, int], ...]


class Alphabet:
    """A character for each symbol that any program has."""

    def __init__(self) -> None:
        """There is none yet."""
        self._known: dict[str, str] = {}
        self._borders = 0

    def row(self, modules: Mapping[str, str]) -> Row:
        """The program's row; between two modules is a character that nothing else has."""
        symbols: list[str] = []
        places: list[tuple[str, int]] = []
        for name, source in modules.items():
            for symbol, line in _symbols(source[:MAX_READ]):
                symbols.append(self._character(symbol))
                places.append((name, line))
            symbols.append(chr(LAST - self._borders % BORDERS))
            places.append((name, 0))
            self._borders += 1
        return Row("".join(symbols), tuple(places))

    def _character(self, symbol: str) -> str:
        return self._known.setdefault(symbol, chr(min(FIRST + len(self._known), MOST)))


def _symbols(source: str) -> Iterator[tuple[str, int]]:
    """Each symbol and its line; a text of several parts is one symbol."""
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
