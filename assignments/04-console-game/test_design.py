"""Visible checks of stage 04: how the program is built, as far as a program can see that.

They read your files and never run them. What they find is shown with the line that it is in.
"""

import ast

import pytest

MODULES = ["table", "console", "own_tests"]
DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
TALKING = {"print", "input", "open", "breakpoint"}
TALKERS = {"sys", "io", "os", "builtins", "logging", "console"}
RULES = {"legal", "random"}
LONGEST = 200_000  # characters of a module that are looked at
WIDEST, MOST = 50, 4  # characters of a line, and lines, that are shown


@pytest.fixture
def places(source):
    """The places in a module that a rule objects to: line, text, and what is wrong there."""

    def find(rule, module):
        tree = tree_of(source, module)
        found = [*list(unwritten(tree))[:1], *rule(tree)]
        lines = source[module].splitlines()
        told = [f"line {at} ({shortened(lines, at)}): {what}" for at, what in found[:MOST]]
        return [*told, f"and {len(found) - MOST} more"] if len(found) > MOST else told

    return find


def tree_of(source, module):
    """The module's syntax tree."""
    text = source[module]
    try:
        return ast.parse(text if len(text) < LONGEST else "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pytest.fail(f"Python cannot read {module}.py")


def shortened(lines, number):
    """The text of the line; in a notebook its number alone would not say where it is."""
    text = lines[number - 1].strip() if number <= len(lines) else ""
    return text if len(text) <= WIDEST else f"{text[:WIDEST]} ..."


def names_in(node):
    """Every name that is used in a part of the tree."""
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def imported(tree, modules):
    """Every import of one of these modules."""
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in sorted(modules.intersection(name.partition(".")[0] for name in names)):
            yield node.lineno, f"imports {name}"


def own(node):
    """Is this `self` or `cls`?"""
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def is_private(name):
    """Does the name begin with an underscore, and is it not one of Python's own?"""
    return name.startswith("_") and not name.endswith("__")


def unwritten(tree):
    """What still stands as in the outline: of that, no design can be judged."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and "NotImplementedError" in names_in(node):
            yield node.lineno, "not written yet"
    if not any(isinstance(node, DOCUMENTED) for node in tree.body):
        yield 1, "not written yet"


def that_read_or_write(tree):
    """Every use of a function that reads or writes, and every import of a module that can."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in TALKING:
            yield node.lineno, f"{node.id} reads or writes"
    yield from imported(tree, TALKERS)


def that_know_rules(tree):
    """Every import of the rules, or of chance."""
    yield from imported(tree, RULES)


def that_call_print_or_input(tree):
    """Every call of `print` or `input` by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "input"):
            yield node.lineno, f"calls {ast.unparse(node.func)}"


def that_reach_into_another(tree):
    """Every place where one object's variables are looked into or set from outside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not own(node.value):
            if is_private(node.attr):
                yield node.lineno, f"{node.attr} belongs to another object: call a method"
            elif not isinstance(node.ctx, ast.Load):
                yield node.lineno, f"{node.attr} is set from outside: call a method"


def without_a_docstring(tree):
    """Every class, function and method without a docstring."""
    bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    for node in (node for body in bodies for node in body):
        if isinstance(node, DOCUMENTED) and not (ast.get_docstring(node) or "").strip():
            yield node.lineno, f"{node.name} does not say what it does"


@pytest.mark.task("keep-things-apart")
def test_the_table_neither_reads_nor_writes(places):
    """The table only computes: nothing in it prints, asks or opens.

    Then it can be tested without a keyboard, and shown on any screen.
    """
    assert places(that_read_or_write, "table") == []


@pytest.mark.task("keep-things-apart")
def test_the_console_knows_no_rule(places):
    """The console only reads and writes: the rules, and chance, are the table's business.

    A rule that is written in two places will one day be two rules.
    """
    assert places(that_know_rules, "console") == []


@pytest.mark.task("keep-things-apart")
def test_the_console_reads_and_writes_as_it_is_told(places):
    """The console calls what it was given to read and to write, and not `input` and `print`.

    Only so can somebody else, such as a test, sit at its keyboard.
    """
    assert places(that_call_print_or_input, "console") == []


@pytest.mark.task("keep-things-apart")
@pytest.mark.parametrize("module", MODULES)
def test_no_object_reaches_into_another(places, module):
    """No object looks into another one's variables or sets them: it asks.

    What nobody else touches can be changed without breaking anybody else.
    """
    assert places(that_reach_into_another, module) == []


@pytest.mark.task("keep-things-apart")
@pytest.mark.parametrize("module", MODULES)
def test_everything_says_what_it_does(places, module):
    """Every class, function and method has a docstring.

    One who reads your program should not have to guess.
    """
    assert places(without_a_docstring, module) == []


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
