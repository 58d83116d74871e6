"""The worker: run a submission's program, and answer questions about it.

    question  {"id": n, "do": verb, ...}
    answer    {"id": n, "value": v}, with "printed": true if the program printed; or
              {"id": n, "error": e}
    late      {"id": n, "late": place} comes before an answer if the time is nearly over; the place
              is where the program is running

These verbs do not ask about the program:

    load      the modules' source texts, limits, and whether each test gets its own process
    begin     start a test in its own process, which imports the program, perhaps with some of its
              modules exchanged
    go_on     set a new time limit for this test, or for the next test in the same process; this
              question has no answer
    end       end the test's process; its parent reports by a separate pipe how the process ended

If each test has its own process, the first process runs no student code. So no test can leave
anything there for a later test. Student code may rewrite this module in its own process, but then
it can only lie about its own answers. It has no pipe of another process, and in a sandbox the
kernel does not let it start a process.

    first process ---- a test's process: imports the program, answers, ends
                   `-- a test that runs scripts: a process that starts them and runs no student
                       code; below it the program, and each script in its own process
"""

import builtins
import gc
import importlib
import itertools
import linecache
import math
import operator
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from types import FrameType
from typing import Any, NoReturn

from . import rlimits
from .kernel import (
    NoProcess,
    adopt_orphans,
    die_with_parent,
    start_child,
    use_up_process_numbers,
)
from .landlock import give_up_files
from .protocol import (
    BUILT_IN_ERRORS,
    HELLO,
    MAX_CALLS,
    MAX_FRAME_BYTES,
    MAX_PROGRAM_BYTES,
    MAX_TEXT,
    NAMED,
    NOT_STARTED,
    ProtocolError,
    decode,
    encode,
    from_json,
    read_frame,
    read_message,
    take_message,
    to_frame,
)
from .rlimits import limit_cpu, limit_time, note_when_late, report_calls
from .script import (
    CHUNK_BYTES,
    InteractiveScript,
    ProgramFinder,
    avoided_functions_run,
    close_all_but,
    compile_script,
    line_of,
    run_script,
)
from .seccomp import confine_program, confine_sandbox

MAX_ITEMS = 10_000
# The most process numbers that are skipped between the processes of two tests. A random count hides
# how many tests came before. Larger counts would not hide it better, and each number takes time.
MAX_SKIPPED = 16
# The exit status of a process that should start scripts but could not.
NOT_STARTED_STATUS = 71  # the value of EX_OSERR in `sysexits.h`
# Files that the worker opens for a script at a terminal; student code cannot open them.
TERMINALS = ("/dev/ptmx", "/dev/pts")
SCRIPT_VERBS = frozenset({"run", "start", "expect", "send", "interrupt", "end_input", "finish"})


def items(value: Any) -> list[Any]:
    """Return the items of an iterable; raise RuntimeError if there are too many."""
    values = list(itertools.islice(value, MAX_ITEMS + 1))
    if len(values) > MAX_ITEMS:
        raise RuntimeError(f"gave more than {MAX_ITEMS} items, and might never end")
    return values


OPERATIONS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(operator, name)
        for name in (
            *("eq", "ne", "lt", "le", "gt", "ge", "neg", "contains", "getitem", "setitem"),
            *("delitem", "add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor"),
        )
    },
    **{kind.__name__: kind for kind in (str, int, float, bool)},
    **{"len": len, "hash": hash, "repr": repr, "format": format, "getattr": getattr},
    **{"list": items, "reversed": lambda value: items(reversed(value))},
}


class Server:
    """Answers questions about one program, and keeps the objects that it sent as handles."""

    def __init__(
        self, modules: Mapping[str, object], *, confined: bool = False, has_user: bool = False
    ) -> None:
        """`modules` maps names to the program's modules, or to any objects with attributes.

        With `confined`, scripts cannot start a process. With `has_user`, a person may press Ctrl-C,
        so a KeyboardInterrupt is raised and not sent as an answer.
        """
        self._modules = modules
        self._has_user = has_user
        self._confined = confined
        self._objects: list[Any] = []
        self._named: dict[str, Any] = {}
        self._scripts: list[InteractiveScript] = []
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
            "expect": lambda q: self._scripts[q["script"]].expect(self._value(q["until"])),
            "send": lambda q: self._scripts[q["script"]].send(q["typed"]),
            "interrupt": lambda q: self._scripts[q["script"]].interrupt(),
            "end_input": lambda q: self._scripts[q["script"]].end_input(),
            "finish": lambda q: self._scripts[q["script"]].finish(),
        }

    def forget(self) -> None:
        """Forget all numbered objects, and end all scripts. The next numbers begin at 0 again."""
        self._objects.clear()
        for script in self._scripts:
            script.close()
        self._scripts.clear()

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to one question; an exception of the program is an answer too."""
        try:
            with NotedOutput() as output:
                value = self._verbs[question["do"]](question)
            answer = {"id": question["id"], "value": encode(value, self._handles(question))}
            return answer | {"printed": True} if output.printed else answer
        except NoProcess:
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and self._has_user:
                raise
            return {"id": question["id"], "error": describe(error)}

    def _run(self, question: dict[str, Any]) -> tuple[bytes, bytes, int]:
        arguments = self._value(question["args"])
        typed = self._value(question["stdin"])
        return run_script(question["name"], arguments, typed, confined=self._confined)

    def _start(self, question: dict[str, Any]) -> int:
        code = compile_script(question["name"], self._value(question["args"]))
        terminal = question["terminal"]
        self._scripts.append(InteractiveScript(code, terminal=terminal, confined=self._confined))
        return len(self._scripts) - 1

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
        return decode(data, self._object)

    def _object(self, reference: dict[str, Any]) -> Any:
        handle = reference["handle"]
        return (self._named if type(handle) is str else self._objects)[handle]

    def _handles(self, question: dict[str, Any]) -> Callable[[Any], dict[str, Any]]:
        """Return the function that makes the handles in the answer to this question.

        The handle of a module is its name, such as "cards". An attribute of an object with a name
        gets both names, such as "cards.Card".
        """
        verb = question["do"]
        if verb == "module":
            return partial(self._named_handle, question["name"])
        if verb == "get" and type(owner := question["on"]["handle"]) is str:
            return partial(self._named_handle, f"{owner}.{question['name']}")
        return self._handle

    def _named_handle(self, name: str, value: Any) -> dict[str, Any]:
        kind = type(value).__name__
        # Each access to a method makes a new object, so the name goes to the newest object.
        may_have_name = kind == "method" or self._named.get(name, value) is value
        if kind not in NAMED or not may_have_name:  # the name stays with the earlier object
            return self._handle(value)
        self._named[name] = value
        return {"handle": name, "class": kind}

    def _handle(self, value: Any) -> dict[str, Any]:
        self._objects.append(value)
        return {"handle": len(self._objects) - 1, "class": type(value).__name__}


class NotedOutput:
    """Takes the place of standard output for one question; `printed` says if anything came."""

    printed = False

    def __enter__(self) -> "NotedOutput":
        self._stream = sys.stdout
        if self._stream is not None:
            sys.stdout = self
        return self

    def __exit__(self, *exc: object) -> None:
        if sys.stdout is self:
            sys.stdout = self._stream

    def write(self, text: str) -> int:
        """Remember that something is printed; write the text to the stream that was replaced."""
        self.printed = True
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def describe(error: BaseException) -> dict[str, Any]:
    """Return an error's type, nearest built-in type, text, and place in the program."""
    kinds = (kind for kind in type(error).__mro__ if BUILT_IN_ERRORS.get(kind.__name__) is kind)
    try:
        text = str(error.msg if isinstance(error, SyntaxError) else error)[:MAX_TEXT]
    except Exception:
        text = ""
    base = next(kinds, BaseException).__name__
    calls = _calls(error)
    description = {"type": type(error).__name__, "base": base, "text": text}
    return description | {"where": _where(error, calls), "calls": calls}


def calls_of(frame: FrameType | None) -> list[FrameType]:
    """Return the running calls of the program's functions, with the innermost call last."""
    calls = []
    while frame is not None:
        if frame.f_code.co_filename in ProgramFinder.texts:
            calls.append(frame)
        frame = frame.f_back
    return [*reversed(calls)]


def describe_place(frames: Sequence[FrameType], earlier: Sequence[FrameType]) -> dict[str, Any]:
    """Return the place of a running program, in the form of an error without a text.

    `frames` are the calls that run now, `earlier` the calls that ran at half of the time. The
    endless loop is in the last call that ran both times. If no call ran both times, the place is
    empty, because a loop outside of the program may call the program again and again.
    """
    lasting = [frame for frame in frames if any(frame is old for old in earlier)]
    calls: list[tuple[str, int]] = []
    for frame in lasting[-MAX_CALLS:]:
        line = line_of(frame.f_lineno, frame.f_code, frame.f_lasti)
        calls.append((frame.f_code.co_filename, line))
    where = [*calls[-1], _line_at(*calls[-1])] if calls else None
    return {"type": "", "base": "Exception", "text": "", "where": where, "calls": calls}


def _line_at(file: str, line: int) -> str:
    return linecache.getline(file, line).strip()[:MAX_TEXT]


def _calls(error: BaseException) -> list[tuple[str, int]]:
    """Return the files and numbers of the last MAX_CALLS lines that the error came through."""
    calls: deque[tuple[str, int]] = deque(maxlen=MAX_CALLS)
    step = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file in ProgramFinder.texts:
            line = line_of(step.tb_lineno, step.tb_frame.f_code, step.tb_lasti)
            calls.append((file, line))
        step = step.tb_next
    return list(calls)


def _where(error: BaseException, calls: Sequence[tuple[str, int]]) -> list[Any] | None:
    """Return the last line of the program that the error came through: file, number, text."""
    if isinstance(error, SyntaxError) and error.filename:
        file = error.filename
        line = error.lineno or 0
        text = error.text or ""
        # Python may have taken `error.text` from a file of the same name in the current folder.
        if file in ProgramFinder.texts:
            text = (ProgramFinder.texts[file].split("\n")[line - 1 : line] or [""])[0]
        return [file, line, text.strip()[:MAX_TEXT]]
    return [*calls[-1], _line_at(*calls[-1])] if calls else None


class Channel:
    """Two pipes: one for incoming and one for outgoing frames."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._in = incoming
        self._out = outgoing
        self._received = bytearray()

    @property
    def ends(self) -> set[int]:
        """Descriptors of both pipes."""
        return {self._in, self._out}

    def close(self) -> None:
        """Close both pipes."""
        for end in self.ends:
            os.close(end)

    def receive(self, limit: int = MAX_FRAME_BYTES) -> dict[str, Any]:
        """Return the next question; raise EOFError when the client is gone."""
        question: dict[str, Any] = read_message(self._read, limit)
        return question

    def receive_next(self) -> dict[str, Any]:
        """Return the next question, and keep for later calls anything that was sent after it.

        Use this only if no other process reads from the same pipe.
        """
        while not (message := take_message(self._received)):
            chunk = os.read(self._in, CHUNK_BYTES)
            if not chunk:
                raise EOFError
            self._received += chunk
        question: dict[str, Any] = from_json(message)
        return question

    def receive_frame(self) -> bytes:
        """Return the next frame without decoding it; raise EOFError when the sender is gone."""
        return read_frame(self._read)

    def send(self, answer: dict[str, Any]) -> None:
        """Send one answer. If it is too large, send an error instead."""
        try:
            frame = to_frame(answer)
        except ProtocolError as error:
            frame = to_frame({"id": answer["id"], "error": describe(error)})
        self.send_frame(frame)

    def send_frame(self, frame: bytes) -> None:
        """Send the whole frame."""
        while frame:
            frame = frame[os.write(self._out, frame) :]

    def _read(self, size: int) -> bytes:
        return os.read(self._in, size)


def take_over() -> tuple[Channel, Channel]:
    """Replace the standard streams: the program reads nothing, and its output is lost.

    Return two channels: one for questions and answers, and one by which only the first process
    reports how a test's process ended.
    """
    incoming = os.dup(0)
    outgoing = os.dup(1)
    telling = os.dup(2)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)
    return Channel(incoming, outgoing), Channel(telling, telling)


def converse(channel: Channel, server: Server) -> None:
    """Answer one test's questions until it ends."""
    asked: int | None = None
    noted = False
    earlier: dict[int, list[FrameType]] = {}  # for each timer, the calls at half of the time

    def note(timer: int, frame: FrameType | None, is_late: bool) -> None:
        """At half of the time, remember the calls; near the end of the time, send the place.

        Do nothing between two questions, because then the test itself uses the time.
        """
        nonlocal noted
        if asked is None or noted:
            return
        if not is_late:
            earlier[timer] = calls_of(frame)
        elif timer in earlier:
            noted = True
            place = describe_place(calls_of(frame), earlier[timer])
            channel.send({"id": asked, "late": place})

    while (question := channel.receive_next())["do"] != "end":
        if question["do"] == "go_on":
            server.forget()
            limit_time(question["cpu_seconds"], question["clock_seconds"])
            earlier.clear()
            noted = False
            note_when_late(question["cpu_seconds"], question["clock_seconds"], note)
        else:
            asked = question["id"]
            answer = server.answer(question)
            asked = None
            channel.send(answer)
    limit_time(0, 0)
    note_when_late(0, 0, note)
    earlier.clear()


class TestStarter:
    """Starts a process for each test; holds what all tests of a program share."""

    def __init__(
        self, order: dict[str, Any], finder: ProgramFinder, channel: Channel, telling: Channel
    ) -> None:
        """`order` is the "load" message; `finder` finds the program's modules."""
        self._order = order
        self._finder = finder
        self._channel = channel
        self._telling = telling
        self._import_seconds = order["import_seconds"]
        self._confined = order["confined"]

    def run(self, begin: dict[str, Any]) -> None:
        """Let a new process answer a test's questions; then report how it ended.

        Only this process can report the end, because the new process closes its pipe for reports.
        First skip some process numbers, because the number of the new process would otherwise tell
        how many tests came before.
        """
        if begin["scripts"]:
            import traceback  # noqa: F401 - once for all scripts, of which some end with a traceback
        self._skip_process_numbers()
        try:
            child = start_child(os.fork)
        except NoProcess:
            self._telling.send({"id": begin["id"], "ended": NOT_STARTED})
            return
        if child == 0:
            with _exit_afterwards():
                die_with_parent()
                self._telling.close()
                if begin["exchanges"]:  # the texts are read here, so that no later process has them
                    self._finder.exchange(self._channel.receive()["modules"])
                if begin["scripts"]:
                    self._host_scripts(self._channel, begin)
                else:
                    self._host_program(self._channel, begin)
        _, waited, usage = os.wait4(child, 0)
        self._reap_orphans()
        status = os.waitstatus_to_exitcode(waited)
        ended = ""
        if begin["scripts"] and status == NOT_STARTED_STATUS:
            ended = NOT_STARTED
        elif status < 0:
            ended = f"signal {-status}"
        elif status:
            ended = f"exit status {status}"
        used = usage.ru_utime + usage.ru_stime
        self._telling.send({"id": begin["id"], "ended": ended, "cpu_seconds": used})

    def _skip_process_numbers(self) -> None:
        if self._confined:
            use_up_process_numbers(os.urandom(1)[0] % MAX_SKIPPED)

    def _reap_orphans(self) -> None:
        """Wait for the scripts that the test has left running; they end when their parent ends.

        A dead process counts for its user's limit until its parent has waited for it. Without a
        sandbox, the program may have started processes that still run: do not wait for these.
        """
        options = 0 if self._confined else os.WNOHANG
        with suppress(ChildProcessError):
            while os.waitpid(-1, options)[0]:
                continue

    def _host_program(self, channel: Channel, begin: dict[str, Any]) -> None:
        server = self._imported(begin)
        channel.send({"id": begin["id"], "value": time.process_time()})
        converse(channel, server)

    def _imported(self, begin: dict[str, Any]) -> Server:
        """Import the program in this process; return the server that answers about it."""
        limit_cpu(math.ceil(self._import_seconds + begin["cpu_seconds"]))
        limit_time(self._import_seconds, 0)
        if self._confined:
            confine_program()
        gc.disable()  # there is nothing to collect yet
        with avoided_functions_run() if self._order["avoided"] else nullcontext():
            server = Server(ImportedModules(self._order["modules"]))
        gc.enable()
        limit_time(0, 0)
        return server

    def _host_scripts(self, channel: Channel, begin: dict[str, Any]) -> None:
        """Start scripts, and pass questions about the program's objects to a child process.

        No student code runs here, so this process may start others.
        """
        # The program and each script inherit this limit, and count their own time from 0.
        limit_cpu(math.ceil(self._import_seconds + begin["cpu_seconds"]))
        scripts = Server({}, confined=self._confined)
        program = None
        channel.send({"id": begin["id"], "value": None})
        while (question := channel.receive())["do"] != "end":
            if question["do"] == "go_on":
                scripts.forget()
                self._skip_process_numbers()
                limit_time(question["cpu_seconds"], question["clock_seconds"])
            elif question["do"] in SCRIPT_VERBS:
                channel.send(scripts.answer(question))
            else:
                program = program or self._program_below(begin)
                channel.send_frame(program.ask(question))
        if program is not None:
            program.end()

    def _program_below(self, begin: dict[str, Any]) -> "ProgramBelow":
        (theirs, to_them) = os.pipe()
        (from_them, ours) = os.pipe()
        child = start_child(os.fork)
        if child == 0:
            with _exit_afterwards():
                die_with_parent()
                close_all_but(theirs, ours)
                server = self._imported(begin)
                limit_time(begin["cpu_seconds"], 0)
                converse(Channel(theirs, ours), server)
        os.close(theirs)
        os.close(ours)
        return ProgramBelow(child, Channel(from_them, to_them))


class ImportedModules(dict[str, object]):
    """The program's modules, keyed by name. Looking up a module that failed raises its error."""

    def __init__(self, names: Iterable[str]) -> None:
        """Import each module by itself, because an error in one must not cost the others."""
        super().__init__()
        self._errors: dict[str, BaseException] = {}
        for name in names:
            try:
                self[name] = importlib.import_module(name)
            except BaseException as error:
                self._errors[name] = error

    def __missing__(self, name: str) -> object:
        raise self._errors.get(name) or ModuleNotFoundError(f"No module named {name!r}")


class ProgramBelow:
    """A child process that runs the program and answers through two pipes."""

    def __init__(self, child: int, channel: Channel) -> None:
        self._child = child
        self._channel = channel

    def ask(self, question: dict[str, Any]) -> bytes:
        """Return the program's answer as a frame.

        If the program has ended, end this process in the same way.
        """
        with suppress(BrokenPipeError):
            self._channel.send_frame(to_frame(question))
        try:
            return self._channel.receive_frame()
        except (EOFError, ProtocolError):
            _end_like(self._child)

    def end(self) -> None:
        """End the program; its processor time is added to that of this process."""
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)


@contextmanager
def _exit_afterwards() -> Iterator[None]:
    """Exit this process at the end of the block, even after an error."""
    status = 0
    try:
        yield
    except NoProcess:
        status = NOT_STARTED_STATUS
    finally:
        os._exit(status)


def _end_like(child: int) -> NoReturn:
    """End this process as the child has ended. If the child still runs, kill it first."""
    os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status < 0:
        with suppress(OSError):  # SIGKILL has no handler to reset
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    # A program may choose any status. But the parent would read 0 as a normal end, and
    # NOT_STARTED_STATUS as a process that could not start the scripts.
    os._exit(1 if status in (0, NOT_STARTED_STATUS) else status)


def serve_submission(*, confined: bool) -> None:
    """Serve one submission: give up files, read the program, confine, answer test after test."""
    die_with_parent()
    channel, telling = take_over()
    vars(builtins).update(exit=sys.exit, quit=sys.exit)  # a student's own Python has these two
    if confined:
        close_all_but(*channel.ends, *telling.ends)  # C libraries keep files open as well
        give_up_files(TERMINALS)
    channel.send(HELLO)
    order = channel.receive(MAX_PROGRAM_BYTES) | {"confined": confined}
    rlimits.stay_on(order["processors"])
    rlimits.apply(order["limits"])
    adopt_orphans()
    if confined:
        confine_sandbox()
    finder = ProgramFinder(order["modules"])
    finder.avoid(map(tuple, order["avoided"]))
    if order["fork"]:
        finder.prepare()  # imports do not find the program yet, because it must not run here
    sys.meta_path.insert(0, finder)
    if order["fork"]:
        serve_tests(channel, TestStarter(order, finder, channel, telling), order["id"])
    else:
        serve_here(channel, telling, order)


def serve_tests(channel: Channel, starter: TestStarter, number: int) -> None:
    """Answer each test in its own process."""
    channel.send({"id": number, "value": None})
    gc.freeze()  # the objects made so far never change, and the tests' processes share them
    while True:
        begin = channel.receive()
        if begin["do"] == "begin":  # other questions are left over from a test that died
            starter.run(begin)


def serve_here(channel: Channel, telling: Channel, order: dict[str, Any]) -> None:
    """Answer all tests in this process, with the program imported once.

    Once a test's time is over, the running calls are written to the pipe for reports as plain text
    and not as a message.
    """
    limit_cpu(order["import_seconds"], order["cpu_seconds"])
    (descriptor,) = telling.ends  # the channel has the same descriptor for both directions
    report_calls(descriptor)
    # End the import one second early, with a report, because `limit_cpu` and the client would end
    # it without a report.
    limit_time(order["import_seconds"] - 1, order["import_clock_seconds"])
    with avoided_functions_run():
        server = Server(ImportedModules(order["modules"]))
    limit_time(0, 0)
    limit_cpu(order["cpu_seconds"])
    channel.send({"id": order["id"], "value": None})
    while True:
        begin = channel.receive()
        if begin["do"] == "begin":
            channel.send({"id": begin["id"], "value": None})
            converse(channel, server)
            telling.send({"id": begin["id"], "ended": ""})
