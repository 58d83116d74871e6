"""Mutants: the reference with one small change each, which the suite must notice.

We use cosmic-ray and not mutmut, because its operators are plain functions on a syntax tree. So
each mutant goes through the same grader as a student's file.

We leave out random operators, mutants that do not compile, and changes of annotations only, because
no program may depend on these.

A mutant that behaves exactly like the reference is listed in `equivalents.toml`, with the reason:

    [[equivalent]]
    line = "the reference's line"
    mutant = "the mutated line"
    reason = "..."

A module is exempt if many different texts are just as good. The student's own tests are such a
module: a test about another card is just as good.

    [[exempt]]
    module = "own_tests"
    reason = "..."
"""

import ast
import copy
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cosmic_ray.ast import get_ast
from cosmic_ray.plugins import get_operator, operator_names
from hearts_course.course import Stage
from hearts_course.errors import StageError
from hearts_course.files import read_toml, to_dataclass


@dataclass(frozen=True)
class Mutant:
    """A mutated module: where it differs from the reference, how, and its whole text."""

    module: str
    number: int
    line: str
    mutant: str
    text: str

    @property
    def change(self) -> tuple[str, str]:
        """What the reference says, and what the mutant says instead."""
        return self.line, self.mutant


@dataclass(frozen=True)
class Equivalent:
    """A mutant that behaves exactly like the reference, with the reason."""

    line: str
    mutant: str
    reason: str

    def __post_init__(self) -> None:
        _need_reason(self.reason)

    @property
    def change(self) -> tuple[str, str]:
        """What the reference says, and what the mutant says instead."""
        return _one_line(self.line), _one_line(self.mutant)


@dataclass(frozen=True)
class Exempt:
    """A module that is not mutated, with the reason."""

    module: str
    reason: str

    def __post_init__(self) -> None:
        _need_reason(self.reason)


@dataclass(frozen=True)
class Exceptions:
    """The content of `equivalents.toml`."""

    equivalent: tuple[Equivalent, ...] = ()
    exempt: tuple[Exempt, ...] = ()


def load_exceptions(stage: Stage) -> Exceptions:
    """Return the mutants and modules that the stage excludes; raise StageError."""
    path = stage.autograder / "equivalents.toml"
    if not path.exists():
        return Exceptions()
    found = to_dataclass(Exceptions, read_toml(path), path)
    for exempt in found.exempt:
        if exempt.module not in stage.modules:
            raise StageError(f"{path}: {stage.name} has no module {exempt.module!r}; correct it")
    return found


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """Yield every different mutant of the source, from its first line to its last."""
    behaviour = _behaviour(source)
    seen = {source}
    for text in _mutated(source):
        if text not in seen and _behaviour(text) not in (None, behaviour):
            yield Mutant(module, *_difference(source, text), text)
        seen.add(text)


def _mutated(source: str) -> Iterator[str]:
    """Yield each mutated text.

    cosmic-ray's own `mutate_code` parses the whole text again for each mutant, which takes longer
    than everything else here. So a copy of the one node is mutated, and its text put in place.
    """
    kinds = [get_operator(name) for name in operator_names()]
    operators = [kind() for kind in kinds if not kind.arguments()]
    for node, start in _nodes(get_ast(source)):
        for operator in operators:
            for index, _ in enumerate(operator.mutation_positions(node)):
                its_copy = copy.deepcopy(node, {id(node.parent): node.parent})
                mutated = operator.mutate(its_copy, index)
                text = mutated.get_code() if mutated else ""
                yield source[:start] + text + source[start + len(node.get_code()) :]


def _nodes(node: Any, start: int = 0) -> Iterator[tuple[Any, int]]:
    """Yield each node of the tree and where its text begins, with the blanks before it."""
    yield node, start
    for child in getattr(node, "children", ()):
        yield from _nodes(child, start)
        start += len(child.get_code())


def _behaviour(source: str) -> str | None:
    """Return the syntax tree as a text, without annotations; None if it does not compile."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            compile(tree, "mutant", "exec")
    except (SyntaxError, ValueError):
        return None
    return ast.dump(_WithoutAnnotations().visit(tree))


class _WithoutAnnotations(ast.NodeTransformer):
    def visit(self, node: ast.AST) -> Any:
        for name in {"annotation", "returns"}.intersection(node._fields):
            setattr(node, name, None)
        return self.generic_visit(node)


def _difference(before: str, after: str) -> tuple[int, str, str]:
    """Return the number of the first line that differs, and what is there before and after."""
    old, new = before.split("\n"), after.split("\n")
    first = 0
    while old[first : first + 1] == new[first : first + 1]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    line, mutant = (_one_line(" ".join(lines[first : len(lines) - last])) for lines in (old, new))
    return first + 1, line, mutant


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _need_reason(reason: str) -> None:
    if not reason.strip():
        raise ValueError("the reason is missing; write why no test can notice this mutant")
