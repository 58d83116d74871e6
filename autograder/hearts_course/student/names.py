"""The names that a notebook's cells define, and what is wrong with them."""

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hearts_course.notebook import Contents, place_in_cells, plain_python
from hearts_course.python_source import UNPARSABLE, parsed

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
BUILT_IN = {*dir(builtins), "__file__", "__name__"}


def conflicting_definitions(modules: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the functions and classes that modules define differently, each with these modules.

    In a notebook, which has one namespace, one of them would replace the other.
    """
    definitions: dict[str, dict[str, str]] = {}
    for module, text in modules.items():
        for node in getattr(_parsed(text), "body", ()):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                definitions.setdefault(node.name, {})[module] = ast.dump(node)
    return {name: list(trees) for name, trees in definitions.items() if len({*trees.values()}) > 1}


@dataclass(frozen=True)
class OutsideNames:
    """Names that a notebook's program may use though it does not define them.

    `scratch` are those in cells of the student's own, which are not part of the program. `saved`
    are those in program cells that were run before they were changed and saved, each with its cell.
    `kernel` are all that the kernel knows.
    """

    scratch: Collection[str] = ()
    saved: Mapping[str, str] = field(default_factory=dict)
    kernel: Collection[str] = ()


def missing_definitions(contents: Contents, outside: OutsideNames) -> Iterator[str]:
    """Say what to do about each name that a module uses and neither defines nor imports."""
    order = list(contents.modules)
    defined = {module: _defined_in(text) for module, text in contents.modules.items()}
    for module, text in contents.modules.items():
        bound = names_in([text])
        for name, line in _used(text).items():
            if name in bound or name in BUILT_IN:
                continue
            cell, _ = place_in_cells(contents.pieces, module, line) or (module, line)
            definers = [definer for definer in order if name in defined[definer]]
            earlier = [
                definer for definer in definers if order.index(definer) < order.index(module)
            ]
            if earlier:
                yield f"`{name}` is not imported in {module}: `from {earlier[0]} import {name}`"
            elif definers and _runs_at_once(text, name):
                yield (
                    f"`{name}` is defined in {definers[0]}, which comes after {module}: move the "
                    f"line that uses it from {cell} into a cell of your own"
                )
            elif definers:
                yield (
                    f"`{name}` is defined in {definers[0]}, which comes after {module}: "
                    f"{cell} cannot use it"
                )
            elif name in outside.saved:
                yield (
                    f"`{name}` is in {outside.saved[name]} as it is saved, but not as you ran it: "
                    "run that cell again"
                )
            elif name in outside.scratch:
                yield (
                    f"`{name}` is defined in a cell of your own, which is not part of the program: "
                    f"move it into {cell}"
                )
            elif name in outside.kernel:
                yield (
                    f"the kernel still knows `{name}` from before, but no cell of your program "
                    f"defines it: look at {cell}"
                )


def names_in(texts: Iterable[str]) -> set[str]:
    """Return every name that the texts bind anywhere; nothing of a text that is not Python."""
    names = set()
    for tree in filter(None, map(_parsed, texts)):
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                names.add(node.id)
            for key in ("name", "arg", "asname", "rest"):
                names.add(str(getattr(node, key, "")).partition(".")[0])
    return names


def _defined_in(text: str) -> set[str]:
    """Return the names that a module's own statements define, without those that it imports."""
    statements = getattr(_parsed(text), "body", ())
    names = {node.name for node in statements if isinstance(node, DEFINITIONS)}
    for node in statements:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in filter(None, targets):
            names |= {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
    return names


def _runs_at_once(text: str, name: str) -> bool:
    """Return whether a line outside of all definitions uses the name."""
    statements = [
        node for node in getattr(_parsed(text), "body", ()) if not isinstance(node, DEFINITIONS)
    ]
    parts = (part for node in statements for part in ast.walk(node))
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)


def new_definitions(text: str, known_names: Collection[str]) -> list[str]:
    """Return the functions and classes of a module that are not among the known names."""
    statements = getattr(_parsed(text), "body", ())
    names = [node.name for node in statements if isinstance(node, DEFINITIONS)]
    return [name for name in names if name not in known_names]


def _used(text: str) -> dict[str, int]:
    """Return each name that is read, with its first line; nothing where `*` may import it."""
    tree = _parsed(text)
    nodes = list(ast.walk(tree)) if tree else []
    if any(isinstance(node, ast.alias) and node.name == "*" for node in nodes):
        return {}
    used = [node for node in nodes if isinstance(node, ast.Name)]
    return {node.id: node.lineno for node in sorted(used, key=lambda n: n.lineno, reverse=True)}


def _parsed(text: str) -> ast.Module | None:
    """Return the tree; None if the text is not Python, about which a check says more."""
    try:
        return parsed(plain_python(text))
    except UNPARSABLE:
        return None
