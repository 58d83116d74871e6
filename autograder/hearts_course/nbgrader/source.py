"""What lies in nbgrader's `source/`: a stage's notebook, solved, and the files that go with it.

    source_notebook   the notebook with the reference in its cells, and hidden tests in its checks
    hidden_by_task    the text of each hidden test, by the task that it belongs to
    handed_out        the files beside the notebook, as students get them

No file here but the notebook holds anything secret, because nbgrader copies every other file to
`release/` as it is. The hidden tests are there to be read: they run in the grader alone.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

from hearts_course.authoring.notebook import reference_notebook
from hearts_course.course import Stage
from hearts_course.files import read_text
from hearts_course.grading.final_scores import CHECK

BEGIN = "### BEGIN HIDDEN TESTS"
END = "### END HIDDEN TESTS"
ABOUT = "# The grader asks this, too, from {}; it never runs in a notebook."


def source_notebook(stage: Stage) -> Any:
    """The stage's notebook as an instructor has it, for nbformat; raises StageError."""
    notebook = reference_notebook(stage)
    hidden = hidden_by_task(stage)
    for cell in notebook.cells:
        task = cell.id.removeprefix(CHECK)
        if cell.id.startswith(CHECK) and task in hidden:
            cell.source = f"{_region(stage, hidden[task])}\n{cell.source}"
    return notebook


def hidden_by_task(stage: Stage) -> dict[str, list[str]]:
    """The text of every hidden test, by its task's id, in the order of the files."""
    found: dict[str, list[str]] = {}
    for path in stage.hidden_tests:
        for task, text in _tests(read_text(path)):
            found.setdefault(task, []).append(text)
    return found


def handed_out(stage: Stage) -> Iterator[tuple[str, str]]:
    """Name and text of the brief, the starter, the visible tests and the samples."""
    yield "README.md", read_text(stage.assignment / "README.md")
    for name in stage.files:
        yield name, read_text(stage.assignment / name)
    for path in (*stage.visible_tests, *stage.samples):
        yield path.name, read_text(path)


def _region(stage: Stage, tests: list[str]) -> str:
    """The tests as comments: what they need is not there in a notebook."""
    lines = "\n\n".join(tests).split("\n")
    about = ABOUT.format(f"autograder/{stage.name}")
    return "\n".join([BEGIN, about, *(f"# {line}".rstrip() for line in lines), END])


def _tests(source: str) -> Iterator[tuple[str, str]]:
    """Task and text of each test function, decorators and all."""
    lines = source.split("\n")
    body = ast.parse(source).body
    of_all = [_task(mark) for node in body if _is_mark(node) for mark in _marks(node.value)]
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            tasks = [*map(_task, node.decorator_list), *of_all]
            first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
            text = "\n".join(lines[first - 1 : node.end_lineno])
            yield next(filter(None, tasks), ""), text


def _is_mark(node: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"


def _marks(value: ast.expr) -> list[ast.expr]:
    """One mark, or those of a list."""
    return value.elts if isinstance(value, ast.List) else [value]


def _task(mark: ast.expr) -> str:
    """The id in `pytest.mark.task(...)`; "" for what is no such mark."""
    match mark:
        case ast.Call(func=ast.Attribute(attr="task"), args=[ast.Constant(value=str(task)), *_]):
            return task
    return ""


def write_source(stage: Stage, folder: Path) -> None:
    """Write notebook and files into the stage's folder of `source/`; raises CourseError."""
    from hearts_course.authoring.notebook import as_text
    from hearts_course.files import write_whole

    write_whole(folder / f"{stage.name}.ipynb", as_text(source_notebook(stage)))
    for name, text in handed_out(stage):
        write_whole(folder / name, text)
