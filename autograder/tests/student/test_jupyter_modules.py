"""A notebook imports its own stage's modules from its cells, and earlier stages' from notebooks."""

import json
import sys
from pathlib import Path
from unittest import mock

import pytest
from hearts_course import cli
from hearts_course.student import jupyter
from hearts_course.student.live import NotebookFinder, let_ctrl_c_leave, notebook_finder
from hearts_course.student.names import conflicting_definitions
from hearts_course.student.workspace import STATE_FILE, find_workspace
from hearts_grader.authoring.notebook import build_notebook, notebook_text, solve
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from student_course import REFERENCE, TWO_MODULES, start_workspace, two_stages, use

SETUP = 'from hearts_course import check, hint, reset, work_on\nwork_on("02-bank")'
GUARD = "if __name__ == '__main__':\n    raise SystemExit(2)\n'still here'"


def remove_notebook_finders():
    """Let Python import nothing from notebooks, as if no notebook cell had been run yet."""
    finders = [finder for finder in sys.meta_path if not isinstance(finder, NotebookFinder)]
    sys.meta_path[:] = finders


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Return a course of two stages; the current folder is a workspace with stage 01 finished."""
    course = two_stages(tmp_path / "course", TWO_MODULES)
    use(course, monkeypatch)
    root = start_workspace(course, tmp_path / "work").root
    (root / "coins.py").write_text(REFERENCE, encoding="utf-8")
    monkeypatch.chdir(root)
    monkeypatch.syspath_prepend(str(root))
    remove_notebook_finders()
    yield course
    remove_notebook_finders()
    for module in ("bank", "teller", "coins"):
        sys.modules.pop(module, None)


@pytest.fixture
def notebook(course):
    """Run the setup cell in IPython, and yield a function that runs another cell.

    The function takes the cell's source and its id, and returns the value, output and error.
    """
    jupyter._session.cache_clear()
    shell = InteractiveShell.instance()

    def run(source, name=None):
        with capture_output() as captured:
            done = shell.run_cell(source, store_history=True, cell_id=name)
        error = done.error_in_exec or done.error_before_exec
        return done.result, captured, error

    assert run(SETUP)[2] is None
    yield run
    InteractiveShell.clear_instance()
    jupyter._session.cache_clear()


@pytest.fixture
def cells(course):
    """Return a dict from the id of each program cell of the solved notebook to its source."""
    stage = course.stages[1]
    solved = solve(build_notebook(stage), stage.reference())
    return {c.id: c.source for c in solved.cells if c.metadata.get("nbgrader", {}).get("solution")}


def save(stage, cells):
    """Save the stage's notebook; `cells` gives new sources by id."""
    notebook = build_notebook(stage)
    for cell in notebook.cells:
        cell.source = cells.get(cell.id, cell.source)
    Path(stage.notebook.name).write_text(notebook_text(notebook), encoding="utf-8")


def text_of(captured):
    return " ".join(captured.outputs[-1].data["text/plain"].split())


def test_an_import_of_the_notebooks_own_module_means_its_namespace(notebook):
    """The starter `bank.py` lies beside the notebook, but is not imported."""
    error = notebook("from bank import savings")[2]
    assert isinstance(error, ImportError)
    assert str(error) == (
        "cannot import name 'savings' from 'bank' (the cells of this notebook that have been run)"
    )
    notebook("def savings(face):\n    return 7")
    assert notebook("from bank import savings\nsavings('dime')")[0] == 7
    notebook("import bank\ndef savings(face):\n    return 8")
    assert notebook("bank.savings('dime')")[0] == 8
    assert notebook("import importlib\nimportlib.reload(bank).savings('dime')")[0] == 8
    assert notebook("from coins import Coin\nCoin('dime').worth")[0] == 10


def test_a_test_can_patch_the_notebooks_module(notebook):
    notebook("import bank\ndef savings():\n    return 7\ndef twice():\n    return savings() * 2")
    module = notebook("bank")[0]
    with mock.patch.object(module, "savings", return_value=50):
        assert notebook("twice()")[0] == 100
    assert notebook("twice()")[0] == 14
    assert "twice" in dir(module)


def test_a_program_does_not_start_in_a_notebook(notebook):
    notebook(SETUP)  # the setup cell runs a second time
    assert sum(isinstance(finder, NotebookFinder) for finder in sys.meta_path) == 1
    for guard in (GUARD, GUARD.replace("'__main__'", '"__main__"')):
        value, captured, error = notebook(guard)
        assert (value, error) == ("still here", None)
        assert captured.stdout.count("The code under `if __name__") == 1


def test_a_check_takes_the_cells_as_last_run_though_nothing_was_saved(notebook, cells):
    for name, source in cells.items():
        notebook(source, name)
    value, captured, _ = notebook('check("serve")')
    assert value == 3.0
    assert text_of(captured).startswith(
        "Note: 4 cells of the program: what you ran, which is checked here, is not what is saved; "
        "save 02-bank.ipynb, or run what is saved "
    )
    notebook(cells["teller-answer"].replace("pence", "pins"), "teller-answer")
    assert notebook('check("serve")')[0] == 0.0


def test_a_cell_that_was_not_run_is_checked_as_saved(course, notebook, cells):
    save(course.stages[1], cells)
    value, captured, _ = notebook('check("serve")')
    assert value == 3.0
    note = "Note: no cell of the program was run yet: this is 02-bank.ipynb as saved at "
    assert note in text_of(captured)
    notebook(cells["bank-header"], "bank-header")
    assert notebook('check("serve")')[0] == 3.0


def test_without_a_saved_notebook_the_cells_not_run_are_named(notebook, cells):
    Path("02-bank.ipynb").unlink()
    for name in ("bank-header", "bank-bank", "teller-header"):
        notebook(cells[name], name)
    assert notebook('check("savings")')[0] == 2.0
    value, captured, _ = notebook('check("serve")')
    assert value < 3.0
    assert "not run yet, so it counts as not written: the cell of answer" in text_of(captured)


@pytest.mark.parametrize("saved", [True, False])
def test_without_cell_ids_the_cells_are_known_from_the_history(course, notebook, cells, saved):
    """Some front ends give IPython no ids of cells, others give ids that are not in the file."""
    if saved:
        save(course.stages[1], cells)
    else:
        Path("02-bank.ipynb").unlink()
    for number, source in enumerate(cells.values()):
        notebook(source, f"cell-{number}")
    value, captured, _ = notebook('check("serve")')
    assert (value, "Note:" in text_of(captured)) == (3.0, False)
    notebook("def savings(face", "cell-1")
    notebook("def of_my_own():\n    return 7")
    value, captured, _ = notebook('check("serve")')
    assert value == 0.0
    begin = "Note: the cell of savings: what you ran, which is checked here, is not what is saved"
    assert text_of(captured).startswith(begin) == saved


def test_a_header_without_definitions_is_known_from_the_history(course, notebook, cells):
    save(course.stages[1], cells)
    notebook(cells["bank-header"].replace("import Coin", "import Purse"))
    assert notebook('check("savings")')[0] == 0.0
    notebook(cells["bank-header"])
    assert notebook('check("savings")')[0] == 2.0


@pytest.mark.parametrize("known_cells", [True, False])
def test_both_parts_of_a_split_cell_are_checked_as_last_run(course, notebook, cells, known_cells):
    save(course.stages[1], cells)
    data = json.loads(Path("02-bank.ipynb").read_text(encoding="utf-8"))
    (number,) = (i for i, cell in enumerate(data["cells"]) if cell["id"] == "teller-answer")
    extra = data["cells"][number] | {"id": "part", "source": "def spoken(face):\n    return face"}
    data["cells"].insert(number + 1, extra)
    Path("02-bank.ipynb").write_text(json.dumps(data), encoding="utf-8")
    notebook(
        cells["teller-answer"].replace("pence", "{spoken('pins')}"), known_cells and "teller-answer"
    )
    assert notebook('check("serve")')[0] < 3.0
    notebook("def spoken(face):\n    return 'pence'", known_cells and "part")
    value, captured, _ = notebook('check("serve")')
    assert (value, "the cell of answer were joined in" in text_of(captured)) == (3.0, True)


@pytest.mark.parametrize("lost", ["deleted", "unmarked"])
def test_a_check_says_what_it_took_for_a_lost_cell(course, notebook, cells, lost):
    save(course.stages[1], cells)
    data = json.loads(Path("02-bank.ipynb").read_text(encoding="utf-8"))
    (number,) = (i for i, cell in enumerate(data["cells"]) if cell["id"] == "teller-answer")
    extra = data["cells"][number] | {"id": "mine", "metadata": {}}
    data["cells"][number : number + 1] = [extra] if lost == "unmarked" else []
    Path("02-bank.ipynb").write_text(json.dumps(data), encoding="utf-8")
    for name in ("bank-header", "bank-bank", "teller-header"):
        notebook(cells[name], name)
    value, captured, _ = notebook('check("serve")')
    text = " ".join(text_of(captured).split())
    if lost == "deleted":
        assert value < 3.0
        assert "the cell of answer is missing, so the starter's version was used" in text
    else:
        assert value == 3.0
        assert "your own cell with `answer` was taken in place of the cell of answer" in text
        notebook(cells["teller-answer"].replace("pence", "pins"), "mine")
        assert notebook('check("serve")')[0] < 3.0


@pytest.mark.parametrize("told_by", ["Jupyter", "VS Code"])
def test_a_copy_of_a_notebook_checks_itself(course, notebook, cells, monkeypatch, told_by):
    save(course.stages[1], cells)
    Path("02-bank.ipynb").rename("02-bank-Copy1.ipynb")
    save(course.stages[1], {})
    monkeypatch.setenv("JPY_SESSION_NAME", "/gone.ipynb")
    assert notebook('check("serve")')[0] == 0.0
    if told_by == "Jupyter":
        monkeypatch.setenv("JPY_SESSION_NAME", str(Path("02-bank-Copy1.ipynb").absolute()))
    else:
        notebook("__vsc_ipynb_file__ = '02-bank-Copy1.ipynb'")
    value, captured, _ = notebook('check("serve")')
    assert value == 3.0
    note = "Note: this is 02-bank-Copy1.ipynb, but `submit` takes 02-bank.ipynb: rename it"
    assert note in text_of(captured)


def test_a_missing_import_between_modules_fails_as_when_graded(notebook, cells):
    for name, source in cells.items():
        notebook(source.replace("from bank import savings", ""), name)
    assert notebook("answer('dime')")[0] == "10 pence"
    value, captured, _ = notebook('check("serve")')
    assert value == 1.0
    assert "NameError: name 'savings' is not defined" in text_of(captured)
    assert "`savings` is not imported in teller: `from bank import savings`" in text_of(captured)


OWN_CELL = "which is not part of the program: move it into the cell of savings"


def test_a_definition_in_a_cell_of_ones_own_is_named_with_the_cell_it_belongs_to(
    course, notebook, cells
):
    cells["bank-bank"] = cells["bank-bank"].replace("return Coin", "return 1 and helped(Coin")
    cells["bank-bank"] = cells["bank-bank"].replace(".worth", ".worth)")
    save(course.stages[1], cells)
    notebook("def helped(worth):\n    return worth", "mine")
    for name, source in cells.items():
        notebook(source, name)
    assert notebook("savings('dime')")[0] == 10
    value, captured, _ = notebook('check("savings")')
    assert value == 0.0
    text = text_of(captured)
    assert "in 02-bank.ipynb, the cell of savings, line 3: return 1 and helped(" in text
    assert "bank.py" not in text
    assert f"Note: `helped` is defined in a cell of your own, {OWN_CELL}" in text


def test_different_helpers_of_one_name_are_noted(course, notebook, cells):
    for name in ("bank-bank", "teller-answer"):
        cells[name] += f"\n\ndef helper():\n    return {name!r}"
    save(course.stages[1], cells)
    value, captured, _ = notebook('check("serve")')
    assert value == 3.0
    assert "bank and teller each define `helper`, but not in the same way" in text_of(captured)
    helper_text = "def helper():\n    return 1\n"
    assert (
        conflicting_definitions({"bank": helper_text, "teller": f"import bank\n{helper_text}"})
        == {}
    )
    assert conflicting_definitions({"bank": helper_text, "teller": "def helper(:"}) == {}


def test_an_unknown_stage_is_answered_with_a_similar_name(notebook):
    _, captured, error = notebook('work_on("02-bnk")')
    assert error is None
    assert text_of(captured) == "✗ no stage is called '02-bnk'; did you mean 02-bank?"


def write_coins_notebook(course, source):
    notebook = solve(build_notebook(course.stages[0]), {"coins": source})
    Path("01-coins.ipynb").write_text(notebook_text(notebook), encoding="utf-8")


def test_an_earlier_stage_is_imported_from_its_notebook(course):
    start = (course.stages[0].assignment / "coins.py").read_bytes()
    Path("coins.py").write_bytes(start)
    write_coins_notebook(course, f"{REFERENCE}\n\ndef lose():\n    raise RuntimeError('a coin')\n")
    Path(STATE_FILE).write_text("{", encoding="utf-8")
    notebook_finder(course)
    coins = __import__("coins")
    assert (coins.Coin("dime").worth, coins.__name__) == (10, "coins")
    with pytest.raises(RuntimeError, match="a coin") as caught:
        coins.lose()
    assert "01-coins.ipynb" in str(caught.traceback[-1].path)
    assert Path(STATE_FILE).read_text(encoding="utf-8") == "{"  # imports do not repair it


@pytest.mark.parametrize("text", ["{", json.dumps({"cells": []}), None])
def test_without_a_changed_notebook_the_file_is_imported(course, text):
    if text is not None:
        Path("01-coins.ipynb").write_text(text, encoding="utf-8")
    assert notebook_finder(course).find_spec("coins", None) is None
    assert __import__("coins").Coin("dime").worth == 10


@pytest.mark.skipif(sys.platform == "win32", reason="a current folder cannot be removed there")
def test_an_import_needs_neither_workspace_nor_current_folder(course, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    assert NotebookFinder(course).find_spec("coins", None) is None
    gone.rmdir()
    specs = [NotebookFinder(course).find_spec(name, None) for name in ("fractions", "coins")]
    assert specs == [None, None]


def test_a_number_is_a_task_of_this_notebooks_stage(notebook, cells):
    for name, source in cells.items():
        notebook(source, name)
    value, captured, _ = notebook("check(2)")
    assert (value, "2 Serve" in text_of(captured)) == (3.0, True)
    assert "Who is asked?" in text_of(notebook('hint("2")')[1])
    assert "02-bank has no task 3; its tasks are 1 to 2." in text_of(notebook("check(3)")[1])


@pytest.mark.parametrize("form", ["coins.py", "01-coins.ipynb"])
@pytest.mark.parametrize("name", ["01", "01-coins", "worth"])
def test_another_stage_is_checked_as_it_is_saved(course, notebook, cells, form, name):
    if form.endswith(".ipynb"):
        Path("coins.py").write_bytes((course.stages[0].assignment / "coins.py").read_bytes())
        write_coins_notebook(course, REFERENCE)
    for cell, source in cells.items():
        notebook(source, cell)
    value, captured, _ = notebook(f'check("{name}")')
    assert value == (2.0 if name == "worth" else 6.0)
    assert f"01 Coins and purses ({form})" in text_of(captured)
    assert f"Note: this is 01-coins as saved in {form}" in text_of(captured)
    assert find_workspace(course, Path.cwd()).state.checks["worth"].complete
    value, captured, _ = notebook("check()")
    assert (value, "02 Banks (this notebook)" in text_of(captured)) == (5.0, True)


def test_a_wrong_name_is_answered_with_the_tasks_of_this_notebook(notebook):
    text = text_of(notebook('check("money-out")')[1])
    assert text == "✗ no stage or task is called 'money-out'; 02-bank has: savings, serve"


def test_a_name_that_only_the_kernel_knows_is_called_that(course, notebook, cells):
    save(course.stages[1], cells)
    notebook("def helped(worth):\n    return worth", "bank-bank")
    cells["bank-bank"] = cells["bank-bank"].replace("return Coin", "return helped(1) and Coin")
    for name, source in cells.items():
        notebook(source, name)
    assert notebook("savings('dime')")[0] == 10
    text = text_of(notebook('check("savings")')[1])
    assert (
        "the kernel still knows `helped` from before, but no cell of your program defines it: "
        "look at the cell of savings"
    ) in text
    assert "a cell of your own" not in text


def test_a_cell_that_was_changed_and_saved_but_not_run_is_named(course, notebook, cells):
    for name, source in cells.items():
        notebook(source, name)
    cells["bank-header"] += "\nFACTOR = 1"
    cells["bank-bank"] = cells["bank-bank"].replace("return Coin", "return FACTOR * Coin")
    save(course.stages[1], cells)
    notebook(cells["bank-bank"], "bank-bank")
    text = text_of(notebook('check("savings")')[1])
    assert text.startswith(
        "Note: the first cell of bank: what you ran, which is checked here, is not what is saved; "
        "save 02-bank.ipynb, or run what is saved 02 Banks"
    )
    assert (
        "`FACTOR` is in the first cell of bank as it is saved, but not as you ran it: "
        "run that cell again"
    ) in text


def test_cells_above_that_were_not_run_are_named(course, notebook, cells):
    """If the front end gives no ids of cells, the tool cannot run the cells above."""
    save(course.stages[1], cells)
    notebook(cells["bank-header"])
    assert "not run yet" not in text_of(notebook('check("savings")')[1])
    notebook(cells["teller-answer"])
    assert (
        "Note: the cell of savings and the first cell of teller: not run yet, so this checks what "
        "is saved"
    ) in text_of(notebook('check("savings")')[1])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("answer('dime')", "move the line that uses it from the cell of savings into a cell of"),
        ("def asked():\n    return answer('dime')", "the cell of savings cannot use it"),
    ],
)
def test_an_import_from_a_module_that_comes_later_is_never_suggested(
    course, notebook, cells, line, message
):
    cells["bank-bank"] += f"\n\n{line}"
    save(course.stages[1], cells)
    notebook("pass")
    text = text_of(notebook('check("savings")')[1])
    assert f"`answer` is defined in teller, which comes after bank: {message}" in text
    assert "from teller import" not in text


def test_no_import_is_suggested_from_a_module_that_has_the_name_in_a_function_only(
    course, notebook, cells
):
    cells["bank-bank"] += "\n\ndef other():\n    helped = 1\n    return helped"
    cells["teller-answer"] += "\n\ndef third():\n    return helped"
    save(course.stages[1], cells)
    notebook("pass")
    assert "import helped" not in text_of(notebook('check("serve")')[1])


def test_a_helper_that_came_after_the_import_needs_a_new_kernel(course, notebook, cells):
    notebook("import coins")
    added = f"{REFERENCE}\n\ndef smallest():\n    return 'penny'\n"
    Path("coins.py").write_text(added, encoding="utf-8")
    save(course.stages[1], cells)
    text = text_of(notebook('check("savings")')[1])
    assert (
        "Note: this kernel imported coins before it had `smallest`: restart the kernel to use "
        "that here"
    ) in text


def test_a_program_that_needs_jupyter_is_told_that_it_runs_without(course, notebook, cells):
    cells["bank-header"] += "\nfrom ipywidgets_of_old import display"
    save(course.stages[1], {**cells, "bank-header": f"{cells['bank-header']}"})
    text = text_of(notebook('check("savings")')[1])
    assert "No module named 'ipywidgets_of_old'; the program runs without Jupyter" in text


def test_a_missing_cell_is_put_back_after_the_one_that_it_follows(course, notebook, cells, capsys):
    stage = course.stages[1]
    save(stage, cells)
    path = Path("02-bank.ipynb")
    data = json.loads(path.read_text(encoding="utf-8"))
    order = [cell["id"] for cell in data["cells"]]
    data["cells"] = [
        one for one in data["cells"] if one["id"] not in ("teller-answer", "bank-bank")
    ]
    path.write_text(json.dumps(data), encoding="utf-8")
    notebook(cells["bank-header"], "bank-header")
    text = text_of(notebook('check("serve")')[1])
    assert '`reset("02-bank", missing=True)` puts back what is missing' in text
    shown = text_of(notebook('reset("serve")')[1])
    assert 'lacks the cell of answer: `reset("02-bank", missing=True)` puts it back' in shown
    assert cli.run(["reset", "02-bank", "--missing"], course) == 0
    assert capsys.readouterr().out.startswith(
        "02-bank.ipynb: put back the cell of savings and the cell of answer; "
        "02-bank.ipynb.before-reset is as it was before\n"
    )
    new = json.loads(path.read_text(encoding="utf-8"))
    assert [cell["id"] for cell in new["cells"]] == order
    assert json.loads(Path("02-bank.ipynb.before-reset").read_text("utf-8")) == data
    assert cli.run(["reset", "02-bank", "--missing"], course) == 0
    assert capsys.readouterr().out == "02-bank.ipynb lacks no cell of the program\n"
    path.write_text(json.dumps(data), encoding="utf-8")
    shown = text_of(notebook('reset("02", missing=True)')[1])
    assert "the cell of savings and the cell of answer again. Load this page again" in shown
    new = json.loads(path.read_text(encoding="utf-8"))
    assert [cell["id"] for cell in new["cells"]] == order
    assert "lacks no cell" in text_of(notebook('reset("02", missing=True)')[1])
    assert "missing" not in text_of(notebook('check("serve")')[1])


def test_a_task_s_cell_runs_the_cells_above_it_that_a_new_python_has_not_run(
    course, notebook, cells
):
    """After a restart of Python, a student may run only the cell of the next task."""
    broken = cells["teller-header"] + "\nraise ValueError"
    save(course.stages[1], cells | {"teller-header": broken})
    assert notebook("savings('dime')")[2] is not None
    last = [*cells][-1]
    _, captured, error = notebook(cells[last], last)
    assert (error, captured.outputs) == (None, [])
    assert notebook("savings('dime')")[0] == 10
    notebook(cells["bank-bank"].replace("return Coin(face).worth", "return 7"), "bank-bank")
    notebook(cells[last], last)
    assert notebook("savings('dime')")[0] == 7


def test_ctrl_c_in_the_reply_interrupts_a_program_that_asks(monkeypatch):
    replies = iter(["QS", "\x03"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(replies))
    let_ctrl_c_leave()
    let_ctrl_c_leave()
    assert input("? ") == "QS"
    with pytest.raises(KeyboardInterrupt):
        input("? ")


def correct(stage):
    """Correct the text of task 2, as a later release does."""
    path = stage.assignment / "README.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("Write `answer`.", "Write `answer`, in pence."), encoding="utf-8")
    stage.notebook.write_text(notebook_text(build_notebook(stage)), encoding="utf-8")


def test_a_notebook_with_work_in_it_says_that_a_corrected_text_is_out(course, notebook, cells):
    stage = course.stages[1]
    save(stage, cells)
    assert notebook('work_on("02-bank")')[1].outputs == []
    correct(stage)
    note = text_of(notebook('work_on("02-bank")')[1])
    assert "A corrected text is out, and what you wrote stays." in note
    assert '`reset("serve")` shows that of task 2' in note
    assert "task 1" not in note
    assert "in pence" not in text_of(notebook('reset("savings")')[1])
    assert "The corrected text: Task 2: Serve" in text_of(notebook('reset("serve")')[1])
    assert notebook('work_on("02-bank")')[1].outputs == [], "the student has seen it"
    save(stage, cells)
    assert "corrected" not in text_of(notebook('reset("serve")')[1])


@pytest.mark.parametrize("written", [False, True])
def test_a_corrected_text_replaces_a_notebook_that_was_only_opened(course, notebook, written):
    """Jupyter adds outputs and an empty cell at the end when it saves an opened notebook."""
    stage = course.stages[1]
    path = Path(stage.notebook.name)
    opened = json.loads(path.read_text(encoding="utf-8"))
    opened["cells"][1]["execution_count"] = 1
    empty = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    opened["cells"].append({"id": "new", "source": ["1 + 1"] if written else [], **empty})
    path.write_text(json.dumps(opened), encoding="utf-8")
    correct(stage)
    note = text_of(notebook('work_on("02-bank")')[1])
    assert ("what you wrote stays" in note, "`hearts start .` brings it" in note) == (
        written,
        not written,
    )
    start_workspace(course, Path.cwd())
    new = path.read_text(encoding="utf-8")
    assert ("in pence" in new) is not written
    assert len(notebook('work_on("02-bank")')[1].outputs) == written
