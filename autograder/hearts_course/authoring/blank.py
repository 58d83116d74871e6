"""The starter: the reference solution with the definitions that a task names left blank.

    starter_cells   every cell of a stage, blanked
    blank           one source text, blanked
    definitions     the functions, methods and classes that could be named

A blank function keeps its decorators, signature and docstring. A blank class keeps its name, its
bases, its docstring, and those of its methods that are blanks themselves. Everything else in the
text stays as it was written, comments and all.
"""

import ast
import difflib
import io
import json
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from hearts_course.authoring.cells import Cell, split
from hearts_course.course import Stage
from hearts_course.errors import StageFault

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def starter_cells(stage: Stage) -> tuple[Cell, ...]:
    """The reference's cells with every task's blanks left out; raises StageFault.

    A definition that several tasks name is the first one's to write.
    """
    cells = reference_cells(stage)
    _check_blanks(stage, cells)
    messages = {
        name: f"Task {stage.number(task)}: {task.title}"
        for task in reversed(stage.tasks)
        for name in task.blanks
    }
    return tuple(replace(cell, text=blank(cell.text, messages)) for cell in cells)


def reference_cells(stage: Stage) -> tuple[Cell, ...]:
    """The cells of the stage's reference solution, module after module; raises StageFault."""
    reference = stage.reference()
    paths = [stage.solution / name for name in stage.files]
    return tuple(cell for path in paths for cell in split(path, reference[path.stem]))


def definitions(source: str) -> list[str]:
    """The qualified names defined in the text, in order; a property's setter repeats its name."""
    return list(_definitions(ast.parse(source).body))


def blank(source: str, messages: Mapping[str, str]) -> str:
    """The text with each definition in `messages` left blank, raising its message when called."""
    text = _Text(source)
    lines = list(text.lines)
    for name, node in reversed(list(_blanks(ast.parse(source).body, messages))):
        lines[text.first_line(node) - 1 : text.last_line(node)] = text.stub(name, node, messages)
    return "\n".join(lines)


def _check_blanks(stage: Stage, cells: tuple[Cell, ...]) -> None:
    where = stage.assignment / "stage.toml"
    homes: dict[str, set[str]] = {}
    for cell in cells:
        for name in definitions(cell.text):
            homes.setdefault(name, set()).add(f"{cell.module}.py")
    for name in (name for task in stage.tasks for name in task.blanks):
        if name not in homes:
            close = difflib.get_close_matches(name, homes, n=1)
            advice = f"did you mean {close[0]!r}?" if close else "correct its `blanks`"
            raise StageFault(f"{where}: {', '.join(stage.files)} define no {name!r}; {advice}")
        if len(homes[name]) > 1:
            raise StageFault(
                f"{where}: {name!r} is in {' and '.join(sorted(homes[name]))}; rename one"
            )


def _definitions(body: list[ast.stmt], outer: str = "") -> Iterator[str]:
    for node in body:
        if isinstance(node, Definition):
            yield f"{outer}{node.name}"
        if isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{outer}{node.name}.")


def _blanks(
    body: list[ast.stmt], messages: Mapping[str, str], outer: str = ""
) -> Iterator[tuple[str, Definition]]:
    """The outermost definitions that are left blank, with their qualified names."""
    for node in body:
        if isinstance(node, Definition) and f"{outer}{node.name}" in messages:
            yield f"{outer}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _blanks(node.body, messages, f"{outer}{node.name}.")


class _Text:
    """A source text, by lines, and where in it a definition's parts lie."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines = source.split("\n")
        self.tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))

    def first_line(self, node: Definition) -> int:
        """The line of the first decorator, or of the `def` or `class` itself."""
        return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])

    def last_line(self, node: Definition) -> int:
        """The last line of the body, comments that are indented below it included."""
        last = node.end_lineno or node.lineno
        for number, line in enumerate(self.lines[last:], start=last + 1):
            bare = line.lstrip()
            if bare and (bare[0] != "#" or len(line) - len(bare) <= node.col_offset):
                break
            last = number if bare else last
        return last

    def stub(self, name: str, node: Definition, messages: Mapping[str, str]) -> list[str]:
        """The lines that stand for the definition in the starter."""
        signature, docstring = self._signature(node), self._docstring(node)
        if not isinstance(node, ast.ClassDef):
            raises = f"{self._indent(node)}raise NotImplementedError({_quoted(messages[name])})"
            return [*signature, *docstring, raises]
        methods = [
            self.stub(inner, method, messages)
            for inner, method in _blanks(node.body, messages, f"{name}.")
        ]
        body = [docstring] * bool(docstring) + methods or [[f"{self._indent(node)}pass"]]
        return signature + "\n\n".join("\n".join(part) for part in body).split("\n")

    def _signature(self, node: Definition) -> list[str]:
        """The lines up to the colon; a class, whose fields go, loses its decorators too."""
        row, column = self._colon(node)
        first = node.lineno if isinstance(node, ast.ClassDef) else self.first_line(node)
        lines = self.lines[first - 1 : row]
        if node.body[0].lineno == row:
            lines[-1] = lines[-1][: column + 1]
        return lines

    def _docstring(self, node: Definition) -> list[str]:
        if ast.get_docstring(node, clean=False) is None:
            return []
        text = ast.get_source_segment(self.source, node.body[0]) or ""
        return f"{self._indent(node)}{text}".split("\n")

    def _indent(self, node: Definition) -> str:
        own_line = node.body[0].lineno > self._colon(node)[0]
        return " " * (node.body[0].col_offset if own_line else node.col_offset + 4)

    def _colon(self, node: Definition) -> tuple[int, int]:
        """Row and column of the colon that ends the signature."""
        depth = 0
        for token in self.tokens:
            if token.start < (node.lineno, node.col_offset) or token.type != tokenize.OP:
                continue
            depth += (token.string in "([{") - (token.string in ")]}")
            if token.string == ":" and not depth:
                return token.start
        raise AssertionError(f"a definition without a colon in line {node.lineno}")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
