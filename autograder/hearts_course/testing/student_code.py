"""A test's code as a student would write it at a prompt, with the names in the student's modules.

    cards.Card.parse("QS")         Card.parse("QS")
    getattr(legal, "HEART")        HEART
    each(deal.play, some_cards)    for card in some_cards: deal.play(card)
    typed("sheet.rows.clear()")    sheet.rows.clear()
    stdlib("random").Random(7)     random.Random(7), with `import random` before it
    make(cards, "QS")              make("QS")

A message also lists what a test uses but a student lacks: the suite's helpers, its longer
constants, and imports.
"""

import ast
import builtins
import inspect
import textwrap
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hearts_course.python_source import code_text

PLAIN = (type(None), bool, int, float, str, bytes, list, tuple, set, frozenset, dict)
NOT_FOR_STUDENTS = frozenset({"source", "program_with", "run", "start", "once"})
MAX_FILLED = 80  # characters; a longer constant is not put in place of its name


@dataclass(frozen=True)
class TestCode:
    """A test's function, the values of its parameters, and the fixtures that it may use.

    `fixtures` are the suite's own, by name; `modules` are the names of the program's modules.
    `in_kernel` says that the reader is in a notebook whose kernel has the program's names.
    Elsewhere, the reader has to import these names before trying the code. `may_give_none` returns
    the names of the program's functions and methods for which None can be a right answer.
    """

    __test__ = False

    function: Callable[..., Any]
    values: Mapping[str, Any] = field(default_factory=dict)
    fixtures: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    modules: Collection[str] = ()
    in_kernel: bool = False
    may_give_none: Callable[[], Collection[str]] = frozenset

    @property
    def names(self) -> Mapping[str, Any]:
        """The global names of the suite's file, each with its value."""
        names: Mapping[str, Any] = inspect.unwrap(self.function).__globals__
        return names


class ForStudents(ast.NodeTransformer):
    """Writes a test's code as a student would; `imports` are the modules that the result needs."""

    def __init__(self, code: TestCode, filled: Mapping[str, Any]) -> None:
        """`filled` maps names to the values that take their place."""
        self._code = code
        self._filled = filled
        self.imports: set[str] = set()
        self.names_from: set[tuple[str, str]] = set()  # pairs of a module and a name in it

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Put in the value of a parameter or a constant."""
        if isinstance(node.ctx, ast.Load) and node.id in self._filled:
            return _literal(self._filled[node.id])
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Leave out the program's modules and `builtins`; write an error's class as students do."""
        # Suites call an error `refused` in `with pytest.raises(...)`, and `error` in an `except`.
        match node:
            case ast.Attribute(ast.Attribute(ast.Name("refused") as error, "value"), "kind"):
                return _class_name(error)
            case ast.Attribute(ast.Name("error") as error, "kind"):
                return _class_name(error)
            case ast.Attribute(ast.Name("refused"), "value"):
                return node.value
        self.generic_visit(node)
        match node.value:
            case ast.Name(name) if name in self._code.modules or name == "builtins":
                self.imports.discard(name)
                if name != "builtins":
                    self.names_from.add((name, node.attr))
                return ast.Name(node.attr, node.ctx)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Leave out the helpers that only a test needs to reach the program."""
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("each"), [function, items]):
                call = ast.Call(function, [_name("x")], [])
                return ast.ListComp(call, [_loop(_stored("x"), items)])
            case ast.Call(ast.Name("each"), [function, first, second]):
                call = ast.Call(function, [_name("x"), _name("y")], [])
                pairs = ast.Call(_name("zip"), [first, second], [])
                target = ast.Tuple([_stored("x"), _stored("y")], ast.Store())
                return ast.ListComp(call, [_loop(target, pairs)])
            case ast.Call(ast.Name("stdlib"), [ast.Constant(str(name))]):
                self.imports.add(name)
                return ast.parse(name, mode="eval").body
            case ast.Call(ast.Name("getattr"), [owner, ast.Constant(str(name))]):
                if isinstance(owner, ast.Name) and owner.id in self._code.modules:
                    self.names_from.add((owner.id, name))
                    return _name(name)
                return ast.Attribute(owner, name, ast.Load())
            case ast.Call(ast.Name("len"), [ast.List(items) | ast.Tuple(items)]):
                return ast.Constant(len(items))
            case ast.Call(ast.Name("typed"), [ast.Constant(str(text)), *_]):
                if isinstance(step := self._typed(text, node)[-1], ast.Expr):
                    return step.value
            case ast.Call(ast.Name(name), arguments) if name not in dir(builtins):
                node.args = [argument for argument in arguments if not self._is_module(argument)]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """If the value of the condition is known, keep only the branch that it chooses."""
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        """Write a call of `each` as a loop, and a call of `typed` as the lines that it runs."""
        match node.value:
            case ast.Call(ast.Name("each"), [function, items]):
                makes_cards = "hold" in ast.unparse(items)  # `hold` is a fixture that makes cards
                item = "card" if makes_cards else "item"
                call = ast.Expr(ast.Call(self.visit(function), [_name(item)], []))
                return ast.For(_stored(item), self.visit(items), [call], [])
            case ast.Call(ast.Name("typed")):
                return self.typed(node.value)
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """Write a call of `stdlib` as an import, a call of `typed` as the lines that it runs."""
        match node:
            case ast.Assign([ast.Name(target)], ast.Call(ast.Name("stdlib"), [ast.Constant(name)])):
                if target == name:
                    return ast.Import([ast.alias(name)])
            case ast.Assign([target], ast.Call(ast.Name("typed")) as call):
                *lines, last = self.typed(call)
                assert isinstance(last, ast.Expr)
                if ast.unparse(target) == ast.unparse(last.value):
                    return lines
                return [*lines, ast.Assign([target], last.value, lineno=node.lineno)]
        return self.generic_visit(node)

    def typed(self, call: ast.Call) -> list[ast.stmt]:
        """Return the lines that this call of `typed` runs, with the test's own names."""
        for keyword in call.keywords:
            keyword.value = self.visit(keyword.value)
        text = self.visit(call.args[0])
        if isinstance(text, ast.Name):
            text = ast.Constant(self._code.names.get(text.id))
        if not isinstance(text, ast.Constant) or type(text.value) is not str:
            return [ast.Expr(call)]
        return self._typed(text.value, call)

    def _typed(self, text: str, call: ast.Call) -> list[ast.stmt]:
        """Return the text's lines, with the call's keyword arguments in place of their names."""
        names = {keyword.arg: keyword.value for keyword in call.keywords}
        steps = ast.parse(text).body
        modules = [argument.id for argument in call.args[1:] if isinstance(argument, ast.Name)]
        if len(modules) == 1:
            of_module = _free_names(steps) - names.keys()
            self.names_from |= {(modules[0], name) for name in of_module}
        return [_Renamed(names).visit(step) for step in steps]

    def _is_module(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self._code.modules


class _Renamed(ast.NodeTransformer):
    """Puts expressions in place of names."""

    def __init__(self, expressions: Mapping[str | None, ast.expr]) -> None:
        self._expressions = expressions

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Put in the expression."""
        return self._expressions.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _stored(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def _class_name(error: ast.Name) -> ast.expr:
    kind = ast.Call(_name("type"), [error], [])
    return ast.Attribute(kind, "__name__", ast.Load())


def _loop(item: ast.expr, items: ast.expr) -> ast.comprehension:
    return ast.comprehension(item, items, [], 0)


class _Escaped(str):
    """A text whose `repr` escapes letters beyond ASCII, because they may look like ASCII ones."""

    def __repr__(self) -> str:
        return ascii(str(self))


def _literal(value: Any) -> ast.expr:
    """Return a plain value as an expression."""
    if type(value) is str and any(sign.isalpha() and not sign.isascii() for sign in value):
        return ast.Constant(_Escaped(value))
    return ast.parse(repr(value), mode="eval").body


def is_plain(value: Any) -> bool:
    """Return whether a student can type the value, as its `repr` shows it.

    A list that holds a function or a class cannot be typed like this.
    """
    if type(value) not in PLAIN:
        return False
    try:
        ast.parse(repr(value), mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def given_names(code: TestCode, body: Sequence[ast.stmt]) -> dict[str, Any]:
    """Return the plain values that can take the place of names in these lines."""
    changed = stored_names(body)
    plain = {name: value for name, value in code.values.items() if is_plain(value)}
    constants = {}
    for name, value in code.names.items():
        is_constant = name.isupper() and type(value) in PLAIN
        if is_constant and len(repr(value)) <= MAX_FILLED and is_plain(value):
            constants[name] = value
    return {name: v for name, v in (constants | plain).items() if name not in changed}


def stored_names(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that get a value in these lines."""
    return {
        node.id
        for node in ast.walk(ast.Module(list(body), []))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _free_names(steps: Sequence[ast.stmt]) -> set[str]:
    """Return the names that these lines use but do not define, without built-in names."""
    nodes = [node for step in steps for node in ast.walk(step)]
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
    naming = (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler, ast.alias)
    named = {node.name for node in nodes if isinstance(node, naming)}
    defined = stored_names(steps) | arguments | named
    return used - defined - set(dir(builtins))


def helpers(code: TestCode, lines: Sequence[ast.stmt], students: ForStudents) -> list[str] | None:
    """Return what these lines need: imports, constants and helpers, as lines of Python.

    `students` is the transformer that wrote the lines. Return None if a student cannot type what
    the lines need, such as the text of the program, or the program as a script.
    """
    listed = _Listed(code)
    listed.add_needs_of(lines)
    if not listed.complete:
        return None
    modules = sorted(listed.imports | students.imports)
    names_by_module: dict[str, list[str]] = {}
    if not code.in_kernel:
        for module, name in sorted(listed.names_from | students.names_from):
            names_by_module.setdefault(module, []).append(name)
    imports = [f"import {module}" for module in modules]
    for module, names in names_by_module.items():
        imports.append(f"from {module} import {', '.join(names)}")
    return [*imports, *listed.lines]


class _Listed:
    """The definitions that some lines need, each after the definitions that it needs itself."""

    def __init__(self, code: TestCode) -> None:
        self._code = code
        self._seen: set[str] = set()
        self.imports: set[str] = set()
        self.names_from: set[tuple[str, str]] = set()
        self.lines: list[str] = []
        self.complete = True  # whether a student has all that the lines need

    def add_needs_of(self, lines: Sequence[ast.stmt]) -> None:
        """List what these lines need."""
        stored = stored_names(lines)
        for node in ast.walk(ast.Module(list(lines), [])):
            if isinstance(node, ast.Name) and node.id not in self._seen | stored:
                self._add(node.id)

    def _add(self, name: str) -> None:
        """List the lines that set the name; make `complete` False if a student cannot type them."""
        self._seen.add(name)
        if name in self._code.fixtures:
            fixture = self._code.fixtures[name]
            if not self._is_own(inspect.unwrap(fixture)):
                self.complete = False
                return
            self._add_code(_fixture_as_code(name, fixture))
        elif name in NOT_FOR_STUDENTS:
            self.complete = False
        elif name in self._code.names:
            value = self._code.names[name]
            if isinstance(value, types.ModuleType):
                self._add_module(value.__name__)
            elif isinstance(value, types.FunctionType) and self._is_own(value):
                self._add_code([_definition(value)])
            elif isinstance(value, types.FunctionType | type):
                self.lines.append(f"from {value.__module__} import {name}")
            elif is_plain(value):
                self._add_constant(name, value)
            elif isinstance(value, Path) and value.parent == self._folder:
                self.lines += ["from pathlib import Path", f"{name} = Path({value.name!r})"]
            else:
                self.complete = False

    def _add_module(self, name: str) -> None:
        """List the import of a module; students have no pytest."""
        if name == "pytest":
            self.complete = False
        else:
            self.imports.add(name)

    def _add_constant(self, name: str, value: Any) -> None:
        text = f'"""\\\n{value}"""' if type(value) is str and "\n" in value else repr(value)
        self.lines += f"{name} = {text}".splitlines()

    @property
    def _folder(self) -> Path:
        return Path(str(self._code.names["__file__"])).parent

    def _is_own(self, function: Callable[..., Any]) -> bool:
        """Return whether the test's file defines the function: students have that file."""
        return getattr(function, "__globals__", None) is self._code.names

    def _add_code(self, steps: Sequence[ast.stmt]) -> None:
        arguments = {node.arg for step in steps for node in ast.walk(step) if type(node) is ast.arg}
        inner = TestCode(self._code.function, {}, self._code.fixtures, self._code.modules)
        filled = {k: v for k, v in given_names(inner, steps).items() if k not in arguments}
        students = ForStudents(inner, filled)
        written = [students.visit(_without_modules(step, self._code.modules)) for step in steps]
        new_arguments = arguments - self._seen
        self._seen |= new_arguments  # the code itself gives the arguments their values
        self.add_needs_of(written)
        self._seen -= new_arguments  # other code may need a helper of the same name
        self.imports |= students.imports
        self.names_from |= students.names_from
        for step in written:
            self.lines += code_text(step).splitlines()


def _definition(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the function's definition, without its docstring and its decorators."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    if ast.get_docstring(definition) is not None:
        definition.body = definition.body[1:]
    return definition


def _without_modules(step: ast.stmt, modules: Collection[str]) -> ast.stmt:
    """Leave the program's modules out of a function's arguments."""
    if isinstance(step, ast.FunctionDef):
        step.args.args = [argument for argument in step.args.args if argument.arg not in modules]
    return step


def _fixture_as_code(name: str, fixture: Callable[..., Any]) -> list[ast.stmt]:
    """Return the lines that give a fixture's value to its name."""
    *steps, last = _definition(fixture).body
    match last:
        case ast.Return(ast.Lambda(arguments, value)):
            return [*steps, _function(name, arguments, [ast.Return(value)])]
        case ast.Return(ast.Name(inner)) if _is_function(steps[-1:], inner):
            definition = steps[-1]
            assert isinstance(definition, ast.FunctionDef)
            body = definition.body[1:] if ast.get_docstring(definition) else definition.body
            return [*steps[:-1], _function(name, definition.args, body)]
        case ast.Return(value) if value is not None:
            return [*steps, ast.Assign([ast.Name(name, ast.Store())], value, lineno=1)]
    return []


def _is_function(steps: Sequence[ast.stmt], name: str) -> bool:
    return any(isinstance(step, ast.FunctionDef) and step.name == name for step in steps)


def _function(name: str, arguments: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    return ast.FunctionDef(name, arguments, body, [], lineno=1)
