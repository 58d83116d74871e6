"""A line of a student's program belongs to the task whose definition contains it, if any."""

import pytest
from hearts_course.results import SourcePosition
from hearts_course.testing.places import task_at
from tiny_course import REFERENCE, write_stage

HELPER = """
    def _coins_of(self):
        return [coin for coin in self._coins]
"""


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("return 10 if", "worth"),
        ("self._coins.append", "purse"),
        ("sum(coin.worth", "total"),
        ("max(purses", "total"),
        ("return self.face", ""),  # in class Coin, where only `worth` belongs to a task
        ("self._coins: list", ""),  # two tasks share class Purse, and either may need this line
        ("[coin for coin in", ""),
        ("FACES = ", ""),
    ],
)
def test_a_line_belongs_to_the_task_of_its_innermost_definition(tmp_path, text, task):
    stage = write_stage(tmp_path)
    source = REFERENCE.replace("\n\ndef richest", f"{HELPER}\n\ndef richest")
    line = source[: source.index(text)].count("\n") + 1
    assert task_at(SourcePosition("coins.py", line), stage, {"coins": source}) == task


def test_a_helper_belongs_to_the_task_of_its_class_if_no_other_task_is_in_it(tmp_path):
    stage = write_stage(tmp_path, STAGE_TOML=ONE_CLASS)
    source = "class Coin:\n    def worth(self):\n        def pence():\n            return x\n"
    source += "    def face(self):\n        return y\n"
    at = {
        line: task_at(SourcePosition("coins.py", line), stage, {"coins": source}) for line in (4, 6)
    }
    assert at == {4: "worth", 6: "worth"}
    assert task_at(SourcePosition("bank.py", 4), stage, {"bank": source}) == ""


ONE_CLASS = """\
title = "Coins"
files = ["coins.py"]
source = "none"
hours = "1"
objectives = { classes = "Classes" }

[[task]]
id = "worth"
title = "What a coin is worth"
points = 2
objectives = ["classes"]
blanks = ["Coin", "Coin.worth"]
"""
