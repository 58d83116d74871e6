"""The tiny course as students get it: with its starter and notebook, and a workspace to work in."""

from pathlib import Path

import pytest
from hearts_course.authoring.blank import starter_cells
from hearts_course.authoring.cells import join
from hearts_course.authoring.notebook import as_text, build_notebook
from hearts_course.course import Course, Stage
from hearts_course.student.layout import lay_out
from tiny_course import REFERENCE, write_course

PLACES_THAT_ASK = (
    "hearts_course.cli.anyone.find_course",
    "hearts_course.cli.student.find_course",
    "hearts_course.cli.where.find_course",
    "hearts_course.student.jupyter.find_course",
)


def student_course(root: Path, **changes: str) -> Course:
    """The tiny course, built; `changes` as for `write_course`."""
    course = write_course(root, **changes)
    _build(course.stages[0])
    return course


SECOND_STAGE = {
    "assignments/02-bank/stage.toml": """\
title = "Banks"
files = ["bank.py"]
builds_on = ["01-coins"]
source = "none"
hours = "1"
[[task]]
id = "savings"
title = "Savings"
points = 2
blanks = ["savings"]
""",
    "assignments/02-bank/README.md": """\
# 02 Banks

## Task 1: Savings (2 points)

Write `savings`.

## Out of scope

Interest.
""",
    "assignments/02-bank/hints.md": "# Hints\n\n## Task 1: Savings\n\n### 1\n\nWhich loop?\n",
    "assignments/02-bank/test_bank.py": '''\
import pytest


@pytest.mark.task("savings")
def test_savings(bank):
    """A bank knows what a coin is worth."""
    assert bank.savings("dime") == 10
''',
    "solutions/02-bank/bank.py": '''\
"""Banks."""

from coins import Coin


# %% bank
def savings(face: str) -> int:
    """What a coin of that face is worth in the bank."""
    return Coin(face).worth
''',
}


def two_stages(root: Path, **changes: str) -> Course:
    """The tiny course with a second stage that builds on the first, built."""
    course = student_course(root, **changes)
    for name, text in SECOND_STAGE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    course = Course(root)
    _build(course.stages[1])
    return course


def _build(stage: Stage) -> None:
    starters = join(starter_cells(stage))
    for name, text in starters.items():
        (stage.assignment / f"{name}.py").write_text(text, encoding="utf-8")
    stage.notebook.write_text(as_text(build_notebook(stage)), encoding="utf-8")


def use(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tool find this course instead of its own."""
    for place in PLACES_THAT_ASK:
        monkeypatch.setattr(place, lambda: course)


__all__ = ["REFERENCE", "lay_out", "student_course", "use"]
