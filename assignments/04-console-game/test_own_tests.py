"""Visible checks of stage 04: your own tests, on your own table and on other correct ones."""

import ast
from pathlib import Path

import pytest
from hearts_course.python_source import UNPARSABLE, parsed
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.worker.protocol import ProtocolError
from hearts_course.testing.own_tests import NOT_ALL_PASS, WITHOUT_FILES

GAMES = Path(__file__).parents[2] / "autograder/stages/04-console-game" / "games" / "wheats"
CORRECT = {
    ast.get_docstring(ast.parse(text)).splitlines()[0]: text
    for text in (path.read_text(encoding="utf-8") for path in sorted(GAMES.glob("*/table.py")))
}
AT_LEAST = 5  # tests
ENOUGH = "A rule without a test can be broken without anybody seeing it."
MAX_TEXT = 200_000  # characters of a module
MAX_WIDTH, MAX_SHOWN = 50, 3  # characters of a line, and tests, in a message
# Stands in for `console` beside other people's tables, which a student's own might not fit.
NO_CONSOLE = """
class NoConsole(Exception):
    pass

class Missing:
    def __init__(self, *args, **named):
        raise NoConsole("there is a console only beside your own table")

def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Missing
"""
ENDINGS = (RemoteError, SubmissionStopped, ProtocolError)  # ways in which a whole program may fail
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
INNER += (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@pytest.fixture
def names(source):
    """Return the names of your tests."""
    return names_of(source)


def names_of(source):
    """Return the names that begin with `test_` and are defined at the top level of your file.

    They are read from the text, because a running program could name others each time.
    """
    waiting, found = [tree_of(source)], set()
    while waiting:
        match node := waiting.pop():
            case ast.Name(name, ast.Store()) | ast.alias(asname=str(name)) | ast.alias(name):
                found.add(name)
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                found.add(name)
        inner = isinstance(node, INNER)
        waiting += [] if inner else ast.iter_child_nodes(node)
    return sorted(name for name in found if name.startswith("test_"))


def tree_of(source):
    """Return the syntax tree of `own_tests`."""
    text = source.get("own_tests", "")
    if len(text) > MAX_TEXT:
        pytest.fail(f"own_tests.py has more than {MAX_TEXT} characters")
    try:
        return parsed(text)
    except UNPARSABLE:
        pytest.fail("Python cannot read own_tests.py")


@pytest.fixture
def failing_on(own_tests, names, program_with):
    """Return a function that runs your tests on a table and returns those that fail.

    For other people's tables, it returns only that not all of them pass.
    """

    def call(table):
        if table == "your own table":
            return failing(own_tests, names)
        if table not in CORRECT:
            pytest.skip("only the grader has other tables")
        try:
            others = program_with(table=CORRECT[table], console=NO_CONSOLE)
            theirs = others.module("own_tests")
            passed = all(passes(theirs, name) for name in names)
        except ENDINGS:
            passed = False
        return [] if passed else [f"{NOT_ALL_PASS} on another table. It is: {table}"]

    return call


def missing(names):
    """Return in a sentence how many tests are missing, in no sentence if there are enough."""
    count = f"{len(names)} test{'s' if len(names) != 1 else ''}"
    enough = len(names) >= AT_LEAST
    return [] if enough else [f"{count}; the brief asks for {AT_LEAST} or more"]


def passes(own_tests, name):
    """Return whether the test passes on somebody's table, or is about the student's console.

    A name that the program does not define does no harm.
    """
    try:
        test = getattr(own_tests, name)
    except AttributeError:
        return True
    try:
        test()
    except SubmissionStopped:
        raise
    except RemoteError as error:
        return error.kind == "NoConsole"
    except Exception:
        return False
    return True


def failing(own_tests, names):
    """Return each test that fails on your own table, and how it failed."""
    failed = []
    for name in names:
        try:
            test = getattr(own_tests, name)
        except AttributeError:
            continue
        try:
            test()
        except Exception as error:
            failed.append(f"{name} fails{place_and_text(error)}")
    hidden = len(failed) - MAX_SHOWN
    return [*failed[:MAX_SHOWN], f"and {hidden} more"] if hidden > 0 else failed


def kind(error):
    """Return the kind of the error, unless it is an AssertionError."""
    return "" if isinstance(error, AssertionError) else f": {type(error).__name__}"


def place_and_text(error):
    """Return the line of `own_tests` that failed, and any error but an AssertionError."""
    file, line, text = getattr(error, "where", None) or ("", 0, "")
    where = f", line {line} ({shortened(text)})" if file == "own_tests.py" else ""
    what = f"{kind(error)}: {error}" if kind(error) else ""
    lacks_file = isinstance(error, FileNotFoundError | PermissionError)
    return f"{where}{what}" + (f"; {WITHOUT_FILES}" if lacks_file else "")


def shortened(text):
    """Return as much of a line as fits in a message."""
    return text if len(text) <= MAX_WIDTH else f"{text[:MAX_WIDTH]} ..."


@pytest.mark.task("test-the-table")
def test_there_are_tests_and_they_pass(failing_on, names):
    """You have at least five tests, and all of them pass on your own table.

    If a test fails, either the test or your table is wrong.
    """
    assert failing_on("your own table") == []
    assert missing(names) == [], ENOUGH


@pytest.mark.task("test-the-table")
@pytest.mark.parametrize("table", [*CORRECT] or ["A correct table."])
def test_they_pass_on_every_correct_table(failing_on, names, table):
    """Your tests pass on every table that does what the brief says, however it is written.

    If the check of your own table names the test, the test or your table is wrong. If not, one of
    these may be the reason; the grader cannot show which. A test asks for more than the brief
    promises: an order of cards where any order is allowed, the words of an error, or the name of a
    variable. Or the tests import from `table` what only your own table has. Or one of your modules
    of earlier stages fails beside a table that calls it in another way.
    """
    assert failing_on(table) == []
    assert missing(names) == [], ENOUGH
