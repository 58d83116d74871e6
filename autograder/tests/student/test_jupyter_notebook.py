"""The real notebooks, run top to bottom in a real kernel, under nbgrader's rule for scores."""

import re

import nbformat
import pytest
from hearts_course.authoring.notebook import as_text, solve
from hearts_course.course import find_course
from nbclient import NotebookClient
from nbgrader.utils import determine_grade

COURSE = find_course()


@pytest.fixture(params=COURSE.stages, ids=lambda stage: stage.name)
def stage(request):
    return request.param


@pytest.fixture
def folder(stage, tmp_path):
    """A folder that holds the earlier stages' programs."""
    for earlier in COURSE.prerequisites(stage):
        for name, text in earlier.reference().items():
            (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    return tmp_path


def run(stage, notebook, folder):
    """The notebook after all its cells were run, where it is saved as a student saves it."""
    (folder / stage.notebook.name).write_text(as_text(notebook), encoding="utf-8")
    client = NotebookClient(
        notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": folder}}
    )
    return client.execute()


def checks(notebook):
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [cell for cell in code if cell.metadata.get("nbgrader", {}).get("grade")]


def outputs(notebook):
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def shown(cell):
    return [kind for output in cell.outputs for kind in output.get("data", {})]


def is_clean(output):
    return output.output_type != "error" and output.get("name") != "stderr"


@pytest.mark.filterwarnings("default")  # of the kernel's client, not ours
def test_the_starter_fails_every_check_without_an_error(stage, folder):
    notebook = run(stage, nbformat.read(stage.notebook, as_version=4), folder)
    assert all(map(is_clean, outputs(notebook)))
    assert [determine_grade(cell, None)[0] for cell in checks(notebook)] == [0.0] * len(stage.tasks)
    for cell in checks(notebook):
        assert shown(cell) == ["text/html", "text/plain", "text/plain"]
        assert cell.outputs[0].data["text/plain"].startswith(f"{stage.name[:2]} {stage.title}")


@pytest.mark.filterwarnings("default")
def test_the_reference_passes_every_check(stage, folder):
    notebook = solve(nbformat.read(stage.notebook, as_version=4), stage.reference())
    notebook = run(stage, notebook, folder)
    assert all(map(is_clean, outputs(notebook)))
    points = [determine_grade(cell, None)[0] for cell in checks(notebook)]
    assert points == [float(task.points) for task in stage.tasks]
    told = [cell.outputs[0].data["text/plain"] for cell in checks(notebook)]
    notes = [note for text in told for note in re.findall("Note: (.*)", text)]
    saved = (
        f"this is {stage.notebook.name} as saved at "  # nbclient does not tell which cell it runs
    )
    assert [note for note in notes if not note.startswith(saved)] == []
