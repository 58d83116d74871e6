"""Find the line to look at for an error of the program, and the task that the line belongs to."""

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from hearts_course.course import Stage
from hearts_course.errors import CourseError
from hearts_course.python_source import MAX_SEARCHED, UNPARSABLE, definition_spans, parsed
from hearts_course.results import SourcePosition
from hearts_course.sandbox.answers import RemoteError

CALLED, LED_TO = "which called", "which led to"
CALLED_FROM, REACHED_FROM = "called from", "reached from"


@dataclass(frozen=True)
class ErrorPlace:
    """A line to look at first, its text, and another line of the same traceback.

    `relation` says how the other line belongs to the first one, such as "which called". `task`
    names the task that the line belongs to, such as "2 (Purse)", if the test is of another task.
    """

    position: SourcePosition
    text: str
    relation: str = ""
    other: SourcePosition | None = None
    task: str = ""

    @classmethod
    def last(cls, error: RemoteError) -> "ErrorPlace | None":
        """Return the last line of the program that the error came through, or None."""
        position = SourcePosition.of(error.where)
        return cls(position, error.where[2]) if error.where and position else None


class StudentLines:
    """Knows which lines of a stage's modules a student wrote, and which the starter had."""

    def __init__(self, stage: Stage) -> None:
        """Read the starter only when an error needs it."""
        self._stage = stage

    def place_of(self, error: RemoteError, sources: Mapping[str, str]) -> ErrorPlace | None:
        """Return where to look for the cause of the error; None if no line of the program is known.

        `sources` are the program's modules. The line to look at first is the innermost line
        of the traceback that the student wrote in this stage. If the student wrote none of the
        lines, take the innermost line of all. In an endless recursion, only the lines of
        the repeated calls count, because any other line may reach Python's limit.
        """
        end = ErrorPlace.last(error)
        if end is None:
            return None
        last = end.position
        calls = [SourcePosition(file, line) for file, line in error.calls]
        if calls[-1:] != [last]:  # this is a syntax error, or the program forges its answers
            return end
        if error.kind == "RecursionError" and (recursive := _repeated(calls)):
            calls = recursive
            last = calls[-1]
            end = ErrorPlace(last, _line(sources, last).strip())
        ours = [i for i, call in enumerate(calls) if call.module in self._stage.modules]
        written = [i for i in ours if self._is_written(calls[i], sources)]
        if not written:
            caller = calls[ours[-1]] if ours else last
            if caller == last:
                return end
            relation = CALLED_FROM if ours[-1] == len(calls) - 2 else REACHED_FROM
            return replace(end, relation=relation, other=caller)
        first = calls[written[-1]]
        if first == last:
            return end
        relation = CALLED if written[-1] == len(calls) - 2 else LED_TO
        return ErrorPlace(first, _line(sources, first).strip(), relation, last)

    def _is_written(self, position: SourcePosition, sources: Mapping[str, str]) -> bool:
        """Return whether the student wrote the line.

        A line is not the student's if a definition around it has the same text as in the starter.
        """
        given_definitions, given_lines = self._given.get(position.module, (set(), set()))
        text = sources.get(position.module, "")
        lines = text.split("\n")
        around = []
        for definition in definition_spans(text[:MAX_SEARCHED]):
            if position.line in definition.lines:
                definition_text = "\n".join(lines[definition.first - 1 : definition.last])
                around.append((definition.name, definition_text))
        if not around:
            return _line(sources, position).strip() not in given_lines
        return given_definitions.isdisjoint(around)

    @cached_property
    def _given(self) -> dict[str, tuple[set[tuple[str, str]], set[str]]]:
        """The starter's definitions and the starter's lines, keyed by module.

        A definition is a pair of its name and its text.
        """
        by_module = {}
        with suppress(CourseError):  # without a starter, all lines are the student's
            for module, text in self._stage.starter().items():
                lines = text.split("\n")
                definitions = {
                    (definition.name, "\n".join(lines[definition.first - 1 : definition.last]))
                    for definition in definition_spans(text[:MAX_SEARCHED])
                }
                by_module[module] = definitions, {line.strip() for line in lines}
        return by_module


def loop_place(calls: Iterable[tuple[str, int]], sources: Mapping[str, str]) -> ErrorPlace | None:
    """Return where the program loops, judging by the calls that were running.

    If no calls were running, return None.
    The place is the innermost `while` around a line of the calls, or else the innermost `for`, or
    else the line of the last call.
    """
    positions = [SourcePosition(file, line) for file, line in calls]
    if not positions:
        return None
    for kinds in (ast.While, (ast.For, ast.AsyncFor)):
        for position in reversed(positions):
            if line := _loop_around(position.line, sources.get(position.module, ""), kinds):
                loop = replace(position, line=line)
                return ErrorPlace(loop, _line(sources, loop).strip())
    return ErrorPlace(positions[-1], _line(sources, positions[-1]).strip())


def _repeated(calls: list[SourcePosition]) -> list[SourcePosition]:
    """Return the calls up to the last call of the recursion; [] without a recursion.

    The lines of the recursion occur among the calls about equally often. A line that occurs much
    less often is not part of it: a line with a generator occurs twice even without a recursion.
    """
    counts = Counter(calls)
    most = max(counts.values(), default=0)
    if most == 1:
        return []
    repeated = 0
    for number, call in enumerate(calls, 1):
        if counts[call] > 1 and counts[call] * 3 >= most:
            repeated = number
    return calls[:repeated]


def _loop_around(line: int, source: str, kinds: type | tuple[type, ...]) -> int:
    """Return the first line of the innermost loop of these kinds around a line; 0 if there is none.

    A loop outside of the line's own function does not count.
    """
    try:
        statements = [node for node in ast.walk(parsed(source)) if isinstance(node, ast.stmt)]
    except UNPARSABLE:
        return 0
    around = [node for node in statements if node.lineno <= line <= (node.end_lineno or 0)]
    around.sort(key=lambda node: node.lineno)
    for node in reversed(around):
        if isinstance(node, kinds):
            return node.lineno
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            break
    return 0


def function_at(position: SourcePosition, sources: Mapping[str, str]) -> str:
    """Return the full name of the innermost definition around a line, "" if there is none."""
    spans = definition_spans(sources.get(position.module, "")[:MAX_SEARCHED])
    return max((span.name for span in spans if position.line in span.lines), key=len, default="")


def _line(sources: Mapping[str, str], position: SourcePosition) -> str:
    """Return the text of a line, "" if the program has no such line."""
    lines = sources.get(position.module, "").split("\n")
    return lines[position.line - 1] if position.line <= len(lines) else ""


def task_at(position: SourcePosition, stage: Stage, sources: Mapping[str, str]) -> str:
    """Return the id of the task that the definition around a line belongs to, "" if none.

    A method that no task names belongs to the task of its class. If other tasks name methods of
    that class, such a method belongs to no task, because it may have been written for any of them.
    """
    source = sources.get(position.module, "") if position.module in stage.modules else ""
    name = function_at(position, {position.module: source})
    inner = True
    while name:
        tasks = [task.id for task in stage.tasks if name in task.blanks]
        if tasks:
            shared = len(tasks) > 1 or (not inner and _is_shared(name, tasks[0], stage))
            return "" if shared else tasks[0]
        name = name.rpartition(".")[0]
        inner = False
    return ""


def task_of_module(module: str, stage: Stage) -> str:
    """Return the id of the only task that is written in this module, "" if there is none."""
    text = ""
    with suppress(CourseError):
        text = stage.starter().get(module, "")
    names = {definition.name for definition in definition_spans(text[:MAX_SEARCHED])}
    tasks = [task.id for task in stage.tasks if not names.isdisjoint(task.blanks)]
    return tasks[0] if len(tasks) == 1 else ""


def _is_shared(name: str, task: str, stage: Stage) -> bool:
    """Return whether any other task names a part of the definition, such as a method."""
    other_tasks = [other_task for other_task in stage.tasks if other_task.id != task]
    blanks = [blank for other_task in other_tasks for blank in other_task.blanks]
    return any(blank.startswith(f"{name}.") for blank in blanks)
