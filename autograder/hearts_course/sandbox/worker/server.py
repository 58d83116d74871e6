"""The far side: run a submission's program, and answer questions about it.

    question  {"id": n, "do": verb, ...}    answer  {"id": n, "value": v} or {"id": n, "error": e}
    load      the modules' source texts, limits, and whether tests get processes of their own
    begin     a test starts, in a process of its own, which imports the program afresh, perhaps with
              some of its modules exchanged
    go_on     this test, or another one in the same process, has this time from now on; no answer
    end       the test is over: its process ends, and its parent tells how, by a pipe of its own

The process that is asked first runs nothing of the student's, so no test finds anything there that
an earlier one has left. A test's process does. It may rewrite all of this, and can then only lie
about its own answers: it has no other process's pipes, and the kernel lets it start none.

    this process ---- a test's process: imports the program, answers, ends
                  `-- a test that runs scripts: a process that starts them, and runs nothing of the
                      student's either; below it the program, and each script, by itself
"""

import builtins
import gc
import importlib
import itertools
import math
import operator
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from .protocol import (
    MAX_FRAME_BYTES,
    MAX_PROGRAM_BYTES,
    ProtocolError,
    decode,
    encode,
    pack,
    unpack,
    unpack_frame,
)
from .rlimits import (
    confine_program,
    confine_sandbox,
    die_with_parent,
    has_proc,
    limit,
    limit_cpu,
    limit_time,
)
from .script import ProgramFinder, close_all_but, run

# What is said before anything of the program's is there.
HELLO: dict[str, Any] = {"id": 0, "value": "ready"}
MAX_ITEMS = 10_000
MAX_TEXT = 2_000
CHUNK_BYTES = 2**16


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


SCRIPT_VERBS = frozenset({"run", "start", "hear", "say", "interrupt", "end_input", "finish"})


class Server:
    """Answers questions about one program; the objects it has handed out stay here, by number."""

    def __init__(self, modules: Mapping[str, object], *, confined: bool = False) -> None:
        """`modules` are the program's modules (or any objects with attributes), by name.

        `confined` scripts start no process.
        """
        self._modules = modules
        self._confined = confined
        self._objects: list[Any] = []
        self._sessions: list[Any] = []
        self._verbs: dict[str, Callable[[dict[str, Any]], Any]] = {
            "module": lambda q: self._modules[q["name"]],
            "import": lambda q: importlib.import_module(q["name"]),
            "get": lambda q: getattr(self._value(q["on"]), q["name"]),
            "set": lambda q: setattr(self._value(q["on"]), q["name"], self._value(q["value"])),
            "del": lambda q: delattr(self._value(q["on"]), q["name"]),
            "call": self._call,
            "operate": lambda q: OPERATIONS[q["name"]](*map(self._value, q["args"])),
            "iterate": lambda q: items(self._value(q["on"])),
            "each": self._each,
            "run": self._run,
            "start": self._start,
            "hear": lambda q: self._session(q).hear(self._value(q["until"])),
            "say": lambda q: self._session(q).say(q["typed"]),
            "interrupt": lambda q: self._session(q).interrupt(),
            "end_input": lambda q: self._session(q).end_input(),
            "finish": lambda q: self._session(q).finish(),
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

    def _run(self, question: dict[str, Any]) -> tuple[bytes, bytes, int]:
        arguments, typed = self._value(question["args"]), self._value(question["stdin"])
        return run(question["name"], arguments, typed, confined=self._confined)

    def _start(self, question: dict[str, Any]) -> Any:
        from .interactive import InteractiveProgram

        name, arguments = question["name"], self._value(question["args"])
        in_terminal = question["terminal"]
        self._sessions.append(
            InteractiveProgram(name, arguments, in_terminal, confined=self._confined)
        )
        return len(self._sessions) - 1

    def _session(self, question: dict[str, Any]) -> Any:
        return self._sessions[question["session"]]

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


class Channel:
    """Two pipes: frames come in by one, and go out by the other."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        """The descriptors of the pipes' ends."""
        self._in, self._out = incoming, outgoing

    def close(self) -> None:
        """Close both ends."""
        for end in {self._in, self._out}:
            os.close(end)

    def receive(self, most: int = MAX_FRAME_BYTES) -> dict[str, Any]:
        """The next question; raises EOFError when the near side is gone."""
        question: dict[str, Any] = unpack(self._read, most)
        return question

    def receive_frame(self) -> bytes:
        """The next frame, whatever is in it; raises EOFError when nobody is left to send one."""
        return unpack_frame(self._read)

    def send(self, answer: dict[str, Any]) -> None:
        """Send one answer whole; one too large to send becomes an error of the program's."""
        try:
            frame = pack(answer)
        except ProtocolError as error:
            frame = pack({"id": answer["id"], "error": describe(error)})
        self.send_frame(frame)

    def send_frame(self, frame: bytes) -> None:
        """Send the frame whole."""
        while frame:
            frame = frame[os.write(self._out, frame) :]

    def _read(self, size: int) -> bytes:
        return os.read(self._in, size)


def take_over() -> tuple[Channel, Channel]:
    """Move the standard streams away: the program reads nothing, and what it prints is lost.

    Returns the channel that questions come by and answers go by, and the one by which only this
    process tells how a test's process has ended.
    """
    incoming, outgoing, telling = os.dup(0), os.dup(1), os.dup(2)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)
    return Channel(_relayed(incoming), outgoing), Channel(telling, telling)


def _relayed(incoming: int) -> int:
    """Return a socket by which all comes that comes by the pipe, where `/proc` can be reached.

    There a process can open its pipes again, for writing too, and so ask in the grader's place. A
    socket cannot be opened again. A process of its own, out of reach, passes on what the pipe says.
    """
    if not has_proc():
        return incoming
    import socket

    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        with _last_of_this_process():
            die_with_parent()
            close_all_but(incoming, theirs.fileno())
            while chunk := os.read(incoming, CHUNK_BYTES):
                theirs.sendall(chunk)
    theirs.close()
    os.close(incoming)
    return ours.detach()


def converse(channel: Channel, server: Server) -> None:
    """Answer one test's questions until it ends."""
    while (question := channel.receive())["do"] != "end":
        if question["do"] == "go_on":
            limit_time(question["cpu_seconds"], question["clock_seconds"])
        else:
            channel.send(server.answer(question))
    limit_time(0, 0)


def import_all(names: list[str]) -> dict[str, object]:
    """The program's modules, imported; raises whatever importing them raises."""
    return {name: importlib.import_module(name) for name in names}


class Tests:
    """What is the same for every test of a program that forks: its modules, and their limits."""

    def __init__(
        self, order: dict[str, Any], finder: ProgramFinder, channel: Channel, telling: Channel
    ) -> None:
        """The order to load the program, what finds its modules, and both channels."""
        self._finder = finder
        self._channel, self._telling = channel, telling
        self._names = list(order["modules"])
        self._import_seconds = order["import_seconds"]
        self._confined = order["confined"]

    def run(self, begin: dict[str, Any]) -> None:
        """Let a process of its own answer a test's questions, and tell how it has ended.

        It cannot tell that itself: it has no end of that pipe.
        """
        child = os.fork()
        if child == 0:
            with _last_of_this_process():
                die_with_parent()
                self._telling.close()
                if begin["exchanges"]:  # this process reads it, so that no later one finds it here
                    self._finder.exchange(self._channel.receive()["modules"])
                if begin["scripts"]:
                    self._host_scripts(self._channel, begin)
                else:
                    self._host_program(self._channel, begin)
        self._telling.send({"id": begin["id"]} | _how_it_ended(child))

    def _host_program(self, channel: Channel, begin: dict[str, Any]) -> None:
        """Import the program here, and answer the test's questions."""
        if (server := self._imported(channel, begin)) is not None:
            channel.send({"id": begin["id"], "value": time.process_time()})
            converse(channel, server)

    def _imported(self, channel: Channel, begin: dict[str, Any]) -> Server | None:
        """The server of the program, imported here; None, and the error told, if that fails."""
        limit_cpu(math.ceil(self._import_seconds + begin["cpu_seconds"]))
        limit_time(self._import_seconds, 0)
        if self._confined:
            confine_program()
        gc.disable()  # there is nothing to collect yet
        try:
            server = Server(import_all(self._names))
        except BaseException as error:
            channel.send({"id": begin["id"], "error": describe(error)})
            return None
        gc.enable()
        limit_time(0, 0)
        return server

    def _host_scripts(self, channel: Channel, begin: dict[str, Any]) -> None:
        """Start scripts, and pass what is asked about the program's objects on to a process of it.

        Nothing of the student's runs here, so this process may start others.
        """
        # Each script, and the program, inherits it, and has used none of it.
        limit_cpu(math.ceil(self._import_seconds + begin["cpu_seconds"]))
        scripts, program = Server({}, confined=self._confined), None
        channel.send({"id": begin["id"], "value": None})
        while (question := channel.receive())["do"] != "end":
            if question["do"] == "go_on":
                limit_time(question["cpu_seconds"], question["clock_seconds"])
            elif question["do"] in SCRIPT_VERBS:
                channel.send(scripts.answer(question))
            else:
                program = program or self._program_below(question["id"], begin)
                channel.send_frame(program.ask(question))
        if program is not None:
            program.end()

    def _program_below(self, number: int, begin: dict[str, Any]) -> "ProgramUnderTest":
        """A process below this one that answers questions about the program."""
        (theirs, to_them), (from_them, ours) = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            with _last_of_this_process():
                die_with_parent()
                close_all_but(theirs, ours)
                inner = Channel(theirs, ours)
                if (server := self._imported(inner, {**begin, "id": number})) is not None:
                    limit_time(begin["cpu_seconds"], 0)
                    converse(inner, server)
        os.close(theirs)
        os.close(ours)
        return ProgramUnderTest(child, Channel(from_them, to_them))


class ProgramUnderTest:
    """A process below this one that runs the program, and is asked through two pipes."""

    def __init__(self, child: int, channel: Channel) -> None:
        """The number of the process, and its pipes."""
        self._child, self._channel = child, channel

    def ask(self, question: dict[str, Any]) -> bytes:
        """The frame that it answers with; if it has ended, this process ends in the same way."""
        with suppress(BrokenPipeError):
            self._channel.send_frame(pack(question))
        try:
            return self._channel.receive_frame()
        except (EOFError, ProtocolError):
            _end_like(self._child)

    def end(self) -> None:
        """End it; the processor time that it used counts as this process's."""
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)


@contextmanager
def _last_of_this_process() -> Iterator[None]:
    """Whatever is done here is the last that this process does."""
    try:
        yield
    finally:
        os._exit(0)


def _how_it_ended(child: int) -> dict[str, Any]:
    _, waited, usage = os.wait4(child, 0)
    status = os.waitstatus_to_exitcode(waited)
    ended = f"signal {-status}" if status < 0 else f"exit status {status}" if status else ""
    return {"ended": ended, "cpu_seconds": usage.ru_utime + usage.ru_stime}


def _end_like(child: int) -> NoReturn:
    """End this process as the child has ended, or is now made to."""
    os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status < 0:
        with suppress(OSError):  # of a signal that nobody can catch
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status or 1)


def main() -> None:
    """Serve one submission: get ready to run it, then answer test after test."""
    channel, telling = take_over()
    channel.send(HELLO)
    order = channel.receive(MAX_PROGRAM_BYTES)
    limit(order["limits"])
    die_with_parent()
    if order["confined"]:
        confine_sandbox()
    finder = ProgramFinder(order["modules"])
    if order["fork"]:
        finder.prepare()  # not yet found by imports: none of it may run here
    sys.meta_path.insert(0, finder)
    if order["fork"]:
        serve(channel, Tests(order, finder, channel, telling), order["id"])
    else:
        serve_here(channel, telling if order["apart"] else channel, order)


def serve(channel: Channel, tests: Tests, number: int) -> None:
    """Answer each test in a process of its own."""
    channel.send({"id": number, "value": None})
    gc.freeze()  # what is here is shared with every test's process, and never changes
    while True:
        begin = channel.receive()
        if begin["do"] == "begin":  # anything else is left over from a test whose process has died
            tests.run(begin)


def serve_here(channel: Channel, telling: Channel, order: dict[str, Any]) -> None:
    """Answer all tests in this process, with the program imported once."""
    limit_cpu(order["import_seconds"], order["cpu_seconds"])
    try:
        server = Server(import_all(list(order["modules"])))
    except BaseException as error:
        channel.send({"id": order["id"], "error": describe(error)})
        return
    limit_cpu(order["cpu_seconds"])
    channel.send({"id": order["id"], "value": None})
    while True:
        begin = channel.receive()
        if begin["do"] == "begin":
            channel.send({"id": begin["id"], "value": None})
            converse(channel, server)
            telling.send({"id": begin["id"], "ended": ""})
