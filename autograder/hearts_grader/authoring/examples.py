"""Run the examples of a brief and of tests, in another process.

An example may change the current folder, import modules of any name, or run forever, so it needs
another process. It needs no sandbox, because all programs here are the course's own.
"""

import ast
import contextlib
import doctest
import importlib
import io
import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from hearts_course.brief import examples_of, first_examples
from hearts_course.course import Course, Stage
from hearts_course.questions import RAISES
from hearts_course.sandbox.processors import processors

MAX_SECONDS = 2.0  # processor time for a step; it does not depend on how busy the machine is
MAX_WAIT_SECONDS = 60.0  # clock time of a step, for a program that waits and computes nothing
NO_NAME = f"{RAISES}NameError"  # what is shown for an example that does not fit the program
ProgramExamples = tuple[Mapping[str, str], Sequence[str]]  # modules, and code to run with them
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def beside_the_reference(
    course: Course, stage: Stage, run: Callable[..., Any], *arguments: Any
) -> Any:
    """Return `run(folder, *arguments)`, called in another process.

    The folder is a new one with the stage's files and the reference. `run` may change the current
    folder and import modules, without any effect on this process.
    """
    with tempfile.TemporaryDirectory() as folder:
        for file in stage.assignment.iterdir():
            if file.is_file():
                shutil.copy(file, folder)
        for module, source in course.whole_reference(stage).items():
            Path(folder, f"{module}.py").write_text(source, encoding="utf-8")
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as process:
            return process.submit(run, folder, *arguments).result()


def show_in_programs(
    course: Course, stage: Stage, brief: str, programs: Sequence[ProgramExamples]
) -> list[list[list[str]]]:
    """Return what `show_examples` returns for the programs, but use all processors.

    Each process gets every n-th program, where n is the number of processes. The answers are
    returned in the order of the programs.
    """
    shares = min(len(processors()), len(programs))
    show = partial(beside_the_reference, course, stage, show_examples, brief)
    with ThreadPoolExecutor(shares) as threads:
        shown = threads.map(show, [programs[first::shares] for first in range(shares)])
        answers_of = [iter(share) for share in shown]
        return [next(answers_of[number % shares]) for number in range(len(programs))]


def run_examples(folder: str, text: str) -> list[tuple[int, str, str]]:
    """Return line number, source and outcome of each failed example of the text."""
    _enter(folder)
    runner = _Runner(verbose=False, optionflags=doctest.ELLIPSIS)
    names = {"silently": _silently}
    runner.run(doctest.DocTest(examples_of(text), names, "brief", None, 0, None))
    return runner.failed


def show_examples(
    folder: str, brief: str, programs: Iterable[ProgramExamples]
) -> list[list[list[str]]]:
    """Return what each step of each example shows in each program: values, prints and errors.

    The returned list has a list for each program, which has a list of steps for each example.
    Before each example, import all names of the program, and run the code of the brief's first
    block of examples. A step that takes longer than MAX_SECONDS ends with an error.
    """
    _enter(folder)
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, _end)
    given = first_examples(brief)
    shown = []
    for modules, examples in programs:
        for name, source in modules.items():
            Path(f"{name}.py").write_text(source, encoding="utf-8")
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        imports = ["import random, sys", *(f"from {name} import *" for name in modules)]
        start = "\n".join([*imports, given])
        shown.append([_shown(start, example) for example in examples])
    return shown


def _enter(folder: str) -> None:
    """Change to the folder, so that programs read files and import modules there."""
    os.chdir(folder)
    sys.path.insert(0, folder)
    # Python finds cached bytecode by the module's name and the source's time. The programs have the
    # same module names and follow so fast that a program would get its predecessor's bytecode.
    sys.dont_write_bytecode = True


def _silently(source: str, names: dict[str, Any]) -> None:
    """Run the source with these names, without output.

    The examples that `examples_of` returns call this function as `silently`.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        exec(source, names)


def _shown(start: str, example: str) -> list[str]:
    """Return what each step shows: the statements of `start`, then those of the example.

    If a statement of the example is a tuple, each of its parts is a step.
    """
    names: dict[str, Any] = {}
    steps = [*ast.parse(start).body]
    for step in ast.parse(example).body:
        if isinstance(step, ast.Expr) and isinstance(step.value, ast.Tuple):
            steps += [ast.Expr(part) for part in step.value.elts]
        else:
            steps.append(step)
    return [ADDRESS.sub("", _of_step(step, names)) for step in steps]


def _of_step(step: ast.stmt, names: dict[str, Any]) -> str:
    """Run one statement, as at the prompt of Python; return what the screen shows."""
    code = compile(ast.fix_missing_locations(ast.Interactive([step])), "example", "single")
    screen = io.StringIO()
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
        signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
        signal.setitimer(signal.ITIMER_REAL, MAX_WAIT_SECONDS)
        try:
            exec(code, names)
        except BaseException as error:  # also SystemExit, which an example may show
            print(f"{RAISES}{_name(error)}", error)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
    return screen.getvalue()


def _name(error: BaseException) -> str:
    """Return the name of the error's class if it is a builtin or the program's own.

    For an error of the standard library, return the name of the nearest such base class. Questions
    ask only for errors that Python or the program itself defines.
    """
    for kind in type(error).__mro__:
        if kind.__module__ == "builtins" or kind.__module__ not in sys.stdlib_module_names:
            return kind.__name__
    raise AssertionError("every error is a kind of a builtin error")


def _end(*_: object) -> None:
    """Raise TimeoutError; both timers call this."""
    raise TimeoutError("does not end")


class _Runner(doctest.DocTestRunner):
    """Keeps what fails instead of printing it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.failed: list[tuple[int, str, str]] = []

    def report_failure(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        """Keep what the example shows and what the brief says."""
        self._keep(example, f"{got.rstrip()!r}, not {example.want.rstrip()!r}")

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        """Keep the error that the example raised."""
        self._keep(example, f"{exc_info[0].__name__}: {exc_info[1]}")

    def _keep(self, example: doctest.Example, got: str) -> None:
        """Keep the example's line number, source and outcome, each text on one line."""
        source = " ".join(example.source.split())
        self.failed.append((example.lineno + 1, source, " ".join(got.split())))
