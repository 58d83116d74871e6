"""Which tasks of a stage a student has not begun: their definitions are those of the starter."""

import ast
from collections.abc import Mapping

from hearts_course.course import Stage, Task
from hearts_course.errors import CourseError
from hearts_course.python_source import UNPARSABLE, definitions_in, parsed
from hearts_course.submissions.bare import bare_modules


def untouched_tasks(stage: Stage, modules: Mapping[str, str]) -> frozenset[str]:
    """Return the ids of the tasks whose blanks are all as in the starter, or not begun at all.

    A blank inside a class does not count for the class, because it may belong to another task. A
    task without blanks is about the modules without blanks, or else about the whole program. After
    a bare start a task may be written under other names, and so has begun when its module has.
    Return nothing if the program has a syntax error, or if the stage has no starter yet.
    """
    blanks = {name for task in stage.tasks for name in task.blanks}
    try:
        student_blanks = {name: _definitions(text, blanks) for name, text in modules.items()}
        trees = {name: _tree(text) for name, text in modules.items()}
        starter = stage.starter()
    except (*UNPARSABLE, CourseError):
        return frozenset()
    starter_blanks = {name: _definitions(text, blanks) for name, text in starter.items()}
    unchanged = {
        name
        for module, definitions in starter_blanks.items()
        for name, definition in definitions.items()
        if student_blanks.get(module, {}).get(name) == definition
    }
    starts = [start for start in (starter, bare_modules(stage)) if start]

    def is_as_given(module: str) -> bool:
        return any(trees.get(module) == _tree(start[module]) for start in starts)

    missing = blanks.difference(*student_blanks.values())
    for task in stage.tasks:
        if task.id in stage.bare and missing.issuperset(task.blanks):
            places = _places(task, starter_blanks)
            if all(module not in trees or is_as_given(module) for module in places):
                unchanged |= set(task.blanks)
    without_blanks = [name for name, definitions in starter_blanks.items() if not definitions]
    compared = without_blanks or list(starter)
    as_given = any(
        all(trees.get(name) == _tree(start[name]) for name in compared) for start in starts
    )
    untouched: set[str] = set()
    for task in stage.tasks:
        is_untouched = unchanged.issuperset(task.blanks) if task.blanks else as_given
        if is_untouched:
            untouched.add(task.id)
    return frozenset(untouched)


def _places(task: Task, starter: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the modules where the starter has the task's blanks: its own ones, if it has any."""
    blanks = set(task.blanks)
    own_modules = [module for module, names in starter.items() if names and names.keys() <= blanks]
    if own_modules:
        return own_modules
    return [module for module, names in starter.items() if not blanks.isdisjoint(names)]


def _tree(text: str) -> str:
    """Return a program as text without its layout and comments."""
    return ast.unparse(parsed(text))


def _definitions(text: str, blanks: set[str]) -> dict[str, str]:
    """Return each blank by its full name, as text without the blanks inside it."""
    texts = {}
    for name, node in definitions_in(parsed(text)):
        if name not in blanks:
            continue
        inner = [
            child for full_name, child in definitions_in(node, f"{name}.") if full_name in blanks
        ]
        parts = (part for part in ast.iter_child_nodes(node) if part not in inner)
        texts[name] = "\n".join(map(ast.dump, parts))
    return texts
