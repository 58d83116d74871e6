"""A student's own lines: found without parsing them, numbered as the student counts."""

import ast
import json
import time

import pytest
from hearts_course.course import find_course
from hearts_course.reports.definitions import outline
from hearts_course.reports.source_excerpt import MAX_LINES, Extracts
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_submission
from tiny_class import STAGE, course_with_starter, full_notebook, put
from tiny_course import REFERENCE

REFERENCES = [path for stage in find_course().stages for path in stage.solution.glob("*.py")]
PURSE = '''\
class Purse:
    """What is carried.

def not_one(self):
    """

    # a comment
    @staticmethod
    @wrap(
        1,
    )
    def add(
        coin,
    ):
        return """
out here"""

    def total(self): return 1


async def richest(purses
'''


@pytest.fixture
def stage(tmp_path):
    return course_with_starter(tmp_path / "course").stages[0]


def excerpt(stage, task, *messages, **modules):
    submission = Submission("ada", STAGE, modules)
    return Extracts(submission, stage).of_task(stage.task(task), messages)


def shown(passage):
    return [(line.number, line.text) for line in passage.lines]


def nodes(body, outer=""):
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            yield f"{outer}{node.name}", first, node.end_lineno
            yield from nodes(node.body, f"{outer}{node.name}.")


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: path.stem)
def test_definitions_are_found_where_python_finds_them(path):
    source = path.read_text(encoding="utf-8")
    found = [(d.name, d.first, d.last) for d in outline(source)]
    assert found == list(nodes(ast.parse(source).body))


def test_definitions_are_found_in_what_python_cannot_read():
    assert [(d.name, d.first, d.last) for d in outline(PURSE)] == [
        ("Purse", 1, 18),
        ("Purse.add", 8, 16),
        ("Purse.total", 18, 18),
        ("richest", 21, 21),
    ]


@pytest.mark.parametrize("text", ['"""' * 40_000, "'\\" * 60_000, "@" * 100_000, "(" * 100_000])
def test_no_text_takes_long(text):
    start = time.process_time()
    outline(text)
    assert time.process_time() - start < 1


def test_a_task_shows_what_it_names_and_leaves_out_what_others_name(stage):
    purse = excerpt(stage, "purse", coins=PURSE)
    (passage,) = purse.passages
    assert (passage.place, passage.span) == ("coins.py", "lines 1 to 16")
    assert (18, "    def total(self): return 1") not in shown(passage)
    total = excerpt(stage, "total", coins=PURSE)
    assert shown(total.passages[0]) == [
        (1, "class Purse:"),
        (0, "⋮"),
        (18, "    def total(self): return 1"),
        (19, ""),
        (20, ""),
        (21, "async def richest(purses"),
    ]


def test_what_is_not_there_is_named(stage):
    assert excerpt(stage, "total", coins="x = 1\n").missing == ("Purse.total", "richest")
    assert excerpt(stage, "total") == Extracts(Submission("a", STAGE), stage).of_verdict("x")


def test_the_line_that_raised_is_marked_wherever_it_is(stage):
    helper = "\n\n\ndef helper():\n    a = 1\n    return 1 / 0\n\n\nz = 2\n"
    message = "total()\n  raised       ZeroDivisionError\n  in           coins.py, line 27: return"
    (passage,) = excerpt(stage, "total", message, coins=PURSE + helper).passages
    marked = [line.number for line in passage.lines if line.concerned]
    assert marked == [27]
    assert [line.number for line in passage.lines][-4:] == [26, 27, 28, 29]
    far = message.replace("27", "99999999999999999")
    assert not [
        line
        for line in excerpt(stage, "total", far, coins=PURSE).passages[0].lines
        if line.concerned
    ]


def test_the_line_of_a_verdict_is_shown_with_those_around_it(stage):
    extracts = Extracts(Submission("ada", STAGE, {"coins": PURSE}), stage)
    (passage,) = extracts.of_verdict("coins.py, line 21 (async def): cannot read this").passages
    assert [(line.number, line.concerned) for line in passage.lines] == [
        (19, False),
        (20, False),
        (21, True),
        (22, False),
    ]


def test_long_programs_and_long_lines_are_cut(stage):
    body = "".join(f"    x{i} = {i:0300}\n" for i in range(200))
    found = excerpt(stage, "total", coins=f"def richest():\n{body}")
    assert len(found.passages[0].lines) == MAX_LINES
    assert found.left_out == 201 - MAX_LINES
    assert max(len(line.text) for line in found.passages[0].lines) <= 201


def test_a_notebook_shows_its_cells_with_lines_as_they_are_counted_there(stage, tmp_path):
    data = json.loads(full_notebook())
    data["cells"][2]["source"] = "\n\n" + data["cells"][2]["source"]
    folder = put(tmp_path / "class", {f"{STAGE}.ipynb": json.dumps(data)})
    submission = read_submission(folder, "ada", stage)
    (passage,) = Extracts(submission, stage).of_task(stage.task("total"), []).passages
    assert passage.place == "cell coins-purse"
    cell = data["cells"][2]["source"].split("\n")
    lines = [line for line in passage.lines if line.number]
    assert [cell[line.number - 1] for line in lines] == [line.text for line in lines]
    assert "    def total(self) -> int:" in cell
    assert REFERENCE.count("def total") == 1
