"""The tiny course as students get it, with its starter and its notebook."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hearts_course.course import Course, Stage
from hearts_course.misconceptions import load_patterns, patterns_text, visible_part
from hearts_course.student import workspace
from hearts_course.student.workspace import StartedWorkspace
from hearts_grader.authoring.notebook import build_notebook, notebook_text
from hearts_grader.authoring.starter import join, starter_cells
from tiny_course import REFERENCE, write_course

PLACES_THAT_ASK = (
    "hearts_course.cli.find_course",
    "hearts_course.student.jupyter.find_course",
)


def student_course(root: Path, **changes: str) -> Course:
    """Write and build the tiny course; `changes` are passed to `write_course`."""
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


TWO_MODULES = SECOND_STAGE | {
    "assignments/02-bank/stage.toml": SECOND_STAGE["assignments/02-bank/stage.toml"].replace(
        '"bank.py"', '"bank.py", "teller.py"'
    )
    + """
[[task]]
id = "serve"
title = "Serve"
points = 3
blanks = ["answer"]
builds_on = ["savings"]
""",
    "assignments/02-bank/README.md": SECOND_STAGE["assignments/02-bank/README.md"].replace(
        "## Out", "## Task 2: Serve (3 points)\n\nWrite `answer`.\n\n## Out"
    ),
    "assignments/02-bank/hints.md": SECOND_STAGE["assignments/02-bank/hints.md"]
    + "\n## Task 2: Serve\n\n### 1\n\nWho is asked?\n",
    "assignments/02-bank/test_teller.py": '''\
import pytest

pytestmark = pytest.mark.task("serve")


def test_the_answer(teller):
    """A teller says what a coin is worth."""
    assert teller.answer("dime") == "10 pence"


def test_the_program(run):
    """A teller answers who comes in."""
    assert run("teller", "penny").out == b"1 pence\\n"


def test_the_text(source):
    """A teller speaks of pence."""
    assert "pence" in source["teller"]
''',
    "solutions/02-bank/teller.py": '''\
"""The teller."""

import sys

from bank import savings


# %% answer
def answer(face: str) -> str:
    """What a teller says about a coin."""
    return f"{savings(face)} pence"


# %% script
if __name__ == "__main__":
    print(answer(sys.argv[1]))
''',
}


def two_stages(root: Path, second: Mapping[str, str] = SECOND_STAGE, **changes: str) -> Course:
    """Write and build the tiny course with a second stage, which builds on the first."""
    course = student_course(root, **changes)
    for name, text in second.items():
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
    stage.notebook.write_text(notebook_text(build_notebook(stage)), encoding="utf-8")
    mistakes = patterns_text(visible_part(stage, load_patterns(stage)))
    stage.mistakes.write_text(mistakes, encoding="utf-8")


def start_workspace(course: Course, root: Path) -> StartedWorkspace:
    """Make a workspace with all stages of the course."""
    return workspace.start_workspace(course, root, everything=True)


def use(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `hearts` find this course instead of the real one."""
    for place in PLACES_THAT_ASK:
        monkeypatch.setattr(place, lambda: course)


def save(path: Path, text: str, saved: int = 1000) -> None:
    """Save a text, and set the file's time to `saved`, in seconds."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, (saved, saved))


__all__ = ["REFERENCE", "start_workspace", "student_course", "use"]
