"""Excerpts of a student's program, even of invalid Python, with the student's line numbers."""

import ast
import json
import time

import pytest
from hearts_course.course import find_course
from hearts_course.python_source import definition_spans
from hearts_course.reports.source_excerpt import MAX_LINES, Excerpt, Excerpts
from hearts_course.results import SourcePosition
from hearts_course.submissions.model import Submission
from hearts_course.submissions.read import read_submission
from tiny_class import STAGE, full_notebook, put

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


def excerpt(stage, task, *raised, **modules):
    submission = Submission("ada", STAGE, modules)
    return Excerpts(submission, stage).of_task(stage.task(task), raised)


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
    spans = [(d.name, d.first, d.last) for d in definition_spans(source)]
    assert spans == list(nodes(ast.parse(source).body))


def test_definitions_are_found_in_a_program_that_python_cannot_read():
    assert [(d.name, d.first, d.last) for d in definition_spans(PURSE)] == [
        ("Purse", 1, 18),
        ("Purse.add", 8, 16),
        ("Purse.total", 18, 18),
        ("richest", 21, 21),
    ]


@pytest.mark.parametrize("text", ['"""' * 40_000, "'\\" * 60_000, "@" * 100_000, "(" * 100_000])
def test_no_text_takes_long_to_search(text):
    start = time.process_time()
    definition_spans(text)
    assert time.process_time() - start < 1


def test_a_task_shows_its_own_definitions_without_those_of_other_tasks(stage):
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


def test_a_definition_under_another_name_is_not_called_missing(stage):
    assert excerpt(stage, "total", coins="richest = max\n") == Excerpt()


def test_a_line_that_raised_is_marked_and_shown_with_those_around_it(stage):
    helper = "\n\n\ndef helper():\n    a = 1\n    return 1 / 0\n\n\nz = 2\n"
    nowhere = SourcePosition("coins.py", 999_999_999)
    raised = SourcePosition("coins.py", 27)
    (passage,) = excerpt(stage, "total", raised, nowhere, coins=PURSE + helper).passages
    assert [line.number for line in passage.lines if line.marked] == [27]
    assert [line.number for line in passage.lines][-4:] == [26, 27, 28, 29]


def test_long_programs_and_long_lines_are_cut(stage):
    body = "".join(f"    x{i} = {i:0300}\n" for i in range(200))
    cut_source = excerpt(stage, "total", coins=f"def richest():\n{body}")
    assert len(cut_source.passages[0].lines) == MAX_LINES
    assert cut_source.remarks[0] == f"{201 - MAX_LINES} more lines left out."
    assert max(len(line.text) for line in cut_source.passages[0].lines) <= 201


def test_a_notebook_shows_its_cells_with_lines_as_they_are_counted_there(stage, tmp_path):
    data = json.loads(full_notebook())
    data["cells"][2]["source"] = "\n\n" + data["cells"][2]["source"]
    folder = put(tmp_path / "class", {f"{STAGE}.ipynb": json.dumps(data)})
    submission = read_submission(folder, "ada", stage)
    (passage,) = Excerpts(submission, stage).of_task(stage.task("total"), []).passages
    assert passage.place == "the cell of class Purse"  # named after the student's text
    cell = data["cells"][2]["source"].split("\n")
    lines = [line for line in passage.lines if line.number]
    assert [cell[line.number - 1] for line in lines] == [line.text for line in lines]
    assert "    def total(self) -> int:" in cell
