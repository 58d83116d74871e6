"""From a student's notebook to modules: what counts, what is missing, what is refused."""

import copy
import json
import time

import pytest
from hearts_course.errors import StageError
from hearts_course.notebook import join_cells, modules_from_notebook, plain_python, program_cells
from tiny_course import write_stage


def cell(source, grade_id=None, kind="code", cell_id=None, **flags):
    nbgrader = {"grade_id": grade_id, "solution": True, **flags} if grade_id else {}
    metadata = {"nbgrader": nbgrader} if nbgrader else {}
    return {"cell_type": kind, "id": cell_id or grade_id, "metadata": metadata, "source": source}


NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        cell("# Coins", kind="markdown", cell_id="brief-intro"),
        cell("from hearts_course import check", "setup", solution=False, locked=True),
        cell("import math", "coins-header"),
        cell(["class Coin:\n", "    pass"], "coins-coin"),
        cell('check("worth")', "check-worth", solution=False, grade=True),
        cell("class Purse:\n    pass\n", "coins-purse"),
    ],
}


@pytest.fixture
def stage(tmp_path):
    stage = write_stage(tmp_path)
    stage.notebook.write_text(json.dumps(NOTEBOOK))
    return stage


@pytest.fixture
def notebook():
    return copy.deepcopy(NOTEBOOK)


def test_the_program_cells_are_read_from_the_courses_notebook(stage):
    assert program_cells(stage) == ("coins-header", "coins-coin", "coins-purse")


def test_a_missing_course_notebook_is_a_fault(stage):
    stage.notebook.unlink()
    with pytest.raises(StageError, match="hearts build"):
        program_cells(stage)


def test_program_cells_become_the_module(stage, notebook):
    modules, missing = modules_from_notebook(notebook, stage)
    assert modules == {
        "coins": "import math\n\n\nclass Coin:\n    pass\n\n\nclass Purse:\n    pass\n"
    }
    assert missing == ()


def test_scratch_cells_do_not_count(stage, notebook):
    notebook["cells"].insert(4, cell("1 / 0 ) syntax", cell_id="x1"))
    assert modules_from_notebook(notebook, stage) == modules_from_notebook(NOTEBOOK, stage)


def test_cells_are_joined_in_the_courses_order(stage, notebook):
    notebook["cells"].reverse()
    assert modules_from_notebook(notebook, stage) == modules_from_notebook(NOTEBOOK, stage)


GUARD = 'if __name__ == "__main__":\n    main()'


@pytest.mark.parametrize(
    ("last", "end"),
    [("pass", f"pass\n\n\n{GUARD}\n"), (f"pass\n{GUARD}  # mine", f"pass\n{GUARD}  # mine\n")],
)
def test_a_program_starts_once(stage, notebook, last, end):
    """A student may have pasted the whole file, with the lines that start it."""
    own = NOTEBOOK | {"metadata": {"hearts": {"scripts": {"coins": GUARD}}}}
    stage.notebook.write_text(json.dumps(own))
    notebook["cells"][-1]["source"] = last
    assert modules_from_notebook(notebook, stage)[0]["coins"].endswith(f"    pass\n\n\n{end}")


def test_a_missing_cell_is_named(stage, notebook):
    del notebook["cells"][3]
    modules, missing = modules_from_notebook(notebook, stage)
    assert missing == ("coins-coin",)
    assert "Purse" in modules["coins"]


def test_a_notebook_without_any_of_them_has_no_module(stage):
    assert modules_from_notebook({"cells": []}, stage) == (
        {},
        ("coins-header", "coins-coin", "coins-purse"),
    )


@pytest.mark.parametrize("metadata", [{}, {"nbgrader": {}}, {"nbgrader": {"grade_id": "mine"}}])
def test_a_cell_that_lost_its_grade_id_is_known_by_its_cell_id(stage, notebook, metadata):
    notebook["cells"][3]["metadata"] = metadata
    assert modules_from_notebook(notebook, stage) == modules_from_notebook(NOTEBOOK, stage)


def test_a_cell_id_does_not_stand_in_for_a_cell_with_another_grade_id(stage, notebook):
    notebook["cells"][3]["id"] = "coins-purse"
    del notebook["cells"][5]
    assert modules_from_notebook(notebook, stage)[1] == ("coins-purse",)


def test_a_grade_id_outranks_a_cell_id(stage, notebook):
    notebook["cells"].append(cell("wrong", cell_id="coins-coin"))
    assert modules_from_notebook(notebook, stage) == modules_from_notebook(NOTEBOOK, stage)


def test_the_last_of_two_cells_with_one_grade_id_counts(stage, notebook):
    notebook["cells"].append(cell("class Coin:\n    face = 1", "coins-coin", cell_id="x1"))
    assert "face = 1" in modules_from_notebook(notebook, stage)[0]["coins"]


def test_a_program_cell_turned_into_prose_is_missing(stage, notebook):
    notebook["cells"][3]["cell_type"] = "markdown"
    assert modules_from_notebook(notebook, stage)[1] == ("coins-coin",)


@pytest.mark.parametrize(
    "broken",
    [
        None,
        7,
        [],
        "text",
        {},
        {"cells": None},
        {"cells": {}},
        {"worksheets": []},
        {"cells": [None]},
        {"cells": [[]]},
        {"cells": [{"cell_type": "code", "metadata": []}]},
        {"cells": [{"cell_type": "code", "metadata": {"nbgrader": 3}}]},
        {"cells": [{"cell_type": "code", "source": 3}]},
        {"cells": [{"cell_type": "code", "source": ["x", None]}]},
        {"cells": [{"cell_type": "code", "source": {"x": 1}}]},
        {"cells": [{"cell_type": "code", "source": "'\ud800'"}]},
    ],
)
def test_what_is_no_notebook_is_refused_in_one_line(stage, broken):
    with pytest.raises(ValueError, match=r"^[^\n]{10,}$"):
        modules_from_notebook(broken, stage)


@pytest.mark.parametrize(
    "odd",
    [
        {"cell_type": ["code"], "source": "x"},
        {"cell_type": "code", "id": ["coins-coin"], "source": "x"},
        {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": {}}}, "source": "x"},
    ],
)
def test_an_odd_scratch_cell_does_no_harm(stage, notebook, odd):
    notebook["cells"].append(odd)
    assert modules_from_notebook(notebook, stage) == modules_from_notebook(NOTEBOOK, stage)


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("%timeit f()", "pass  # %timeit f()"),
        ("%%time", "pass  # %%time"),
        ("!ls", "pass  # !ls"),
        ("?len", "pass  # ?len"),
        ("len?", "pass  # len?"),
        ("a.b??", "pass  # a.b??"),
        ("files = !ls", "pass  # files = !ls"),
        ("if x:\n    %time f()", "if x:\n    pass  # %time f()"),
        ("x = 7 \\\n% 3", "x = 7 \\\n% 3"),
        ('"""\n!important\n"""', '"""\n!important\n"""'),
        ("x != y", "x != y"),
        ("x = (", "x = ("),
        ("%timeit f()\nx = (", "pass  # %timeit f()\nx = ("),
        ("!ls\n'\\d'", "pass  # !ls\n'\\d'"),
        ("!ls\0", "pass  # !ls\0"),
    ],
)
def test_ipythons_own_lines_become_comments(line, plain):
    assert plain_python(line) == plain
    assert plain.count("\n") == line.count("\n")


@pytest.mark.parametrize(
    "text", [" " * 10**6, "a " * 10**6, "a=" * 10**5, "(" * 10**5, "-" * 10**5]
)
def test_a_cell_made_to_be_slow_is_not(text):
    began = time.perf_counter()
    plain_python(f"{text}\n!ls")
    assert time.perf_counter() - began < 2


def test_cells_are_joined_by_two_blank_lines():
    assert join_cells(["a\n\n", "", "\nb"]) == "a\n\n\nb\n"
