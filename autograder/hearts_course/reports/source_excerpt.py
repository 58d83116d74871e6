"""Excerpts of a student's own program: the lines that a task is about."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

from hearts_course.course import Stage, Task
from hearts_course.python_source import MAX_SEARCHED, DefinitionSpan, definition_spans
from hearts_course.results import SourcePosition
from hearts_course.submissions.model import Submission
from hearts_course.text import agreeing

MAX_LINES = 80  # at most this many lines of code are shown for a task
MAX_WIDTH = 200  # at most this many characters of a line are shown
MAX_BLANK = 2  # blank lines between two shown lines; if there are more, a gap is shown instead
# Lines shown above and below a line that raised an exception outside the task's definitions.
AROUND = 2
Position = tuple[str, int]  # a module, and a line number in it


@dataclass(frozen=True)
class SourceLine:
    """One line; `number` is its number in the student's file or cell, 0 for a gap.

    A `marked` line has raised an exception.
    """

    number: int
    text: str
    marked: bool = False

    def __str__(self) -> str:
        mark = " "
        if self.marked:
            mark = "▶"
        return f"{mark}{self.number or '':>4}  {self.text}".rstrip()


GAP = SourceLine(0, "⋮")


@dataclass(frozen=True)
class Passage:
    """Lines of one place, such as `cards.py` or `the cell of class Card`.

    In a notebook, every cell is a separate place.
    """

    place: str
    lines: tuple[SourceLine, ...]

    @property
    def span(self) -> str:
        """The numbers of the lines, such as "lines 3 to 7"."""
        numbers = [line.number for line in self.lines if line.number]
        if numbers[0] == numbers[-1]:
            return f"line {numbers[0]}"
        return f"lines {numbers[0]} to {numbers[-1]}"


@dataclass(frozen=True)
class Excerpt:
    """Passages of a program, and remarks about what is not shown; both () without a program."""

    passages: tuple[Passage, ...] = ()
    remarks: tuple[str, ...] = ()


class Excerpts:
    """Makes the excerpts of one submission.

    A program may be hostile text. So it is searched for definitions, and never parsed by Python.
    """

    def __init__(self, submission: Submission, stage: Stage) -> None:
        """Search the submission's modules for definitions."""
        self._submission = submission
        self._stage = stage
        modules = submission.modules
        self._sources: dict[str, list[str]] = {}
        self._found: dict[str, tuple[str, DefinitionSpan]] = {}
        for name in stage.modules:
            if name in modules:
                self._sources[name] = modules[name].split("\n")
                for definition in definition_spans(modules[name][:MAX_SEARCHED]):
                    # The last definition of a name counts, as in Python.
                    self._found[definition.name] = (name, definition)

    def of_task(self, task: Task, raised: Iterable[SourcePosition]) -> Excerpt:
        """Return the task's definitions, and the lines that raised exceptions."""
        if not self._submission.modules:
            return Excerpt()
        lines: set[Position] = set()
        for name in task.blanks:
            if name in self._found:
                lines |= set(self._of(name, task))
        return self._excerpt(lines, raised)

    def around(self, position: SourcePosition | None) -> Excerpt:
        """Return the line and its neighbours. If `position` is None, return an empty excerpt."""
        if position is None:
            return self._excerpt(set(), [])
        return self._excerpt(set(), [position])

    def _of(self, name: str, task: Task) -> Iterator[Position]:
        """Yield the lines of a definition, and the first lines of the definitions around it.

        An inner definition is left out if it belongs only to other tasks. For example, a class is
        shown without the methods of other tasks.
        """
        module, definition = self._found[name]
        lines = set(definition.lines)
        for inner in self._stage.blanks.difference(task.blanks).intersection(self._found):
            if inner.startswith(f"{name}."):
                lines -= set(self._found[inner][1].lines)
        while name := name.rpartition(".")[0]:
            if name in self._found:
                lines.add(self._found[name][1].opens)
        for line in lines:
            if self._text(module, line).strip():
                yield module, line

    def _excerpt(self, lines: set[Position], raised: Iterable[SourcePosition]) -> Excerpt:
        """Return these lines, and the lines that raised exceptions, in the program's order.

        Neighbours of a line that raised an exception are shown too, if the line is not in `lines`.
        The excerpt has at most MAX_LINES lines, and a remark says how many are left out.
        """
        marked: set[Position] = set()
        for position in raised:
            if self._exists(position.module, position.line):
                marked.add((position.module, position.line))
        for module, line in marked - lines:
            near = range(line - AROUND, line + AROUND + 1)
            lines |= {(module, number) for number in near if self._exists(module, number)}
        order = list(self._sources)
        shown = sorted(lines, key=lambda position: (order.index(position[0]), position[1]))
        shown = list(self._with_blank_lines(shown))
        remarks = []
        if (left_out := len(shown) - MAX_LINES) > 0:
            remarks.append(f"{left_out} more {agreeing(left_out, 'line', 'lines')} left out.")
        return Excerpt(tuple(self._passages(shown[:MAX_LINES], marked)), tuple(remarks))

    def _with_blank_lines(self, lines: list[Position]) -> Iterator[Position]:
        """Yield the lines, and the blank lines between two of them if there are at most MAX_BLANK.

        So two neighbouring methods look as in the student's file, without a gap.
        """
        for (module, line), (next_module, following) in pairwise(lines):
            yield module, line
            if module != next_module:
                continue
            between = range(line + 1, following)
            texts = [self._text(module, number) for number in between]
            if len(between) <= MAX_BLANK and not any(map(str.strip, texts)):
                for number in between:
                    yield module, number
        yield from lines[-1:]

    def _exists(self, module: str, line: int) -> bool:
        """Return whether the program has the line.

        An error may also come from a module of an earlier stage. Excerpts do not show such a
        module.
        """
        return 1 <= line <= len(self._sources.get(module, ()))

    def _text(self, module: str, line: int) -> str:
        """Return the text of a line that exists."""
        return self._sources[module][line - 1]

    def _passages(self, shown: list[Position], marked: set[Position]) -> Iterator[Passage]:
        """Yield a passage for each file or cell, with a gap where lines are left out."""
        placed = ((*self._submission.place(*position), *position) for position in shown)
        for place, group in groupby(placed, key=lambda entry: entry[0]):
            lines: list[SourceLine] = []
            previous = 0
            for _, number, module, line in group:
                if previous and line != previous + 1:
                    lines.append(GAP)
                text = self._text(module, line)
                if len(text) > MAX_WIDTH:
                    text = f"{text[:MAX_WIDTH]}…"
                lines.append(SourceLine(number, text, (module, line) in marked))
                previous = line
            yield Passage(place, tuple(lines))
