"""`hearts compare` shows the parts of a program that a task asks for, and the helpers they use."""

from pathlib import Path

import pytest
from hearts_course.course import find_course
from hearts_course.student.compare import CHOICE, comparison_text
from student_course import student_course
from tiny_course import REFERENCE

CONSTANTS = "_ONE = 1\n_TEN = 9 + _ONE\n_UNUSED = 3\n"
METHOD = """\
    def _spoken(self) -> str:
        return self.face

"""
KEY = """

def purse_key(purse: Purse) -> str:
    return f"{purse.total():03}{Coin._spoken}"
"""
OWN = (
    REFERENCE.replace("# %% coin\n", f"# %% coin\n{CONSTANTS}\n\n")
    .replace("10 if", "_TEN if")
    .replace("    @property\n", f"{METHOD}    @property\n")
    .replace("key=Purse.total", "key=purse_key")
) + KEY


@pytest.mark.parametrize(
    ("task", "shown", "not_shown"),
    [
        ("worth", ["def worth", "_ONE = 1", "_TEN = 9"], ["_UNUSED", "_spoken", "purse_key"]),
        ("purse", ["class Purse", "def add"], ["def total", "_ONE", "purse_key"]),
        (
            "total",
            ["def total", "def richest", "def purse_key", "def _spoken"],
            ["_ONE", "add"],
        ),
    ],
)
def test_a_task_is_shown_with_the_helpers_that_it_uses(
    tmp_path: Path, task: str, shown: list[str], not_shown: list[str]
) -> None:
    stage = student_course(tmp_path).stages[0]
    text = comparison_text(stage, [stage.task(task)], {"coins": OWN})
    yours = text.partition("### Yours")[2].partition("### The course's")[0]
    assert [part for part in shown if part not in yours] == []
    assert [part for part in not_shown if part in yours] == []


def test_each_third_version_comes_with_the_question_when_one_would_choose_it() -> None:
    """The question for discussion is last on the page, because its text shows further programs."""
    stage = find_course().stages[0]
    text = comparison_text(stage, stage.tasks, stage.reference())
    assert text.count(CHOICE) == text.count("### A third version") > 0
    assert "class Hand(Deck):" in text.partition("## A question")[2]
