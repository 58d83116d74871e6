"""Type what a message shows into a new Python session in a student's folder, and compare.

As a script in such a folder, this module reads a JSON list of messages. It writes a JSON list with
a text for each message: how the session differs from the message, or "" if nothing differs.
"""

import ast
import builtins
import codeop
import contextlib
import io
import json
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

LABEL = re.compile(r"  \S")
TO_TRY = "To try it, type this first:"
PLACE = re.compile(r"\d+ (?:items?|lines?); (line \d+|\[\d+\]) (?:is (.*)|does not exist)")
FORBIDDEN = re.compile(r"\bgetattr\b|\bexec\b|\boperator\b|range\(len\(\[|\bstdlib\b|\beach\(")
LINE = re.compile(r"(\w+)\.py, line (\d+) \((.*)\): ")
STEP_SECONDS = 5


def lines_of(message):
    """Return three parts: lines that prepare the call, the call itself, and lines with its result.

    Return None if the message does not say what the result is.
    """
    text, _, first = message.partition(f"\n{TO_TRY}\n")
    lines = text.split("\n")
    at = next((number for number, line in enumerate(lines) if LABEL.match(line)), None)
    if at is None:
        return None
    needs = [line.removeprefix("    ") for line in first.split("\n")]
    return "\n".join(needs), "\n".join(lines[:at]), lines[at:]


def problem_of(message, modules):
    """Type the lines of a message; return how the session differs from the message, or ""."""
    parts = lines_of(message)
    if parts is None:
        return ""
    if not parts[1]:
        return problem_in_words(parts[2])
    needs, shown, says = parts
    if forbidden := FORBIDDEN.search(f"{needs}\n{shown}"):
        return f"not as a student writes it: {forbidden[0]}"
    if any(line.startswith("…") or line.endswith(" …") for line in shown.split("\n")):
        return "cut"
    for name in modules:
        sys.modules.pop(name, None)
    names = {"__name__": "session"}
    seen = []
    names["_seen"] = seen
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            for statement in statements(needs):
                exec(statement, names)
    except Exception as error:
        return f"first lines: {type(error).__name__}: {error}"
    try:
        [*statements(shown)]
        tree = ast.parse(shown)
    except SyntaxError as error:
        return f"does not compile: {error}"
    keep_last(tree.body)
    raised = None
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(ast.fix_missing_locations(tree), "session", "exec"), names)
    except BaseException as error:
        raised = error
    return compare(says, seen, raised)


def statements(text):
    """Yield each statement of the text, compiled as Python's prompt compiles it."""
    compiled = codeop.CommandCompiler()
    typed = []
    for line in [*text.split("\n"), ""]:
        typed.append(line)
        if statement := compiled("\n".join(typed), "session"):
            yield statement
            typed = []


def problem_in_words(says):
    """Return what is wrong with a message without lines to type.

    A command line, run with its input, must end as the message says. A line of the program must be
    at the place that the message names.
    """
    facts = [line.strip().partition("  ") for line in says if LABEL.match(line)]
    values = [(label, value.strip()) for label, _, value in facts]
    labels = [label for label, _ in values]
    if labels[0] not in ("run", "found", "raised"):
        return f"neither a command line nor a sentence: {says[0]}"
    for label, value in values:
        if label == "found" and (place := LINE.match(value)):
            lines = Path(f"{place[1]}.py").read_text(encoding="utf-8").splitlines()
            if not lines[int(place[2]) - 1].strip().startswith(place[3].removesuffix(" ...")):
                return f"not on that line: {value}"
    if labels[0] != "run":
        return ""
    _, *command = shlex.split(values[0][1])
    typed = "".join(f"{value}\n" for label, value in values if label == "type").encode()
    for label, value in values:
        if label == "its input":
            typed = ast.literal_eval(value.partition(", from a file")[0])
    done = subprocess.run([sys.executable, *command], input=typed, capture_output=True)
    *output_before, last = done.stderr.decode().strip().split("Traceback (most recent call last):")
    errors = [line for line in last.splitlines() if line and not line.startswith(" ")]
    error = f"the error {errors[0 if output_before else -1]}" if errors else "no error"
    ended = f"{error}, and exit status {done.returncode}"
    ended += ", but nothing is printed" if not errors and not done.stdout else ""
    came_back = dict(values).get("came back", "")
    if ", and exit status " in came_back and not ended.startswith(came_back):
        return f"{came_back}; here {ended}"
    return ""


def keep_last(body):
    """Change the last statement, even in a loop, so that its value is appended to `_seen`."""
    last = body[-1] if body else None
    if isinstance(last, ast.Expr):
        call = ast.Call(
            ast.Attribute(ast.Name("_seen", ast.Load()), "append", ast.Load()), [last.value], []
        )
        body[-1] = ast.Expr(call)
    elif isinstance(last, ast.For | ast.With | ast.If):
        keep_last(last.body)


def compare(says, seen, raised):
    """Return how the session differs from what the message says, or ""."""
    first = says[0]
    if found := re.match(r"  raised\s+(\w+)", first):
        if found[1] == "nothing":
            return "" if raised is None else f"raised {raised!r}, not nothing"
        kind = type(raised).__name__
        return "" if kind == found[1] else f"{first}; here {kind}: {raised}"
    if not first.startswith("  came back"):
        return ""
    if raised is not None:
        return f"{first}; here {type(raised).__name__}: {raised}"
    text = first.removeprefix("  came back").strip()
    answers = [as_shown(value, text) for value in seen]
    return "" if text in answers else f"{first}; here {'; '.join(answers)[:200]}"


def as_shown(value, text):
    """Return the value in the same form as `text`, which is the value in the message."""
    if position := PLACE.fullmatch(text):
        items = value.split("\n") if type(value) is str else value
        at = int(position[1].strip("line []")) - (type(value) is str)
        description = "does not exist" if at >= len(items) else f"is {items[at]!r}"
        noun = "line" if type(value) is str else "item"
        return f"{len(items)} {noun}{'' if len(items) == 1 else 's'}; {position[1]} {description}"
    if text.startswith("an object of class"):
        return f"an object of class {type(value).__name__}"
    return written(value)


def written(value):
    """Return the value as a text in which `<Class>` stands for each object of the program."""
    kind = type(value)
    if kind in (list, tuple):
        inner = ", ".join(map(written, value))
        return f"[{inner}]" if kind is list else f"({inner}{',' * (len(value) == 1)})"
    if kind.__module__ == builtins.__name__ and not callable(value):
        return repr(value)
    return f"<{kind.__name__}>"


def problems(modules, messages, files=()):
    """Type each message into a session beside these modules; return each problem, "" if none."""
    with tempfile.TemporaryDirectory() as folder:
        for name, source in modules.items():
            Path(folder, f"{name}.py").write_text(source, encoding="utf-8")
        for file in files:
            Path(folder, file.name).write_bytes(file.read_bytes())
        command = [sys.executable, str(Path(__file__)), *modules]
        done = subprocess.run(
            command, cwd=folder, input=json.dumps(messages), capture_output=True, text=True
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.rpartition("\x00")[2])


def too_long(*_):
    raise TimeoutError("took too long")


if __name__ == "__main__":
    sys.path[0] = "."
    signal.signal(signal.SIGALRM, too_long)
    told = []
    for text in json.load(sys.stdin):
        signal.alarm(STEP_SECONDS)
        told.append(problem_of(text, sys.argv[1:]))
        signal.alarm(0)
    print("\x00" + json.dumps(told))
