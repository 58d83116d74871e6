"""Visible checks of stage 04: how the program is built, as far as a program can see that.

They read your files and never run them. What they find is shown with the line that it is in.
"""

import ast
import warnings

import pytest

MODULES = ["table", "console", "own_tests"]
DEALT = [["2C"], ["3C"], ["4C"], ["5C"]]
DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
OF_NAMED_TUPLES = {"_replace", "_asdict", "_make", "_fields"}
LONGEST = 200_000  # characters of a module that are looked at
WIDEST, MOST = 50, 4  # characters of a line, and lines, that are shown


@pytest.fixture
def deal(cards, table):
    """A deal of four cards, one for each seat."""
    return table.Deal([cards.Hand([cards.Card.parse(code)]) for code in ("2C", "3C", "4C", "5C")])


@pytest.fixture
def finds(source, table, deal):
    """Reads one of your modules; what is still unwritten comes back, and what the search finds."""

    def call(search, module, *names):
        if [[str(card) for card in deal.hand(seat)] for seat in table.Seat] != DEALT:
            return ["a table that does not deal yet: of that, no design can be judged"]
        tree, lines = tree_of(source, module), source[module].splitlines()
        found = [*list(unwritten(tree))[:1], *search(tree, *names)]
        told = [f"line {at} ({shortened(lines, at)}): {what}" for at, what in found[:MOST]]
        return [*told, f"and {len(found) - MOST} more"] if len(found) > MOST else told

    return call


@pytest.fixture
def screen(stdlib):
    """What is printed during the test."""
    sys = stdlib("sys")
    before, sys.stdout = sys.stdout, stdlib("io").StringIO()
    yield sys.stdout
    sys.stdout = before


def tree_of(source, module):
    """The module's syntax tree."""
    text = source[module]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text if len(text) < LONGEST else "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pytest.fail(f"{module}.py cannot be read: is an expression nested hundreds of times?")


def shortened(lines, number):
    """The text of the line; in a notebook its number alone would not say where it is."""
    text = lines[number - 1].strip() if number <= len(lines) else ""
    return text if len(text) <= WIDEST else f"{text[:WIDEST]} ..."


def unwritten(tree):
    """What still stands as in the outline: of that, no design can be judged."""
    for node in ast.walk(tree):
        match node:
            case ast.Raise(ast.Call(ast.Name("NotImplementedError"), [ast.Constant(str(text))])):
                if text.startswith("Task "):
                    yield node.lineno, "not written yet"
    if not any(isinstance(node, DOCUMENTED) for node in tree.body):
        yield 1, "not written yet"


def using(tree, *names):
    """Every place where one of these names stands, and not behind a dot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            yield node.lineno, f"`{node.id}`"


def calling(tree, *names):
    """Every place where something is called by one of these names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from using(node.func, *names)


def importing(tree, *names):
    """Every place where one of these modules is imported."""
    for node in ast.walk(tree):
        for name in {module.partition(".")[0] for module in modules_of(node)} & set(names):
            yield node.lineno, f"imports `{name}`"


def modules_of(node):
    """The modules that are imported here, if this is an import."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def reaching(tree):
    """Every place where one object's variables are looked into or set from outside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not own(node.value):
            if is_private(node.attr):
                yield node.lineno, f"`{node.attr}` belongs to another object: call a method"
            elif not isinstance(node.ctx, ast.Load):
                yield node.lineno, f"`{node.attr}` is set from outside: call a method"


def own(node):
    """Is this `self` or `cls`?"""
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def is_private(name):
    """Does the name begin with an underscore, and is it not one of those that are for all?"""
    return name.startswith("_") and not (name.endswith("__") or name in OF_NAMED_TUPLES)


def undocumented(tree):
    """Every class, function and method without a docstring."""
    bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    for node in (node for body in bodies for node in body):
        if isinstance(node, DOCUMENTED) and not (ast.get_docstring(node) or "").strip():
            yield node.lineno, f"`{node.name}` does not say what it does"


@pytest.mark.task("keep-things-apart")
def test_the_table_neither_reads_nor_writes(finds):
    """The table only computes: nothing in it prints, asks or opens.

    Then it can be tested without a keyboard, and shown on any screen.
    """
    assert finds(using, "table", "print", "input", "open", "breakpoint") == []
    assert finds(importing, "table", "sys", "io", "os", "builtins", "logging", "console") == []


@pytest.mark.task("keep-things-apart")
def test_the_console_knows_no_rule(finds):
    """The console only reads and writes: the rules, and chance, are the table's business.

    A rule that is written in two places will one day be two rules.
    """
    assert finds(importing, "console", "legal", "random") == []


@pytest.mark.task("keep-things-apart")
def test_the_console_reads_and_writes_as_it_is_told(finds):
    """The console calls what it was given to read and to write, and not `input` and `print`.

    Only so can somebody else, such as a test, sit at its keyboard.
    """
    assert finds(calling, "console", "print", "input") == []


@pytest.mark.task("keep-things-apart")
@pytest.mark.parametrize("module", MODULES)
def test_no_object_reaches_into_another(finds, module):
    """No object looks into another one's variables or sets them: it asks.

    What nobody else touches can be changed without breaking anybody else.
    """
    assert finds(reaching, module) == []


@pytest.mark.task("keep-things-apart")
@pytest.mark.parametrize("module", MODULES)
def test_everything_says_what_it_does(finds, module):
    """Every class, function and method has a docstring.

    One who reads your program should not have to guess.
    """
    assert finds(undocumented, module) == []


@pytest.mark.task("keep-things-apart")
def test_playing_a_card_is_silent(screen, cards, deal):
    """While a card is played, nothing is printed."""
    deal.play(cards.Card.parse("2C"))
    assert [screen.getvalue(), [str(card) for card in deal.trick]] == ["", ["2C"]]
