"""Run one submission's process: start, call, time, kill and restart it.

A variant is the same program with some of its modules replaced.
"""

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from hearts_course.course import Limits
from hearts_course.errors import NotStarted
from hearts_course.results import SourcePosition
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped, read_answer, remote_error
from hearts_course.sandbox.client import Connection
from hearts_course.sandbox.conversation import NONSENSE, Conversation, cannot_start
from hearts_course.sandbox.imports import failed_imports
from hearts_course.sandbox.pipes import Process, open_pipes, start_bare
from hearts_course.sandbox.processors import processors
from hearts_course.sandbox.questions import Questions
from hearts_course.sandbox.time_limit import (
    ALARM_SECONDS,
    END_SECONDS,
    PATIENCE,
    clock_seconds,
)
from hearts_course.sandbox.worker import worker_command
from hearts_course.sandbox.worker.protocol import MAX_PROGRAM_BYTES, ProtocolError, to_json
from hearts_course.sandbox.worker.script import CAN_FORK

NONE: Mapping[str, str] = MappingProxyType({})
MAX_STARTS, PAUSE_SECONDS = 3, 0.2


# For each sandbox, the function that starts a worker in it. The grader adds its own sandboxes when
# it is imported.
STARTERS: dict[str, Callable[[Limits], Process]] = {
    "none": lambda limits: start_bare(worker_command(), limits)
}


class SubmissionProcess:
    """A submission under test. With `fork`, each `begin` imports the program in a new process."""

    def __init__(
        self,
        modules: Mapping[str, str],
        limits: Limits,
        sandbox: str,
        *,
        fork: bool = True,
        early: Process | None = None,
    ) -> None:
        """`modules` maps names to source texts. Without `fork`, all tests share one process.

        `early` is a process from `start_process` into which no program was loaded yet.
        """
        self._modules = dict(modules)
        self._exchanged: Mapping[str, str] = NONE
        self._limits = limits
        self._sandbox = sandbox
        self.forks = fork
        self._early = early
        self._in_test = False
        self._unused = False  # true after `load`, until a test uses its process
        files = [f"{name}.py" for name in modules]
        self._conversation = Conversation(sandbox, limits, forks=fork, files=files)
        self.questions = Questions(self._conversation)
        self._variant: SubmissionProcess | None = None
        self._fresh: SubmissionProcess | None = None
        self._variant_killed = False
        self._avoided: list[tuple[str, int]] = []
        self.failed: Mapping[str, RemoteError] = {}  # modules that `load` could not import
        self.import_seconds = 0.0
        self.connection = Connection(self._ask)
        # Called before each test, and now and then while the program takes long to answer.
        self.waiting: Callable[[], None] | None = None

    def __enter__(self) -> "SubmissionProcess":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> int | None:
        """End the processes of the program, its variant and its fresh copy.

        Return the exit status of the program's own process, None if the status is unknown.
        """
        self._unused = False
        if self._early is not None:
            self._early.kill()
        if self._variant is not None:
            self._variant.close()
            self._variant = None
        if self._fresh is not None:
            self._fresh.close()
            self._fresh = None
        return self._conversation.close()

    @property
    def stopped(self) -> SubmissionStopped | None:
        """Why the process has stopped; None while it runs."""
        return self._conversation.stopped

    @property
    def has_assigned(self) -> bool:
        """Whether a test has assigned to an attribute of the program in its present process."""
        return self.questions.has_assigned

    @property
    def cpu_seconds(self) -> float:
        """The processor time of the last test that has ended."""
        return self._conversation.cpu_seconds

    @property
    def sources(self) -> Mapping[str, str]:
        """The program's source texts, keyed by module name."""
        return {**self._modules, **self._exchanged}

    @property
    def killed(self) -> bool:
        """Whether the program or its variant may have been killed from outside in this test."""
        stops = [program.stopped for program in (self, self._variant) if program is not None]
        return self._variant_killed or any(stopped and stopped.killed for stopped in stops)

    def exchange(self, modules: Mapping[str, str]) -> None:
        """Use these texts of the modules from the next `load` on, until the next exchange.

        The sandbox stays the same, so never exchange one student's program for another's.
        """
        self._exchanged = {n: text for n, text in modules.items() if text != self._modules[n]}

    def avoid(self, position: SourcePosition) -> None:
        """From the next test on, do not run the function around this line.

        A call of the function raises NotRunAgain instead.
        """
        self._avoided.append((position.file, position.line))
        if self._fresh is not None:
            self._fresh.close()  # the next use starts it again; then it avoids the function too

    def fresh(self) -> "SubmissionProcess | None":
        """Return the same program in a second process, which starts a new process for each test.

        Return None if the system cannot fork.
        """
        if self._fresh is None and CAN_FORK:
            self._fresh = self._sibling(self._modules, fork=True)
        return self._fresh

    def _sibling(self, modules: Mapping[str, str], *, fork: bool) -> "SubmissionProcess":
        """Return another program with this one's limits, sandbox and functions to avoid."""
        sibling = SubmissionProcess(modules, self._limits, self._sandbox, fork=fork)
        sibling._avoided = self._avoided
        sibling.waiting = self.waiting
        return sibling

    def prepare(self) -> None:
        """Start the process for `load`, but do not wait for it. Raise NotStarted if that fails."""
        self._early = start_process(self._sandbox, self._limits)

    def load(self, needed: Iterable[str] = ()) -> None:
        """Import the program in a new process.

        Afterwards, `failed` maps each module that failed to its error. Raise RemoteError if all
        `needed` modules fail. If `needed` is empty, this means all modules. Raise
        SubmissionStopped if the program is stopped while it is imported, and NotStarted if no
        process can be started.
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
        """Start a test. `seconds` is its time limit, by default the stage's usual limit.

        After the test, `cpu_seconds` is the processor time that it used. `import_seconds` is the
        import time that the process itself reports. The test can run the program as a script only
        if `scripts` is true. Such a test imports the program at its first question about the
        program's objects. `exchanged` replaces modules for this test. Raise RemoteError or
        SubmissionStopped if the program cannot be imported.
        """
        if self.waiting:
            self.waiting()
        allowed = seconds or self._limits.test_seconds
        self._retry_if_killed(lambda: self._begin(allowed, scripts=scripts, exchanged=exchanged))
        self._variant_killed = False
        self.go_on(allowed)

    def go_on(self, seconds: float | None = None) -> None:
        """Start a test in the running process: forget earlier objects, and set a new time limit."""
        self.connection = Connection(self._ask)
        self.questions.allow_answers()
        allowed = seconds or self._limits.test_seconds
        clock = clock_seconds(allowed)
        self._conversation.limit_step(allowed, clock + ALARM_SECONDS)
        message = {"do": "go_on", "cpu_seconds": allowed, "clock_seconds": clock}
        self._conversation.send(to_json(message))

    def rest(self) -> None:
        """Let the test's process wait for the next `go_on`, however long that takes."""
        allowed = self._conversation.limit.seconds
        message = {"do": "go_on", "cpu_seconds": allowed, "clock_seconds": 0}
        self._conversation.send(to_json(message))

    def end(self) -> None:
        """End the processes of the test and of its variant. Kill a process that does not end."""
        if self._variant is not None and self._variant.stopped is None:
            self._end_variant(self._variant)
        if not self._conversation.is_open or self.stopped is not None or not self._in_test:
            return
        self._in_test = False
        self._conversation.limit_step(END_SECONDS)
        self._conversation.send(to_json({"do": "end"}))
        with contextlib.suppress(TimeoutError, EOFError, ProtocolError):
            self._conversation.how_it_ended()
            return
        self.close()

    def variant(self, modules: Mapping[str, str]) -> "SubmissionProcess":
        """Return a variant of the program, in which `modules` replaces some modules.

        The next variant ends this one. The variant's time limit is the stage's usual limit, or the
        calling test's limit if that is shorter. Each variant has its own process, so no variant
        knows what another was asked. Raise RemoteError or SubmissionStopped if the import fails.
        """
        if self._conversation.limit.is_over:
            raise self._stopped_late()
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
        seconds = min(self._conversation.limit.seconds, self._limits.test_seconds)
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
        """Do the work. If the process may have been killed from outside, do the work once more."""
        try:
            work()
        except SubmissionStopped as stopped:
            if not stopped.killed:
                raise
            work()

    def _load_and_import(self) -> None:
        if self._unused:
            self.end()
        if not self._conversation.is_open:
            self._load()
        self._import(self._limits.test_seconds)
        self._unused = True

    def _begin(self, seconds: float, *, scripts: bool, exchanged: Mapping[str, str]) -> None:
        self.import_seconds = 0.0
        if self._unused:  # the test may take over the process that `load` started
            self._unused = False
            is_enough = self._conversation.is_open and not (scripts or exchanged)
            if is_enough and seconds <= self._limits.test_seconds:
                return
            self.end()
        if not self._conversation.is_open:
            self._load()
        self._import(seconds, scripts=scripts, exchanged=exchanged)

    def _load(self) -> None:
        """Send the program to a new process. Without `fork`, that process imports it at once."""
        limits = self._limits
        self._start()
        clock = PATIENCE * limits.import_seconds
        self._conversation.limit_step(limits.import_seconds, clock + ALARM_SECONDS)
        order = {
            "do": "load",
            "modules": self._modules,
            "avoided": self._avoided,
            "fork": self.forks,
            "import_seconds": math.ceil(limits.import_seconds) + 1,  # 1 s for Python's own start
            "import_clock_seconds": clock,
            "cpu_seconds": math.ceil(limits.submission_seconds),
            "processors": processors(),
            "limits": {
                "memory_bytes": limits.memory_bytes,
                "written_bytes": limits.written_bytes,
                "open_files": limits.open_files,
            },
        }
        self._answer_to_import(self._conversation.send(to_json(order), MAX_PROGRAM_BYTES))

    def _start(self) -> None:
        """Start a process and wait for its handshake before sending any student code.

        Retry, because the machine may lack memory or process slots only for a moment.
        """
        for attempt in range(1, MAX_STARTS + 1):
            process, self._early = self._early, None
            pipes = open_pipes(process or start_process(self._sandbox, self._limits))
            pipes.waiting = self.waiting
            try:
                if self._conversation.open(pipes):
                    return
            except SubmissionStopped:
                time.sleep(attempt * PAUSE_SECONDS)
            self.close()
        raise cannot_start(self._sandbox)

    def _import(
        self, seconds: float, *, scripts: bool = False, exchanged: Mapping[str, str] = NONE
    ) -> None:
        limit = self._limits.import_seconds
        self._conversation.limit_step(limit, PATIENCE * limit)
        exchanged = {**self._exchanged, **exchanged}
        begin = {"do": "begin", "cpu_seconds": seconds, "scripts": scripts}
        self.questions.forget_names()
        test = self._conversation.begin_test(begin | {"exchanges": bool(exchanged)})
        self._in_test = True
        if exchanged:
            self._conversation.send(to_json({"do": "exchange", "modules": exchanged}))
        match self._answer_to_import(test):
            case int() | float() as used if 0 <= used <= limit:
                self.import_seconds = used

    def _answer_to_import(self, number: int) -> object:
        """Return the answer. If the import failed, end the process and raise its error."""
        try:
            return self.read(self._conversation.receive(number))
        except (RemoteError, SubmissionStopped) as error:
            self.close()
            was_killed = isinstance(error, SubmissionStopped) and error.killed
            if was_killed and self._conversation.limit.is_late:
                raise self._stopped_late() from None
            raise

    def read(self, answer: bytes) -> Any:
        """Return the value in the answer; raise what the program raised."""
        try:
            parts = read_answer(answer)
            if "error" in parts:
                raise remote_error(parts["error"])
        except ProtocolError:
            raise self._conversation.stop("crashed", NONSENSE) from None
        self.connection.note_output(printed="printed" in parts)
        self.connection.answer_bytes = len(answer)
        return parts["value"]

    def _ask(self, question: dict[str, Any]) -> Any:
        return self.read(self.questions.put(to_json(question)))

    def _stopped_late(self) -> SubmissionStopped:
        stopped = self._conversation.stop("timeout", self._conversation.limit.excess)
        self.close()
        return stopped


def start_process(sandbox: str, limits: Limits) -> Process:
    """In the sandbox, start a process that waits for a program. Raise NotStarted if that fails."""
    try:
        return STARTERS[sandbox](limits)
    except OSError as error:
        raise NotStarted(f"the sandbox {sandbox} cannot be started: {error}") from error
