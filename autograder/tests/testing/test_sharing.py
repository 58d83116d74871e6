"""Tests share a process only where that changes no result."""

import re
from pathlib import Path

import pytest
from hearts_course.course import Stage
from hearts_course.results import Outcome, Result
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.testing.job import StopAfter
from proofs import proofs_after
from tiny_course import REFERENCE, write_stage
from tiny_grade import computing, limits, suite
from tiny_grade import grade as grade_in

pytestmark = pytest.mark.needs_sandbox

COUNTER = f"""
CALLS = []

def calls():
    CALLS.append(1)
    return len(CALLS)

def unwritten():
    raise NotImplementedError

def slow():
    while True:
        pass

import mmap
try:
    MEMORY = mmap.mmap(-1, 1)  # shared by all processes of the program
except OSError:
    MEMORY = bytearray(1)

def remember():
    MEMORY[0] = 1

def remembered():
    return MEMORY[0]

def slow_for(seconds):
        {computing("seconds")}        return True

class Slow:
    def __bool__(self):
        return slow_for(0.15)
"""
RIGHT = 'coins.Coin("dime").worth == 10'
WRONG = 'coins.Coin("dime").worth == 11'
THREE_PASS = ["passed"] * 3
MARKED = "@pytest.mark.alone\n@pytest.mark.task"


@pytest.fixture(name="begun")
def _begun(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that grows by one entry with each test process that the grader begins."""
    begun: list[bool] = []
    begin = SubmissionProcess.begin

    def counting(self: SubmissionProcess, *limit: float | None, scripts: bool = False) -> None:
        begun.append(scripts)
        begin(self, *limit, scripts=scripts)

    monkeypatch.setattr(SubmissionProcess, "begin", counting)
    return begun


def stage_with(
    root: Path, visible: str, hidden: str, *, test_seconds: float = 0.2, **more_limits: float
) -> Stage:
    """Write a stage with three visible and three hidden tests of one task."""
    return write_stage(
        root,
        STAGE_TOML=limits(test_seconds=test_seconds, **more_limits),
        VISIBLE=suite(visible, "test_visible"),
        HIDDEN=suite(hidden, "test_hidden"),
    )


def grade(stage: Stage, **options: object) -> Result:
    return grade_in(stage, REFERENCE + COUNTER, **options)


def outcomes(result: Result) -> tuple[list[str], list[str]]:
    """Return how the visible tests ended, and how the hidden tests ended."""
    tests = result.tasks[0].tests
    visible, hidden = ([t.outcome for t in tests if t.hidden is kind] for kind in (False, True))
    return visible, hidden


def test_passing_tests_need_one_process_if_visible_and_one_if_hidden(
    tmp_path: Path, begun: list[bool]
) -> None:
    assert outcomes(grade(stage_with(tmp_path, RIGHT, RIGHT))) == (THREE_PASS, THREE_PASS)
    assert len(begun) == 2


def test_a_marked_test_never_shares_a_process(tmp_path: Path, begun: list[bool]) -> None:
    """The three visible tests share one process, and each marked hidden test has its own."""
    hidden = suite(RIGHT, "test_hidden").replace("@pytest.mark.task", MARKED, 1)
    stage = write_stage(tmp_path, VISIBLE=suite(RIGHT, "test_visible"), HIDDEN=hidden)
    assert outcomes(grade(stage)) == (THREE_PASS, THREE_PASS)
    assert len(begun) == 4


@pytest.mark.parametrize(
    ("line", "outcome", "processes"),
    [
        ("coins.calls() == 1", "passed", 4),
        (WRONG, "failed", 5),
        ("coins.unwritten() == 1", "failed", 2),
    ],
    ids=["an earlier test changed something", "each test fails", "nothing is written"],
)
def test_a_test_fails_only_in_a_process_of_its_own_or_at_an_unwritten_definition(
    tmp_path: Path, begun: list[bool], line: str, outcome: str, processes: int
) -> None:
    assert outcomes(grade(stage_with(tmp_path, line, RIGHT))) == ([outcome] * 3, THREE_PASS)
    assert len(begun) == processes


def test_an_unwritten_definition_that_an_earlier_test_put_elsewhere_costs_no_other_test(
    tmp_path: Path,
) -> None:
    line = 'coins.calls() == 1 and setattr(coins, "calls", coins.unwritten) is None'
    assert outcomes(grade(stage_with(tmp_path, RIGHT, line))) == (THREE_PASS, THREE_PASS)


SCRIPT = """

@pytest.mark.task("worth")
def test_it_runs(run):
    assert run("coins").status == 0


@pytest.mark.task("worth")
def test_it_runs_again(start):
    assert start("coins").finish().status == 0
"""
OBJECT = """

@pytest.mark.task("worth")
def test_it_runs_beside_its_objects(run, coins):
    assert run("coins").status == 0
"""


def test_tests_share_a_process_that_starts_their_scripts(tmp_path: Path, begun: list[bool]) -> None:
    stage = stage_with(tmp_path, RIGHT, RIGHT, test_seconds=5)
    test_file = stage.hidden_tests[0]
    test_file.write_text(test_file.read_text() + SCRIPT, encoding="utf-8")
    result = grade(stage)
    tests = [test for task in result.tasks for test in task.tests]
    assert len([test for test in tests if "test_it_runs" in test.name]) == 2
    assert {test.outcome for test in tests} == {Outcome.PASSED}
    assert sorted(begun) == [False, False, True]


def test_a_script_beside_the_program_s_objects_has_a_process_of_its_own(
    tmp_path: Path, begun: list[bool]
) -> None:
    stage = stage_with(tmp_path, RIGHT, RIGHT, test_seconds=5)
    test_file = stage.hidden_tests[0]
    test_file.write_text(test_file.read_text() + SCRIPT + OBJECT, encoding="utf-8")
    grade(stage)
    assert sorted(begun) == [False, False, True, True]


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ('(coins.Coin("dime").worth, coins.calls()) == (10 + (number == 2), 1)', "failed"),
        ("number != 2 or coins.slow()", "timeout"),
    ],
)
def test_a_failing_test_costs_its_neighbours_nothing(tmp_path: Path, line: str, ends: str) -> None:
    assert outcomes(grade(stage_with(tmp_path, RIGHT, line)))[1] == ["passed", ends, "passed"]


def test_time_can_run_out_in_the_middle_of_a_group(tmp_path: Path) -> None:
    """A test may take 10 s in its own process and 1 s in a shared one.

    The hidden tests take 1.2 s.
    """
    slow = "coins.slow_for(1.2)"
    stage = stage_with(tmp_path, RIGHT, slow, test_seconds=10, submission_seconds=1)
    result = grade(stage)
    visible, hidden = outcomes(result)
    assert (visible, hidden[0], hidden[-1]) == (THREE_PASS, "passed", "not-reached")
    assert "used up" in result.message
    assert "used up" in result.tasks[0].tests[-1].message


def test_a_test_with_its_own_limit_gets_no_more_than_is_left(tmp_path: Path) -> None:
    stage = stage_with(tmp_path, RIGHT, "number != 1 or coins.slow()", submission_seconds=0.5)
    with_limit(stage.hidden_tests[0], 60)
    slow = grade(stage).tasks[0].tests[3]
    assert slow.outcome == Outcome.TIMEOUT
    assert float(re.findall(r"took longer than (\S+) s", slow.message)[0]) <= 0.5


def with_limit(file: Path, seconds: float) -> None:
    """Give all tests of the file a time limit of their own."""
    marked = f"@pytest.mark.timeout({seconds})\ndef test"
    file.write_text(file.read_text().replace("def test", marked))


def test_no_visible_test_runs_after_a_hidden_one(tmp_path: Path) -> None:
    stage = stage_with(tmp_path, "coins.remembered() == 0", "coins.remember() is None")
    visible = stage.visible_tests[0]
    visible.write_text(visible.read_text().replace("(coins,", "(coins, run,"))
    assert outcomes(grade(stage)) == (THREE_PASS, THREE_PASS)


@pytest.mark.parametrize(("fixtures", "processes"), [("coins", 2 + 2), ("once, coins", 2 + 6)])
def test_tests_with_their_own_limit_come_last_and_share_a_process_if_they_are_plain(
    tmp_path: Path, begun: list[bool], fixtures: str, processes: int
) -> None:
    stage = stage_with(tmp_path, RIGHT, RIGHT)
    for file, kind in ((stage.visible_tests[0], "visible"), (stage.hidden_tests[0], "hidden")):
        with_limit(file, 3)
        file.write_text(file.read_text().replace("(coins,", f"({fixtures},"))
        file.write_text(file.read_text() + suite(RIGHT, f"test_quick_{kind}"))
    names = [test.name for test in grade(stage).tasks[0].tests]
    in_order = ("test_quick_visible", "test_visible", "test_quick_hidden", "test_hidden")
    assert [name.split("::")[1].split("[")[0] for name in names[::3]] == list(in_order)
    assert len(begun) == processes


def test_a_long_test_passes_in_a_process_of_its_own(tmp_path: Path, begun: list[bool]) -> None:
    stage = stage_with(tmp_path, RIGHT, "number != 3 or coins.Slow()")
    with_limit(stage.hidden_tests[0], 1)
    assert outcomes(grade(stage)) == (THREE_PASS, THREE_PASS)
    assert len(begun) == 3


@pytest.mark.parametrize(
    ("seconds", "processes"),
    proofs_after(2, [(0.05, 2), (0.125, 2 + 12), (0.25, 2 + 12), (0.5, 2 + 12)]),
)
def test_a_slow_program_that_is_right_gets_full_points(
    tmp_path: Path, begun: list[bool], seconds: float, processes: int
) -> None:
    """In a shared process, a test may take 0.1 s.

    After two tests that were too slow there, every test gets its own process. The limit for all
    tests together is one second above what the program needs.
    """
    line = f"coins.slow_for({seconds})"
    stage = write_stage(
        tmp_path,
        STAGE_TOML=limits(test_seconds=1, submission_seconds=12 * seconds + 1),
        VISIBLE=suite(line, "test_visible", numbers=6),
        HIDDEN=suite(line, "test_hidden", numbers=6),
    )
    result = grade(stage)
    assert (outcomes(result), result.message) == ((["passed"] * 6, ["passed"] * 6), "")
    assert len(begun) == processes


def test_a_run_that_stops_early_begins_with_the_test_that_ended_the_last_one(
    tmp_path: Path, begun: list[bool]
) -> None:
    stage = stage_with(tmp_path, RIGHT, "number != 3")
    for processes in (3, 1):
        begun.clear()
        visible, hidden = outcomes(grade(stage, stop=StopAfter.RUN))
        assert ([*visible, *hidden].count("failed"), len(begun)) == (1, processes)
