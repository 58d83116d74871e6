"""Which form of a program a student works in, and what is wrong with its files."""

import json
import os

import pytest
from hearts_course.authoring.notebook import as_text, build_notebook, solve
from hearts_course.errors import UsageError
from hearts_course.student.work import Form, begun, find_work
from hearts_course.student.workspace import lay_out
from student_course import REFERENCE, student_course


@pytest.fixture
def course(tmp_path):
    return student_course(tmp_path / "course")


@pytest.fixture
def stage(course):
    return course.stages[0]


@pytest.fixture
def root(course, tmp_path):
    return lay_out(course, tmp_path / "mine").root


def write_py(root, text=REFERENCE, saved=1000):
    (root / "coins.py").write_text(text, encoding="utf-8")
    os.utime(root / "coins.py", (saved, saved))


def write_notebook(root, stage, text=REFERENCE, saved=1000):
    solved = as_text(solve(build_notebook(stage), {"coins": text}))
    (root / "01-coins.ipynb").write_text(solved, encoding="utf-8")
    os.utime(root / "01-coins.ipynb", (saved, saved))


def test_an_untouched_workspace_is_the_py_file_unchanged(root, stage):
    work = find_work(root, stage)
    assert (work.form, work.where, work.changed, work.note) == (Form.PY, "coins.py", False, "")
    assert begun(root, stage) is None


def test_the_form_that_was_changed_is_taken(root, stage):
    write_notebook(root, stage)
    work = find_work(root, stage)
    assert (work.form, work.where, work.changed) == (Form.NOTEBOOK, "01-coins.ipynb", True)
    assert "10 if self.face" in work.modules["coins"]
    assert begun(root, stage) == 1000


def test_a_notebook_that_was_only_run_is_not_changed(root, stage):
    data = json.loads((root / "01-coins.ipynb").read_bytes())
    data["cells"][1]["execution_count"] = 7
    data["cells"].append({"cell_type": "code", "source": "1 / 0", "metadata": {}, "outputs": []})
    (root / "01-coins.ipynb").write_text(json.dumps(data), encoding="utf-8")
    assert not find_work(root, stage, Form.NOTEBOOK).changed


@pytest.mark.parametrize(
    ("py", "notebook", "taken", "other"),
    [(2000, 1000, "coins.py", "--notebook"), (1000, 2000, "01-coins.ipynb", "--py")],
)
def test_of_two_changed_forms_the_last_saved_is_taken_and_said(
    root, stage, py, notebook, taken, other
):
    write_py(root, saved=py)
    write_notebook(root, stage, saved=notebook)
    work = find_work(root, stage)
    assert work.where == taken
    assert work.note.endswith(f"this is {taken}, saved last ({other} takes the other)")
    assert begun(root, stage) == 2000


@pytest.mark.parametrize("form", Form)
def test_the_form_asked_for_is_taken_without_a_note(root, stage, form):
    write_py(root)
    write_notebook(root, stage)
    assert (find_work(root, stage, form).form, find_work(root, stage, form).note) == (form, "")


def test_a_lost_file_leaves_the_other_form(root, stage):
    (root / "coins.py").unlink()
    assert find_work(root, stage).form is Form.NOTEBOOK


@pytest.mark.parametrize(
    ("form", "name"), [(Form.PY, "coins.py"), (Form.NOTEBOOK, "01-coins.ipynb"), (None, "coins.py")]
)
def test_with_nothing_there_the_way_back_is_said(root, stage, form, name):
    (root / "coins.py").unlink()
    (root / "01-coins.ipynb").unlink()
    with pytest.raises(UsageError, match=f"^{name}: missing; `hearts start .` puts the starter"):
        find_work(root, stage, form)


def test_a_byte_order_mark_is_no_fault(root, stage):
    (root / "coins.py").write_bytes(b"\xef\xbb\xbf" + REFERENCE.encode())
    assert find_work(root, stage).fault() == ""


def test_text_that_is_not_utf_8_is_said_with_its_line(root, stage):
    (root / "coins.py").write_bytes(b"x = 1\ny = '\xe9'\n")
    with pytest.raises(UsageError, match=r"^coins.py:2: not UTF-8 text; save it as UTF-8$"):
        find_work(root, stage)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"cells": 3}', "[" * 100_000])
def test_a_broken_notebook_is_said(root, stage, text):
    (root / "01-coins.ipynb").write_text(text)
    with pytest.raises(UsageError, match=r"^01-coins.ipynb: not a notebook \(.*rename it") as fault:
        find_work(root, stage)
    assert "\n" not in str(fault.value)
    assert find_work(root, stage, Form.PY).form is Form.PY


def drop_cells(root, *names):
    data = json.loads((root / "01-coins.ipynb").read_bytes())
    data["cells"] = [cell for cell in data["cells"] if cell["id"] not in names]
    (root / "01-coins.ipynb").write_text(json.dumps(data), encoding="utf-8")


def test_a_lost_cell_is_said(root, stage):
    drop_cells(root, "coins-purse")
    work = find_work(root, stage)
    assert work.form is Form.NOTEBOOK
    assert work.note == "01-coins.ipynb has lost the cell coins-purse"


def test_a_notebook_without_any_of_its_cells_is_refused(root, stage):
    drop_cells(root, "coins-header", "coins-coin", "coins-purse")
    with pytest.raises(UsageError, match="the cells that hold your program are gone"):
        find_work(root, stage)


def test_a_fault_is_placed(root, stage):
    write_py(root, "x = 1\ndef f(:\n")
    assert find_work(root, stage).fault() == "coins.py:2: invalid syntax in `def f(:`"
    write_notebook(root, stage)
    path = root / "01-coins.ipynb"
    path.write_text(path.read_text(encoding="utf-8").replace("class Purse:", "class Purse"))
    assert find_work(root, stage, Form.NOTEBOOK).fault() == (
        "01-coins.ipynb, line 23 of its program: expected ':' in `class Purse`"
    )


def test_a_null_byte_is_a_fault_like_others(root, stage):
    write_py(root, "x = 1\0\n")
    assert find_work(root, stage).fault().startswith("coins.py:1: ")
