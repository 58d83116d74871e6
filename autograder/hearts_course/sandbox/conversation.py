"""A conversation with a submission's process: numbered questions out, answers in.

Every wait ends at the time limit of the step. A late, missing or malformed answer ends the process,
and `stopped` says why. Such an answer never ends the grading.
"""

import itertools
import os
import re
import time
from collections.abc import Collection
from typing import Any

from hearts_course.course import Limits
from hearts_course.errors import NotStarted
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped, read_late_place
from hearts_course.sandbox.pipes import Pipes, TestEnded
from hearts_course.sandbox.time_limit import END_SECONDS, TimeLimit
from hearts_course.sandbox.worker.protocol import (
    HELLO,
    MAX_FRAME_BYTES,
    NOT_STARTED,
    ProtocolError,
    framed,
    numbered,
    to_json,
    without_number,
)

START_SECONDS = 20.0
FIRST_NUMBER_BYTES = 6
MAX_CPU_SECONDS = 10**6  # a report of more processor time cannot be true
OUT_OF_TIME = (-14, -24, -27)  # the exit statuses after SIGALRM, SIGXCPU, SIGPROF
MEMORY_SIGNAL = "signal 9"  # SIGKILL: the kernel or sandbox ends a process that takes too much
# The beginning of a message that may come before an answer. It names a place in the program.
LATE = b'{"late":'
# A running call, as faulthandler writes it.
RUNNING_CALL = re.compile(r'^  File "([^"\n]+)", line (\d+) in ', re.MULTILINE)
NONSENSE = "sent an unreadable answer"


class Conversation:
    """Exchanges messages with one process of a program at a time; remembers why it stopped."""

    def __init__(
        self,
        sandbox: str,
        limits: Limits,
        *,
        forks: bool,
        files: Collection[str],
    ) -> None:
        """`forks` says whether the first process starts another one for each test.

        `files` are the names of the program's files. There is no process to talk to yet.
        """
        self.limit = TimeLimit.from_now(limits.import_seconds)  # the limit of the current step
        self.stopped: SubmissionStopped | None = None
        self.cpu_seconds = 0.0  # the processor time of the last test
        self._sandbox = sandbox
        self._memory_bytes = limits.memory_bytes
        self._forks = forks
        self._files = frozenset(files)
        self._numbers = itertools.count(1)
        self._pipes: Pipes | None = None
        self._test = 0  # the number of the message that began the test
        self._sent = 0.0
        self._late_place: RemoteError | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is a process to talk to."""
        return self._pipes is not None

    def open(self, pipes: Pipes) -> bool:
        """Use these pipes from now on. Return whether their process greets as a worker does."""
        self.stopped = None
        self.limit = TimeLimit.from_now(START_SECONDS)
        self._pipes = pipes
        greeting = self.receive(HELLO["id"])  # the greeting without its number
        if numbered(HELLO["id"], greeting) != to_json(HELLO):
            return False
        pipes.start_conversation()
        return True

    def close(self) -> int | None:
        """End the process. Return its exit status, None if it is unknown."""
        pipes, self._pipes = self._pipes, None
        return None if pipes is None else pipes.close()

    def limit_step(self, seconds: float, clock: float | None = None) -> None:
        """Limit the next step to `seconds` of processor time, and to `clock` by the wall clock."""
        self.limit = TimeLimit.from_now(seconds, clock)
        self._late_place = None

    def begin_test(self, message: dict[str, Any]) -> int:
        """Send the message that begins a test, and return the message's number.

        Forget why the earlier test was stopped, and how much time it used.
        """
        self.stopped = None
        self.cpu_seconds = 0.0
        # The first number is random, so that no number tells how many questions came before.
        self._numbers = itertools.count(int.from_bytes(os.urandom(FIRST_NUMBER_BYTES)))
        self._test = self.send(to_json(message))
        return self._test

    def send(self, message: bytes, max_bytes: int = MAX_FRAME_BYTES) -> int:
        """Number and send a message, which is a JSON text. Return its number.

        Raise SubmissionStopped if the process has been stopped.
        """
        if self.stopped is not None:
            raise self.stopped
        assert self._pipes is not None
        number = next(self._numbers)
        self._sent = time.monotonic()
        self._pipes.send(framed(numbered(number, message), max_bytes))
        return number

    def receive(self, number: int) -> bytes:
        """Return the answer to the message with this number; raise SubmissionStopped if none comes.

        Raise NotStarted if the machine had no process for the test.
        """
        assert self._pipes is not None
        try:
            try:
                message = without_number(number, self._pipes.receive(self.limit.deadline))
                if not message.startswith(LATE):
                    return message
                if self._late_place is not None:
                    raise ProtocolError("a second place in one test")
                self._late_place = read_late_place(message)
                return without_number(number, self._pipes.receive(self.limit.deadline))
            except TestEnded:
                if not self._forks:  # the only process reports its running calls before it ends
                    raise self._gone() from None
                raise self._stopped_by(self.how_it_ended()) from None
        except TimeoutError:
            raise self.stop("timeout", self.limit.excess) from None
        except ProtocolError:
            raise self.stop("crashed", NONSENSE) from None
        except EOFError:
            raise self._gone() from None

    def how_it_ended(self) -> str:
        """Return how the test's process ended, as its parent reports; store its processor time.

        Raise ProtocolError if the report is about another test or is malformed.
        """
        assert self._pipes is not None
        match self._pipes.end_of_test(self.limit.deadline):
            case {"id": told, "ended": str(how), **more} if told == self._test:
                match more.get("cpu_seconds"):
                    case int() | float() as used if 0 <= used < MAX_CPU_SECONDS:
                        self.cpu_seconds = used
                return how
        raise ProtocolError("the end of another test")

    def _stopped_by(self, how: str) -> SubmissionStopped:
        """Return why the test's process ended; its parent still runs and can start the next test.

        Never show `how`, because an exit status may reveal a hidden input. Raise NotStarted if the
        machine had no process for the test.
        """
        if how == NOT_STARTED:
            raise cannot_start(self._sandbox)
        if how in [f"signal {-status}" for status in OUT_OF_TIME]:
            return self.stop("timeout", self.limit.excess, close=False)
        killed = how.startswith("signal ")
        if how == MEMORY_SIGNAL and self.limit.is_late:
            return self.stop("timeout", self.limit.excess, close=False, killed=killed)
        text = "ended by itself in the middle of a call"
        if how == MEMORY_SIGNAL:
            text = f"used more than {self._memory_bytes // 2**20} MiB of memory"
        return self.stop("crashed", text, close=False, killed=killed)

    def _gone(self) -> SubmissionStopped:
        """Return why the first process ended; the test's process ended with it."""
        # If the last question is recent, the test itself may run forever, and not the program. Then
        # the program's calls say nothing about the cause.
        silent = self._forks or self.limit.is_in_last_quarter(self._sent)
        assert self._pipes is not None
        report = ""
        if not silent:  # when its time was over, the process reported its running calls
            report = self._pipes.last_words(time.monotonic() + END_SECONDS)
        status = self.close()
        if status in OUT_OF_TIME and not self._forks:
            return self.stop("timeout", self.limit.excess, calls=_calls_in(report, self._files))
        return self.stop("crashed", "ended by itself", killed=True)

    def stop(
        self,
        kind: str,
        text: str,
        *,
        close: bool = True,
        killed: bool = False,
        calls: tuple[tuple[str, int], ...] = (),
    ) -> SubmissionStopped:
        """Remember and return why the process has stopped; end it unless `close` is false."""
        if kind == "timeout" and self._late_place is not None:
            # Prefer the place that the program sent before its time ran out, because this place is
            # in the call that lasts. During a loop in C, the program sends no place. Then keep the
            # calls that were running at the end.
            calls = tuple(self._late_place.calls)
        self.stopped = SubmissionStopped(kind, text, killed=killed, calls=calls)
        if close:
            self.close()
        return self.stopped


def _calls_in(report: str, files: Collection[str]) -> tuple[tuple[str, int], ...]:
    """Return the calls of functions in these files, from the report that faulthandler writes."""
    calls = [(file, int(line)) for file, line in RUNNING_CALL.findall(report)]
    return tuple(call for call in reversed(calls) if call[0] in files)


def cannot_start(sandbox: str) -> NotStarted:
    """Return the error for a machine that cannot start a program in the sandbox."""
    return NotStarted(
        f"the sandbox {sandbox} cannot start a program; is the machine out of memory or processes?"
    )
