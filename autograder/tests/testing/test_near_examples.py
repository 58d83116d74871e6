"""Near examples run on a submission before any hidden test, and only failing ones are shown."""

import time

import pytest
from hearts_course.results import Outcome, Result, Status, TaskResult, TestResult
from hearts_course.testing.here import ProgramHere
from hearts_course.testing.job import Job, Unreachable
from hearts_course.testing.near_examples import (
    NearExample,
    failing_examples,
    pasteable,
    shows,
    statements_of,
)
from hearts_course.testing.runner import SuiteRunner
from hearts_course.testing.start import start_program
from hearts_grader.grading.grade import MAX_EXAMPLES_SECONDS, max_run_seconds
from proofs import proofs_after
from tiny_course import REFERENCE, write_stage
from tiny_grade import all_tests, changed, grade, limits


@pytest.fixture
def program(tmp_path):
    """Yield a function that starts a program with the given source, loads it, and returns it."""
    stage = write_stage(tmp_path, STAGE_TOML=limits(test_seconds=0.5, import_seconds=2))
    started = []

    def start(source):
        started.append(start_program({"coins": source}, stage.limits, fork=True))
        started[-1].prepare()
        started[-1].load(["coins"])
        return started[-1]

    yield start
    for running in started:
        running.close()


def shown(program, code):
    return shows(program, statements_of(code), 0.5)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("1 + 1\nx = 3\nx", ("2\n", "", "3\n")),
        ("for n in range(2):\n    print(n)\n    n + 1", ("0\n1\n",)),
        ("{}[3]", ("raises KeyError LookupError Exception BaseException object\n",)),
        ("from coins import Coin\nstr(Coin('dime')), Coin('penny')", ("", None)),
        ("from coins import Purse\nPurse()", ("", "Purse\n")),
        ("while True:\n    pass", ("the program stopped",)),
        ("raise SystemExit", ("raises SystemExit BaseException object\n",)),
    ],
)
def test_each_statement_shows_what_a_session_would(program, code, expected):
    found = shown(program(REFERENCE), code)
    assert len(found) == len(expected)
    pairs = zip(found, expected, strict=True)
    assert all(text == wanted for text, wanted in pairs if wanted is not None)


def test_a_block_ends_with_an_empty_line():
    code = "for n in range(2):\n    print(n)\nn\ndef f():\n    return n"
    assert pasteable(code) == "for n in range(2):\n    print(n)\n\nn\ndef f():\n    return n"


@pytest.mark.parametrize(
    ("expected", "answer", "fails"),
    [
        ("3\n", "3\n", False),
        ("3\n", "4\n", True),
        ("", "a value\n", False),  # this example expects only that no error is raised
        ("", "raises KeyError\n", True),
        ("raises ValueError Exception\n", "raises Strange ValueError Exception\n", False),
        ("raises ValueError Exception\n", "raises KeyError Exception\n", True),
        ("raises ValueError Exception\n", "", True),
        ("1\nraises ValueError\n", "2\nraises ValueError\n", True),
    ],
)
def test_what_fails(expected, answer, fails):
    assert NearExample("x", (expected,)).fails((answer,)) is fails
    assert NearExample("x", (expected,)).fails((answer, answer)) is True


def test_the_first_example_that_fails_is_chosen_and_none_that_passes(program):
    right = NearExample("from coins import Coin\nCoin('penny').worth", ("", "1\n"))
    wrong = NearExample("from coins import Coin\nCoin('dime').worth", ("", "10\n"))
    also = NearExample("from coins import Coin\n[Coin('dime').worth]", ("", "list['10']\n"))
    five = program(REFERENCE.replace("10 if", "5 if"))
    examples = {"a": [right, wrong, also], "b": [right]}
    assert failing_examples(five, examples, 0.5) == {"a": wrong.code}


def test_an_example_ends_with_the_statement_that_fails(program):
    """A student who pastes the example must see the wrong value last, not a right one."""
    code = "from coins import Coin\nCoin('dime').worth\nCoin('penny').worth"
    example = NearExample(code, ("", "10\n", "1\n"))
    five = program(REFERENCE.replace("10 if", "5 if"))
    shown = "from coins import Coin\nCoin('dime').worth"
    assert failing_examples(five, {"a": [example]}, 0.5) == {"a": shown}


def test_an_example_counts_only_if_it_fails_alone(program):
    """An example that fails only after another example would show no fault in a new session."""
    source = REFERENCE + "\nSEEN = []\n"
    use = NearExample("from coins import SEEN\nSEEN.append(1)\nlen(SEEN)", ("", "", "1\n"))
    assert failing_examples(program(source), {"a": [use], "b": [use]}, 0.5) == {}


def test_what_cannot_be_imported_has_no_example_to_show(tmp_path):
    example = NearExample("from coins import Coin\nCoin('dime').worth", ("", "10\n"))
    stage = write_stage(tmp_path)
    live = ProgramHere(stage.limits, {}, {"coins": object()})
    for nowhere in (Unreachable("nothing was handed in"), live):
        assert failing_examples(nowhere, {"a": [example]}, 0.5) == {}


def test_after_two_loops_no_more_examples_are_tried(program):
    source = REFERENCE.replace("return 10 if", "while True: pass\n        return 10 if")
    loop = NearExample("from coins import Coin\nCoin('dime').worth", ("", "10\n"))
    assert len(failing_examples(program(source), {name: [loop] for name in "abcdef"}, 0.3)) == 2


def test_the_examples_are_tried_before_any_hidden_test(tmp_path, program):
    stage = write_stage(tmp_path / "other")
    runner = SuiteRunner(stage)
    parts = runner.in_two_parts(Job(program(changed("return max(", "return [][0] or max("))))
    run = next(parts)
    assert list(run.examples) == ["test_coins_hidden.py::test_richest"]
    assert not any(test.hidden for tests in run.tests.values() for test in tests)
    runner.close()


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("examples", [True, False])
def test_examples_are_tried_only_where_somebody_reads_them(tmp_path, examples):
    wrong = changed("return max(", "return [][0] or max(")
    result = grade(write_stage(tmp_path), wrong, examples=examples)
    assert bool(all_tests(result)[-1].example) is examples


# Each text replaces the built-in `eval`, which runs examples and which no test calls.
HOSTILE = {
    "a number": "7",
    "nothing to call": "lambda code: 7",
    "no list": "lambda code: lambda statements: 'all of it'",
    "no texts": "lambda code: lambda statements: [[]] * 9",
    "too few": "lambda code: lambda statements: []",
    "its own error": "lambda code: 1 / 0",
    "an exit": "lambda code: lambda statements: os._exit(0)",
    "a flood": "lambda code: lambda statements: ['x' * 30_000_000]",
    "an endless loop": "lambda code: [0 for _ in iter(int, 1)]",
    "a long sleep": "lambda code: time.sleep(1000)",
}


@pytest.mark.needs_sandbox
@pytest.mark.parametrize("answer", proofs_after(3, HOSTILE.values()), ids=HOSTILE)
def test_no_answer_to_an_example_costs_anything(tmp_path, answer):
    stage = write_stage(tmp_path, STAGE_TOML=limits(test_seconds=0.5))
    hostile = f"{REFERENCE}\nimport builtins, os, time\nbuiltins.eval = {answer}\n"
    result = grade(stage, hostile)
    assert (result.status, result.message) == (Status.GRADED, "")
    assert result.tasks == grade(stage, REFERENCE).tasks


def test_no_example_begins_after_the_time_of_all(program):
    """Each example sleeps for less than its own limit, so only the limit for all ends the run."""
    sleep = NearExample("import time\ntime.sleep(0.4)", ("", ""))
    begun = time.monotonic()
    examples = {str(n): [sleep] for n in range(50)}
    assert failing_examples(program(REFERENCE), examples, 2.0, all_seconds=0.5) == {}
    assert time.monotonic() - begun < 10


def test_the_watchdog_waits_for_the_examples(tmp_path):
    stage = write_stage(tmp_path)
    longer = MAX_EXAMPLES_SECONDS + 100.0
    assert max_run_seconds(stage, longer) == max_run_seconds(stage) + 100.0


def test_which_example_fails_is_not_told_of_a_program_that_met_hidden_tests_before():
    test = TestResult("t", "A.", True, Outcome.FAILED, "Why.", example="f()")
    task = TaskResult("a", "A", 0, 1, (test,))
    result = Result("ada", "01", Status.GRADED, "", 0, 1, None, "none", (task,))
    (kept,) = result.without_messages().tasks[0].tests
    assert (kept.message, kept.example) == ("Why.", "")


@pytest.mark.needs_sandbox
def test_a_test_without_examples_of_the_reference_shows_none(tmp_path):
    result = grade(
        write_stage(tmp_path, EXAMPLES="{"), changed("return max(", "return [][0] or max(")
    )
    assert all_tests(result)[-1].example == ""
