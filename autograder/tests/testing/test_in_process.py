"""A student's own checks: in a child process for a file, in this process for a notebook.

Where no other process can start, as in a browser, a file is checked in this process too.
"""

import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hearts_course.course import Stage, find_course
from hearts_course.results import Outcome, Result
from hearts_course.testing import alarms
from hearts_course.testing.in_process import check_namespace, check_program
from surroundings import without_processes
from tiny_course import REFERENCE, write_stage
from tiny_grade import (
    DIME_IS_TEN,
    EVERY_FIXTURE,
    changed,
    computing,
    limits,
    messages,
    outcomes,
    suite,
)

Check = Callable[..., Result]


@pytest.fixture(name="stage", scope="module")
def _stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return write_stage(
        tmp_path_factory.mktemp("course"), STAGE_TOML=limits(test_seconds=0.3, import_seconds=2)
    )


@pytest.fixture(autouse=True)
def _no_python_in_the_collector() -> Iterator[None]:
    """Remove Hypothesis's callbacks from the garbage collector during a test.

    If an alarm raises an error in such a callback, Python only reports the error. The program would
    then end later, at the next alarm.
    """
    watchers = list(gc.callbacks)
    gc.callbacks.clear()
    yield
    gc.callbacks.extend(watchers)


def as_file(stage: Stage, source: str, task: str | None = None) -> Result:
    return check_program(stage, {"coins": source}, tasks=[task] if task else [])


def as_file_here(stage: Stage, source: str, task: str | None = None) -> Result:
    with pytest.MonkeyPatch.context() as browser:
        without_processes(browser)
        return as_file(stage, source, task)


def in_notebook(stage: Stage, source: str, task: str | None = None) -> Result:
    names: dict[str, object] = {"__name__": "__main__"}
    exec(source, names)
    return check_namespace(stage, names, task=task)


each_way = pytest.mark.parametrize("check", [as_file, as_file_here, in_notebook])


@each_way
def test_only_the_visible_tests_run(stage: Stage, check: Check) -> None:
    result = check(stage, changed("10 if", "5 if"))
    assert outcomes(result) == ["failed", "passed", "passed", "failed"]


@each_way
def test_one_task_can_be_checked(stage: Stage, check: Check) -> None:
    result = check(stage, REFERENCE, task="total")
    assert [len(task.tests) for task in result.tasks] == [0, 0, 1]
    assert result.tasks[2].score == 1


def test_a_file_that_is_not_python_is_described(stage: Stage) -> None:
    result = as_file(stage, "def f(:\n")
    assert "Python cannot read this" in result.message
    assert set(outcomes(result)) == {Outcome.NOT_REACHED}


@pytest.mark.parametrize(
    "broken", ["def backfires(", "import carts\n", "from scoring import nothing\n"]
)
def test_a_file_that_cannot_be_imported_is_no_mistake_of_each_task(broken: str) -> None:
    """In stage 05, `match` imports `scoring`. `rulebook` does not, so its tasks are tested."""
    course = find_course()
    stage = course.stage("05")
    modules = course.whole_reference(stage)
    result = check_program(stage, modules | {"scoring": f"{broken}{modules['scoring']}"})
    assert "scoring.py, line 1" in result.message
    told = [{(test.outcome, test.message) for test in task.tests} for task in result.tasks]
    assert told[:2] == [{(Outcome.PASSED, "")}] * 2
    not_reached = Outcome.NOT_REACHED
    files = [{file for _, file in endings} for endings in told[2:]]
    assert {outcome for endings in told[2:] for outcome, _ in endings} == {not_reached}
    assert files[0] == {"scoring.py cannot be imported"}
    assert set.union(*files) <= {f"{name}.py cannot be imported" for name in ("scoring", "match")}


def test_a_name_that_a_notebook_lacks_is_the_student_s_to_write(stage: Stage) -> None:
    result = in_notebook(stage, "", task="worth")
    assert outcomes(result) == [Outcome.FAILED] * 2
    assert "Coin" in messages(result)


@each_way
def test_a_value_that_was_printed_instead_of_returned_is_told(stage: Stage, check: Check) -> None:
    assert "did you print it instead" in messages(check(stage, changed("return 10", "print(10)")))
    assert "did you print it instead" not in messages(check(stage, changed("return 10", "(10)")))


def test_in_a_notebook_tests_that_need_a_file_do_not_pass(tmp_path: Path) -> None:
    result = in_notebook(write_stage(tmp_path, VISIBLE=EVERY_FIXTURE, HIDDEN=""), REFERENCE)
    assert (outcomes(result), result.score) == ([Outcome.NOT_REACHED] * 4, 0)
    assert "your program must be in a file" in messages(result)


SHARED = changed("self._coins: list[Coin] = []", "pass").replace(
    '"""What one person carries."""', '"""What one person carries."""\n\n    _coins = []'
)


@pytest.mark.parametrize("check", [as_file, as_file_here])
def test_a_check_is_not_judged_by_what_another_left_behind(stage: Stage, check: Check) -> None:
    """`test_add` leaves a dime in class `Purse`, but `test_total` must find only its own coins."""
    assert outcomes(check(stage, SHARED)) == [Outcome.PASSED] * 4


def dime_takes(slow: str) -> str:
    """Return the reference, which now runs this line before it returns the worth of a dime."""
    slow = f"if self.face == 'dime':\n            {slow}\n        {DIME_IS_TEN}"
    return changed(DIME_IS_TEN, slow)


@each_way
def test_sleeping_is_not_processor_time(stage: Stage, check: Check) -> None:
    result = check(stage, dime_takes("import time; time.sleep(0.5)"), task="worth")
    assert outcomes(result) == [Outcome.PASSED] * 2


@each_way
@pytest.mark.parametrize("slow", ["while True: pass", "import time; time.sleep(99)"])
def test_a_test_that_computes_or_sleeps_too_long_times_out(
    stage: Stage, check: Check, slow: str
) -> None:
    result = check(stage, dime_takes(slow), task="worth")
    # After a timeout, the looping function is not called again, and a test that needs it is not
    # reached. A notebook's functions come without their text, so it is unknown which one looped.
    other = Outcome.PASSED if check is in_notebook else Outcome.NOT_REACHED
    assert outcomes(result) == [Outcome.TIMEOUT, other]
    assert "your program took longer than 0.3 s" in messages(result)


@each_way
def test_a_test_s_questions_share_its_time(tmp_path: Path, check: Check) -> None:
    """One question takes a fraction of a test's time, and 64 take more than all of it."""
    asking = suite(
        "all([coins.Coin('dime').worth == 10 for _ in range(64 ** (number - 1))])", numbers=2
    )
    stage = write_stage(tmp_path, STAGE_TOML=limits(test_seconds=1.0), VISIBLE=asking, HIDDEN="")
    slow = computing(0.03) + f"        {DIME_IS_TEN}"
    result = check(stage, changed(DIME_IS_TEN, slow))
    assert outcomes(result) == [Outcome.PASSED, Outcome.TIMEOUT]


@pytest.mark.parametrize("check", [as_file, as_file_here])
def test_a_failure_says_in_which_task_s_definition_it_ends(stage: Stage, check: Check) -> None:
    source = changed("return sum(coin.worth for coin in self._coins)", "return self.coins")
    source = source.replace("return 10 if", "return 5 if")
    ends = {test.name: test.ends_in for task in check(stage, source).tasks for test in task.tests}
    assert {name: end for name, end in ends.items() if end} == {
        "test_coins.py::test_total": "total"
    }


@pytest.mark.parametrize("check", [as_file, as_file_here])
@pytest.mark.parametrize("loop", ["while True: pass", "list(iter(int, 1))"])
def test_the_line_of_a_loop_is_named_and_its_function_is_not_run_again(
    stage: Stage, check: Check, loop: str
) -> None:
    """In a child process, this also holds for a loop in C, which no Python code can interrupt."""
    if check is as_file_here and "list" in loop:
        return
    source = changed("self._coins.append(coin)", f"{loop}; self._coins.append(coin)")
    result = check(stage, source)
    line = source.split(loop)[0].count("\n") + 1
    assert outcomes(result).count(Outcome.TIMEOUT) == 1
    assert set(outcomes(result)) == {Outcome.PASSED, Outcome.TIMEOUT, Outcome.NOT_REACHED}
    assert f"in           coins.py, line {line}: {loop}" in messages(result)
    assert f"`Purse.add` (coins.py, line {line}) did not end in another check" in messages(result)


@pytest.mark.parametrize("check", [as_file, as_file_here])
def test_after_two_tests_that_took_too_long_no_other_is_run(stage: Stage, check: Check) -> None:
    loop = "while True:\n            pass\n        "
    source = changed("return 10 if", f"{loop}return 10 if")
    source = source.replace("self._coins.append(coin)", f"{loop}self._coins.append(coin)")
    result = check(stage, source)
    assert outcomes(result).count(Outcome.TIMEOUT) == 2
    assert Outcome.PASSED not in outcomes(result)


def test_a_loop_while_the_program_is_imported_is_named(stage: Stage) -> None:
    result = as_file(stage, f"{REFERENCE}\nwhile True: pass\n")
    line = REFERENCE.count("\n") + 2
    assert f"took longer than 2 s, in coins.py, line {line}" in result.message


def test_a_function_that_loops_while_it_catches_everything_ends_the_run(stage: Stage) -> None:
    """Only one test times out, even on a machine that stalls."""
    add = "while True:\n            try:\n                pass\n            except:\n"
    add += "                pass\n        "
    result = as_file(stage, changed("self._coins.append(coin)", f"{add}self._coins.append(coin)"))
    assert outcomes(result).count(Outcome.TIMEOUT) == 1


class Clock:
    """A clock that a program advances, and that counts how often it is read."""

    def __init__(self) -> None:
        """Begin at 0."""
        self.seconds = 0.0
        self.looks = 0
        self.steps = 0

    def monotonic(self) -> float:
        """Return the time, and count the look."""
        self.looks += 1
        return self.seconds

    process_time = monotonic

    def loop(self, step: float) -> None:
        """Let the time pass, step by step."""
        while True:
            self.seconds += step
            self.steps += 1


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 has no sys.monitoring")
@pytest.mark.parametrize(
    ("step", "most_steps", "most_looks"), [(0.0001, 10100, 1000), (0.5, 5, 20)]
)
def test_without_alarms_the_time_is_looked_at_seldom_but_often_enough(
    step: float, most_steps: int, most_looks: int
) -> None:
    """A browser has no alarms. A look at its clock takes longer than a program's short step."""
    clock = Clock()
    limit = alarms.TimeLimit(1.0, 1.0, has_alarms=False, clock=clock)
    with pytest.raises(alarms.TookTooLong), limit:
        clock.loop(step)
    assert clock.steps <= most_steps
    assert clock.looks <= most_looks
