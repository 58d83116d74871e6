"""The starter's imports: only what its outlines still need, so that they give nothing away."""

import ast
from collections.abc import Iterable
from dataclasses import replace

from hearts_course.authoring.cells import Cell

LONGEST_LINE = 100


def without_unused_imports(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """The cells, each import reduced to the names that its module's cells still use."""
    cells = tuple(cells)
    used: dict[str, set[str]] = {}
    for cell in cells:
        used.setdefault(cell.module, set()).update(_names(cell.text))
    return tuple(replace(cell, text=_reduce(cell.text, used[cell.module])) for cell in cells)


def _names(source: str) -> set[str]:
    """Every name that the text reads, also those in annotations written as texts."""
    nodes = list(ast.walk(ast.parse(source)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return names | {text for text in texts if isinstance(text, str) and text.isidentifier()}


def _reduce(source: str, used: set[str]) -> str:
    lines = source.split("\n")
    for node in reversed(ast.parse(source).body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            kept = [alias for alias in node.names if _bound(alias) in used]
            if len(kept) < len(node.names):
                lines[node.lineno - 1 : node.end_lineno] = _written(node, kept)
    return "\n".join(lines)


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _written(node: ast.Import | ast.ImportFrom, kept: list[ast.alias]) -> list[str]:
    if not kept:
        return []
    node.names = kept
    line = ast.unparse(node)
    if len(line) <= LONGEST_LINE:
        return [line]
    start, _, names = line.partition(" import ")
    return [f"{start} import (", *(f"    {name}," for name in names.split(", ")), ")"]
