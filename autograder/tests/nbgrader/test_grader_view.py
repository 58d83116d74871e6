"""A person grades in a notebook, which must show the program that the autograder graded."""

import html
import json

import pytest
from hearts_course.submissions.read import read_submission
from hearts_course.text import fenced
from hearts_grader.authoring.notebook import notebook_text, reference_notebook
from hearts_grader.nbgrader import grader_view
from hearts_grader.nbgrader.grader_view import notebook_to_grade
from hearts_grader.nbgrader.hooks import FeedbackPage
from markup import MARKDOWN, NO_PICTURE, live_markup, submission_with_markup
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_markdown_cell, new_notebook
from nbgrader_courses import built_course, source_of
from tiny_class import STAGE, put
from tiny_course import MANUAL_TOML


@pytest.fixture
def stage(tmp_path):
    return built_course(tmp_path / "course", STAGE_TOML=MANUAL_TOML).stages[0]


@pytest.fixture
def seen(stage, tmp_path):
    """Return a function that submits a notebook, and returns what the grader sees.

    The notebook is the solved notebook without the cell whose id is `without`. The cells `before`
    are added in front, and `others` at the end. What the grader sees is a dict of texts by cell id.
    """

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
    shown_cells = seen(part)
    assert shown_cells["coins-header"].endswith('FACES = ("penny", "dime")  # in order\nMORE = ()')
    assert list(shown_cells.values()).count(shown_cells["coins-header"]) == 1


def test_a_graded_cell_is_shown_after_the_limit_of_other_cells(seen):
    shown_cells = seen(before=[cell("x = 1")] * (grader_view.MAX_CELLS + 1))
    assert "10 if" in shown_cells["coins-coin"]
    assert sum(text == "x = 1" for text in shown_cells.values()) == grader_view.MAX_CELLS


def test_the_students_words_about_manual_points_are_shown(seen):
    words = cell("One job each.", "markdown", id="manual-design")
    rubric = seen(before=[words])["manual-design"]
    assert rubric.startswith("**Every class")
    words |= {"metadata": {"nbgrader": {"grade_id": "manual-design"}}}
    shown = f"{rubric}\n\n{fenced('One job each.')}"
    assert seen(words)["manual-design"] == shown
    answered_cell = words | {"source": f"{rubric}One job each."}
    assert seen(answered_cell)["manual-design"] == shown


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


def page_of(notebook):
    """Return formgrader's page for the notebook, without the fields for points."""
    page, _ = HTMLExporter(template_name="classic").from_notebook_node(notebook)
    return page


@pytest.mark.parametrize("text", MARKDOWN.values(), ids=MARKDOWN)
def test_markup_runs_as_markdown_and_not_as_text(text):
    plain, shown = (new_notebook(cells=[new_markdown_cell(t)]) for t in (text, fenced(text)))
    assert live_markup(page_of(plain))
    assert not live_markup(page_of(shown))


def test_all_that_a_student_wrote_is_shown_as_text(stage, tmp_path):
    folder = put(tmp_path / "handed-in", submission_with_markup(stage))
    submission = read_submission(folder, "ada", stage)
    notebook = notebook_to_grade(stage, folder, submission)
    page = page_of(notebook)
    assert not live_markup(page)
    for text in (MARKDOWN["html"], MARKDOWN["table"], NO_PICTURE):
        # The text is in a cell, in the manual task, and in the answers.
        assert html.unescape(page).count(text) == 3


def test_graders_see_the_model_answer_to_the_question_that_was_asked(stage, tmp_path):
    """A student's page hides the model answer, although it is made from the same notebook."""
    questions = "# For discussion\n\n## Why a purse?\n\nSay.\n\n## Why a coin?\n\nSay.\n"
    (stage.assignment / "discuss.md").write_text(questions, encoding="utf-8")
    answers = "# Model\n\n## Why a purse?\n\nIt holds.\n\n## Why a coin?\n\nIt is worth.\n"
    (stage.autograder / "model-answers.md").write_text(answers, encoding="utf-8")
    written = f"## {STAGE}\n\n### Why a coin?\n\nSay.\n\nMine.\n"
    files = {"coins.py": stage.reference()["coins"], "answers.md": written}
    folder = put(tmp_path / "handed-in", files)
    notebook = notebook_to_grade(stage, folder, read_submission(folder, "ada", stage))
    *_, theirs, model = map(source_of, notebook.cells)
    assert "Mine." in theirs
    assert "It is worth." in model
    assert "It holds." not in model
    page, _ = FeedbackPage(template_name="classic").from_notebook_node(notebook)
    assert "Mine." in page
    assert "It is worth." not in page


def test_the_course_s_own_words_stay_markdown(seen):
    texts = seen(cell("# Mine", "markdown"), cell("", "markdown")).values()
    assert "## Task 1: What a coin is worth (2 points)" in "".join(texts)
    assert [text for text in texts if text.startswith("```")] == [fenced("# Mine")]


def test_the_cells_that_were_graded_are_shown_for_missing_and_unmarked_ones(seen, stage):
    missing = seen(without="coins-coin")
    assert "raise NotImplementedError" in missing["coins-coin"]
    unmarked = seen(
        cell(stage.reference()["coins"].partition("# %% purse\n")[2]), without="coins-purse"
    )
    assert "def total" in unmarked["coins-purse"]
    assert sum("def total" in text and "check(" not in text for text in unmarked.values()) == 1
