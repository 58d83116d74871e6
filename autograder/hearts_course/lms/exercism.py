"""Exercism's `results.json`, version 3, as a test runner writes it.

exercism   the document of a result
"""

import ast
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hearts_course.course import Stage
from hearts_course.files import read_text
from hearts_course.lms.topic_lines import TopicResult, lines_of, verdict
from hearts_course.results import Result, Status

VERSION = 3
MOST_MESSAGE = 65_535


def exercism(result: Result, stage: Stage) -> str:
    """The document: a test for each topic, with the code of those that students see."""
    if result.status is not Status.GRADED:
        return _text({"status": "error", "message": verdict(result, stage)[:MOST_MESSAGE]})
    lines = tuple(lines_of(result))
    if not any(line.reached for line in lines):
        return _text({"status": "error", "message": verdict(result, stage)[:MOST_MESSAGE]})
    status = "pass" if all(line.passed for line in lines) else "fail"
    code = _code(stage.visible_tests)
    return _text({"status": status, "tests": [_test(line, code) for line in lines]})


def _text(data: dict[str, Any]) -> str:
    return json.dumps({"version": VERSION, **data}, indent=1, ensure_ascii=False) + "\n"


def _test(line: TopicResult, code: Mapping[str, str]) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": f"{line.number} {line.topic}",
        "status": "pass" if line.passed else "fail",
        "task_id": line.task_number,
    }
    if not line.passed:
        test["message"] = (line.output or "this was not reached")[:MOST_MESSAGE]
    if not line.hidden:
        functions = dict.fromkeys(name.split("::")[-1].partition("[")[0] for name in line.tests)
        test["test_code"] = "\n\n".join(code[name] for name in functions if name in code)
    return test


@cache
def _code(files: tuple[Path, ...]) -> dict[str, str]:
    """The body of each test that students see, by its name."""
    found: dict[str, str] = {}
    for path in files:
        text = read_text(path)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found[node.name] = ast.get_source_segment(text, node) or ""
    return found
