"""What code shows in a student's own program, as Python's prompt would show it.

The questions of a stage begin like its near examples: with all names of the program, and with what
the first examples of the brief define.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hearts_course.brief import BRIEF, first_examples
from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.files import read_text
from hearts_course.questions import NOTHING, RAISES
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.student.work import StageWork, modules_of, whole_program
from hearts_course.testing.here import start_program
from hearts_course.testing.near_examples import statements_of

STOPPED = "no answer: the program stopped"
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
# Runs in the program's process.
TYPE = f'''
import contextlib, io, sys

def name(error):
    for kind in type(error).__mro__:
        if kind.__module__ == "builtins" or kind.__module__ not in sys.stdlib_module_names:
            return kind.__name__

def type_in(statements):
    names = {{"__name__": "example"}}
    for statement in statements:
        screen = io.StringIO()
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            try:
                exec(compile(statement, "example", "single"), names)
            except (Exception, SystemExit) as error:
                print("{RAISES}" + name(error))
    return screen.getvalue()[:4000]
'''
MAKE_TYPE = f"(names := {{}}, exec({TYPE!r}, names), names['type_in'])[2]"


def own_answers(
    course: Course, root: Path, work: StageWork, codes: Sequence[str]
) -> tuple[str, ...]:
    """Return what the last statement of each code shows in the student's program.

    Raise UsageError if an earlier stage is missing, or if the program cannot be imported.
    """
    modules = modules_of(whole_program(course, root, work))
    try:
        return answers_in_program(work.stage, modules, codes)
    except (RemoteError, SubmissionStopped):
        raise UsageError(f"{work.where} cannot be imported; check it first") from None


def answers_in_program(
    stage: Stage, modules: Mapping[str, str], codes: Iterable[str]
) -> tuple[str, ...]:
    """Return what the last statement of each code shows, each in an import of its own.

    Raise RemoteError or SubmissionStopped if the program cannot be imported.
    """
    brief = read_text(stage.assignment / BRIEF)
    start = ["import random, sys", *(f"from {name} import *" for name in modules)]
    start += statements_of(first_examples(brief))
    shown = []
    with start_program(modules, stage.limits) as program:
        program.load(stage.modules)
        for code in codes:
            program.begin(stage.limits.test_seconds)
            try:
                type_in = program.connection.standard("builtins").eval(MAKE_TYPE)
                answer = type_in([*start, *statements_of(code)])
            except (RemoteError, SubmissionStopped):
                answer = STOPPED
            program.end()
            text = answer if isinstance(answer, str) else STOPPED
            shown.append(ADDRESS.sub("", text).strip() or NOTHING)
    return tuple(shown)
