"""The far side: load a submission's modules, then answer questions about them.

    question  {"id": n, "do": verb, ...}    answer  {"id": n, "value": v} or {"id": n, "error": e}
    load      the modules' source texts, limits, and whether tests get processes of their own;
              in a test: the source texts of a program for this test's process alone
    begin     a test starts: fork, so that its loop, crash or left-over state touches no other test
    end       the test is over: the forked process ends

Nothing here is a secret and nothing here is trusted: a submission may rewrite all of it, and can
then only lie about its own answers. What keeps it in is the sandbox around this process.
"""

import builtins
import functools
import importlib
import itertools
import math
import operator
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from .limits import adopt_orphans, die_with_parent, limit, limit_cpu, refuse_calls
from .script import ProgramFinder, run
from .wire import MAX_PROGRAM_BYTES, WireError, decode, encode, pack, unpack

# What is said before anything of the program's is there.
HELLO: dict[str, Any] = {"id": 0, "value": "ready"}
# What most programs import is imported once for all of those that tests bring.
OFTEN_IMPORTED = ("collections", "dataclasses", "enum", "functools", "random", "typing")
MAX_ITEMS = 10_000
MAX_TEXT = 2_000


def items(value: Any) -> list[Any]:
    """What one goes through in the value; raises ValueError if that is more than anybody needs."""
    found = list(itertools.islice(value, MAX_ITEMS + 1))
    if len(found) > MAX_ITEMS:
        raise ValueError(f"gave more than {MAX_ITEMS} items, and might never end")
    return found


OPERATIONS: dict[str, Callable[..., Any]] = {
    name: getattr(operator, name)
    for name in (
        *("eq", "ne", "lt", "le", "gt", "ge", "neg", "contains", "getitem", "setitem", "delitem"),
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor"),
    )
} | {
    "len": len,
    "hash": hash,
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "repr": repr,
    "list": items,
    "reversed": lambda value: items(reversed(value)),
    "format": format,
    "getattr": getattr,
}

BUILT_IN_ERRORS = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and name == kind.__name__
}


class Server:
    """Answers questions about one program; the objects it has handed out stay here, by number."""

    def __init__(self, modules: Mapping[str, object]) -> None:
        """`modules` are the program's modules (or any objects with attributes), by name."""
        self._modules = modules
        self._objects: list[Any] = []
        self._verbs: dict[str, Callable[[dict[str, Any]], Any]] = {
            "module": lambda q: self._modules[q["name"]],
            "load": self._load,
            "import": lambda q: importlib.import_module(q["name"]),
            "get": lambda q: getattr(self._value(q["on"]), q["name"]),
            "set": lambda q: setattr(self._value(q["on"]), q["name"], self._value(q["value"])),
            "del": lambda q: delattr(self._value(q["on"]), q["name"]),
            "call": self._call,
            "operate": lambda q: OPERATIONS[q["name"]](*map(self._value, q["args"])),
            "iterate": lambda q: items(self._value(q["on"])),
            "each": self._each,
            "start": self._start,
            "run": lambda q: run(q["name"], self._value(q["args"]), self._value(q["stdin"])),
        }

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer to one question; whatever the program raises is part of the answer."""
        try:
            value = self._verbs[question["do"]](question)
            return {"id": question["id"], "value": encode(value, self._handle)}
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return {"id": question["id"], "error": describe(error)}

    def _load(self, question: dict[str, Any]) -> None:
        """Import a program here; from then on it has the seconds of one test."""
        self._modules = load(question["modules"])
        limit_cpu(math.ceil(time.process_time()) + question["cpu_seconds"])

    def _start(self, question: dict[str, Any]) -> Any:
        from .session import Session

        return Session(question["name"], self._value(question["args"]), question["terminal"])

    def _call(self, question: dict[str, Any]) -> Any:
        function = self._value(question["on"])
        named = {name: self._value(value) for name, value in question["named"].items()}
        return function(*map(self._value, question["args"]), **named)

    def _each(self, question: dict[str, Any]) -> list[Any]:
        name = question["name"]
        function = OPERATIONS[name] if name else self._value(question["on"])
        columns = [items(self._value(column)) for column in question["columns"]]
        return [function(*row) for row in zip(*columns, strict=True)]

    def _value(self, data: Any) -> Any:
        return decode(data, lambda reference: self._objects[reference["handle"]])

    def _handle(self, value: Any) -> dict[str, Any]:
        self._objects.append(value)
        return {"handle": len(self._objects) - 1, "class": type(value).__name__}


def describe(error: BaseException) -> dict[str, Any]:
    """What was raised: its type, its nearest built-in type, its text, and where in the program."""
    kind = type(error)
    base = next(
        (k.__name__ for k in kind.__mro__ if k.__name__ in BUILT_IN_ERRORS), "BaseException"
    )
    try:
        text = str(error.msg if isinstance(error, SyntaxError) else error)[:MAX_TEXT]
    except Exception:
        text = ""
    return {"type": kind.__name__, "base": base, "text": text, "where": _where(error)}


def _where(error: BaseException) -> list[Any] | None:
    """The last line of the program's own that the error came through: file, number, text."""
    if isinstance(error, SyntaxError) and error.filename:
        return [error.filename, error.lineno or 0, (error.text or "").strip()[:MAX_TEXT]]
    own = [
        f for f in traceback.extract_tb(error.__traceback__) if f.filename in ProgramFinder.texts
    ]
    return [own[-1].filename, own[-1].lineno, (own[-1].line or "")[:MAX_TEXT]] if own else None


def load(sources: Mapping[str, str]) -> dict[str, object]:
    """The program's modules, imported; raises whatever importing them raises."""
    sys.meta_path.insert(0, ProgramFinder(sources))
    return {name: importlib.import_module(name) for name in sources}


class Channel:
    """The two pipes to the near side, moved out of the way of the program's standard streams."""

    def __init__(self) -> None:
        """Takes over descriptors 0 and 1; the program reads nothing and prints to descriptor 2."""
        self._in, self._out = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)

    def receive(self) -> dict[str, Any]:
        """The next question; raises EOFError when the near side is gone."""
        read = functools.partial(os.read, self._in)
        question: dict[str, Any] = unpack(read, MAX_PROGRAM_BYTES)
        return question

    def send(self, answer: dict[str, Any]) -> None:
        """Send one answer whole; one too large to send becomes an error of the program's."""
        try:
            frame = pack(answer)
        except WireError as error:
            frame = pack({"id": answer["id"], "error": describe(error)})
        while frame:
            frame = frame[os.write(self._out, frame) :]


def converse(channel: Channel, server: Server) -> None:
    """Answer one test's questions until it ends."""
    while (question := channel.receive())["do"] != "end":
        channel.send(server.answer(question))


def converse_in_child(channel: Channel, server: Server, cpu_seconds: int) -> str:
    """Answer one test's questions in a forked process; returns how that ended, "" if well."""
    child = os.fork()
    if child == 0:
        limit_cpu(cpu_seconds)
        die_with_parent()
        try:
            converse(channel, server)
        finally:
            os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return f"signal {-status}" if status < 0 else f"exit status {status}" if status else ""


def left_behind() -> bool:
    """Whether anything that was started from here still runs."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        return False
    return True


def main() -> None:
    """Serve one submission: load it, say how that went, then answer test after test."""
    channel = Channel()
    channel.send(HELLO)
    order = channel.receive()
    alone = not order["modules"]  # each test brings its own, and must not meet what another left
    try:
        limit(order["limits"])
        limit_cpu(order["import_seconds"], order["cpu_seconds"])
        die_with_parent()
        if alone:
            adopt_orphans()
            for name in OFTEN_IMPORTED:
                importlib.import_module(name)
        refuse_calls()
        server = Server(load(order["modules"]))
        limit_cpu(order["cpu_seconds"])
    except BaseException as error:
        channel.send({"id": order["id"], "error": describe(error)})
        return
    channel.send({"id": order["id"], "value": None})
    while True:
        begin = channel.receive()
        if begin["do"] != "begin":  # left over from a test whose process has died
            continue
        if order["fork"]:
            ended = converse_in_child(channel, server, begin["cpu_seconds"])
        else:
            converse(channel, server)
            ended = ""
        channel.send({"id": begin["id"], "ended": ended, "left": alone and left_behind()})
