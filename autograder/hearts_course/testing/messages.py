"""What a student reads when a test does not pass.

A visible test shows the call, what came back, what was expected and why it matters. A hidden test
shows its topic and a near example, never its inputs. These texts come from the test's docstring:
the topic (first paragraph), why it matters (next paragraphs), and a near example (`Try: ...`).
"""

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from hearts_course.sandbox.answers import Proxy, RemoteError, SubmissionStopped, show
from hearts_course.testing.steps import clip, plain_call, steps

if TYPE_CHECKING:
    from hearts_course.testing.outcomes import TestOutcome

ADVICE = {
    "EOFError": "input() has nothing to read: during a check nobody is at the keyboard",
    "MemoryError": "the program asked for more memory than a check may use",
    "RecursionError": "a function calls itself without end",
    "SystemExit": "the program ended itself: take exit() and sys.exit() out of what is called",
}
NEAR_EXAMPLE = "Try:"
MAX_NAME = 150  # characters of an expression; its end is the part that matters
NOT_CALLABLE = "is not callable"


@dataclass(frozen=True)
class Docs:
    """The three parts of a test's docstring."""

    topic: str
    why: str
    example: str


@dataclass(frozen=True)
class Comparison:
    """The failed comparison of an assert."""

    operator: str
    left: Any
    right: Any


def docs_of(function: object) -> Docs:
    """Return the parts of a test's docstring, each on one line, "" where it has none."""
    text = inspect.getdoc(function) or ""
    paragraphs = [re.sub(r"\s*\n\s*", " ", part.strip()) for part in re.split(r"\n\s*\n", text)]
    example = [part for part in paragraphs if part.startswith(NEAR_EXAMPLE)]
    other = [part for part in paragraphs if not part.startswith(NEAR_EXAMPLE)]
    return Docs(other[0], " ".join(other[1:]), example[0] if example else "")


def explain_hidden(docs: Docs, how: str) -> str:
    """Return what a failed hidden test may say: its topic, how it ended, a near example."""
    return "\n".join(line for line in (f"{docs.topic}{how}", docs.why, docs.example) if line)


def explain_visible(
    docs: Docs, ended: "TestOutcome", function: object, values: Mapping[str, Any]
) -> str:
    """Return what a failed visible test says; `values` are the values of names in its asserts."""
    error, comparison = ended.error, ended.comparison
    assert error is not None
    done = steps(function, values, error)
    if isinstance(error, SubmissionStopped):
        lines = [*done, f"your program {error.text}"]
    elif isinstance(error, NotImplementedError) and isinstance(error, RemoteError):
        return clip(f"not written yet: {error.text}") if error.text else "not written yet"
    elif isinstance(error, RemoteError):
        lines = [*done, *_raised(error)]
    elif isinstance(error, pytest.fail.Exception):
        lines = [clip(plain_call(ended.question)), f"  {_did_not_raise(str(error))}"]
    elif comparison is not None and isinstance(error, AssertionError):
        lines = [*done, *_compared(comparison)]
    elif isinstance(error, AssertionError):
        lines = [*done, *_wrong_message(str(error))]
    else:
        lines = [*done, clip(f"  {_unusable(error, ended.answers)}")]
    return "\n".join([*lines, *([f"Why it matters: {docs.why}"] if docs.why else [])])


def _unusable(error: BaseException, answers: Sequence[tuple[str, Any]]) -> str:
    """Return which of the program's answers a test could not use, and what it should be."""
    text = str(error) or type(error).__name__
    fitting = [answer for answer in answers if f"'{type(answer[1]).__name__}'" in text]
    if text.endswith(NOT_CALLABLE):  # a callable is asked for by name, before its arguments
        fitting = [answer for answer in fitting if answer[0].rpartition(".")[2].isidentifier()]
        of_modules = [answer for answer in fitting if answer[0].count(".") == 1]
        fitting = of_modules or fitting
    if not fitting:
        return f"the returned value cannot be used here: {text}"
    asked, value = fitting[-1]
    name, text = plain_call(asked), _without_proxy(text, value)
    shown = name if len(name) <= MAX_NAME else f"… {name[-MAX_NAME:]}"
    return f"{shown} is {_value(value)}; {_wanted(name, text)}"


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


def _did_not_raise(text: str) -> str:
    wanted = re.search(r"DID NOT RAISE (?:<class ')?(?:[\w.]*\.)?(\w+)", text)
    return f"raised nothing; expected: {wanted[1]}" if wanted else text.splitlines()[0]


def _wrong_message(text: str) -> list[str]:
    found = re.search(r"Expected regex: (.*)\n\s*Actual message: (.*)", text)
    if found is None:
        return ["  this should be true"]
    wanted = re.sub(r"\\(.)", r"\1", found[1])
    return [clip(f"  its message  {found[2]}"), clip(f"  must contain {wanted}")]


def _raised(error: RemoteError) -> list[str]:
    raised = (
        f"  raised       {error.kind}: {error.text}" if error.text else f"  raised {error.kind}"
    )
    lines = [clip(raised)]
    if error.where is not None:
        file, line, text = error.where
        lines.append(clip(f"  in           {file}, line {line}: {text}"))
    if error.kind in ADVICE:
        lines.append(f"  {ADVICE[error.kind]}")
    return lines


def _compared(comparison: Comparison) -> list[str]:
    expected = "" if comparison.operator == "==" else f"{comparison.operator} "
    return [
        clip(f"  came back    {_value(comparison.left)}"),
        clip(f"  expected     {expected}{_value(comparison.right)}"),
    ]


def _value(value: Any) -> str:
    return f"an object of class {value._class}" if isinstance(value, Proxy) else show(value)
