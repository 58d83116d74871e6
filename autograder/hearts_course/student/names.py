"""Find names of a notebook's program that are defined twice, or missing when it is graded."""

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hearts_course.notebook import Contents, place_in_cells, plain_python
from hearts_course.python_source import UNPARSABLE, parsed

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
BUILT_IN = {*dir(builtins), "__file__", "__name__"}


def conflicting_definitions(modules: Mapping[str, str]) -> dict[str, list[str]]:
    """Map the name of each function or class with conflicting definitions to its modules.

    Two definitions conflict if two modules define the same name in different ways. A notebook has
    only one namespace, so the definition that runs last replaces the others.
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

    `scratch` are the names that the student's own cells define. These cells are not part of the
    program. `saved` maps a name to the title of a cell that was changed and not run again: the
    saved text of the cell defines the name, but the text that was last run there does not. `kernel`
    are all names that the kernel knows.
    """

    scratch: Collection[str] = ()
    saved: Mapping[str, str] = field(default_factory=dict)
    kernel: Collection[str] = ()


def missing_definitions(contents: Contents, outside: OutsideNames) -> Iterator[str]:
    """Yield what to do about each name that a module uses but neither defines nor imports.

    Such a name may work in the notebook, because all cells share a namespace and the kernel keeps
    old names. In the graded program the name would be missing.
    """
    order = list(contents.modules)  # a cell can only use what the cells above it define
    defined = {module: _defined_in(text) for module, text in contents.modules.items()}
    for module, text in contents.modules.items():
        bound = names_in([text])
        for name, line in _used(text).items():
            if name in bound or name in BUILT_IN:
                continue
            cell, _ = place_in_cells(contents.pieces, module, line) or (module, line)
            definers = [definer for definer in order if name in defined[definer]]
            if not definers:
                yield from _outside_the_program(name, cell, outside)
            elif order.index(definers[0]) < order.index(module):
                yield f"`{name}` is not imported in {module}: `from {definers[0]} import {name}`"
            elif _runs_at_once(text, name):
                yield (
                    f"`{name}` is defined in {definers[0]}, which comes after {module}: move the "
                    f"line that uses it from {cell} into a cell of your own"
                )
            else:
                yield (
                    f"`{name}` is defined in {definers[0]}, which comes after {module}: "
                    f"{cell} cannot use it"
                )


def _outside_the_program(name: str, cell: str, outside: OutsideNames) -> Iterator[str]:
    """Yield what to do about a name that no module defines, if it may work in this kernel.

    If the name cannot work in this kernel, yield nothing, because the check itself reports that the
    name is missing.
    """
    if name in outside.saved:
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
    """Return every name that the texts bind anywhere, even inside functions.

    A text that is not Python is left out.
    """
    names = set()
    for tree in filter(None, map(_parsed, texts)):
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                names.add(node.id)
            # Definitions, imports, caught errors and patterns have the attribute `name`. Parameters
            # have `arg`, imports with `as` have `asname`, and `**rest` in a pattern has `rest`.
            for key in ("name", "arg", "asname", "rest"):
                names.add(str(getattr(node, key, "")).partition(".")[0])
    return names


def _defined_in(text: str) -> set[str]:
    """Return the names that the module defines at its top level, without imported names."""
    statements = getattr(_parsed(text), "body", ())
    names = set(_definitions(statements))
    for node in statements:
        for target in _targets(node):
            names |= {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
    return names


def _targets(statement: ast.stmt) -> list[ast.expr]:
    """Return the targets of an assignment or a loop; [] for other statements."""
    if isinstance(statement, ast.Assign):
        return statement.targets
    target = getattr(statement, "target", None)
    if target is None:
        return []
    return [target]


def _runs_at_once(text: str, name: str) -> bool:
    """Return whether a line outside of all definitions uses the name."""
    for statement in getattr(_parsed(text), "body", ()):
        if isinstance(statement, DEFINITIONS):
            continue
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and part.id == name:
                return True
    return False


def new_definitions(text: str, known_names: Collection[str]) -> list[str]:
    """Return the functions and classes of a module that are not among the known names."""
    names = _definitions(getattr(_parsed(text), "body", ()))
    return [name for name in names if name not in known_names]


def _definitions(statements: Iterable[ast.stmt]) -> list[str]:
    """Return the names of the functions and classes among the statements."""
    return [node.name for node in statements if isinstance(node, DEFINITIONS)]


def _used(text: str) -> dict[str, int]:
    """Map each name that is read, assigned or deleted to the number of its first line.

    Return {} if a star import may define names, or if the text is not Python.
    """
    tree = _parsed(text)
    if tree is None:
        return {}
    nodes = list(ast.walk(tree))
    if any(isinstance(node, ast.alias) and node.name == "*" for node in nodes):
        return {}
    used = [node for node in nodes if isinstance(node, ast.Name)]
    used.sort(key=lambda node: node.lineno, reverse=True)  # the first line of a name is kept
    return {node.id: node.lineno for node in used}


def _parsed(text: str) -> ast.Module | None:
    """Return the syntax tree, or None if the text is not Python; `hearts check` reports that."""
    try:
        return parsed(plain_python(text))
    except UNPARSABLE:
        return None
