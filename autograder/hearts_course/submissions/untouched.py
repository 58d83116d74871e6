"""Which tasks of a stage a student has not begun, and whether a program is still the starter.

blank        a definition that the starter leaves unwritten: a task names its blanks
bare start   a starter without the outline of the tasks that students design themselves
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache

from hearts_course.course import Stage, Task
from hearts_course.errors import CourseError, StageError
from hearts_course.files import read_json
from hearts_course.notebook import modules_from_notebook
from hearts_course.python_source import UNPARSABLE, defined_names, definitions_in, parsed
from hearts_course.submissions.bare import bare_modules

# What was read from so many texts stays in memory. Students' texts are among them, but a starter is
# used again for each submission, so it stays.
MAX_COMPARED = 64


def is_starter(modules: Mapping[str, str], stage: Stage) -> bool:
    """Return whether each module of the program has the same text as in the starter.

    So a program without modules counts as the starter. If no starter is built, return False.
    """
    for starter in _starters(stage):
        counterparts = {name: text for name, text in starter.items() if name in modules}
        if same_text(modules, counterparts):
            return True
    return False


@cache
def _starters(stage: Stage) -> tuple[Mapping[str, str], ...]:
    """Return the starter's modules in each form: files, notebook, bare start; () if not built."""
    with suppress(StageError):
        from_notebook, _ = modules_from_notebook(read_json(stage.notebook), stage)
        starters = stage.starter(), from_notebook, bare_modules(stage)
        return tuple(filter(None, starters))
    return ()


def same_text(modules: Mapping[str, str], other_modules: Mapping[str, str]) -> bool:
    """Return whether programs differ at most in white space at the ends of lines and modules."""
    return _stripped(modules) == _stripped(other_modules)


def _stripped(modules: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the lines of each module without white space at the ends of lines and module."""
    lines_by_name: dict[str, list[str]] = {}
    for name, source in modules.items():
        lines_by_name[name] = [line.rstrip() for line in source.rstrip().split("\n")]
    return lines_by_name


def untouched_tasks(stage: Stage, modules: Mapping[str, str]) -> frozenset[str]:
    """Return the ids of the tasks that the student has not begun.

    The blanks of such a task are all as in the starter. For some tasks there is more to say:

    - A class is compared without the blanks inside it, because they may belong to another task.
    - A task may name no blanks. Then it counts as begun once the student changes a module in which
      no task has blanks. If there is no such module, a change to any module counts.
    - After a bare start a task may be written under other names. So the task counts as begun as
      soon as its module is changed.
    - If the starter does not even name a task's blanks, the task counts as begun as soon as its
      module defines a new name.
    - A task in a module with a syntax error counts as begun.

    Return an empty set if no module can be read, or if the stage has no starter yet.
    """
    blanks = stage.blanks
    student_blanks: dict[str, Mapping[str, str]] = {}
    trees: dict[str, str] = {}
    for name, text in modules.items():
        with suppress(*UNPARSABLE):
            student_blanks[name] = _definitions(text, blanks)
            trees[name] = _tree(text)
    try:
        starter = stage.starter()
    except CourseError:
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
        places = [module for module in _places(task, starter_blanks) if module in modules]
        if not (lacks_outline or task.left_out) or not trees.keys() >= set(places):
            continue
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
    """Return whether the program's modules of these names are all as in one of `starts`.

    `trees` has the program's modules as `_tree` returns them.
    """
    for start in starts:
        given_trees = [_tree(start[name]) for name in names]
        if given_trees == [trees.get(name) for name in names]:
            return True
    return False


def _places(task: Task, starter: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the modules whose blanks all belong to this task.

    If there are none, return the modules with at least one of the task's blanks.
    """
    blanks = set(task.blanks)
    own_modules = [module for module, names in starter.items() if names and names.keys() <= blanks]
    if own_modules:
        return own_modules
    return [module for module, names in starter.items() if not blanks.isdisjoint(names)]


@lru_cache(MAX_COMPARED)
def _tree(text: str) -> str:
    """Return the program without layout and comments, because changes in these do not count."""
    return ast.unparse(parsed(text))


@lru_cache(MAX_COMPARED)
def _definitions(text: str, blanks: frozenset[str]) -> Mapping[str, str]:
    """Map the full name of each blank to its content, without the blanks inside it.

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
