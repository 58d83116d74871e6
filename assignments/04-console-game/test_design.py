"""Visible checks of stage 04: how the program is built, as far as a program can see that.

They read your files and never run them. What they find is shown with the line that it is in.
"""

import ast

import pytest

MODULES = ["table", "console", "own_tests"]
DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
TALKING = {"print", "input", "open", "breakpoint"}
LONGEST = 200_000


def tree_of(source, module):
    """The module's syntax tree."""
    text = source[module]
    try:
        return ast.parse(text if len(text) < LONGEST else "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pytest.fail(f"Python cannot read {module}.py")


def unwritten(tree):
    """What still stands as in the outline: of that, no design can be judged."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and "NotImplementedError" in names_in(node):
            yield f"line {node.lineno}: not written yet"
    if not any(isinstance(node, DOCUMENTED) for node in tree.body):
        yield "line 1: not written yet"


def names_in(node):
    """Every name that is used in a part of the tree."""
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def imported(tree):
    """Every module that is imported, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0], node.lineno


def own(node):
    """Is this `self` or `cls`?"""
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def is_private(name):
    """Does the name begin with an underscore, and is it not one of Python's own?"""
    return name.startswith("_") and not name.endswith("__")


def reaching(tree):
    """Every place where one object's variables are looked into or set from outside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not own(node.value):
            if is_private(node.attr):
                yield f"line {node.lineno}: `{node.attr}` belongs to another object: call a method"
            elif not isinstance(node.ctx, ast.Load):
                yield f"line {node.lineno}: `{node.attr}` is set from outside: call a method"


def undocumented(tree):
    """Every class, function and method without a docstring."""
    bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    for node in (node for body in bodies for node in body):
        if isinstance(node, DOCUMENTED) and not (ast.get_docstring(node) or "").strip():
            yield f"line {node.lineno}: `{node.name}` does not say what it does"


@pytest.mark.task("keep-things-apart")
def test_the_table_neither_reads_nor_writes(source):
    """The table only computes: nothing in it prints, asks or opens.

    Then it can be tested without a keyboard, and shown on any screen.
    """
    tree = tree_of(source, "table")
    talks = [
        f"line {node.lineno}: `{node.id}` reads or writes"
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id in TALKING
    ]
    modules = {"sys", "io", "os", "builtins", "logging", "console"}
    talks += [f"line {at}: imports `{name}`" for name, at in imported(tree) if name in modules]
    assert [*unwritten(tree), *talks] == []


@pytest.mark.task("keep-things-apart")
def test_the_console_knows_no_rule(source):
    """The console only reads and writes: the rules, and chance, are the table's business.

    A rule that is written in two places will one day be two rules.
    """
    tree = tree_of(source, "console")
    rules = {"legal", "random"}
    knows = [f"line {at}: imports `{name}`" for name, at in imported(tree) if name in rules]
    assert [*unwritten(tree), *knows] == []


@pytest.mark.task("keep-things-apart")
def test_the_console_reads_and_writes_as_it_is_told(source):
    """The console calls what it was given to read and to write, and not `input` and `print`.

    Only so can somebody else, such as a test, sit at its keyboard.
    """
    tree = tree_of(source, "console")
    calls = [
        f"line {node.lineno}: calls `{node.func.id}`"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("print", "input")
    ]
    assert [*unwritten(tree), *calls] == []


@pytest.mark.task("keep-things-apart")
@pytest.mark.parametrize("module", MODULES)
def test_no_object_reaches_into_another(source, module):
    """No object looks into another one's variables or sets them: it asks.

    What nobody else touches can be changed without breaking anybody else.
    """
    tree = tree_of(source, module)
    assert [*unwritten(tree), *reaching(tree)] == []


@pytest.mark.task("keep-things-apart")
@pytest.mark.parametrize("module", MODULES)
def test_everything_says_what_it_does(source, module):
    """Every class, function and method has a docstring.

    One who reads your program should not have to guess.
    """
    tree = tree_of(source, module)
    assert [*unwritten(tree), *undocumented(tree)] == []


@pytest.mark.task("keep-things-apart")
def test_playing_a_card_is_silent(table, cards, stdlib):
    """While a card is played, nothing is printed."""
    hands = [cards.Hand([cards.Card.parse(code)]) for code in ("2C", "3C", "4C", "5C")]
    printed = stdlib("io").StringIO()
    sys, before = stdlib("sys"), stdlib("sys").stdout
    sys.stdout = printed
    table.Deal(hands).play(cards.Card.parse("2C"))
    sys.stdout = before
    assert printed.getvalue() == ""
