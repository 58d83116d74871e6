"""Near examples: what a student may try when a hidden test fails.

The docstring of a hidden test has near examples, each after `Try:`. An example in Python is run on
the submission before all hidden tests, so it can reveal nothing about them. The file
`examples.json` holds what the reference shows. `hearts build --patterns` writes the file, and the
submission's process never gets it. If a program fails the test, the student sees the first example
for which the program shows something other than the reference.
"""

import ast
import json
import math
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from hearts_course.course import Stage
from hearts_course.errors import CourseError
from hearts_course.files import read_json
from hearts_course.python_source import first_line, names_in
from hearts_course.questions import RAISES
from hearts_course.sandbox.answers import SubmissionStopped
from hearts_course.testing.job import Program
from hearts_course.testing.time_budget import MAX_FULL_TIMEOUTS

FILE = "examples.json"
MAX_SECONDS = 10.0  # seconds by the clock, after which no example of a program begins
# The time for one question about all examples. If the question fails, each example is tried alone.
AT_ONCE_SECONDS = 0.5
STOPPED = ("the program stopped",)
# Runs in the submission's process, and shows nothing that the brief leaves open. An object is shown
# by its class, and by its `str` if its class defines one. An error is shown by its classes.
SHOW = f'''
import contextlib, enum, io, sys

def ours(kind):
    return kind.__module__ != "builtins" and kind.__module__ not in sys.stdlib_module_names

def look(value):
    kind = type(value)
    if kind in (list, tuple, set, frozenset):
        items = [look(item) for item in value]
        return kind.__name__ + repr(items if kind in (list, tuple) else sorted(items))
    if kind is dict:
        return repr(sorted((look(key), look(item)) for key, item in value.items()))
    if isinstance(value, enum.Enum):
        return kind.__name__ + "." + value.name
    if isinstance(value, type) or not ours(kind):
        return repr(value).partition(" at 0x")[0]
    return kind.__name__ if kind.__str__ is object.__str__ else kind.__name__ + " " + str(value)

def kinds(error):
    mro = type(error).__mro__
    return " ".join(kind.__name__ for kind in mro if ours(kind) or kind.__module__ == "builtins")

def show_all(examples):
    return [show(statements) for statements in examples]

def show(statements):
    names, shown = {{"__name__": "example"}}, []
    for statement in statements:
        screen = io.StringIO()
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            try:
                run(statement, names)
            except (Exception, SystemExit) as error:
                print("{RAISES}" + kinds(error))
        shown.append(screen.getvalue()[:4000])
    return shown

def run(statement, names):
    try:
        expression = compile(statement, "example", "eval")
    except SyntaxError:
        exec(compile(statement, "example", "exec"), names)
        return
    value = eval(expression, names)
    if value is not None:
        print(look(value))
'''
# `eval` takes an expression only: the tuple runs SHOW, and its last item is the function.
MAKE_SHOW_ALL = f"(names := {{}}, exec({SHOW!r}, names), names['show_all'])[-1]"


@dataclass(frozen=True)
class NearExample:
    """Code to paste into a Python session, and what each of its statements shows."""

    code: str
    shows: tuple[str, ...]

    @property
    def statements(self) -> list[str]:
        """The statements of the code; each text has all lines of one statement."""
        return statements_of(self.code)

    def fails(self, shown: Sequence[str]) -> bool:
        """Return whether a program shows wrong texts. `shown` has one text for each statement.

        Where the reference shows nothing, a program may return anything, but must not raise an
        error.
        """
        if len(shown) != len(self.shows):
            return True
        return any(map(_differs, shown, self.shows))

    def failing_part(self, shown: Sequence[str]) -> str:
        """Return the code up to the last statement for which `shown` is wrong.

        Later statements are left out, because the program shows the right texts for them.
        """
        if len(shown) != len(self.shows):
            return self.code
        pairs = zip(shown, self.shows, strict=True)
        wrong = [number for number, pair in enumerate(pairs) if _differs(*pair)]
        return pasteable("\n".join(self.statements[: wrong[-1] + 1]))


def _differs(text: str, expected: str) -> bool:
    """Return whether `text`, which a statement of the program shows, is wrong."""
    if RAISES in text and RAISES in expected:
        printed, _, kinds = text.rpartition(RAISES)
        expected_print, _, expected_kinds = expected.rpartition(RAISES)
        return printed != expected_print or expected_kinds.split()[0] not in kinds.split()
    return text != expected and (expected != "" or RAISES in text)


def statements_of(code: str) -> list[str]:
    """Return the statements of the code; raise SyntaxError if it is not Python."""
    return [statement for _, statement in _parsed(code)]


def pasteable(code: str) -> str:
    """Return the code with an empty line after each block, to end the block in a Python session."""
    parts: list[str] = []
    for node, statement in _parsed(code):
        parts.append(statement)
        if hasattr(node, "body"):
            parts.append("")
    return "\n".join(parts).rstrip("\n")


def _parsed(code: str) -> Iterator[tuple[ast.stmt, str]]:
    lines = code.split("\n")
    for node in ast.parse(code).body:
        yield node, "\n".join(lines[first_line(node) - 1 : node.end_lineno])


def load_near_examples(stage: Stage) -> dict[str, tuple[NearExample, ...]]:
    """Map each test function to its examples. If their file cannot be read, return an empty map."""
    examples: dict[str, tuple[NearExample, ...]] = {}
    try:
        for test, entries in read_json(stage.autograder / FILE).items():
            of_test = [NearExample(entry["code"], tuple(entry["shows"])) for entry in entries]
            examples[test] = tuple(of_test)
    except (CourseError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return examples


def examples_text(examples: Mapping[str, Iterable[NearExample]]) -> str:
    """Return the examples as the content of the file `examples.json`."""
    content = {}
    for test, of_test in examples.items():
        content[test] = [{"code": each.code, "shows": list(each.shows)} for each in of_test]
    return f"{json.dumps(content, indent=1, ensure_ascii=False)}\n"


def failing_examples_of(
    stage: Stage, functions: Collection[str], program: Program
) -> dict[str, str]:
    """Map each of these test functions to the code of its first example that fails on the program.

    Leave out a test function without a failing example.
    """
    examples = load_near_examples(stage)
    examples = {test: examples[test] for test in examples if test in functions}
    if not examples:
        return {}
    return failing_examples(program, examples, stage.limits.test_seconds)


def failing_examples(
    program: Program,
    examples: Mapping[str, Sequence[NearExample]],
    seconds: float,
    all_seconds: float = MAX_SECONDS,
) -> dict[str, str]:
    """Map each test function to the code of its first example that fails on the program.

    Leave out a test function without a failing example. Each example may use `seconds`. After
    `all_seconds` by the clock, no further example begins.

    All examples share a process at first. An example that fails there counts only if it also fails
    in a process of its own, because the student will try it alone.
    """
    if not _has_sources(program):
        return {}
    deadline = time.monotonic() + all_seconds
    seconds = min(seconds, all_seconds)
    todo = [(test, example) for test, of_test in examples.items() for example in of_test]
    failing: dict[str, str] = {}
    timeouts = 0
    statements = [example.statements for _, example in todo]
    together = shown_together(program, statements, seconds, deadline)
    for (test, example), shown in zip(todo, together, strict=True):
        if time.monotonic() > deadline or timeouts >= MAX_FULL_TIMEOUTS:
            break
        if test in failing or not example.fails(shown):
            continue
        alone = shows(program, example.statements, seconds)
        if alone == STOPPED:
            timeouts += 1
        if example.fails(alone):
            failing[test] = example.failing_part(alone)
    return failing


def _has_sources(program: Program) -> bool:
    """Return whether examples can import the program.

    They can import neither a missing submission nor the live objects of a notebook.
    """
    try:
        return bool(program.sources)
    except SubmissionStopped:
        return False


def shows(program: Program, statements: Sequence[str], seconds: float) -> tuple[str, ...]:
    """Return what each statement shows in a new process of the program."""
    shown: tuple[str, ...] = STOPPED
    with suppress(Exception):  # an example is only advice, so an error here must not cost points
        program.begin(seconds)
        (shown,) = _shown_by(program, [statements])
    program.end()
    return shown


def shown_together(
    program: Program,
    examples: Sequence[Sequence[str]],
    seconds: float,
    deadline: float = math.inf,
) -> list[tuple[str, ...]]:
    """Return what each example shows in one process.

    If an example ends the process, the result of this and all later examples is STOPPED. Examples
    that would begin after the deadline get the same result.
    """
    shown: list[tuple[str, ...]] = []
    with suppress(Exception):  # an error here must not cost points; the examples are tried again
        program.begin(min(seconds, AT_ONCE_SECONDS))
        shown = _shown_by(program, examples)
    program.end()
    if shown:
        return shown
    with suppress(Exception):
        program.begin(seconds)
        for statements in examples:
            if time.monotonic() > deadline:
                break
            if shown:
                program.go_on(seconds)
            shown += _shown_by(program, [statements])
    program.end()
    return [*shown, *[STOPPED] * (len(examples) - len(shown))]


def _shown_by(program: Program, examples: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return what each example shows in the program's process, STOPPED for an invalid answer."""
    show_all = program.connection.standard("builtins").eval(MAKE_SHOW_ALL)
    answers = show_all([list(statements) for statements in examples])
    if type(answers) is not list or len(answers) != len(examples):
        return [STOPPED] * len(examples)
    return [tuple(answer) if _are_texts(answer) else STOPPED for answer in answers]


def _are_texts(answer: object) -> bool:
    return type(answer) is list and all(type(text) is str for text in answer)


def free_names(code: str) -> Iterator[str]:
    """Yield once each name that the code reads but does not bind."""
    names = names_in(code)
    bound = names.defined | names.inner
    for name in names.read:
        if name not in bound:
            yield name
