"""The near side: asking a submission, across the boundary or in this process.

    Connection   questions about one program, in the program's own words: modules, calls, operators
    Session      the program as a script, talked to while it runs
    Finished     what it had said when it ended

Plain values cross by value; only the submission's own objects are proxies.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hearts_course.sandbox.answers import MAX_NAME, SubmissionStopped, far_error
from hearts_course.sandbox.proxy import Proxy, show
from hearts_course.sandbox.worker.protocol import ProtocolError, SizeBudget, decode, encode
from hearts_course.sandbox.worker.server import Server


@dataclass(frozen=True)
class Finished:
    """A program that was run as a script: the bytes it wrote, and its exit status."""

    out: bytes
    err: bytes
    status: int


class Client:
    """A running program on the far side. Every wait in it ends with the test's time."""

    def __init__(self, connection: "Connection", number: int) -> None:
        """The number that the far side knows the session by."""
        self._connection, self._number = connection, number

    def hear(self, *until: str) -> str:
        """What the program says, up to and including one of the texts, or until it ends."""
        match self._tell("hear", until=self._connection.encode(list(until))):
            case (str(heard), None | int() as status):
                _ended(status)
                return heard
        raise ProtocolError("a program whose words are no text")

    def say(self, text: str) -> None:
        """Type the text; end it with a line break to have it read."""
        self._tell("say", typed=text)

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._tell("interrupt")

    def end_input(self) -> None:
        """End the input: Ctrl-D in a terminal, otherwise a closed pipe."""
        self._tell("end_input")

    def finish(self) -> Finished:
        """All that the program has said, and how it ended; waits until it does."""
        return _finished(self._tell("finish"))

    def _tell(self, what: str, **more: Any) -> Any:
        return self._connection.ask(what, do=what, session=self._number, **more)


def _finished(answer: Any) -> Finished:
    match answer:
        case (bytes(out), bytes(err), int(status)):
            _ended(status)
            return Finished(out, err, status)
    raise ProtocolError("a finished program without output and status")


def _ended(status: int | None) -> None:
    """Raises SubmissionStopped for a program that was ended; `status` is None while it runs."""
    if status in OUT_OF_TIME:
        raise SubmissionStopped("timeout", "used up its time")
    if status == KILLED:
        raise SubmissionStopped("crashed", "was killed while it ran", killed=True)


KILLED = -9  # the status of who was ended by SIGKILL, which nobody can refuse
OUT_OF_TIME = (-24, -27)  # the same for SIGXCPU and SIGPROF
MODULES = -1  # where a handle's number would be, for what belongs to the program itself
CLASSES = ("type", "EnumType", "ABCMeta")
NAMING = frozenset({"module", *CLASSES})
NAMED = frozenset({*NAMING, "function", "method"})
MAX_REMEMBERED = 1000  # of the last answers, to say which of them a test cannot use

# Sends one question and returns the answer's data; raises RemoteError, ProtocolError or
# SubmissionStopped.
Ask = Callable[[dict[str, Any]], Any]


class Connection:
    """Questions about one program, in the program's own words: modules, calls, operators."""

    def __init__(self, ask: Ask) -> None:
        """`ask` carries a question to the far side and brings its answer back."""
        self._ask = ask
        self._names: dict[tuple[int, str], Any] = {}
        self._decoding = False
        self.last_question = ""
        self.answers: deque[tuple[str, Any]] = deque(maxlen=MAX_REMEMBERED)

    def module(self, name: str) -> Any:
        """One of the program's modules."""
        return self._named((MODULES, name), name, do="module", name=name)

    def attribute(self, owner: "Proxy", name: str) -> Any:
        """An attribute of one of the program's objects.

        What a module or a class calls by a name is asked once, as long as no test sets anything.
        """
        number = owner._number
        text, question = f"{show(owner)}.{name}", {"do": "get", "name": name}
        if owner._class not in NAMING:
            return self.ask(text, **question, on={"handle": number})
        return self._named((number, name), text, **question, on={"handle": number})

    def forget_names(self) -> None:
        """Ask for every name again: one of them may mean something else now."""
        self._names.clear()

    def _named(self, key: tuple[int, str], text: str, **question: Any) -> Any:
        data = self._names.get(key)
        if data is None:
            self.last_question = text
            data = self._ask(question)
            if type(data) is dict and data.get("class") in NAMED:
                self._names[key] = data
        return self._decoded(text, data)

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

    def start(self, name: str, *arguments: str, terminal: bool = False) -> "Client":
        """The program as a script, running, to be talked to through pipes or a terminal."""
        text = " ".join(["python", f"{name}.py", *arguments])
        given = self.encode(list(arguments))
        number = self.ask(text, do="start", name=name, args=given, terminal=terminal)
        if type(number) is not int:
            raise ProtocolError("a session without a number")
        return Client(self, number)

    def each(self, function: Any, columns: Sequence[Any]) -> list[Any]:
        """What the function gives for each row of the columns; `each` is its public form."""
        on = self.encode(function) if type(function) is Proxy else None
        name = show(function) if on else function.__name__
        self.last_question = f"[{name}(x) for x in {', '.join(map(_in_short, columns))}]"
        question = {"name": "" if on else name, "on": on}
        question["columns"] = [self.encode(column) for column in columns]
        match self._ask({"do": "each"} | question):
            case {"list": [*answers]}:
                room = SizeBudget()
                with self._alone(answers):
                    return [
                        decode(data, self._in_row(row, name, columns), room)
                        for row, data in enumerate(answers)
                    ]
        raise ProtocolError("answers to many questions that are no list")

    def _in_row(
        self, row: int, name: str, columns: Sequence[Any]
    ) -> Callable[[dict[str, Any]], "Proxy"]:
        """Makes the objects that come back for a row; most often there are none."""
        return lambda data: self._proxy(data, _call(name, columns, row))

    def ask(self, text: str, **question: Any) -> Any:
        """The answer to a question; `text` is how its result reads in a failure's message."""
        self.last_question = text
        return self._decoded(text, self._ask(question))

    def _decoded(self, text: str, data: Any) -> Any:
        with self._alone(data):
            value = decode(data, lambda found: self._proxy(found, text))
        self.answers.append((text, value))
        return value

    @contextmanager
    def _alone(self, data: Any) -> Iterator[None]:
        """Raises ProtocolError for parts in an answer that decoding another one asks for.

        A key of a dict is asked for its hash. If that were a dict again it would never end.
        """
        if self._decoding and type(data) in (dict, list):
            raise ProtocolError("an answer with parts, in the middle of another")
        before, self._decoding = self._decoding, True
        try:
            yield
        finally:
            self._decoding = before

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
        raise ProtocolError("a handle without a number")


def _call(name: str, columns: Sequence[Any], row: int) -> str:
    """The call of a row, as far as our side knows what is in it."""
    known = [column[row] for column in columns if type(column) is not Proxy and row < len(column)]
    return f"{name}({', '.join(map(show, known)) if len(known) == len(columns) else 'x'})"


def _in_short(column: Any) -> str:
    if type(column) is Proxy or len(column) < 2:
        return show(column)
    return f"[{show(column[0])}, ...]"


def local_ask(modules: Mapping[str, object]) -> Ask:
    """Asks a program in this process, where nobody needs to be kept out."""
    server = Server(modules)

    def ask(question: dict[str, Any]) -> Any:
        answer = server.answer({"id": 0} | question)
        if "error" in answer:
            raise far_error(answer["error"])
        return answer["value"]

    return ask
