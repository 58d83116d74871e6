"""Running a suite: outcomes, messages, and whose fault it was."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hearts_course.course import Stage
from hearts_course.grading.grade import GradeJob, grade_one
from hearts_course.results import Outcome, Result, Status
from hearts_course.sandbox import submission_process
from hearts_course.sandbox.backends.choice import PREFERENCE, works
from hearts_course.submissions.model import Submission
from hearts_course.testing.in_process import check_namespace, check_program
from hearts_course.testing.job import StopAfter
from hearts_course.testing.runner import SuiteRunner, runner_of
from tiny_course import HIDDEN, REFERENCE, VISIBLE, write_stage

LIMITS = '[limits]\ntest_seconds = 0.5\nimport_seconds = 2\n\n[[task]]\nid = "worth"'


COMPUTES = """\
from time import process_time
        end = process_time() + 0.2
        while process_time() < end:
            pass
        return 10 if self.face == "dime" else 1"""


@pytest.fixture(name="stage", scope="module")
def _stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    from tiny_course import STAGE_TOML

    quick = STAGE_TOML.replace('[[task]]\nid = "worth"', LIMITS, 1)
    return write_stage(tmp_path_factory.mktemp("course"), STAGE_TOML=quick)


def grade(stage: Stage, source: str, **options: object) -> Result:
    return grade_one(GradeJob(stage, Submission("ada", stage.name, {"coins": source}), **options))  # type: ignore[arg-type]


def outcomes(result: Result) -> list[str]:
    return [test.outcome for task in result.tasks for test in task.tests]


def changed(old: str, new: str) -> str:
    assert REFERENCE.count(old) == 1
    return REFERENCE.replace(old, new)


def test_the_reference_scores_full(stage: Stage) -> None:
    result = grade(stage, REFERENCE)
    assert (result.status, result.score, result.message) == (Status.GRADED, 6.0, "")
    assert set(outcomes(result)) == {Outcome.PASSED}


def test_a_task_scores_the_share_of_its_tests(stage: Stage) -> None:
    result = grade(stage, changed("10 if", "5 if"))
    assert {task.task: task.score for task in result.tasks} == {
        "worth": 1.0,
        "purse": 3.0,
        "total": 0.0,
    }


def test_a_visible_failure_shows_the_call_what_came_and_what_was_expected(stage: Stage) -> None:
    result = grade(stage, changed("10 if", "5 if"))
    failed = result.tasks[0].tests[0]
    assert failed.message.splitlines() == [
        "Coin('dime').worth",
        "  came back    5",
        "  expected     10",
    ]
    assert (failed.topic, failed.hidden) == ("A dime is worth ten pence.", False)


def test_a_longer_test_shows_its_steps(stage: Stage) -> None:
    failed = grade(stage, changed("coin.worth for", "1 for")).tasks[2].tests[0]
    assert failed.message.splitlines()[:4] == [
        "purse = Purse()",
        "purse.add(Coin('dime'))",
        "purse.add(Coin('penny'))",
        "purse.total()",
    ]


def test_a_hidden_failure_shows_its_topic_and_a_near_example_only(stage: Stage) -> None:
    result = grade(stage, changed("key=Purse.total", "key=lambda purse: -purse.total()"))
    hidden = result.tasks[2].tests[1]
    assert hidden.hidden
    assert hidden.message == ("The richest purse is worth most.\nTry: richest([Purse(), Purse()])")


def test_what_hidden_code_printed_or_raised_does_not_leak(stage: Stage) -> None:
    telling = changed("return max(", "raise ValueError(purses[1].total()); return max(")
    hidden = grade(stage, telling).tasks[2].tests[1]
    assert hidden.outcome is Outcome.FAILED
    assert "10" not in hidden.message


@pytest.mark.parametrize(
    ("instead", "outcome", "words"),
    [
        ("return input()", Outcome.FAILED, "nobody is at the keyboard"),
        ("return self.undefined", Outcome.FAILED, "AttributeError"),
        ("raise NotImplementedError('Task 1')", Outcome.FAILED, "not written yet: Task 1"),
        ("while True: pass", Outcome.TIMEOUT, "took longer than 0.5 s"),
        ("import os; os._exit(0)", Outcome.CRASHED, "ended by itself"),
        ("import sys; sys.exit(0)", Outcome.FAILED, "SystemExit"),
        ("return None", Outcome.FAILED, "came back    None"),
        ("return self", Outcome.FAILED, "an object of class Coin"),
    ],
)
def test_each_way_to_fail_has_its_outcome(
    stage: Stage, instead: str, outcome: Outcome, words: str
) -> None:
    source = changed('return 10 if self.face == "dime" else 1', instead)
    result = grade(stage, source, tests="visible")
    test = result.tasks[0].tests[0]
    assert test.outcome is outcome
    assert words in test.message
    assert outcomes(result)[2] == Outcome.PASSED, "the next task's test is not disturbed"


ONCE = """
import os, pathlib

def once(victim):
    mark = pathlib.Path({mark!r})
    if not mark.exists():
        mark.touch()
        os.kill(victim, 9)
"""


@pytest.mark.parametrize(
    ("before", "killing"),
    [
        ("        return 10 if", "        once(os.getpid())\n        return 10 if"),
        ("        return 10 if", "        once(os.getppid())\n        return 10 if"),
        ("class Purse:", "once(os.getpid())\n\nclass Purse:"),
    ],
    ids=["a test's process", "the program's process", "the program's process at import"],
)
def test_who_was_killed_from_outside_loses_nothing(
    stage: Stage, tmp_path: Path, before: str, killing: str
) -> None:
    mark = tmp_path / "killed"
    source = changed(before, killing).replace('"""\n', '"""\n' + ONCE.format(mark=str(mark)), 1)
    result = grade(stage, source, sandbox="none")
    assert (result.score, result.message, mark.exists()) == (6.0, "", True)


@pytest.mark.parametrize(
    ("instead", "verdict"),
    [
        ("while True: pass", "in 2 of 5 tests the program took longer than 0.5 s"),
        ("return bytearray(2**31)", "in 2 of 5 tests the program ran out of memory"),
        ("import sys; sys.exit()", "in 2 of 5 tests the program ended by itself"),
        ("return self.undefined", ""),
    ],
)
def test_a_program_that_gives_way_has_a_verdict_in_one_line(
    stage: Stage, instead: str, verdict: str
) -> None:
    source = changed("coin.worth for", "10 if coin.face == 'dime' else 1 for")
    source = source.replace('return 10 if self.face == "dime" else 1', instead)
    assert grade(stage, source).message == verdict


def test_no_message_is_longer_than_a_student_can_read(stage: Stage) -> None:
    endless = 'import sys; sys.modules["sandbox_worker.server"].MAX_TEXT = 10**9\nclass Coin:'
    source = changed("class Coin:", endless).replace("@dataclass(frozen=True)\n", "", 1)
    source = source.replace('return 10 if self.face == "dime" else 1', 'raise {}("x" * 10**6)')
    for error in ("NotImplementedError", "ValueError"):
        result = grade(stage, source.format(error))
        assert max(len(test.message) for task in result.tasks for test in task.tests) < 2000


def test_a_sandbox_that_starts_nothing_is_no_fault_of_a_student(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission_process, "far_command", lambda: ["false"])
    monkeypatch.setattr(submission_process, "PAUSE_SECONDS", 0)
    result = grade(stage, REFERENCE, sandbox="none")
    assert result.status is Status.GRADER_ERROR
    assert result.message == (
        "the sandbox none starts no program; is the machine out of memory or of processes?"
    )


def test_a_program_of_any_text_can_be_sent(stage: Stage) -> None:
    assert grade(stage, REFERENCE + "#" + "\x01" * 900_000).score == 6.0


def test_a_busy_machine_costs_nobody_the_import(stage: Stage) -> None:
    assert grade(stage, REFERENCE + "\nimport time; time.sleep(2.5)").score == 6.0


def test_a_program_that_cannot_be_imported_reaches_no_test(stage: Stage) -> None:
    result = grade(stage, "x = 1 / 0\n")
    assert (result.status, result.score) == (Status.GRADED, 0)
    assert "ZeroDivisionError" in result.message
    assert set(outcomes(result)) == {Outcome.NOT_REACHED}


def test_a_program_that_is_not_python_is_unreadable(stage: Stage) -> None:
    result = grade(stage, "def f(:\n")
    assert (result.status, result.score) == (Status.UNREADABLE, 0)
    assert result.message == "coins.py, line 1 (def f(:): Python cannot read this: invalid syntax"


def test_an_unread_submission_keeps_its_verdict(stage: Stage) -> None:
    result = grade_one(GradeJob(stage, Submission("ada", stage.name, problem="nothing handed in")))
    assert (result.status, result.message, result.score) == (
        Status.UNREADABLE,
        "nothing handed in",
        0,
    )
    assert len(outcomes(result)) == 5


def test_visible_ones_only(stage: Stage) -> None:
    assert len(outcomes(grade(stage, REFERENCE, tests="visible"))) == 4


def test_a_run_that_stops_at_the_first_failure(stage: Stage) -> None:
    early = outcomes(grade(stage, changed("10 if", "5 if"), stop=StopAfter.RUN))
    assert early[0] == Outcome.FAILED
    assert set(early[1:]) == {Outcome.NOT_REACHED}


def test_the_first_tasks_are_run_first(tmp_path: Path) -> None:
    wrong_in_both = changed("10 if", "5 if")
    result = grade(
        write_stage(tmp_path), wrong_in_both, first=frozenset({"total"}), stop=StopAfter.RUN
    )
    failed = {t.name for task in result.tasks for t in task.tests if t.outcome is Outcome.FAILED}
    assert failed == {"test_coins.py::test_total"}


def test_a_task_that_stops_at_its_first_failure(stage: Stage) -> None:
    result = grade(stage, changed("10 if", "5 if"), stop=StopAfter.TASK)
    worth, *others = ([test.outcome for test in task.tests] for task in result.tasks)
    assert worth[0] == Outcome.FAILED
    assert set(worth[1:]) == {Outcome.NOT_REACHED}
    assert Outcome.PASSED in [outcome for task in others for outcome in task]


def test_only_the_tasks_that_are_wanted(stage: Stage) -> None:
    result = grade(stage, REFERENCE, tasks=frozenset({"purse"}))
    assert [task.task for task in result.tasks if task.tests] == ["purse"]
    assert set(outcomes(result)) == {Outcome.PASSED}


def test_the_time_of_a_submission_is_bounded(tmp_path: Path) -> None:
    from tiny_course import STAGE_TOML

    limits = LIMITS.replace("[limits]", "[limits]\nsubmission_seconds = 0.1")
    slow = write_stage(tmp_path, STAGE_TOML=STAGE_TOML.replace('[[task]]\nid = "worth"', limits, 1))
    result = grade(slow, changed('return 10 if self.face == "dime" else 1', COMPUTES))
    assert outcomes(result)[0] == Outcome.PASSED
    assert set(outcomes(result)[1:]) == {Outcome.NOT_REACHED}
    assert "used up" in result.tasks[1].tests[0].message
    assert "used up" in result.message


@pytest.mark.parametrize(
    ("visible", "words"),
    [
        (VISIBLE.replace("== 11", "== eleven"), "NameError"),
        (
            VISIBLE.replace("def test_add(coins)", "def test_add(coin)"),
            "FixtureLookupError: ('coin'",
        ),
        (VISIBLE.replace('@pytest.mark.task("total")', ""), "has no @pytest.mark.task"),
        ("import nowhere\n" + VISIBLE, "No module named 'nowhere'"),
    ],
)
def test_a_fault_of_the_suite_is_ours_not_the_student_s(
    tmp_path: Path, visible: str, words: str
) -> None:
    broken = write_stage(tmp_path, VISIBLE=visible)
    for _ in range(2):
        result = grade(broken, REFERENCE)
        assert result.status is Status.GRADER_ERROR
        assert words in result.message
        assert "\n" not in result.message


def test_other_pytest_settings_on_the_machine_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    assert grade(write_stage(tmp_path), REFERENCE).score == 6


def test_the_suite_is_collected_once(tmp_path: Path) -> None:
    stage = write_stage(tmp_path)
    first = runner_of(stage)
    grade(stage, REFERENCE)
    (stage.autograder / "test_coins_hidden.py").write_text(HIDDEN.replace("== 10", "== 11"))
    assert grade(stage, REFERENCE).score == 6
    assert runner_of(stage) is first
    assert isinstance(first, SuiteRunner)


def test_a_student_s_check_runs_the_visible_tests_only(stage: Stage) -> None:
    result = check_program(stage, {"coins": changed("10 if", "5 if")})
    assert outcomes(result) == ["failed", "passed", "passed", "failed"]
    only = check_program(stage, {"coins": REFERENCE}, task="total")
    assert [len(task.tests) for task in only.tasks] == [0, 0, 1]


def test_a_student_s_check_of_broken_code_says_so(stage: Stage) -> None:
    result = check_program(stage, {"coins": "def f(:\n"})
    assert "Python cannot read this" in result.message
    assert set(outcomes(result)) == {Outcome.NOT_REACHED}


def test_a_notebook_s_own_objects_are_checked_in_place(stage: Stage) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    exec(REFERENCE, namespace)
    assert check_namespace(stage, namespace, task="worth").score == 2
    exec("def worth(self):\n    while True: pass\nCoin.worth = property(worth)", namespace)
    result = check_namespace(stage, namespace, task="worth")
    assert outcomes(result) == [Outcome.TIMEOUT, Outcome.TIMEOUT]


def test_a_name_the_notebook_lacks_is_the_student_s_to_write(stage: Stage) -> None:
    result = check_namespace(stage, {}, task="worth")
    assert outcomes(result) == [Outcome.FAILED, Outcome.FAILED]
    assert "Coin" in result.tasks[0].tests[0].message


def test_an_error_with_the_wrong_message_is_the_student_s(tmp_path: Path) -> None:
    test = """
import pytest


@pytest.mark.task("worth")
def test_refusal(coins):
    '''A refusal names the face.'''
    with pytest.raises(ValueError, match="'euro' is no face"):
        coins.refuse("euro")
"""
    stage = write_stage(tmp_path, VISIBLE=test)
    result = grade(stage, "def refuse(face):\n    raise ValueError('no')\n")
    failed = result.tasks[0].tests[0]
    assert (result.status, failed.outcome) == (Status.GRADED, Outcome.FAILED)
    assert failed.message.splitlines()[-2:] == [
        "  its message  'no'",
        "  should hold  \"'euro' is no face\"",
    ]


def test_the_line_that_expects_an_error_is_not_shown(tmp_path: Path) -> None:
    test = """
import pytest


@pytest.mark.task("worth")
@pytest.mark.parametrize("face", ["euro"])
def test_refusal(coins, face):
    '''Only known faces are coins.'''
    with pytest.raises(ValueError):
        coins.Coin(face).worth
"""
    result = grade(write_stage(tmp_path, VISIBLE=test), changed("return 10 if", "return x if"))
    assert result.tasks[0].tests[0].message.splitlines()[0] == "Coin('euro').worth"


def test_a_name_that_the_test_gives_another_value_stays_a_name(tmp_path: Path) -> None:
    test = """
import pytest


@pytest.mark.task("worth")
@pytest.mark.parametrize(("faces", "worth"), [(["dime"], 10)])
def test_worth(coins, faces, worth):
    '''Coins add up.'''
    faces = [coins.Coin(face) for face in faces]
    assert sum(coin.worth for coin in faces) == worth
"""
    result = grade(write_stage(tmp_path, VISIBLE=test), changed("10 if", "5 if"))
    assert result.tasks[0].tests[0].message.splitlines() == [
        "faces = ['dime']",
        "faces = [Coin(face) for face in faces]",
        "sum((coin.worth for coin in faces))",
        "  came back    5",
        "  expected     10",
    ]


def test_the_last_line_shown_is_the_one_that_failed(tmp_path: Path) -> None:
    test = """
import pytest


@pytest.mark.task("worth")
def test_worth(coins):
    '''A dime is worth ten pence.'''
    for face, worth in (("penny", 1), ("dime", 10)):
        coin = coins.Coin(face)
        assert coin.worth == worth
        assert str(coin) == face
    assert str(coins.Coin("penny")) == "penny"
"""
    result = grade(write_stage(tmp_path, VISIBLE=test), changed("10 if", "5 if"))
    assert result.tasks[0].tests[0].message.splitlines() == [
        "for face, worth in (('penny', 1), ('dime', 10)):",
        "    coin = Coin(face)",
        "    coin.worth",
        "  came back    5",
        "  expected     10",
    ]


def test_no_list_where_there_should_be_one_is_the_student_s(tmp_path: Path) -> None:
    test = """
import pytest
from hearts_course import each


@pytest.mark.task("worth")
def test_faces(coins):
    '''Faces have names.'''
    assert each(len, coins.faces()) == [5, 4]
"""
    faces = "def faces():\n    return {}\n"
    reference = REFERENCE + faces.format(["penny", "dime"])
    stage = write_stage(tmp_path, VISIBLE=test, REFERENCE=reference)
    result = grade(stage, faces.format(None))
    failed = result.tasks[0].tests[0]
    assert (result.status, failed.outcome) == (Status.GRADED, Outcome.FAILED)
    assert failed.message.splitlines() == [
        "[len(x) for x in coins.faces()]",
        "  coins.faces() is None; it cannot be used here: 'NoneType' object is not iterable",
    ]


FIXTURES = '''
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
    assert session.hear("? ").endswith("face? ")
    session.say("dime\\n")
    assert "10\\n" in session.hear("10\\n")
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


@pytest.mark.alone
@pytest.mark.parametrize("sandbox", [*(name for name in PREFERENCE if works(name)), "none"])
def test_a_suite_can_run_talk_to_read_and_vary_a_program(tmp_path: Path, sandbox: str) -> None:
    stage = write_stage(tmp_path, VISIBLE=FIXTURES, HIDDEN="")
    result = grade(stage, REFERENCE + SCRIPT, sandbox=sandbox)
    assert [test.message for task in result.tasks for test in task.tests] == [""] * 4


def test_without_a_file_what_needs_one_does_not_pass(tmp_path: Path) -> None:
    stage = write_stage(tmp_path, VISIBLE=FIXTURES, HIDDEN="")
    namespace: dict[str, object] = {"__name__": "__main__"}
    exec(REFERENCE, namespace)
    result = check_namespace(stage, namespace)
    assert outcomes(result) == [Outcome.NOT_REACHED] * 4
    assert result.score == 0
    assert "your program must be in a file" in result.tasks[0].tests[0].message


def test_a_test_that_is_skipped_is_said_so(tmp_path: Path) -> None:
    skips = VISIBLE.replace("assert coins.Coin", 'pytest.skip("no bank")\n    assert coins.Coin', 1)
    stage = write_stage(tmp_path, VISIBLE=skips, HIDDEN="")
    for result in (grade(stage, REFERENCE), check_program(stage, {"coins": REFERENCE})):
        assert [task.skipped for task in result.tasks if task.skipped] == [("no bank",) * 2]
        assert Result.from_json(result.as_json()) == result


def here(stage: Stage, source: str) -> Result:
    return check_program(stage, {"coins": source})


def in_place(stage: Stage, source: str) -> Result:
    names: dict[str, object] = {"__name__": "coins"}
    exec(source, names)
    return check_namespace(stage, names)


def takes(cpu: float, clock: float) -> str:
    """The reference with a `worth` that computes for some seconds, and then sleeps for others."""
    text = COMPUTES.replace("0.2", str(cpu)).replace(
        "        return", "        SLEEP\n        return"
    )
    sleep = f"import time; time.sleep({clock})"
    return changed('return 10 if self.face == "dime" else 1', text.replace("SLEEP", sleep))


@pytest.mark.parametrize("check", [here, in_place])
def test_students_checks_limit_processor_time_and_not_that_of_others(
    stage: Stage, check: Callable[[Stage, str], Result]
) -> None:
    assert check(stage, takes(cpu=0.1, clock=0.6)).tasks[0].score == 2.0


@pytest.mark.parametrize("check", [here, in_place])
@pytest.mark.parametrize(("cpu", "clock"), [(99, 0), (0, 99)])
def test_students_checks_end_what_computes_or_sleeps_too_long(
    stage: Stage, check: Callable[[Stage, str], Result], cpu: float, clock: float
) -> None:
    tests = check(stage, takes(cpu, clock)).tasks[0].tests
    assert [test.outcome for test in tests] == [Outcome.TIMEOUT] * 2
    assert "your program took longer than 0.5 s" in tests[0].message


@pytest.mark.parametrize("check", [here, in_place])
def test_a_test_s_questions_have_its_time_together(
    stage: Stage, check: Callable[[Stage, str], Result]
) -> None:
    """Adding one coin takes no longer than a test may, adding two does."""
    slow = COMPUTES.replace("0.2", "0.3").partition("        return")[0]
    result = check(
        stage, changed("self._coins.append(coin)", f"{slow}        self._coins.append(coin)")
    )
    _, purse, total = ([test.outcome for test in task.tests] for task in result.tasks)
    assert (purse, total) == ([Outcome.PASSED], [Outcome.TIMEOUT])


FINDS_OUT = '''
import pytest


@pytest.mark.task("worth")
@pytest.mark.parametrize("number", [1, 2])
def test_found(coins, once, number):
    """A coin has a worth.

    Try: Coin("penny").worth
    """
    if "worth" not in once:
        once["worth"] = "not found out"
        once["worth"] = coins.Coin("dime").worth
    assert once["worth"] == 10
'''


def test_what_a_suite_finds_out_once_is_of_one_run_and_of_no_killed_try(tmp_path: Path) -> None:
    """The program is killed when it is first asked, and later submissions are the same text."""
    stage = write_stage(tmp_path, HIDDEN=FINDS_OUT)
    mark = tmp_path / "killed"
    text = f"{ONCE.format(mark=str(mark))}\n{REFERENCE}"
    source = text.replace(
        'return 10 if self.face == "dime" else 1',
        'once(os.getpid()); return 10 if self.face == "dime" else 1',
    )
    assert source != text
    work = GradeJob(stage, Submission("ada", stage.name, {"coins": source}), "none")
    ends = [test.outcome for _ in "ab" for test in grade_one(work).tasks[0].tests if test.hidden]
    assert mark.exists()
    assert ends == [Outcome.PASSED] * 4
