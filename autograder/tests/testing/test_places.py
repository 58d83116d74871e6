"""A message names the innermost line of the traceback that is in the student's own code."""

import pytest
from hearts_course.course import Course
from hearts_course.results import SourcePosition
from hearts_course.sandbox.answers import remote_error
from hearts_course.student.work import find_work
from hearts_course.student.work_checks import check_work
from hearts_course.testing.in_process import check_program
from hearts_course.testing.places import StudentLines
from hearts_grader.authoring.notebook import build_notebook, notebook_text, solve
from student_course import REFERENCE, SECOND_STAGE, start_workspace, two_stages
from tiny_course import write_stage

GIVEN = '''\
"""Banks."""

from coins import Coin


# %% bank
def spoken(face):
    """Return what people call a coin."""
    return Coin(face).face.lower()


def looked_up(face):
    """Return what the bank says about a coin."""
    return savings(face)


def savings(face: str) -> int:
    """What a coin of that face is worth in the bank."""
    return Coin(spoken(face)).worth
'''
TEST = SECOND_STAGE["assignments/02-bank/test_bank.py"].replace("bank.savings", "bank.looked_up")
RAISING = REFERENCE.replace(
    "        return 10 if", '        raise ValueError("no")\n        return 10 if'
)


@pytest.fixture
def stage(tmp_path):
    changes = {"solutions/02-bank/bank.py": GIVEN, "assignments/02-bank/test_bank.py": TEST}
    return two_stages(tmp_path / "course", SECOND_STAGE | changes).stages[1]


def failure(stage, bank, coins=REFERENCE):
    """Check this `bank` with these `coins`, and return the result of the only test."""
    result = check_program(stage, {"coins": coins, "bank": bank})
    ((test,),) = (task.tests for task in result.tasks)
    return test


def places(test):
    """Return the lines of the message that name a place in a program."""
    labels = ("  in  ", "  which ", "  called ")
    return [line for line in test.message.split("\n") if line.startswith(labels)]


@pytest.mark.parametrize(
    ("statement", "said", "marked"),
    [
        ("return Coin(face).worth", ["which called coins.py, line 18"], 18),
        ("return spoken(7)", ["which called bank.py, line 8"], 18),
        (
            "return sorted([face], key=lambda f: Coin(f).worth)",
            ["which called coins.py, line 18"],
            18,
        ),
        ("return 1 / 0", [], 18),
    ],
)
def test_the_last_line_that_the_student_wrote_in_this_stage_comes_first(
    stage, statement, said, marked
):
    bank = stage.starter()["bank"].replace(
        'raise NotImplementedError("Task 1: Savings")', statement
    )
    test = failure(stage, bank, RAISING)
    assert places(test) == [
        f"  in           bank.py, line {marked}: {statement}",
        *(f"  {s}" for s in said),
    ]
    assert test.where == SourcePosition("bank.py", marked)


def test_a_line_that_only_led_to_the_error_says_so(stage):
    coins = RAISING.replace(
        "    @property", "    def deep(self):\n        return self.worth\n\n    @property", 1
    )
    bank = stage.starter()["bank"].replace(
        'raise NotImplementedError("Task 1: Savings")', "return Coin(face).deep()"
    )
    assert places(failure(stage, bank, coins))[1:] == ["  which led to coins.py, line 21"]


def test_where_the_student_wrote_none_of_the_lines_the_given_caller_is_named(stage):
    given = stage.starter()["bank"].replace("return savings(face)", "return Coin(face).worth")
    (stage.assignment / "bank.py").write_text(given, encoding="utf-8")
    test = failure(stage, given, RAISING)
    assert places(test) == [
        '  in           coins.py, line 18: raise ValueError("no")',
        "  called from  bank.py, line 13",
    ]


def test_a_recursion_without_end_is_shown_where_it_calls_itself(stage):
    """The limit is reached in `spoken`, but `spoken` does not call itself."""
    bank = stage.starter()["bank"].replace(
        'raise NotImplementedError("Task 1: Savings")', "return [spoken(face), savings(face)]"
    )
    assert places(failure(stage, bank)) == [
        "  in           bank.py, line 18: return [spoken(face), savings(face)]"
    ]


@pytest.mark.parametrize(
    ("calls", "line"),
    [
        ([["bank.py", 18], ["bank.py", 13]] * 9 + [["bank.py", 8]], 13),
        ([["bank.py", 18], ["coins.py", 18]] * 9 + [["bank.py", 8]], 18),
        ([["bank.py", 18]] * 9 + [["bank.py", 13], ["bank.py", 8], ["bank.py", 8]], 18),
        ([["bank.py", 18], ["bank.py", 8]], 8),
    ],
)
def test_of_a_recursion_only_lines_that_call_again_count(stage, calls, line):
    """In the third case, a generator's line is listed twice in a row, but it does not call itself.

    In the last case, no call is repeated, because the program raised the error itself.
    """
    bank = stage.starter()["bank"].replace("face", "coin")
    where = [*calls[-1], bank.split("\n")[7].strip()]
    kinds = {"type": "RecursionError", "base": "RecursionError"}
    error = remote_error(kinds | {"text": "", "where": where, "calls": calls})
    place = StudentLines(stage).place_of(error, {"bank": bank})
    assert place.position == SourcePosition("bank.py", line)


def test_a_line_of_another_task_is_named_with_its_task(tmp_path):
    """The check of `total` runs `Coin.worth`, which an earlier task asks for."""
    result = check_program(write_stage(tmp_path), {"coins": RAISING})
    own = "  in           coins.py, line 18"
    others = "  in the code of task 1 (What a coin is worth)"
    by_task = {task.task: task.tests for task in result.tasks}
    for task, wanted in (("worth", [own]), ("total", [own, others])):
        said = [line for line in by_task[task][0].message.split("\n") if line.startswith("  in ")]
        assert [line.partition(":")[0] for line in said] == wanted


def test_a_refusal_in_another_task_is_shown_with_its_caller(tmp_path):
    """`Coin.worth` may be right to refuse, because `Purse.total` may have given it a wrong coin."""
    result = check_program(write_stage(tmp_path), {"coins": RAISING})
    by_task = {task.task: task.tests for task in result.tasks}
    line = RAISING.split("\n").index("        return sum(coin.worth for coin in self._coins)") + 1
    assert f"\n  called from  coins.py, line {line}\n" in by_task["total"][0].message
    assert "called from" not in by_task["worth"][0].message


def test_an_unwritten_definition_that_names_no_task_belongs_to_the_task_of_its_place(tmp_path):
    """A student may also write `raise NotImplementedError`, without the number of a task."""
    source = RAISING.replace('raise ValueError("no")', "raise NotImplementedError", 1)
    result = check_program(write_stage(tmp_path), {"coins": source})
    by_task = {task.task: task.tests for task in result.tasks}
    assert (by_task["worth"][0].stub, by_task["total"][0].stub) == (1, 1)


def test_a_line_that_called_through_another_function_is_not_named_as_the_caller(tmp_path):
    """`total` calls `worth`, and `worth` calls its own inner function, which refuses."""
    inner = 'def refuse():\n            raise ValueError("no")\n        return refuse()'
    source = RAISING.replace('raise ValueError("no")', inner, 1)
    result = check_program(write_stage(tmp_path), {"coins": source})
    by_task = {task.task: task.tests for task in result.tasks}
    line = source.split("\n").index("        return sum(coin.worth for coin in self._coins)") + 1
    assert f"\n  reached from coins.py, line {line}\n" in by_task["total"][0].message


def test_given_code_that_the_student_changed_is_the_students(stage):
    bank = stage.starter()["bank"].replace("return savings(face)", "return face.worth")
    assert places(failure(stage, bank)) == ["  in           bank.py, line 13: return face.worth"]


def test_both_places_are_named_as_the_student_finds_them_in_a_notebook(stage, tmp_path):
    course = Course(stage.root)
    root = start_workspace(course, tmp_path / "mine").root
    (root / "coins.py").write_text(RAISING, encoding="utf-8")
    bank = GIVEN.replace("Coin(spoken(face))", "Coin(spoken(7))")
    cells = solve(build_notebook(stage), {"bank": bank})
    (root / "02-bank.ipynb").write_text(notebook_text(cells), encoding="utf-8")
    result = check_work(course, root, find_work(root, stage))
    assert places(result.tasks[0].tests[0]) == [
        "  in           02-bank.ipynb, the cell of spoken, line 13: return Coin(spoken(7)).worth",
        "  which called 02-bank.ipynb, the cell of spoken, line 3",
    ]


@pytest.mark.parametrize(
    "calls",
    [None, 7, [["bank.py"]], [["bank.py", True]], [["bank.py", -1]], [["coins.py", 4]], []],
)
def test_calls_that_a_program_forges_change_nothing(stage, calls):
    where = ["bank.py", 900, "x"]
    error = remote_error(
        {"type": "E", "base": "ValueError", "text": "", "where": where, "calls": calls}
    )
    place = StudentLines(stage).place_of(error, {"bank": "x = 1\n"})
    assert (place.position, place.text, place.other) == (SourcePosition("bank.py", 900), "x", None)
