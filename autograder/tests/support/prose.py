"""Count in Python files what makes a reader stop: vague names, dense lines, few words.

    python autograder/tests/support/prose.py FOLDER ...

It prints a row for each folder, in counts per 1,000 lines of code. No count fails a build, because
no count knows which lines a reader has to read twice.
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

VAGUE = frozenset(
    {
        *("one", "found", "own", "known", "before", "after", "said"),
        *("there", "came", "made", "which", "same", "now", "told"),
        *("given", "what", "rest", "that", "other", "those", "all_"),
        *("both", "more", "such", "whole", "first_", "thing", "things"),
        "it",
    }
)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LAYOUT = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
COLUMNS = ("vague names", "comprehensions", "tuple assignments", "conditional expressions")


def counts_of(text: str) -> Counter[str]:
    """Return a module's counts; `words` is its number of lines with docstrings or comments."""
    tree = ast.parse(text)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    docstrings = _docstring_lines(tree)
    comments = {token.start[0] for token in tokens if token.type == tokenize.COMMENT}
    code = _code_lines(tokens) - docstrings
    counts = Counter({"code": len(code), "words": len(docstrings | comments)})
    for node in ast.walk(tree):
        match node:
            case ast.Name(name, ast.Store()) | ast.arg(name) if name in VAGUE:
                counts["vague names"] += 1
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                counts["tuple assignments"] += not _exchanges(targets, values)
            case ast.IfExp():
                counts["conditional expressions"] += 1
            case _ if isinstance(node, COMPREHENSIONS):
                counts["comprehensions"] += 1
    return counts


def _exchanges(targets: list[ast.expr], values: list[ast.expr]) -> bool:
    """Return whether the assignment swaps values, as `a, b = b, a` does; this is good style."""
    return {ast.unparse(target) for target in targets} == {ast.unparse(value) for value in values}


def _code_lines(tokens: list[tokenize.TokenInfo]) -> set[int]:
    lines: set[int] = set()
    for token in tokens:
        if token.type not in (*LAYOUT, tokenize.COMMENT):
            lines |= set(range(token.start[0], token.end[0] + 1))
    return lines


def _docstring_lines(tree: ast.Module) -> set[int]:
    lines: set[int] = set()
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            docstring = node.body[0]
            lines |= set(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    return lines


def rows(folders: list[str]) -> Iterator[str]:
    """Yield the heading, and a row for each folder."""
    yield f"{'per 1,000 lines of code':34}{''.join(f'{name:>25}' for name in COLUMNS)}  words/code"
    for folder in folders:
        total: Counter[str] = Counter()
        for path in Path(folder).rglob("*.py"):
            total += counts_of(path.read_text(encoding="utf-8"))
        code = total["code"] or 1
        shares = "".join(f"{1000 * total[name] / code:25.1f}" for name in COLUMNS)
        yield f"{folder:34}{shares}{total['words'] / code:12.0%}"


if __name__ == "__main__":
    print("\n".join(rows(sys.argv[1:])))
