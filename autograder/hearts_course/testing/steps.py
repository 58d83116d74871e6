"""A failed test's steps as a student reads them: its lines, without what only a test needs."""

import ast
import inspect
import math
import re
import textwrap
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_SHOWN = 400
LITERALS = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict)
PLAIN = (type(None), bool, int, float, str, bytes, list, tuple, set, frozenset, dict)


@dataclass(frozen=True)
class Steps:
    """A test's lines up to the one that failed.

    `shown` is the side of its comparison that the last line shows, "" if none of them. `raises` is
    the exception that should have been raised there, "" if none.
    """

    lines: list[str]
    shown: str
    raises: str


def steps(function: object, values: Mapping[str, Any], error: BaseException) -> Steps:
    """Return the test's lines up to the error, with the values of plain parameters put in.

    A name that the test reassigns stays a name; its first value is shown on a line before.
    """
    body = _body(function, _line(function, error))
    raises = _raises(body)
    changed = {
        node.id
        for node in ast.walk(ast.Module(body, []))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    plain = {name: value for name, value in values.items() if type(value) in PLAIN}
    fill = _Fill({n: v for n, v in plain.items() if n not in changed})
    filled = fill.visit(ast.Module(body, []))
    first = [f"{name} = {plain[name]!r}" for name in plain if name in changed]
    lines = [*first, *(plain_call(ast.unparse(node)) for node in filled.body)]
    return Steps([clip(line) for text in lines for line in text.splitlines()], fill.shown, raises)


def _raises(body: list[ast.stmt]) -> str:
    """Return the exception that `pytest.raises` around the last of the statements expects."""
    found = ""
    while body:
        last = body[-1]
        if isinstance(last, ast.With):
            match last.items[0].context_expr:
                case ast.Call(ast.Attribute(attr="raises"), [ast.Tuple(several), *_]):
                    found = " or ".join(map(ast.unparse, several))
                case ast.Call(ast.Attribute(attr="raises"), [one, *_]):
                    found = ast.unparse(one)
        body = getattr(last, "body", [])
    return plain_call(found)


def _body(function: object, last_line: float) -> list[ast.stmt]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))  # type: ignore[arg-type]
    except (OSError, TypeError, SyntaxError):
        return []
    definition = _Until(last_line).visit(tree.body[0])
    assert isinstance(definition, ast.FunctionDef)
    has_docs = ast.get_docstring(definition) is not None
    return definition.body[1:] if has_docs else definition.body


def _line(function: object, error: BaseException) -> float:
    """Return the function's line that raised the error, counted from 1."""
    code = inspect.unwrap(function).__code__  # type: ignore[arg-type]
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_code is code:
            return line - code.co_firstlineno + 1
    return math.inf


class _Until(ast.NodeTransformer):
    """Removes the statements after a line, so that the last one left is the one that failed.

    A `with` that fails at its end, such as `pytest.raises`, does so on its first line.
    """

    def __init__(self, last_line: float) -> None:
        self._last_line = last_line

    def generic_visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.stmt) and node.lineno > self._last_line:
            return None
        if isinstance(node, ast.With) and node.lineno == self._last_line:
            return node
        return super().generic_visit(node)


class _Fill(ast.NodeTransformer):
    """Puts values in place of names, the compared call in place of its assert, lists for `each`.

    `shown` is the side of the last comparison that is left.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self.shown = "left"

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in self._values:
            return ast.Constant(self._values[node.id])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Show `each(str, cards)` as the list that it returns."""
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("each"), [function, items]):
                item = ast.Name("x")
                loop = ast.comprehension(item, items, [], 0)
                return ast.ListComp(ast.Call(function, [item], []), [loop])
        return node

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.AST]:
        """Show what is expected to raise, without the line that expects it."""
        visited = [self.visit(inner) for inner in node.body]
        return visited if ast.unparse(node.items[0]).startswith("pytest.raises") else node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        test = self.visit(node.test)
        self.shown = "left"
        match test:
            case ast.Compare(_, [ast.In() | ast.NotIn()], [right]) if not isinstance(
                right, LITERALS
            ):
                self.shown, test = "right", right
            case ast.Compare(left, [_], _):
                test = left
            case ast.BoolOp() | ast.UnaryOp(ast.Not()):
                self.shown = ""  # pytest may tell of a comparison that holds
        return ast.Expr(test)


def plain_call(text: str) -> str:
    """Return the call as a student writes it, without the module's name and without `stdlib`."""
    text = re.sub(r"^(\w+) = stdlib\('\1'\)$", r"import \1", text)
    text = re.sub(r"\bstdlib\('(?:builtins'\)\.|([\w.]+)'\))", r"\1", text)
    return re.sub(r"\b[a-z_0-9]+\.(?=[A-Z])", "", text)


def clip(text: str) -> str:
    """Return the text, cut to the length of a message."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 2] + " …"
