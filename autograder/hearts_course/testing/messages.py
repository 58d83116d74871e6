"""What a student reads when a test does not pass.

A visible test shows the call, what came back, what was expected and why it matters. A hidden test
shows its topic and a near example (something similar to try), never its inputs. These texts come
from the test's docstring: the topic (first paragraph), why it matters (next paragraphs), and near
examples (`Try: ...`). If a test can fail in several ways, the messages of its asserts say why each
way matters. A test handles objects of the program as proxies.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from hearts_course.python_source import code_text
from hearts_course.sandbox.answers import Proxy, RemoteError, SubmissionStopped, show_plain
from hearts_course.sandbox.imports import NO_JUPYTER, RUNS_WITHOUT_JUPYTER
from hearts_course.testing.places import ErrorPlace
from hearts_course.testing.steps import Steps, clip, steps
from hearts_course.testing.student_code import TestCode

if TYPE_CHECKING:
    from hearts_course.testing.outcomes import TestOutcome

ADVICE = {
    "EOFError": (
        "here the input ended, as with Ctrl-D, because this check types nothing more: was an "
        "answer refused or asked for twice, or does the program not notice the end?"
    ),
    "MemoryError": "the program asked for more memory than a check may use",
    "RecursionError": "a function calls itself without end",
    "SystemExit": "the program ended itself here, as exit() does: should this function return?",
}
# Advice that Python's own error text lacks. It is right for every program that raises the error.
A_METHOD = "a method stands here, and not what it gives: is `@property` missing, or a call's `()`?"
ADVICE_ON_TEXTS = {
    re.compile(pattern): advice
    for pattern, advice in (
        (
            r"takes \d+ positional arguments? but \d+ (was|were) given",
            "compare the call with the `def`: a method has `self` first, and its object counts",
        ),
        (
            r"property '\w+' of '\w+' object has no setter",
            "a property cannot be assigned to: keep the value in an attribute of another name",
        ),
        (
            r"iter\(\) returned non-iterator",
            "what does `iter` return for a list? `__iter__` has to return such an iterator",
        ),
        (
            r"'(function|method)' object (has no attribute|is not)",
            A_METHOD,
        ),
        (
            r"'NoneType' object (is not (iterable|subscriptable)|has no attribute)"
            r"|cannot unpack non-iterable NoneType",
            "something is None here: is it an argument in the wrong place, or what a function "
            "without `return` gives back, or `sort()`?",
        ),
    )
}
NO_ITEM = "`next` found nothing: it was called more often than there are items"
IN_GENERATOR = "generator raised StopIteration"  # Python's text for a StopIteration in a generator
NO_INPUT = "EOF when reading a line"  # what Python's input() says at the end of input
NOBODY_THERE = "input() has nothing to read: during a check nobody is at the keyboard"
NEAR_EXAMPLE = "Try:"
WHY = "Why it matters: "
MAX_NAME = 150  # characters; a longer expression is not shown whole
NOT_CALLABLE = "is not callable"
PRINTED = "did you print it instead of returning it?"
# The search for known mistakes ignores this line: a student may print only to find a mistake.
PRINTED_AS_WELL = (
    "  your program printed something here: should it return or yield that instead, or write it to "
    "what it was given?"
)
NOTHING = "does every path of the function return what it should?"
GAVE_NOTHING = " gave None, not a "  # part of a proxy's error about an operator's result
UNUSABLE = "what came back cannot be used here"
# Calls that return a value of one of Python's own types.
CONVERSIONS = ("len(", "int(", "str(", "float(", "bool(", "hash(")
NO_TEXT = "returned non-string (type NoneType)"
NO_ATTRIBUTE = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
CLASS_SHOWN = re.compile(r"<(\w+)>")  # stands for an object of a class, as in `[<Coin>]`
WHAT = "what"  # the first word about an answer whose expression is too long to show
# Matches the last method that an expression calls.
LAST_METHOD = re.compile(r"\.(\w+)\((?:[^()]|\([^()]*\))*\)$")
ENDLESS = re.compile(r"gave more than \d+ items, and might never end")
LACKS_NAME = re.compile(r"module '(\w+)' has no attribute '(\w+)'")
TO_TRY = "To try it, type this first:"
YOUR_PROGRAM = "your program "  # the beginning of the line about a program that was stopped
# A loop that used up the time of the check would also keep the reader's own Python busy.
INTERRUPT = "It may not end: interrupt it then."
MAX_WHOLE = 80  # characters; a longer value is shown only by its first difference
# A line that begins with one of these belongs to the block above it.
CONTINUES = ("else", "elif", "except", "finally", ")", "]", "}")
NOT_RAISED = "DID NOT RAISE"
ENDLESS_OUTPUT = re.compile(r"the program printed more than \d+ KiB")
# After these errors, a message does not say why the test's rule matters. The program stopped before
# it could keep or break the rule, so the reason would mislead.
SLIPS = frozenset(
    {
        *("AttributeError", "EOFError", "ImportError", "MemoryError", "ModuleNotFoundError"),
        *("NameError", "RecursionError", "SystemExit", "TypeError", "UnboundLocalError"),
    }
)


@dataclass(frozen=True)
class Docs:
    """The parts of a test's docstring: `examples` are code to try, `advice` is a text."""

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
    """Return the parts of a docstring. Each prose part is one line; a missing part is empty."""
    prose: list[str] = []
    examples: list[str] = []
    advice: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        part = paragraph.strip()
        if part.startswith(NEAR_EXAMPLE):
            example = part.removeprefix(NEAR_EXAMPLE)
            if is_code(example):
                examples.append(_example(example))
            else:
                advice.append(_example(example))
        else:
            prose.append(_on_one_line(part))
    return Docs(prose[0], " ".join(prose[1:]), tuple(examples), " ".join(advice))


def is_code(example: str) -> bool:
    """Return whether a near example is Python code, and not a sentence."""
    try:
        ast.parse(_example(example))
    except SyntaxError:
        return False
    return True


def _example(text: str) -> str:
    """Return the lines below `Try:`. If there are none, return the text after it as one line."""
    if text.startswith("\n"):
        return textwrap.dedent(text.strip("\n"))
    return _on_one_line(text.strip())


def _on_one_line(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text)


def explain_hidden(docs: Docs, how: str) -> str:
    """Return what a failed hidden test may say: how it ended, why it matters, what to try."""
    advice = f"{NEAR_EXAMPLE} {docs.advice}" if docs.advice else ""
    return "\n".join(line for line in (how, docs.why, advice) if line)


def with_note(message: str, note: str) -> str:
    """Return the message with a note, which is empty or a line for the student.

    The note comes at the end. If the message ends with lines to type first, it comes above TO_TRY.
    """
    if not note:
        return message
    said, to_try, lines_to_type = message.partition(f"\n{TO_TRY}\n")
    return f"{said}\n{note}{to_try}{lines_to_type}"


def explain_visible(docs: Docs, ended: "TestOutcome", code: TestCode, elsewhere: str = "") -> str:
    """Return what a failed visible test says.

    If the program's error comes from a file of an earlier stage, `elsewhere` names that file.
    """
    error = ended.error
    assert error is not None
    if isinstance(error, NotImplementedError) and isinstance(error, RemoteError):
        unwritten = f"not written yet, in {elsewhere}" if elsewhere else "not written yet"
        return clip(f"{unwritten}: {error.text}") if error.text else unwritten
    comparison = _with_class_of_proxy(ended)
    done = steps(code, error)
    typed = [*as_typed(done.lines)]
    begin = [*typed, *done.script]
    if isinstance(error, SubmissionStopped):
        lines = [*begin, f"{YOUR_PROGRAM}{error.text}", *_place_lines(ended.place)]
    elif isinstance(error, RemoteError) and (lacking := _import_that_fails(error)):
        return "\n".join(lacking)
    elif isinstance(error, RemoteError):
        lines = [*begin, *_raised(error, ended.place, has_lines=bool(begin))]
        if done.raises:
            lines.append(f"  expected     {done.raises}")
    elif _is_of_pytest(error):
        text = str(error)
        raised = f"raised nothing; expected: {done.raises}" if NOT_RAISED in text else text
        lines = [*begin, f"  {raised.splitlines()[0]}"]
    elif comparison is not None and not done.lines and isinstance(error, AssertionError):
        lines = [*begin, *_in_sentences(comparison)]
    elif comparison is not None and done.shown and isinstance(error, AssertionError):
        lines = [*typed, *_compared(comparison, done.shown)]
        if _gave_nothing(comparison):
            heads = [line for line in done.needs if line.startswith("def ")]
            helpers = {head.removeprefix("def ").partition("(")[0] for head in heads}
            is_program_asked = helpers.isdisjoint(_asked_in(done.lines))
            if is_program_asked and ended.printed:
                lines.append(f"  {PRINTED}")
            elif is_program_asked and not _may_be_none(done.lines, code):
                lines.append(f"  {NOTHING}")
        elif _has_method(comparison.left):
            lines.append(f"  {A_METHOD}")
    elif isinstance(error, AssertionError):
        lines = [*begin, *_wrong_message(error)]
    else:
        lines = [*begin, clip(f"  {_unusable(error, ended, code, done.lines)}")]
    compares = comparison is not None and isinstance(error, AssertionError)
    if compares and ended.has_printed and PRINTED not in lines[-1]:
        lines.append(PRINTED_AS_WELL)
    lines += _classes_shown(ended, lines)
    if why := _why(docs, ended, done, code):
        lines.append(f"{WHY}{why}")
    if done.needs:
        if _may_not_end(error):
            lines.append(INTERRUPT)
        lines += [TO_TRY, *(f"    {line}" for line in as_typed(done.needs))]
    return "\n".join(lines)


def _with_class_of_proxy(ended: "TestOutcome") -> Comparison | None:
    """Return the comparison. If its left side is "Proxy", put in the name of the program's class.

    A proxy stands in the test for an object of the program.
    """
    comparison = ended.comparison
    last_answer = ended.answers[-1][1] if ended.answers else None
    if comparison is None or not isinstance(last_answer, Proxy):
        return comparison
    is_class = comparison.left == Proxy.__name__
    return replace(comparison, left=last_answer._class) if is_class else comparison


def as_typed(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, with the empty line that Python's prompt needs after each block."""
    written = [line for line in lines if line]  # an empty line inside a block would end it
    for line, following in zip_longest(written, written[1:], fillvalue=""):
        yield line
        ends_block = line.startswith(" ") and following and not following.startswith(" ")
        if ends_block and not following.startswith(CONTINUES):
            yield ""


def _why(docs: Docs, ended: "TestOutcome", done: Steps, code: TestCode) -> str:
    """Return why the broken rule matters, "" if the program stopped for another reason.

    The reason comes from the failed assert's message, or else from the test's docstring.
    """
    error = ended.error
    if isinstance(error, SubmissionStopped):
        return ""
    if isinstance(error, RemoteError) and error.kind in SLIPS:
        return ""
    if error is not None and not isinstance(error, AssertionError):
        if not (isinstance(error, RemoteError) or _is_of_pytest(error)):
            return ""  # the test could not use what came back
        # If the test expects an error, the program breaks the rule with no error or another error.
        is_of_rule = _is_of_pytest(error) or bool(done.raises)
        return _reason_for(done.reason, None, None) or (docs.why if is_of_rule else "")
    compared = ended.comparison
    if compared is None:
        return _reason_for(done.reason, None, None) or docs.why
    if reason := _reason_for(done.reason, compared.left, compared.right):
        return reason
    is_answer = not _gave_nothing(compared) or _may_be_none(done.lines, code)
    return docs.why if is_answer else ""


def _is_of_pytest(error: BaseException | None) -> bool:
    """Return whether the test called `pytest.fail`, or `pytest.raises` met no error."""
    import pytest  # this import is slow, and commands that run no test do not need it

    return isinstance(error, pytest.fail.Exception)


def _reason_for(reason: Any, came_back: Any, wanted: Any) -> str:
    """Return the reason for this difference, "" if the test gives no reason for it.

    `reason` is a text, a tuple with a reason for each item of a list, or a dictionary with a reason
    for each wrong answer.
    """
    if isinstance(reason, tuple) and type(came_back) is list and type(wanted) is list:
        for part, item, wanted_item in zip(reason, came_back, wanted, strict=False):
            if isinstance(item, Proxy) or show_plain(item) != show_plain(wanted_item):
                return _reason_for(part, item, wanted_item)
    if isinstance(reason, dict) and type(came_back) in (str, int, bool):
        return str(reason.get(came_back, ""))
    return reason if isinstance(reason, str) else ""


def _unusable(error: BaseException, ended: "TestOutcome", code: TestCode, lines: list[str]) -> str:
    """Return a line that says which answer the test could not use, and what it should be."""
    text = str(error) or type(error).__name__
    if isinstance(error, RuntimeError):  # a function of the suite, such as `each`, raised it
        return f"{UNUSABLE}: what does the brief say it is?"
    if isinstance(error, KeyError):  # the error's text is only the key
        return f"{UNUSABLE}: it has no key {text}"
    # Python's text names only the type of the value that could not be used.
    unusable = getattr(error, "obj", None)  # only an error about an attribute has the value itself
    fitting: list[tuple[str, Any]] = []
    for asked, value in ended.answers:
        # A value from Python's own `len` or `int` has the right type, so it is not the cause.
        is_of_type = f"'{type(value).__name__}'" in text and not asked.startswith(CONVERSIONS)
        if is_of_type and (unusable is None or value is unusable):
            fitting.append((asked, value))
    if text.endswith(NOT_CALLABLE):  # tests call only names, never the result of another call
        fitting = [
            (asked, value) for asked, value in fitting if asked.rpartition(".")[2].isidentifier()
        ]
        of_modules = [(asked, value) for asked, value in fitting if asked.count(".") == 1]
        fitting = of_modules or fitting
    if isinstance(error, IndexError) and ended.answers:
        asked, value = ended.answers[-1]
        if value in ([], (), ""):
            empty = _as_written(_without_modules(asked, code), lines)
            return f"{empty} is {value!r}: it should have at least one item"
    if GAVE_NOTHING in text:
        return f"{UNUSABLE}: {text}; {NOTHING}"
    if not fitting or _may_be_in_a_later_answer(fitting[-1][1], unusable, ended):
        return _wrong_item(text, unusable, ended, code, lines) or f"{UNUSABLE}: {text}"
    asked, value = fitting[-1]
    name = _without_modules(asked, code)
    text = _without_proxy(text, value)
    shown = _as_written(name, lines)
    is_known = unusable is not None or value is ended.answers[-1][1]
    if not _is_surely(value, shown, lines, is_known=is_known):
        return f"{UNUSABLE}: {text}"
    printed = ended.printed and value is None
    if printed:
        return f"{shown} is {_value(value)}; {PRINTED}"
    return f"{shown} is {_value(value)}; {_wanted(name, text, value, code)}"


def _may_be_in_a_later_answer(value: Any, unusable: Any, ended: "TestOutcome") -> bool:
    """Return whether an answer after the value holds `unusable`, or anything of the value's type.

    `unusable` is what could not be used, None if it is not known.
    """
    for _, later in reversed(ended.answers):
        if later is value:
            return False
        if any(
            type(item) is type(value) and (unusable is None or item is unusable)
            for item in _items(later)
        ):
            return True
    return False


def _items(value: Any) -> list[Any]:
    """Return the items of a plain list or tuple, or the keys and values of a dictionary."""
    if type(value) is dict:
        return [*value.keys(), *value.values()]
    return list(value) if type(value) in (list, tuple) else []


def _wrong_item(
    text: str, unusable: Any, ended: "TestOutcome", code: TestCode, lines: list[str]
) -> str:
    """Return a line that says which item of the last answer lacks an attribute, "" if unknown.

    `unusable` is the item, None if it is not known.
    """
    missing = NO_ATTRIBUTE.fullmatch(text)
    asked, items = ended.answers[-1] if ended.answers else ("", ())
    if missing is None or type(items) not in (list, tuple, str, dict):
        return ""
    wrong_items = [
        item
        for item in items
        if type(item).__name__ == missing[1] and (unusable is None or item is unusable)
    ]
    if not wrong_items:
        return ""
    is_of_object = asked.startswith("list(")
    call = asked.removeprefix("list(").removesuffix(")") if is_of_object else asked
    shown = _as_written(_without_modules(call, code), lines)
    is_last = shown in (lines[-1] if lines else "")
    is_only_one = "\n".join(lines).count(f"{_called(shown)}(") == 1
    was_made_earlier = is_of_object and not (is_last and is_only_one)  # and perhaps by another call
    if was_made_earlier or shown.startswith("…"):
        shown = f"{WHAT} came back"
    if type(items) in (str, dict):
        parts = "letters" if isinstance(items, str) else "keys"
        return f"{shown} is {_value(items)}, and its {parts} have no attribute `{missing[2]}`"
    item = _value(wrong_items[0])
    return f"{shown} holds {item}; the type {missing[1]} has no attribute `{missing[2]}`"


def _is_surely(value: Any, shown: str, lines: list[str], *, is_known: bool) -> bool:
    """Return whether an error is about this value, and not about another value of the same type.

    Return False if the lines do not show the value: the check has then asked for many values, and
    any of them may be wrong. A question that is too long to be shown must be `is_known`: the last
    one, or the one whose answer the error holds. Also return False if the value holds values of its
    own type, because one of those may be wrong.
    """
    parts = value if type(value) in (list, tuple) else ()
    is_long = shown.startswith(("…", WHAT))
    is_shown = is_known if is_long else not lines or shown in "\n".join(lines)
    return is_shown and not any(type(part) is type(value) for part in parts)


def _without_modules(text: str, code: TestCode) -> str:
    """Return an expression without the names of the program's modules."""
    if not code.modules:
        return text
    return re.sub(rf"\b(?:{'|'.join(sorted(code.modules))})\.(?=\w)", "", text)


def _as_written(name: str, lines: list[str]) -> str:
    """Return an expression as the lines write it, such as `deal.turn` or `choose(hand, trick)`."""
    if (function := _called(name)) and (written := _last_call(function, lines)):
        return written
    attribute = name.rpartition(".")[2]
    if attribute.isidentifier() and lines and name not in "\n".join(lines):
        names = set(re.findall(rf"\b\w+\.{attribute}\b", lines[-1]))
        if len(names) == 1:
            return str(names.pop())
    if len(name) <= MAX_NAME:
        return name
    # A call cut off at its beginning would mislead: earlier calls may have changed the object.
    asked_name = _last_name(name)
    return f"{WHAT} `{asked_name}` gave back" if asked_name else f"… {name[-MAX_NAME:]}"


def _last_name(expression: str) -> str:
    """Return the name of the function or attribute that gave the expression's value, "" if none."""
    try:
        tree = _tree(expression)
    except SyntaxError:  # the value has no expression in Python
        method = LAST_METHOD.search(expression)
        return method[1] if method else ""
    match tree:
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name)) | ast.Attribute(attr=name):
            return name
    return ""


def _tree(expression: str) -> ast.expr:
    """Return the expression's tree, in which `<Coin>` is the name `Coin`.

    Raise SyntaxError if the expression is not valid in Python.
    """
    return ast.parse(CLASS_SHOWN.sub(r"\1", expression), mode="eval").body


def _called(expression: str) -> str:
    """Return the function's name if the expression is a call of a function, "" if it is not."""
    try:
        tree = _tree(expression)
    except SyntaxError:  # the value has no expression in Python
        return ""
    match tree:
        case ast.Call(ast.Name(function)):
            return function
    return ""


def _last_call(function: str, lines: list[str]) -> str:
    """Return the last call of this function in the lines, "" if there is none.

    A test stops at an answer that it cannot use, so the last call gave that answer.
    """
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError:
        return ""
    calls = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name(name)) if name == function:
                calls.append(node)
    return code_text(ast.Expr(max(calls, key=_place))) if calls else ""


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _is_none(value: Any) -> bool:
    return value is None or (
        type(value) is list and value != [] and all(item is None for item in value)
    )


def _gave_nothing(comparison: Comparison) -> bool:
    """Return whether only None came back where something else was expected."""
    return _is_none(comparison.left) and not _is_none(comparison.right)


def _has_method(value: Any) -> bool:
    """Return whether a value is a method of the program, or a list that holds such a method."""
    items = value if type(value) is list else [value]
    return any(isinstance(item, Proxy) and item._class == "method" for item in items)


def _asked_in(lines: Sequence[str]) -> set[str]:
    """Return the functions whose results the last line shows, alone or as the items of a list.

    If the last line is only a name, the functions are those that gave the name its value.
    """
    try:
        values = [ast.parse(lines[-1].strip(), mode="eval").body]
    except SyntaxError:  # the line is the last one of a block
        return set()
    match values:
        case [ast.Name(name)]:
            set_before = [line for line in lines[:-1] if line.strip().startswith(f"{name} = ")]
            return _asked_in([set_before[-1].partition(" = ")[2]]) if set_before else set()
        case [ast.ListComp(elt=value)]:
            values = [value]
        case [ast.List(items) | ast.Tuple(items)]:
            values = items
    return {ast.unparse(value.func) for value in values if isinstance(value, ast.Call)}


def _may_be_none(lines: Sequence[str], code: TestCode) -> bool:
    """Return whether the last line asks a function for which None can be a right answer."""
    asked = {name.rpartition(".")[2] for name in _asked_in(lines)} if lines else set()
    return not asked.isdisjoint(code.may_give_none())


def _without_proxy(text: str, value: Any) -> str:
    """Return the text with the name of the student's class in place of `Proxy`."""
    return text.replace("'Proxy'", f"'{value._class}'") if isinstance(value, Proxy) else text


def _wanted(name: str, text: str, value: Any, code: TestCode) -> str:
    """Return what an answer that could not be used should be, as far as that is known."""
    last = name.rpartition(".")[2]
    if last.isidentifier() and last[0].isupper() and not last.isupper():
        return "it should be a class"
    if text.endswith(NOT_CALLABLE):
        return "it should be a function"
    if _has_method(value):
        return A_METHOD
    if value is None:
        is_wrong_call = name.endswith(")") and _last_name(name) not in code.may_give_none()
        return NOTHING if is_wrong_call else "what does the brief say it is?"
    if (missing := NO_ATTRIBUTE.fullmatch(text)) and not isinstance(value, Proxy):
        lacks = f"the type {missing[1]} has no attribute `{missing[2]}`"
        return f"{lacks}: what does the brief say it is?"
    return f"it cannot be used here: {text}"


def _wrong_message(error: AssertionError) -> list[str]:
    """Return lines that show the raised error's wrong message and the expected message.

    If the assert is not about an error's message, return one general line.
    """
    wanted = re.search(r"Expected regex: (.*)\n\s*Actual message: (.*)", str(error))
    if wanted is None:
        return ["  this should be true"]
    raised = error.__context__
    kind = raised.kind if isinstance(raised, RemoteError) else "an error"
    message = f"  raised       {kind}, and its message is {wanted[2]}"
    return [clip(message), clip(f"  must contain {_in_words(wanted[1])}")]


def _in_words(pattern: str) -> str:
    """Put a quoted pattern of pytest into words, such as `'line 2', then 'ZZ'`."""
    parts = re.split(r"\.\*", ast.literal_eval(pattern))
    texts = (re.sub(r"\\(.)", r"\1", part.replace(r"\b", "")) for part in parts)
    return ", then ".join(repr(text) for text in texts if text)


def _import_that_fails(error: RemoteError) -> tuple[str, ...]:
    """Return the import of a missing name, as a student would type it, and how it fails.

    Return () if the error is not about a missing name. A check asks a module for a name of the
    brief. If the module lacks the name, a student who types the call sees that it cannot be
    imported.
    """
    missing = LACKS_NAME.fullmatch(error.text)
    if error.where is not None or missing is None:
        return ()
    module, name = missing.groups()
    refused = f"ImportError: cannot import name {name!r} from {module!r}"
    return f"from {module} import {name}", f"  raised       {refused}"


def _gives_without_end(error: BaseException) -> bool:
    """Return whether the worker raised this error because the program gave too many items."""
    if not isinstance(error, RemoteError):
        return False
    return error.where is None and ENDLESS.fullmatch(error.text) is not None


def _may_not_end(error: BaseException) -> bool:
    """Return whether the program was stopped, or may be one that does not end by itself."""
    if isinstance(error, SubmissionStopped):
        return error.kind == "timeout"
    return _gives_without_end(error)


def _raised(error: RemoteError, place: ErrorPlace | None, *, has_lines: bool) -> list[str]:
    """Return the lines about an error that the program raised.

    `has_lines` says that the lines which raised the error stand above.
    """
    if _gives_without_end(error):
        return [f"  this {error.text}" if has_lines else f"{YOUR_PROGRAM}{error.text}"]
    if error.where is None and ENDLESS_OUTPUT.fullmatch(error.text):
        return [f"  {error.text} and was stopped: which loop does not end?"]
    raised = (
        f"  raised       {error.kind}: {_on_one_line(error.text)}"
        if error.text
        else f"  raised {error.kind}"
    )
    lines = [clip(raised)]
    lines += _place_lines(place or ErrorPlace.last(error))
    if advice := _advice(error):
        lines.append(f"  {advice}")
    return lines


def _advice(error: RemoteError) -> str:
    """Return what to look at after this error, "" if its text says all that is known."""
    if error.kind == "EOFError" and NO_INPUT in error.text:
        return NOBODY_THERE
    if NO_JUPYTER.search(error.text):
        return RUNS_WITHOUT_JUPYTER
    if error.kind == "StopIteration" or error.text == IN_GENERATOR:
        return NO_ITEM
    if NO_TEXT in error.text:
        return "it must return the text: did you print it, or forget `return`?"
    for pattern, advice in ADVICE_ON_TEXTS.items():
        if pattern.search(error.text):
            return advice
    return ADVICE.get(error.kind, "")


def _place_lines(place: ErrorPlace | None) -> list[str]:
    """Return a message's lines on a place: the line to look at first, its task and another line."""
    if place is None:
        return []
    lines = [clip(f"  in           {place.position}: {place.text}")]
    if place.task:
        lines.append(f"  in the code of task {place.task}")
    if place.other:
        lines.append(f"  {place.relation:<12} {place.other}")
    return lines


def _in_sentences(comparison: Comparison) -> list[str]:
    """Return the lines on a comparison that students cannot type.

    Both sides are usually findings in words: one text, or a list of texts.
    """
    came_back = comparison.left
    wanted = comparison.right
    if type(came_back) is list and wanted == [] and all(type(text) is str for text in came_back):
        return [clip(f"  found        {text}") for text in came_back]
    if type(came_back) is str and type(wanted) is str:
        return [clip(f"  came back    {came_back}"), clip(f"  expected     {wanted}")]
    return _compared(comparison, "left")


def _compared(comparison: Comparison, shown: str) -> list[str]:
    came_back = comparison.left
    wanted = comparison.right
    expected = "" if comparison.operator == "==" else f"{comparison.operator} "
    if comparison.operator == "is" and _value(came_back) != _value(wanted):
        expected = ""
    if shown == "right":  # in `card in hand`, the hand is what came back
        came_back, wanted = wanted, came_back
        expected = "not to contain " if comparison.operator == "not in" else "to contain "
    if comparison.operator == "==" and (place := _first_difference(came_back, wanted)):
        return [clip(f"  came back    {place[0]}"), clip(f"  expected     {place[1]}")]
    return [
        clip(f"  came back    {_value(came_back)}"),
        clip(f"  expected     {expected}{_value(wanted)}"),
    ]


def _first_difference(came_back: Any, wanted: Any) -> tuple[str, str] | None:
    """Return where two long values of the same kind first differ, None if they can be shown whole.

    Only plain values are compared, because a question to the program could take long.
    """
    if type(came_back) is str and type(wanted) is str and "\n" in came_back + wanted:
        return _differing(came_back.split("\n"), wanted.split("\n"), "line {}", first=1)
    if type(came_back) is list and type(wanted) is list:
        long = max(len(show_plain(came_back)), len(show_plain(wanted))) > MAX_WHOLE
        if long and not any(isinstance(item, Proxy) for item in came_back):
            return _differing(came_back, wanted, "[{}]", first=0)
    return None


def _differing(
    items: list[Any], wanted: list[Any], place: str, first: int
) -> tuple[str, str] | None:
    """Return a text for each list on the first place where they differ; None if they are equal."""
    noun = "line" if first else "item"
    missing = object()

    def fact(values: list[Any], value: object, where: str) -> str:
        count = f"{len(values)} {noun}{'' if len(values) == 1 else 's'}"
        if value is missing:
            return f"{count}; {where} does not exist"
        return f"{count}; {where} is {show_plain(value)}"

    pairs = zip_longest(items, wanted, fillvalue=missing)
    for number, (item, wanted_item) in enumerate(pairs, first):
        if item is missing or wanted_item is missing or show_plain(item) != show_plain(wanted_item):
            where = place.format(number)
            return fact(items, item, where), fact(wanted, wanted_item, where)
    return None


def _classes_shown(ended: "TestOutcome", lines: Sequence[str]) -> list[str]:
    """Return a line on each class whose name stands for an object in these lines, as in `[<Coin>]`.

    Python would show the object itself, but a message never asks the program how.
    """
    compared = ended.comparison
    values: list[Any] = [value for _, value in ended.answers]
    if compared is not None:
        values += [compared.left, compared.right]
    facts = [line for line in lines if line.startswith("  ")]
    shown = []
    for kind in dict.fromkeys(_classes_in(values)):
        if any(f"<{kind}>" in line for line in facts):
            shown.append(clip(f"  <{kind}> stands for an object of class {kind}"))
    return shown


def _classes_in(values: Iterable[Any]) -> Iterator[str]:
    """Yield the class of each proxy in the values, and in lists and the like inside them."""
    for value in values:
        if isinstance(value, Proxy):
            yield value._class
        elif type(value) in (list, tuple, set, frozenset):
            yield from _classes_in(value)
        elif type(value) is dict:
            yield from _classes_in((*value.keys(), *value.values()))


def _value(value: Any) -> str:
    """Return a value as a text; an object of the program is shown by its class."""
    if isinstance(value, Proxy):
        return f"an object of class {value._class}"
    return show_plain(value)
