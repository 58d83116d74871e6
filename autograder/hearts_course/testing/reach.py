"""Which functions of the reference a test runs: where only others change, it need not run again.

A function is named by its file and first line, such as `cards.py:31`. Everything outside of
functions has one name, ON_IMPORT, because every test imports the program.
"""

import ast
from collections.abc import Mapping
from functools import lru_cache

ON_IMPORT = "on import"
# What a test with these may see cannot be noted: other processes, texts, what other tests found.
UNSEEN = frozenset({"run", "start", "program_with", "source", "once"})
NOTES = "notes_of_calls"  # a module that is imported before all others
NOTES_TEXT = f"""
import sys

called = {{{ON_IMPORT!r}}}

def note(frame, event, argument):
    if event == "call":
        code = frame.f_code
        called.add(f"{{code.co_filename}}:{{code.co_firstlineno}}")

def taken():
    return {{name for name in set(called) if "/" not in name}}

sys.setprofile(note)
"""


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> frozenset[str]:
    """Return the functions of the modules `before` that have another text in those `after`."""
    found: set[str] = set()
    for name in before:
        if before[name] != after[name]:
            (rest, functions) = _outline(before[name])
            (other_rest, others) = _outline(after[name])
            if rest != other_rest:
                return frozenset({ON_IMPORT})
            pairs = zip(functions, others, strict=True)
            found.update(f"{name}.py:{line}" for (line, text), other in pairs if text != other[1])
    return frozenset(found)


@lru_cache(maxsize=32)
def _outline(source: str) -> tuple[str, list[tuple[int, str]]]:
    """Return the tree without the bodies of functions, and each function's line and text."""
    cut = _CutBodies(source)
    return ast.dump(cut.visit(ast.parse(source))), cut.functions


class _CutBodies(ast.NodeTransformer):
    """Replace bodies by what can be seen without a call: docstring, and whether it yields."""

    def __init__(self, source: str) -> None:
        self._lines = source.split("\n")
        self.functions: list[tuple[int, str]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        line = min(one.lineno for one in (node, *node.decorator_list))
        text = "\n".join(self._lines[line - 1 : node.end_lineno])
        self.functions.append((line, text))
        seen = f"{text.count('yield')} {ast.get_docstring(node)}"
        node.body = [ast.Expr(ast.Constant(seen))]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef
