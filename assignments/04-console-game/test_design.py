"""Visible checks of stage 04: those rules of good design that a program can check.

They read your files. What they find is shown with its line.
"""

import ast

import pytest
from hearts_course.python_source import UNPARSABLE, parsed

MODULES = ["table", "console", "own_tests"]
DEALT = [["2C"], ["3C"], ["4C"], ["5C"]]
DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
OF_NAMED_TUPLES = {"_replace", "_asdict", "_make", "_fields"}
PRINTED = """
from contextlib import redirect_stdout
from io import StringIO
screen = StringIO()
with redirect_stdout(screen):
    deal.play(card)
screen
"""
MAX_TEXT = 200_000  # characters; a longer module is read as an empty one
MAX_WIDTH, MAX_SHOWN = 50, 4  # characters of a line, and findings, in a message


@pytest.fixture
def deal(cards, table):
    """A deal of four cards, one for each seat."""
    return table.Deal([cards.Hand([cards.Card.parse(code)]) for code in ("2C", "3C", "4C", "5C")])


@pytest.fixture
def finds(source, table, deal):
    """Return a function that searches one of your modules and lists what it finds."""

    def call(search, module, *names):
        if [[str(card) for card in deal.hand(seat)] for seat in table.Seat] != DEALT:
            return ["your table does not deal yet: finish task 3 first"]
        tree, lines = tree_of(source, module), source[module].splitlines()
        found = [*list(unwritten(tree))[:1], *search(tree, *names)]
        shown = [
            f"{module}.py, line {at} ({shortened(lines, at)}): {what}"
            for at, what in found[:MAX_SHOWN]
        ]
        hidden = len(found) - len(shown)
        return [*shown, f"and {hidden} more"] if hidden else shown

    return call


def tree_of(source, module):
    """Return the module's syntax tree."""
    text = source[module]
    try:
        return parsed(text if len(text) < MAX_TEXT else "")
    except (RecursionError, MemoryError):
        pytest.fail(f"Python cannot read {module}.py: is an expression nested hundreds of times?")
    except SyntaxError as error:
        pytest.fail(f"Python cannot read {module}.py, line {error.lineno}: {error.msg}")
    except UNPARSABLE as error:
        pytest.fail(f"Python cannot read {module}.py: {error}")


def shortened(lines, number):
    """Return the text of the line: in a notebook, its number alone does not say where it is."""
    text = lines[number - 1].strip() if number <= len(lines) else ""
    return text if len(text) <= MAX_WIDTH else f"{text[:MAX_WIDTH]} ..."


def unwritten(tree):
    """Yield what is still as in the outline."""
    for node in ast.walk(tree):
        match node:
            case ast.Raise(ast.Call(ast.Name("NotImplementedError"), [ast.Constant(str(text))])):
                if text.startswith("Task "):
                    yield node.lineno, "not written yet"
    if not any(isinstance(node, DOCUMENTED) for node in tree.body):
        yield 1, "not written yet"


def using(tree, *names):
    """Yield every place where one of these names occurs, except behind a dot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            yield node.lineno, f"`{node.id}`"


def calling(tree, *names):
    """Yield every place where something is called by one of these names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from using(node.func, *names)


def importing(tree, *names):
    """Yield every place where one of these modules is imported."""
    for node in ast.walk(tree):
        for name in {module.partition(".")[0] for module in modules_of(node)} & set(names):
            yield node.lineno, f"imports `{name}`"


def modules_of(node):
    """Return the modules that are imported here, if this is an import."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def reaching(tree):
    """Yield every place where an object's variables are read or set from outside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not own(node.value):
            if is_private(node.attr):
                yield node.lineno, f"`{node.attr}` belongs to another object: call a method"
            elif not isinstance(node.ctx, ast.Load):
                yield node.lineno, f"`{node.attr}` is set from outside: call a method"


def own(node):
    """Return whether this is `self` or `cls`."""
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def is_private(name):
    """Return whether the name is private: not `__init__`, and not one that named tuples share."""
    return name.startswith("_") and not (name.endswith("__") or name in OF_NAMED_TUPLES)


def undocumented(tree):
    """Yield every class, function and method without a docstring."""
    bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    for node in (node for body in bodies for node in body):
        if isinstance(node, DOCUMENTED) and not (ast.get_docstring(node) or "").strip():
            yield node.lineno, f"`{node.name}` has no docstring"


@pytest.mark.task("keep-things-apart")
def test_the_table_neither_reads_nor_writes(finds):
    """The table only computes: it does not print, ask or open anything.

    So it can be tested without a keyboard and shown on any screen.
    """
    assert finds(using, "table", "print", "input", "open", "breakpoint") == []
    assert finds(importing, "table", "sys", "io", "os", "builtins", "logging", "console") == []


@pytest.mark.task("keep-things-apart")
def test_the_console_knows_no_rule(finds):
    """The console only reads and writes; rules and random choices belong in the table.

    If a rule is written in two places, somebody will change it in only one of them.
    """
    assert finds(importing, "console", "legal", "random") == []


@pytest.mark.task("keep-things-apart")
def test_the_console_calls_what_it_was_given(finds):
    """The console calls the `read` and `write` that it was given, not `input` and `print`.

    Only then can a test play the part of the user.
    """
    assert finds(calling, "console", "print", "input") == []


@pytest.mark.task("keep-things-apart")
@pytest.mark.parametrize("module", MODULES)
def test_no_object_reaches_into_another(finds, module):
    """No object reads or sets another object's variables; it calls a method.

    If no other object uses a variable, you can change it and break nothing else.
    """
    assert finds(reaching, module) == []


@pytest.mark.task("keep-things-apart")
@pytest.mark.parametrize("module", MODULES)
def test_everything_has_a_docstring(finds, module):
    """Every class, function and method has a docstring.

    A person who reads your program should not have to guess.
    """
    assert finds(undocumented, module) == []


@pytest.mark.task("keep-things-apart")
def test_playing_a_card_is_silent(cards, deal, typed):
    """Playing a card prints nothing."""
    screen = typed(PRINTED, deal=deal, card=cards.Card.parse("2C"))
    assert [screen.getvalue(), [str(card) for card in deal.trick]] == ["", ["2C"]]
