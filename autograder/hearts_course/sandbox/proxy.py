"""One of the submission's objects, as a suite holds it: calls, attributes and operators travel.

A proxy never equals a plain value and cannot be ordered against one: the question would carry the
expected value across.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from hearts_course.sandbox.worker.protocol import ProtocolError

if TYPE_CHECKING:
    from hearts_course.sandbox.client import Connection

T = TypeVar("T")

# How a question reads that is no call by name.
FORMS = {
    **{"eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "le": "{} <= {}", "gt": "{} > {}"},
    **{"ge": "{} >= {}", "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "neg": "-{}"},
    **{"contains": "{1} in {0}", "getitem": "{}[{}]", "setitem": "{}[{}] = {}"},
    **{"delitem": "del {}[{}]", "truediv": "{} / {}", "floordiv": "{} // {}", "mod": "{} % {}"},
    **{"and_": "{} & {}", "or_": "{} | {}", "xor": "{} ^ {}"},
}


class Proxy:
    """One of the submission's objects, reached by asking."""

    __slots__ = ("_class", "_connection", "_number", "_text")

    def __init__(self, connection: "Connection", number: int, kind: str, text: str) -> None:
        """`text` is the expression that led to the object, for messages."""
        for name, value in zip(self.__slots__, (kind, connection, number, text), strict=True):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Local on purpose: a failure's report must not wait for the submission."""
        return f"<{self._class}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__doc__", "__name__", "__dict__"):
            raise AttributeError(name)
        return self._connection.attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        text = f"{self._text}.{name} = {show(value)}"
        self._connection.forget_names()
        self._ask(text, do="set", name=name, value=self._connection.encode(value))

    def __delattr__(self, name: str) -> None:
        self._connection.forget_names()
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
            raise ProtocolError("an iteration that is no list")
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
    try:
        return repr(value)
    except (ValueError, RecursionError):  # Python writes no number of thousands of digits
        return f"<{type(value).__name__}>"
