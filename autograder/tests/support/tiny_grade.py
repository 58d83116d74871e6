"""Grade programs for the tiny course's only stage."""

from hearts_course.course import Stage
from hearts_course.results import Result, TestResult
from hearts_course.submissions.model import Submission
from hearts_grader.grading.grade import GradeJob, grade_one
from tiny_course import REFERENCE, STAGE_TOML

DIME_IS_TEN = 'return 10 if self.face == "dime" else 1'

# Add this to a program that calls `kill_once`. Only the first call kills the process.
KILL_ONCE = """
import os, pathlib

def kill_once(process):
    mark = pathlib.Path({mark!r})
    if not mark.exists():
        mark.touch()
        os.kill(process, 9)
"""


def changed(old: str, new: str, source: str = REFERENCE) -> str:
    """Return the source with `new` in place of `old`, which must occur exactly once."""
    assert source.count(old) == 1
    return source.replace(old, new)


def computing(seconds: float | str) -> str:
    """Return lines for a method that use this much processor time.

    `seconds` may be the name of a variable of the program.
    """
    return f"""\
from time import process_time
        end = process_time() + {seconds}
        while process_time() < end:
            pass
"""


def limits(**values: float) -> str:
    """Return the stage.toml with these limits."""
    lines = "".join(f"{name} = {value}\n" for name, value in values.items())
    return STAGE_TOML.replace("\n[[task]]", f"\n[limits]\n{lines}\n[[task]]", 1)


def grade(stage: Stage, source: str, sandbox: str = "auto", **options: object) -> Result:
    """Return the result of a program; `options` are passed to GradeJob."""
    submission = Submission("ada", stage.name, {stage.modules[0]: source})
    return grade_one(GradeJob(stage, submission, sandbox, **options))  # type: ignore[arg-type]


def all_tests(result: Result) -> list[TestResult]:
    """Return the results of all tests."""
    return [test for task in result.tasks for test in task.tests]


def outcomes(result: Result) -> list[str]:
    """Return how each test ended."""
    return [test.outcome for test in all_tests(result)]


def messages(result: Result) -> str:
    """Return what the student reads about all tests."""
    return "\n".join(test.message for test in all_tests(result))


# A suite that uses every fixture. The reference with SCRIPT at its end passes this suite.
EVERY_FIXTURE = '''
import pytest

WRONG = "class Coin:\\n    def __init__(self, face):\\n        self.worth = 7\\n"


@pytest.mark.task("worth")
def test_other_programs(coins, program_with, source):
    """A program can be tried with other modules, and read."""
    other = program_with(coins=WRONG).module("coins")
    assert [coins.Coin("dime").worth, other.Coin("dime").worth] == [10, 7]
    assert "class Coin" in source["coins"]


@pytest.mark.task("purse")
def test_run(run):
    """A program can be run."""
    finished = run("coins", "dime", stdin="penny")
    assert (finished.out, finished.status) == (b"dime penny 11\\n", 0)


@pytest.mark.task("total")
@pytest.mark.timeout(20)
@pytest.mark.parametrize("terminal", [False, True])
def test_start(start, terminal):
    """A program can be talked to."""
    session = start("coins", terminal=terminal)
    assert session.expect("? ").endswith("face? ")
    session.send("dime\\n")
    assert "10\\n" in session.expect("10\\n")
    session.interrupt()
    assert session.finish().status == 4
'''
SCRIPT = """

if __name__ == "__main__":
    import sys
    if sys.argv[1:]:
        typed = sys.stdin.read()
        print(*sys.argv[1:], typed, Coin(sys.argv[1]).worth + Coin(typed).worth)
    else:
        try:
            while True:
                print(Coin(input("face? ")).worth)
        except KeyboardInterrupt:
            sys.exit(4)
"""


def suite(line: str, name: str = "test_coin", task: str = "worth", numbers: int = 3) -> str:
    """Return a suite whose test asserts the line once for each number from 1 to `numbers`.

    The line may use the module `coins` and the `number`.
    """
    return f'''
import pytest


@pytest.mark.task("{task}")
@pytest.mark.parametrize("number", {[*range(1, numbers + 1)]})
def {name}(coins, number):
    """A coin is worth something.

    Try: Coin("penny").worth
    """
    assert {line}
'''
