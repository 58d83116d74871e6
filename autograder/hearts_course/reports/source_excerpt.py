"""The lines of a student's own program that a task is about.

Line       a line with its number, as the student counts it; a gap stands for lines left out
Passage    lines of one file, or of one cell of a notebook
Excerpt    what a page shows of a program: passages, and definitions that are not there
Extracts   makes them, of one submission
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from hearts_course.course import Stage, Task
from hearts_course.reports.definitions import Definition, outline
from hearts_course.submissions.model import Submission

MAX_SEARCHED = 200_000  # characters of a module
MAX_LINES = 80  # of a task
MAX_WIDTH = 200  # characters of a line
AROUND = 2  # lines above and below one that is not in any definition of the task
# Where the program was when it raised something, as `suite.explain` and the verdict say it.
RAISED = re.compile(r"^\s*in +(\w+)\.py, line (\d+)(?!\d)", re.MULTILINE)
VERDICT = re.compile(r"^(\w+)\.py, line (\d+)(?!\d)")


@dataclass(frozen=True)
class SourceLine:
    """One line; `number` is 0 for a gap."""

    number: int
    text: str
    concerned: bool = False


GAP = SourceLine(0, "⋮")


@dataclass(frozen=True)
class Passage:
    """Lines of one place, such as `cards.py` or `cell cards-card`."""

    place: str
    lines: tuple[SourceLine, ...]

    @property
    def span(self) -> str:
        """Which lines, in words."""
        numbers = [line.number for line in self.lines if line.number]
        if numbers[0] == numbers[-1]:
            return f"line {numbers[0]}"
        return f"lines {numbers[0]} to {numbers[-1]}"


@dataclass(frozen=True)
class Excerpt:
    """What is shown of a program; `left_out` are so many lines that were too many."""

    passages: tuple[Passage, ...] = ()
    missing: tuple[str, ...] = ()
    left_out: int = 0


Marks = set[tuple[str, int]]


class Extracts:
    """The excerpts of one submission."""

    def __init__(self, submission: Submission, stage: Stage) -> None:
        """Nothing is searched yet."""
        self._submission, self._stage = submission, stage

    def of_task(self, task: Task, messages: Iterable[str]) -> Excerpt:
        """The definitions that the task names, and the lines that messages of its tests name."""
        if not self._submission.modules:
            return Excerpt()
        marks = {mark for message in messages for mark in _marks(RAISED, message)}
        wanted: Marks = set()
        missing = []
        for name in task.blanks:
            if (found := self._found.get(name)) is None:
                missing.append(name)
            else:
                wanted |= self._lines(*found, task)
        return self._excerpt(wanted, marks, tuple(missing))

    def of_verdict(self, message: str) -> Excerpt:
        """The line that a verdict names, such as one that Python cannot read."""
        return self._excerpt(set(), set(_marks(VERDICT, message)), ())

    @cached_property
    def _sources(self) -> dict[str, list[str]]:
        modules = self._submission.modules
        return {name: modules[name].split("\n") for name in self._stage.modules if name in modules}

    @cached_property
    def _found(self) -> dict[str, tuple[str, Definition]]:
        """Each definition's module and lines; of two that have one name the last counts."""
        modules = self._submission.modules
        return {
            definition.name: (name, definition)
            for name in self._sources
            for definition in outline(modules[name][:MAX_SEARCHED])
        }

    def _lines(self, module: str, definition: Definition, task: Task) -> Marks:
        """Its lines, and the opening ones of what it is in, without what other tasks name."""
        lines = set(range(definition.first, definition.last + 1))
        for other in self._others(task):
            if other.startswith(f"{definition.name}.") and other in self._found:
                inner = self._found[other][1]
                lines -= set(range(inner.first, inner.last + 1))
        outer = definition.name
        while outer := outer.rpartition(".")[0]:
            if outer in self._found:
                lines.add(self._found[outer][1].opens)
        text = self._sources[module]
        return {(module, line) for line in lines if text[line - 1].strip()}

    def _others(self, task: Task) -> Iterator[str]:
        for other in self._stage.tasks:
            yield from (name for name in other.blanks if name not in task.blanks)

    def _excerpt(self, wanted: Marks, marks: Marks, missing: tuple[str, ...]) -> Excerpt:
        marks = {mark for mark in marks if self._is_there(*mark)}
        for module, line in marks - wanted:
            near = range(line - AROUND, line + AROUND + 1)
            wanted |= {(module, other) for other in near if self._is_there(module, other)}
        wanted |= {(module, line) for module, line in self._between(wanted)}
        order = list(self._sources)
        shown = sorted(wanted, key=lambda where: (order.index(where[0]), where[1]))
        left_out = max(0, len(shown) - MAX_LINES)
        passages = self._passages(shown[:MAX_LINES], marks)
        return Excerpt(tuple(passages), missing, left_out)

    def _between(self, wanted: Marks) -> Iterator[tuple[str, int]]:
        """Blank lines with a wanted one on either side, at most two in a row."""
        for module, line in wanted:
            for gap in (1, 2):
                blank = range(line + 1, line + gap + 1)
                if (module, line + gap + 1) in wanted and all(
                    not self._sources[module][other - 1].strip() for other in blank
                ):
                    yield from ((module, other) for other in blank)

    def _is_there(self, module: str, line: int) -> bool:
        return 1 <= line <= len(self._sources.get(module, ()))

    def _passages(self, shown: list[tuple[str, int]], marks: Marks) -> Iterator[Passage]:
        placed = ((*self._submission.place(module, line), module, line) for module, line in shown)
        for place, lines in groupby(placed, key=lambda entry: entry[0]):
            found: list[SourceLine] = []
            before = 0
            for _, number, module, line in lines:
                if before and line != before + 1:
                    found.append(GAP)
                text = _clipped(self._sources[module][line - 1])
                found.append(SourceLine(number, text, (module, line) in marks))
                before = line
            yield Passage(place, tuple(found))


def _marks(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, int]]:
    return ((module, int(line[:9])) for module, line in pattern.findall(text))


def _clipped(line: str) -> str:
    return line if len(line) <= MAX_WIDTH else f"{line[:MAX_WIDTH]}…"
