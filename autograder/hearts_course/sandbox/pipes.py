"""A program's process and its three pipes: for questions, for answers, and for error output.

Through the third pipe, the process also reports how a test ended. Every wait ends at a deadline, a
time of `time.monotonic`.
"""

import contextlib
import os
import queue
import select
import signal
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import IO, Any, Protocol

from hearts_course.course import Limits
from hearts_course.sandbox.worker import ENVIRONMENT
from hearts_course.sandbox.worker.protocol import from_json, take_message

CHUNK_BYTES = 2**16
WAITING_SECONDS = 0.05  # the time between two calls of `waiting`


class Process(Protocol):
    """A running submission."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]

    def kill(self) -> int | None:
        """End the process and all that it has started; harmless if it has already ended.

        Return the exit status in the form of `subprocess`, or None if it is unknown.
        """


running: set[Process] = set()


def end_all() -> None:
    """End every program that this process has started."""
    for process in tuple(running):
        process.kill()


class Subprocess:
    """A process of `subprocess`, killed together with its process group."""

    def __init__(
        self,
        command: list[str],
        environment: Mapping[str, str],
        inherited: Collection[int] = (),
        folder: str | None = None,
    ) -> None:
        """Start the command in the folder, by default the current one.

        The process inherits the descriptors in `inherited`.
        """
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command,
            bufsize=0,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=dict(environment),
            start_new_session=True,
            pass_fds=inherited,
            cwd=folder,
        )
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self.stdin: IO[bytes] = self._process.stdin
        self.stdout: IO[bytes] = self._process.stdout
        self.stderr: IO[bytes] = self._process.stderr
        running.add(self)

    def kill(self) -> int | None:
        """End the process and its process group; harmless if they have already ended."""
        running.discard(self)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        return self._process.wait()


def start_bare(command: list[str], limits: Limits) -> Process:
    """Start the program without a sandbox."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "PATH") if name in os.environ}
    return Subprocess(command, kept | ENVIRONMENT)


class TestEnded(Exception):
    """The test's process ended before it answered."""

    __test__ = False  # not a test for pytest to collect


class Pipes(ABC):
    """The pipes of a process, and the answers and reports that come from them."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._in, self._out, self._err = (
            stream.fileno() for stream in (process.stdin, process.stdout, process.stderr)
        )
        self._received = {self._out: bytearray(), self._err: bytearray()}
        self._open = {self._out, self._err}
        self._conversing = False  # while it is false, error output may come from the sandbox
        self.waiting: Callable[[], None] | None = None  # called now and then during a long wait

    @abstractmethod
    def send(self, frame: bytes) -> None:
        """Send the frame without waiting until the process has read it.

        A frame is one message with its length in front.
        """

    def receive(self, deadline: float) -> bytes:
        """Return the JSON text of the next answer.

        Raise TimeoutError after the deadline, EOFError if the process is gone, and ProtocolError if
        the answer is too large. Raise TestEnded if the test's process ended before it answered.
        """
        while not (answer := take_message(self._received[self._out])):
            if self._out not in self._open:
                raise EOFError
            is_end_reported = self._conversing and self._received[self._err]
            if not is_end_reported:
                self._wait(deadline)
            elif not self._read(self._out):  # an answer may have come before the report
                raise TestEnded
        return answer

    def end_of_test(self, deadline: float) -> Any:
        """Return the report on how the test's process ended, and discard its remaining output.

        In a sandbox, only the parent of that process can send the report. Raise TimeoutError,
        EOFError or ProtocolError.
        """
        while not (report := take_message(self._received[self._err])):
            if self._err not in self._open:
                raise EOFError
            self._wait(deadline)
        while self._read(self._out):
            continue
        self._received[self._out].clear()
        return from_json(report)

    def last_words(self, deadline: float) -> str:
        """Return the rest of the error output, once the process has ended or at the deadline."""
        with contextlib.suppress(TimeoutError):
            while self._err in self._open:
                self._wait(deadline)
        return self._received[self._err].decode("utf-8", "replace")

    def start_conversation(self) -> None:
        """Discard the error output so far; later error output is from the worker."""
        while self._read(self._err):
            continue
        self._received[self._err].clear()
        self._conversing = True

    @abstractmethod
    def close(self) -> int | None:
        """Kill the process and close the pipes; return its exit status if it is known."""

    @abstractmethod
    def _wait(self, deadline: float) -> None:
        """Wait until something can be read or written; raise TimeoutError after the deadline."""

    @abstractmethod
    def _read(self, stream: int) -> bool:
        """Store the data that is available now; return False if there is none."""

    def _keep(self, stream: int, chunk: bytes) -> bool:
        self._received[stream] += chunk
        if not chunk:
            self._open.discard(stream)
        return bool(chunk)


class PolledPipes(Pipes):
    """Pipes that are read with `poll` and without threads."""

    def __init__(self, process: Process) -> None:
        super().__init__(process)
        self._outgoing = bytearray()
        for stream in (self._in, self._out, self._err):
            os.set_blocking(stream, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    def send(self, frame: bytes) -> None:
        """Send as much of the frame as fits now; send the rest while waiting for the answer."""
        if self._outgoing:
            self._outgoing += frame
        elif unsent := frame[self._write(frame) :]:
            self._outgoing += unsent
            self._poll.register(self._in, select.POLLOUT)

    def close(self) -> int | None:
        """Kill the process and close the pipes; return its exit status if it is known."""
        status = self._process.kill()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                stream.close()
        return status

    def _wait(self, deadline: float) -> None:
        """Wait until something can be read or written; raise TimeoutError after the deadline."""
        while True:
            left = deadline - time.monotonic()
            seconds = min(left, WAITING_SECONDS) if self.waiting else left
            ready = self._poll.poll(max(0.0, seconds * 1000))
            if left < 0 or not (ready or self.waiting):
                raise TimeoutError
            if ready:
                break
            if self.waiting:
                self.waiting()
        for stream, _ in ready:
            if stream == self._in:
                self._write_rest()
            else:
                self._read(stream)

    def _write_rest(self) -> None:
        del self._outgoing[: self._write(self._outgoing)]
        if not self._outgoing:
            self._poll.unregister(self._in)

    def _write(self, data: bytes | bytearray) -> int:
        """Write what fits now, and return its size; if the process is gone, discard all data."""
        try:
            return os.write(self._in, data)
        except BlockingIOError:
            return 0
        except OSError:  # the process is gone
            return len(data)

    def _read(self, stream: int) -> bool:
        """Store the data that is available now; return False if there is none."""
        if stream not in self._open:
            return False
        try:
            chunk = os.read(stream, CHUNK_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self._poll.unregister(stream)
        return self._keep(stream, chunk)


class ThreadedPipes(Pipes):
    """Pipes with a thread for each pipe, because Windows cannot poll pipes."""

    def __init__(self, process: Process) -> None:
        super().__init__(process)
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._chunks: queue.SimpleQueue[tuple[int, bytes]] = queue.SimpleQueue()
        for work, arguments in (
            (self._write_frames, (self._process.stdin,)),
            (self._read_chunks, (self._out, self._process.stdout)),
            (self._read_chunks, (self._err, self._process.stderr)),
        ):
            threading.Thread(target=work, args=arguments, daemon=True).start()

    def send(self, frame: bytes) -> None:
        """Pass the frame to the thread that writes."""
        self._frames.put(frame)

    def close(self) -> int | None:
        """Kill the process and let the threads end; return its exit status if it is known."""
        status = self._process.kill()
        self._frames.put(None)
        return status

    def _wait(self, deadline: float) -> None:
        while (left := deadline - time.monotonic()) >= 0:
            seconds = min(left, WAITING_SECONDS) if self.waiting else left
            with contextlib.suppress(queue.Empty):
                self._keep(*self._chunks.get(timeout=seconds))
                return
            if self.waiting:
                self.waiting()
        raise TimeoutError

    def _read(self, stream: int) -> bool:
        old_length = len(self._received[stream])
        with contextlib.suppress(queue.Empty):
            while True:
                self._keep(*self._chunks.get_nowait())
        return len(self._received[stream]) > old_length

    def _write_frames(self, stdin: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError), stdin:
            while (frame := self._frames.get()) is not None:
                stdin.write(frame)
                stdin.flush()

    def _read_chunks(self, number: int, stream: IO[bytes]) -> None:
        chunk = b"begin"
        with contextlib.suppress(OSError, ValueError), stream:
            while chunk:
                chunk = os.read(number, CHUNK_BYTES)
                self._chunks.put((number, chunk))
        if chunk:  # after an error, an empty chunk tells the reader that the stream has ended
            self._chunks.put((number, b""))


def open_pipes(process: Process) -> Pipes:
    """Return the pipes of the process. They are polled if the system can do that."""
    return PolledPipes(process) if hasattr(select, "poll") else ThreadedPipes(process)
