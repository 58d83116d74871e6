"""Each stage's notebook runs from top to bottom in a kernel, and nbgrader can read its points."""

import re

import nbformat
import pytest
from hearts_course.course import find_course
from hearts_grader.authoring.notebook import notebook_text, solve
from nbclient import NotebookClient
from nbgrader.utils import determine_grade
from proofs import proofs_after

COURSE = find_course()
pytestmark = pytest.mark.filterwarnings("default")  # the client of the kernel warns


# All clinics have the same cells, so one clinic is enough. It comes first because it is short.
STAGES = (next(stage for stage in COURSE.stages if stage.clinic), *COURSE.counted)


@pytest.fixture(params=proofs_after(1, STAGES), ids=[stage.name for stage in STAGES])
def stage(request):
    return request.param


@pytest.fixture
def nbgrader(monkeypatch):
    """Run notebooks as nbgrader does, so that each check shows its points as a number."""
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")


def execute(notebook, folder):
    """Run all cells in the folder, and return the notebook; timeouts allow for a busy machine."""
    resources = {"metadata": {"path": folder}}
    client = NotebookClient(
        notebook, timeout=60, iopub_timeout=60, kernel_name="python3", resources=resources
    )
    return client.execute()


def run(stage, notebook, folder):
    """Run the notebook in a folder with the earlier stages' programs; return its check cells."""
    for earlier in COURSE.prerequisites(stage):
        for name, text in earlier.reference().items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
    (folder / stage.notebook.name).write_text(notebook_text(notebook), encoding="utf-8")
    for cell in execute(notebook, folder).cells:
        for output in cell.get("outputs", []):
            may_raise = cell.id.startswith("look-inside")  # this cell needs the student's program
            assert output.output_type != "error" or may_raise
            assert output.get("name") != "stderr"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [cell for cell in code if cell.metadata.get("nbgrader", {}).get("grade")]


def shown(cell):
    """Return the rich outputs of a check cell, without the text that it prints."""
    return [output.data for output in cell.outputs if "data" in output]


def points(checks):
    return [determine_grade(cell, None)[0] for cell in checks]


@pytest.mark.usefixtures("nbgrader")
def test_the_starter_fails_every_check_without_an_error(stage, tmp_path):
    checks = run(stage, nbformat.read(stage.notebook, as_version=4), tmp_path)
    assert points(checks) == [0.0] * len(stage.tasks)
    for cell in checks:
        assert [[*data] for data in shown(cell)] == [["text/html", "text/plain"], ["text/plain"]]
        assert shown(cell)[0]["text/plain"].startswith(f"{stage.name[:2]} {stage.title}")


@pytest.mark.proof
def test_a_student_sees_no_number_below_a_check(tmp_path):
    stage = COURSE.stages[0]
    checks = run(stage, nbformat.read(stage.notebook, as_version=4), tmp_path)
    assert len(checks) == len(stage.tasks)
    for cell in checks:
        assert [[*output.data] for output in cell.outputs] == [["text/html", "text/plain"]]


@pytest.mark.usefixtures("nbgrader")
def test_the_reference_passes_every_check(stage, tmp_path):
    notebook = solve(nbformat.read(stage.notebook, as_version=4), stage.reference())
    checks = run(stage, notebook, tmp_path)
    assert points(checks) == [float(task.points) for task in stage.tasks]
    notes = re.findall("Note: (.*)", "\n".join(shown(c)[0]["text/plain"] for c in checks))
    assert notes == []  # although nbclient gives the cells no ids


# Clicks twice on every button with this letter, selects the calls with these numbers, and clicks
# on "Unmask".
CLICKS = """
from ipywidgets import Button, ToggleButton
from ipywidgets.widgets.widget import _instances

def named(kind, word):
    return [one for one in _instances.values() if type(one) is kind and one.description == word]

for button in named(Button, {letter!r}):
    button.click()
    button.click()
for number in {numbers}:
    for button in named(ToggleButton, str(number)):
        button.value = True
for button in named(Button, "Unmask"):
    assert button.disabled is False
    button.click()
"""


def run_cells(folder, *cells):
    """Run the cells of a notebook, and return the text that each shows in the end."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    execute(notebook, folder)
    return [
        "\n".join(
            output.data.get("text/markdown", output.data["text/plain"])
            for output in cell.outputs
            if "data" in output
        )
        for cell in notebook.cells
    ]


def test_questions_are_answered_by_buttons(tmp_path):
    """Only the first answer to a question counts; after the last question, the advice appears."""
    cells = ["from hearts_course import *", 'predict("01")']
    first_output = run_cells(tmp_path, *cells)[1]
    second_output = run_cells(tmp_path, *cells, CLICKS.format(letter="b", numbers=[]))[1]
    questions = first_output.count("What does the last line show?")
    assert questions > 4
    assert "Click on a letter, or answer with a letter for each, such as `predict(" in first_output
    assert not re.search("[✓✗]", first_output)
    assert len(re.findall("[✓✗]", second_output)) == questions
    assert "Click on a letter" not in second_output
    assert "Read this first" in second_output


def test_three_calls_are_picked_by_buttons(tmp_path):
    """Only three calls can be picked, so a click on a fourth call has no effect."""
    cells = ["from hearts_course import *", 'catch("02")']
    clicks = CLICKS.format(letter="none", numbers=[2, 3, 5, 6])
    shown = run_cells(tmp_path, *cells, clicks)[1]
    assert "Click on three and on Unmask, or answer with three numbers, such as `catch(" in shown
    assert re.findall(r"- Call (\d) shows", shown) == ["2", "3", "5"]
    assert "Together they unmask" in shown
