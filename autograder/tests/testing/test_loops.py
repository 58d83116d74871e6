"""A function that loops or sleeps costs as many points as one that raises an error."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hearts_course.results import Outcome, Result
from hearts_course.sandbox.answers import SubmissionStopped
from hearts_course.sandbox.conversation import NONSENSE
from hearts_course.sandbox.worker import server
from hearts_course.testing.here import ProgramHere
from hearts_course.testing.in_process import check_program
from hearts_course.testing.run import SHORTENED
from proofs import proofs_after
from surroundings import time_by_the_clock
from tiny_course import REFERENCE, write_stage
from tiny_grade import all_tests, computing, grade, limits, outcomes, suite

pytestmark = pytest.mark.needs_sandbox

RAISE = "raise NotImplementedError"
LOOP = "while True: pass"
SLEEP = "import time; time.sleep(100)"
QUICK = limits(test_seconds=0.2, submission_seconds=3)
MESSAGE = (
    "in 6 of 13 checks the program took too long; "
    "after two timeouts the other checks of tasks 1 and 2 had a tenth of their time"
)


def result_of_slow(root: Path, body: str) -> Result:
    """Grade a function that half of the tests of two tasks call."""
    line = "number % 2 == 0 or coins.slow()"
    visible = suite(line, "test_worth", numbers=6) + suite(line, "test_purse", "purse", numbers=6)
    stage = write_stage(root, STAGE_TOML=QUICK, VISIBLE=visible)
    return grade(stage, f"{REFERENCE}\n\ndef slow():\n    {body}\n")


@contextmanager
def every_core_busy() -> Iterator[None]:
    command = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(command) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def expect_only_its_callers_failed(result: Result, message: str) -> None:
    assert [task.score for task in result.tasks] == [1.0, 1.5, 1.0]
    passed = [outcome == Outcome.PASSED for outcome in outcomes(result)]
    assert passed == [False, True] * 6 + [True]
    assert result.message == message


@pytest.mark.parametrize("body", proofs_after(1, [LOOP, RAISE, SLEEP]))
def test_only_the_tests_that_call_it_fail_and_the_message_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    time_by_the_clock(monkeypatch)
    result = result_of_slow(tmp_path, body)
    expect_only_its_callers_failed(result, "" if body == RAISE else MESSAGE)
    reasons = [SHORTENED in test.message for test in result.tasks[0].tests]
    assert reasons == [False] * 4 + [body != RAISE, False]


@pytest.mark.alone
def test_it_costs_the_same_with_every_core_busy(tmp_path: Path) -> None:
    with every_core_busy():
        expect_only_its_callers_failed(result_of_slow(tmp_path, LOOP), MESSAGE)


def test_a_script_that_loops_has_the_processor_time_of_its_test(tmp_path: Path) -> None:
    visible = suite('number == 2 or run("coins").status').replace("(coins,", "(run,")
    stage = write_stage(tmp_path, STAGE_TOML=QUICK, VISIBLE=visible)
    result = grade(stage, f'{REFERENCE}\nif __name__ == "__main__":\n    {LOOP}\n')
    assert outcomes(result)[:3] == ["timeout", "passed", "timeout"]
    # On a busy machine the clock may end the script before it has used its processor time.
    message = all_tests(result)[0].message
    assert "used up its time" in message or "took longer than 0.2 s" in message


ENDLESS = """
def slow():
    number = 1
    while number:
        number = half(number)

def half(number):
    return len([number]) + number // 2
"""


@pytest.mark.parametrize("sandbox", ["auto", "none"])
def test_the_line_of_a_loop_is_shown_but_not_of_a_hidden_test(tmp_path: Path, sandbox: str) -> None:
    """The loop is in `slow`, although most of the time its function `half` runs."""
    line = "coins.slow()"
    visible, hidden = (suite(line, name, numbers=1) for name in ("test_seen", "test_unseen"))
    stage = write_stage(tmp_path, STAGE_TOML=QUICK, VISIBLE=visible, HIDDEN=hidden)
    result = grade(stage, REFERENCE + ENDLESS, sandbox=sandbox)
    seen, unseen = (test for test in all_tests(result) if test.outcome is Outcome.TIMEOUT)
    assert seen.where is not None
    shown = f"took longer than 0.2 s\n  in           {seen.where}: "
    assert shown in seen.message
    looping = seen.message.partition(shown)[2].splitlines()[0]
    assert looping in ("while number:", "number = half(number)")
    assert "number" not in unseen.message
    assert unseen.where is None


@pytest.mark.parametrize("quick", [False, True])
def test_a_check_that_never_ends_blames_no_line_that_it_calls(tmp_path: Path, quick: bool) -> None:
    """Each call of the program ends, but the check calls it without end."""
    visible = suite("[coins.quick() for _ in range(10**9)]", numbers=1)
    stage = write_stage(tmp_path, STAGE_TOML=limits(test_seconds=0.5), VISIBLE=visible)
    quickly = f"{REFERENCE}\n\ndef quick():\n    return sum(number for number in range(10**5))\n"
    result = check_program(stage, {"coins": quickly}) if quick else grade(stage, quickly)
    slow = all_tests(result)[0]
    assert (slow.outcome, slow.where) == (Outcome.TIMEOUT, None)


def test_a_call_that_ends_is_not_blamed_where_two_timers_ring_during_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The timer for half of the limit by the clock rings just before the one for processor time."""
    time_by_the_clock(monkeypatch, patience=1.91)
    visible = suite("[coins.quick() for _ in range(100)]", numbers=1)
    stage = write_stage(tmp_path, STAGE_TOML=limits(test_seconds=0.5), VISIBLE=visible)
    # A loop that asks for the processor time would spend the system's time, not the program's.
    body = computing(0.1).replace("process_time", "perf_counter")
    result = grade(stage, f"{REFERENCE}\n\ndef quick():\n        {body}", sandbox="none")
    slow = all_tests(result)[0]
    assert (slow.outcome, slow.where) == (Outcome.TIMEOUT, None)


class Asker:
    """Stands in for a grader that asks one question, while a timer rings twice.

    With `rings_before`, it rings once before the question and once during the answer. Otherwise it
    rings twice during the answer.
    """

    def __init__(self, rings_before: bool) -> None:
        """With `rings_before`, half of the time is over before the question is asked."""
        self._rings_before = rings_before
        self._left: list[dict[str, object]] = [
            {"do": "go_on", "cpu_seconds": 1000, "clock_seconds": 0},
            {"do": "call", "id": 5},
            {"do": "end"},
        ]
        self.got: list[dict[str, object]] = []
        self.send = self.got.append

    def receive_next(self) -> dict[str, object]:
        question = self._left.pop(0)
        if question["do"] == "call" and self._rings_before:
            signal.raise_signal(signal.SIGVTALRM)
        return question

    def answer(self, question: dict[str, object]) -> dict[str, object]:
        if not self._rings_before:
            signal.raise_signal(signal.SIGVTALRM)
        signal.raise_signal(signal.SIGVTALRM)
        return {"id": question["id"], "value": None}

    def forget(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("rings_before", "expected"), [(False, ["late", "value"]), (True, ["value"])]
)
def test_no_place_is_told_where_the_asker_took_half_of_the_time(
    rings_before: bool, expected: list[str]
) -> None:
    """If the program loops in the rest of the time, a later timer shows the place."""
    asker = Asker(rings_before)
    server.converse(asker, asker)  # type: ignore[arg-type]
    assert [key for message in asker.got for key in message if key != "id"] == expected


def test_the_line_of_a_loop_is_shown_without_a_process(tmp_path: Path) -> None:
    visible = suite("coins.slow()", numbers=1)
    stage = write_stage(tmp_path, STAGE_TOML=QUICK, VISIBLE=visible)
    with ProgramHere(stage.limits, {"coins": REFERENCE + ENDLESS}) as program:
        program.load()
        program.begin(0.2)
        with pytest.raises(SubmissionStopped) as stopped:
            program.connection.module("coins").slow()
    assert [file for file, _ in stopped.value.calls[:1]] == ["coins.py"]


def test_a_program_that_tells_two_places_answers_nonsense(tmp_path: Path) -> None:
    visible = suite("coins.slow()", numbers=1)
    stage = write_stage(tmp_path, STAGE_TOML=QUICK, VISIBLE=visible)
    liar = """
def slow():
    import os, sys
    converse = sys._getframe()
    while "channel" not in converse.f_locals:
        converse = converse.f_back
    names = converse.f_locals
    place = {"type": "", "base": "Exception", "text": "", "where": None, "calls": []}
    for _ in range(2):
        names["channel"].send({"id": names["asked"], "late": place})
"""
    result = grade(stage, REFERENCE + liar)
    assert NONSENSE in all_tests(result)[0].message


WAITING = """
import time


@pytest.mark.task("worth")
@pytest.mark.parametrize("number", range(3))
def test_a_long_one(coins, number):
    time.sleep(0.3)
    assert coins.Coin("dime").worth == number
"""


def test_a_test_that_takes_long_by_the_clock_is_no_loop(tmp_path: Path) -> None:
    """All three tests run, although they wait. Each fails because of the program's answer."""
    visible = "import pytest\n" + WAITING
    stage = write_stage(tmp_path, STAGE_TOML=QUICK, VISIBLE=visible, HIDDEN="")
    result = check_program(stage, {"coins": REFERENCE})
    assert outcomes(result) == [Outcome.FAILED] * 3


LOOP_AND_SCRIPT = """
import pytest


@pytest.mark.task("worth")
def test_a_loop(coins):
    assert coins.slow(1) == 0


@pytest.mark.task("worth")
def test_a_script(run):
    assert [run("coins").out, run("coins").err] == [b"0\\n", b""]
"""
SCRIPT = """
def slow(number):
    while number:
        pass
    return number

if __name__ == "__main__":
    import coins
    print(coins.slow(0))
"""


def test_a_script_runs_what_did_not_end_in_another_check(tmp_path: Path) -> None:
    """In a script, a function that is left out would look like a crash."""
    stage = write_stage(tmp_path, STAGE_TOML=QUICK, VISIBLE=LOOP_AND_SCRIPT, HIDDEN="")
    result = check_program(stage, {"coins": REFERENCE + SCRIPT})
    assert outcomes(result) == [Outcome.TIMEOUT, Outcome.PASSED]


TWO_TASKS_LOOP = """
import pytest


@pytest.mark.task("purse")
@pytest.mark.parametrize("number", [1, 2])
def test_a_purse(coins, number):
    assert coins.slow(number) == 0


@pytest.mark.task("worth")
@pytest.mark.timeout(0.2)
def test_a_coin(coins):
    assert coins.also_slow() == 0
"""
TWO_LOOPS = """
def slow(number):
    while True: pass

def also_slow():
    while True: pass
"""


def test_a_check_meets_a_loop_in_the_tests_of_the_earliest_task(tmp_path: Path) -> None:
    """This holds even if a later task's tests come first and have no time limit of their own."""
    stage = write_stage(tmp_path, STAGE_TOML=QUICK, VISIBLE=TWO_TASKS_LOOP, HIDDEN="")
    worth, purse, _ = check_program(stage, {"coins": REFERENCE + TWO_LOOPS}).tasks
    assert [test.outcome for test in worth.tests] == [Outcome.TIMEOUT]
    assert [test.outcome for test in purse.tests] == [Outcome.TIMEOUT, Outcome.NOT_REACHED]
