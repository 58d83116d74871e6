"""Run one submission's process: start, call, time, kill and restart it.

Every wait has a deadline that does not depend on the submission. A late, missing or malformed
answer ends the process, but not the grading.
"""

import contextlib
import itertools
import math
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from hearts_course.course import Limits
from hearts_course.errors import NotStarted
from hearts_course.results import SourcePosition
from hearts_course.sandbox.answers import (
    RemoteError,
    SubmissionStopped,
    read_answer,
    read_late_place,
    remote_error,
)
from hearts_course.sandbox.client import Ask, Connection
from hearts_course.sandbox.pipes import Pipes, Process, TestEnded, open_pipes, start_bare
from hearts_course.sandbox.processors import processors
from hearts_course.sandbox.worker import worker_command
from hearts_course.sandbox.worker.protocol import (
    HELLO,
    MAX_ANSWERS_BYTES,
    MAX_FRAME_BYTES,
    MAX_PROGRAM_BYTES,
    NOT_STARTED,
    ProtocolError,
    framed,
    numbered,
    to_json,
    without_number,
)
from hearts_course.sandbox.worker.script import CAN_FORK

NONE: Mapping[str, str] = MappingProxyType({})
START_SECONDS, MAX_STARTS, PAUSE_SECONDS = 20.0, 3, 0.2
END_SECONDS = 1.0
# A test's processor time is limited to its seconds. The wall-clock limit only stops tests that
# sleep or wait, because a busy machine must not cost a student points.
PATIENCE, MIN_CLOCK_SECONDS = 3, 3.0
ALARM_SECONDS = 0.5  # how long after its own alarm a test's process is killed
FIRST_NUMBER_BYTES = 6
MAX_CPU_SECONDS = 10**6  # a higher value cannot be true
OUT_OF_TIME = (-14, -24, -27)  # the exit statuses after SIGALRM, SIGXCPU, SIGPROF
MEMORY_SIGNAL = "signal 9"  # SIGKILL: the kernel or sandbox ends a process that takes too much
NAME = b'{"value":{"handle":"'  # begins an answer that gives an object by its name
LATE = b'{"late":'  # begins a message that comes before an answer
MAX_NAME_BYTES = 1000  # a longer answer with a name is not remembered
CHANGES = (b'{"do":"set"', b'{"do":"del"')  # begin questions that may change what a name means
RUNNING_CALL = re.compile(r'^  File "([^"\n]+)", line (\d+) in ', re.MULTILINE)  # faulthandler's
NO_JUPYTER = re.compile(r"No module named '(?:IPython|ipywidgets|ipykernel|jupyter)")
RUNS_WITHOUT_JUPYTER = (
    "the program runs without Jupyter: import and use this in a cell of your own only"
)
NONSENSE = "sent an unreadable answer"
TOO_MUCH = f"answered with more than {MAX_ANSWERS_BYTES // 2**20} MiB in one test"


# Starts a worker in each sandbox. The grader registers its own when it is imported.
STARTERS: dict[str, Callable[[Limits], Process]] = {
    "none": lambda limits: start_bare(worker_command(), limits)
}


class SubmissionProcess:
    """A submission to be tested; each test asks a freshly imported copy of the program."""

    def __init__(
        self,
        modules: Mapping[str, str],
        limits: Limits,
        sandbox: str,
        *,
        fork: bool = True,
        early: Process | None = None,
    ) -> None:
        """`modules` maps names to source texts; without `fork` all tests share one process.

        `early` is a process from `start_process` into which no program was loaded yet.
        """
        self._modules = dict(modules)
        self._exchanged: Mapping[str, str] = NONE
        self._limits = limits
        self._sandbox = sandbox
        self.forks = fork
        self._numbers = itertools.count(1)
        self._early = early
        self._pipes: Pipes | None = None
        self._test = 0
        self._in_test = False
        self._unused = False  # whether no test has used the process that `load` started
        self._sent = 0.0
        self._allow(limits.import_seconds)
        self._variant: SubmissionProcess | None = None
        self._fresh: SubmissionProcess | None = None
        self._variant_killed = False
        self._names: dict[bytes, bytes] = {}
        self._avoided: list[tuple[str, int]] = []
        self._answers_left = MAX_ANSWERS_BYTES  # how many bytes of answers this test may still get
        self._late_place: RemoteError | None = None
        self.stopped: SubmissionStopped | None = None
        self.failed: Mapping[str, RemoteError] = {}  # modules that `load` could not import
        self.cpu_seconds = self.import_seconds = 0.0
        self.connection = Connection(self._ask)
        self.waiting: Callable[[], None] | None = None  # before a test and during a long answer

    def __enter__(self) -> "SubmissionProcess":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> int | None:
        """End the program's processes; return the exit status of the first one, if it is known."""
        self._unused = False
        if self._early is not None:
            self._early.kill()
        if self._variant is not None:
            self._variant.close()
            self._variant = None
        if self._fresh is not None:
            self._fresh.close()
            self._fresh = None
        pipes, self._pipes = self._pipes, None
        return None if pipes is None else pipes.close()

    @property
    def sources(self) -> Mapping[str, str]:
        """Source texts of the program's modules, by name."""
        return {**self._modules, **self._exchanged}

    @property
    def killed(self) -> bool:
        """Whether something outside may have killed its process or a variant's in this test."""
        stops = [program.stopped for program in (self, self._variant) if program is not None]
        return self._variant_killed or any(stopped and stopped.killed for stopped in stops)

    def exchange(self, modules: Mapping[str, str]) -> None:
        """Use these texts of the modules from the next `load` on, until the next exchange.

        The sandbox stays the same. So never use it for a program of another student.
        """
        self._exchanged = {n: text for n, text in modules.items() if text != self._modules[n]}

    def avoid(self, position: SourcePosition) -> None:
        """From the next test on, raise NotRunAgain in place of the function around this line."""
        self._avoided.append((position.file, position.line))
        if self._fresh is not None:
            self._fresh.close()  # starts again at its next use, without the function

    def fresh(self) -> "SubmissionProcess | None":
        """Return the same program in another process, which starts one for each test.

        Return None where the system cannot do that.
        """
        if self._fresh is None and CAN_FORK:
            self._fresh = self._sibling(self._modules, fork=True)
        return self._fresh

    def _sibling(self, modules: Mapping[str, str], *, fork: bool) -> "SubmissionProcess":
        """Return a program that shares this one's limits, sandbox and functions to avoid."""
        sibling = SubmissionProcess(modules, self._limits, self._sandbox, fork=fork)
        sibling._avoided = self._avoided
        sibling.waiting = self.waiting
        return sibling

    def prepare(self) -> None:
        """Start the process for `load` without waiting for it; raise NotStarted if that fails."""
        self._early = start_process(self._sandbox, self._limits)

    def load(self, needed: Iterable[str] = ()) -> None:
        """Import the program in a new process; `failed` are then the modules' errors, by name.

        Raise RemoteError or SubmissionStopped if none of the `needed` modules can be imported;
        without names, all modules are needed. Raise NotStarted if there is no process.
        """
        self._retry_if_killed(self._load_and_import)
        self.failed = failed_imports(self._ask, self._modules, needed)

    def begin(
        self,
        seconds: float | None = None,
        *,
        scripts: bool = False,
        exchanged: Mapping[str, str] = NONE,
    ) -> None:
        """Start a test, which may take that time, or the stage's usual time.

        Afterwards, `cpu_seconds` is the time it used, and `import_seconds` the import time that the
        process itself reported. Only a test with `scripts` can run the program as a script; its
        program is imported when it is first asked. `exchanged` replaces modules for this test.
        Raise RemoteError or SubmissionStopped if the program cannot be imported.
        """
        if self.waiting:
            self.waiting()
        allowed = seconds or self._limits.test_seconds
        self._retry_if_killed(lambda: self._begin(allowed, scripts=scripts, exchanged=exchanged))
        self._variant_killed = False
        self.cpu_seconds = 0.0
        self.go_on(allowed)

    def go_on(self, seconds: float | None = None) -> None:
        """Reuse the process of the previous test, but not its objects; set a new time limit."""
        self.connection = Connection(self._ask)
        self._answers_left = MAX_ANSWERS_BYTES
        self._late_place = None
        allowed = seconds or self._limits.test_seconds
        clock = clock_seconds(allowed)
        self._allow(allowed, clock + ALARM_SECONDS)
        self._send({"do": "go_on", "cpu_seconds": allowed, "clock_seconds": clock})

    def rest(self) -> None:
        """Let the test's process wait for the next `go_on`, however long that takes."""
        self._send({"do": "go_on", "cpu_seconds": self._allowed, "clock_seconds": 0})

    def end(self) -> None:
        """End the test's process and its variant's; kill them if they do not end."""
        if self._variant is not None and self._variant.stopped is None:
            self._end_variant(self._variant)
        if self._pipes is None or self.stopped is not None or not self._in_test:
            return
        self._in_test = False
        self._allow(END_SECONDS)
        self._send({"do": "end"})
        with contextlib.suppress(TimeoutError, EOFError, ProtocolError):
            self._how_it_ended()
            return
        self.close()

    def variant(self, modules: Mapping[str, str]) -> "SubmissionProcess":
        """Return the same program with some modules exchanged; a next variant ends this one.

        Its time limit is the usual one, or the calling test's if that is shorter. Each variant has
        its own process, so none knows what another was asked. Raise RemoteError or
        SubmissionStopped if the import fails.
        """
        if time.monotonic() > self._deadline:
            raise self._stop("timeout", self._too_slow())
        if self._variant is not None:
            self._end_variant(self._variant)
        exchanged: Mapping[str, str] = NONE
        if self.forks:  # one process starts all variants
            self._variant = self._variant or self._sibling(self._modules, fork=True)
            exchanged = {**self._exchanged, **modules}
        else:
            if self._variant is not None:
                self._variant.close()
            self._variant = self._sibling(self._modules | dict(modules), fork=False)
            # The avoided lines mean nothing in an exchanged text.
            self._variant._avoided = [
                (file, line) for file, line in self._avoided if self._is_kept(file, modules)
            ]
        seconds = min(self._allowed, self._limits.test_seconds)
        self._variant.begin(seconds, exchanged=exchanged)
        return self._variant

    def _is_kept(self, file: str, modules: Mapping[str, str]) -> bool:
        """Return whether the file's text is the same with these modules exchanged."""
        name = file.removesuffix(".py")
        return modules.get(name, self._modules.get(name)) == self._modules.get(name)

    def _end_variant(self, variant: "SubmissionProcess") -> None:
        variant.end()
        self._variant_killed |= variant.stopped is not None and variant.stopped.killed

    def _retry_if_killed(self, work: Callable[[], None]) -> None:
        """Do the work; retry once if something outside may have killed the process."""
        try:
            work()
        except SubmissionStopped as stopped:
            if not stopped.killed:
                raise
            work()

    def _load_and_import(self) -> None:
        if self._unused:
            self.end()
        if self._pipes is None:
            self._load()
        self.stopped = None
        self._import(self._limits.test_seconds)
        self._unused = True

    def _begin(self, seconds: float, *, scripts: bool, exchanged: Mapping[str, str]) -> None:
        self.import_seconds = 0.0
        if self._unused:  # a test takes over the process that `load` started, if that is enough
            self._unused = False
            if not (scripts or exchanged) and seconds <= self._limits.test_seconds:
                return
            self.end()
        if self._pipes is None:
            self._load()
        self.stopped = None
        self._import(seconds, scripts=scripts, exchanged=exchanged)

    def _load(self) -> None:
        """Send the program to a new process. Without `fork`, that process imports it at once."""
        limits = self._limits
        self._start()
        clock = PATIENCE * limits.import_seconds
        self._allow(limits.import_seconds, clock + ALARM_SECONDS)
        order = {
            "do": "load",
            "modules": self._modules,
            "avoided": self._avoided,
            "fork": self.forks,
            "import_seconds": math.ceil(limits.import_seconds) + 1,  # Python's own start counts
            "import_clock_seconds": clock,
            "cpu_seconds": math.ceil(limits.submission_seconds),
            "processors": processors(),
            "limits": {
                "memory_bytes": limits.memory_bytes,
                "written_bytes": limits.written_bytes,
                "open_files": limits.open_files,
            },
        }
        self._answer_to_import(self._send(order, MAX_PROGRAM_BYTES))

    def _start(self) -> None:
        """Start a process and wait for its handshake before sending any student code.

        Retry, because memory or processes may be short only for a moment.
        """
        for attempt in range(1, MAX_STARTS + 1):
            self.stopped = None
            self._allow(START_SECONDS)
            process, self._early = self._early, None
            process = process or start_process(self._sandbox, self._limits)
            self._pipes = open_pipes(process)
            self._pipes.waiting = self.waiting
            try:
                greeting = self._receive(HELLO["id"])  # without its number
                if numbered(HELLO["id"], greeting) == to_json(HELLO):
                    self._pipes.start_conversation()
                    return
            except SubmissionStopped:
                time.sleep(attempt * PAUSE_SECONDS)
            self.close()
        raise self._cannot_start()

    def _cannot_start(self) -> NotStarted:
        return NotStarted(
            f"the sandbox {self._sandbox} cannot start a program; is the machine out of memory or "
            "processes?"
        )

    def _import(
        self, seconds: float, *, scripts: bool = False, exchanged: Mapping[str, str] = NONE
    ) -> None:
        limit = self._limits.import_seconds
        self._allow(limit, PATIENCE * limit)
        exchanged = {**self._exchanged, **exchanged}
        # Random, so that a number does not tell how many questions came before.
        self._numbers = itertools.count(int.from_bytes(os.urandom(FIRST_NUMBER_BYTES)))
        self._names.clear()
        begin = {"do": "begin", "cpu_seconds": seconds, "scripts": scripts}
        self._test = self._send(begin | {"exchanges": bool(exchanged)})
        self._in_test = True
        if exchanged:
            self._send({"do": "exchange", "modules": exchanged})
        match self._answer_to_import(self._test):
            case int() | float() as used if 0 <= used <= limit:
                self.import_seconds = used

    def _answer_to_import(self, number: int) -> object:
        """Return the answer; end the process if the import failed."""
        try:
            return self.read(self._receive(number))
        except (RemoteError, SubmissionStopped) as error:
            self.close()
            if isinstance(error, SubmissionStopped) and error.killed and self._is_late():
                raise self._stop("timeout", self._too_slow()) from None
            raise

    def put(self, question: bytes) -> bytes:
        """Put a question, an object in JSON; return the answer in the same form.

        Question and answer have no message number. An answer that gives an object by its name is
        remembered, so the question is sent once in each process. Raise SubmissionStopped if there
        is no answer, or if the test's answers take too many bytes together.
        """
        if question in self._names:
            return self._names[question]
        answer = self._receive(self._send_json(question))
        self._answers_left -= len(answer)
        if self._answers_left < 0:
            raise self._stop("crashed", TOO_MUCH)
        if answer.startswith(NAME) and len(answer) <= MAX_NAME_BYTES:
            self._names[question] = answer
        elif question.startswith(CHANGES):
            self._names.clear()
        return answer

    def read(self, answer: bytes) -> Any:
        """Return the value that the answer tells; raise what the program raised."""
        try:
            parts = read_answer(answer)
            if "error" in parts:
                raise remote_error(parts["error"])
        except ProtocolError:
            raise self._stop("crashed", NONSENSE) from None
        self.connection.note_output(printed="printed" in parts)
        self.connection.answer_bytes = len(answer)
        return parts["value"]

    def _ask(self, question: dict[str, Any]) -> Any:
        return self.read(self.put(to_json(question)))

    def _send(self, message: dict[str, Any], limit: int = MAX_FRAME_BYTES) -> int:
        return self._send_json(to_json(message), limit)

    def _send_json(self, message: bytes, limit: int = MAX_FRAME_BYTES) -> int:
        if self.stopped is not None:
            raise self.stopped
        assert self._pipes is not None
        number = next(self._numbers)
        self._sent = time.monotonic()
        self._pipes.send(framed(numbered(number, message), limit))
        return number

    def _receive(self, number: int) -> bytes:
        assert self._pipes is not None
        try:
            try:
                message = without_number(number, self._pipes.receive(self._deadline))
                if not message.startswith(LATE):
                    return message
                if self._late_place is not None:
                    raise ProtocolError("a second place in one test")
                self._late_place = read_late_place(message)
                return without_number(number, self._pipes.receive(self._deadline))
            except TestEnded:
                if not self.forks:  # the only process has reported its calls when its time was over
                    raise self._gone() from None
                raise self._stopped_by(self._how_it_ended()) from None
        except TimeoutError:
            raise self._stop("timeout", self._too_slow()) from None
        except ProtocolError:
            raise self._stop("crashed", NONSENSE) from None
        except EOFError:
            raise self._gone() from None

    def _how_it_ended(self) -> str:
        """Return how the test's process ended, as its parent reports; store its processor time.

        Raise ProtocolError for nonsense.
        """
        assert self._pipes is not None
        match self._pipes.end_of_test(self._deadline):
            case {"id": told, "ended": str(how), **more} if told == self._test:
                match more.get("cpu_seconds"):
                    case int() | float() as used if 0 <= used < MAX_CPU_SECONDS:
                        self.cpu_seconds = used
                return how
        raise ProtocolError("the end of another test")

    def _stopped_by(self, how: str) -> SubmissionStopped:
        """Return why the test's process ended; its parent still runs and can start the next test.

        Never show `how`, because an exit status may reveal a hidden input. Raise NotStarted if the
        machine had no process for it.
        """
        if how == NOT_STARTED:
            raise self._cannot_start()
        if how in [f"signal {-status}" for status in OUT_OF_TIME]:
            return self._stop("timeout", self._too_slow(), close=False)
        killed = how.startswith("signal ")
        if how == MEMORY_SIGNAL and self._is_late():
            return self._stop("timeout", self._too_slow(), close=False, killed=killed)
        text = "ended by itself in the middle of a call"
        if how == MEMORY_SIGNAL:
            text = f"used more than {self._limits.memory_bytes // 2**20} MiB of memory"
        return self._stop("crashed", text, close=False, killed=killed)

    def _gone(self) -> SubmissionStopped:
        """Return why the first process ended; the test's process ended with it."""
        calls = () if self.forks or self._is_new_question() else self._running_calls()
        status = self.close()
        if status in OUT_OF_TIME and not self.forks:
            return self._stop("timeout", self._too_slow(), calls=calls)
        return self._stop("crashed", "ended by itself", killed=True)

    def _is_new_question(self) -> bool:
        """Return whether the last question was sent in the last quarter of the time that is over.

        If it was, the program may well answer every question, and the test itself does not end.
        """
        now = time.monotonic()
        return now - self._sent < (now - self._begun) / 4

    def _running_calls(self) -> tuple[tuple[str, int], ...]:
        """Return the program's calls that the process reported when its time was over."""
        assert self._pipes is not None
        report = self._pipes.last_words(time.monotonic() + END_SECONDS)
        calls = [(file, int(line)) for file, line in RUNNING_CALL.findall(report)]
        files = {f"{name}.py" for name in self.sources}
        return tuple(call for call in reversed(calls) if call[0] in files)

    def _stop(
        self,
        kind: str,
        text: str,
        *,
        close: bool = True,
        killed: bool = False,
        calls: tuple[tuple[str, int], ...] = (),
    ) -> SubmissionStopped:
        if kind == "timeout" and self._late_place is not None:
            # Prefer the place that the program sent before its time ran out: it names the call that
            # lasts. A loop in C sends no place; then `calls` are those at the end of the time.
            calls = tuple(self._late_place.calls)
        self.stopped = SubmissionStopped(kind, text, killed=killed, calls=calls)
        if close:
            self.close()
        return self.stopped

    def _allow(self, seconds: float, clock: float | None = None) -> None:
        """Limit the next step to `seconds` of processor time, and to `clock` by the wall clock."""
        self._allowed = seconds
        self._begun = time.monotonic()
        self._deadline = self._begun + (clock or seconds)

    def _is_late(self) -> bool:
        return time.monotonic() > self._begun + self._allowed

    def _too_slow(self) -> str:
        return f"took longer than {self._allowed:g} s"


def failed_imports(
    ask: Ask, modules: Iterable[str], needed: Iterable[str]
) -> dict[str, RemoteError]:
    """Return the errors of the modules that cannot be imported, by name.

    Raise the first error if no `needed` module can be imported; without names, all are needed.
    """
    modules = tuple(modules)
    failed: dict[str, RemoteError] = {}
    for name in modules:
        try:
            ask({"do": "module", "name": name})
        except RemoteError as error:
            failed[name] = error
    if failed and failed.keys() >= {*(needed or modules)}:
        raise next(iter(failed.values()))
    return failed


def start_process(sandbox: str, limits: Limits) -> Process:
    """Start a process in the sandbox that waits for a program; raise NotStarted if that fails."""
    try:
        return STARTERS[sandbox](limits)
    except OSError as error:
        raise NotStarted(f"the sandbox {sandbox} cannot be started: {error}") from error


def clock_seconds(seconds: float) -> float:
    """Return the wall-clock limit for a test with this limit of processor time."""
    return max(PATIENCE * seconds, MIN_CLOCK_SECONDS)


def describe_failed_import(error: RemoteError | SubmissionStopped, limits: Limits) -> str:
    """Return why the program cannot be imported, in one line for the student."""
    if isinstance(error, SubmissionStopped):
        advice = {
            "timeout": ": is there a loop or an input() call outside your functions?",
            "crashed": ": remove calls that exit or print without end",
        }
        place = f", in {error.calls[-1][0]}, line {error.calls[-1][1]}" if error.calls else ""
        return f"importing the program {error.text}{place}{advice[error.kind]}"
    place = "the program"
    if error.where:
        file, line, text = error.where
        place = f"{file}, line {line} ({text})" if text else f"{file}, line {line}"
    if isinstance(error, SyntaxError):
        return f"{place}: Python cannot read this: {error.text}"
    if isinstance(error, MemoryError):
        return f"{place}: needed more than {limits.memory_bytes // 2**20} MiB of memory on import"
    if error.kind == "SystemExit":
        return f"{place}: the program exited while it was imported; remove the call of exit()"
    if error.kind == "EOFError":
        return f"{place}: input() was called during the import; move the call into a function"
    without = f"; {RUNS_WITHOUT_JUPYTER}" if NO_JUPYTER.search(error.text) else ""
    return f"{place}: importing the program raised {error.kind}: {error.text}{without}"
