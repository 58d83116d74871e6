"""What a student reads when a test does not pass.

A visible test shows the call, what came back, what was expected and why it matters. A hidden test
shows its topic and a near example, never its inputs. These texts come from the test's docstring:
the topic (first paragraph), why it matters (next paragraphs), and near examples (`Try: ...`).
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from hearts_course.sandbox.answers import Proxy, RemoteError, SubmissionStopped, show_plain
from hearts_course.testing.steps import clip, plain_call, steps

if TYPE_CHECKING:
    from hearts_course.testing.outcomes import TestOutcome

ADVICE = {
    "EOFError": "the input ended here, and the program does not handle that",
    "MemoryError": "the program asked for more memory than a check may use",
    "RecursionError": "a function calls itself without end",
    "SystemExit": "the program called exit(): remove exit() and sys.exit() from your functions",
}
NO_INPUT = "EOF when reading a line"  # what Python's input() says at the end of input
NOBODY_THERE = "input() has nothing to read: during a check nobody is at the keyboard"
NEAR_EXAMPLE = "Try:"
WHY = "Why it matters: "
MAX_NAME = 150  # characters of an expression; its end is the part that matters
NOT_CALLABLE = "is not callable"
PRINTED = "did you print it instead of returning it?"
NOT_RAISED = "DID NOT RAISE"


@dataclass(frozen=True)
class Docs:
    """The parts of a test's docstring: `examples` are Python, `advice` is what else to try."""

    topic: str
    why: str
    examples: tuple[str, ...] = ()
    advice: str = ""


@dataclass(frozen=True)
class Comparison:
    """The failed comparison of an assert."""

    operator: str
    left: Any
    right: Any


def docs_of(function: object) -> Docs:
    """Return the parts of a test's docstring."""
    return docs_from(inspect.getdoc(function) or "")


def docs_from(text: str) -> Docs:
    """Return the parts of a docstring, each on one line except for examples, "" for none."""
    prose: list[str] = []
    examples: list[str] = []
    advice: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        part = paragraph.strip()
        if part.startswith(NEAR_EXAMPLE):
            example = part.removeprefix(NEAR_EXAMPLE)
            (examples if is_code(example) else advice).append(_example(example))
        else:
            prose.append(_on_one_line(part))
    return Docs(prose[0], " ".join(prose[1:]), tuple(examples), " ".join(advice))


def is_code(example: str) -> bool:
    """Return whether a near example is Python: a sentence is not."""
    try:
        ast.parse(_example(example))
    except SyntaxError:
        return False
    return True


def _example(text: str) -> str:
    """Return an example: the lines below `Try:`, or what stands on its line and wraps."""
    if text.startswith("\n"):
        return textwrap.dedent(text.strip("\n"))
    return _on_one_line(text.strip())


def _on_one_line(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text)


def explain_hidden(docs: Docs, how: str) -> str:
    """Return what a failed hidden test may say beside its topic: how it ended, what to try."""
    advice = f"{NEAR_EXAMPLE} {docs.advice}" if docs.advice else ""
    return "\n".join(line for line in (how, docs.why, advice) if line)


def explain_visible(
    docs: Docs, ended: "TestOutcome", function: object, values: Mapping[str, Any]
) -> str:
    """Return what a failed visible test says; `values` are the values of names in its asserts."""
    error, comparison = ended.error, ended.comparison
    assert error is not None
    done = steps(function, values, error)
    if isinstance(error, SubmissionStopped):
        lines = [*done.lines, f"your program {error.text}"]
    elif isinstance(error, NotImplementedError) and isinstance(error, RemoteError):
        return clip(f"not written yet: {error.text}") if error.text else "not written yet"
    elif isinstance(error, RemoteError):
        lines = [*done.lines, *_raised(error)]
        if done.raises:
            lines.append(f"  expected     {done.raises}")
    elif isinstance(error, pytest.fail.Exception):
        text = str(error)
        raised = f"raised nothing; expected: {done.raises}" if NOT_RAISED in text else text
        lines = [*done.lines, f"  {raised.splitlines()[0]}"]
    elif comparison is not None and done.shown and isinstance(error, AssertionError):
        lines = [*done.lines, *_compared(comparison, done.shown)]
        if ended.printed and _is_none(comparison.left):
            lines.append(f"  {PRINTED}")
    elif isinstance(error, AssertionError):
        lines = [*done.lines, *_wrong_message(str(error))]
    else:
        lines = [*done.lines, clip(f"  {_unusable(error, ended)}")]
    return "\n".join([*lines, *([f"{WHY}{docs.why}"] if docs.why else [])])


def _unusable(error: BaseException, ended: "TestOutcome") -> str:
    """Return which of the program's answers a test could not use, and what it should be."""
    text = str(error) or type(error).__name__
    fitting = [answer for answer in ended.answers if f"'{type(answer[1]).__name__}'" in text]
    if text.endswith(NOT_CALLABLE):  # the error names only the function, not its arguments
        fitting = [answer for answer in fitting if answer[0].rpartition(".")[2].isidentifier()]
        of_modules = [answer for answer in fitting if answer[0].count(".") == 1]
        fitting = of_modules or fitting
    if not fitting:
        return f"the returned value cannot be used here: {text}"
    asked, value = fitting[-1]
    name, text = plain_call(asked), _without_proxy(text, value)
    shown = name if len(name) <= MAX_NAME else f"… {name[-MAX_NAME:]}"
    printed = ended.printed and value is None
    return f"{shown} is {_value(value)}; {PRINTED if printed else _wanted(name, text)}"


def _is_none(value: Any) -> bool:
    return value is None or (
        type(value) is list and value != [] and all(item is None for item in value)
    )


def _without_proxy(text: str, value: Any) -> str:
    """Return the text with the name of the student's class instead of ours."""
    return text.replace("'Proxy'", f"'{value._class}'") if isinstance(value, Proxy) else text


def _wanted(name: str, text: str) -> str:
    last = name.rpartition(".")[2]
    if last.isidentifier() and last[0].isupper() and not last.isupper():
        return "it should be a class"
    if text.endswith(NOT_CALLABLE):
        return "it should be a function"
    return f"it cannot be used here: {text}"


def _wrong_message(text: str) -> list[str]:
    found = re.search(r"Expected regex: (.*)\n\s*Actual message: (.*)", text)
    if found is None:
        return ["  this should be true"]
    return [clip(f"  its message  {found[2]}"), clip(f"  must contain {_in_words(found[1])}")]


def _in_words(pattern: str) -> str:
    """Return what a pattern asks for, such as 'line 2', then 'ZZ'; pytest has quoted it."""
    parts = re.split(r"\.\*", ast.literal_eval(pattern))
    texts = (re.sub(r"\\(.)", r"\1", part.replace(r"\b", "")) for part in parts)
    return ", then ".join(repr(text) for text in texts if text)


def _raised(error: RemoteError) -> list[str]:
    raised = (
        f"  raised       {error.kind}: {error.text}" if error.text else f"  raised {error.kind}"
    )
    lines = [clip(raised)]
    if error.where is not None:
        file, line, text = error.where
        lines.append(clip(f"  in           {file}, line {line}: {text}"))
    if error.kind == "EOFError" and NO_INPUT in error.text:
        lines.append(f"  {NOBODY_THERE}")
    elif error.kind in ADVICE:
        lines.append(f"  {ADVICE[error.kind]}")
    return lines


def _compared(comparison: Comparison, shown: str) -> list[str]:
    came_back, wanted = comparison.left, comparison.right
    expected = "" if comparison.operator == "==" else f"{comparison.operator} "
    if shown == "right":
        came_back, wanted = wanted, came_back
        expected = "not to contain " if expected == "not in " else "to contain "
    return [
        clip(f"  came back    {_value(came_back)}"),
        clip(f"  expected     {expected}{_value(wanted)}"),
    ]


def _value(value: Any) -> str:
    """Return a value as it is: objects of the program by their class, also in a list."""
    if isinstance(value, Proxy):
        return f"an object of class {value._class}"
    return show_plain(value)
