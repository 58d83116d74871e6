"""The near side: what a suite holds of a submission, and the errors that its far side can cause.

    Connection   asks questions; `pipes` to another process, or a server in this one
    Proxy        one of the submission's objects: calls, attributes and operators travel
    FarError     what the submission raised, as its nearest built-in exception
    Stopped      the submission's process did not answer: too slow, gone, or talking nonsense

Plain values cross by value; only the submission's own objects are proxies. A proxy never equals a
plain value and cannot be ordered against one: the question would carry the expected value across.
"""

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from hearts_course.boundary.farside.server import BUILT_IN_ERRORS, Server
from hearts_course.boundary.farside.wire import WireError, decode, encode

MAX_NAME = 100

T = TypeVar("T")

# How a question reads that is no call by name.
FORMS = {
    **{"eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "le": "{} <= {}", "gt": "{} > {}"},
    **{"ge": "{} >= {}", "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "neg": "-{}"},
    **{"contains": "{1} in {0}", "getitem": "{}[{}]", "setitem": "{}[{}] = {}"},
    **{"delitem": "del {}[{}]", "truediv": "{} / {}", "floordiv": "{} // {}", "mod": "{} % {}"},
    **{"and_": "{} & {}", "or_": "{} | {}", "xor": "{} ^ {}"},
}


class Stopped(Exception):
    """The submission did not answer; it answers nothing more in this test, whoever catches this.

    No BaseException: pytest does not clean up after a fixture that raises one.
    """

    def __init__(self, kind: str, text: str) -> None:
        """`kind` is "timeout" or "crashed"; `text` is a sentence for the student."""
        super().__init__(text)
        self.kind = kind
        self.text = text


class FarError(Exception):
    """Something the submission raised; also an instance of its nearest built-in exception."""

    text: str
    kind: str
    where: tuple[str, int, str] | None

    def __str__(self) -> str:
        return self.text


@functools.cache
def _error_class(name: str) -> type[FarError]:
    built_in = BUILT_IN_ERRORS[name]
    try:
        kind = type(built_in.__name__, (FarError, built_in), {})
        kind("")
    except TypeError:
        return FarError
    return kind


def far_error(data: Any) -> FarError:
    """The exception that an answer describes; raises WireError if it describes none."""
    match data:
        case {"type": str(kind), "base": str(base), "text": str(text), "where": where}:
            error = _error_class(base if base in BUILT_IN_ERRORS else "Exception")(text)
            error.text, error.kind, error.where = text, kind[:MAX_NAME], _place(where)
            return error
    raise WireError("an error without a description")


def _place(where: Any) -> tuple[str, int, str] | None:
    match where:
        case [str(file), int(line), str(text)]:
            return file[:MAX_NAME], line, text
    return None


@dataclass(frozen=True)
class Finished:
    """A program that was run as a script: the bytes it wrote, and its exit status."""

    out: bytes
    err: bytes
    status: int


class Session:
    """A running program on the far side. Every wait in it ends with the test's time."""

    def __init__(self, far: Any) -> None:
        """`far` is the session's other half."""
        self._far = far

    def hear(self, *until: str) -> str:
        """What the program says, up to and including one of the texts, or until it ends."""
        heard = self._far.hear(list(until))
        if type(heard) is not str:
            raise WireError("a program whose words are no text")
        return heard

    def say(self, text: str) -> None:
        """Type the text; end it with a line break to have it read."""
        self._far.say(text)

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._far.interrupt()

    def end_input(self) -> None:
        """End the input: Ctrl-D in a terminal, otherwise a closed pipe."""
        self._far.end_input()

    def finish(self) -> Finished:
        """All that the program has said, and how it ended; waits until it does."""
        return _finished(self._far.finish())


def _finished(answer: Any) -> Finished:
    match answer:
        case (bytes(out), bytes(err), int(status)):
            return Finished(out, err, status)
    raise WireError("a finished program without output and status")


# Sends one question and returns the answer's data; raises FarError, WireError or Stopped.
Ask = Callable[[dict[str, Any]], Any]


class Connection:
    """Questions about one program, in the program's own words: modules, calls, operators."""

    def __init__(self, ask: Ask) -> None:
        """`ask` carries a question to the far side and brings its answer back."""
        self._ask = ask
        self.last_question = ""

    def module(self, name: str) -> Any:
        """One of the program's modules."""
        return self.ask(name, do="module", name=name)

    def standard(self, name: str) -> Any:
        """A module of the standard library, as it is on the far side."""
        return self.ask(name, **{"do": "import", "name": name})

    def run(self, name: str, *arguments: str, stdin: str | bytes = "") -> "Finished":
        """What the program did when it was run as a script, with these arguments and this input."""
        typed = stdin.encode() if isinstance(stdin, str) else stdin
        answer = self.ask(
            " ".join(["python", f"{name}.py", *arguments]),
            do="run",
            name=name,
            args=self.encode(list(arguments)),
            stdin=self.encode(typed),
        )
        return _finished(answer)

    def start(self, name: str, *arguments: str, terminal: bool = False) -> "Session":
        """The program as a script, running, to be talked to through pipes or a terminal."""
        text = " ".join(["python", f"{name}.py", *arguments])
        given = self.encode(list(arguments))
        return Session(self.ask(text, do="start", name=name, args=given, terminal=terminal))

    def ask(self, text: str, **question: Any) -> Any:
        """The answer to a question; `text` is how its result reads in a failure's message."""
        self.last_question = text
        return decode(self._ask(question), lambda data: self._proxy(data, text))

    def encode(self, value: Any) -> Any:
        """The value as it travels; raises TypeError for an object that belongs to the suite."""
        return encode(value, self._reference)

    def _reference(self, value: Any) -> dict[str, Any]:
        if type(value) is not Proxy or value._connection is not self:
            raise TypeError(
                f"a {type(value).__name__} cannot be handed to the program: plain values only"
            )
        return {"handle": value._number}

    def _proxy(self, data: dict[str, Any], text: str) -> "Proxy":
        match data:
            case {"handle": int(number), "class": str(kind)}:
                return Proxy(self, number, kind[:MAX_NAME], text)
        raise WireError("a handle without a number")


def local_ask(modules: Mapping[str, object]) -> Ask:
    """Asks a program in this process, where nobody needs to be kept out."""
    server = Server(modules)

    def ask(question: dict[str, Any]) -> Any:
        answer = server.answer({"id": 0} | question)
        if "error" in answer:
            raise far_error(answer["error"])
        return answer["value"]

    return ask


class Proxy:
    """One of the submission's objects, reached by asking."""

    __slots__ = ("_class", "_connection", "_number", "_text")

    def __init__(self, connection: Connection, number: int, kind: str, text: str) -> None:
        """`text` is the expression that led to the object, for messages."""
        for name, value in zip(self.__slots__, (kind, connection, number, text), strict=True):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Local on purpose: a failure's report must not wait for the submission."""
        return f"<{self._class}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__doc__", "__name__", "__dict__"):
            raise AttributeError(name)
        return self._ask(f"{self._text}.{name}", do="get", name=name)

    def __setattr__(self, name: str, value: Any) -> None:
        text = f"{self._text}.{name} = {show(value)}"
        self._ask(text, do="set", name=name, value=self._connection.encode(value))

    def __delattr__(self, name: str) -> None:
        self._ask(f"del {self._text}.{name}", do="del", name=name)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """What the object returns when it is called."""
        text = f"{self._text}({_arguments(args, named)})"
        return self._ask(
            text,
            do="call",
            args=[self._connection.encode(value) for value in args],
            named={name: self._connection.encode(value) for name, value in named.items()},
        )

    def __iter__(self) -> Iterator[Any]:
        items = self._ask(f"list({self._text})", do="iterate")
        if type(items) is not list:
            raise WireError("an iteration that is no list")
        return iter(items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Proxy) and self._answer("eq", bool, other)

    def __ne__(self, other: object) -> bool:
        if isinstance(other, Proxy):
            return self._answer("ne", bool, other)
        raise TypeError(f"a {self._class} came back, which is not a plain value")

    def __hash__(self) -> int:
        return self._answer("hash", int)

    def __len__(self) -> int:
        return self._answer("len", int)

    def __str__(self) -> str:
        return self._answer("str", str)

    def __int__(self) -> int:
        return self._answer("int", int)

    def __float__(self) -> float:
        return self._answer("float", float)

    def __bool__(self) -> bool:
        return self._answer("bool", bool)

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

    def __setitem__(self, key: Any, value: Any) -> None:
        self._operate("setitem", key, value)

    def __delitem__(self, key: Any) -> None:
        self._operate("delitem", key)

    def __neg__(self) -> Any:
        return self._operate("neg")

    def _ask(self, text: str, **question: Any) -> Any:
        return self._connection.ask(text, **question, on={"handle": self._number})

    def _operate(self, name: str, *others: Any) -> Any:
        args = [{"handle": self._number}, *map(self._connection.encode, others)]
        text = FORMS.get(name, name + "({})").format(*map(show, (self, *others)))
        return self._connection.ask(text, do="operate", name=name, args=args)

    def _answer(self, name: str, kind: type[T], *others: Any) -> T:
        """The operator's answer, of exactly that type; raises TypeError for any other."""
        answer = self._operate(name, *others)
        if type(answer) is not kind:
            raise TypeError(f"{name} of a {self._class} gave {answer!r}, not a {kind.__name__}")
        return answer


def _ordered(name: str) -> Callable[[Proxy, Any], bool]:
    def compare(self: Proxy, other: Any) -> bool:
        if not isinstance(other, Proxy):
            raise TypeError(f"a {self._class} came back, which is not a plain value")
        return self._answer(name, bool, other)

    return compare


def _arithmetic(name: str) -> Callable[[Proxy, Any], Any]:
    return lambda self, other: self._operate(name, other)


for _name in ("lt", "le", "gt", "ge"):
    setattr(Proxy, f"__{_name}__", _ordered(_name))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor"):
    _operation = f"{_name}_" if _name in ("and", "or") else _name
    setattr(Proxy, f"__{_name}__", _arithmetic(_operation))


def _arguments(args: tuple[Any, ...], named: dict[str, Any]) -> str:
    return ", ".join(
        [*map(show, args), *(f"{name}={show(value)}" for name, value in named.items())]
    )


def show(value: Any) -> str:
    """How a value reads in a message: a proxy as the expression that made it."""
    if isinstance(value, Proxy):
        return str(object.__getattribute__(value, "_text"))
    if isinstance(value, list | tuple | set | frozenset) and any(
        isinstance(v, Proxy) for v in value
    ):
        left, right = (
            "[]" if isinstance(value, list) else "()" if isinstance(value, tuple) else "{}"
        )
        return left + ", ".join(map(show, value)) + right
    return repr(value)
