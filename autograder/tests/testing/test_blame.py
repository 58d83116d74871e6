"""Whose fault it was that a test ended in an exception: the program's, the suite's, or ours."""

from pathlib import Path
from typing import Any

import pytest
from hearts_course.course import Course, Stage, find_course
from hearts_course.errors import NotStarted
from hearts_course.grading.grade import GradeJob, grade_one
from hearts_course.results import Outcome, Result, Status
from hearts_course.sandbox import submission_process
from hearts_course.sandbox.answers import SubmissionStopped
from hearts_course.submissions.model import Submission
from hearts_course.testing.in_process import check_namespace, check_program
from hearts_course.testing.job import SuiteError
from hearts_course.testing.runner import SuiteRunner
from tiny_course import HIDDEN, REFERENCE, VISIBLE, write_stage

COURSE = Course(find_course().root)
CARDS = COURSE.stages[0]
TABLE = COURSE.stage("04")

# Its helper is of another library's, which an unexpected answer makes raise something of its own.
HELPED = '''
import statistics

import pytest


def middle(values):
    """The value in the middle."""
    return statistics.median(values)


@pytest.mark.task("worth")
def test_middle(coins):
    """Half of the coins are worth more than the others."""
    assert middle([coins.Coin("penny").worth, coins.Coin("dime").worth]) == 5.5
'''


def grade(stage: Stage, **modules: str) -> Result:
    return grade_one(GradeJob(stage, Submission("ada", stage.name, modules), "none"))


def outcomes(result: Result) -> list[str]:
    return [test.outcome for task in result.tasks for test in task.tests]


def messages(result: Result) -> str:
    return "\n".join(test.message for task in result.tasks for test in task.tests)


@pytest.mark.parametrize("value", ["None", '"a coin"', '("penny", "dime")', "7", "[]"])
def test_an_exception_that_an_answer_leads_to_is_the_program_s(tmp_path: Path, value: str) -> None:
    """Wherever on our side it is raised: here it is in the standard library."""
    stage = write_stage(tmp_path, VISIBLE=HELPED)
    worth = f'return {value} if self.face == "dime"'
    result = grade(stage, coins=REFERENCE.replace('return 10 if self.face == "dime"', worth))
    assert (result.status, outcomes(result)[0]) == (Status.GRADED, Outcome.FAILED)
    assert "Coin('dime').worth" in messages(result)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("statistics.median(valuse)", "NameError"),
        ("statistics.median()", "TypeError"),
        ("values.middle", "AttributeError"),
        ("values[2]", "IndexError"),
        ("{}[values[0]]", "KeyError"),
        ("1 / 0", "ZeroDivisionError"),
        ("values.middle(values) if values[0] else values.median", "AttributeError"),
        ("exec('raise SystemError')", "SystemError"),
        ("open(str(values))", "FileNotFoundError"),
    ],
)
@pytest.mark.parametrize("worth", ["10", "None", '"ten"'])
def test_an_exception_that_the_reference_meets_too_is_the_suite_s(
    tmp_path: Path, line: str, words: str, worth: str
) -> None:
    broken = HELPED.replace("return statistics.median(values)", f"return {line}")
    stage = write_stage(tmp_path, VISIBLE=broken)
    result = grade(stage, coins=REFERENCE.replace("10 if", f"{worth} if"))
    assert (result.status, result.score) == (Status.GRADER_ERROR, 0)
    assert words in result.message


def test_a_sandbox_that_starts_nothing_in_a_test_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    varied = VISIBLE.replace("(coins, face", "(coins, program_with, face").replace(
        "    assert coins.Coin", "    program_with(coins='')\n    assert coins.Coin"
    )
    stage = write_stage(tmp_path, VISIBLE=varied)
    start, started = submission_process.SubmissionProcess._new_process, []

    def refuse(self: submission_process.SubmissionProcess) -> object:
        started.append(self)
        if started[0] is self:
            return start(self)
        raise NotStarted("no more processes")

    monkeypatch.setattr(submission_process.SubmissionProcess, "_new_process", refuse)
    result = grade(stage, coins=REFERENCE)
    assert result.status is Status.GRADER_ERROR
    assert result.message == "test_coins.py::test_worth[1]: NotStarted: no more processes"


def test_the_reference_is_tried_once_a_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it costs is no part of a submission's time."""
    tried = []
    start = SuiteRunner._start_reference

    def counted(self: SuiteRunner) -> object:
        tried.append(self)
        return start(self)

    monkeypatch.setattr(SuiteRunner, "_start_reference", counted)
    stage = write_stage(tmp_path)
    results = [grade(stage, coins=f"Coin = Purse = {value}\n") for value in ("None", "7", "()")]
    assert [set(outcomes(result)) for result in results] == [{Outcome.FAILED}] * 3
    assert len(tried) == 5


def test_a_reference_that_cannot_be_tried_proves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a machine that is too busy for it: then the program failed, as it does elsewhere."""

    begin = submission_process.SubmissionProcess.begin

    def busy(self: submission_process.SubmissionProcess, *args: Any, **named: Any) -> None:
        if "10 if" in self.sources["coins"]:
            raise SubmissionStopped("timeout", "took longer than 2 s")
        begin(self, *args, **named)

    monkeypatch.setattr(submission_process.SubmissionProcess, "begin", busy)
    result = grade(write_stage(tmp_path), coins="Coin = Purse = None\n")
    assert (result.status, set(outcomes(result))) == (Status.GRADED, {Outcome.FAILED})


@pytest.fixture(name="workspace")
def _workspace(tmp_path: Path) -> Stage:
    """A stage as students have it: without the reference, and without hidden tests."""
    stage = write_stage(tmp_path, VISIBLE=VISIBLE.replace("== 11", "== eleven"))
    (stage.solution / "coins.py").unlink()
    (stage.solution / "design.md").unlink()
    stage.solution.rmdir()
    return stage


def test_without_a_reference_an_answer_is_to_blame(workspace: Stage) -> None:
    for result in (
        check_program(workspace, {"coins": "Coin = Purse = None\n"}),
        check_namespace(workspace, {"Coin": None, "Purse": None}),
    ):
        assert set(outcomes(result)) == {Outcome.FAILED}
        assert "Coin is None; it should be a class" in messages(result)


def test_without_a_reference_what_asked_nothing_is_the_suite_s(workspace: Stage) -> None:
    text = workspace.visible_tests[0].read_text()
    asking = 'def test_total(coins):\n    """A purse is worth its coins."""\n'
    workspace.visible_tests[0].write_text(
        text.replace(asking, asking.replace("coins", "") + "    coins = eleven\n")
    )
    for check in (
        lambda: check_program(workspace, {"coins": REFERENCE}),
        lambda: check_namespace(workspace, {}),
    ):
        with pytest.raises(SuiteError, match=r"test_total: NameError: name 'eleven'"):
            check()


def test_a_hidden_test_says_nothing_of_the_answer(tmp_path: Path) -> None:
    stage = write_stage(tmp_path, HIDDEN=HIDDEN + HELPED.replace("import pytest\n", "", 1))
    worth = 'return "HIDDEN INPUTS: " + self.face'
    source = REFERENCE.replace('return 10 if self.face == "dime" else 1', worth)
    result = grade(stage, coins=source)
    hidden = [test for task in result.tasks for test in task.tests if test.hidden]
    assert [test.outcome for test in hidden] == [Outcome.FAILED] * 2
    assert not [test for test in hidden if "INPUTS" in test.message or "str" in test.message]


def test_a_student_reads_which_name_is_wrong() -> None:
    for value in ("None", '"a card"', '("suit", "rank")', "7"):
        result = grade(CARDS, cards=f"{CARDS.reference()['cards']}\nCard = {value}\n")
        assert result.status is Status.GRADED
        shown = value.replace('"', "'")
        assert f"  Card is {shown}; it should be a class\n" in messages(result)


NESTED = {
    "a sum of 700 terms": "x = " + "+".join("1" * 700),
    "a raise of 700 terms": "def f():\n    raise ValueError(" + "+".join("1" * 700) + ")",
    "700 calls": "def f(a):\n    return a" + "()" * 700,
    "700 attributes": "def f(a):\n    return a" + ".b" * 700,
    "a sum of 940 terms": "x = " + "+".join("1" * 940),
    "700 minuses": "x = " + "-" * 700 + "1",
    "a number without end": f"x = 0x{'f' * 9000}",
    "90 brackets": "x = " + "[" * 90 + "]" * 90,
    "an escape that is none": 'x = "\\d"',
    "a comparison that warns": "x = 1 is 1",
    "a sum that Python cannot read": "x = " + "+".join("1" * 3000),
    "minuses that Python cannot read": "x = " + "-" * 60000 + "1",
    "a null byte": "x = 1\0",
}


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED.keys())
def test_a_program_that_is_hard_to_read_is_no_fault_of_ours(text: str) -> None:
    modules = TABLE.reference()
    modules["table"] += f"\n\n{text}\n"
    work = GradeJob(
        TABLE,
        Submission("ada", TABLE.name, modules),
        "none",
        tests="visible",
        tasks=frozenset({"keep-things-apart"}),
    )
    result = grade_one(work)
    assert result.status is not Status.GRADER_ERROR, result.message
