"""What a suite gets from a submission: proxies for its objects, and errors.

`Proxy`              one of the submission's objects; each call, attribute or operator is a question
`RemoteError`        an exception of the submission; also an instance of the nearest built-in one
`SubmissionStopped`  the submission did not answer: too slow, ended, or unreadable

A proxy never equals a plain value and cannot be ordered against one, because the question would
send the expected value into the sandbox.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from hearts_course.results import MAX_LINES
from hearts_course.sandbox.worker.protocol import (
    BUILT_IN_ERRORS,
    MAX_CALLS,
    MAX_TEXT,
    ProtocolError,
    from_json,
)

if TYPE_CHECKING:
    from hearts_course.sandbox.client import Connection

T = TypeVar("T")
MAX_NAME = 100
# Characters. Messages look for an expression in the lines of a test; 12,500 is the most that a test
# of the course's stages makes in this way.
MAX_EXPRESSION = 20_000
# An answer has one of these sets of keys: a value; a value and a mark that says that the program
# has printed something; or an error.
ANSWER_PARTS = (frozenset({"value"}), frozenset({"value", "printed"}), frozenset({"error"}))

# How messages write these operations; they write all other operations as calls.
FORMS = {
    **{"eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "le": "{} <= {}", "gt": "{} > {}"},
    **{"ge": "{} >= {}", "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "neg": "-{}"},
    **{"contains": "{1} in {0}", "getitem": "{}[{}]", "setitem": "{}[{}] = {}"},
    **{"delitem": "del {}[{}]", "truediv": "{} / {}", "floordiv": "{} // {}", "mod": "{} % {}"},
    **{"and_": "{} & {}", "or_": "{} | {}", "xor": "{} ^ {}"},
}


class SubmissionStopped(Exception):
    """The submission did not answer; it answers nothing more in this test.

    It is not a BaseException, because pytest does not clean up if a fixture raises a BaseException.
    """

    def __init__(
        self,
        kind: str,
        text: str,
        *,
        killed: bool = False,
        calls: tuple[tuple[str, int], ...] = (),
    ) -> None:
        """`kind` is "timeout" or "crashed"; `text` tells the student what happened.

        `killed` says that something outside may have ended the process. `calls` are the files and
        line numbers of the calls that were running, the innermost call last, if they are known.
        """
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.killed = killed
        self.calls = calls


def _part(name: str) -> Any:
    """Return a property that reads the part `name` of an error, and adds `name` to `seen`."""

    def look(self: "RemoteError") -> Any:
        self.seen.add(name)
        return self._parts[name]

    return property(look)


class RemoteError(Exception):
    """An error that the submission raised. It is also an instance of the nearest built-in error.

    `kind` is the name of its class, `where` the program's file, line number and line. `calls` are
    the files and line numbers that the error came through, the last one at the end. `seen` are the
    names of the parts that a test has read. `args` is empty: if `args` held the error's text, a
    test could read the text there, and `seen` would not show it.
    """

    def __init__(self, **parts: Any) -> None:
        """`parts` are the answer's description of the error, without the built-in class."""
        super().__init__()
        self.seen: set[str] = set()
        self._parts = parts

    text: str = _part("text")
    kind: str = _part("type")
    where: tuple[str, int, str] | None = _part("where")
    calls: tuple[tuple[str, int], ...] = _part("calls")

    def told(self, names: Iterable[str]) -> tuple[type, list[Any]]:
        """Return the error's class and its parts with these names; do not change `seen`."""
        return type(self), [self._parts[name] for name in names]

    def __str__(self) -> str:
        return self.text


def read_answer(answer: bytes) -> dict[str, Any]:
    """Return the parts of an answer that came as JSON.

    Raise ProtocolError if they do not make a valid answer.
    """
    parts = from_json(answer)
    if type(parts) is not dict or parts.keys() not in ANSWER_PARTS:
        raise ProtocolError("an answer that is neither a value nor an error")
    if parts.get("printed", True) is not True:
        raise ProtocolError("an answer that cannot tell whether the program printed")
    return parts


def read_late_place(message: bytes) -> RemoteError:
    """Return the place that a program reports shortly before its time runs out.

    The place is returned as a RemoteError, which has the line and the calls. Raise ProtocolError
    for any other message.
    """
    parts = from_json(message)
    if type(parts) is not dict or parts.keys() != {"late"}:
        raise ProtocolError("a place with something else")
    return remote_error(parts["late"])


@functools.cache
def _error_class(name: str) -> type[RemoteError]:
    """Return a subclass of RemoteError and of the built-in error with that name.

    Return RemoteError itself if Python cannot combine the two.
    """
    built_in = BUILT_IN_ERRORS[name]
    try:
        kind = type(built_in.__name__, (RemoteError, built_in), {})
        kind()
    except TypeError:
        return RemoteError
    return kind


def remote_error(data: Any) -> RemoteError:
    """Return the exception that this data describes; raise ProtocolError if it is malformed."""
    match data:
        case {"type": str(kind), "base": str(base), "text": str(text), "where": where}:
            error_class = _error_class(base if base in BUILT_IN_ERRORS else "Exception")
            return error_class(
                type=kind[:MAX_NAME],
                text=text[:MAX_TEXT],
                where=_place(where),
                calls=_calls(data.get("calls")),
            )
    raise ProtocolError("an error without a description")


def _place(where: Any) -> tuple[str, int, str] | None:
    match where:
        case [str(file), int(line), str(text)] if type(line) is int:  # `True` is not a line number
            return file[:MAX_NAME], line, text[:MAX_TEXT]
    return None


def _calls(data: Any) -> tuple[tuple[str, int], ...]:
    """Return the file and line of each call; () if the data is malformed."""
    calls = []
    for call in data[-MAX_CALLS:] if type(data) is list else ():
        match call:
            case [str(file), int(line)] if type(line) is int and 0 < line < MAX_LINES:
                calls.append((file[:MAX_NAME], line))
            case _:
                return ()
    return tuple(calls)


class Proxy:
    """One of the submission's objects; each use of it is a question to the submission."""

    __slots__ = ("_class", "_connection", "_number", "_text")

    def __init__(
        self, connection: "Connection", number: int | str, kind: str, text: str | Callable[[], str]
    ) -> None:
        """`text` is the expression that led to the object, or a function that returns it."""
        _set_class(self, kind)
        _set_connection(self, connection)
        _set_number(self, number)
        _set_text(self, text)

    def __repr__(self) -> str:
        """Return the name of the object's class without asking the submission.

        The report on a failure must not wait for an answer.
        """
        return f"<{self._class}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__doc__", "__name__", "__dict__"):
            raise AttributeError(name)
        return self._connection.attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        text = f"{show(self)}.{name} = {show(value)}"
        self._connection.forget_names()
        self._ask(text, do="set", name=name, value=self._connection.encode(value))

    def __delattr__(self, name: str) -> None:
        self._connection.forget_names()
        self._ask(f"del {show(self)}.{name}", do="del", name=name)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Let the submission call the object with these arguments, and return what the call gives.

        Raise RemoteError if the call raises an error.
        """
        shown = [*map(show, args), *(f"{name}={show(value)}" for name, value in named.items())]
        return self._ask(
            f"{show(self)}({', '.join(shown)})",
            do="call",
            args=[self._connection.encode(value) for value in args],
            named={name: self._connection.encode(value) for name, value in named.items()},
        )

    def __iter__(self) -> Iterator[Any]:
        items = self._ask(f"list({show(self)})", do="iterate")
        if type(items) is not list:
            raise ProtocolError("an iteration that is not a list")
        return iter(items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Proxy) and self._answer("eq", bool, other)

    def __format__(self, spec: str) -> str:
        return self._answer("format", str, spec)

    def __reversed__(self) -> Iterator[Any]:
        return iter(self._answer("reversed", list))

    def __contains__(self, item: Any) -> bool:
        return self._answer("contains", bool, item)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            key = self._connection.standard("builtins").slice(key.start, key.stop, key.step)
        return self._operate("getitem", key)

    def _ask(self, text: str, **question: Any) -> Any:
        return self._connection.ask(text, **question, on={"handle": self._number})

    def _operate(self, name: str, *others: Any) -> Any:
        args = [{"handle": self._number}, *map(self._connection.encode, others)]
        text = FORMS.get(name, name + "({})").format(*map(show, (self, *others)))
        return self._connection.ask(text, do="operate", name=name, args=args)

    def _answer(self, name: str, kind: type[T], *others: Any) -> T:
        """Return the operator's answer; raise TypeError if its type is not exactly `kind`."""
        answer = self._operate(name, *others)
        if type(answer) is not kind:
            operation = FORMS[name].format("x", "y") if name in FORMS else name
            wanted = f"not a {kind.__name__}"
            raise TypeError(f"`{operation}` of a {self._class} gave {answer!r}, {wanted}")
        return answer


# A proxy's `__setattr__` asks the program. These functions set the proxy's own attributes without
# asking. They are looked up only once, because thousands of proxies are made for a submission.
_set_class = vars(Proxy)["_class"].__set__
_set_connection = vars(Proxy)["_connection"].__set__
_set_number = vars(Proxy)["_number"].__set__
_set_text = vars(Proxy)["_text"].__set__


def _comparison(name: str) -> Callable[[Proxy, Any], bool]:
    def compare(self: Proxy, other: Any) -> bool:
        if not isinstance(other, Proxy):
            raise TypeError(f"a {self._class} came back, which is not a plain value")
        return self._answer(name, bool, other)

    return compare


def _conversion(name: str, kind: type[T]) -> Callable[[Proxy], T]:
    return lambda self: self._answer(name, kind)


def _operation(name: str) -> Callable[..., Any]:
    return lambda self, *others: self._operate(name, *others)


for _name in ("ne", "lt", "le", "gt", "ge"):
    setattr(Proxy, f"__{_name}__", _comparison(_name))
for _kind, _names in ((int, "hash len int"), (str, "str"), (float, "float"), (bool, "bool")):
    for _name in _names.split():
        setattr(Proxy, f"__{_name}__", _conversion(_name, _kind))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor"):
    setattr(Proxy, f"__{_name.rstrip('_')}__", _operation(_name))
for _name in ("neg", "setitem", "delitem"):
    setattr(Proxy, f"__{_name}__", _operation(_name))


def show(value: Any) -> str:
    """Return the value as messages show it. A proxy is shown as the expression that made it.

    A proxy is shown as its class if that expression is very long: in a loop, a line such as
    `table = play(table, table.hand[0])` doubles it each time.
    """
    if isinstance(value, Proxy):
        text = object.__getattribute__(value, "_text")
        expression = str(text if type(text) is str else text())
        return expression if len(expression) <= MAX_EXPRESSION else repr(value)
    if isinstance(value, list | tuple | set | frozenset) and any(
        isinstance(item, Proxy) for item in value
    ):
        items = ", ".join(map(show, value))
        if type(value) is list:
            return f"[{items}]"
        if type(value) is tuple:
            return f"({items})"
        return f"{{{items}}}"
    return show_plain(value)


def show_plain(value: Any) -> str:
    """Return the value as messages show it; a proxy inside it is shown as its class: `<Card>`."""
    try:
        return repr(value)
    except (ValueError, RecursionError):  # Python does not write a number with too many digits
        return f"<{type(value).__name__}, too large to show>"
