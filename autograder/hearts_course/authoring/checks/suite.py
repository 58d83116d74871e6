"""The suite as a text: every test belongs to a task and tells students what it is about."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.files import read_text

NEAR_EXAMPLE = re.compile(r"\n\s*\n\s*Try: \S")


@dataclass(frozen=True)
class _Test:
    where: str
    tasks: tuple[str, ...]
    docs: str


def marks(course: Course, stage: Stage) -> Iterator[str]:
    """Every test is marked with one task of the stage; every task has a visible test."""
    known = {task.id for task in stage.tasks}
    visible = [test for path in stage.visible_tests for test in _tests(path)]
    hidden = [test for path in stage.hidden_tests for test in _tests(path)]
    for test in (*visible, *hidden):
        if not test.tasks:
            yield f"{test.where}: no task; mark it with @pytest.mark.task(...)"
        for task in sorted(set(test.tasks) - known):
            yield f"{test.where}: {stage.name} has no task {task!r}; correct the mark"
    for task in sorted(known - {task for test in visible for task in test.tasks}):
        yield f"{stage.assignment}: no visible test of the task {task!r}; write one"


def topics(course: Course, stage: Stage) -> Iterator[str]:
    """Every test has a topic, its docstring's first line; every hidden one a near example."""
    for path in (*stage.visible_tests, *stage.hidden_tests):
        for test in _tests(path):
            if not test.docs.strip() or test.docs.lstrip().startswith("Try:"):
                yield f"{test.where}: no topic; begin its docstring with a sentence of the rules"
            elif path in stage.hidden_tests and not NEAR_EXAMPLE.search(test.docs):
                yield f"{test.where}: no near example; end its docstring with `Try: ...`"


def _tests(path: Path) -> Iterator[_Test]:
    tree = ast.parse(read_text(path), str(path))
    outer = tuple(
        task
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
        for task in _marked(node.value)
    )
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            tasks = tuple(task for mark in node.decorator_list for task in _marked(mark))
            where = f"{path}:{node.lineno}: {node.name}"
            yield _Test(where, tasks or outer, ast.get_docstring(node, clean=False) or "")


def _marked(node: ast.expr) -> Iterator[str]:
    """The tasks that `pytest.mark.task(...)` names in the expression."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.task":
            yield from (str(arg.value) for arg in call.args if isinstance(arg, ast.Constant))
