"""The student notebook: order of the cells, metadata, same bytes every time, and solutions."""

import ast
import json

import nbformat
import pytest
from hearts_course.course import find_course
from hearts_course.errors import StageError
from hearts_course.notebook import modules_from_notebook, program_cells
from hearts_grader.authoring.build import stages_table
from hearts_grader.authoring.notebook import build_notebook, notebook_text, solve
from hearts_grader.authoring.starter import join, stage_cells, starter_cells
from nbgrader.nbgraderformat import MetadataValidator
from tiny_course import BRIEF, MANUAL_TOML, REFERENCE, STAGE_TOML, write_stage

FLAGS = {"schema_version": 3, "task": False, "grade": False, "locked": False, "solution": False}


@pytest.fixture
def stage(tmp_path):
    stage = write_stage(tmp_path)
    stage.notebook.write_text(notebook_text(build_notebook(stage)), encoding="utf-8")
    return stage


@pytest.fixture
def notebook(stage):
    return build_notebook(stage)


def test_a_cell_is_between_the_brief_and_the_check_of_its_first_task(notebook):
    assert [cell.id for cell in notebook.cells] == [
        *("brief-intro", "setup", "coins-header"),
        *("brief-worth", "coins-coin", "check-worth"),
        *("brief-purse", "coins-purse", "check-purse"),
        *("brief-total", "check-total", "brief-end"),
    ]


def test_a_contract_is_folded_and_pictures_are_in_the_notebook(tmp_path):
    words = "![A coin](../pictures/coin.svg)\n\nRead [the rules](../rules.md)."
    stage = write_stage(tmp_path, BRIEF=BRIEF.replace("A purse changes.", words))
    stage.assignment.with_name("pictures").mkdir()
    stage.assignment.with_name("pictures").joinpath("coin.svg").write_text("<svg/>")
    cells = {cell.id: cell.source for cell in build_notebook(stage).cells}
    assert cells["brief-purse"] == (
        "## Task 2: A purse (3 points)\n\n![A coin][pictures/coin.svg]\n\n"
        "Read [the rules](briefs/rules.md).\n\n<details>\n<summary><b>Exactly</b></summary>\n\n"
        "Write `Purse` and its `add`.\n\n</details>\n\n"
        "*You write this task in the cell of class Purse, which has other tasks too.*\n\n"
        "[pictures/coin.svg]: data:image/svg+xml;base64,PHN2Zy8+"
    )


def test_a_cell_to_try_stands_before_the_solution_and_is_no_part_of_the_program(tmp_path):
    stage = write_stage(tmp_path)
    for task, next_cell in (("purse", "coins-purse"), ("total", "check-total")):
        table = f"[[try_it]]\ntask = {task!r}\ncode = 'Coin(1) == Coin(1)'\n"
        (stage.assignment / "questions.toml").write_text(table)
        cells = build_notebook(stage).cells
        place = [cell.id for cell in cells].index(f"try-{task}")
        assert cells[place].source == "Coin(1) == Coin(1)"
        assert (cells[place - 1].id, cells[place + 1].id) == (f"brief-{task}", next_cell)
        assert "nbgrader" not in cells[place].metadata
    (stage.assignment / "questions.toml").write_text(table.replace("total", "totl"))
    with pytest.raises(StageError, match=r"questions.toml: .*did you mean total"):
        build_notebook(stage)


def test_two_cards_of_a_plain_class_are_seen_to_differ_before_equality_is_written():
    stage = find_course().stages[0]
    cells = {cell.id: cell.source for cell in nbformat.read(stage.notebook, as_version=4).cells}
    to_try = cells["try-make-a-card"]
    for card, equal in (("PlainCard(Suit", False), ("Card(Suit", True)):
        names = {}
        exec(stage.reference()["cards"], names)
        *steps, last = ast.parse(to_try.replace("PlainCard(Suit", card)).body
        exec(compile(ast.Module(steps, []), "cell", "exec"), names)
        assert eval(compile(ast.Expression(last.value), "cell", "eval"), names) is equal


def test_a_task_without_blanks_comes_last(tmp_path):
    toml = STAGE_TOML.replace('["Coin.worth"]', "[]")
    ids = [cell.id for cell in build_notebook(write_stage(tmp_path, STAGE_TOML=toml)).cells]
    assert ids[-3:] == ["brief-worth", "check-worth", "brief-end"]


def test_the_cells_hold_brief_starter_and_checks_but_no_answer(notebook):
    sources = {cell.id: cell.source for cell in notebook.cells}
    assert sources["setup"] == (
        "from hearts_course import catch, check, compare, explain, hint\n"
        "from hearts_course import predict, progress, reset, variant, work_on\n\n"
        'work_on("01-coins")'
    )
    assert sources["check-worth"] == 'check("worth")'
    assert sources["brief-purse"].startswith("## Task 2: A purse (3 points)\n")
    assert sources["coins-header"].startswith('"""Coins and')
    assert "raise NotImplementedError" in sources["coins-coin"]
    assert "10 if" not in notebook_text(notebook)
    assert "%%" not in notebook_text(notebook)


def test_the_introduction_lists_the_program_s_cells(notebook):
    (intro, *_) = notebook.cells
    assert "- `coins.py`: the first cell of coins, class Coin and class Purse\n" in intro.source
    assert intro.source.endswith("into one of the cells above.")


def test_tasks_that_share_a_cell_say_so(tmp_path):
    toml = STAGE_TOML.replace('["Purse.total", "richest"]', '["Purse.total"]')
    toml = toml.replace('["Coin.worth"]', '["richest"]')
    built = build_notebook(write_stage(tmp_path, STAGE_TOML=toml))
    cells = {cell.id: cell.source for cell in built.cells}
    sentence = "*You write this task in the cell of class Purse, which has other tasks too.*"
    texts = ("brief-worth", "brief-purse", "brief-total")
    assert [cells[name].endswith(sentence) for name in texts] == [True] * 3


def test_nbgrader_accepts_every_cell_and_students_can_edit_the_solutions_only(notebook):
    code = {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}
    for cell in notebook.cells:
        assert ("nbgrader" in cell.metadata) == (cell.id in code)
        MetadataValidator().validate_cell(cell)
    for name, flags in {
        "setup": {"locked": True},
        "coins-coin": {"solution": True},
        "check-purse": {"grade": True, "locked": True, "points": 3},
    }.items():
        assert code[name].metadata.nbgrader == FLAGS | {"grade_id": name} | flags
    editable = [name for name, cell in code.items() if cell.metadata.get("editable", True)]
    assert editable == ["coins-header", "coins-coin", "coins-purse"]


def test_the_file_is_a_valid_notebook_and_the_same_every_time(stage):
    text = notebook_text(build_notebook(stage))
    assert text == notebook_text(build_notebook(stage))
    assert text.endswith("}\n")
    data = json.loads(text)
    assert (data["nbformat"], data["nbformat_minor"]) == (4, 5)
    assert data["metadata"]["kernelspec"]["name"] == "python3"
    nbformat.validate(nbformat.reads(text, as_version=4))


def test_the_unsolved_notebook_holds_the_starter(stage, notebook):
    modules, missing = modules_from_notebook(json.loads(notebook_text(notebook)), stage)
    assert modules == join(starter_cells(stage))
    assert missing == ()
    assert [*program_cells(stage)] == ["coins-header", "coins-coin", "coins-purse"]


def test_the_solved_notebook_holds_the_reference_cell_by_cell(stage, notebook):
    solved = solve(notebook, {"coins": REFERENCE})
    modules, missing = modules_from_notebook(solved, stage)
    assert modules["coins"] == REFERENCE.replace("# %% coin\n", "").replace("# %% purse\n", "")
    assert missing == ()
    assert [cell.id for cell in solved.cells] == [cell.id for cell in notebook.cells]
    assert "class Purse" not in {c.id: c.source for c in solved.cells}["coins-coin"]
    assert "raise NotImplementedError" in notebook_text(notebook), "the original is unchanged"


def test_a_module_with_other_cells_goes_into_the_first_cell(stage, notebook):
    solved = solve(notebook, {"coins": "# %% mine\nx = 1\n# %% yours\ny = 2\n"})
    assert modules_from_notebook(solved, stage) == ({"coins": "x = 1\n\n\ny = 2\n"}, ())


def test_the_script_stays_in_the_file_and_comes_back_with_it(tmp_path):
    script = '# %% script\nif __name__ == "__main__":\n    print(Coin("dime").worth)\n'
    stage = write_stage(tmp_path, REFERENCE=f"{REFERENCE}\n\n{script}")
    notebook = build_notebook(stage)
    assert "__main__" not in "".join(cell.source for cell in notebook.cells)
    stage.notebook.write_text(notebook_text(notebook), encoding="utf-8")
    solved = json.loads(notebook_text(solve(notebook, stage.reference())))
    modules, missing = modules_from_notebook(solved, stage)
    assert missing == ()
    (program,) = modules.values()
    assert program.endswith(script.removeprefix("# %% script\n"))
    assert program.replace("\n", "") == join(stage_cells(stage, stage.reference()))[
        "coins"
    ].replace("\n", "")


def test_manual_points_have_a_cell_at_the_end(tmp_path):
    stage = write_stage(tmp_path, STAGE_TOML=MANUAL_TOML)
    cell = build_notebook(stage).cells[-1]
    assert "- 4 points: all have\n- 3 points: one lacks\n" in cell.source
    assert (cell.cell_type, cell.id) == ("markdown", "manual-design")
    flags = {"grade_id": "manual-design", "grade": True, "solution": True, "points": 4}
    assert cell.metadata.nbgrader == FLAGS | flags
    stage.notebook.write_text(notebook_text(build_notebook(stage)), encoding="utf-8")
    assert "manual-design" not in program_cells(stage)
    assert "| 6 + 4 by hand |" in stages_table([stage])
