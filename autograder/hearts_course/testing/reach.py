"""Which functions of the reference a test runs.

A program may differ from the reference only in functions that a test does not run. Then the test
need not run again.

A function is named by its file and first line, such as `cards.py:31`. Everything outside of
functions has one name, ON_IMPORT, because every test imports the program.
"""

import ast
from collections.abc import Mapping
from functools import lru_cache

from hearts_course.python_source import first_line, with_first_statements

ON_IMPORT = "on import"
# A test with one of these fixtures may depend on more than the calls that are noted: on other
# processes, on source texts, or on what other tests found.
UNSEEN = frozenset({"run", "start", "program_with", "source", "once"})
NOTES = "notes_of_calls"  # the module in which the program notes its calls
NOTES_TEXT = f"called = {{{ON_IMPORT!r}}}"


def noting_calls(modules: Mapping[str, str]) -> dict[str, str]:
    """Return the modules, changed so that each function notes its name in the module NOTES."""
    noting = {NOTES: NOTES_TEXT}
    for module, text in modules.items():
        note = f"{NOTES}.called.add('{module}.py:{{line}}')"
        noting[module] = with_first_statements(text, f"import {NOTES}", note)
    return noting


def changes(old_texts: Mapping[str, str], new_texts: Mapping[str, str]) -> frozenset[str]:
    """Return the functions of the old modules whose text is different in the new modules.

    If anything else differs, return only ON_IMPORT.
    """
    changed: set[str] = set()
    for module, old_text in old_texts.items():
        if old_text == new_texts[module]:
            continue
        old_outline, old_functions = _outline(old_text)
        new_outline, new_functions = _outline(new_texts[module])
        if old_outline != new_outline:
            return frozenset({ON_IMPORT})
        for (line, old_body), (_, new_body) in zip(old_functions, new_functions, strict=True):
            if old_body != new_body:
                changed.add(f"{module}.py:{line}")
    return frozenset(changed)


@lru_cache(maxsize=32)
def _outline(source: str) -> tuple[str, list[tuple[int, str]]]:
    """Return the syntax tree without the bodies of functions, and each function's line and text."""
    cut = _CutBodies(source)
    return ast.dump(cut.visit(ast.parse(source))), cut.functions


class _CutBodies(ast.NodeTransformer):
    """Replace each function's body by what a test can see without calling the function.

    A test can see the docstring, and whether the function has a `yield`.
    """

    def __init__(self, source: str) -> None:
        self._lines = source.split("\n")
        self.functions: list[tuple[int, str]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        line = first_line(node)
        text = "\n".join(self._lines[line - 1 : node.end_lineno])
        self.functions.append((line, text))
        seen = f"{text.count('yield')} {ast.get_docstring(node)}"
        node.body = [ast.Expr(ast.Constant(seen))]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef
