"""What code shows in a student's own program, as Python's prompt would show it.

Before the code of a question runs, the program's names are imported and the first examples of the
brief are run. So the code can use their names.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from hearts_course.brief import BRIEF, first_examples
from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.files import read_text
from hearts_course.questions import NOTHING, RAISES
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.student.work import StageWork, modules_of, whole_program
from hearts_course.testing.job import Program
from hearts_course.testing.near_examples import statements_of
from hearts_course.testing.start import start_program

STOPPED = "no answer: the program stopped"
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
# Runs in the program's process. `type_in` runs a statement and returns four things: what the screen
# shows, the classes of a raised error, the error's text, and the statement's last value. In the
# value, enumeration members that are numbers or texts become plain: an IntEnum's `Rank.TWO` is 2.
PROMPT = """
import contextlib, io, sys

def kinds(error):
    for kind in type(error).__mro__:
        if kind.__module__ == "builtins" or kind.__module__ not in sys.stdlib_module_names:
            yield kind.__name__

def silently(source, names):
    with contextlib.redirect_stdout(io.StringIO()):
        exec(source, names)

def plain(value):
    if type(value) in (list, tuple, set):
        return type(value)(map(plain, value))
    if isinstance(value, int) and type(value) is not bool:
        return int.__int__(value)
    if isinstance(value, str):
        return str.__str__(value)
    return value

def prompt(files):
    def open_file(name, mode="r", **more):
        if name not in files:
            return open(name, mode, **more)
        return io.BytesIO(files[name].encode()) if "b" in mode else io.StringIO(files[name])

    names = {"__name__": "example", "silently": silently, "open": open_file}

    def type_in(statement):
        screen, raised, text, values = io.StringIO(), [], "", []

        def show(value):
            if value is not None:
                print(repr(value))
                values.append(repr(plain(value)))

        before, sys.displayhook = sys.displayhook, show
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            try:
                exec(compile(statement, "example", "single"), names)
            except (Exception, SystemExit) as error:
                raised, text = [*kinds(error)], str(error)
            finally:
                sys.displayhook = before
        return [screen.getvalue()[:4000], raised, text[:400], "".join(values[-1:])[:4000]]

    return type_in
"""
# `eval` takes an expression only: the tuple runs PROMPT, and its last item is the function.
MAKE_PROMPT = f"(names := {{}}, exec({PROMPT!r}, names), names['prompt'])[-1]"
NO_FILES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Shown:
    """What a statement shows: the screen, and the classes and text of an error if it raised one.

    `value` is the `repr` of the statement's value, without printed text. In it,
    enumeration members that are also numbers or texts are plain numbers and texts.
    """

    screen: str
    raised: tuple[str, ...] = ()
    text: str = ""
    value: str = ""


class Prompt:
    """Python's prompt in a program: one statement after another, in one namespace.

    The statements run in the program's process, which could forge every answer.
    """

    def __init__(self, program: Program, files: Mapping[str, str] = NO_FILES) -> None:
        """Start the prompt. `files` maps names to texts, which the statements can open as files."""
        prompt = program.connection.standard("builtins").eval(MAKE_PROMPT)
        self._type_in = prompt(dict(files))

    def type_in(self, statement: str) -> Shown:
        """Return what the statement shows; raise SubmissionStopped if the program stops.

        Addresses of objects are removed from the screen's text, because they differ in each run. If
        the answer has the wrong form, return an empty Shown, because the program may have replaced
        the prompt.
        """
        match self._type_in(statement):
            case [str(screen), [*raised], str(text), str(value)]:
                return Shown(ADDRESS.sub("", screen), tuple(map(str, raised)), text, value)
        return Shown("")


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
    """Return what the last statement of each code shows; each code gets a fresh program.

    In a used program, a code could see what an earlier code has changed. Raise RemoteError or
    SubmissionStopped if the program cannot be imported.
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
                prompt = Prompt(program)
                for statement in (*start, *statements_of(code)):
                    last_shown = prompt.type_in(statement)
                answer = _in_words(last_shown)
            except (RemoteError, SubmissionStopped):
                answer = STOPPED
            program.end()
            shown.append(answer)
    return tuple(shown)


def _in_words(shown: Shown) -> str:
    """Return what a statement shows, in the form of the answers in questions.json."""
    error = ""
    if shown.raised:
        error = f"{RAISES}{shown.raised[0]}"
    return f"{shown.screen}{error}".strip() or NOTHING
