"""Running a suite: how tests end, which tests run, and which faults never cost a student points."""

from pathlib import Path

import pytest
from hearts_course.course import Stage
from hearts_course.results import Outcome, Result, Status
from hearts_course.submissions.model import Submission
from hearts_course.testing.in_process import check_program
from hearts_course.testing.job import StopAfter
from hearts_course.testing.runner import runner_of
from hearts_grader.grading.grade import GradeJob, grade_one
from tiny_course import HIDDEN, REFERENCE, VISIBLE, write_stage
from tiny_grade import DIME_IS_TEN, KILL_ONCE, all_tests, changed, grade, limits, outcomes

WRONG_WORTH = changed("10 if", "5 if")
ENDED = "ended by itself in the middle of a call"

pytestmark = pytest.mark.needs_sandbox


@pytest.fixture(name="stage", scope="module")
def _stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    quick = limits(test_seconds=0.3, import_seconds=0.5)
    return write_stage(tmp_path_factory.mktemp("course"), STAGE_TOML=quick)


def test_the_reference_gets_full_points(stage: Stage) -> None:
    result = grade(stage, REFERENCE)
    assert (result.status, result.score, result.message) == (Status.GRADED, 6.0, "")
    assert outcomes(result) == [Outcome.PASSED] * 5


def test_a_task_scores_the_share_of_its_tests_that_pass(stage: Stage) -> None:
    assert [task.score for task in grade(stage, WRONG_WORTH).tasks] == [1.0, 3.0, 0.0]


@pytest.mark.parametrize(
    ("instead", "outcome", "words", "verdict"),
    [
        ("return input()", Outcome.FAILED, "nobody is at the keyboard", ""),
        ("return self.undefined", Outcome.FAILED, "AttributeError", ""),
        ("raise NotImplementedError('Task 1')", Outcome.FAILED, "not written yet: Task 1", ""),
        ("while True: pass", Outcome.TIMEOUT, "took longer than 0.3 s", "took too long"),
        ("import os; os._exit(0)", Outcome.CRASHED, "ended by itself", ENDED),
        ("import sys; sys.exit(0)", Outcome.FAILED, "SystemExit", "ended by itself"),
        ("return bytearray(2**31)", Outcome.FAILED, "MemoryError", "ran out of memory"),
        ("return None", Outcome.FAILED, "came back    None", ""),
        ("return self", Outcome.FAILED, "an object of class Coin", ""),
    ],
)
def test_each_way_to_fail_has_its_outcome_and_the_program_its_verdict(
    stage: Stage, instead: str, outcome: Outcome, words: str, verdict: str
) -> None:
    source = changed("coin.worth for", "10 if coin.face == 'dime' else 1 for")
    result = grade(stage, changed(DIME_IS_TEN, instead, source), tests="visible")
    assert outcomes(result) == [outcome] * 2 + [Outcome.PASSED] * 2
    assert words in all_tests(result)[0].message
    assert result.message == (verdict and f"in 2 of 4 checks the program {verdict}")


@pytest.mark.parametrize(
    ("before", "killing"),
    [
        ("        return 10 if", "        kill_once(os.getpid())\n        return 10 if"),
        ("        return 10 if", "        kill_once(os.getppid())\n        return 10 if"),
        ("class Purse:", "kill_once(os.getpid())\n\nclass Purse:"),
    ],
    ids=["a test's process", "the program's process", "the program's process at import"],
)
def test_a_program_killed_from_outside_loses_nothing(
    stage: Stage, tmp_path: Path, before: str, killing: str
) -> None:
    mark = tmp_path / "killed"
    killer = '"""\n' + KILL_ONCE.format(mark=str(mark))
    source = changed(before, killing).replace('"""\n', killer, 1)
    result = grade(stage, source, sandbox="none")
    assert (result.score, result.message, mark.exists()) == (6.0, "", True)


def test_a_busy_machine_makes_no_import_time_out(stage: Stage) -> None:
    assert grade(stage, REFERENCE + "\nimport time; time.sleep(0.7)").score == 6.0


def test_a_program_of_any_text_can_be_sent(stage: Stage) -> None:
    assert grade(stage, REFERENCE + "#" + "\x01" * 900_000).score == 6.0


def test_no_message_is_too_long_to_read(stage: Stage) -> None:
    unlimited = 'import sys; sys.modules["sandbox_worker.server"].MAX_TEXT = 10**9'
    source = changed("FACES =", f"{unlimited}\nFACES =")
    for error in ("NotImplementedError", "ValueError"):
        result = grade(stage, changed(DIME_IS_TEN, f'raise {error}("x" * 10**6)', source))
        assert "xxx" in all_tests(result)[0].message
        assert max(len(test.message) for test in all_tests(result)) < 2000


@pytest.mark.parametrize(
    ("source", "status", "message"),
    [
        ("x = 1 / 0\n", Status.GRADED, "ZeroDivisionError"),
        ("def f(:\n", Status.UNREADABLE, "line 1 (def f(:): Python cannot read this: invalid"),
    ],
)
def test_a_program_that_cannot_be_imported_reaches_no_test(
    stage: Stage, source: str, status: Status, message: str
) -> None:
    result = grade(stage, source)
    assert (result.status, result.score) == (status, 0)
    assert message in result.message
    assert outcomes(result) == [Outcome.NOT_REACHED] * 5


def test_a_submission_that_could_not_be_read_keeps_its_verdict(stage: Stage) -> None:
    result = grade_one(GradeJob(stage, Submission("ada", stage.name, problem="not a zip file")))
    assert (result.status, result.message) == (Status.UNREADABLE, "not a zip file")
    assert (result.score, len(outcomes(result))) == (0, 5)


def test_tests_can_be_chosen(stage: Stage) -> None:
    assert len(outcomes(grade(stage, REFERENCE, tests="visible"))) == 4
    one = grade(stage, REFERENCE, tasks=frozenset({"purse"}))
    assert [task.task for task in one.tasks if task.tests] == ["purse"]


def test_a_run_can_stop_at_the_first_failure(stage: Stage) -> None:
    stopped = outcomes(grade(stage, WRONG_WORTH, stop=StopAfter.RUN))
    assert stopped == ["failed", *["not-reached"] * 4]


def test_the_tests_of_some_tasks_can_come_first(tmp_path: Path) -> None:
    first = frozenset({"total"})
    result = grade(write_stage(tmp_path), WRONG_WORTH, first=first, stop=StopAfter.RUN)
    failed = [test.name for test in all_tests(result) if test.outcome is Outcome.FAILED]
    assert failed == ["test_coins.py::test_total"]


def test_a_task_can_stop_at_its_first_failure(stage: Stage) -> None:
    result = grade(stage, changed(DIME_IS_TEN, "return 7"), stop=StopAfter.TASK)
    ends = [[test.outcome for test in task.tests] for task in result.tasks]
    assert ends == [["failed", "not-reached"], ["passed"], ["failed", "not-reached"]]


def test_pytest_settings_of_the_machine_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    assert grade(write_stage(tmp_path), REFERENCE).score == 6


def test_a_suite_is_collected_once(tmp_path: Path) -> None:
    stage = write_stage(tmp_path)
    first = runner_of(stage)
    grade(stage, REFERENCE)
    (stage.autograder / "test_coins_hidden.py").write_text(HIDDEN.replace("== 10", "== 11"))
    assert grade(stage, REFERENCE).score == 6
    assert runner_of(stage) is first


def test_a_skipped_test_is_reported_with_its_reason(tmp_path: Path) -> None:
    skips = changed("assert coins.Coin", 'pytest.skip("no bank")\n    assert coins.Coin', VISIBLE)
    stage = write_stage(tmp_path, VISIBLE=skips, HIDDEN="")
    for result in (grade(stage, REFERENCE), check_program(stage, {"coins": REFERENCE})):
        assert [task.skipped for task in result.tasks] == [("no bank",) * 2, (), ()]
        assert Result.from_json(result.as_json()) == result


FINDS_OUT = '''
import pytest


@pytest.mark.task("worth")
@pytest.mark.parametrize("number", [1, 2])
def test_found(coins, once, number):
    """A coin has a worth."""
    if "worth" not in once:
        once["worth"] = "not found out"
        once["worth"] = coins.Coin("dime").worth
    assert once["worth"] == 10
'''


def test_once_is_emptied_for_each_run_and_after_a_kill(tmp_path: Path) -> None:
    """The first question kills the program."""
    stage = write_stage(tmp_path, HIDDEN=FINDS_OUT)
    mark = tmp_path / "killed"
    killing = changed(DIME_IS_TEN, f"kill_once(os.getpid()); {DIME_IS_TEN}")
    source = f"{KILL_ONCE.format(mark=str(mark))}\n{killing}"
    results = [grade(stage, source, sandbox="none") for _ in range(2)]
    assert mark.exists()
    hidden = [test.outcome for result in results for test in all_tests(result) if test.hidden]
    assert hidden == [Outcome.PASSED] * 4
