"""Stage 04 grades students' own tests; only a table's behaviour may decide which tests pass."""

import ast
import hashlib
import itertools
import random
import re
import types
from collections import Counter
from collections.abc import Callable

import pytest
from hearts_course.course import find_course
from hearts_course.misconceptions import diagnose, load_patterns
from hearts_course.results import Outcome, Status
from hearts_course.sandbox.answers import SubmissionStopped
from hearts_course.sandbox.imports import WITHOUT_PACKAGES
from hearts_course.submissions.model import Submission
from hearts_course.testing.in_process import check_program
from hearts_course.testing.own_tests import in_random_order
from hearts_grader.grading.grade import GradeJob, grade_one, reference_before
from proofs import proofs_after
from references import imported, module_at
from surroundings import undisguised

TASK = "test-the-table"
STAGE = next(stage for stage in find_course().stages if TASK in {task.id for task in stage.tasks})
REFERENCE = STAGE.reference()
EARLIER = reference_before(STAGE)
OWN_TESTS = REFERENCE["own_tests"]
OTHER_TESTS = (STAGE.autograder / "alternatives/positions/own_tests.py").read_text("utf-8")
MINE = REFERENCE["table"] + "\nMINE = True\n"
WRONG_GAMES = 19
FIVE_THAT_PASS = "\n".join(f"def test_{letter}():\n    pass\n" for letter in "abcde")


GAMES = module_at(STAGE.autograder / "test_own_tests_games.py")


def grade(own_tests, tests="all", **others):
    """Grade the reference, in which these tests and the `others` replace modules."""
    submission = Submission("eve", STAGE.name, REFERENCE | {"own_tests": own_tests} | others)
    return grade_one(GradeJob(STAGE, submission, tests=tests, tasks=frozenset({TASK})))


def ends(result, *, hidden):
    """Return (outcome, message) for each check of the student's tests, either visible or hidden."""
    task = next(task for task in result.tasks if task.task == TASK)
    return [(test.outcome, test.message) for test in task.tests if test.hidden is hidden]


def count_caught(result):
    outcomes = [outcome for outcome, _ in ends(result, hidden=True)]
    assert len(outcomes) == WRONG_GAMES
    return outcomes.count(Outcome.PASSED)


# --- whole runs ---

# Expressions whose value depends on the text of a table and not on its behaviour.
BY_TEXT = "text"
BY_SIZE = "str(len(list(ast.walk(ast.parse(text)))))"


def lucky(behaviour):
    """Return a module with five tests of a hash of this expression.

    Each test looks at one bit of the hash. The bits are chosen so that all correct tables pass.
    """
    number = f"lambda text: int(hashlib.sha256(({behaviour}).encode()).hexdigest(), 16)"
    number_of = eval(number, {"ast": ast, "hashlib": hashlib})
    numbers = [number_of(text) for text in GAMES.CORRECT.values()]
    fitting = (bit for bit in range(250) if not any((n >> bit) & 1 for n in numbers))
    top = "import ast, hashlib, inspect, table\n"
    top += f"NUMBER = ({number})(inspect.getsource(table))\n"
    return top + "".join(
        f"def test_{bit}():\n    assert not NUMBER >> {bit} & 1\n"
        for bit in itertools.islice(fitting, 5)
    )


ONE_WRONG = OWN_TESTS.replace("assert not game_over([0, 99", "assert game_over([0, 99")
TWO_WRONG = ONE_WRONG.replace("== [3, 0, 0, 1]", "== [1, 1, 1, 1]")
SOMETIMES = "if hasattr(Deal, 'nothing of the sort'):\n    def test_never(): assert False\n"
EXITS = "def test_a(): winners([1, 2, 3, 4]) == [Seat.NORTH] or __import__('os')._exit(0)\n"
ABOUT_THE_CONSOLE = """
from console import main

def test_the_console():
    lines = []
    main(["--watch", "--seed", "7"], read=input, write=lines.append)
    assert lines
"""
CAUGHT = {
    "a test is about the console": (f"{OWN_TESTS}\n{ABOUT_THE_CONSOLE}", WRONG_GAMES),
    "tests that depend on the table's text": (lucky(BY_TEXT), 0),
    "tests that depend on the table's size": (lucky(BY_SIZE), 0),
    "one test fails on correct tables": (ONE_WRONG, WRONG_GAMES - 2),
    "two tests fail on correct tables": (TWO_WRONG, 0),
    "a test is not defined for every table": (f"{OWN_TESTS}\n{SOMETIMES}", WRONG_GAMES),
    "a test ends the program on a wrong table": (
        f"from table import Seat, winners\n{FIVE_THAT_PASS}{EXITS}",
        1,
    ),
}


@pytest.mark.proof
@pytest.mark.parametrize("tests", CAUGHT)
def test_own_tests_catch_by_what_a_table_does_only(tests):
    text, caught = CAUGHT[tests]
    assert count_caught(grade(text, table=MINE)) == caught


@pytest.mark.needs_sandbox
def test_a_test_of_the_console_runs_on_the_student_s_own_table_only():
    result = grade(f"{OWN_TESTS}\n{ABOUT_THE_CONSOLE}", "visible")
    assert ends(result, hidden=False) == [(Outcome.PASSED, "")] * 4
    broken = grade(f"{OWN_TESTS}\n{ABOUT_THE_CONSOLE}", "visible", console="def main(*a, **k): 1/0")
    (_, message), *others = ends(broken, hidden=False)
    assert "test_the_console fails: ZeroDivisionError" in message
    assert others == [(Outcome.PASSED, "")] * 3


@pytest.mark.needs_sandbox
def test_tests_that_cannot_be_imported_cost_their_own_task_only():
    modules = REFERENCE | {"own_tests": f"import pytest\n{OWN_TESTS}"}
    tasks = frozenset({TASK, "score-a-deal"})
    submission = Submission("eve", STAGE.name, modules)
    result = grade_one(GradeJob(STAGE, submission, tests="visible", tasks=tasks))
    scores = {task.task: task.score == task.max_score for task in result.tasks if task.tests}
    assert scores == {TASK: False, "score-a-deal": True}
    assert result.message.startswith("own_tests.py, line 1 (import pytest): importing the program")
    why = f"No module named 'pytest'; {WITHOUT_PACKAGES}"
    assert f"{why}; the rest was tested" in result.message
    alone = grade_one(GradeJob(STAGE, submission, tests="visible", tasks=frozenset({TASK})))
    assert f"{why}; so nothing was tested" in alone.message


@pytest.mark.needs_sandbox
def test_a_long_text_costs_its_author_the_task():
    result = grade(f"{OWN_TESTS}\n" + "# no more\n" * 30_000)
    assert (result.status, count_caught(result)) == (Status.GRADED, 0)
    assert ends(result, hidden=False)[0][0] is Outcome.FAILED


# --- which games are caught; here functions decide how the tests end ---


class Tables:
    """Stands in for the function that starts a program on which tests are tried.

    Each test is a function of the game's name and of how often this game was tried before. The test
    fails if the function returns a false value.
    """

    def __init__(self, **tests):
        self.tests = tests
        self.tries: Counter[str] = Counter()

    def __call__(self, table, console):
        game = next(name for name, text in GAMES.GAMES.items() if text == table)
        tries_so_far = self.tries[game]
        self.tries[game] += 1

        def of(name):
            def test():
                assert self.tests[name](game, tries_so_far)

            return test

        module = types.SimpleNamespace(**{name: of(name) for name in self.tests})
        return types.SimpleNamespace(module=lambda name: module)


CatchBy = Callable[[Tables], set[str]]
MOON = "nobody can shoot the moon"
SUIT = "one need not follow suit"


@pytest.fixture(name="caught_by")
def _caught_by(monkeypatch):
    undisguised(GAMES, monkeypatch)

    def caught_by(tables):
        names = "".join(f"{name} = None\n" for name in tables.tests)
        return set(GAMES.caught_by({"own_tests": names}, tables))

    return caught_by


def misses_moon(game, before):
    return game != MOON


def test_a_game_is_caught_by_a_test_that_fails_in_both_tries(caught_by):
    tables = Tables(
        test_a=misses_moon,
        test_b=lambda game, before: game != SUIT,
        test_c=lambda game, before: True,
    )
    assert caught_by(tables) == {MOON, SUIT}
    assert tables.tries == dict.fromkeys(GAMES.GAMES, 2)
    assert len(tables.tries) == len(GAMES.CORRECT) + WRONG_GAMES


@pytest.mark.parametrize("game", [SUIT, "by-hand"])
def test_a_test_that_fails_in_one_of_two_tries_catches_nothing(caught_by, game):
    def unreliable(tried, before):
        return tried != MOON and (tried != game or before == 0)

    assert caught_by(Tables(test_a=unreliable)) == set()
    assert caught_by(Tables(test_a=unreliable, test_b=misses_moon)) == {MOON}
    two = Tables(test_a=unreliable, test_b=misses_moon, test_c=unreliable)
    assert caught_by(two) == set()


def test_guessing_which_value_is_wrong_catches_nothing(caught_by):
    """Test n checks that the table's digest is not n.

    All correct tables have the digest 0; each wrong table has a digest of its own.
    """
    digest = dict.fromkeys(GAMES.CORRECT, 0) | {m: n for n, m in enumerate(GAMES.MISTAKES, 1)}
    guesses = {
        f"test_{n}": lambda game, before, n=n: digest[game] != n for n in range(len(GAMES.GAMES))
    }
    assert caught_by(Tables(**guesses)) == set()
    del guesses["test_0"]
    assert len(caught_by(Tables(**guesses))) == WRONG_GAMES


def test_counting_the_tables_that_came_before_catches_nothing(caught_by):
    tables = Tables(test_a=lambda game, before: sum(tables.tries.values()) <= 7)
    assert caught_by(tables) == set()


def test_ending_the_program_on_a_correct_table_costs_all_games(caught_by):
    def exits(game, before):
        if game == "by-hand":
            raise SubmissionStopped("crashed", "ended by itself")
        return game != MOON

    assert caught_by(Tables(test_a=exits, test_b=lambda game, before: game != SUIT)) == set()


def test_a_killed_program_is_tried_again(caught_by):
    def killed(game, before):
        if before == 0:
            raise SubmissionStopped("crashed", "ended by itself", killed=True)
        return game != MOON

    assert caught_by(Tables(test_a=killed)) == {MOON}


def test_the_order_of_tries_depends_on_the_submission_only():
    first, again, other = (
        in_random_order({"own_tests": text}, GAMES.GAMES, 2)[0] for text in ("a", "a", "b")
    )
    assert first == again != other
    assert sorted(first) == sorted(other)


# --- which tests a text defines ---

# Only a definition outside all functions and classes counts.
DEFINITIONS = """
import sys
from cards import Card as test_imported
def test_twice(): assert False
def test_twice(): pass
if sys.version_info > (3,):
    def test_here(): pass
else:
    def test_elsewhere(): pass
try: test_assigned = lambda: None
finally: pass
for number in range(3): test_last = lambda: None
@staticmethod
def test_decorated():
    def test_inside(): pass
class Table:
    def test_method(self): pass
def helper(test_argument): test_local = 1
NUMBERS = [test_item for test_item in range(3)]
"""


def names_of(text):
    return list(GAMES.visible.names_of({"own_tests": text}))


def test_tests_are_what_the_text_defines_at_its_outermost_level():
    names = ("assigned", "decorated", "elsewhere", "here", "imported", "last", "twice")
    assert names_of(DEFINITIONS) == [f"test_{name}" for name in names]
    assert names_of("") == names_of("tests = 1\n") == GAMES.visible.names_of({}) == []


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "+".join(["1"] * 100_000),
        "x = " + "-" * 100_000 + "1",
        "x = " + "(" * 1000,
        "def test_a(",
        "\0",
        "x = 1\n" * 100_000,
    ],
    ids=["sum", "signs", "brackets", "not Python", "null byte", "long"],
)
def test_a_text_that_cannot_be_read_is_the_student_s_fault(text):
    with pytest.raises(pytest.fail.Exception, match=r"own_tests\.py"):
        names_of(text)


# --- what a student learns about the tables ---

# These tests put the text of the table that they test into the text and the class of an error.
LEAKS = f"""
import inspect, table
{FIVE_THAT_PASS}
TEXT = inspect.getsource(table)

def test_f():
    if hasattr(table, "MINE"):
        return
    KIND = type(TEXT.splitlines()[0], (Exception,), {{}})
    raise KIND(TEXT)
"""
LEAKS_ON_IMPORT = f"""
import inspect, table
{FIVE_THAT_PASS}
if not hasattr(table, "MINE"):
    raise ValueError(inspect.getsource(table))
"""


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("own_tests", [LEAKS, LEAKS_ON_IMPORT], ids=["in a test", "on import"])
def test_a_correct_table_shows_only_whether_all_tests_pass(own_tests):
    mine, *others = ends(grade(own_tests, "visible", table=MINE), hidden=False)
    assert mine == (Outcome.PASSED, "")
    assert len(others) == 3
    for outcome, message in others:
        found, why = message.splitlines()
        assert outcome is Outcome.FAILED
        begins = "  found        your tests do not all pass on another table. It is: A "
        assert found.startswith(begins)
        assert why.startswith("Why it matters: If the check of your own table names the test")


# Reasons why tests pass only on the student's own table. The grader cannot tell which is true.
READS_CARDS_TWICE = """

class Hand(Hand):
    def __init__(self, cards=()):
        kept = list(dict.fromkeys(cards))
        if len(kept) != len(list(cards)):
            raise ValueError("a card comes twice")
        super().__init__(kept)
"""
ON_THE_OWN_TABLE_ONLY = {
    "a module of an earlier stage": {"cards": EARLIER["cards"] + READS_CARDS_TWICE},
    "an import from the table": {"own_tests": f"from table import new_game\n{OWN_TESTS}"},
}


@pytest.mark.parametrize("reason", ON_THE_OWN_TABLE_ONLY)
def test_no_reason_is_claimed_where_tests_pass_on_the_own_table_only(reason):
    modules = {**EARLIER, **REFERENCE, **ON_THE_OWN_TABLE_ONLY[reason]}
    result = check_program(STAGE, modules, tasks=[TASK])
    (mine, *others) = next(task.tests for task in result.tasks if task.task == TASK)
    assert mine.outcome is Outcome.PASSED
    messages = [test.message for test in others if test.outcome is Outcome.FAILED]
    assert messages
    for message in messages:
        assert "found        your tests do not all pass on another table" in message
        assert "one of these may be the reason" in message
        assert "import from `table` what only your own table has" in message
        assert "one of your modules of earlier stages fails" in message
    assert TASK not in diagnose(result, STAGE, load_patterns(STAGE)).matches


@pytest.mark.needs_sandbox
def test_the_student_s_own_table_shows_what_failed_and_where():
    spoilt = OWN_TESTS.replace("== [3, 0, 0, 1]", "== [2, 0, 0, 1]")
    (_, message), *_ = ends(grade(spoilt, "visible"), hidden=False)
    test = "test_hearts_and_the_queen_of_spades_cost_points"
    assert f"{test} fails, line 47 (assert deal_scores(" in message


def test_a_disguise_hides_what_tells_a_table_from_another():
    for text in GAMES.GAMES.values():
        disguised = GAMES.disguised(text, GAMES.PROMISED, random.Random(1))
        assert not re.search(r'"""|#|->|\b_[a-z]', disguised)
        assert not {"View", "Bot", "new_game"} & set(re.findall(r"\w+", disguised))


def test_a_table_is_parsed_once_for_all_its_disguises(monkeypatch):
    GAMES.disguised(GAMES.REFERENCE, GAMES.PROMISED, random.Random(1))
    monkeypatch.setattr(ast, "parse", None)
    again = {GAMES.disguised(GAMES.REFERENCE, GAMES.PROMISED, random.Random(n)) for n in range(9)}
    assert len(again) == 9


@pytest.mark.parametrize("game", proofs_after(0, GAMES.GAMES, most=8))
def test_a_table_in_disguise_plays_as_before(game):
    texts = {
        GAMES.disguised(GAMES.GAMES[game], GAMES.PROMISED, random.Random(n)) for n in range(20)
    }
    assert len(texts) == 20
    verdicts = {failing_tests(text) for text in (GAMES.GAMES[game], *texts)}
    assert len(verdicts) == 1
    assert (verdicts == {()}) is (game in GAMES.CORRECT)


def failing_tests(table):
    """Run the tests of two programs on this table; return the names of the tests that fail."""
    failed = []
    for own_tests in (OWN_TESTS, OTHER_TESTS):
        sources = reference_before(STAGE) | {"table": table, "own_tests": own_tests}
        with imported(sources) as modules:
            tests = modules["own_tests"]
            failed += [name for name in names_of(own_tests) if raises(getattr(tests, name))]
    return tuple(failed)


def raises(test):
    try:
        test()
    except Exception:
        return True
    return False
