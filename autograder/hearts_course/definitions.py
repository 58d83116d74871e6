"""Where the functions and classes of a program's text are, and to which task a line belongs.

The program is not parsed, because hostile text can make a parser slow or crash it: lines and their
indentation show where definitions are, also in a program that Python cannot read.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hearts_course.course import Stage
from hearts_course.results import SourcePosition

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


def task_at(position: SourcePosition, stage: Stage, sources: Mapping[str, str]) -> str:
    """Return the id of the task to which the line's innermost definition belongs, "" if to none.

    A method that no task names belongs to the task of its class, unless other tasks name methods of
    the class: then it may have been written for any of them.
    """
    source = sources.get(position.module, "") if position.module in stage.modules else ""
    around = [
        definition.name
        for definition in find_definitions(source[:MAX_SEARCHED])
        if position.line in definition.lines
    ]
    name = max(around, key=len, default="")
    inner = True
    while name:
        tasks = [task.id for task in stage.tasks if name in task.blanks]
        if tasks:
            shared = len(tasks) > 1 or (not inner and _is_shared(name, tasks[0], stage))
            return "" if shared else tasks[0]
        name, inner = name.rpartition(".")[0], False
    return ""


def _is_shared(name: str, task: str, stage: Stage) -> bool:
    """Return whether other tasks than this one name parts of the definition."""
    others = [other for other in stage.tasks if other.id != task]
    return any(blank.startswith(f"{name}.") for other in others for blank in other.blanks)


def lines_of(node: ast.stmt) -> range:
    """Return the lines of a statement, with a definition's decorators, counted from 0."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return range(first - 1, node.end_lineno or first)


def first_line(node: ast.stmt) -> int:
    """Return the line of a statement, or of a definition's first decorator."""
    return lines_of(node).start + 1


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
