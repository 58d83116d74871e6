"""Where a program's definitions stand, also in one that Python cannot read.

A stranger's text is not parsed for this: that takes long, and parsers can be made to choke. Lines
and their indentation say enough, and one look at the text finds those that are inside of a string.

Definition   a function, method or class by its qualified name, and its lines
outline      those of a text
"""

import re
from dataclasses import dataclass

OPENING = re.compile(r"[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
DECORATOR = re.compile(r"[ \t]*@")
CLOSING = re.compile(r"[ \t]*[)\]}]")
TEXTS = re.compile(
    r'("""|\'\'\')(?:\\.|(?!\1).)*?(?:\1|\Z)|"(?:\\.|[^"\\\n])*"?|\'(?:\\.|[^\'\\\n])*\'?|#[^\n]*',
    re.DOTALL,
)


@dataclass(frozen=True)
class Definition:
    """Its lines are counted from 1; decorators belong to it, blank lines after it do not."""

    name: str
    first: int
    last: int
    opens: int  # the line with `def` or `class`


def outline(source: str) -> list[Definition]:
    """The definitions of a text, in its order."""
    found: list[Definition] = []
    around: list[_Open] = []
    inside = _inside_texts(source)
    last = decorators = decorated = 0  # the last line of code; the first decorator's, its indent
    for number, line in enumerate(source.split("\n"), start=1):
        if number in inside:
            last = number
        if number in inside or not line.strip() or line.lstrip().startswith("#"):
            continue
        indent, closes = len(line) - len(line.lstrip()), CLOSING.match(line)
        while around and indent <= around[-1].indent and not closes:
            found.append(_closed(around, last))
        if match := OPENING.match(line):
            around.append(_Open(indent, match[1], decorators or number, number))
        if DECORATOR.match(line):
            decorators, decorated = decorators or number, indent
        elif indent <= decorated and not closes:
            decorators = 0
        last = number
    while around:
        found.append(_closed(around, last))
    return sorted(found, key=lambda definition: definition.opens)


@dataclass(frozen=True)
class _Open:
    indent: int
    name: str
    first: int
    opens: int


def _closed(around: list[_Open], last: int) -> Definition:
    name = ".".join(outer.name for outer in around)
    innermost = around.pop()
    return Definition(name, innermost.first, max(last, innermost.opens), innermost.opens)


def _inside_texts(source: str) -> set[int]:
    """The lines that begin within a string of several lines."""
    found: set[int] = set()
    line, seen = 1, 0
    for match in TEXTS.finditer(source):
        if match[1]:
            line += source.count("\n", seen, match.start())
            seen = match.start()
            found |= set(range(line + 1, line + match[0].count("\n") + 1))
    return found
