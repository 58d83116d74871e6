"""Python 3.12.1 may take a global name for a local one; code for students must avoid this fault.

In 3.12.1, a function with `[f(codes) for codes in texts]` and `[codes(hand) for hand in hands]`
raises UnboundLocalError. Yet `codes` in the second comprehension is a global function.
"""

import symtable
import sys

import pytest
from hearts_course.course import find_course

pytestmark = pytest.mark.skipif(
    sys.version_info >= (3, 12),
    reason="in 3.12 symtable has the fault too; after it, it does not list comprehensions",
)
COMPREHENSIONS = ("listcomp", "setcomp", "dictcomp")


def comprehensions(table):
    """Yield the comprehensions of a function, and the comprehensions inside them."""
    for inner in table.get_children():
        if inner.get_name() in COMPREHENSIONS:
            yield inner
            yield from comprehensions(inner)


def confused(source, where):
    """Yield a line for each confused name of a function.

    Such a name is local in one comprehension of the function, and global in another.
    """
    tables = [symtable.symtable(source, where, "exec")]
    for table in tables:
        tables += table.get_children()
        if table.get_type() == "function":
            symbols = [symbol for inner in comprehensions(table) for symbol in inner.get_symbols()]
            local = {symbol.get_name() for symbol in symbols if symbol.is_local()}
            for name in sorted(
                local & {symbol.get_name() for symbol in symbols if symbol.is_global()}
            ):
                yield f"{where}, {table.get_name()}: {name}"


def test_the_fault_is_found():
    source = "def f(texts):\n    return [len(g) for g in texts], [g(t) for t in texts]\n"
    assert list(confused(source, "x.py")) == ["x.py, f: g"]
    assert list(confused(source.replace("g(t)", "len(t)"), "x.py")) == []


@pytest.mark.parametrize("folder", ["assignments", "solutions", "autograder"])
def test_no_stage_and_no_part_of_the_tool_hits_the_fault(folder):
    root = find_course().root
    paths = [
        path
        for path in (root / folder).rglob("*.py")
        if not {"tests", "build", "dist"} & set(path.relative_to(root).parts)
    ]
    assert paths
    confused_lines = [
        line for path in paths for line in confused(path.read_text("utf-8"), str(path))
    ]
    assert confused_lines == []
