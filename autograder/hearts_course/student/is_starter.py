"""Which tasks a student has not begun: their definitions are still the starter's."""

import ast
from collections.abc import Iterator, Mapping

from hearts_course.course import Stage


def untouched_tasks(stage: Stage, modules: Mapping[str, str]) -> frozenset[str]:
    """The ids of the tasks whose blanks are all as in the starter; none if a module is no Python.

    What a class holds of other tasks is theirs: a class may be untouched, and its methods not.
    """
    blanks = {name for task in stage.tasks for name in task.blanks}
    try:
        now = {name: _definitions(text, blanks) for name, text in modules.items()}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    before = {name: _definitions(text, blanks) for name, text in stage.starter().items()}
    same = {
        name
        for module, definitions in before.items()
        for name, definition in definitions.items()
        if now.get(module, {}).get(name) == definition
    }
    return frozenset(task.id for task in stage.tasks if same.issuperset(task.blanks))


def _definitions(text: str, blanks: set[str]) -> dict[str, str]:
    return {name: _without(node, name, blanks) for name, node in _defined(ast.parse(text))}


def _defined(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.stmt]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield prefix + child.name, child
        if isinstance(child, ast.ClassDef):
            yield from _defined(child, f"{prefix}{child.name}.")


def _without(node: ast.stmt, name: str, blanks: set[str]) -> str:
    """The definition as text, without those in it that are blanks of their own."""
    others = [child for full_name, child in _defined(node, f"{name}.") if full_name in blanks]
    parts = (part for part in ast.iter_child_nodes(node) if part not in others)
    return "\n".join(map(ast.dump, parts))
