"""The functions and classes of a program's text, found without parsing it.

Hostile text can make a parser slow or crash it. Lines and their indentation show where definitions
are, also in a program that Python cannot read.
"""

import re
from dataclasses import dataclass, replace

MAX_SEARCHED = 200_000  # characters of a module
OPENING = re.compile(r"[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
DECORATOR = re.compile(r"[ \t]*@")
CLOSING = re.compile(r"[ \t]*[)\]}]")
STRINGS = re.compile(
    r'("""|\'\'\')(?:\\.|(?!\1).)*?(?:\1|\Z)|"(?:\\.|[^"\\\n])*"?|\'(?:\\.|[^\'\\\n])*\'?|#[^\n]*',
    re.DOTALL,
)


@dataclass(frozen=True)
class Definition:
    """A function or class; decorators belong to it, blank lines after it do not."""

    name: str  # qualified, such as `Purse.add`
    first: int
    last: int
    opens: int  # the line with `def` or `class`

    @property
    def lines(self) -> range:
        """The numbers of its lines, counted from 1."""
        return range(self.first, self.last + 1)


def find_definitions(source: str) -> list[Definition]:
    """Return the definitions of a text, in its order."""
    found: list[Definition] = []
    around: list[tuple[int, Definition]] = []  # what the line is in, with its indentation
    inside = _inside_strings(source)
    last = decorators = decorated = 0  # the last line of code; the first decorator's, its indent
    for number, line in enumerate(source.split("\n"), start=1):
        if number in inside:
            last = number
        if number in inside or not line.strip() or line.lstrip().startswith("#"):
            continue
        indent, closes = len(line) - len(line.lstrip()), CLOSING.match(line)
        while around and indent <= around[-1][0] and not closes:
            found.append(_closed(around, last))
        if match := OPENING.match(line):
            name = f"{around[-1][1].name}.{match[1]}" if around else match[1]
            around.append((indent, Definition(name, decorators or number, number, number)))
        if DECORATOR.match(line):
            decorators, decorated = decorators or number, indent
        elif indent <= decorated and not closes:
            decorators = 0
        last = number
    while around:
        found.append(_closed(around, last))
    return sorted(found, key=lambda definition: definition.opens)


def _closed(around: list[tuple[int, Definition]], last: int) -> Definition:
    _, definition = around.pop()
    return replace(definition, last=max(last, definition.opens))


def _inside_strings(source: str) -> set[int]:
    """Return the lines that begin within a string of several lines."""
    found: set[int] = set()
    line, seen = 1, 0
    for match in STRINGS.finditer(source):
        if match[1]:
            line += source.count("\n", seen, match.start())
            seen = match.start()
            found |= set(range(line + 1, line + match[0].count("\n") + 1))
    return found
