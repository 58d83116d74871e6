"""A failed test's steps as a student reads them: its lines, without what only a test needs."""

import ast
import builtins
import inspect
import math
import shlex
import textwrap
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hearts_course.python_source import code_text
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.testing.student_code import (
    ForStudents,
    TestCode,
    given_names,
    helpers,
    is_plain,
    stored_names,
)

MAX_SHOWN = 400
LITERALS = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict)
RAISES = "pytest.raises"
RUN = "  run          "  # the beginning of a line that ends with the program's command
END_OF_INPUT = "end the input: Ctrl-D, or on Windows Ctrl-Z and Enter"


@dataclass(frozen=True)
class Steps:
    """A test's lines up to the line that failed.

    There are no lines if a student cannot type what the lines need. `script` says what to do in a
    terminal, if the test ran the program as a script. `shown` is the side of the comparison that
    the last line shows: "left", "right", or "" if it shows neither. `raises` is the exception that
    the last line should have raised, "" if none. `needs` are lines that a student has to type
    before `lines`. `reason` is the message of the assert that failed.
    """

    lines: list[str]
    shown: str
    raises: str
    needs: list[str]
    reason: Any = None
    script: tuple[str, ...] = ()


def steps(code: TestCode, error: BaseException) -> Steps:
    """Return the test's lines up to the error, with the values of plain parameters put in.

    A parameter that the test reassigns keeps its name, and a line before shows its first value.
    """
    last_line, local_values = _failure(code.function, error)
    body = _body(code.function, last_line)
    raises = _raises(body)
    reason = _reason(body, {**code.names, **code.values})
    changed = stored_names(body)
    plain = {name: value for name, value in code.values.items() if is_plain(value)}
    students = _Steps(code, given_names(code, body))
    students.operator_failed = isinstance(error, RemoteError) and error.where is None
    filled = students.steps(body)
    if isinstance(error, RemoteError | SubmissionStopped):
        _drop_unreached(filled)
    _end_loops(filled, local_values)
    lines = [f"{name} = {plain[name]!r}" for name in plain if name in changed]
    needs = helpers(code, filled, students)
    script = _in_terminal(body, {**code.names, **code.values, **local_values})
    raises = raises or _caught(filled)
    if needs is None:
        return Steps([], students.shown, raises, [], reason, script)
    shown_steps: list[ast.stmt] = []
    for step in filled[:-1]:
        shown_steps += _one_a_line(step)
    shown_steps += filled[-1:]  # the message is about the last step, so that step stays whole
    for step in shown_steps:
        lines += code_text(step).splitlines()
    return Steps(lines, students.shown, raises, needs, reason)


def _in_terminal(body: Sequence[ast.stmt], names: Mapping[str, Any]) -> tuple[str, ...]:
    """Return how to run the program as the test's last call of `run` does, and what to type."""
    calls = [node for step in body for node in ast.walk(step) if _is_run(node)]
    if not calls:
        return ()
    last = calls[-1]
    assert isinstance(last, ast.Call)
    try:
        module, *arguments = _evaluate(ast.List(last.args, ast.Load()), names)
        typed = next((_evaluate(word.value, names) for word in last.keywords), "")
    except NameError:  # the program was stopped before the test had set this name
        return ()
    lines = [f"{RUN}{shlex.join(['python', f'{module}.py', *arguments])}"]
    if isinstance(typed, bytes):
        lines.append(f"  its input    {typed!r}, from a file: nobody can type these bytes")
    else:
        lines += [f"  type         {line}" for line in typed.splitlines()]
        lines.append(f"  then         {END_OF_INPUT}")
    return tuple(lines)


def _is_run(node: ast.AST) -> bool:
    match node:
        case ast.Call(ast.Name("run")):
            return True
    return False


def _evaluate(expression: ast.expr, names: Mapping[str, Any]) -> Any:
    """Return the value of an expression of the test; a test is trusted code."""
    tree = ast.fix_missing_locations(ast.Expression(expression))
    code = compile(tree, "<test>", "eval")
    return eval(code, {}, names)


def _reason(body: list[ast.stmt], values: Mapping[str, Any]) -> Any:
    """Return the message of the assert that is the last statement; None if it has no message.

    The message is a literal, a constant of the suite's file, or a parameter of the test.
    """
    last: ast.AST | None = None
    while body:
        last = body[-1]
        body = getattr(last, "body", [])
    match last:
        case ast.Assert(msg=ast.Name(name)):
            return values.get(name)
        case ast.Assert(msg=ast.expr() as message):
            return ast.literal_eval(message)
    return None


def _raises(body: list[ast.stmt]) -> str:
    """Return the exception that a `pytest.raises` around the last statement expects, "" if none."""
    expected = ""
    while body:
        last = body[-1]
        if isinstance(last, ast.With):
            match last.items[0].context_expr:
                case ast.Call(ast.Attribute(attr="raises"), [ast.Tuple(several), *_]):
                    expected = " or ".join(map(ast.unparse, several))
                case ast.Call(ast.Attribute(attr="raises"), [kind, *_]):
                    expected = ast.unparse(kind)
        body = getattr(last, "body", [])
    return expected


def _caught(lines: list[ast.stmt]) -> str:
    """Return the program's own exception that the last line catches, "" if there is none."""
    match lines[-1:]:
        case [ast.Try(handlers=[ast.ExceptHandler(ast.Name(name))])] if name not in dir(builtins):
            return name
    return ""


def _body(function: object, last_line: float) -> list[ast.stmt]:
    """Return the function's statements up to the line, [] if its text cannot be read."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))  # type: ignore[arg-type]
    except (OSError, TypeError, SyntaxError):
        return []
    definition = _Until(last_line).visit(tree.body[0])
    assert isinstance(definition, ast.FunctionDef)
    has_docs = ast.get_docstring(definition) is not None
    return definition.body[1:] if has_docs else definition.body


def _failure(function: object, error: BaseException) -> tuple[float, Mapping[str, Any]]:
    """Return the function's line that raised the error, counted from 1, and the local values."""
    code = inspect.unwrap(function).__code__  # type: ignore[arg-type]
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_code is code:
            return line - code.co_firstlineno + 1, frame.f_locals
    return math.inf, {}


def _drop_unreached(lines: list[ast.stmt]) -> None:
    """Remove the last lines if they only name values: such lines cannot have raised the error."""
    while len(lines) > 1 and isinstance(lines[-1], ast.Assign | ast.Expr):
        nodes = [*ast.walk(lines[-1].value)]
        if not all(isinstance(node, ast.Name | ast.Tuple | ast.expr_context) for node in nodes):
            break
        del lines[-1]


def _one_a_line(step: ast.stmt) -> list[ast.stmt]:
    """Split an assignment of several values into one assignment for each value.

    Return any other step as it is. The assignment stays whole if a value uses one of the assigned
    names, because the value needs what that name stood for before.
    """
    match step:
        case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
            nodes = [*ast.walk(step)]
            loaded = {node.id for node in nodes if isinstance(node, ast.Name) and _is_loaded(node)}
            has_star = any(isinstance(node, ast.Starred) for node in nodes)
            if not has_star and loaded.isdisjoint(stored_names([step])):
                pairs = zip(targets, values, strict=True)
                return [ast.Assign([name], value, lineno=step.lineno) for name, value in pairs]
    return [step]


def _is_loaded(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _end_loops(lines: list[ast.stmt], local_values: Mapping[str, Any]) -> None:
    """Let the loops around the last line end with the item for which the line failed.

    A session shows a value for each item, and the message is about the last value that is shown.
    """
    while lines and isinstance(loop := lines[-1], ast.For):
        match loop.iter:
            case ast.List(items) | ast.Tuple(items):
                _cut(items, loop.target, local_values)
                if len(items) == 1:
                    first = ast.Assign([loop.target], items[0], lineno=loop.lineno)
                    lines[-1:] = [first, *loop.body]  # a single round needs no loop
                    continue  # the round's last line may be a loop as well
            case ast.Call(ast.Name("enumerate"), [ast.List(items) | ast.Tuple(items)]):
                match loop.target:
                    case ast.Tuple([ast.Name(counter), _]):
                        # The counter has no value if the program ended before the first round.
                        if type(place := local_values.get(counter)) is int:
                            del items[place + 1 :]
        lines = loop.body


def _cut(items: list[ast.expr], target: ast.expr, local_values: Mapping[str, Any]) -> None:
    """Remove the items after the one for which the loop's last line failed.

    Do so only if exactly one item fits the values that the target's names have.
    """
    fitting = [
        place for place, item in enumerate(items) if _may_be_item(item, target, local_values)
    ]
    if len(fitting) == 1:
        del items[fitting[0] + 1 :]


def _may_be_item(item: ast.expr, target: ast.expr, local_values: Mapping[str, Any]) -> bool:
    """Return whether an item of a loop may have given the target's names their values."""
    match item, target:
        case ast.Tuple(parts), ast.Tuple(names) if len(parts) == len(names):
            pairs = zip(parts, names, strict=True)
            return all(_may_be_item(part, name, local_values) for part, name in pairs)
        case _, ast.Name(name):
            try:
                literal = ast.literal_eval(item)
            except (ValueError, SyntaxError):
                return True
            value = local_values.get(name)
            return type(value) is type(literal) and bool(value == literal)
    return True


class _Until(ast.NodeTransformer):
    """Removes the statements after a line, so that the last remaining statement is what failed.

    Python reports an error at the end of a `with` block, such as `pytest.raises`, for the block's
    first line.
    """

    def __init__(self, last_line: float) -> None:
        self._last_line = last_line

    def generic_visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.stmt) and node.lineno > self._last_line:
            return None
        if isinstance(node, ast.With) and node.lineno == self._last_line:
            return node
        visited = super().generic_visit(node)
        match visited:  # Python allows no empty block
            case ast.Try():
                for handler in visited.handlers:
                    handler.body = handler.body or [ast.Pass()]
            case ast.For(body=[], iter=ast.List() | ast.Tuple() as items):
                return ast.Expr(items)
            case ast.For(body=[], iter=items):
                return ast.Expr(ast.Call(ast.Name("list", ast.Load()), [items], []))
            case ast.If(body=[], test=test) | ast.While(body=[], test=test):
                return ast.Expr(test)
        return visited


class _Steps(ForStudents):
    """Replaces an assert by the call that it compares, and `pytest.raises` by a `try`.

    `shown` is the side of the last comparison that the steps keep. With `operator_failed`, no line
    of the program raised the error, so an operator such as `in` or `<` may have raised it. Then the
    comparison stays whole.
    """

    shown = "left"
    operator_failed = False

    def steps(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the steps; only the last step may have failed."""
        written: list[ast.stmt] = []
        for step in body:
            if isinstance(step, ast.With) and _expects_error(step) and step is not body[-1]:
                written.append(self._as_try(step))
            else:
                visited = self.visit(step)
                written += visited if isinstance(visited, list) else [visited]
        return written

    def _as_try(self, step: ast.With) -> ast.stmt:
        """Return a `try` that keeps the expected error, because later lines look at it."""
        expected = ast.parse(_raises([step]).replace(" or ", ", "), mode="eval").body
        name = step.items[0].optional_vars
        keep: ast.stmt = ast.Pass()
        if isinstance(name, ast.Name):
            keep = ast.Assign([name], ast.Name("error", ast.Load()), lineno=step.lineno)
        handler = ast.ExceptHandler(expected, "error", [keep])
        return ast.Try(self.steps(step.body), [handler], [], [])

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.stmt]:
        """Show the lines that are expected to raise, without the `with` around them."""
        return self.steps(node.body) if _expects_error(node) else self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        test = self.visit(node.test)
        self.shown = "left"
        match test:
            case ast.Compare(_, [ast.In() | ast.NotIn() | ast.Lt() | ast.Gt()], _) if (
                self.operator_failed
            ):
                pass
            case ast.Compare(_, [ast.In() | ast.NotIn()], [right]) if not isinstance(
                right, LITERALS
            ):
                self.shown = "right"
                test = right
            case ast.Compare(left, [_], _):
                test = left
            case ast.BoolOp() | ast.UnaryOp(ast.Not()):
                self.shown = ""  # pytest may report a part that holds, not the part that fails
        return ast.Expr(test)


def _expects_error(step: ast.With) -> bool:
    return ast.unparse(step.items[0]).startswith(RAISES)


def clip(text: str) -> str:
    """Return the text, cut to at most MAX_SHOWN characters."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 2] + " …"
