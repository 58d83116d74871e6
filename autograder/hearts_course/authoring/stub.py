"""Stubs: what stands in the starter for a definition of the reference.

Text          a source text, by lines, and the stubs that can be made of it
outermost     the definitions of a body that are left blank, with their qualified names
"""

import ast
import io
import json
import tokenize
from collections.abc import Iterator, Mapping
from typing import TypeAlias

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def outermost(
    body: list[ast.stmt], messages: Mapping[str, str], outer: str = ""
) -> Iterator[tuple[str, Definition]]:
    """The outermost definitions that are left blank, with their qualified names."""
    for node in body:
        if isinstance(node, Definition) and f"{outer}{node.name}" in messages:
            yield f"{outer}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from outermost(node.body, messages, f"{outer}{node.name}.")


class Text:
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
            for inner, method in outermost(node.body, messages, f"{name}.")
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
