"""The tiny course as students get it: with its starter and notebook, and a workspace to work in."""

import sys
from pathlib import Path

import pytest
from hearts_course.authoring.blank import starter_cells
from hearts_course.authoring.cells import join
from hearts_course.authoring.notebook import as_text, build_notebook
from hearts_course.course import Course
from hearts_course.student.layout import lay_out
from tiny_course import REFERENCE, write_course

PLACES_THAT_ASK = (
    "hearts_course.cli.student.find_course",
    "hearts_course.cli.where.find_course",
    "hearts_course.student.jupyter.find_course",
    "hearts_course.suite.plugin.find_course",
)


def student_course(root: Path, **changes: str) -> Course:
    """The tiny course, built; `changes` as for `write_course`."""
    course = write_course(root, **changes)
    (stage,) = course.stages
    starter = join(starter_cells(stage))["coins"]
    (stage.assignment / "coins.py").write_text(starter, encoding="utf-8")
    stage.notebook.write_text(as_text(build_notebook(stage)), encoding="utf-8")
    return course


def use(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tool find this course instead of its own."""
    for place in PLACES_THAT_ASK:
        monkeypatch.setattr(place, lambda: course)
    for name in [name for name in sys.modules if name.endswith("test_coins")]:
        del sys.modules[name]  # pytest's cache takes one course's tests for another's


__all__ = ["REFERENCE", "lay_out", "student_course", "use"]
