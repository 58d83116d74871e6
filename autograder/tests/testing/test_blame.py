"""Whose fault it is that a test ends in an exception: the program's, the suite's or ours."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hearts_course.course import Stage
from hearts_course.results import Outcome, Result, Status
from hearts_course.sandbox import worker
from hearts_course.sandbox.answers import SubmissionStopped
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.testing.in_process import check_namespace, check_program
from hearts_course.testing.job import SuiteError
from hearts_course.testing.reference import Reference
from hearts_course.testing.tests import Test
from proofs import proofs_after
from surroundings import workers_run
from tiny_course import HIDDEN, REFERENCE, VISIBLE, write_stage
from tiny_grade import DIME_IS_TEN, all_tests, changed, messages, outcomes
from tiny_grade import grade as grade_in

# A suite with a helper that calls a library, which raises its own error for an unexpected answer.
HELPED = '''
import statistics

import pytest


def middle(values):
    """Return the value in the middle."""
    return statistics.median(values)


@pytest.mark.task("worth")
def test_middle(coins):
    """Half of the coins are worth more than the others."""
    assert middle([coins.Coin("penny").worth, coins.Coin("dime").worth]) == 5.5
'''
CANNOT_START = "the sandbox none cannot start a program; is the machine out of memory or processes?"
NO_CLASSES = "Coin = Purse = None\n"


def grade(stage: Stage, source: str) -> Result:
    return grade_in(stage, source, sandbox="none")


@pytest.mark.parametrize("value", ["None", '"a coin"', '("penny", "dime")', "[]"])
def test_an_exception_that_an_answer_causes_is_the_program_s_fault(
    tmp_path: Path, value: str
) -> None:
    result = grade(write_stage(tmp_path, VISIBLE=HELPED), changed("10 if", f"{value} if"))
    assert (result.status, outcomes(result)[0]) == (Status.GRADED, Outcome.FAILED)
    assert "Coin('dime').worth" in messages(result)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("statistics.median(valuse)", "NameError"),
        ("statistics.median()", "TypeError"),
        ("values[2]", "IndexError"),
        ("{}[values[0]]", "KeyError"),
        ("1 / 0", "ZeroDivisionError"),
        ("values.middle(values) if values[0] else values.median", "AttributeError"),
        ("exec('raise SystemError')", "SystemError"),
        ("open(str(values))", "FileNotFoundError"),
    ],
)
@pytest.mark.parametrize("worth", proofs_after(1, ["10", "None"]))
def test_an_exception_that_the_reference_causes_too_is_the_suite_s_fault(
    tmp_path: Path, line: str, words: str, worth: str
) -> None:
    broken = changed("return statistics.median(values)", f"return {line}", HELPED)
    result = grade(write_stage(tmp_path, VISIBLE=broken), changed("10 if", f"{worth} if"))
    assert (result.status, result.score) == (Status.GRADER_ERROR, 0)
    assert words in result.message


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("== 11", "== eleven", "NameError"),
        ("def test_add(coins)", "def test_add(coin)", "FixtureLookupError: ('coin'"),
        ('@pytest.mark.task("total")', "", "has no @pytest.mark.task"),
        ("import pytest", "import pytest, nowhere", "No module named 'nowhere'"),
    ],
)
def test_a_broken_suite_is_never_the_student_s_fault(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    broken = write_stage(tmp_path, VISIBLE=changed(old, new, VISIBLE))
    for _ in range(2):
        result = grade(broken, REFERENCE)
        assert result.status is Status.GRADER_ERROR
        assert words in result.message
        assert "\n" not in result.message


def test_a_sandbox_that_cannot_start_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers_run(monkeypatch, "raise SystemExit")
    result = grade(write_stage(tmp_path), REFERENCE)
    assert result.status is Status.GRADER_ERROR
    assert result.message == CANNOT_START


def test_a_sandbox_that_cannot_start_in_the_middle_of_a_test_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visible = VISIBLE.replace("(coins, face", "(coins, program_with, face").replace(
        "    assert coins.Coin", "    program_with(coins='')\n    assert coins.Coin"
    )
    stage = write_stage(tmp_path, VISIBLE=visible)
    only_once = f"import os\nos.mkdir({str(tmp_path / 'started')!r})\n"
    workers_run(monkeypatch, only_once + worker.SERVE)
    result = grade(stage, REFERENCE)
    assert result.status is Status.GRADER_ERROR
    assert result.message == f"test_coins.py::test_worth[1]: NotStarted: {CANNOT_START}"


def test_the_reference_is_tried_once_for_each_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    error_of = Reference._error_of

    def counting(self: Reference, test: Test) -> BaseException | None:
        tried.append(test)
        return error_of(self, test)

    monkeypatch.setattr(Reference, "_error_of", counting)
    stage = write_stage(tmp_path)
    for value in ("None", "7", "()"):
        result = grade(stage, f"Coin = Purse = {value}\n")
        assert set(outcomes(result)) == {Outcome.FAILED}
        assert f"  Coin is {value}; it should be a class" in messages(result)
    assert len(tried) == 5


def test_a_reference_that_runs_out_of_time_proves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = SubmissionProcess.begin

    def too_slow_for_the_reference(self: SubmissionProcess, *args: Any, **named: Any) -> None:
        if "10 if" in self.sources["coins"]:
            raise SubmissionStopped("timeout", "took longer than 2 s")
        begin(self, *args, **named)

    monkeypatch.setattr(SubmissionProcess, "begin", too_slow_for_the_reference)
    result = grade(write_stage(tmp_path), NO_CLASSES)
    assert (result.status, set(outcomes(result))) == (Status.GRADED, {Outcome.FAILED})


def test_a_hidden_test_says_nothing_about_the_answer_that_broke_it(tmp_path: Path) -> None:
    stage = write_stage(tmp_path, HIDDEN=HIDDEN + HELPED.replace("import pytest\n", "", 1))
    result = grade(stage, changed(DIME_IS_TEN, 'return "HIDDEN INPUTS: " + self.face'))
    hidden = [test for test in all_tests(result) if test.hidden]
    assert [test.outcome for test in hidden] == [Outcome.FAILED] * 2
    assert not [test for test in hidden if "INPUTS" in test.message or "str" in test.message]


def without_reference(root: Path, visible: str) -> Stage:
    """Write a stage as students have it, without a reference and hidden tests; return it."""
    stage = write_stage(root, VISIBLE=visible)
    for file in stage.solution.iterdir():
        file.unlink()
    stage.solution.rmdir()
    return stage


def test_without_a_reference_an_answer_is_the_program_s_fault(tmp_path: Path) -> None:
    stage = without_reference(tmp_path, changed("== 11", "== eleven", VISIBLE))
    for result in (
        check_program(stage, {"coins": NO_CLASSES}),
        check_namespace(stage, {"Coin": None, "Purse": None}),
    ):
        assert set(outcomes(result)) == {Outcome.FAILED}
        assert "Coin is None; it should be a class" in messages(result)


@pytest.mark.parametrize(
    "check",
    [
        lambda stage: check_program(stage, {"coins": REFERENCE}),
        lambda stage: check_namespace(stage, {}),
    ],
)
def test_without_a_reference_a_test_that_asked_nothing_is_the_suite_s_fault(
    tmp_path: Path, check: Callable[[Stage], Result]
) -> None:
    begin = "def test_total({}):\n"
    docs = '    """A purse is worth its coins."""\n'
    broken = begin.format("") + docs + "    coins = eleven\n"
    stage = without_reference(tmp_path, changed(begin.format("coins") + docs, broken, VISIBLE))
    with pytest.raises(SuiteError, match=r"test_total: NameError: name 'eleven'"):
        check(stage)
