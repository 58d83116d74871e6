"""A notebook that holds several modules: one namespace in it, and files when it is checked."""

import sys
from pathlib import Path
from unittest import mock

import pytest
from hearts_course.authoring.notebook import as_text, build_notebook, solve
from hearts_course.student import jupyter
from hearts_course.student.live import NotebookFinder, conflicting_definitions
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from student_course import REFERENCE, TWO_MODULES, start_workspace, two_stages, use

SETUP = 'from hearts_course import check, hint, work_on\nwork_on("02-bank")'


@pytest.fixture
def stage(tmp_path, monkeypatch):
    """The stage of two modules; the working folder is a workspace with stage 01 finished."""
    course = two_stages(tmp_path / "course", TWO_MODULES)
    use(course, monkeypatch)
    workspace = start_workspace(course, tmp_path / "work").root
    (workspace / "coins.py").write_text(REFERENCE, encoding="utf-8")
    monkeypatch.chdir(workspace)
    monkeypatch.syspath_prepend(str(workspace))
    return course.stages[1]


@pytest.fixture
def notebook(stage, monkeypatch):
    """Runs a cell in a new IPython that has run the setup cell; `name` is the cell's id."""
    jupyter._session.cache_clear()
    shell = InteractiveShell.instance()
    finders = [f for f in sys.meta_path if not isinstance(f, NotebookFinder)]
    monkeypatch.setattr(sys, "meta_path", finders)

    def run(source, name=None):
        with capture_output() as captured:
            done = shell.run_cell(source, cell_id=name)
        error = done.error_in_exec or done.error_before_exec
        return done.result, captured, error

    assert run(SETUP)[2] is None
    yield run
    InteractiveShell.clear_instance()
    jupyter._session.cache_clear()
    for module in ("bank", "teller", "coins"):
        sys.modules.pop(module, None)


def cells(stage):
    """The solved notebook's program cells: id and source."""
    solved = solve(build_notebook(stage), stage.reference())
    return {c.id: c.source for c in solved.cells if c.metadata.get("nbgrader", {}).get("solution")}


def said(captured):
    return captured.outputs[-1].data["text/plain"]


def save(stage, **changed):
    """Save the notebook, solved, with these cells changed."""
    solved = solve(build_notebook(stage), stage.reference())
    for cell in solved.cells:
        cell.source = changed.get(cell.id.replace("-", "_"), cell.source)
    Path(stage.notebook.name).write_text(as_text(solved), encoding="utf-8")


def test_an_import_of_the_stage_s_own_means_the_notebook(stage, notebook):
    """The starter `bank.py` that lies beside the notebook is not what is meant."""
    notebook("def savings(face):\n    return 7")
    assert notebook("from bank import savings\nsavings('dime')")[0] == 7
    notebook("import bank\ndef savings(face):\n    return 8")
    assert notebook("bank.savings('dime')")[0] == 8


def test_an_import_of_what_was_not_run_says_where_it_is_looked_for(notebook):
    error = notebook("from bank import savings")[2]
    assert isinstance(error, ImportError)
    assert str(error) == (
        "cannot import name 'savings' from 'bank' (the cells of this notebook that have been run)"
    )


def test_an_earlier_stage_is_imported_as_ever(notebook):
    assert notebook("from coins import Coin\nCoin('dime').worth")[0] == 10


def test_a_test_may_patch_a_module(notebook):
    notebook(
        "import bank\ndef savings(face):\n    return 7\ndef twice():\n    return savings('') * 2"
    )
    module = notebook("bank")[0]
    with mock.patch.object(module, "savings", return_value=50):
        assert notebook("twice()")[0] == 100
    assert notebook("twice()")[0] == 14
    assert "twice" in dir(module)


@pytest.mark.parametrize("guard", ["__name__ == '__main__'", '__name__ == "__main__"'])
def test_a_program_does_not_start_in_a_notebook(notebook, guard):
    value, captured, error = notebook(f"if {guard}:\n    raise SystemExit(2)\n'still here'")
    assert (value, error) == ("still here", None)
    assert captured.stdout.startswith("The code under `if __name__")


def test_a_check_takes_the_cells_as_they_were_run_last(stage, notebook):
    """Here nothing of it was saved: the file is the starter."""
    for name, source in cells(stage).items():
        notebook(source, name)
    value, captured, _ = notebook('check("serve")')
    assert value == 3.0
    assert "Note:" not in said(captured)
    notebook(cells(stage)["teller-answer"].replace("pence", "pins"), "teller-answer")
    assert notebook('check("serve")')[0] == 0.0


def test_a_cell_that_was_not_run_counts_as_it_was_saved(stage, notebook):
    save(stage)
    notebook(cells(stage)["bank-header"], "bank-header")
    assert notebook('check("serve")')[0] == 3.0


def test_a_front_end_that_names_no_cells_has_the_saved_notebook_checked(stage, notebook):
    save(stage)
    for source in cells(stage).values():
        notebook(source)
    value, captured, _ = notebook('check("serve")')
    assert value == 3.0
    assert "Note: this is 02-bank.ipynb as saved at " in said(captured)


def test_without_a_saved_notebook_cells_that_were_not_run_are_told(stage, notebook):
    Path(stage.notebook.name).unlink()
    for name in ("bank-header", "bank-bank", "teller-header"):
        notebook(cells(stage)[name], name)
    assert notebook('check("savings")')[0] == 2.0
    value, captured, _ = notebook('check("serve")')
    assert value < 3.0
    assert "not run yet, so it counts as not written: teller-answer" in said(captured)


def test_what_cannot_be_checked_is_no_success(stage, notebook):
    """No file, no names of cells: only the objects are left, and they are no program to run."""
    Path(stage.notebook.name).unlink()
    for source in cells(stage).values():
        notebook(source)
    value, captured, _ = notebook('check("serve")')
    assert value == 1.0
    assert "1 of 3 checks pass" in said(captured)
    assert "your program must be in a file" in said(captured)


def test_what_a_module_takes_from_another_without_an_import_fails(stage, notebook):
    """It works in the notebook, where all names are one, and would fail when it is graded."""
    for name, source in cells(stage).items():
        notebook(source.replace("from bank import savings", ""), name)
    assert notebook("answer('dime')")[0] == "10 pence"
    value, captured, _ = notebook('check("serve")')
    assert value == 1.0
    assert "NameError: name 'savings' is not defined" in said(captured)


def test_two_helpers_of_one_name_are_told(stage, notebook):
    helper = "\n\ndef helper():\n    return {}"
    save(
        stage,
        bank_bank=cells(stage)["bank-bank"] + helper.format(1),
        teller_answer=cells(stage)["teller-answer"] + helper.format(2),
    )
    value, captured, _ = notebook('check("serve")')
    assert value == 3.0
    assert "bank and teller each define `helper`, but not in the same way" in " ".join(
        said(captured).split()
    )


def test_the_same_helper_twice_is_no_clash():
    same = "def helper():\n    return 1\n"
    assert conflicting_definitions({"bank": same, "teller": f"import bank\n{same}"}) == {}
    assert conflicting_definitions({"bank": same, "teller": "def helper(:"}) == {}


def test_an_unknown_stage_is_answered_with_the_right_one(notebook):
    _, captured, error = notebook('work_on("02-bnk")')
    assert error is None
    assert said(captured) == "✗ no stage is called '02-bnk'; did you mean 02-bank?\n"


def test_the_setup_may_run_twice(stage, notebook):
    notebook(SETUP)
    assert sum(isinstance(finder, NotebookFinder) for finder in sys.meta_path) == 1
    captured = notebook('if __name__ == "__main__":\n    1 / 0')[1]
    assert captured.stdout.count("The code under") == 1
