"""Tests that share a process: only as long as that makes no difference to what they find."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hearts_course.course import Stage, load_stage
from hearts_course.grading.grade import GradeJob, grade_one
from hearts_course.results import Outcome, Result
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.submissions.model import Submission
from hearts_course.testing.job import StopAfter
from tiny_course import REFERENCE, STAGE_TOML, write_stage

COUNTER = """
SEEN = []

def seen():
    SEEN.append(1)
    return len(SEEN)

def slow():
    while True:
        pass

import mmap
try:
    MEMORY = mmap.mmap(-1, 1)
except OSError:
    MEMORY = bytearray(1)

def remember():
    MEMORY[0] = 1

def remembered():
    return MEMORY[0]

def leisurely():
    from time import process_time
    end = process_time() + 0.15
    while process_time() < end:
        pass
    return True
"""
TESTS = '''
import pytest

pytestmark = pytest.mark.task("worth")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_{name}(coins, number):
    """A coin is worth something.

    Try: Coin("penny").worth
    """
    assert {line}
'''
QUICK = STAGE_TOML.replace(
    '[[task]]\nid = "worth"', '[limits]\ntest_seconds = 0.2\n\n[[task]]\nid = "worth"', 1
)


@pytest.fixture(name="begun")
def _begun(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of each test process that the grader begins."""
    begun: list[int] = []
    begin: Callable[..., None] = SubmissionProcess.begin

    def counting(
        self: SubmissionProcess, seconds: float | None = None, *, scripts: bool = False
    ) -> None:
        begun.append(len(begun))
        begin(self, seconds, scripts=scripts)

    monkeypatch.setattr(SubmissionProcess, "begin", counting)
    return begun


def stage_with(root: Path, visible: str, hidden: str) -> Stage:
    return write_stage(
        root,
        STAGE_TOML=QUICK,
        VISIBLE=TESTS.format(name="visible", line=visible),
        HIDDEN=TESTS.format(name="hidden", line=hidden),
    )


def grade(stage: Stage, **options: bool) -> Result:
    submission = Submission("ada", stage.name, {"coins": REFERENCE + COUNTER})
    return grade_one(GradeJob(stage, submission, **options))


def outcomes(result: Result) -> list[tuple[bool, str]]:
    return [(test.hidden, test.outcome) for test in result.tasks[0].tests]


WELL, ILL = 'coins.Coin("dime").worth == 10', 'coins.Coin("dime").worth == 11'
PASSED = [(False, Outcome.PASSED)] * 3, [(True, Outcome.PASSED)] * 3


def test_who_passes_needs_a_process_for_visible_and_one_for_hidden_tests(
    tmp_path: Path, begun: list[int]
) -> None:
    assert outcomes(grade(stage_with(tmp_path, WELL, WELL))) == [*PASSED[0], *PASSED[1]]
    assert len(begun) == 2


def test_what_an_earlier_test_left_behind_costs_nothing(tmp_path: Path, begun: list[int]) -> None:
    result = grade(stage_with(tmp_path, "coins.seen() == 1", WELL))
    assert outcomes(result) == [*PASSED[0], *PASSED[1]]
    assert len(begun) == 4


def test_one_that_fails_is_judged_alone_and_so_are_its_neighbours(
    tmp_path: Path, begun: list[int]
) -> None:
    line = '(coins.Coin("dime").worth, coins.seen()) == (10 + (number == 2), 1)'
    result = grade(stage_with(tmp_path, WELL, line))
    assert outcomes(result)[3:] == [
        (True, Outcome.PASSED),
        (True, Outcome.FAILED),
        (True, Outcome.PASSED),
    ]


def test_the_first_to_fail_had_its_process_for_itself(tmp_path: Path, begun: list[int]) -> None:
    assert {how for _, how in outcomes(grade(stage_with(tmp_path, ILL, ILL)))} == {"failed"}
    assert len(begun) == 6


def test_a_loop_among_them_costs_the_others_nothing(tmp_path: Path) -> None:
    stage = stage_with(tmp_path, WELL, "number != 2 or coins.slow()")
    assert [how for _, how in outcomes(grade(stage))][3:] == ["passed", "timeout", "passed"]


def test_the_time_of_the_submission_ends_in_the_middle_of_a_group(tmp_path: Path) -> None:
    limited = QUICK.replace("test_seconds", "submission_seconds = 0.3\ntest_seconds", 1)
    told = stage_with(tmp_path, WELL, "coins.leisurely()").assignment / "stage.toml"
    told.write_text(limited)
    how = [how for _, how in outcomes(grade(load_stage(tmp_path, told)))]
    assert (how[:4], how[-1]) == (["passed"] * 4, "not-reached")


def test_what_may_take_long_has_no_more_than_is_left(tmp_path: Path) -> None:
    limited = QUICK.replace("test_seconds", "submission_seconds = 1\ntest_seconds", 1)
    stage = stage_with(tmp_path, WELL, "number != 1 or coins.slow()")
    hidden = stage.hidden_tests[0]
    hidden.write_text(hidden.read_text().replace("def test", "@pytest.mark.timeout(60)\ndef test"))
    told = stage.assignment / "stage.toml"
    told.write_text(limited)
    slow = grade(load_stage(tmp_path, told)).tasks[0].tests[3]
    assert slow.outcome == Outcome.TIMEOUT
    assert float(re.findall(r"took longer than (\S+) s", slow.message)[0]) <= 1


def test_a_visible_test_meets_nobody_who_remembers_a_hidden_one(tmp_path: Path) -> None:
    stage = stage_with(tmp_path, "coins.remembered() == 0", "coins.remember() is None")
    visible = stage.visible_tests[0]
    visible.write_text(visible.read_text().replace("(coins,", "(coins, run,"))
    assert outcomes(grade(stage)) == [*PASSED[0], *PASSED[1]]


def test_what_may_take_long_comes_last_and_alone(tmp_path: Path, begun: list[int]) -> None:
    stage = stage_with(tmp_path, WELL, WELL)
    for test in (*stage.visible_tests, *stage.hidden_tests):
        text = test.read_text()
        quick = text[text.index("@") :].replace("def test", "def test_quick")
        marked = text.replace("def test", "@pytest.mark.timeout(3)\ndef test")
        test.write_text(marked + "\n\n" + quick)
    names = [test.name.partition("[")[0] for test in grade(stage).tasks[0].tests]
    quick_first = [f"test_{kind}" for kind in ("quick_visible", "visible") for _ in range(3)]
    assert [name.partition("::")[2] for name in names[:6]] == quick_first
    assert [name.endswith("hidden") for name in names] == [False] * 6 + [True] * 6
    assert len(begun) == 2 + 6


def test_who_is_to_stop_early_stops_at_what_ended_the_last_one(
    tmp_path: Path, begun: list[int]
) -> None:
    stage = stage_with(tmp_path, WELL, "number != 3")
    for processes in (3, 1):
        begun.clear()
        how = [how for _, how in outcomes(grade(stage, stop=StopAfter.RUN))]
        assert (how.count("failed"), len(begun)) == (1, processes)
