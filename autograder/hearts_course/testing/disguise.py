"""Rewrite a module so that it behaves as before but its text differs each time.

A student's test can read the text of the module that it is tried on. So every module, correct or
wrong, loses what identifies it (docstrings, comments, annotations, private names). Then it gets
random harmless changes everywhere, also in the wrong part of a wrong module.
"""

import ast
from functools import cache
from random import Random
from typing import TypeVar

Body = TypeVar("Body", ast.Module, ast.ClassDef, ast.FunctionDef)
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
MIRRORED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}
MIRRORED |= {ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}
HALF = 0.5


def disguised(text: str, promised: frozenset[str], rng: Random) -> str:
    """Return a module that behaves like this one; the generator decides what it looks like.

    Names that the brief promises are kept.
    """
    tree = ast.parse(_stripped(text, promised))
    names, attributes = _own_names(tree, promised)
    both = sorted({*names, *attributes})
    numbers = rng.sample(range(1000, 10000), len(both))
    fresh = {name: f"x{number}" for name, number in zip(both, numbers, strict=True)}
    _Renamed(
        {name: fresh[name] for name in names}, {name: fresh[name] for name in attributes}
    ).visit(tree)
    _Changed(rng).visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


@cache
def _stripped(text: str, promised: frozenset[str]) -> str:
    """Return the module without docstrings and annotations, and without what no test may use."""
    tree = _Plain().visit(ast.parse(text))
    while _drop_unused(tree, promised):
        continue
    return ast.unparse(ast.fix_missing_locations(tree))


class _Plain(ast.NodeTransformer):
    """Remove docstrings and annotations, except those of the fields of a data class."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self.generic_visit(node)
        return _without_docs(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
        node.body = [part if part in fields else self.visit(part) for part in node.body]
        return _without_docs(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.returns = None
        return _without_docs(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(node.arg)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return ast.Pass()
        return ast.Assign([node.target], node.value, lineno=node.lineno)


def _without_docs(node: Body) -> Body:
    if ast.get_docstring(node) is not None:
        node.body = node.body[1:] or [ast.Pass()]
    return node


def _drop_unused(tree: ast.Module, promised: frozenset[str]) -> bool:
    """Remove definitions and imports that are not used; return whether there were any."""
    used, nodes = set(promised), list(ast.walk(tree))
    for node in nodes:
        match node:
            case ast.Name(name) | ast.Attribute(_, name) | ast.Constant(str(name)):
                used.add(name)
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef):
            node.body = [part for part in node.body if _is_needed(part, used)] or [ast.Pass()]
    return len(list(ast.walk(tree))) < len(nodes)


def _is_needed(node: ast.stmt, used: set[str]) -> bool:
    if isinstance(node, ast.ImportFrom):
        node.names = [name for name in node.names if name.name in used]
        return bool(node.names)
    return not isinstance(node, DEFINITIONS) or node.name in used or node.name.startswith("__")


def _own_names(tree: ast.Module, promised: frozenset[str]) -> tuple[list[str], list[str]]:
    """Return the module's own names: of variables and functions, and of attributes.

    Both lists are sorted, so that only the generator decides the new names.
    """
    nodes = list(ast.walk(tree))
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg | ast.keyword)}
    targets = [node.target for node in nodes if isinstance(node, ast.AnnAssign)]
    fields = {target.id for target in targets if isinstance(target, ast.Name)}
    defined = {node.name for node in nodes if isinstance(node, DEFINITIONS)}
    set_on_self = {n.attr for n in nodes if isinstance(n, ast.Attribute) and _is_set(n)}
    variables = {node.id for node in nodes if isinstance(node, ast.Name) and _is_set(node)}
    kept = {*promised, *fields, *(name for name in arguments if name)}
    names, attributes = (
        sorted(name for name in found - kept if not name.startswith("__"))
        for found in (defined | variables, defined | set_on_self)
    )
    return names, attributes


def _is_set(node: ast.Name | ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store)


class _Renamed(ast.NodeTransformer):
    """Rename these names, even where a text names an attribute."""

    def __init__(self, names: dict[str, str], attributes: dict[str, str]) -> None:
        self._names, self._attributes = names, attributes

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = self._attributes.get(node.attr, node.attr)
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str):
            node.value = self._attributes.get(node.value, node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._renamed(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._renamed(node)

    def _renamed(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        node.name = self._names.get(node.name, node.name)
        return self.generic_visit(node)


class _Changed(ast.NodeTransformer):
    """Make harmless changes, each with a probability of one half."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def _heads(self) -> bool:
        return self._rng.random() < HALF

    def visit_Module(self, node: ast.Module) -> ast.Module:
        """Put the functions in any order, after everything that they might need."""
        self.generic_visit(node)
        node.body = self._reordered(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.generic_visit(node)
        node.body = self._reordered(node.body)
        return node

    def _reordered(self, body: list[ast.stmt]) -> list[ast.stmt]:
        functions = [part for part in body if isinstance(part, ast.FunctionDef)]
        self._rng.shuffle(functions)
        return [*(part for part in body if part not in functions), *functions]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Insert statements that do nothing."""
        self.generic_visit(node)
        while self._heads():
            node.body.insert(self._rng.randrange(len(node.body)), self._idle())
        return node

    def _idle(self) -> ast.stmt:
        unused: ast.expr = ast.Name(f"x{self._rng.randrange(1000, 10000)}0", ast.Store())
        value = ast.Constant(self._rng.choice((None, True, 0, 1, 26, 100, "")))
        return ast.Assign([unused], value, lineno=0)

    def visit_Return(self, node: ast.Return) -> ast.stmt | list[ast.stmt]:
        """Turn `return value` into `result = value; return result`."""
        self.generic_visit(node)
        if node.value is None or self._heads():
            return node
        name = f"x{self._rng.randrange(1000, 10000)}1"
        kept = ast.Assign([ast.Name(name, ast.Store())], node.value, lineno=0)
        return [kept, ast.Return(ast.Name(name, ast.Load()))]

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Turn `a < b` into `b > a`."""
        self.generic_visit(node)
        mirrored = MIRRORED.get(type(node.ops[0]))
        if len(node.ops) > 1 or mirrored is None or self._heads():
            return node
        return ast.Compare(node.comparators[0], [mirrored()], [node.left])

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Turn `a if c else b` into `b if not c else a`."""
        self.generic_visit(node)
        if self._heads():
            return node
        return ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        """Turn `[...]` into `list(...)`."""
        self.generic_visit(node)
        if self._heads():
            return node
        inner = ast.GeneratorExp(node.elt, node.generators)
        return ast.Call(ast.Name("list", ast.Load()), [inner], [])

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Turn `100` into `102 - 2`."""
        if type(node.value) is not int or self._heads():
            return node
        more = self._rng.randrange(1, 9)
        return ast.BinOp(ast.Constant(node.value + more), ast.Sub(), ast.Constant(more))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        return node
