"""The notebook in which a person grades shows the program that was graded."""

import json

import pytest
from hearts_course.authoring.notebook import notebook_text, reference_notebook
from hearts_course.nbgrader import grader_view
from hearts_course.nbgrader.grader_view import notebook_to_grade
from hearts_course.submissions.read import read_submission
from nbgrader_courses import built_course, source_of
from tiny_class import STAGE, put
from tiny_course import MANUAL_TOML


@pytest.fixture
def stage(tmp_path):
    return built_course(tmp_path / "course", STAGE_TOML=MANUAL_TOML).stages[0]


@pytest.fixture
def seen(stage, tmp_path):
    """Hand in a solved notebook with other cells; return the text of each cell shown, by its id."""

    def seen(*others, before=(), without=""):
        data = json.loads(notebook_text(reference_notebook(stage)))
        kept = [cell for cell in data["cells"] if cell["id"] != without]
        data["cells"] = [*before, *kept, *others]
        folder = put(tmp_path / "handed-in", {f"{STAGE}.ipynb": json.dumps(data)})
        submission = read_submission(folder, "ada", stage)
        assert submission.problem == ""
        return {
            cell.id: source_of(cell) for cell in notebook_to_grade(stage, folder, submission).cells
        }

    return seen


def cell(text, kind="code", **more):
    return {"cell_type": kind, "source": text, "metadata": {}, **more}


@pytest.mark.parametrize(
    "other",
    [
        cell("never graded", id="coins-header"),
        cell("no code", "markdown", metadata={"nbgrader": {"grade_id": "coins-header"}}),
        cell("a check", id="coins-header", metadata={"nbgrader": {"grade_id": "check-worth"}}),
    ],
)
def test_the_solution_cell_shows_the_graded_program(seen, other):
    assert "from dataclasses" in seen(other)["coins-header"]


def test_a_cell_that_lost_its_grade_id_is_known_by_its_id(seen):
    lost = cell("FACES = ()", id="coins-header", metadata={"nbgrader": {"grade_id": "lost"}})
    assert seen(lost, without="coins-header")["coins-header"] == "FACES = ()"


def test_of_two_cells_with_one_grade_id_the_last_counts(seen):
    again = cell("FACES = ()", metadata={"nbgrader": {"grade_id": "coins-header"}})
    assert seen(again)["coins-header"] == "FACES = ()"


def test_the_parts_of_a_split_cell_are_shown_in_one(seen):
    part = cell("MORE = ()", metadata={"nbgrader": {"grade_id": "coins-header"}})
    found = seen(part)
    assert found["coins-header"].endswith('FACES = ("penny", "dime")  # in order\nMORE = ()')
    assert list(found.values()).count(found["coins-header"]) == 1


def test_a_graded_cell_is_shown_after_the_limit_of_other_cells(seen, monkeypatch):
    monkeypatch.setattr(grader_view, "MAX_CELLS", 2)
    found = seen(before=[cell("x = 1")] * 3)
    assert "10 if" in found["coins-coin"]
    assert sum(text == "x = 1" for text in found.values()) == 2


def test_the_students_words_about_manual_points_are_shown(seen):
    words = cell("One job each.", "markdown", id="manual-design")
    rubric = seen(before=[words])["manual-design"]
    assert rubric.startswith("**Every class")
    words |= {"metadata": {"nbgrader": {"grade_id": "manual-design"}}}
    assert seen(words)["manual-design"] == f"{rubric}\n\nOne job each."
    whole = words | {"source": f"{rubric}One job each."}
    assert seen(whole)["manual-design"] == f"{rubric}\n\nOne job each."


@pytest.mark.parametrize(
    "odd",
    [
        cell("text", "markdown", metadata=None),
        cell("text", "markdown", metadata={"nbgrader": None}),
        cell("text", ["markdown"]),
        cell("text", "raw", id=7, source=7),
    ],
)
def test_invalid_cells_are_tolerated(seen, odd):
    assert "from dataclasses" in seen(odd)["coins-header"]


@pytest.mark.parametrize("line", ["x = " + "+".join("1" * 200_000), "x = " + "-" * 60000 + "1"])
def test_a_program_nested_too_deeply_to_divide_is_shown_in_one_cell(stage, tmp_path, line):
    text = stage.reference()["coins"] + line
    folder = put(tmp_path / "handed-in", {"coins.py": text})
    notebook = notebook_to_grade(stage, folder, read_submission(folder, "ada", stage))
    assert text in map(source_of, notebook.cells)
