"""A missing, retyped, copied or split cell costs at most its own task, and causes a remark.

The grader and the student's own check read the same program and say the same.
"""

import json
import time

import pytest
from hearts_course.course import Course, find_course
from hearts_course.files import read_json
from hearts_course.notebook import modules_from_notebook, read_notebook
from hearts_course.student.work import Form, find_work
from hearts_course.submissions.find import find_submissions
from hearts_grader.authoring.notebook import notebook_text, reference_notebook
from hearts_grader.grading.grade import GradeJob, grade_one
from student_course import student_course
from tiny_class import STAGE, put

MISSING = "{} is missing, so the starter's version was used"
RETYPED = "{} is not code any more, so the starter's version was used"
TWICE = "the cell of class Coin is there 2 times: the {} counts, delete the rest"
OWN = "your own cell with `{}` was taken "
PART = f"{OWN}as a part of the cell of class Purse: merge them in Jupyter"
WHOLE = f"{OWN}in place of the cell of class Purse, which is missing"
JOINED = "the parts of the cell of class Coin were joined in order; merge them in Jupyter"
OTHER = "class Coin:\n    def __init__(self, face):\n        self.face = face\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return student_course(tmp_path_factory.mktemp("tiny") / "course")


@pytest.fixture
def handed_in(course, tmp_path):
    """Return a function that submits cells, and returns the score and the grader's remark.

    It asserts that the student's own check makes the same remark.
    """

    def handed_in(cells):
        stage = course.stages[0]
        data = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        put(tmp_path / "class/ada" / STAGE, {f"{STAGE}.ipynb": json.dumps(data)})
        (path,) = find_submissions(tmp_path / "class", course).paths
        result = grade_one(GradeJob(stage, path, "none"))
        work = find_work(tmp_path / "class/ada" / STAGE, stage, Form.NOTEBOOK)
        remark = work.note.partition("; `")[0]  # the rest is advice about names, only for students
        assert result.message.partition(f"; {STAGE}.ipynb: ")[0] == remark
        return result.score, result.message

    return handed_in


@pytest.fixture
def cells(course: Course):
    return json.loads(notebook_text(reference_notebook(course.stages[0])))["cells"]


def index(cells, name):
    (number,) = (number for number, cell in enumerate(cells) if cell["id"] == name)
    return number


def own(source, **more):
    """Return a cell that a student has added. It has a new id, as a copied cell has in Jupyter."""
    return {"cell_type": "code", "id": "theirs", "metadata": {}, "source": source} | more


def as_text(cell):
    return {key: cell[key] for key in ("id", "metadata", "source")} | {"cell_type": "markdown"}


@pytest.mark.parametrize(
    ("name", "score", "title"),
    [
        ("coins-purse", 2, "the cell of class Purse"),
        ("coins-coin", 3, "the cell of class Coin"),
        ("coins-header", 6, "the first cell of coins"),
    ],
)
@pytest.mark.parametrize("retyped", [False, True])
def test_the_starter_stands_in_for_a_cell(handed_in, cells, name, score, title, retyped):
    at = index(cells, name)
    cells[at : at + 1] = [as_text(cells[at])] if retyped else []
    assert handed_in(cells) == (score, (RETYPED if retyped else MISSING).format(title))


def test_every_missing_cell_is_named(handed_in, cells):
    for name in ("coins-coin", "coins-purse"):
        del cells[index(cells, name)]
    both_missing = "the cell of class Coin and the cell of class Purse are missing"
    starter = f"{STAGE}.ipynb: still the starter as it was handed out"
    assert handed_in(cells) == (0, f"{both_missing}, so the starter's version was used; {starter}")


@pytest.mark.parametrize(
    ("copy", "is_above", "score", "remark"),
    [
        ("same", False, 6, ""),
        ("wrong", False, 4, TWICE.format("last")),
        ("wrong", True, 6, TWICE.format("last")),
        (OTHER, False, 6, TWICE.format("first")),
        ("starter", False, 6, TWICE.format("first")),
        (f"{OTHER}    def", False, 6, TWICE.format("first")),
        ("PENNY = 1", False, 6, JOINED),
    ],
)
def test_a_copied_cell_replaces_none_without_a_remark(
    course, handed_in, cells, copy, is_above, score, remark
):
    at = index(cells, "coins-coin")
    starter = json.loads(course.stages[0].notebook.read_text())["cells"]
    texts = {
        "same": (same := "".join(cells[at]["source"])),
        "wrong": same.replace("10 if", "5 if"),
        "starter": starter[index(starter, "coins-coin")]["source"],
    }
    cells.insert(at + (not is_above), cells[at] | {"id": "copy", "source": texts.get(copy, copy)})
    assert handed_in(cells) == (score, remark)


@pytest.mark.parametrize(
    ("places", "remark"),
    [
        (["\n\ndef richest"], PART.format("richest")),
        (["    def total"], PART.format("total")),
        (["    def add"], PART.format("add")),
        (["    def add", "    def total", "\n\ndef richest"], PART.format("add")),
        (["class Purse"], WHOLE.format("Purse")),
    ],
)
@pytest.mark.parametrize("later", [0, 3])
def test_a_split_cell_that_lost_its_mark_is_known_by_what_it_defines(
    handed_in, cells, places, remark, later
):
    at = index(cells, "coins-purse")
    source = "".join(cells[at]["source"])
    parts = []
    for place in reversed(places):
        source, last = source[: source.index(place)], source[source.index(place) :]
        parts.insert(0, own(last, id=f"part-{len(parts)}"))
    cells[at]["source"] = source.removesuffix("\n")
    if not source.strip():
        del cells[at]
    cells[at + 1 + later : at + 1 + later] = parts
    assert handed_in(cells) == (6, remark)


def test_a_first_cell_that_lost_its_mark_is_known_by_what_it_defines(handed_in, cells):
    at = index(cells, "coins-header")
    cells[at] = own(cells[at]["source"])
    taken = (
        "your own cell with `FACES` was taken in place of the first cell of coins, which is missing"
    )
    assert handed_in(cells) == (6, taken)


@pytest.mark.parametrize("later", [0, 4])
@pytest.mark.parametrize("scratch", [[], ["import random"], ["from enum import IntEnum, Enum"]])
def test_a_first_cell_that_lost_its_mark_is_known_by_what_it_imports(later, scratch):
    """A scratch cell that imports less than the starter's cell does not take its place."""
    stage = find_course().stages[0]
    full_notebook = reference_notebook(stage)
    modules, missing = modules_from_notebook(json.loads(notebook_text(full_notebook)), stage)
    data = json.loads(notebook_text(full_notebook))
    header = data["cells"].pop(index(data["cells"], "cards-header"))
    data["cells"].insert(index(data["cells"], "cards-card") + later, own(header["source"]))
    data["cells"] += [own(text, id=f"scratch-{n}") for n, text in enumerate(scratch)]
    contents = read_notebook(data, stage)
    assert (contents.modules, contents.missing, missing) == (modules, (), ())
    imports = next(line.strip() for line in header["source"] if line.startswith("from "))
    assert contents.notes == (
        f"your own cell with `{imports}` was taken in place of the first cell of cards, which is "
        "missing",
    )


@pytest.mark.parametrize(
    "scratch",
    [
        "class Purse:\n    pass\n\n\nprint(Purse())",
        "class Purse:\n    pass\n\n\nclass Coin:\n    pass",
        "purse = Purse()",
        "class Purse",
        "    def add(self, coin):\n        pass",
        "",
    ],
)
def test_a_cell_that_does_more_than_the_program_lacks_is_not_taken(handed_in, cells, scratch):
    cells[index(cells, "coins-purse")] = own(scratch)
    assert handed_in(cells) == (2, MISSING.format("the cell of class Purse"))


@pytest.mark.parametrize(
    "scratch", ["class Purse:\n    pass", "def richest(purses):\n    return None", "x = 1"]
)
def test_a_cell_with_what_the_program_has_does_not_matter(handed_in, cells, scratch):
    assert handed_in([*cells, own(scratch)]) == (6, "")


def test_of_two_cells_with_what_the_program_lacks_the_last_counts(handed_in, cells):
    at = index(cells, "coins-purse")
    good = own(cells[at]["source"])
    cells[at : at + 1] = [own("class Purse:\n    pass", id="first"), good]
    assert handed_in(cells) == (6, WHOLE.format("Purse"))


def test_copies_that_take_minutes_to_parse_cost_no_time(handed_in, cells):
    at = index(cells, "coins-coin")
    slow = f"class Coin:\n    import {'a.' * 40_000}a"
    copies = [cells[at] | {"id": f"copy-{number}", "source": slow} for number in range(20)]
    started = time.process_time()
    assert handed_in([*cells[: at + 1], *copies, *cells[at + 1 :]])[0] == 6
    assert time.process_time() - started < 10


def test_a_constant_that_was_taken_is_called_by_its_name():
    stage = find_course().stage("02-legal-moves")
    notebook = read_json(stage.notebook)
    lost = next(cell for cell in notebook["cells"] if cell["id"] == "legal-rule-books")
    notebook["cells"].remove(lost)
    notebook["cells"].append(own("UVA181 = Book()"))
    assert OWN.format("UVA181").strip() in "".join(read_notebook(notebook, stage).notes)
