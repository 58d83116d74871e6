"""A student's own definitions beside the definitions in the course's solution and a third program.

A checkout has all solutions, and so has the edition for students who learn without a class. Any
other release has only the solutions that the instructor revealed.
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from textwrap import dedent

from hearts_course.brief import load_discussion, load_hints, section_of
from hearts_course.course import Stage, Task
from hearts_course.edition import HERE
from hearts_course.errors import UsageError
from hearts_course.files import read_text
from hearts_course.python_source import UNPARSABLE, Definition, definitions_in, lines_of
from hearts_course.student.packing import SUBMISSIONS
from hearts_course.student.state import StudentState

GIVE_UP = "--give-up (in a notebook, give_up=True)"
NOT_HERE = HERE.text(
    "<!-- if terminal -->out yet; your instructor releases it after the deadline"
    "<!-- else on this site -->"
)
CHOICE = "When would you choose the third version?"
ROLES = "What each class knows and does"
REMARKS = "What a reader should notice"


def finished_tasks(
    root: Path, stage: Stage, task: Task | None, state: StudentState
) -> tuple[Task, ...]:
    """Return the tasks of the stage that may be compared now.

    If `task` is given, consider only this task. A task may be compared once it passes or was given
    up. In a class, all tasks may be compared once the stage was packed to be handed in. Raise
    UsageError if no task may be compared.
    """
    packed = (root / SUBMISSIONS / f"{stage.name}.zip").is_file() and not stage.for_self_study
    wanted: Sequence[Task] = stage.tasks
    if task:
        wanted = [task]
    done: list[Task] = []
    for wanted_task in wanted:
        if packed or state.passes(wanted_task) or wanted_task.id in state.given_up:
            done.append(wanted_task)
    if not done:
        name = "a task"
        if task:
            name = task.id
        passes = f"compare when every visible check of {name} passes"
        if stage.for_self_study:
            raise UsageError(f"{passes}; {GIVE_UP} shows a task after its last hint")
        raise UsageError(f"{passes}, or when you have packed {stage.name}")
    return tuple(done)


def may_give_up(stage: Stage, task: Task | None, state: StudentState) -> Task | None:
    """Return the task to give up; None if its solution may be shown anyway.

    Raise UsageError if no task is named, if the student has not seen all its hints, or if the
    solution is not here.
    """
    if task is None:
        raise UsageError(f"name the task to give up: {', '.join(stage.task_ids)}")
    _solution_folder(stage)
    if state.passes(task) or task.id in state.given_up:
        return None
    taken = state.hints.get(task.id, 0)
    hints = len(load_hints(stage)[task.id])
    if taken < hints:
        raise UsageError(f"{task.id}: take its hints first; you have seen {taken} of {hints}")
    return task


def comparison_text(stage: Stage, tasks: Iterable[Task], modules: Mapping[str, str]) -> str:
    """Return the definitions of the tasks in three programs, and what to notice there.

    The text is in Markdown. Raise UsageError if the stage's solution is not here.
    """
    solution = _solution_folder(stage)
    reference = _modules(stage, solution)
    folders = (*stage.alternatives, *stage.revealed.glob("alternatives/*/"))
    alternatives = [_modules(stage, folder) for folder in sorted(folders)]
    parts: list[str] = []
    for task in tasks:
        versions = [_definitions(stage, task, alternative) for alternative in alternatives]
        third = max(versions, key=len, default="")  # the version with most code
        codes = {
            "Yours": _definitions(stage, task, modules),
            "The course's": _definitions(stage, task, reference),
            "A third version": third,
        }
        parts.append(f"## Task {stage.number(task)}: {task.title}")
        for title, code in codes.items():
            if code:
                parts.append(f"### {title}\n\n```python\n{code}\n```")
        if third:
            parts.append(CHOICE)
    design = read_text(solution / "design.md")
    parts += [section_of(design, ROLES), section_of(design, REMARKS)]
    if questions := load_discussion(stage):
        parts.append(f"## A question\n\n#{questions[-1]}")
    return "\n\n".join(filter(None, parts)) + "\n"


def _solution_folder(stage: Stage) -> Path:
    """Return the folder of the stage's solution; raise UsageError if it is not out yet."""
    if not stage.shown_solution.is_dir():
        raise UsageError(f"the solution of {stage.name} is not {NOT_HERE}")
    return stage.shown_solution


def _modules(stage: Stage, folder: Path) -> dict[str, str]:
    """Return the modules in a folder; an alternative may have only some of them."""
    paths = [folder / name for name in stage.files]
    return {path.stem: read_text(path) for path in paths if path.is_file()}


def _definitions(stage: Stage, task: Task, modules: Mapping[str, str]) -> str:
    """Return the code of the task's definitions and their helpers, without other tasks' code."""
    starter = stage.starter()
    parts: list[str] = []
    for module, source in modules.items():
        parts += _parts_of_task(stage, task, source, starter.get(module, ""))
    return "\n\n\n".join(parts)


def _parts_of_task(stage: Stage, task: Task, source: str, starter: str) -> Iterator[str]:
    """Yield the text of each block of lines that belong to the task.

    The definitions that students write in the task belong to it, and so do the helpers that these
    definitions use. A helper is a definition that the starter does not have. If a class has methods
    that students write in other tasks, these methods are taken out of the class.
    """
    blanks = stage.blanks
    lines = source.split("\n")
    line_numbers = set[int]()
    try:
        tree = ast.parse(source)
    except UNPARSABLE:  # `hearts check` reports the error
        return
    in_starter = {name for name, _ in _named_in(ast.parse(starter))}
    named = list(_named_in(tree))
    helpers: dict[str, ast.stmt] = {}  # definitions by name, which any task may use
    for name, definition in named:
        if name not in blanks and name not in in_starter and _is_helper(name):
            helpers[name] = definition
    asked = {node for name, node in named if name in blanks}  # definitions of all tasks
    shown: set[ast.stmt] = {node for name, node in named if name in task.blanks}
    # Each definition in `apart` is shown or left out on its own, apart from the class around it.
    apart = asked | {*helpers.values()}
    shown |= _used_by(shown, helpers, apart)
    # Classes come before their methods, so that a method can be taken out of its class.
    for node in sorted(apart, key=lambda node: node.lineno):
        if node in shown:
            line_numbers.update(lines_of(node))
        else:
            line_numbers.difference_update(lines_of(node))
    starts = [number for number in sorted(line_numbers) if number - 1 not in line_numbers]
    for start, following in pairwise([*starts, len(lines)]):
        kept = [lines[number] for number in range(start, following) if number in line_numbers]
        yield dedent("\n".join(kept)).strip("\n")


def _named_in(tree: ast.Module) -> Iterator[tuple[str, Definition | ast.Assign]]:
    """Yield name and tree of each definition, and of each top-level assignment to a single name."""
    yield from definitions_in(tree)
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(name)]):
                yield name, node


def _is_helper(name: str) -> bool:
    """Return whether a helper may have this name.

    A helper is a private method, or any definition outside of classes.
    """
    outer, _, last = name.rpartition(".")
    return not outer or (last.startswith("_") and not last.startswith("__"))


def _used_by(
    wanted: Iterable[ast.stmt], helpers: Mapping[str, ast.stmt], apart: Collection[ast.AST]
) -> set[ast.stmt]:
    """Return the helpers that the wanted definitions use, directly or through other helpers.

    If the name of a helper method occurs, the method counts as used. Only a run could tell to which
    class the method belongs.
    """
    used: set[ast.stmt] = set()
    todo = [*wanted]
    while todo:
        names = _names_in(todo.pop(), apart)
        new = {node for name, node in helpers.items() if name.rpartition(".")[2] in names} - used
        used |= new
        todo += new
    return used


def _names_in(node: ast.AST, apart: Collection[ast.AST]) -> set[str]:
    """Return the names that the node uses, without the names inside nodes of `apart`."""
    names = set[str]()
    todo = [node]
    while todo:
        part = todo.pop()
        names |= {getattr(part, "id", ""), getattr(part, "attr", "")}
        todo += [child for child in ast.iter_child_nodes(part) if child not in apart]
    return names
