"""A later stage's notebook imports the earlier one from where the student wrote it."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hearts_course.authoring.notebook import as_text, build_notebook, solve
from hearts_course.course import Course
from hearts_course.student.live import NotebookFinder, notebook_finder
from hearts_course.student.workspace import STATE_FILE
from student_course import REFERENCE, start_workspace, two_stages


@pytest.fixture(name="course")
def _course(tmp_path: Path) -> Course:
    return two_stages(tmp_path / "course")


@pytest.fixture(name="workspace")
def _workspace(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "work"
    start_workspace(course, folder)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    others = [finder for finder in sys.meta_path if not isinstance(finder, NotebookFinder)]
    monkeypatch.setattr(sys, "meta_path", others)
    notebook_finder(course)
    yield folder
    for name in ("coins", "bank"):
        sys.modules.pop(name, None)


def write_notebook(course: Course, folder: Path, source: str) -> None:
    stage = course.stages[0]
    notebook = solve(build_notebook(stage), {"coins": source})
    (folder / f"{stage.name}.ipynb").write_text(as_text(notebook), encoding="utf-8")


def test_work_in_a_notebook_is_what_is_imported(course: Course, workspace: Path) -> None:
    write_notebook(course, workspace, REFERENCE)
    coins = importlib.import_module("coins")
    assert coins.Coin("dime").worth == 10
    assert coins.__name__ == "coins"


def test_work_in_the_file_is_imported_as_ever(course: Course, workspace: Path) -> None:
    (workspace / "coins.py").write_text(REFERENCE.replace("10 if", "99 if"), encoding="utf-8")
    assert importlib.import_module("coins").Coin("dime").worth == 99


def test_outside_a_workspace_nothing_changes(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert NotebookFinder(course).find_spec("coins", None) is None


@pytest.mark.parametrize("text", ["{", json.dumps({"cells": []})])
def test_a_broken_notebook_leaves_the_file(course: Course, workspace: Path, text: str) -> None:
    (workspace / "01-coins.ipynb").write_text(text, encoding="utf-8")
    assert NotebookFinder(course).find_spec("coins", None) is None


def test_a_traceback_names_the_notebook(course: Course, workspace: Path) -> None:
    write_notebook(course, workspace, REFERENCE + "\n\nraise RuntimeError('lost a coin')\n")
    with pytest.raises(RuntimeError, match="lost a coin") as caught:
        importlib.import_module("coins")
    assert "01-coins.ipynb" in str(caught.traceback[-1].path)


def test_an_import_leaves_a_damaged_memory_to_whoever_can_tell_of_it(
    course: Course, workspace: Path
) -> None:
    write_notebook(course, workspace, REFERENCE)
    (workspace / STATE_FILE).write_text("{", encoding="utf-8")
    for name in ("fractions", "coins"):
        NotebookFinder(course).find_spec(name, None)
    assert (workspace / STATE_FILE).read_text(encoding="utf-8") == "{"


@pytest.mark.skipif(sys.platform == "win32", reason="a current folder cannot be removed there")
def test_an_import_needs_no_current_folder(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    found = [NotebookFinder(course).find_spec(name, None) for name in ("fractions", "coins")]
    assert found == [None, None]


def test_it_is_set_up_once(course: Course, workspace: Path) -> None:
    notebook_finder(course)
    assert sum(isinstance(finder, NotebookFinder) for finder in sys.meta_path) == 1
