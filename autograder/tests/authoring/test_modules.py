"""A student's notebook becomes modules: which cells count, are missing, or are refused."""

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


TITLES = {
    "coins-header": "the first cell of coins",
    "coins-coin": "the cell of class Coin",
    "coins-purse": "the cell of class Purse",
}


@pytest.fixture
def notebook():
    return copy.deepcopy(NOTEBOOK)


def test_the_program_cells_are_read_from_the_courses_notebook(stage):
    assert program_cells(stage) == TITLES


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


SCRATCH = cell("1 / 0 ) syntax", cell_id="x1")
ODD_ID = {"cell_type": "code", "id": ["coins-coin"], "source": "x"}
ODD_GRADE_ID = {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": {}}}, "source": "x"}
UNKNOWN = {"metadata": {"nbgrader": {"grade_id": "mine"}}}
HARMLESS = {
    "another order": lambda cells: cells.reverse(),
    "a scratch cell": lambda cells: cells.insert(4, SCRATCH),
    "a lost grade_id": lambda cells: cells[3].update(metadata={}),
    "lost metadata of nbgrader": lambda cells: cells[3].update(metadata={"nbgrader": {}}),
    "an unknown grade_id": lambda cells: cells[3].update(UNKNOWN),
    "a cell id twice": lambda cells: cells.append(cell("wrong", cell_id="coins-coin")),
    "an odd type": lambda cells: cells.append({"cell_type": ["code"], "source": "x"}),
    "an odd id": lambda cells: cells.append(ODD_ID),
    "an odd grade_id": lambda cells: cells.append(ODD_GRADE_ID),
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_a_change_that_does_not_matter(stage, notebook, change):
    change(notebook["cells"])
    assert modules_from_notebook(notebook, stage) == modules_from_notebook(NOTEBOOK, stage)


GUARD = 'if __name__ == "__main__":\n    main()'


@pytest.mark.parametrize(
    ("last", "end"),
    [("pass", f"pass\n\n\n{GUARD}\n"), (f"pass\n{GUARD}  # mine", f"pass\n{GUARD}  # mine\n")],
)
def test_a_program_starts_once(stage, notebook, last, end):
    """The lines that start the program are added, unless a student pasted them with the file."""
    notebook_with_script = NOTEBOOK | {"metadata": {"hearts": {"scripts": {"coins": GUARD}}}}
    stage.notebook.write_text(json.dumps(notebook_with_script))
    notebook["cells"][-1]["source"] = last
    assert modules_from_notebook(notebook, stage)[0]["coins"].endswith(f"    pass\n\n\n{end}")


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        (lambda cells: cells.pop(3), ["coins-coin"]),
        (lambda cells: cells[3].update(cell_type="markdown"), ["coins-coin"]),
        (lambda cells: cells[3].update(id="coins-purse") or cells.pop(5), ["coins-purse"]),
        (lambda cells: cells.clear(), ["coins-header", "coins-coin", "coins-purse"]),
    ],
)
def test_missing_cells_are_named(stage, notebook, change, missing):
    change(notebook["cells"])
    modules, named = modules_from_notebook(notebook, stage)
    assert named == tuple(TITLES[name] for name in missing)
    assert ("coins" in modules) == (len(missing) < 3)


def test_the_last_of_two_cells_with_one_grade_id_counts(stage, notebook):
    notebook["cells"].append(cell("class Coin:\n    face = 1", "coins-coin", cell_id="x1"))
    assert "face = 1" in modules_from_notebook(notebook, stage)[0]["coins"]


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
def test_what_is_not_a_notebook_is_refused_in_one_line(stage, broken):
    with pytest.raises(ValueError, match=r"^[^\n]{10,}$"):
        modules_from_notebook(broken, stage)


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


def reading_seconds(text):
    """Return how many seconds of processor time it takes to read a cell with this text."""
    began = time.process_time()
    plain_python(f"{text}\n!ls")
    return time.process_time() - began


@pytest.mark.parametrize(
    ("text", "times"),
    [(" ", 10**6), ("a ", 10**6), ("a=", 10**5), ("(", 10**5), ("-", 10**5)],
)
def test_a_cell_made_to_be_slow_is_not(text, times):
    """Ten times the text takes about ten times as long to read, and not a hundred times as long."""
    tenth = max(reading_seconds(text * (times // 10)), 0.001)
    assert reading_seconds(text * times) < 40 * tenth


def test_cells_are_joined_by_two_blank_lines():
    assert join_cells(["a\n\n", "", "\nb"]) == "a\n\n\nb\n"
