"""Rewrite a module so that it behaves as before but its text differs each time.

A student's test can read the text of the module that it is tried on. So every module, correct or
wrong, loses what identifies it: docstrings, comments, private names, and annotations except those
on the fields of a class. Then random harmless changes are made everywhere, also in the wrong part
of a wrong module.

A module is parsed once. Each part that can be changed becomes a placeholder, called a place, such
as `PLACE_12_`. Each disguise fills all places anew:

    return PLACE_3_        return (totals[x4711] >= 100)
                           x12341 = ((102 - 2) <= totals[x8150]); return x12341
"""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeVar

Body = TypeVar("Body", ast.Module, ast.ClassDef, ast.FunctionDef)
Fill = Callable[[Random], str]  # makes the text for a place, perhaps with other places in it
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
MIRRORED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}
MIRRORED |= {ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}
HALF = 0.5
PLACE = re.compile(r"(PLACE|NAME)_(\d+)_")
IDLE_VALUES = (None, True, 0, 1, 26, 100, "")


def disguised(text: str, promised: frozenset[str], rng: Random) -> str:
    """Return a new text for the module `text`, which behaves as before.

    `rng` chooses how the new text looks. The names in `promised` stay, because the brief promises
    them.
    """
    return _template(text, promised).filled(rng)


@dataclass(frozen=True)
class Template:
    """A module's text in which places stand for its own names and for code with several forms.

    `names` is the number of names that a disguise replaces. `fills` has a function for each place
    that is not for a name; the function returns the text for that place.
    """

    text: str
    names: int
    fills: list[Fill]

    def filled(self, rng: Random) -> str:
        """Return the module with a random name, or a random form, in each place."""
        names = [f"x{number}" for number in rng.sample(range(1000, 10000), self.names)]

        def fill(place: re.Match[str]) -> str:
            number = int(place[2])
            if place[1] == "NAME":
                return names[number]
            return PLACE.sub(fill, self.fills[number](rng))

        return PLACE.sub(fill, self.text)


@cache
def _template(text: str, promised: frozenset[str]) -> Template:
    """Return the module's template. It is made once and serves for all disguises of the module."""
    tree = ast.parse(_stripped(text, promised))
    names, attributes = _own_names(tree, promised)
    own_names = sorted({*names, *attributes})
    places = {name: f"NAME_{number}_" for number, name in enumerate(own_names)}
    _Renamed(
        {name: places[name] for name in names}, {name: places[name] for name in attributes}
    ).visit(tree)
    changeable = _Changeable()
    changeable.visit(tree)
    return Template(changeable.text_of(tree), len(own_names), changeable.fills)


def _stripped(text: str, promised: frozenset[str]) -> str:
    """Return the module as `_Plain` changes it, without unused definitions and unused imports."""
    tree = _Plain().visit(ast.parse(text))
    while _drop_unused(tree, promised):
        continue
    return ast.unparse(ast.fix_missing_locations(tree))


class _Plain(ast.NodeTransformer):
    """Remove all docstrings. Also remove annotations, except those on the fields of a class."""

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
    """Remove unused definitions and imports, and return whether anything was removed."""
    used = set(promised)
    nodes = list(ast.walk(tree))
    for node in nodes:
        match node:
            case ast.Name(name) | ast.Attribute(_, name) | ast.Constant(str(name)):
                used.add(name)
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef):
            _drop_unused_imports(node.body, used)
            node.body = [part for part in node.body if _is_needed(part, used)] or [ast.Pass()]
    return len(list(ast.walk(tree))) < len(nodes)


def _drop_unused_imports(body: list[ast.stmt], used: set[str]) -> None:
    """Remove unused names from `from` imports.

    If no name is left, `_is_needed` rejects the import.
    """
    for node in body:
        if isinstance(node, ast.ImportFrom):
            node.names = [name for name in node.names if name.name in used]


def _is_needed(node: ast.stmt, used: set[str]) -> bool:
    if isinstance(node, ast.ImportFrom):
        return bool(node.names)
    return not isinstance(node, DEFINITIONS) or node.name in used or node.name.startswith("__")


def _own_names(tree: ast.Module, promised: frozenset[str]) -> tuple[list[str], list[str]]:
    """Return two lists of the module's own names, which a disguise replaces.

    The first list is for names that stand alone, such as variables. The second list is for
    attributes. The names of functions, methods and classes are in both lists. Both lists are
    sorted, so that only the random numbers decide the new names.
    """
    nodes = list(ast.walk(tree))
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg | ast.keyword)}
    targets = [node.target for node in nodes if isinstance(node, ast.AnnAssign)]
    fields = {target.id for target in targets if isinstance(target, ast.Name)}
    defined = {node.name for node in nodes if isinstance(node, DEFINITIONS)}
    set_on_self = {n.attr for n in nodes if isinstance(n, ast.Attribute) and _is_set(n)}
    variables = {node.id for node in nodes if isinstance(node, ast.Name) and _is_set(node)}
    kept = {*promised, *fields, *(name for name in arguments if name)}
    names = (defined | variables) - kept
    attributes = (defined | set_on_self) - kept
    return _without_special(names), _without_special(attributes)


def _without_special(names: set[str]) -> list[str]:
    """Return the names in order, without special names such as `__init__`."""
    return sorted(name for name in names if not name.startswith("__"))


def _is_set(node: ast.Name | ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store)


class _Renamed(ast.NodeTransformer):
    """Replace names and attributes, and also strings that name an attribute, as in `getattr`."""

    def __init__(self, names: dict[str, str], attributes: dict[str, str]) -> None:
        self._names = names
        self._attributes = attributes

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


class _Changeable(ast.NodeTransformer):
    """Put a place such as `PLACE_12_` in the module wherever a harmless change is possible.

    A disguise changes each expression with a probability of one half. It inserts one idle statement
    in each function on average, and always shuffles the functions.
    """

    def __init__(self) -> None:
        self.fills: list[Fill] = []
        self._orders: list[int] = []  # the numbers of the places in which functions are shuffled

    def text_of(self, tree: ast.Module) -> str:
        """Return the module's text.

        One place stands for all functions of the module, and one for those of each class.
        """
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        for number in self._orders:  # an inner class comes before the class around it
            mark = rf"^ *PLACE_{number}_\n"
            head, *functions, tail = re.split(mark, text, flags=re.MULTILINE)
            self.fills[number] = _in_any_order(functions)
            text = f"{head}PLACE_{number}_\n{tail}"
        return text

    def _place(self, fill: Fill) -> ast.Name:
        self.fills.append(fill)
        return ast.Name(f"PLACE_{len(self.fills) - 1}_", ast.Load())

    def _either(self, plain: ast.expr, changed: ast.expr) -> ast.expr:
        forms = [f"({ast.unparse(ast.fix_missing_locations(form))})" for form in (plain, changed)]
        return self._place(lambda rng: rng.choice(forms))

    def visit_Module(self, node: ast.Module) -> ast.Module:
        """Put the functions in random order after all other code, because they might need it."""
        self.generic_visit(node)
        node.body = self._reordered(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.generic_visit(node)
        node.body = self._reordered(node.body)
        return node

    def _reordered(self, body: list[ast.stmt]) -> list[ast.stmt]:
        functions = [part for part in body if isinstance(part, ast.FunctionDef)]
        others = [part for part in body if part not in functions]
        if not functions:
            return others
        # `text_of` will replace `_nothing`, because only `text_of` knows the functions' texts.
        mark = ast.Expr(self._place(_nothing))
        self._orders.append(len(self.fills) - 1)
        marked: list[ast.stmt] = [mark]  # `text_of` splits the text at the marks
        for function in functions:
            marked += [function, mark]
        return [*others, *marked]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Insert statements that do nothing, on average one in each function."""
        self.generic_visit(node)
        share = 1 / (len(node.body) + 1)
        gaps = [ast.Expr(self._place(lambda rng: _idle(rng, share))) for _ in node.body]
        node.body = [step for pair in zip(gaps, node.body, strict=True) for step in pair]
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        """Turn `return value` into `result = value; return result`."""
        self.generic_visit(node)
        if node.value is None:
            return node
        value = ast.unparse(ast.fix_missing_locations(node.value))
        return ast.Expr(self._place(lambda rng: _returned(rng, value)))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Turn `a < b` into `b > a`."""
        self.generic_visit(node)
        mirrored = MIRRORED.get(type(node.ops[0]))
        if len(node.ops) > 1 or mirrored is None:
            return node
        return self._either(node, ast.Compare(node.comparators[0], [mirrored()], [node.left]))

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Turn `a if c else b` into `b if not c else a`."""
        self.generic_visit(node)
        negated = ast.UnaryOp(ast.Not(), node.test)
        return self._either(node, ast.IfExp(negated, node.orelse, node.body))

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        """Turn `[...]` into `list(...)`."""
        self.generic_visit(node)
        inner = ast.GeneratorExp(node.elt, node.generators)
        return self._either(node, ast.Call(ast.Name("list", ast.Load()), [inner], []))

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Turn `100` into `102 - 2`."""
        value = node.value
        if type(value) is not int:
            return node
        return self._place(lambda rng: _number(rng, value))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        """Change nothing in an f-string, because its text must stay on one line."""
        return node


def _nothing(rng: Random) -> str:
    return ""


def _in_any_order(functions: list[str]) -> Fill:
    return lambda rng: "".join(rng.sample(functions, len(functions)))


def _idle(rng: Random, share: float) -> str:
    """Return a line of statements that do nothing; usually the line is empty."""
    steps = []
    while rng.random() < share:
        name = _new_name(rng, last_digit=0)
        steps.append(f"{name} = {rng.choice(IDLE_VALUES)!r}")
    return "; ".join(steps)


def _new_name(rng: Random, last_digit: int) -> str:
    """Return a random name that is one digit longer than the names that `Template.filled` makes.

    `last_digit` is 0 for an idle variable and 1 for a variable that holds a returned value, so
    these names always differ.
    """
    return f"x{rng.randrange(1000, 10000)}{last_digit}"


def _returned(rng: Random, value: str) -> str:
    if rng.random() < HALF:
        return f"return {value}"
    name = _new_name(rng, last_digit=1)
    return f"{name} = {value}; return {name}"


def _number(rng: Random, value: int) -> str:
    if rng.random() < HALF:
        return repr(value)
    added = rng.randrange(1, 9)
    return f"({value + added} - {added})"
