"""Mutants: the reference with one small change each, which the suite must notice.

cosmic-ray makes them, not mutmut, because its operators can be used as what they are: functions
from a text to a text. So every mutant goes through the same grader as a student's file, across the
same boundary; mutmut writes its mutants into a copy of the project and must run the tests itself.

Left out are: operators that draw random names or numbers; what Python cannot compile; and changes
to annotations alone (`int | None` to `int & None`), which nothing in a program may depend on.

A mutant that behaves as the reference does is listed in `equivalents.toml`, with the reason:

    [[equivalent]]
    line = "the reference's line"
    mutant = "the mutated line"
    reason = "..."

A module whose text may say anything, as long as it does what is asked, is left out as a whole, such
as a student's own tests: one that asks about another card is as good a test.

    [[exempt]]
    module = "own_tests"
    reason = "..."
"""

import ast
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from hearts_course.course import Stage
from hearts_course.errors import StageError
from hearts_course.files import read_toml

Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Mutant:
    """A mutated module: where it differs from the reference, and its whole text."""

    module: str
    number: int
    line: str
    mutant: str
    text: str


@dataclass(frozen=True)
class Equivalent:
    """A mutant that cannot be told from the reference, and why not."""

    line: str
    mutant: str
    reason: str


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """Every different mutant of the source."""
    behaviour = _behaviour(source)
    seen = {source}
    for text in _mutated(source):
        if text in seen:
            continue
        seen.add(text)
        if _behaviour(text) not in (None, behaviour):
            yield Mutant(module, *_difference(source, text), text)


def load_equivalents(stage: Stage) -> tuple[Equivalent, ...]:
    """The stage's list of equivalent mutants, empty if it has none; raises StageError."""
    return _entries(stage, "equivalent", _equivalent)


def load_exempt(stage: Stage) -> frozenset[str]:
    """The modules of which no mutants are made, none if nothing is said; raises StageError."""

    def module_of(module: str, reason: str) -> str:
        if module not in stage.modules:
            raise TypeError(f"{stage.name} has no module {module}")
        _need(reason, module)
        return module

    return frozenset(_entries(stage, "exempt", module_of))


def _entries(stage: Stage, kind: str, make: Callable[..., Entry]) -> tuple[Entry, ...]:
    path = stage.autograder / "equivalents.toml"
    if not path.exists():
        return ()
    try:
        return tuple(make(**entry) for entry in read_toml(path).get(kind, []))
    except (TypeError, AttributeError) as error:
        raise StageError(
            f"{path}: {error}; write [[equivalent]] tables of `line`, `mutant` and `reason`, "
            "or [[exempt]] ones of `module` and `reason`"
        ) from None


def _equivalent(line: str, mutant: str, reason: str) -> Equivalent:
    _need(reason, mutant)
    return Equivalent(_one_line([line]), _one_line([mutant]), reason)


def _need(reason: str, what: str) -> None:
    if not reason.strip():
        raise TypeError(f"no reason for {what!r}")


def _mutated(source: str) -> Iterator[str]:
    nodes = list(ast_nodes(get_ast(source)))
    for name in operator_names():
        kind = get_operator(name)
        if kind.arguments():
            continue
        places = sum(len(list(kind().mutation_positions(node))) for node in nodes)
        yield from (mutate_code(source, kind(), place) for place in range(places))


def _behaviour(source: str) -> str | None:
    """What the text says to Python, annotations aside; None if it cannot be compiled."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            compile(tree, "mutant", "exec")
    except (SyntaxError, ValueError):
        return None
    return ast.dump(_WithoutAnnotations().visit(tree))


class _WithoutAnnotations(ast.NodeTransformer):
    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(node.arg)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)


def _difference(before: str, after: str) -> tuple[int, str, str]:
    """The number of the first line that differs, and what stands there before and after."""
    old, new = before.split("\n"), after.split("\n")
    first = 0
    while old[first : first + 1] == new[first : first + 1]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    line, mutant = (_one_line(lines[first : len(lines) - last]) for lines in (old, new))
    return first + 1, line, mutant


def _one_line(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())
