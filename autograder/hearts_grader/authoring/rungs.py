"""Read and check rungs: hints for steep tasks, with lines of code to put in order.

    [[rung]]
    task = "read-a-card"
    function = "Card.parse"
    lines = '''lines of the function's body, in the order in which they are right'''

An author writes this table in `rungs.toml`, in the folder of the hidden tests. The task's second to
last hint has a block marked `lines`. The block has the same lines in another order, and one or two
lines that belong to a mistake.
"""

import ast
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from hearts_course.brief import HINTS, load_hints
from hearts_course.course import Stage
from hearts_course.errors import StageError
from hearts_course.files import read_toml, to_dataclass
from hearts_course.python_source import Definition, definitions

RUNGS = "rungs.toml"
MAX_OTHERS = 2  # at most this many lines of a hint belong to a mistake
BLOCK = re.compile(r"^```lines\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Rung:
    """The lines of a function's body, in their order."""

    task: str
    function: str
    lines: str

    @property
    def in_order(self) -> list[str]:
        """The lines without their indentation."""
        return [line.strip() for line in self.lines.strip().split("\n")]


@dataclass(frozen=True)
class _Rungs:
    """The tables of a `rungs.toml`."""

    rung: tuple[Rung, ...] = ()


def load_rungs(stage: Stage) -> tuple[Rung, ...]:
    """Return the stage's rungs; none if `rungs.toml` is missing.

    A rung is the lines of a function, which a hint asks to put in order. Raise StageError if the
    file is invalid.
    """
    path = stage.autograder / RUNGS
    if not path.is_file():
        return ()
    rungs = to_dataclass(_Rungs, read_toml(path), path).rung
    for rung in rungs:
        stage.task_in(path, rung.task)
        if not _places(stage, rung):
            raise StageError(
                f"{path}: {rung.task}: the reference has no function {rung.function!r}"
            )
    return rungs


def _places(stage: Stage, rung: Rung) -> list[tuple[str, Definition]]:
    """Return each definition of the function in the reference, with the module that it is in."""
    places = []
    for module, source in stage.reference().items():
        for name, node in definitions(source):
            if name == rung.function:
                places.append((module, node))
    return places


def program_of(stage: Stage, rung: Rung) -> dict[str, str]:
    """Return the reference with these lines as the body of the function.

    `hearts verify` grades this program to prove that the lines are right in this order. The
    docstring of the function stays.
    """
    modules = stage.reference()
    ((module, node),) = _places(stage, rung)
    lines = modules[module].split("\n")
    first = node.body[0]
    if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
        first = node.body[1]
    body = textwrap.indent(textwrap.dedent(rung.lines.strip("\n")), " " * first.col_offset)
    lines[first.lineno - 1 : node.end_lineno] = body.rstrip().split("\n")
    return {**modules, module: "\n".join(lines)}


def rung_problems(stage: Stage) -> Iterator[str]:
    """Check the hints that show lines to put in order, and yield a message about each problem.

    If `rungs.toml` has lines for a task, the task's second to last hint needs a block of these
    lines. No other hint of the task may have such a block. If a hint has a block, `rungs.toml`
    needs lines for the task.
    """
    where = stage.assignment / HINTS
    rungs = {rung.task: rung for rung in load_rungs(stage)}
    for task, hints in load_hints(stage).items():
        numbers = [number for number, hint in enumerate(hints, 1) if BLOCK.search(hint)]
        if not numbers and task not in rungs:
            continue
        if task not in rungs:
            yield f"{where}: {task}: write its lines, in order, into {RUNGS}"
        elif numbers != [len(hints) - 1]:
            yield f"{where}: {task}: one block of `lines`, in the hint before the last"
        else:
            (block,) = BLOCK.findall(hints[-2])
            for problem in _order(block, rungs[task]):
                yield f"{where}: {task}: {problem}"


def _order(block: str, rung: Rung) -> Iterator[str]:
    """Yield what is wrong with the lines of a hint."""
    shown = [line.strip() for line in block.strip().split("\n")]
    # Count the lines, because a body may have the same line twice.
    missing = Counter(rung.in_order) - Counter(shown)
    others = Counter(shown) - Counter(rung.in_order)
    if missing:
        yield f"{min(missing)!r} of {RUNGS} is missing"
    elif not 1 <= others.total() <= MAX_OTHERS:
        yield f"{others.total()} lines that do not belong there; write 1 to {MAX_OTHERS}"
    elif [line for line in shown if line not in others] == rung.in_order:
        yield "the lines are in order already; mix them"
