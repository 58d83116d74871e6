"""Ask a submission questions, in the sandbox or in this process.

Plain values are sent and returned as copies. The submission's own objects are returned as proxies.
"""

import operator
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hearts_course.sandbox.answers import MAX_NAME, Proxy, SubmissionStopped, remote_error, show
from hearts_course.sandbox.worker.protocol import (
    MAX_FRAME_BYTES,
    NAMED,
    NAMESPACES,
    ProtocolError,
    SizeBudget,
    decode,
    encode,
)

KILLED = -9  # the exit status after SIGKILL
OUT_OF_TIME = (-24, -27)  # the exit statuses after SIGXCPU and SIGPROF
# `Connection` remembers names by their owner's number. No object owns a module, so a module has
# this number.
MODULES = -1
# At most this many answers are kept. They are kept for the message about a failed test, which may
# show an answer.
MAX_REMEMBERED = 1000
MAX_REMEMBERED_BYTES = MAX_FRAME_BYTES  # for all kept answers together; one answer always fits

COMPARISONS = frozenset(
    {operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge}
)
EXACT_TYPES: dict[Callable[..., Any], type] = {
    **{kind: kind for kind in (str, int, float, bool, list)},
    **{len: int, hash: int, repr: str},
    **dict.fromkeys(COMPARISONS, bool),
}

# Sends one question and returns the answer's data. Raises RemoteError, ProtocolError or
# SubmissionStopped.
Ask = Callable[[dict[str, Any]], Any]


@dataclass(frozen=True)
class FinishedScript:
    """A script's output as bytes, and its exit status."""

    out: bytes
    err: bytes
    status: int


class RunningScript:
    """A running script that a test talks to.

    A wait for the script ends at the latest when the test's time is over.
    """

    def __init__(self, connection: "Connection", number: int) -> None:
        self._connection = connection
        self._number = number

    def expect(self, *until: str) -> str:
        """Return what the script prints until one of the texts has come, or the script ends."""
        match self._ask("expect", until=self._connection.encode(list(until))):
            case (str(printed), None | int() as status):
                _check_status(status)
                return printed
        raise ProtocolError("a script's output that is not text")

    def send(self, text: str) -> None:
        """Type the text; a line break at its end sends it."""
        self._ask("send", typed=text)

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._ask("interrupt")

    def end_input(self) -> None:
        """End the input: Ctrl-D in a terminal, otherwise a closed pipe."""
        self._ask("end_input")

    def finish(self) -> FinishedScript:
        """Wait until the script ends; return all of its output and its exit status."""
        return _finished(self._ask("finish"))

    def _ask(self, verb: str, **details: Any) -> Any:
        return self._connection.ask(verb, do=verb, script=self._number, **details)


def _finished(answer: Any) -> FinishedScript:
    match answer:
        case (bytes(out), bytes(err), int(status)):
            _check_status(status)
            return FinishedScript(out, err, status)
    raise ProtocolError("a finished script without output and status")


def _check_status(status: int | None) -> None:
    """Raise SubmissionStopped if a script was killed; `status` is None while it runs."""
    if status in OUT_OF_TIME:
        raise SubmissionStopped("timeout", "used up its time")
    if status == KILLED:
        raise SubmissionStopped("crashed", "was killed while it ran", killed=True)


class LatestAnswers:
    """A program's latest answers, each with its question; older answers are forgotten."""

    def __init__(self) -> None:
        self._answers: deque[tuple[str, Any, int]] = deque()
        self._bytes = 0

    def add(self, question: str, value: Any, size: int) -> None:
        """Keep the answer, which has `size` bytes. Forget the oldest answers beyond the limits."""
        self._answers.append((question, value, size))
        self._bytes += size
        while self._bytes > MAX_REMEMBERED_BYTES or len(self._answers) > MAX_REMEMBERED:
            self._bytes -= self._answers.popleft()[2]

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return ((question, value) for question, value, _ in self._answers)


class Connection:
    """Puts questions to one program, in the program's own terms: modules, calls, operators."""

    def __init__(self, ask: Ask) -> None:
        """`ask` carries a question to the worker and returns its answer."""
        self._ask = ask
        self._crossing = _Crossing(self)
        self.encode = self._crossing.encode  # looked up only once, because most questions need it
        self._names: dict[tuple[int | str, str], Any] = {}
        self.last_question = ""
        self.printed = False  # whether the program printed while it answered the last question
        self.has_printed = False  # whether the program printed during any question so far
        self.answer_bytes = 0  # the size of the last answer; 0 if the program is in this process
        self.answers = LatestAnswers()

    def note_output(self, *, printed: bool) -> None:
        """Remember whether the program printed something while it gave its last answer."""
        self.printed = printed
        self.has_printed |= printed

    def module(self, name: str) -> Any:
        """Return one of the program's modules."""
        return self._named((MODULES, name), name, do="module", name=name)

    def attribute(self, owner: Proxy, name: str) -> Any:
        """Return an attribute of one of the program's objects.

        Remember a class, function or method that is an attribute of a module or class, and do not
        ask for it again. Forget it when a test sets or deletes any attribute.
        """
        number = owner._number
        text = f"{show(owner)}.{name}"
        question = {"do": "get", "name": name}
        if owner._class not in NAMESPACES:
            return self.ask(text, **question, on={"handle": number})
        return self._named((number, name), text, **question, on={"handle": number})

    def forget_names(self) -> None:
        """Forget what the names stand for, because a test may have changed some of them."""
        self._names.clear()

    def _named(self, key: tuple[int | str, str], text: str, **question: Any) -> Any:
        data = self._names.get(key)
        if data is None:
            self.last_question = text
            data = self._ask(question)
            if type(data) is dict and data.get("class") in NAMED:
                self._names[key] = data
        return self._decoded(text, data)

    def standard(self, name: str) -> Any:
        """Return a module of the standard library, as the worker has it."""
        return self.ask(name, **{"do": "import", "name": name})

    def run(self, name: str, *arguments: str, stdin: str | bytes = "") -> FinishedScript:
        """Run the program as a script with these arguments and this input, to its end."""
        typed = stdin.encode() if isinstance(stdin, str) else stdin
        return _finished(_ask_for_script(self, "run", name, arguments, stdin=self.encode(typed)))

    def start(self, name: str, *arguments: str, terminal: bool = False) -> RunningScript:
        """Start the program as a script that a test talks to through pipes or a terminal."""
        number = _ask_for_script(self, "start", name, arguments, terminal=terminal)
        if type(number) is not int:
            raise ProtocolError("a script without a number")
        return RunningScript(self, number)

    def each(self, function: Any, columns: Sequence[Any]) -> list[Any]:
        """Return what the function gives for each row of the columns.

        Suites use the function `each` of this module, which calls this method.
        """
        on = self.encode(function) if type(function) is Proxy else None
        name = show(function) if on else function.__name__
        self.last_question = f"[{name}(x) for x in {', '.join(map(_in_short, columns))}]"
        question = {"name": "" if on else name, "on": on}
        question["columns"] = [self.encode(column) for column in columns]
        match self._ask({"do": "each"} | question):
            case {"list": [*answers]}:
                budget = SizeBudget()
                with self._crossing.not_nested(answers):
                    return [
                        self._crossing.decode(data, _call_text(name, columns, row), budget)
                        for row, data in enumerate(answers)
                    ]
        raise ProtocolError("answers to many questions that are not a list")

    def ask(self, text: str, **question: Any) -> Any:
        """Return the answer to a question; in messages, `text` stands for the answer."""
        self.last_question = text
        return self._decoded(text, self._ask(question))

    def _decoded(self, text: str, data: Any) -> Any:
        with self._crossing.not_nested(data):
            value = self._crossing.decode(data, text)
        self.answers.add(text, value, self.answer_bytes)
        return value


class _Crossing:
    """Converts values between a suite and a program; the program's objects become proxies."""

    def __init__(self, connection: Connection) -> None:
        """Proxies send their questions through this connection."""
        self._connection = connection
        self._decoding = False

    def encode(self, value: Any) -> Any:
        """Return the value as JSON data to send.

        Raise TypeError if it holds an object that is neither plain nor the program's.
        """
        return encode(value, self._reference)

    def _reference(self, value: Any) -> dict[str, Any]:
        if type(value) is not Proxy or value._connection is not self._connection:
            raise TypeError(
                f"a {type(value).__name__} cannot be handed to the program: plain values only"
            )
        return {"handle": value._number}

    def decode(
        self, data: Any, text: str | Callable[[], str], budget: SizeBudget | None = None
    ) -> Any:
        """Return the value that the data stands for; in messages, `text` stands for the value."""

        def proxy(handle: dict[str, Any]) -> Proxy:
            number = handle["handle"]
            kind = handle.get("class")
            if not (isinstance(number, int | str) and isinstance(kind, str)):
                raise ProtocolError("a handle without a number or name")
            return Proxy(self._connection, number, kind[:MAX_NAME], text)

        return decode(data, proxy, budget)

    @contextmanager
    def not_nested(self, data: Any) -> Iterator[None]:
        """Mark the block in which the answer `data` is decoded.

        Decoding a dict asks the program for the hashes of its keys. If such an answer were a dict
        again, decoding could go on without end. So raise ProtocolError if `data` is a dict or list,
        and the decoding of another answer has not ended yet.
        """
        if self._decoding and type(data) in (dict, list):
            raise ProtocolError("an answer with parts, in the middle of another")
        was_decoding = self._decoding
        self._decoding = True
        try:
            yield
        finally:
            self._decoding = was_decoding


def _ask_for_script(
    connection: Connection, do: str, name: str, arguments: Sequence[str], **details: Any
) -> Any:
    """Return the answer to a question about a script; messages show it as a command."""
    text = " ".join(["python", f"{name}.py", *arguments])
    encoded = connection.encode(list(arguments))
    return connection.ask(text, do=do, name=name, args=encoded, **details)


def _call_text(name: str, columns: Sequence[Any], row: int) -> Callable[[], str]:
    """Return a function that makes the text of a row's call; only few answers need the text."""

    def text() -> str:
        values = [column[row] for column in columns if _is_plain(column) and row < len(column)]
        if len(values) < len(columns):  # only the program knows the values in the other columns
            return f"{name}(x)"
        return f"{name}({', '.join(map(show, values))})"

    return text


def _in_short(column: Any) -> str:
    if type(column) is Proxy or len(column) < 2:
        return show(column)
    return f"[{show(column[0])}, ...]"


def each(function: Callable[..., Any], *columns: Any) -> list[Any]:
    """Return what the function gives for each item, like `list(map(function, *columns))`.

    Put one question for all items instead of one for each. `function` is a function of the program,
    or `getattr`. It may also be `str`, `int`, `float`, `bool`, `list`, `len`, `hash`, `repr` or a
    comparison (`operator.eq`, ...). For these, each answer must have exactly the type that the
    function returns in Python, such as `int` for `len`.

    Raise the error of the first item that fails. Raise TypeError if an answer has the wrong type or
    the function cannot be called. Raise ValueError if the columns have different lengths, and
    RuntimeError for any other function.
    """
    columns = tuple(list(column) if _is_plain(column) else column for column in columns)
    firsts = [column[0] for column in columns if _is_plain(column) and column]
    remote = next((v for v in (function, *columns, *firsts) if type(v) is Proxy), None)
    is_local = _is_plain(function)  # whether the function belongs to this process
    is_comparison = is_local and function in COMPARISONS
    # Compare here: the program must never get the value that its object is compared with.
    if remote is None or (is_comparison and not all(map(_all_remote, columns))):
        return [function(*row) for row in zip(*columns, strict=True)]
    if not callable(function):
        raise TypeError(f"'{type(function).__name__}' object is not callable")
    if is_local and function is not getattr and function not in EXACT_TYPES:
        raise RuntimeError(f"each cannot ask for {function!r}")
    answers: list[Any] = remote._connection.each(function, columns)
    rows = next((len(column) for column in columns if _is_plain(column)), len(answers))
    if len(answers) != rows:
        raise ProtocolError("more or fewer answers than there were questions")
    if is_local and (kind := EXACT_TYPES.get(function)):
        for answer in answers:
            if type(answer) is not kind:
                raise TypeError(f"{function.__name__} gave {answer!r}, not a {kind.__name__}")
    return answers


def _is_plain(value: Any) -> bool:
    return type(value) is not Proxy


def _all_remote(column: Any) -> bool:
    return _is_plain(column) and all(type(item) is Proxy for item in column)


def local_ask(
    modules: Mapping[str, object], note: Callable[[Any], None] = lambda answer: None
) -> Ask:
    """Return a function that asks a program in this process, without a sandbox.

    `note` is called with each whole answer.
    """
    # Imported here, because the import is slow, and most programs are in another process.
    from hearts_course.sandbox.worker.server import Server

    server = Server(modules, has_user=True)

    def ask(question: dict[str, Any]) -> Any:
        answer = server.answer({"id": 0} | question)
        note(answer)
        if "error" in answer:
            raise remote_error(answer["error"])
        return answer["value"]

    return ask
