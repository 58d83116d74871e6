"""Stage 04 grades tests that students write: only what a table does may decide how they end."""

import ast
import hashlib
import importlib.util
import itertools
import random
import re
import types
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hearts_course.course import Stage, find_course
from hearts_course.grading.grade import GradeJob, grade_one, reference_before
from hearts_course.results import Outcome, Result, Status
from hearts_course.sandbox.answers import SubmissionStopped
from hearts_course.submissions.model import Submission
from references import imported

TASK = "test-the-table"
STAGE: Stage = next(
    stage for stage in find_course().stages if TASK in {task.id for task in stage.tasks}
)
REFERENCE = STAGE.reference()
OTHERS = STAGE.autograder / "alternatives/positions/own_tests.py"
MINE = REFERENCE["table"] + "\nMINE = True\n"
WRONG_GAMES = 19
FIVE_THAT_PASS = "\n".join(f"def test_{letter}():\n    pass\n" for letter in "abcde")


def grade(own_tests: str, **others: str) -> Result:
    """The result of the reference with these tests of its own."""
    submission = Submission("eve", STAGE.name, REFERENCE | {"own_tests": own_tests} | others)
    return grade_one(GradeJob(STAGE, submission, tasks=frozenset({TASK})))


def endings(result: Result, *, hidden: bool) -> list[tuple[Outcome, str]]:
    """How the tests of own tests ended, and what was said."""
    task = next(task for task in result.tasks if task.task == TASK)
    return [(test.outcome, test.message) for test in task.tests if test.hidden is hidden]


def caught(result: Result) -> int:
    """How many wrong games were caught."""
    outcomes = [outcome for outcome, _ in endings(result, hidden=True)]
    assert len(outcomes) == WRONG_GAMES
    return outcomes.count(Outcome.PASSED)


def module_at(path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(f"judged_{path.stem}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GAMES = module_at(STAGE.autograder / "test_own_tests_games.py")

# --- tests that say nothing of what a table does ---

# What a text comes to: the same text always to the same number.
BY_TEXT = """
def number(text):
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)
"""
BY_SIZE = """
def number(text):
    size = len(list(ast.walk(ast.parse(text))))
    return int(hashlib.sha256(b"%d" % size).hexdigest(), 16)
"""


def lucky(way: str, count: int) -> str:
    """So many tests, each of which passes on all correct tables as they are, and on half of others.

    That is what a student could have by luck.
    """
    names: dict[str, Any] = {"ast": ast, "hashlib": hashlib}
    exec(way, names)
    numbers = [names["number"](text) for text in GAMES.CORRECT.values()]
    fit = (bits for bits in range(2**20) if not any((n >> bits % 250) & 1 for n in numbers))
    shifts = list(itertools.islice(fit, count))
    tests = (
        f"def test_{at}():\n    assert not number(TEXT) >> {bits} & 1\n"
        for at, bits in enumerate(shifts)
    )
    top = "import ast, hashlib, inspect, table\nTEXT = inspect.getsource(table)"
    return "\n".join([top, way, *tests])


OTHER_NAMES_EACH_TIME = f"""
import os
{FIVE_THAT_PASS}
def fail():
    assert False
def __dir__():
    return [*(f"test_{{letter}}" for letter in "abcde"), f"test_{{os.urandom(4).hex()}}"]
def __getattr__(name):
    if name.startswith("test_"):
        return fail
    raise AttributeError(name)
"""
# A thread of the student's own program counts the others, by locks on files that all may read.
COUNTS_TABLES = f"""
import fcntl, os, table, threading, time
{FIVE_THAT_PASS}
FOLDER = os.path.dirname(os.__file__)
FILES = [f"{{FOLDER}}/{{name}}" for name in sorted(os.listdir(FOLDER)) if name.endswith(".py")]
KEPT = []

def is_locked(file, how):
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except OSError:
        return True
    return False

def keep_count():
    for file in map(open, FILES):
        KEPT.append(file)
        while not is_locked(file, fcntl.LOCK_SH):
            fcntl.flock(file, fcntl.LOCK_UN)
            time.sleep(0.0005)
        fcntl.flock(file, fcntl.LOCK_EX)

def number():
    for at, file in enumerate(map(open, FILES)):
        KEPT.append(file)
        for _ in range(20):
            if not is_locked(file, fcntl.LOCK_EX):
                time.sleep(0.01)
                return at
            time.sleep(0.0002)

if hasattr(table, "MINE"):
    threading.Thread(target=keep_count, daemon=True).start()
    NUMBER = 0
else:
    NUMBER = number()

def test_f():
    assert NUMBER < 7
"""
ATTACKS = {
    "names other tests each time it is asked": OTHER_NAMES_EACH_TIME,
    "counts the tables that came before": COUNTS_TABLES,
    "fails by the table's text": lucky(BY_TEXT, 5),
    "fails by the table's size": lucky(BY_SIZE, 5),
}


@pytest.mark.proof
@pytest.mark.parametrize("aim", ATTACKS)
def test_tests_that_do_not_look_at_what_a_table_does_catch_nothing(aim: str) -> None:
    assert caught(grade(ATTACKS[aim], table=MINE)) == 0


class Tables:
    """Stands for the programs that tests are tried on; the tests pass or fail by a script."""

    def __init__(self, **tests: Callable[[str, int], object]) -> None:
        """Each test is told the game and how often that came before; it fails if it is false."""
        self.tests = tests
        self.tries: Counter[str] = Counter()

    def __call__(self, table: str, console: str) -> types.SimpleNamespace:
        game = next(name for name, text in GAMES.GAMES.items() if text == table)
        before = self.tries[game]
        self.tries[game] += 1

        def trial(name: str) -> Callable[[], None]:
            def test() -> None:
                assert self.tests[name](game, before)

            return test

        module = types.SimpleNamespace(**{name: trial(name) for name in self.tests})
        return types.SimpleNamespace(module=lambda name: module)


def caught_by(monkeypatch: pytest.MonkeyPatch, tables: Tables) -> set[str]:
    """The games that these tests catch."""
    monkeypatch.setattr(GAMES.disguise, "disguised", lambda text, rng: text)
    names = "".join(f"{name} = None\n" for name in tables.tests)
    return set(GAMES.caught_by({"own_tests": names}, tables))


MOON, SUIT = "nobody can shoot the moon", "one need not follow suit"


def test_a_game_is_caught_by_a_test_that_fails_in_both_of_its_tries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = Tables(
        test_a=lambda game, before: game != MOON,
        test_b=lambda game, before: game != SUIT,
        test_c=lambda game, before: True,
    )
    assert caught_by(monkeypatch, tables) == {MOON, SUIT}
    assert set(tables.tries.values()) == {2}
    assert len(tables.tries) == len(GAMES.CORRECT) + WRONG_GAMES


@pytest.mark.parametrize("game", [SUIT, "by-hand"])
def test_a_test_that_fails_in_one_of_two_tries_catches_nothing(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_turns(tried: str, before: int) -> bool:
        return tried != MOON and (tried != game or before == 0)

    def moon(tried: str, before: int) -> bool:
        return tried != MOON

    assert caught_by(monkeypatch, Tables(test_a=by_turns)) == set()
    assert caught_by(monkeypatch, Tables(test_a=by_turns, test_b=moon)) == {MOON}
    three = Tables(test_a=by_turns, test_b=moon, test_c=by_turns)
    assert caught_by(monkeypatch, three) == set()


def test_guesses_of_which_one_fails_on_the_reference_catch_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As `assert digest() != 7`: correct tables give one digest, and each wrong one its own."""
    digest = dict.fromkeys(GAMES.CORRECT, 0) | {m: n for n, m in enumerate(GAMES.MISTAKES, 1)}
    guesses = {
        f"test_{n}": lambda game, before, n=n: digest[game] != n for n in range(len(GAMES.GAMES))
    }
    assert caught_by(monkeypatch, Tables(**guesses)) == set()
    del guesses["test_0"]
    assert len(caught_by(monkeypatch, Tables(**guesses))) == WRONG_GAMES


def test_a_test_that_ends_the_program_on_a_correct_table_costs_all_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ends(tried: str, before: int) -> bool:
        if tried == "by-hand":
            raise SubmissionStopped("crashed", "ended by itself")
        return tried != MOON

    passes = Tables(test_a=ends, test_b=lambda tried, before: tried != SUIT)
    assert caught_by(monkeypatch, passes) == set()


def test_a_program_that_was_killed_is_tried_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(tried: str, before: int) -> bool:
        if before == 0:
            raise SubmissionStopped("crashed", "ended by itself", killed=True)
        return tried != MOON

    assert caught_by(monkeypatch, Tables(test_a=killed)) == {MOON}


# --- tests that do look ---

# How a test may stand in the module; only what is in no function's body counts.
WAYS = """
import sys
from cards import Card as test_card_is_no_function_of_this_name_but_counts

def test_twice():
    assert False

def test_twice():
    pass

if sys.version_info > (3,):
    def test_here():
        pass
else:
    def test_elsewhere():
        pass

try:
    test_assigned = lambda: None
finally:
    pass

for number in range(3):
    test_last = lambda: None

@staticmethod
def test_decorated():
    def test_inside():
        pass

class Table:
    def test_method(self):
        pass

def helper(test_argument):
    test_local = 1

NUMBERS = [test_item for test_item in range(3)]
"""


def names_of(text: str) -> list[str]:
    return list(GAMES.visible.names_of({"own_tests": text}))


def test_tests_are_found_by_what_the_text_defines_at_its_outermost_level() -> None:
    assert names_of(WAYS) == [
        "test_assigned",
        "test_card_is_no_function_of_this_name_but_counts",
        "test_decorated",
        "test_elsewhere",
        "test_here",
        "test_last",
        "test_twice",
    ]
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
    ids=["sum", "signs", "brackets", "no Python", "zero", "long"],
)
def test_a_text_that_cannot_be_read_is_the_student_s_fault(text: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"own_tests\.py"):
        names_of(text)


def test_a_long_text_costs_its_author_the_task() -> None:
    result = grade(f"{REFERENCE['own_tests']}\n" + "# no more\n" * 30_000)
    assert (result.status, caught(result)) == (Status.GRADED, 0)
    assert endings(result, hidden=False)[0][0] is Outcome.FAILED


def test_one_test_that_fails_on_a_correct_table_costs_only_what_it_would_catch() -> None:
    spoilt = REFERENCE["own_tests"].replace(
        "assert not game_over([0, 99", "assert game_over([0, 99"
    )
    assert caught(grade(spoilt)) == WRONG_GAMES - 2
    assert caught(grade(spoilt.replace("== [3, 0, 0, 1]", "== [1, 1, 1, 1]"))) == 0


def test_a_test_that_is_not_defined_for_every_table_does_no_harm() -> None:
    more = "if hasattr(Deal, 'nothing of the sort'):\n    def test_never(): assert False\n"
    result = grade(f"{REFERENCE['own_tests']}\n{more}")
    assert caught(result) == WRONG_GAMES
    assert {outcome for outcome, _ in endings(result, hidden=False)} == {Outcome.PASSED}


def test_a_test_that_ends_the_program_on_a_wrong_table_has_failed_there() -> None:
    """As a game that never ends does; what comes after it is not tried on that table."""
    ends = "def test_a(): winners([1, 2, 3, 4]) == [Seat.NORTH] or __import__('os')._exit(0)\n"
    result = grade(f"from table import Seat, winners\n{FIVE_THAT_PASS}{ends}")
    assert caught(result) == 1


# --- what may be known of the tables ---

# All that a test can read of a table, as an error's text, kind and line.
TELLS = f"""
import inspect, table
{FIVE_THAT_PASS}
TEXT = inspect.getsource(table)

def test_f():
    if hasattr(table, "MINE"):
        return
    KIND = type(TEXT.splitlines()[0], (Exception,), {{}})
    raise KIND(TEXT)
"""
TELLS_ON_IMPORT = f"""
import inspect, table
{FIVE_THAT_PASS}
if not hasattr(table, "MINE"):
    raise ValueError(inspect.getsource(table))
"""


@pytest.mark.parametrize("own_tests", [TELLS, TELLS_ON_IMPORT], ids=["in a test", "on import"])
def test_of_a_correct_table_it_is_only_told_whether_all_tests_pass(own_tests: str) -> None:
    on_mine, *on_others = endings(grade(own_tests, table=MINE), hidden=False)
    assert on_mine == (Outcome.PASSED, "")
    assert len(on_others) == 3
    for outcome, message in on_others:
        name, came, expected, why = message.splitlines()
        assert outcome is Outcome.FAILED
        assert name.startswith("failing_on('A correct table that ")
        assert came == "  came back    ['one of your tests, or more']"
        assert expected == "  expected     []"
        assert why.startswith("Why it matters: At least one of your tests fails")


def test_on_the_own_table_it_is_told_what_failed_and_where() -> None:
    message = endings(
        grade(REFERENCE["own_tests"].replace("== [3, 0, 0, 1]", "== [2, 0, 0, 1]")), hidden=False
    )
    assert (
        "test_hearts_and_the_queen_of_spades_cost_points, line 47 (assert deal_scores("
        in message[0][1]
    )


@pytest.mark.proof
@pytest.mark.parametrize("game", GAMES.GAMES)
def test_a_table_in_disguise_plays_as_it_did(game: str) -> None:
    """The student's tests of the reference say what it does; each text is another."""
    texts = {GAMES.disguise.disguised(GAMES.GAMES[game], random.Random(n)) for n in range(20)}
    assert len(texts) == 20
    verdicts = {failing_tests(text) for text in (GAMES.GAMES[game], *texts)}
    assert len(verdicts) == 1
    assert (verdicts == {()}) is (game in GAMES.CORRECT)


def raises(test: Callable[[], object]) -> bool:
    try:
        test()
    except Exception:
        return True
    return False


def failing_tests(table: str) -> tuple[str, ...]:
    """Which of the reference's own tests, and of another program's, fail on the table."""
    failed = []
    for own_tests in (REFERENCE["own_tests"], OTHERS.read_text(encoding="utf-8")):
        with imported(
            reference_before(STAGE) | {"table": table, "own_tests": own_tests}
        ) as modules:
            failed += [
                name for name in names_of(own_tests) if raises(getattr(modules["own_tests"], name))
            ]
    return tuple(failed)


def test_a_disguise_hides_what_tells_a_table_from_another() -> None:
    for text in GAMES.GAMES.values():
        disguised = GAMES.disguise.disguised(text, random.Random(1))
        assert '"""' not in disguised
        assert "#" not in disguised
        assert "->" not in disguised
        assert not re.search(r"\b_[a-z]", disguised)
        assert not {"View", "Bot", "new_game"} & set(re.findall(r"\w+", disguised))


def test_the_order_of_tries_is_one_for_a_submission_and_another_for_the_next() -> None:
    first, again, other = (GAMES.order_of_tries({"own_tests": text})[0] for text in ("a", "a", "b"))
    assert first == again != other
    assert sorted(first) == sorted(other)
