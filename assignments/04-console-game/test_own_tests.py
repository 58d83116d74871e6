"""Visible checks of stage 04: your own tests, tried on your own table and on other correct ones."""

import ast
import warnings
from pathlib import Path

import pytest
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.worker.protocol import ProtocolError

GAMES = Path(__file__).parents[2] / "autograder" / "04-console-game" / "games" / "wheats"
CORRECT = {
    ast.get_docstring(ast.parse(text)).splitlines()[0]: text
    for text in (path.read_text(encoding="utf-8") for path in sorted(GAMES.glob("*/table.py")))
}
LONGEST = 200_000  # characters of a module that are looked at
WIDEST, MOST = 50, 3  # characters of a line, and tests, that are shown
ENDINGS = (RemoteError, SubmissionStopped, ProtocolError)  # how a program may end beside its tests
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
INNER += (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@pytest.fixture
def names(source):
    """The names of your tests."""
    return names_of(source)


def names_of(source):
    """The names that your file defines at its outermost level and that begin with `test_`.

    They are read, not asked for: a program could name others each time.
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
    """The syntax tree of `own_tests`."""
    text = source.get("own_tests", "")
    if len(text) > LONGEST:
        pytest.fail(f"own_tests.py has more than {LONGEST} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pytest.fail("Python cannot read own_tests.py")


@pytest.fixture
def failing_on(own_tests, names, program_with):
    """Runs your tests on a table; those that do not pass come back.

    Of another table than your own it comes back only whether there are any.
    """

    def call(table):
        if table == "your own table":
            return failing(own_tests, names)
        if table not in CORRECT:
            pytest.skip("only the grader has other tables to try")
        try:
            theirs = program_with(table=CORRECT[table], console="").module("own_tests")
            passed = all(passes(theirs, name) for name in names)
        except ENDINGS:
            passed = False
        return [] if passed else ["one of your tests, or more"]

    return call


def passes(own_tests, name):
    """Does the test pass? One that the program does not define after all does no harm."""
    try:
        test = getattr(own_tests, name)
    except AttributeError:
        return True
    try:
        test()
    except SubmissionStopped:
        raise
    except Exception:
        return False
    return True


def failing(own_tests, names):
    """Each test that does not pass on your own table, and how it failed."""
    failed = []
    for name in names:
        try:
            test = getattr(own_tests, name)
        except AttributeError:
            continue
        try:
            test()
        except Exception as error:
            failed.append(f"{name}{place_and_text(error)}")
    return [*failed[:MOST], f"and {len(failed) - MOST} more"] if len(failed) > MOST else failed


def kind(error):
    """Of which kind the error is, if it is not that of an assert."""
    return "" if isinstance(error, AssertionError) else f": {type(error).__name__}"


def place_and_text(error):
    """The line of `own_tests` that failed, and what was raised if it was no assert."""
    file, line, text = getattr(error, "where", None) or ("", 0, "")
    where = f", line {line} ({shortened(text)})" if file == "own_tests.py" else ""
    return f"{where}{kind(error)}" + (f": {error}" if kind(error) else "")


def shortened(text):
    """As much of a line as fits in a message."""
    return text if len(text) <= WIDEST else f"{text[:WIDEST]} ..."


@pytest.mark.task("test-the-table")
def test_there_are_tests_and_they_pass(failing_on, names):
    """Your tests pass on your own table, and there are at least five of them.

    If one fails, either the test is wrong or the table is.
    """
    assert failing_on("your own table") == []
    assert len(names) >= 5


@pytest.mark.task("test-the-table")
@pytest.mark.parametrize("table", [*CORRECT] or ["A correct table."])
def test_they_pass_on_every_correct_table(failing_on, names, table):
    """Your tests pass on every table that does what the brief says, however it is written.

    At least one of your tests fails on the correct table that is described, so it asks for more
    than the brief promises: an order of cards where it promises none, the words of an error, a
    variable's name. Which test it is cannot be shown.
    """
    assert failing_on(table) == []
    assert len(names) >= 5
