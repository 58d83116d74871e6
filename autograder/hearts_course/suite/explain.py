"""What a student reads when a test does not pass.

A visible test shows the call, what came back, what was expected and why it matters; a hidden one
its topic and a near example, never its inputs. The texts come from the test's docstring: the topic
(its first paragraph), why it matters (the next ones), and a near example (`Try: ...`).
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from hearts_course.boundary.answers import FarError, Stopped
from hearts_course.boundary.proxy import Proxy, show

MAX_SHOWN = 400
ADVICE = {
    "EOFError": "during a check nobody is at the keyboard: input() has nothing to read",
    "MemoryError": "the program asked for more memory than a check may use",
    "RecursionError": "a function calls itself without end",
    "SystemExit": "the program ended itself: take exit() and sys.exit() out of what is called",
}
NEAR_EXAMPLE = "Try:"
PLAIN = (type(None), bool, int, float, str, bytes, list, tuple, set, frozenset, dict)


@dataclass(frozen=True)
class Docs:
    """The three parts of a test's docstring."""

    topic: str
    why: str
    example: str


@dataclass(frozen=True)
class Comparison:
    """The comparison of an assert that did not hold."""

    operator: str
    left: Any
    right: Any


def docs_of(function: object) -> Docs:
    """The parts of a test's docstring, each joined to one line; empty where there is none."""
    text = inspect.getdoc(function) or ""
    paragraphs = [re.sub(r"\s*\n\s*", " ", part.strip()) for part in re.split(r"\n\s*\n", text)]
    example = [part for part in paragraphs if part.startswith(NEAR_EXAMPLE)]
    other = [part for part in paragraphs if not part.startswith(NEAR_EXAMPLE)]
    return Docs(other[0], " ".join(other[1:]), example[0] if example else "")


def explain_hidden(docs: Docs, how: str) -> str:
    """What a hidden test that did not pass may say: its topic, how it ended, a near example."""
    return "\n".join(line for line in (f"{docs.topic}{how}", docs.why, docs.example) if line)


def explain_visible(
    docs: Docs,
    error: BaseException,
    comparison: Comparison | None,
    function: object,
    values: Mapping[str, Any],
    last_question: str,
) -> str:
    """What a visible test that did not pass says; `values` are the names its asserts use."""
    if isinstance(error, Stopped):
        lines = [*_done(function, values), f"your program {error.text}"]
    elif isinstance(error, NotImplementedError) and isinstance(error, FarError):
        return f"not written yet: {error.text}" if error.text else "not written yet"
    elif isinstance(error, FarError):
        lines = [*_done(function, values), *_raised(error)]
    elif isinstance(error, pytest.fail.Exception):
        lines = [f"{_clip(_plain_call(last_question))}", f"  {_did_not_raise(str(error))}"]
    elif comparison is not None and isinstance(error, AssertionError):
        lines = [*_done(function, values), *_compared(comparison)]
    elif isinstance(error, AssertionError):
        lines = [*_done(function, values), *_wrong_message(str(error))]
    else:
        lines = [*_done(function, values), f"  what came back cannot be used so: {error}"]
    return "\n".join([*lines, *([f"Why it matters: {docs.why}"] if docs.why else [])])


def _did_not_raise(text: str) -> str:
    wanted = re.search(r"DID NOT RAISE (?:<class ')?(?:[\w.]*\.)?(\w+)", text)
    return f"raised nothing; expected: {wanted[1]}" if wanted else text.splitlines()[0]


def _wrong_message(text: str) -> list[str]:
    found = re.search(r"Expected regex: (.*)\n\s*Actual message: (.*)", text)
    if found is None:
        return ["  this does not hold"]
    wanted = re.sub(r"\\(.)", r"\1", found[1])
    return [_clip(f"  its message  {found[2]}"), _clip(f"  should hold  {wanted}")]


def _raised(error: FarError) -> list[str]:
    raised = (
        f"  raised       {error.kind}: {error.text}" if error.text else f"  raised {error.kind}"
    )
    lines = [_clip(raised)]
    if error.where is not None:
        file, line, text = error.where
        lines.append(_clip(f"  in           {file}, line {line}: {text}"))
    if error.kind in ADVICE:
        lines.append(f"  {ADVICE[error.kind]}")
    return lines


def _compared(comparison: Comparison) -> list[str]:
    expected = "" if comparison.operator == "==" else f"{comparison.operator} "
    return [
        _clip(f"  came back    {_value(comparison.left)}"),
        _clip(f"  expected     {expected}{_value(comparison.right)}"),
    ]


def _value(value: Any) -> str:
    return f"an object of class {value._class}" if isinstance(value, Proxy) else show(value)


def _done(function: object, values: Mapping[str, Any]) -> list[str]:
    """The lines of the test, with the values of its parameters put in where they are plain.

    A name that the test itself gives another value stays, and its first value is told first.
    """
    body = _body(function)
    changed = {
        node.id
        for node in ast.walk(ast.Module(body, []))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    plain = {name: value for name, value in values.items() if type(value) in PLAIN}
    filled = _Fill({n: v for n, v in plain.items() if n not in changed}).visit(ast.Module(body, []))
    first = [f"{name} = {plain[name]!r}" for name in plain if name in changed]
    lines = [*first, *(_plain_call(ast.unparse(node)) for node in filled.body)]
    return [_clip(line) for text in lines for line in text.splitlines()]


def _body(function: object) -> list[ast.stmt]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))  # type: ignore[arg-type]
    except (OSError, TypeError, SyntaxError):
        return []
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    has_docs = ast.get_docstring(definition) is not None
    return definition.body[1:] if has_docs else definition.body


class _Fill(ast.NodeTransformer):
    """Puts values in place of names, and the compared call in place of its assert."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in self._values:
            return ast.Constant(self._values[node.id])
        return node

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.AST]:
        """What is expected to raise stands without the line that expects it."""
        visited = [self.visit(inner) for inner in node.body]
        return visited if ast.unparse(node.items[0]).startswith("pytest.raises") else node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        kept = node.test.left if isinstance(node.test, ast.Compare) else node.test
        return ast.Expr(self.visit(kept))


def _plain_call(text: str) -> str:
    """The call as a student writes it: without the module's name in front."""
    return re.sub(r"\b[a-z_0-9]+\.(?=[A-Z])", "", text)


def _clip(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 2] + " …"
