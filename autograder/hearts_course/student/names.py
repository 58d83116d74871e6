"""The names that a notebook's cells define, and what is wrong with them."""

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Mapping

from hearts_course.notebook import Contents, place_in_cells, plain_python
from hearts_course.python_source import UNPARSABLE, parsed

BUILT_IN = {*dir(builtins), "__file__", "__name__"}


def conflicting_definitions(modules: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the functions and classes that modules define differently, each with these modules.

    In a notebook, which has one namespace, one of them would replace the other.
    """
    found: dict[str, dict[str, str]] = {}
    for module, text in modules.items():
        for node in getattr(_parsed(text), "body", ()):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.setdefault(node.name, {})[module] = ast.dump(node)
    return {name: list(by) for name, by in found.items() if len(set(by.values())) > 1}


def missing_definitions(found: Contents, own: Collection[str]) -> Iterator[str]:
    """Say what to do about each name that a module uses and neither defines nor imports.

    Another module may define it, or a cell of the student's own, which is not part of the program:
    `own` are the names in such cells.
    """
    bound = {module: names_in([text]) for module, text in found.modules.items()}
    for module, text in found.modules.items():
        for name, line in _used(text).items():
            if name in bound[module] or name in BUILT_IN:
                continue
            cell, _ = place_in_cells(found.pieces, module, line) or (module, line)
            if others := [other for other in bound if name in bound[other]]:
                yield f"`{name}` is not imported in {module}: `from {others[0]} import {name}`"
            elif name in own:
                yield (
                    f"`{name}` is defined in a cell of your own, which is not part of the program: "
                    f"move it into {cell}"
                )


def names_in(texts: Iterable[str]) -> set[str]:
    """Return every name that the texts bind anywhere; nothing of a text that is not Python."""
    found = set()
    for node in (node for text in texts if (tree := _parsed(text)) for node in ast.walk(tree)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        for key in ("name", "arg", "asname", "rest"):
            found.add(str(getattr(node, key, "")).partition(".")[0])
    return found


def _used(text: str) -> dict[str, int]:
    """Return each name that is read, with its first line; nothing where `*` may import it."""
    nodes = list(ast.walk(tree)) if (tree := _parsed(text)) else []
    if any(isinstance(node, ast.alias) and node.name == "*" for node in nodes):
        return {}
    used = [node for node in nodes if isinstance(node, ast.Name)]
    return {node.id: node.lineno for node in sorted(used, key=lambda n: n.lineno, reverse=True)}


def _parsed(text: str) -> ast.Module | None:
    try:
        return parsed(plain_python(text))
    except UNPARSABLE:
        return None
