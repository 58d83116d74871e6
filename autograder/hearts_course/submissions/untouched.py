"""Which tasks of a stage a student has not begun: their definitions are those of the starter."""

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence

from hearts_course.course import Stage, Task
from hearts_course.errors import CourseError
from hearts_course.python_source import UNPARSABLE, defined_names, definitions_in, parsed
from hearts_course.submissions.bare import bare_modules


def untouched_tasks(stage: Stage, modules: Mapping[str, str]) -> frozenset[str]:
    """Return the ids of the tasks whose blanks are all as in the starter, or not begun at all.

    - A blank inside a class does not count for the class, because it may belong to another task.
    - A task without blanks is about the modules without blanks, or else about the whole program.
    - After a bare start a task may be written under other names. So the task is begun as soon as
      its module is changed.
    - If the starter leaves a task's blanks out, the task is begun with the first new name that its
      module defines.

    Return nothing if the program has a syntax error, or if the stage has no starter yet.
    """
    blanks = stage.blanks
    try:
        student_blanks = {name: _definitions(text, blanks) for name, text in modules.items()}
        trees = {name: _tree(text) for name, text in modules.items()}
        starter = stage.starter()
    except (*UNPARSABLE, CourseError):
        return frozenset()
    starter_blanks = {name: _definitions(text, blanks) for name, text in starter.items()}
    unchanged: set[str] = set()
    for module, definitions in starter_blanks.items():
        equal = definitions.items() & student_blanks.get(module, {}).items()
        unchanged |= {name for name, _ in equal}
    starts = list(filter(None, (starter, bare_modules(stage))))
    missing = blanks.difference(*student_blanks.values())
    for task in stage.tasks:
        lacks_outline = task.id in stage.bare and missing.issuperset(task.blanks)
        if not (lacks_outline or task.left_out):
            continue
        places = [module for module in _places(task, starter_blanks) if module in trees]
        if lacks_outline and all(_is_as_given([module], trees, starts) for module in places):
            unchanged |= set(task.blanks)
        defines_no_new_name = all(
            defined_names(modules[name]) <= defined_names(starter[name]) for name in places
        )
        if defines_no_new_name:
            unchanged |= set(task.left_out)
    without_blanks = [name for name, definitions in starter_blanks.items() if not definitions]
    as_given = _is_as_given(without_blanks or list(starter), trees, starts)
    untouched: set[str] = set()
    for task in stage.tasks:
        is_untouched = as_given
        if task.blanks:
            is_untouched = unchanged.issuperset(task.blanks)
        if is_untouched:
            untouched.add(task.id)
    return frozenset(untouched)


def _is_as_given(
    names: Sequence[str], trees: Mapping[str, str], starts: Iterable[Mapping[str, str]]
) -> bool:
    """Return whether the program's modules of these names are all as in one of the starts."""
    for start in starts:
        given_trees = [_tree(start[name]) for name in names]
        if given_trees == [trees.get(name) for name in names]:
            return True
    return False


def _places(task: Task, starter: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the modules with the task's blanks: those of this task alone, or else all."""
    blanks = set(task.blanks)
    own_modules = [module for module, names in starter.items() if names and names.keys() <= blanks]
    if own_modules:
        return own_modules
    return [module for module, names in starter.items() if not blanks.isdisjoint(names)]


def _tree(text: str) -> str:
    """Return a program as text without layout and comments: a change in them does not count."""
    return ast.unparse(parsed(text))


def _definitions(text: str, blanks: Collection[str]) -> dict[str, str]:
    """Return each blank by its full name, as text without the blanks inside it.

    A class and its methods may be blanks of different tasks, so each is compared by itself.
    """
    texts = {}
    for name, node in definitions_in(parsed(text)):
        if name not in blanks:
            continue
        inner = []
        for full_name, child in definitions_in(node, f"{name}."):
            if full_name in blanks:
                inner.append(child)
        parts = (part for part in ast.iter_child_nodes(node) if part not in inner)
        texts[name] = "\n".join(map(ast.dump, parts))
    return texts
